// What this tab remembers until it is closed: after a reload, a crash, a server that began anew.

/** What was remembered under a name; null if nothing was. */
export function remembered(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // No room, or none allowed: then nothing is remembered.
  }
}
