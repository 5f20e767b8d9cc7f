// The lattice of a word as a picture: its characters in a row, and above them an arc for every piece
// that fits. The best path is bold; the wider an arc, the more probable it is that a segmentation
// uses the piece.

import { _ } from "./i18n.js";
import { faceOf, faceText, pressable, shape, widthOf } from "./picture.js";

// Sizes in units of the type.
const ARCS = { token: 17, label: 12.5, cell: 27, narrowest: 22, widest: 104, room: 40, first: 36, level: 38, flatter: 0.55, flattest: 0.3, flat: 0.12, taller: 2.6, chip: 24, apart: 6 };

const RARE = 0.1; // what fewer segmentations use is not named over the best path
const POINTS = 24; // of an arc

// Numbers are no smaller, in pixels; what has no room then scrolls.
const SMALLEST_NUMBERS = { usual: 12, presenting: 18 };

/** Heights of the arcs over their places: by how many characters they span, flatter and flatter so
 *  that the widest still fits. */
export function arcHeight(span) {
  return ARCS.first + ARCS.level * (span - 1) ** 0.8;
}

/** Which labels are drawn, by priority: whole, or without its numbers, or not at all where it would
 *  cover another or leave the picture; then it waits until its arc is looked at. `labels` have an
 *  `order`, a `middle`, and as `whole` and `short` their boxes, each { width, top, bottom }; those that are `rare` do
 *  not cover the `path` either, the points of the best arcs. Gives "whole", "short" or "" for each. */
export function roomFor(labels, width, path = []) {
  const drawn = [];
  const found = labels.map(() => "");
  for (const label of [...labels].sort((a, b) => a.order - b.order)) {
    for (const kind of ["whole", "short"]) {
      const boxes = label[kind].map(({ width, top, bottom }) => ({ left: label.middle - width / 2, right: label.middle + width / 2, top, bottom }));
      const fits = (box) => box.left >= 0 && box.right <= width && ![...drawn, ...(label.rare ? path : [])].some((other) => covers(box, other));
      if (!boxes.every(fits)) continue;
      found[label.i] = kind;
      drawn.push(...boxes);
      break;
    }
  }
  return found;
}

