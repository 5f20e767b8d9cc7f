// What this tab remembers until it is closed, through a reload, a crash and a server that began anew. It
// forgets when somebody goes to another address: at a shared computer that may be the next person.

import { shared } from "./shared.js";

const AT = "tokviz-at";
const NAMES = "tokviz-";

function forgetOthers() {
  if (shared.forgotOthers) return;
  shared.forgotOthers = true;
  const [visit] = performance.getEntriesByType("navigation");
  // The address that was gone to: the page may have written another one meanwhile.
  if (visit?.type !== "navigate" || sessionStorage.getItem(AT) === visit.name) return;
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(NAMES)) sessionStorage.removeItem(name);
}

/** What was remembered under a name; null if nothing was. */
export function remembered(name) {
  try {
    forgetOthers();
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
}

/** Returns whether it could be remembered. */
export function remember(name, value) {
  try {
    forgetOthers();
    sessionStorage.setItem(name, JSON.stringify(value));
    sessionStorage.setItem(AT, location.href);
    return true;
  } catch {
    // No room, or none allowed: then nothing is remembered.
    return false;
  }
}
