// The curves of one to four runs, below the player, with a cursor that follows it.

import { positionOf } from "./axis.js";
import { make } from "./dom.js";
import { charactersPerToken } from "./run.js";
import { _, number } from "./i18n.js";
import { significant } from "./numbers.js";

const MOST_POINTS = 1000; // more are not told apart on any screen
// Pixels around the plot, of a digit at most, and of a dot, for type of the usual size.
const SIZES = { right: 10, top: 18, bottom: 20, digit: 7, dot: 3 };
const TICKS = 5;
const MOST_DOTS = 120; // sub-iterations that are told apart
const BY = {
  step: (title) => title, size: (title) => _("{title} by vocabulary size", { title }),
  share: (title) => _("{title} by share of training, in percent", { title }),
};
const VALUES = {
  corpus_tokens: (run, t) => run.corpus_tokens[t], vocab_size: (run, t) => run.vocab_size[t],
  characters_per_token: charactersPerToken, step: (run, t) => t, loss: (run, t) => run.loss[t], score,
};

/** The curves to draw, each [name, title]. Lanes share only what has one unit in all of them. */
export function curvesOf(runs, align) {
  const [tokens, characters] = [["corpus_tokens", _("Corpus tokens")], ["characters_per_token", _("Characters per token")]];
  if (runs.length > 1) {
    const third = align === "size" ? ["step", _("Step or round")] : ["vocab_size", _("Vocabulary size")];
    return [tokens, third, characters].map(([name, title]) => [name, BY[align](title)]);
  }
  const { score, loss, own = [] } = runs[0].family.curves(runs[0]);
  const usual = [tokens, score ? ["score", score] : ["vocab_size", _("Vocabulary size")], loss ? ["loss", loss] : characters];
  return [...own.map(({ title }, i) => [i, title]), ...usual];
}

/** The value of a curve in state t; NaN where the state has none. Those that only a family has are named by numbers. */
export function valueAt(run, name, t) {
  if (!(name in VALUES)) return run.family.curves(run).own[name].value(t);
  return VALUES[name](run, t);
}

/** What the step out of state t was chosen by; the last state makes no choice. */
function score(run, t) {
  return t === run.steps ? NaN : run.family.score(run, t);
}

/** Round numbers from low to high, about `count` of them and none closer than `least`.  */
export function ticks(low, high, count, least) {
  const rough = Math.max((high - low) / count, 1e-9);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(least, power * ([1, 2, 5].find((k) => k * power >= rough) ?? 10));
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high + step / 1e6; i++) found.push(i * step);
  return found;
}