function covers(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

export class ArcsPicture {
  /** `text` are the word's characters, `room` the width and height that there is. */
  constructor(frame, text, chips, fonts, rtl, room, choose) {
    const smallest = SMALLEST_NUMBERS[fonts.presenting ? "presenting" : "usual"] / ARCS.label;
    const isSmallest = fonts.unit <= smallest;
    const unit = Math.max(fonts.unit, smallest);
    Object.assign(this, { frame, text, chips, fonts: { ...fonts, unit }, rtl, choose, flows: frame.flows.length > 0 });
    const n = Math.max(1, text.length);
    const cells = (room.width - ARCS.room * unit) / n;
    this.cell = Math.max((isSmallest ? ARCS.narrowest : ARCS.cell) * unit, Math.min(ARCS.widest * unit, cells));
    this.width = n * this.cell + ARCS.room * unit;
    const widest = arcHeight(Math.max(1, ...frame.edges.map(({ start, end }) => end - start)));
    this.tall = Math.max(1, Math.min(ARCS.taller, (room.height / unit - 94) / widest)) * unit;
    // How much flatter the arcs are than that. From the back row, letters are more than round arcs; elsewhere arcs are
    // flatter where letters can be no smaller.
    const least = isSmallest ? ARCS.flat : fonts.presenting ? ARCS.flattest : fonts.smallest ? ARCS.flatter : 1;
    this.flat = Math.max(least, Math.min(1, (room.height / unit - 94 - ARCS.first) / Math.max(1, widest - ARCS.first)));
    this.base = this.above(widest) + 32 * unit;
    this.height = this.base + 56 * unit;
  }

  /** Makes what is seen; before that, only its size is known. */
  build() {
    const { frame, rtl } = this;
    Object.assign(this, { lines: [], numbers: [], sums: shape("g") });
    this.labels = frame.edges.map((_, i) => this.label(i, this.number(i)));
    const best = frame.edges.flatMap(({ best }, i) => (best ? [i] : []));
    this.shown = roomFor(this.labels, this.width, this.points(best));
    this.groups = frame.edges.map((_, i) => this.arc(i, this.labels[i]));
    const order = [...frame.edges.keys()].filter((i) => !best.includes(i)).concat(best);
    this.element = shape(
      "svg", { width: Math.ceil(this.width), height: Math.ceil(this.height), role: "group", class: `arcs${rtl ? " rtl" : ""}${this.flows ? " flows" : ""}` },
      ...order.map((i) => this.lines[i]), ...order.map((i) => this.groups[i]), ...this.row(), this.sums,
    );
  }

  /** The place of a node of the lattice: before character `at`. */
  x(at) {
    const left = (ARCS.room / 2) * this.fonts.unit;
    return left + (this.rtl ? this.text.length - at : at) * this.cell;
  }

  top(i) {
    const { start, end } = this.frame.edges[i];
    return this.base - this.above(arcHeight(end - start));
  }

  /** How far an arc of some height reaches above the nodes, in pixels: flat arcs have room for a chip too. */
  above(height) {
    return (ARCS.first + (height - ARCS.first) * this.flat) * this.tall;
  }

  /** What stands above a piece: its log-probability, or before an EM step its share of all segmentations. */
  number(i) {
    const { share, log_prob } = this.frame.edges[i];
    return this.flows ? share : log_prob;
  }

  /** A piece's chip on its arc, and above it this number. */
  label(i, said) {
    const { unit, mono, plain } = this.fonts;
    const { face, start, end, posterior, best } = this.frame.edges[i];
    const shown = faceOf(this.chips.parts(face));
    const chip = widthOf(shown.text, ARCS.token * unit, mono) + 10 * unit;
    const [middle, top] = [(this.x(start) + this.x(end)) / 2, this.top(i)];
    const above = top - ARCS.chip * unit / 2;
    const short = [{ width: chip + unit, top: above, bottom: above + ARCS.chip * unit }];
    const number = { width: widthOf(said, ARCS.label * unit, plain) + ARCS.apart * unit, top: above - 13 * unit, bottom: above };
    return { i, shown, chip, middle, top, order: (best ? 0 : 2) - posterior, rare: posterior < RARE, whole: [...short, number], short };
  }

  /** A cubic reaches three quarters of the height of its two handles. */
  handle(i) {
    return this.base - (this.base - this.top(i)) / 0.75;
  }

  /** Points of some arcs, each as a box of no size. */
  points(arcs) {
    return arcs.flatMap((i) => {
      const { start, end } = this.frame.edges[i];
      return Array.from({ length: POINTS + 1 }, (_, k) => {
        const [t, rest] = [k / POINTS, 1 - k / POINTS];
        const x = this.x(start) * rest ** 2 * (1 + 2 * t) + this.x(end) * t ** 2 * (1 + 2 * rest);
        const y = this.base + 3 * t * rest * (this.handle(i) - this.base);
        return { left: x, right: x, top: y, bottom: y };
      });
    });
  }

  arc(i, label) {
    const { unit } = this.fonts;
    const { face, start, end, posterior, best } = this.frame.edges[i];
    const { middle, top, chip } = label;
    const [x1, x2] = [this.x(start), this.x(end)];
    const handle = this.handle(i);
    const d = `M${x1} ${this.base}C${x1} ${handle} ${x2} ${handle} ${x2} ${this.base}`;
    const hue = this.chips.table[face][2] ? "unknown" : `h${this.chips.colour(face)}`;
    const height = ARCS.chip * unit;
    this.numbers[i] = shape("text", { x: middle, y: top - height / 2 - 4 * unit, class: "label numbers", "font-size": ARCS.label * unit }, this.number(i));
    const text = shape(
      "g", { class: "about" },
      shape("rect", { x: middle - chip / 2, y: top - height / 2, width: chip, height, rx: 5 * unit, class: `box ${hue}` }),
      faceText(label.shown, middle, top + 6 * unit, ARCS.token * unit), this.numbers[i],
    );
    const wide = (1 + 4 * posterior + (best ? 1.5 : 0)) * unit;
    const line = shape("path", { d, class: "line", "stroke-opacity": (best ? 1 : 0.4 + 0.6 * posterior).toFixed(2) });
    line.style.setProperty("--wide", `${wide.toFixed(2)}px`);
    if (this.flows) {
      // Shares flow through the word as it is read.
      line.setAttribute("pathLength", 1);
      line.style.setProperty("--from", start / this.text.length);
      line.style.setProperty("--span", (end - start) / this.text.length);
    }
    const group = shape(
      "g", { "data-edge": i, class: ["edge", best && "best"].filter(Boolean).join(" "), "aria-label": this.name(i, label) },
      shape("path", { d, class: "hit" }), text,
    );
    // Lines are below all labels, so they are told apart when their arc is looked at.
    const look = (on) => () => line.classList.toggle("looked", on);
    [group.onpointerenter, group.onfocus] = [look(true), look(true)];
    [group.onpointerleave, group.onblur] = [look(false), look(false)];
    this.lines[i] = line;
    return pressable(group, () => this.choose(i));
  }

  /** What an arc is called. */
  name(i, label) {
    const { log_prob, share, best } = this.frame.edges[i];
    const values = { piece: label.shown.text, log_prob, share };
    if (best) return _("{piece}, log-probability {log_prob}, posterior {share}, on the best path", values);
    return _("{piece}, log-probability {log_prob}, posterior {share}", values);
  }

  /** Which labels are drawn while Viterbi's algorithm stands at a node, by what they have to do with it: the best
   *  way there, the pieces that compete with its last one, the best ways to the nodes before, the rest. */
  walked(node, arrives) {
    const { edges, walk } = this.frame;
    const way = this.way(node);
    const rank = (i) => [way.has(i), edges[i].end === node, arrives.has(i)].indexOf(true);
    const labels = edges.map((edge, i) => {
      const label = this.label(i, edge.end === node ? walk.through[i] : edge.log_prob);
      return { ...label, rare: label.rare && !way.has(i), order: label.order + 4 * (rank(i) < 0 ? 3 : rank(i)) };
    });
    return roomFor(labels, this.width, this.points([...way]));
  }

  /** The pieces of the best way to a node. */
  way(node) {
    const { edges, walk } = this.frame;
    const found = new Set();
    for (let at = node; Number.isInteger(walk.back[at]); at = edges[walk.back[at]].start) found.add(walk.back[at]);
    return found;
  }

  /** The characters of the word, with the lattice's nodes between them. */
  row() {
    const { unit } = this.fonts;
    this.places = [...Array(this.text.length + 1).keys()].map((at) => {
      return shape("circle", { cx: this.x(at), cy: this.base, r: 3.5 * unit, class: "place" });
    });
    const characters = this.text.map((char, at) => {
      const face = faceOf([["text", char]]);
      return faceText(face, (this.x(at) + this.x(at + 1)) / 2, this.base + 26 * unit, (ARCS.token + 2) * unit, "character");
    });
    return [...this.places, ...characters];
  }

  /** Marks the chosen arc, those taken out, and the path that is left without them; or how far Viterbi's
   *  algorithm has come, if it has a `node`. */
  draw(chosen, removal, node) {
    const { walk } = this.frame;
    const arrives = new Set(node === null ? [] : walk.back.slice(1, node + 1));
    const shown = node === null ? this.shown : this.walked(node, arrives);
    // At the end, what each place remembers makes a path.
    const found = node === this.text.length ? this.way(node) : new Set([walk.back[node]]);
    this.groups.forEach((group, i) => {
      group.classList.toggle("short", shown[i] === "short");
      group.classList.toggle("quiet", shown[i] === "");
      const { best, end, log_prob } = this.frame.edges[i];
      const gone = removal?.edges.includes(i) ?? false;
      const now = node === null ? (removal ? (removal.after ?? []).includes(i) : best) : found.has(i);
      const marks = {
        gone, best: now, was: Boolean(removal) && best && !now, candidate: end === node, arrives: arrives.has(i) && !now,
        later: node !== null && (end > node || (end < node && !arrives.has(i))),
      };
      for (const element of [group, this.lines[i]]) {
        for (const [mark, on] of Object.entries(marks)) element.classList.toggle(mark, on);
      }
      this.numbers[i].textContent = end === node ? walk.through[i] : node === null ? this.number(i) : log_prob;
      // Dashes of an arc that is gone are as long as in other states.
      if (removal) this.lines[i].removeAttribute("pathLength");
      this.lines[i].classList.toggle("chosen", i === chosen);
      group.setAttribute("aria-pressed", i === chosen);
    });
    this.places.forEach((place, at) => place.classList.toggle("reached", node !== null && at <= node));
    this.drawSums(node);
  }

  /** Below the nodes that the algorithm has reached stands the sum of the best way to them. */
  drawSums(node) {
    const { unit, plain } = this.fonts;
    const size = ARCS.label * unit;
    const drawn = [];
    const { sums } = this.frame.walk;
    // The last one first: where there is no room for all, it is seen.
    for (let at = node ?? -1; at >= 0; at--) {
      const half = widthOf(sums[at], size, plain) / 2 + 3 * unit;
      const x = Math.max(half, Math.min(this.width - half, this.x(at)));
      if (drawn.some((other) => Math.abs(other.x - x) < other.half + half)) continue;
      drawn.push({ x, half, at });
    }
    this.sums.replaceChildren(...drawn.map(({ x, at }) => {
      return shape("text", { x, y: this.base + 46 * unit, class: `label${at === node ? " here" : ""}`, "font-size": size }, sums[at]);
    }));
  }
}
