// The link to what the page shows now, with a button that copies it. The address bar is the truth:
// what is shown is what it says, and Python hears of it for the code that phones read.

import { addressParts, make } from "./dom.js";
import { readJson } from "./run.js";

const views = new WeakMap();

export default function mount({ data, parentElement, setStateValue }) {
  // The player's last step may not be in the address yet.
  document.dispatchEvent(new Event("tokviz-rest"));
  const said = { href: location.href, parts: addressParts() };
  const { fits } = readJson(data);
  const root = parentElement.querySelector(".tv-share");
  const signature = `${fits} ${said.href}`;
  if (views.get(parentElement) === signature) return;
  views.set(parentElement, signature);
  root.replaceChildren(...(fits ? link(said.href) : []));
  setStateValue("said", said);
}

function link(href) {
  const field = make("input", { type: "text", readonly: "", "aria-label": "Link", value: href });
  field.onfocus = () => field.select();
  const copied = make("span", { role: "status" });
  const copy = make("button", { type: "button" }, "Copy link");
  copy.onclick = async () => {
    copied.textContent = (await copies(field)) ? "Copied." : "Select the link and copy it.";
  };
  return [field, copy, copied];
}

/** Copies a field's text; browsers let a page do so by the clipboard only where it is served safely. */
async function copies(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.select();
    return document.execCommand("copy");
  }
}
