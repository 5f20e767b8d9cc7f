// What the player tells others: screen readers, Python, the page's address, and the charts.

import { addressParts, make, writeAddress } from "./dom.js";
import { isLeft } from "./entries.js";
import { _, sentences } from "./i18n.js";
import { USUAL, shared } from "./shared.js";

const SETTLE = 600; // ms after the last move until Python hears of it
const LED = 2000; // ms more, to twice as many, of who is led
const LOOK = 500; // ms until the next look for what was drawn anew beside the player

const isInSight = (input) => {
  const { top, bottom } = input.closest(".vega-embed").getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

export class Telling {
  constructor(player) {
    Object.assign(this, { player, chartsInSight: [], moved: 0 });
    this.live = make("p", { class: "tv-unseen", role: "status", "aria-live": "polite" });
    // Charts that are drawn later, or drawn anew (another theme), find the player where it is.
    this.looking = setInterval(() => this.look(), LOOK);
    // Whoever takes the address along wants the step that is seen now.
    this.asked = () => this.rest();
    document.addEventListener("tokviz-rest", this.asked);
  }

  stop() {
    this.callOff();
    clearInterval(this.looking);
    document.removeEventListener("tokviz-rest", this.asked);
  }

  callOff() {
    clearTimeout(this.settling);
  }

  later(isLed) {
    this.callOff();
    this.settling = setTimeout(() => this.settle(isLed), SETTLE);
  }

  /** After a rest: says the step aloud, tells Python, writes the address. A class that is led would tell it all at once:
   *  each waits a little of its own. */
  settle(isLed) {
    const { player } = this;
    this.told = player.moving.p;
    const why = player.notes.element.textContent;
    const say = ({ run, said, coming }) => {
      const unsaid = player.root.hasAttribute("data-veiled") ? [] : [[coming.textContent]];
      const both = sentences([said.textContent], ...unsaid).join("");
      return [player.runs.length > 1 ? _("{lane}: {said}", { lane: run.label, said: both }) : both];
    };
    const told = player.quiz.on ? [[player.quiz.heard()]] : player.lanes.map(say);
    this.live.textContent = sentences(...[[why], ...told].filter(([part]) => part)).join("");
    if (player.playing.on) return;
    this.writeAddress();
    const tell = () => player.tell(player.moving.moment);
    if (isLed) this.settling = setTimeout(tell, LED * (1 + Math.random()));
    else tell();
  }

  /** At once what a rest would bring. */
  rest() {
    this.callOff();
    if (!this.player.playing.on && this.player.moving.p !== this.told) this.settle();
    this.writeAddress();
  }

  /** A player that was taken off the page and is back may stand elsewhere than Python thinks. */
  report() {
    const { head, moving, tell } = this.player;
    if (moving.p !== head.start || moving.axis.align !== head.align) tell(moving.moment);
  }

  /** A reload comes back to the runs, the step, and what a person chose. */
  writeAddress() {
    const { head, moving: { axis, p }, selection } = this.player;
    // A page of its own keeps its own address, a player that is being made stands nowhere yet, and one that shows
    // what Python does not know has no address.
    if (!head.links || head.isAhead || !axis || isLeft(head)) return;
    const parts = { step: p };
    if (axis.align !== "step") parts.align = axis.align;
    for (const [name, value] of Object.entries(shared.chosen)) if (value !== USUAL[name]) parts[name] = value === true ? 1 : value;
    if (selection.token) parts.token = selection.name();
    writeAddress("player", parts, head.links);
    this.written = JSON.stringify(addressParts());
  }

  /** Charts that were drawn anew move to the step, as do those out of sight once nothing moves; another lens is in the
   *  address, or did not come. */
  look() {
    const charts = [...document.querySelectorAll(".vega-bind input[name=tokviz_step]")];
    this.chartsInSight = charts.filter(isInSight);
    this.moveCharts(performance.now() - this.moved < LOOK ? this.chartsInSight : charts);
    this.player.stage.askAgain();
    this.player.stage.tellLane();
    if (this.player.head.links && this.written !== JSON.stringify(addressParts())) this.writeAddress();
  }

  /** The charts that are in sight follow each move. */
  follow() {
    this.moved = performance.now();
    this.moveCharts(this.chartsInSight);
  }

  /** The cursor of a chart is a parameter with an input of its own. */
  moveCharts(charts) {
    const { axis, p } = this.player.moving;
    const value = axis.values[p];
    for (const input of charts) {
      if (Number(input.value) === value) continue;
      input.value = value;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
}
