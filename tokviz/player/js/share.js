// The link to what the page shows now, with a button that copies it. The address bar is the truth:
// what is shown is what it says, and Python hears of it for the code that phones read.

import { addressParts, make } from "./dom.js";
import { _ } from "./i18n.js";
import { readJson } from "./packed.js";

const AGAIN = 1200; // ms until Python is told once more: what the player told at the same time may win
const views = new WeakMap();

export default function mount({ data, parentElement, setStateValue }) {
  const { fits, known } = readJson(data);
  let view = views.get(parentElement);
  if (!view) {
    // The player's last step may not be in the address yet.
    document.dispatchEvent(new Event("tokviz-rest"));
    view = { said: { href: location.href, parts: addressParts(), times: 0 } };
    views.set(parentElement, view);
    parentElement.querySelector(".tv-share").replaceChildren(...(fits ? link(view.said.href) : []));
    const tell = () => {
      view.said = { ...view.said, times: view.said.times + 1 };
      view.tell("said", view.said);
      view.again = setTimeout(tell, AGAIN);
    };
    setTimeout(tell);
  }
  view.tell = setStateValue;
  if (known === view.said.href) clearTimeout(view.again);
  return () => clearTimeout(view.again);
}

function link(href) {
  const field = make("input", { type: "text", readonly: "", "aria-label": _("Link"), value: href });
  field.onfocus = () => field.select();
  const copied = make("span", { role: "status" });
  const copy = make("button", { type: "button" }, _("Copy link"));
  copy.onclick = async () => {
    copied.textContent = (await copies(field)) ? _("Copied.") : _("Select the link and copy it.");
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
