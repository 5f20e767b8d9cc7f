// Parts that a phone shows side by side, one at a time: they are swiped, or chosen by a row of buttons with their
// names. On wider screens all are seen, and the buttons are not.

import { arrange, make } from "./dom.js";
import { _ } from "./i18n.js";

export class Swiped {
  /** The buttons for some `parts` of an element that scrolls sideways, [element, name]. The last one, where a page
   *  `hasSettings`, is for the set-up of the page, which a phone shows in place of the parts (strip.css). */
  constructor(scroller, parts, label, hasSettings = false) {
    Object.assign(this, { scroller, hasSettings, buttons: new Map(), inSight: new Set([parts[0][0]]) });
    this.settings = make("button", { type: "button" }, _("Settings"));
    this.settings.onclick = () => {
      this.open("settings");
      document.querySelector(".st-key-strip")?.scrollIntoView({ block: "nearest" });
    };
    this.seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.inSight[isIntersecting ? "add" : "delete"](target);
      this.mark();
    }, { root: scroller, threshold: 0.6 });
    this.element = make("div", { class: "tv-swiped", role: "group", "aria-label": label });
    this.renew(parts);
  }

  /** The parts are there, or some have become others: those that stay keep their buttons. */
  renew(parts) {
    const elements = parts.map(([element]) => element);
    for (const element of this.buttons.keys()) {
      if (elements.includes(element)) continue;
      this.seen.unobserve(element);
      this.inSight.delete(element);
    }
    this.buttons = new Map(elements.map((element) => [element, this.buttons.get(element) ?? this.button(element)]));
    for (const [element, name] of parts) this.buttons.get(element).textContent = name;
    arrange(this.element, [...this.buttons.values(), ...(this.hasSettings ? [this.settings] : [])]);
    this.open(document.documentElement.dataset.tab ?? "");
  }

  button(element) {
    const button = make("button", { type: "button" });
    button.onclick = () => {
      this.open("");
      this.scroller.scrollIntoView({ block: "nearest" });
      this.show(element);
    };
    this.seen.observe(element);
    return button;
  }

  /** Brings a part into sight. */
  show(element) {
    const [first] = this.buttons.keys();
    this.scroller.scrollTo({ left: element.offsetLeft - first.offsetLeft });
  }

  open(tab) {
    if (this.hasSettings) document.documentElement.dataset.tab = tab;
    this.mark();
  }

  mark() {
    const elements = [...this.buttons.keys()];
    // Half way between two parts, none is in sight.
    this.last = elements.find((part) => this.inSight.has(part)) ?? (this.buttons.has(this.last) ? this.last : elements[0]);
    const opened = document.documentElement.dataset.tab === "settings";
    for (const [element, button] of this.buttons) button.setAttribute("aria-current", !opened && element === this.last);
    this.settings.setAttribute("aria-current", opened);
  }
}
