// Why a rare pair wins in WordPiece: how often each pair of the table stands together, against how often it might,
// count(first) × count(second). A line goes through all places of the best score; nothing stands above it.

import { make } from "./dom.js";
import { _, _n, _p, _pn, number } from "./i18n.js";
import { byLikelihood } from "./merge_words.js";
import { significant } from "./numbers.js";
import { plainText } from "./say.js";
import { rows } from "./run.js";

const SCORE_ROOM = { left: 2.6, right: 0.8, top: 2, bottom: 2.8 }; // beside the plot, in letters
const [APART_X, APART_Y] = [2.6, 1.5]; // ticks, in letters

/** Whether a run has this picture: its pairs are scored by their counts and those of their tokens. */
export const scoresPairs = (run) => Boolean(run.top_left_count) && byLikelihood(run);

/** The rows of state t as places of the picture: { product, count, rows }, and the rows it tells of: the `best`, and
 *  of those that are together more often the one that is so most (`rival`, if there is one). */
export function scorePlaces(run, t) {
  const found = rows(run, t);
  const places = new Map();
  for (const row of found) {
    const product = row.leftCount * row.rightCount;
    const key = `${product} ${row.count}`;
    if (!places.has(key)) places.set(key, { product, count: row.count, rows: [] });
    places.get(key).rows.push(row);
  }
  const best = found.find((row) => row.chosen) ?? found[0];
  const rival = found.filter((row) => row.count > best.count).reduce((most, row) => (row.count > (most?.count ?? 0) ? row : most), undefined);
  return { places: [...places.values()], best, rival };
}

/** What the picture says, in parts. */
export function scoreSaid(run, { best, rival }) {
  const values = (row) => ({ pair: [row.left, " ", row.right], left: number(row.leftCount), right: number(row.rightCount), score: significant(row.score) });
  const said = _pn(
    "{pair}: together {n} time. {left} × {right} is the product of their own counts, so the score is {n} ÷ ({left} × {right}) = {score}.",
    "{pair}: together {n} times. {left} × {right} is the product of their own counts, so the score is {n} ÷ ({left} × {right}) = {score}.",
    best.count, values(best),
  );
  if (!rival) return said;
  const more = _pn(
    "{pair}: together more often, {n} time, but its tokens are frequent: {n} ÷ ({left} × {right}) = {score}.",
    "{pair}: together more often, {n} times, but its tokens are frequent: {n} ÷ ({left} × {right}) = {score}.",
    rival.count, values(rival),
  );
  return _p("{first} {second}", { first: said, second: more });
}

/** Round numbers between two others, no nearer than `apart` of the way between them. */
export function roundBetween(low, high, apart) {
  const found = [];
  for (let power = 1; power <= high; power *= 10) {
    for (const value of [1, 2, 5].map((digit) => digit * power)) {
      const away = found.length ? Math.log(value / found.at(-1)) / Math.log(high / low) : Infinity;
      if (value >= low && value <= high && away >= apart) found.push(value);
    }
  }
  return found;
}

