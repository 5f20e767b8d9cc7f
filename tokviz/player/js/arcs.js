// The lattice of a word as a picture: its characters in a row, and above them an arc for every piece
// that fits. The best path is bold; the wider an arc, the more probable it is that a segmentation
// uses the piece.

import { _ } from "./i18n.js";
import { faceOf, faceText, pressable, shape, widthOf } from "./picture.js";

// Sizes in units of the type.
const ARCS = { token: 17, label: 12.5, cell: 27, widest: 104, room: 40, first: 36, level: 38, flatter: 0.55, taller: 1.7 };

/** Heights of the arcs over their places: by how many characters they span, flatter and flatter so
 *  that the widest still fits. */
export function arcHeight(span) {
  return ARCS.first + ARCS.level * (span - 1) ** 0.8;
}

/** Which labels are drawn, by priority: whole, or without its numbers, or not at all where it would
 *  cover another or leave the picture; then it waits until its arc is looked at. `labels` have an
 *  `order`, a place, and the widths `wide` and `narrow`. Gives "whole", "short" or "" for each. */
export function roomFor(labels, width) {
  const drawn = [];
  const found = labels.map(() => "");
  for (const label of [...labels].sort((a, b) => a.order - b.order)) {
    for (const [kind, wide, bottom] of [["whole", label.wide, label.bottom], ["short", label.narrow, label.waist]]) {
      const box = { left: label.middle - wide / 2, right: label.middle + wide / 2, top: label.top, bottom };
      const covers = (other) => {
        return box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom;
      };
      if (box.left < 0 || box.right > width || drawn.some(covers)) continue;
      found[label.i] = kind;
      drawn.push(box);
      break;
    }
  }
  return found;
}

export class ArcsPicture {
  /** `text` are the word's characters, `room` the width and height that there is. */
  constructor(frame, text, chips, fonts, rtl, room, choose) {
    Object.assign(this, { frame, text, chips, fonts, rtl, choose });
    const { unit } = fonts;
    const n = Math.max(1, text.length);
    const cells = (room.width - ARCS.room * unit) / n;
    this.cell = Math.max(ARCS.cell * unit, Math.min(ARCS.widest * unit, cells));
    this.width = n * this.cell + ARCS.room * unit;
    const widest = arcHeight(Math.max(1, ...frame.edges.map(({ start, end }) => end - start)));
    this.tall = Math.max(ARCS.flatter, Math.min(ARCS.taller, (room.height / unit - 80) / widest)) * unit;
    this.base = widest * this.tall + 26 * unit;
    this.height = this.base + 48 * unit;
  }

  /** Makes what is seen; before that, only its size is known. */
  build() {
    const { frame, rtl } = this;
    this.lines = [];
    const labels = frame.edges.map((_, i) => this.label(i));
    const shown = roomFor(labels, this.width);
    this.groups = frame.edges.map((_, i) => this.arc(i, labels[i], shown[i]));
    const best = frame.edges.flatMap(({ best }, i) => (best ? [i] : []));
    const order = [...frame.edges.keys()].filter((i) => !best.includes(i)).concat(best);
    this.element = shape(
      "svg", { width: Math.ceil(this.width), height: Math.ceil(this.height), role: "group", class: `arcs${rtl ? " rtl" : ""}` },
      ...order.map((i) => this.lines[i]), ...order.map((i) => this.groups[i]), ...this.row(),
    );
  }

  /** The place of a node of the lattice: before character `at`. */
  x(at) {
    const left = (ARCS.room / 2) * this.fonts.unit;
    return left + (this.rtl ? this.text.length - at : at) * this.cell;
  }

  top(i) {
    const { start, end } = this.frame.edges[i];
    return this.base - arcHeight(end - start) * this.tall;
  }

  label(i) {
    const { unit, mono, plain } = this.fonts;
    const { face, start, end, posterior, best } = this.frame.edges[i];
    const shown = faceOf(this.chips.parts(face));
    const numbers = this.numbers(i);
    const narrow = widthOf(shown.text, ARCS.token * unit, mono) + 6 * unit;
    const wide = Math.max(narrow, widthOf(numbers, ARCS.label * unit, plain) + 6 * unit);
    const [middle, top] = [(this.x(start) + this.x(end)) / 2, this.top(i)];
    return {
      i, shown, numbers, middle, wide, narrow, top: top - 19 * unit, waist: top, bottom: top + 15 * unit,
      order: (best ? 0 : 2) - posterior,
    };
  }

  /** A piece's numbers: its log-probability, and the share of segmentations that use it. */
  numbers(i) {
    const { log_prob, share } = this.frame.edges[i];
    return `${log_prob} · ${share}`;
  }

  arc(i, label, shown) {
    const { unit } = this.fonts;
    const { start, end, posterior, best } = this.frame.edges[i];
    const [x1, x2, top] = [this.x(start), this.x(end), this.top(i)];
    // A cubic reaches three quarters of the height of its two handles.
    const handle = this.base - (this.base - top) / 0.75;
    const d = `M${x1} ${this.base}C${x1} ${handle} ${x2} ${handle} ${x2} ${this.base}`;
    const width = shown === "short" ? label.narrow : label.wide;
    const back = { x: label.middle - width / 2, y: label.top, width, height: (shown === "short" ? label.waist : label.bottom) - label.top, class: "back" };
    const text = shape(
      "g", { class: "about" }, shape("rect", back),
      faceText(label.shown, label.middle, label.top + 15 * unit, ARCS.token * unit),
      shape("text", { x: label.middle, y: label.top + 30 * unit, class: "label numbers", "font-size": ARCS.label * unit }, label.numbers),
    );
    const wide = (1 + 4 * posterior + (best ? 1.5 : 0)) * unit;
    const line = shape("path", { d, class: "line", "stroke-opacity": (best ? 1 : 0.4 + 0.6 * posterior).toFixed(2) });
    line.style.setProperty("--wide", `${wide.toFixed(2)}px`);
    const group = shape(
      "g", { "data-edge": i, class: this.kind(best, shown), "aria-label": this.name(i, label) },
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

  kind(best, shown) {
    return ["edge", best && "best", { whole: "", short: "short", "": "quiet" }[shown]].filter(Boolean).join(" ");
  }

  /** The characters of the word, with the lattice's nodes between them. */
  row() {
    const { unit } = this.fonts;
    const nodes = [...Array(this.text.length + 1).keys()].map((at) => {
      return shape("circle", { cx: this.x(at), cy: this.base, r: 3.5 * unit, class: "place" });
    });
    const characters = this.text.map((char, at) => {
      const face = faceOf([["text", char]]);
      return faceText(face, (this.x(at) + this.x(at + 1)) / 2, this.base + 26 * unit, (ARCS.token + 2) * unit, "character");
    });
    return [...nodes, ...characters];
  }

  /** Marks the chosen arc, those taken out, and the path that is left without them. */
  draw(chosen, removal) {
    this.groups.forEach((group, i) => {
      const { best } = this.frame.edges[i];
      const gone = removal?.edges.includes(i) ?? false;
      const now = removal ? (removal.after ?? []).includes(i) : best;
      for (const element of [group, this.lines[i]]) {
        element.classList.toggle("gone", gone);
        element.classList.toggle("best", now);
        element.classList.toggle("was", Boolean(removal) && best && !now);
      }
      this.lines[i].classList.toggle("chosen", i === chosen);
      group.setAttribute("aria-pressed", i === chosen);
    });
  }
}
