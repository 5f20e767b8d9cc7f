// The merge tree of a word as a picture: its symbols in the first row, below it a row for each step that joins
// something in the word. A symbol keeps its column, and a token spans its symbols. The places are those of
// the whole tree, so that nothing moves when the step does.

import { faceOf, faceText, pressable, shape, widthOf } from "./picture.js";
import { _, number } from "./i18n.js";

// Sizes in units of the type: a column and a row have at least and at most so much.
const TREE = { token: 20, label: 13, pad: 5, cell: [25, 62], level: [37, 60], box: 30, beside: 14, leaf: 28 };
// From the back row, what is said of a step is nearly as large as its tokens.
const TREE_PRESENTED = { ...TREE, label: 19, level: [31, 72], box: 27 };
const BOLD = 1.08; // how much wider a strong label may be
const APART = 2; // between two boxes of a row, on each side
/** Letters that change beside others are never drawn apart. */
const JOINED = /[\p{M}\u200c\u200d\ufe0e\ufe0f\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u;

/** Where nodes stand: the `steps` that have a row below that of the symbols, and for each node its `row`. */
export function treeRows(nodes) {
  const steps = [...new Set(nodes.flatMap(({ step }) => (step === null ? [] : [step])))].sort((a, b) => a - b);
  return { steps, rows: nodes.map(({ step }) => (step === null ? 0 : steps.indexOf(step) + 1)) };
}

/** The letters of a face by the columns of its symbols, whose `faces` are given; none if they are not drawn apart.
 *  A mark that says that a symbol goes on inside a word stands only where the face has it. */
export function lettersOf(face, faces) {
  const text = (spans) => spans.map(([, part]) => part).join("");
  if (JOINED.test(face.text)) return [];
  const inner = faces.map(({ spans }, i) => (i && spans[0]?.[0] === "m" ? spans.slice(1) : spans));
  for (const found of [faces.map(({ spans }) => spans), inner]) {
    if (found.map(text).join("") === face.text && found.every(({ length }) => length)) return found;
  }
  return [];
}

/** What a node is in state t: "" (not made yet), "next", "now" (a token of the state), "new" (made by
 *  the last step) or "inside" (of a larger one). */
export function nodeState(nodes, parents, i, t) {
  const { step } = nodes[i];
  if (step !== null && step >= t) return step === t ? "next" : "";
  const parent = parents[i];
  if (parent !== undefined && nodes[parent].step < t) return "inside";
  return step !== null && step === t - 1 ? "new" : "now";
}

function within([least, most], value) {
  return Math.max(least, Math.min(most, value));
}

/** For every node its parent. */
export function parentsOf(nodes) {
  const parents = [];
  nodes.forEach(({ children }, i) => children.forEach((child) => (parents[child] = i)));
  return parents;
}

export class TreePicture {
  /** `chips` draws tokens, `room` is the width and height that there is, `choose(i)` hears of a node
   *  that was clicked. */
  constructor(view, chips, fonts, rtl, room, choose) {
    Object.assign(this, { view, chips, fonts, rtl, choose, sizes: fonts.presenting ? TREE_PRESENTED : TREE });
    const { unit, mono, plain } = fonts;
    const { sizes } = this;
    this.faces = view.nodes.map(({ face }) => faceOf(chips.parts(face)));
    this.parents = parentsOf(view.nodes);
    Object.assign(this, treeRows(view.nodes));
    this.leaves = view.nodes.flatMap(({ step }, i) => (step === null ? [i] : [])).sort((a, b) => view.nodes[a].start - view.nodes[b].start);
    this.labels = [_("start"), ...this.steps.map((step) => {
      const { count } = view.nodes.find((node) => node.step === step);
      return _("step {step} · {count}×", { step: number(step + 1), count: number(count) });
    })];
    this.left = Math.max(...this.labels.map((label) => widthOf(label, sizes.label * unit, plain))) * BOLD + sizes.beside * unit;
    this.letters = view.nodes.map(({ start, end }, i) => lettersOf(this.faces[i], this.leaves.slice(start, end).map((leaf) => this.faces[leaf])));
    const columns = Math.max(1, this.leaves.length);
    const wide = view.nodes.map(({ start, end }, i) => {
      return (widthOf(this.faces[i].text, sizes.token * unit, mono) + 2 * sizes.pad * unit) / (end - start) + 2 * APART;
    });
    const least = Math.max(sizes.cell[0] * unit, ...wide);
    this.cell = Math.max(least, Math.min(sizes.cell[1] * unit, (room.width - this.left - 4 * unit) / columns));
    this.width = this.left + columns * this.cell + 4 * unit;
    this.below = view.matches.length ? (sizes.leaf + sizes.label + 32) * unit : 0;
    const rest = sizes.box * unit + 6 * unit + this.below;
    this.level = within(sizes.level, (room.height - rest) / Math.max(1, this.steps.length) / unit) * unit;
    this.height = this.steps.length * this.level + rest;
  }

  /** Makes what is seen; before that, only its size is known. */
  build() {
    const { view, rtl } = this;
    this.groups = view.nodes.map((_, i) => this.node(i));
    this.encoded = shape("g", { class: "encoded" });
    const lines = view.nodes.flatMap(({ children }, i) => children.map((child) => [this.line(i, child), i]));
    this.lines = lines.map(([line]) => line);
    this.ends = lines.map(([, parent]) => parent);
    this.marks = this.labels.map((_, row) => this.mark(row));
    this.element = shape(
      "svg", { width: Math.ceil(this.width), height: Math.ceil(this.height), role: "group", class: `tree${rtl ? " rtl" : ""}` },
      shape("g", { "aria-hidden": "true" }, ...this.marks), ...this.lines, ...this.groups, this.encoded,
    );
  }

  /** The left edge of so many columns, the first of which is `start`. */
  edge(start, end) {
    return this.left + 2 * this.fonts.unit + (this.rtl ? this.leaves.length - end : start) * this.cell;
  }

  x(i) {
    const { start, end } = this.view.nodes[i];
    return this.edge(start, end) + APART;
  }

  wide(i) {
    const { start, end } = this.view.nodes[i];
    return (end - start) * this.cell - 2 * APART;
  }

  y(i) {
    return this.top(this.rows[i]);
  }

  top(row) {
    return 3 * this.fonts.unit + row * this.level;
  }

  middle(i) {
    return this.x(i) + this.wide(i) / 2;
  }

  /** What stands before a row: which step it is, and the count of its pair then. */
  mark(row) {
    const { unit } = this.fonts;
    const y = this.top(row) + (this.sizes.box / 2) * unit;
    const size = this.sizes.label * unit;
    return shape(
      "g", {},
      shape("line", { x1: this.left, x2: this.width - 2 * unit, y1: y, y2: y, class: "row" }),
      shape("text", { x: this.left - this.sizes.beside * unit + 2 * unit, y: y + 0.35 * size, class: "label end", "font-size": size }, this.labels[row]),
    );
  }

  hue(i) {
    const { face } = this.view.nodes[i];
    return this.chips.table[face][2] ? "unknown" : `h${this.chips.colour(face)}`;
  }

  node(i) {
    const { unit } = this.fonts;
    const [x, y] = [this.x(i), this.y(i)];
    const group = shape(
      "g", { "data-node": i },
      shape("rect", { x, y, width: this.wide(i), height: this.sizes.box * unit, rx: 6 * unit, class: `box ${this.hue(i)}` }),
      this.face(i, y + 0.72 * this.sizes.box * unit),
    );
    return pressable(group, () => this.choose(i));
  }

  /** A token's letters, each in its column. */
  face(i, y) {
    const size = this.sizes.token * this.fonts.unit;
    const letters = this.letters[i];
    if (!letters.length) return faceText(this.faces[i], this.middle(i), y, size);
    const { start } = this.view.nodes[i];
    const spans = letters.flatMap((found, k) => {
      const x = this.edge(start + k, start + k + 1) + this.cell / 2;
      return found.map(([mark, text], n) => shape("tspan", { ...(n ? {} : { x }), ...(mark ? { class: mark } : {}) }, text));
    });
    return shape("text", { y, class: "face", "font-size": size }, ...spans);
  }

  line(parent, child) {
    const x = this.middle(child);
    const from = this.y(child) + this.sizes.box * this.fonts.unit;
    return shape("path", { d: `M${x} ${from}V${this.y(parent)}`, "data-hue": this.hue(child) });
  }

  /** Shows state t, with a node chosen. */
  draw(t, chosen) {
    this.groups.forEach((group, i) => {
      const state = nodeState(this.view.nodes, this.parents, i, t);
      group.setAttribute("class", `node ${state || "later"}${this.view.nodes[i].step === null ? " leaf" : ""}`);
      group.setAttribute("aria-pressed", i === chosen);
      group.setAttribute("aria-label", this.say(i, state));
    });
    this.lines.forEach((line, k) => {
      const made = this.view.nodes[this.ends[k]].step < t;
      line.setAttribute("class", `line ${line.dataset.hue}${made ? "" : " later"}`);
    });
    this.steps.forEach((step, k) => {
      this.marks[k + 1].setAttribute("class", step >= t ? "mark later" : step === t - 1 ? "mark new" : "mark");
    });
    this.drawEncoded(t);
  }

  say(i, state) {
    const { step, count } = this.view.nodes[i];
    const face = this.faces[i].text;
    if (step === null) return _("{token}, a symbol", { token: face });
    const values = { token: face, step: number(step + 1), count: number(count) };
    if (state === "" || state === "next") return _("{token}, will be made by step {step}, count {count}", values);
    return _("{token}, made by step {step}, count {count}", values);
  }

  /** The tokens of state t, as node numbers from left to right. */
  tokens(t) {
    const { nodes } = this.view;
    return nodes.map((_, i) => i)
      .filter((i) => ["now", "new"].includes(nodeState(nodes, this.parents, i, t)))
      .sort((a, b) => nodes[a].start - nodes[b].start);
  }

  /** WordPiece: how encoding cuts the word in state t. */
  match(t) {
    return this.view.matches.findLast(({ first }) => first <= t);
  }

  /** The first character at which training and encoding part in state t; undefined if they agree. */
  parts(t) {
    const match = this.match(t);
    if (!match || match.unknown) return match && 0;
    const { nodes, leaf_of } = this.view;
    const trained = new Set(this.tokens(t).map((i) => nodes[i].start));
    const encoded = new Set(match.tokens.map(([, start]) => leaf_of[start]));
    const at = [...leaf_of.keys()].slice(0, -1);
    return at.find((c) => trained.has(leaf_of[c]) !== encoded.has(leaf_of[c]));
  }

  drawEncoded(t) {
    const match = this.match(t);
    if (!match) return;
    const { unit } = this.fonts;
    const { leaves } = this;
    const { leaf, label } = this.sizes;
    const y = this.height - (leaf + label + 8) * unit;
    const box = ([face, start, end]) => {
      const [first, last] = [leaves[this.view.leaf_of[start]], leaves[this.view.leaf_of[end] - 1]];
      const [a, b] = [first, last].map((i) => [this.x(i), this.x(i) + this.wide(i)]);
      const [left, right] = [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
      const hue = match.unknown ? "unknown" : `h${this.chips.colour(face)}`;
      return [
        shape("rect", { x: left, y, width: right - left, height: leaf * unit, rx: 6 * unit, class: `box ${hue}` }),
        faceText(faceOf(this.chips.parts(face)), (left + right) / 2, y + 19 * unit, this.sizes.token * unit),
      ];
    };
    const parts = this.parts(t);
    const mark = [];
    if (parts !== undefined) {
      const i = leaves[this.view.leaf_of[parts]];
      const x = this.rtl ? this.x(i) + this.wide(i) + APART : this.x(i) - APART;
      const edge = Math.max(2, Math.min(this.width - 2, x));
      mark.push(shape("line", { x1: edge, x2: edge, y1: y - 0.6 * leaf * unit, y2: y - 2 * unit, class: "parts" }));
    }
    const said = parts === undefined ? _("longest match: the same cut") : match.unknown ? _("longest match: unknown") : _("longest match: a different cut");
    const below = shape("text", { x: 4 * unit, y: y + (leaf + label + 2) * unit, class: "label start", "font-size": label * unit }, said);
    this.encoded.replaceChildren(below, ...match.tokens.flatMap(box), ...mark);
  }
}