function drawn(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export class ScorePicture {
  constructor(run, chips) {
    Object.assign(this, { run, chips, seen: false });
    this.said = make("p", { class: "tv-score-said" });
    this.picture = drawn("svg", { role: "img" });
    this.labels = make("div", { class: "tv-score-labels", "aria-hidden": "true" });
    this.plot = make("div", { class: "tv-score-plot" }, this.picture, this.labels);
    this.heading = make("div", { class: "tv-heading" }, make("h3", {}, _("Why this pair"), " ", make("small", {}, run.label)));
    const named = { role: "group", "aria-label": _("Scores of {lane} as a picture", { lane: run.label }), tabindex: 0 };
    this.element = make("div", { class: "tv-panel tv-scores", ...named }, this.heading, this.said, this.plot);
    // Hidden, it costs a step nothing.
    new ResizeObserver(() => {
      this.seen = this.plot.clientHeight > 0;
      if (this.seen) this.draw(this.t);
    }).observe(this.plot);
  }

  draw(t) {
    this.t = t;
    if (!this.seen) return;
    const found = rows(this.run, t).length ? scorePlaces(this.run, t) : null;
    this.plot.hidden = !found;
    if (!found) return this.said.replaceChildren(_("No two tokens stand side by side any more."));
    const said = scoreSaid(this.run, found);
    this.said.replaceChildren(...this.chips.parts(said));
    const about = _n(
      "The pairs of the table, in {n} place: the further right, the greater count(first) × count(second); the higher, the greater count(pair); both scales are logarithmic. On the line, the score is that of the best pair.",
      "The pairs of the table, in {n} places: the further right, the greater count(first) × count(second); the higher, the greater count(pair); both scales are logarithmic. On the line, the score is that of the best pair.",
      found.places.length,
    );
    this.picture.setAttribute("aria-label", `${about} ${plainText(this.run, said)}`);
    this.layOut(found);
  }

  layOut({ places, best, rival }) {
    const [width, height] = [this.plot.clientWidth, this.plot.clientHeight];
    const letter = parseFloat(getComputedStyle(this.plot).fontSize);
    const room = Object.fromEntries(Object.entries(SCORE_ROOM).map(([side, letters]) => [side, letters * letter]));
    const products = places.map(({ product }) => product);
    const [low, high] = [Math.min(...products) / 1.5, Math.max(...products) * 1.5];
    const most = Math.max(...places.map(({ count }) => count), 2) * 1.4;
    const [wide, tall] = [width - room.left - room.right, height - room.top - room.bottom];
    const x = (product) => room.left + (Math.log(product / low) / Math.log(high / low)) * wide;
    const y = (count) => height - room.bottom - (Math.log(count / 0.75) / Math.log(most / 0.75)) * tall;
    const line = (at) => drawn("line", { ...at, class: "tv-score-grid" });
    const parts = [];
    for (const value of roundBetween(low, high, (APART_X * letter) / wide)) {
      parts.push(line({ x1: x(value), x2: x(value), y1: room.top, y2: height - room.bottom }));
      parts.push(drawn("text", { x: x(value), y: height - room.bottom + 1.1 * letter, "text-anchor": "middle" }, number(value)));
    }
    for (const value of roundBetween(1, most, (APART_Y * letter) / tall)) {
      parts.push(line({ x1: room.left, x2: width - room.right, y1: y(value), y2: y(value) }));
      parts.push(drawn("text", { x: room.left - 0.4 * letter, y: y(value) + 0.35 * letter, "text-anchor": "end" }, number(value)));
    }
    parts.push(drawn("text", { x: room.left + wide / 2, y: height - 0.6 * letter, "text-anchor": "middle", class: "tv-score-axis" }, _("count(first) × count(second)")));
    parts.push(drawn("text", { x: room.left + 0.3 * letter, y: room.top - 0.4 * letter, class: "tv-score-axis" }, _("count(pair)")));
    const ends = [Math.max(low, 0.75 / best.score), Math.min(high, most / best.score)];
    const [[x1, y1], [x2, y2]] = ends.map((product) => [x(product), y(best.score * product)]);
    parts.push(drawn("line", { x1, y1, x2, y2, class: "tv-score-best" }));
    for (const place of places) parts.push(this.dot(place, x(place.product), y(place.count), letter, best));
    for (const [name, value] of Object.entries({ width, height })) this.picture.setAttribute(name, value);
    this.picture.replaceChildren(...parts);
    const told = [best, rival].filter(Boolean);
    this.labels.replaceChildren(...told.map((row) => this.label(row, x(row.leftCount * row.rightCount), y(row.count), letter, width, row === best)));
  }

  /** One place: how many pairs stand there, and which. */
  dot({ rows: here, product, count }, x, y, letter, best) {
    const named = here.map((row) => plainText(this.run, [row.left, " + ", row.right])).join(_(", "));
    const title = drawn("title", {}, _("{pairs}: {count} of {product}", { pairs: named, count: number(count), product: Number.isSafeInteger(product) ? number(product) : significant(product) }));
    const dot = drawn("circle", { cx: x, cy: y, r: (here.length > 1 ? 0.62 : 0.36) * letter, class: here.includes(best) ? "tv-score-dot chosen" : "tv-score-dot" });
    const many = here.length > 1 ? [drawn("text", { x, y: y + 0.33 * letter, "text-anchor": "middle", class: "tv-score-many" }, number(here.length))] : [];
    return drawn("g", {}, title, dot, ...many);
  }

  label(row, x, y, letter, width, chosen) {
    const label = make("span", { class: chosen ? "chosen" : "" }, this.chips.chip(row.left), this.chips.chip(row.right));
    // Above the best place, and above the most frequent pair, stands no other one.
    label.style.top = `${y - 2.4 * letter}px`;
    if (x < width / 2) label.style.left = `${Math.max(0, x - (chosen ? 4 : 0) * letter)}px`;
    else label.style.right = `${width - x - (chosen ? 0 : 2) * letter}px`;
    return label;
  }
}
