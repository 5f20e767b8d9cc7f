// The laser: the pointer as a glowing dot with a short trail, and the token under it glowing wherever it
// occurs. Chips are marked by one rule of a style sheet: nothing is drawn anew, and chips that a step
// brings glow at once.

import { make } from "./dom.js";
import { chipsOf } from "./selection.js";

const TRAIL = 6; // dots that follow the dot

export class Laser {
  constructor(player) {
    Object.assign(this, { player, on: false, pinned: null, hovered: null, at: [0, 0] });
    this.trail = Array.from({ length: TRAIL }, (_, i) => {
      const dot = make("span");
      dot.style.scale = 1 - (i + 1) / (TRAIL + 1.5);
      return { dot, at: [0, 0] };
    });
    this.dot = make("span", { class: "tv-laser-dot" });
    this.element = make("div", { class: "tv-laser", "aria-hidden": "true", hidden: "" }, ...this.trail.map(({ dot }) => dot), this.dot);
    this.rule = make("style");
  }

  toggle(on = !this.on) {
    const { root, transport } = this.player;
    Object.assign(this, { on, pinned: null, hovered: null });
    root.toggleAttribute("data-laser", on);
    transport.setLaser(on);
    root.onpointermove = on ? (event) => this.move(event) : null;
    root.onpointerdown = root.onpointermove;
    root.onpointerup = on ? (event) => void (event.pointerType !== "mouse" && this.leave()) : null;
    root.onpointercancel = root.onpointerleave = on ? () => this.leave() : null;
    this.element.hidden = true;
    this.glow();
  }

  stop() {
    cancelAnimationFrame(this.drawing);
    if (this.on) this.toggle(false);
  }

  /** A drag of a finger tells only where it began, so the place is looked up. */
  move(event) {
    this.at = [event.clientX, event.clientY];
    if (this.element.hidden) {
      this.element.hidden = false;
      for (const follower of this.trail) follower.at = this.at;
    }
    this.drawing ??= requestAnimationFrame(() => this.draw());
    const under = event.pointerType === "mouse" ? event.target : document.elementFromPoint(...this.at);
    this.hover(this.found(under));
  }

  leave() {
    this.element.hidden = true;
    this.hover(null);
  }

  found(element) {
    const chip = element?.closest?.(".tv-lanes .chip[data-t]");
    return chip ? this.player.selection.tokenOf(chip) : null;
  }

  hover(found) {
    if (sameToken(found, this.hovered)) return;
    this.hovered = found;
    this.glow();
  }

  /** A click pins the token under it; the next one lets go, or pins another one. */
  clicked(target) {
    const found = this.found(target);
    this.pinned = sameToken(found, this.pinned) ? null : found;
    this.glow();
  }

  /** Escape lets go, then switches off; false if there was nothing to leave. */
  escape() {
    if (!this.on) return false;
    if (!this.pinned) this.toggle(false);
    this.pinned = null;
    this.glow();
    return true;
  }

  /** What is pinned glows, or else what is under the pointer, or else the selected token: that one is
   *  reached with the keyboard too. */
  glow() {
    const found = this.on ? this.pinned ?? this.hovered ?? this.player.selection.token : null;
    const chips = found ? chipsOf(this.player.runs, found) : [];
    // The rest keeps colours that can be read.
    const text = chips.length ? `
      .tv-lanes .chip:not(${chips.join()}) { background: var(--tv-faint); color: var(--tv-dim); }
      :is(${chips.join()}) { outline: ${this.pinned ? "5px double" : "3px solid"} var(--tv-ink); outline-offset: 1px; position: relative; z-index: 3;
        box-shadow: 0 0 0.2rem 0.3rem var(--tv-laser), 0 0 0.6rem 0.35rem var(--tv-laser); }` : "";
    if (this.rule.textContent !== text) this.rule.textContent = text;
  }

  draw() {
    let [ahead, moving] = [this.at, false];
    placeDot(this.dot, this.at);
    for (const follower of this.player.reduced.matches ? [] : this.trail) {
      const [x, y] = follower.at;
      follower.at = [x + (ahead[0] - x) * 0.5, y + (ahead[1] - y) * 0.5];
      moving ||= Math.hypot(ahead[0] - follower.at[0], ahead[1] - follower.at[1]) > 0.5;
      placeDot(follower.dot, follower.at);
      ahead = follower.at;
    }
    this.drawing = moving && !this.element.hidden ? requestAnimationFrame(() => this.draw()) : undefined;
  }
}

function sameToken(one, other) {
  return one?.lane === other?.lane && one?.token === other?.token;
}

function placeDot(dot, [x, y]) {
  dot.style.translate = `${x}px ${y}px`;
}
