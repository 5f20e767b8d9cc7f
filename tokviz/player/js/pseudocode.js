// The algorithm of a run in a few lines that run as Python: the line of the moment is lit, and variables show
// their values in the state.

import { make } from "./dom.js";
import { _, _n, number } from "./i18n.js";
import { hasRoom } from "./lines.js";

// Of the lines alone on the screen, times the usual size; larger ones than the second only where no line is broken.
const LINE_SIZES = Array.from({ length: 62 }, (_none, i) => 1.7 * 0.985 ** i);
const LARGEST_BROKEN = 1.4;
const LEAST_READ = 16; // pixels that the back row reads: what needs more room in these scrolls, beside other lanes
const LINE_ROOM = 0.96; // of the room, so that a longer value does not make it scroll

/** The values of variables that every family has, by the names that lines ask for. Parts are texts and tokens. */
export function commonValues(run, t) {
  const [size, sign] = [run.vocab_size[t], run.vocab_size[0] < run.asked ? "<" : ">"];
  return {
    size: [number(run.vocab_size[0])],
    room: [t < run.steps ? `${number(size)} ${sign} ${number(run.asked)}` : number(size)],
    tokens: [_n("{n} token in the corpus", "{n} tokens in the corpus", run.corpus_tokens[t], { n: number(run.corpus_tokens[t]) })],
  };
}

export class Pseudocode {
  constructor(run, chips) {
    Object.assign(this, { run, chips });
    this.small = make("small");
    this.heading = make("div", { class: "tv-heading" }, make("h3", {}, _("Pseudocode"), " ", this.small));
    this.element = make("div", { class: "tv-panel tv-pseudo", role: "group", tabindex: 0 }, this.heading);
    this.renew();
    // A longer value may take another line.
    this.grown = new ResizeObserver(() => !hasRoom(this.element) && this.fit());
    // Hidden, it costs a step nothing.
    this.seen = false;
    new ResizeObserver(([{ contentRect }]) => {
      this.seen = contentRect.height > 0;
      if (!this.seen) return;
      this.draw(this.t);
      this.fit();
    }).observe(this.element);
  }

  /** The run is there, or has become one of another kind. */
  renew() {
    const { run } = this;
    this.lines = null;
    this.small.textContent = run.label;
    this.element.setAttribute("aria-label", _("Pseudocode of {lane}", { lane: run.label }));
  }

  /** Makes the lines, once they are seen. */
  build() {
    const { run } = this;
    this.lit = null;
    this.lines = run.pseudocode.map(([code, names, moment]) => {
      const value = make("span", { class: "tv-value" });
      const indent = code.length - code.trimStart().length;
      const element = make("li", moment ? { "data-moment": moment } : {}, make("code", {}, code.trimStart()), value);
      element.style.setProperty("--indent", indent);
      return { element, value, names };
    });
    const functions = run.functions.map(([name, does]) => make("div", {}, make("dt", {}, make("code", {}, `${name}()`)), make("dd", {}, does)));
    this.body = this.lines.length ? make("ol", {}, ...this.lines.map(({ element }) => element)) : make("p", { class: "tv-note" }, _("There is no pseudocode of this algorithm yet."));
    const details = functions.length ? [make("details", {}, make("summary", {}, _("What the functions do")), make("dl", {}, ...functions))] : [];
    this.element.replaceChildren(this.heading, this.body, ...details);
    this.grown.disconnect();
    this.grown.observe(this.body);
  }

  draw(t) {
    const { run } = this;
    this.t = t;
    if (!this.seen) return;
    const isBuilt = Boolean(this.lines);
    if (!isBuilt) this.build();
    if (!this.lines.length) return;
    const values = { ...commonValues(run, t), ...run.family.pseudocodeValues(run, t) };
    const { next, done } = run.family.moments(run, t);
    for (const { element, value, names } of this.lines) {
      const shown = names.filter((name) => values[name]);
      value.replaceChildren(...shown.flatMap((name) => this.chips.parts(values[name])));
      const lit = element.dataset.moment === next;
      element.classList.toggle("lit", lit);
      if (lit) element.setAttribute("aria-current", "step");
      else element.removeAttribute("aria-current");
      element.classList.toggle("done", t > 0 && element.dataset.moment === done);
      if (lit) this.lit = element;
    }
    if (!isBuilt) this.fit();
    this.reveal();
  }

  /** Alone on the screen, the lines are as large as there is room for all of them, but not too small to be read. */
  fit() {
    const { body, element: panel } = this;
    body.style.removeProperty("--tv-fit");
    if (document.documentElement.dataset.picture !== "pseudocode" || !this.lines.length) return;
    const usual = parseFloat(getComputedStyle(body).fontSize);
    const room = LINE_ROOM * panel.clientHeight;
    const last = [...panel.children].findLast((element) => element.offsetHeight);
    const least = innerWidth > 900 ? LEAST_READ / usual : 0;
    for (const size of LINE_SIZES.filter((each) => each >= least)) {
      body.style.setProperty("--tv-fit", `${size * usual}px`);
      const broken = size > LARGEST_BROKEN && this.lines.some(({ element }) => element.offsetHeight > 2.2 * size * usual);
      if (!broken && last.offsetTop + last.offsetHeight - panel.offsetTop <= room) break;
    }
    this.reveal();
  }

  /** The line of the moment is in sight. */
  reveal() {
    const panel = this.element;
    if (!this.lit) return;
    const [line, room] = [this.lit, panel].map((element) => element.getBoundingClientRect());
    if (line.bottom > room.bottom) panel.scrollTop += line.bottom - room.bottom + line.height;
    else if (line.top < room.top) panel.scrollTop -= room.top - line.top + line.height;
  }
}
