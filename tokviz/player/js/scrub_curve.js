// The curve above the scrub bar: how many tokens the corpus has at each place of it, a line a lane.

import { make } from "./dom.js";
import { _, listed, number } from "./i18n.js";

const THUMB = 10; // pixels from the end of the bar to the middle of its thumb
const [ABOVE, BELOW] = [3, 2]; // pixels of room above the highest and below the lowest number
const HATCHED = 9; // pixels
const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3]]; // of the lanes, as on their names

/** Points [x, y] of one lane's curve, x in pixels of the bar and y from 0 (the lowest number of all lanes, or
 *  none) to 1 (the highest); one a pixel at most. `place` says where a position stands, from 0 to 1.
 *
 *  curvePoints([10, 8, 5], [0, 1, 2], 10, 120) → [[10, 1], [60, 0.8], [110, 0.5]] */
export function curvePoints(tokens, states, highest, width, place = (p) => p / (states.length - 1 || 1)) {
  const last = states.length - 1;
  const points = [];
  let drawn = -9;
  for (let p = 0; p <= last; p++) {
    const x = THUMB + place(p) * (width - 2 * THUMB);
    if (x - drawn < 1 && p < last) continue;
    points.push([x, tokens[states[p]] / highest]);
    drawn = x;
  }
  return points;
}

export class ScrubCurve {
  /** `fold` folds what is unfolded. */
  constructor(runs, folds, fold) {
    Object.assign(this, { runs, folds, fold, size: [0, 0] });
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.ends = make("span", { class: "tv-curve-ends" });
    this.element = make("div", { class: "tv-scrub-curve" }, this.canvas, this.ends);
  }

  /** The runs are there, or have become others. */
  renew() {
    const { runs, folds } = this;
    const [first] = runs;
    const ends = [0, first.steps].map((t) => number(first.corpus_tokens[t])).join(" → ");
    this.again = undefined;
    this.ends.replaceChildren(runs.length > 1 ? _("Corpus tokens") : `${_("Corpus tokens")} ${ends}`);
    if (folds.stretches.length) {
      this.again = make("button", { type: "button", class: "tv-fold-again" }, _("fold"));
      this.again.onclick = this.fold;
      const rounds = folds.stretches.map(([from, to]) => _("{from} to {to}", { from: number(from + 1), to: number(to) }));
      const said = make("span", {}, _("rounds {rounds} change no word", { rounds: listed(rounds).join("") }));
      this.ends.append(make("span", { class: "tv-quiet" }, said, this.again));
    }
  }

  measure() {
    this.size = [this.canvas.clientWidth, this.canvas.clientHeight];
  }

  /** Draws for another axis, or another width. */
  draw(axis) {
    const { canvas, runs, folds } = this;
    const [width, height] = this.size;
    if (!width || !height || !axis) return;
    const ratio = devicePixelRatio || 1;
    Object.assign(canvas, { width: width * ratio, height: height * ratio });
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const place = folds.stretches.length ? (p) => folds.place(p) / folds.size : undefined;
    if (this.again) this.again.hidden = folds.folded;
    const highest = runs.reduce((most, { corpus_tokens }) => corpus_tokens.reduce((a, b) => Math.max(a, b), most), 1);
    runs.forEach((run, lane) => {
      const points = curvePoints(run.corpus_tokens, axis.states[lane], highest, width, place);
      pen.beginPath();
      for (const [x, share] of points) pen.lineTo(x, height - BELOW - share * (height - ABOVE - BELOW));
      pen.strokeStyle = style.color;
      pen.setLineDash(DASHES[lane]);
      pen.lineWidth = 1.5;
      pen.stroke();
      if (runs.length > 1) return;
      pen.lineTo(points.at(-1)[0], height);
      pen.lineTo(points[0][0], height);
      pen.fillStyle = style.outlineColor;
      pen.fill();
      for (const stretch of folds.folded ? [] : folds.stretches) this.hatch(pen, stretch.map(place), width, height, style.color);
    });
  }

  /** Slanted lines over a stretch in which no word changes. */
  hatch(pen, places, width, height, colour) {
    const [from, to] = places.map((place) => THUMB + place * (width - 2 * THUMB));
    pen.save();
    pen.beginPath();
    pen.rect(from, height - HATCHED, to - from, HATCHED);
    pen.clip();
    pen.beginPath();
    for (let x = from - HATCHED; x < to; x += 6) {
      pen.moveTo(x, height);
      pen.lineTo(x + HATCHED, height - HATCHED);
    }
    pen.strokeStyle = colour;
    pen.setLineDash([]);
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.restore();
  }
}