/** A number on a curve; `whole` if all of its numbers are. */
function shown(value, whole) {
  return whole || Math.abs(value) >= 1000 ? number(Math.round(value)) : significant(value);
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** All curves of a player, below it. */
export class Curves {
  constructor(player, root) {
    // A single run has them in a panel beside its text.
    Object.assign(this, { player, root: player.beside?.curves ?? root, curves: [], gone: new AbortController() });
    root.replaceChildren();
    document.addEventListener("tokviz-step", () => this.draw(), { signal: this.gone.signal });
    this.seen = true;
    // Hidden, they cost nothing.
    this.resized = new ResizeObserver(([{ contentRect }]) => {
      this.seen = contentRect.width > 0;
      if (this.curves.length && this.axis === this.player.moving.axis) this.layOut();
      else this.draw();
    });
    this.resized.observe(this.root);
    this.draw();
  }

  /** The runs have become others. */
  renew() {
    this.axis = null;
    this.draw();
  }

  stop() {
    this.gone.abort();
    this.resized.disconnect();
  }

  draw() {
    const { axis, p } = this.player.moving;
    if (!this.seen) return;
    if (axis !== this.axis) {
      this.axis = axis;
      this.curves = curvesOf(this.player.runs, axis.align).map((curve) => new Curve(this.player, ...curve));
      this.root.replaceChildren(...this.curves.map((curve) => curve.element));
      this.layOut();
    }
    for (const curve of this.curves) curve.move(p);
  }

  /** Draws for the room that there is now. What is drawn may change it: EM's objective gets more. */
  layOut() {
    const { p } = this.player.moving;
    for (const curve of this.curves) curve.layOut(p);
    for (const curve of this.curves) if (curve.picture.clientHeight !== curve.height) curve.layOut(p);
  }
}

class Curve {
  constructor(player, name, title) {
    Object.assign(this, { player, runs: player.runs, axis: player.moving.axis, name });
    const { values, last } = this.axis;
    const n = Math.min(last + 1, MOST_POINTS);
    this.kept = Array.from({ length: n }, (_, i) => Math.round((i * last) / Math.max(1, n - 1)));
    this.lines = this.runs.map((run, lane) => this.kept.map((p) => this.value(run, lane, p)));
    const known = this.lines.flat().filter((value) => !Number.isNaN(value));
    this.whole = known.every(Number.isInteger);
    const measured = typeof name === "number" ? this.ofAllOwn() : known;
    [this.low, this.high] = [Math.min(...measured), Math.max(...measured)];
    // Lines that never change, or are not there, have a room of their own as well.
    if (!known.length) [this.low, this.high] = [0, 1];
    if (this.low === this.high) [this.low, this.high] = [Math.min(0, this.low), Math.max(this.low, 0) || 1];
    const said = this.lines.map((line, lane) => {
      const ends = line.filter((value) => !Number.isNaN(value));
      const [first, last] = [ends[0], ends.at(-1)].map((value) => shown(value, this.whole));
      const course = ends.length ? _("from {first} to {last}", { first, last }) : _("without values");
      return this.runs.length > 1 ? _("{lane} {course}", { lane: this.runs[lane].label, course }) : course;
    });
    const courses = said.join(_("; "));
    const text = _("{title}: {courses}. A cursor stands where the scrubber does.", { title, courses });
    this.picture = svg("svg", { role: "img", "aria-label": text });
    this.picture.onpointerdown = (event) => {
      this.picture.setPointerCapture(event.pointerId);
      this.seek(event);
    };
    this.picture.onpointermove = (event) => event.buttons && this.seek(event);
    this.element = make("figure", { class: "tv-curve" }, make("figcaption", {}, title), this.picture);
    this.bounds = [this.low, this.high].map((value) => (this.whole ? number(value) : String(Number(value.toPrecision(3)))));
    this.digits = Math.max(4, ...this.bounds.map((bound) => bound.length));
    [this.first, this.end] = [values[0], Math.max(values[0] + 1, values[last])];
  }

  /** What the curves that only the family has show, which are drawn to one measure. */
  ofAllOwn() {
    const { own } = this.runs[0].family.curves(this.runs[0]);
    return own.flatMap(({ value }) => this.kept.map((p) => value(this.axis.states[0][p])));
  }

  value(run, lane, p) {
    return valueAt(run, this.name, this.axis.states[lane][p]);
  }

  x(value) {
    return this.left + ((value - this.first) / (this.end - this.first)) * (this.width - this.left - this.right);
  }

  y(value) {
    const { top, bottom, height } = this;
    return height - bottom - ((value - this.low) / (this.high - this.low)) * (height - top - bottom);
  }

  layOut(p) {
    this.width = this.element.clientWidth;
    if (!this.width) return;
    const { axis } = this;
    const unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    for (const [name, pixels] of Object.entries(SIZES)) this[name] = pixels * unit;
    this.height = this.picture.clientHeight;
    this.left = this.digits * this.digit + 10;
    const parts = this.bounds.map((bound, i) => {
      const place = { x: this.left - 8, y: this.y([this.low, this.high][i]) + 4, "text-anchor": "end" };
      return svg("text", place, bound);
    });
    for (const tick of ticks(this.first, this.end, TICKS, axis.align === "share" ? 0 : 1)) {
      parts.push(svg("text", { x: this.x(tick), y: this.height - 4, "text-anchor": "middle" }, shown(tick, true)));
    }
    parts.push(...this.prunings());
    this.lines.forEach((line, lane) => parts.push(svg("path", { class: `tv-line lane${lane}`, d: this.path(line) })));
    parts.push(...this.iterations());
    this.dots = this.runs.map((_, lane) => svg("circle", { class: `lane${lane}`, r: 4 }));
    this.label = svg("text", { class: "tv-here", y: this.top - 6 });
    this.cursor = svg("g", { class: "tv-cursor" }, svg("line", { y1: this.top - 14, y2: this.height - this.bottom }), ...this.dots);
    this.cursor.toggleAttribute("data-alone", this.runs.length === 1);
    if (this.runs.length === 1) this.cursor.append(this.label);
    this.picture.setAttribute("width", this.width);
    this.picture.setAttribute("height", this.height);
    this.picture.replaceChildren(...parts, this.cursor);
    this.move(p);
  }

  /** Every value holds until the next one: a line in stairs. */
  path(line) {
    let [d, broken] = ["", true];
    line.forEach((value, i) => {
      if (Number.isNaN(value)) {
        broken = true;
        return;
      }
      const [x, y] = [this.x(this.axis.values[this.kept[i]]).toFixed(1), this.y(value).toFixed(1)];
      d += broken ? `M${x} ${y}` : `H${x}V${y}`;
      broken = false;
    });
    return d;
  }

  /** The objective of EM: a dot where each sub-iteration leads to, and a line where the vocabulary was pruned. */
  at(action) {
    const [run] = this.runs;
    if (this.name !== "loss" || !run.actions || run.steps > MOST_DOTS) return [];
    return run.actions.flatMap((one, t) => (one === action ? [t + 1] : []));
  }

  prunings() {
    return this.at("prune").map((t) => svg("line", { class: "tv-pruning", x1: this.x(t), x2: this.x(t), y1: this.top - 4, y2: this.height - this.bottom }));
  }

  iterations() {
    const { loss } = this.runs[0];
    return this.at("em").map((t) => svg("circle", { class: "tv-iteration", r: this.dot, cx: this.x(t).toFixed(1), cy: this.y(loss[t]).toFixed(1) }));
  }

  /** The numbers at the cursor are the state's own, whatever points the lines leave out. */
  move(p) {
    if (!this.width) return;
    this.cursor.setAttribute("transform", `translate(${this.x(this.axis.values[p]).toFixed(1)} 0)`);
    this.runs.forEach((run, lane) => {
      const value = this.value(run, lane, p);
      const known = !Number.isNaN(value);
      this.dots[lane].setAttribute("visibility", known ? "inherit" : "hidden");
      if (known) this.dots[lane].setAttribute("cy", this.y(value).toFixed(1));
      if (this.runs.length > 1) return;
      // The number stands on the side of the cursor that has room for it.
      const before = this.x(this.axis.values[p]) > this.width / 2;
      this.label.setAttribute("x", before ? -8 : 8);
      this.label.setAttribute("text-anchor", before ? "end" : "start");
      this.label.textContent = known ? shown(value, this.whole) : "";
    });
  }

  /** A press or a drag on the curve moves the player. */
  seek(event) {
    const at = event.clientX - this.picture.getBoundingClientRect().left - this.left;
    const value = this.first + (at / (this.width - this.left - this.right)) * (this.end - this.first);
    this.player.moving.scrub(positionOf(this.axis, value));
  }
}
