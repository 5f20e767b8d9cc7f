// Terms that explain themselves: hover, focus or a tap opens one small popup beside them.

import { make } from "./dom.js";

// Python puts the glossary before the modules (assets.py); the node tests have none.
const MEANINGS = typeof GLOSSARY === "undefined" ? {} : GLOSSARY;
const UNTIL_OPEN = 250; // ms over a term until its popup opens
const UNTIL_LEFT = 150; // ms in which the pointer may get from the term into the popup
const GAP = 6; // pixels between the two
const MARGIN = 8; // pixels to the edge of the screen

/** What a term means, by its name in the glossary. */
export const meaning = (name) => MEANINGS[name] ?? "";

/** The label of a term, explained as the glossary does under a name. */
export const term = (label, name) => explained(label, meaning(name));

/** A label with an explanation. */
export function explained(label, explanation) {
  return make("button", { type: "button", class: "tv-term", "data-explained": explanation }, label);
}

/** The parts of a message, its text as a term: the spaces around it are none of it. */
export function termParts(parts, name) {
  return parts.flatMap((part) => {
    if (typeof part !== "string") return [part];
    const [, before, label, after] = /^(\s*)(.*?)(\s*)$/s.exec(part);
    return [before, label && term(label, name), after].filter(Boolean);
  });
}

const termAt = (event) => event.target.closest("[data-explained]");

/** The popup of all terms in some elements. It listens there, so terms may come and go. */
export class Glossary {
  constructor(...hosts) {
    this.popup = make("div", { class: "tv-explained", role: "tooltip", id: "tv-explained", popover: "manual" });
    hosts[0].append(this.popup);
    for (const host of hosts) this.listen(host);
    this.away = {
      pointerdown: (event) => this.isOutside(event.target) && this.close(),
      pointerout: (event) => event.pointerType === "mouse" && this.leave(),
      keydown: (event) => this.press(event),
      scroll: () => this.place(),
    };
  }

  listen(host) {
    host.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.point(termAt(event)));
    host.addEventListener("focusin", (event) => this.open(termAt(event)));
    host.addEventListener("focusout", () => this.close());
    // Before others hear of it: a term is no place to click into.
    host.addEventListener("click", (event) => this.click(event), true);
  }

  /** The mouse is over a term, or over something else. */
  point(found) {
    clearTimeout(this.opening);
    if (found && found !== this.term) this.opening = setTimeout(() => found.matches(":hover") && this.open(found), UNTIL_OPEN);
  }

  click(event) {
    const found = termAt(event);
    // The laser points with clicks of its own.
    if (!found || found.closest("[data-laser]")) return;
    event.stopPropagation();
    this.open(found);
  }

  open(found) {
    clearTimeout(this.opening);
    if (found === this.term) return;
    this.close();
    if (!found || found.closest("[data-laser]")) return;
    this.term = found;
    this.popup.textContent = found.dataset.explained;
    found.setAttribute("aria-describedby", this.popup.id);
    this.popup.showPopover();
    this.place();
    for (const [name, heard] of Object.entries(this.away)) document.addEventListener(name, heard, true);
  }

  close() {
    if (!this.term) return;
    this.term.removeAttribute("aria-describedby");
    this.term = null;
    if (this.popup.isConnected) this.popup.hidePopover();
    for (const [name, heard] of Object.entries(this.away)) document.removeEventListener(name, heard, true);
  }

  /** Below the term, or above it where there is more room; never over it. */
  place() {
    if (!this.term.isConnected) return this.close();
    const { style } = this.popup;
    style.maxHeight = "none";
    const at = this.term.getBoundingClientRect();
    const { width, height } = this.popup.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const [above, below] = [at.top - GAP - MARGIN, clientHeight - at.bottom - GAP - MARGIN];
    const under = height <= below || below >= above;
    const room = Math.min(height, Math.max(above, below));
    style.maxHeight = `${room}px`;
    style.left = `${Math.max(MARGIN, Math.min(at.left, clientWidth - width - MARGIN))}px`;
    style.top = `${under ? at.bottom + GAP : at.top - GAP - room}px`;
  }

  isOutside(element) {
    return element !== this.popup && !this.term.contains(element);
  }

  /** The pointer may go into the popup; what has the keyboard's focus stays explained. */
  leave() {
    clearTimeout(this.leaving);
    this.leaving = setTimeout(() => {
      if (this.term && ![this.term, this.popup].some((e) => e.matches(":hover")) && !this.term.matches(":focus-visible")) this.close();
    }, UNTIL_LEFT);
  }

  /** Escape closes the popup and nothing else. */
  press(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    event.preventDefault();
    this.close();
  }
}
