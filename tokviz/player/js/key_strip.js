// The main keys at the bottom of the screen, for people who learn them, teach or record. A key that does
// something flashes.

import { make } from "./dom.js";
import { _ } from "./i18n.js";

const FLASH = 450; // ms
/** Caps with the keys that they stand for, and what these do. */
const CAPS = [
  [{ "←": ["ArrowLeft", "PageUp"], "→": ["ArrowRight", "PageDown"] }, _("step")],
  [{ [_("Space")]: [" "] }, _("play")],
  [{ "−": ["-"], "+": ["+", "="] }, _("speed")],
  [{ B: ["b"] }, _("next stop")],
  [{ T: ["t"] }, _("next tie")],
  [{ L: ["l"] }, _("laser")],
  [{ P: ["p"] }, _("present, leave")],
  [{ K: ["k"] }, _("hide these")],
  [{ "?": ["?"] }, _("all keys")],
];

export class KeyStrip {
  constructor() {
    this.caps = new Map();
    this.element = make("ul", { class: "tv-keys", "aria-label": _("Main keys"), hidden: "" });
    for (const [caps, does] of CAPS) {
      const item = make("li");
      for (const [name, keys] of Object.entries(caps)) {
        const cap = make("kbd", {}, name);
        for (const key of keys) this.caps.set(key, cap);
        item.append(cap);
      }
      item.append(make("span", {}, does));
      this.element.append(item);
    }
    // The page leaves room for it. A property of the root that changes has the whole page styled anew.
    const { style } = document.documentElement;
    this.seen = new ResizeObserver(([{ borderBoxSize: [box] }]) => {
      if (box.blockSize) style.setProperty("--strip", `${box.blockSize}px`);
      else style.removeProperty("--strip");
    });
    this.seen.observe(this.element);
  }

  show(on) {
    this.element.hidden = !on;
  }

  stop() {
    this.seen.disconnect();
    document.documentElement.style.removeProperty("--strip");
  }

  flash(key) {
    const cap = this.caps.get(key) ?? this.caps.get(key.toLowerCase());
    if (!cap) return;
    cap.classList.add("pressed");
    clearTimeout(cap.resting);
    cap.resting = setTimeout(() => cap.classList.remove("pressed"), FLASH);
  }
}
