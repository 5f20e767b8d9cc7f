// The merge tree of a word as a picture: its symbols in a row at the bottom, what merges made of them
// above. The places are those of the whole tree, so that nothing moves when the step does.

import { faceOf, faceText, pressable, shape, widthOf } from "./picture.js";
import { _, number } from "./i18n.js";

// Sizes in units of the type.
const TREE = { token: 17, label: 12.5, pad: 8, gap: [8, 34], level: [45, 66], box: 42, leaf: 28, below: 36 };
// From the back row, what is said of a node is nearly as large as its token.
const TREE_PRESENTED = { ...TREE, label: 16, pad: 5, level: [50, 70], box: 46, below: 39 };

/** Places of the nodes: for each its left edge, width and level; `widths` are what they need at least.
 *  A parent stands in the middle above its children, who make room if it is wider. */
export function treePlaces(nodes, roots, widths, gap) {
  const places = nodes.map(() => ({ x: 0, width: 0, level: 0 }));
  const room = [];
  const measure = (i) => {
    const { children } = nodes[i];
    let inside = 0;
    for (const child of children) {
      inside += measure(child) + (inside ? gap : 0);
      places[i].level = Math.max(places[i].level, places[child].level + 1);
    }
    room[i] = Math.max(widths[i], inside);
    return room[i];
  };
  const put = (i, left) => {
    const { children } = nodes[i];
    const inside = children.reduce((sum, child) => sum + room[child] + gap, -gap);
    let x = left + (children.length ? (room[i] - inside) / 2 : 0);
    for (const child of children) {
      put(child, x);
      x += room[child] + gap;
    }
    const [first, last] = [places[children[0]], places[children.at(-1)]];
    const middle = children.length ? (first.x + first.width / 2 + last.x + last.width / 2) / 2 : left + room[i] / 2;
    const width = children.length ? widths[i] : room[i];
    Object.assign(places[i], { x: Math.max(left, Math.min(middle - width / 2, left + room[i] - width)), width });
  };
  let x = 0;
  for (const root of roots) {
    measure(root);
    put(root, x);
    x += room[root] + gap;
  }
  return { places, width: Math.max(0, x - gap), levels: Math.max(0, ...places.map((p) => p.level)) };
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
    this.faces = view.nodes.map(({ face }) => faceOf(chips.parts(face)));
    this.labels = view.nodes.map(({ step, count }) => {
      return step === null ? "" : _("step {step} · {count}×", { step: number(step + 1), count: number(count) });
    });
    const widths = view.nodes.map((_, i) => {
      const face = widthOf(this.faces[i].text, this.sizes.token * unit, mono);
      return Math.max(face, widthOf(this.labels[i], this.sizes.label * unit, plain), 12 * unit) + 2 * this.sizes.pad * unit;
    });
    this.parents = parentsOf(view.nodes);
    this.row = view.matches.length ? 2.6 * this.sizes.leaf * unit : 0;
    this.layout = this.spread(widths, room.width);
    this.width = this.layout.width + 4 * unit;
    const levels = Math.max(1, this.layout.levels);
    const below = (levels === this.layout.levels ? this.sizes.leaf : this.sizes.box) * unit + 6 * unit + this.row;
    this.level = within(this.sizes.level, (room.height - below) / levels / unit) * unit;
    this.height = this.layout.levels * this.level + below;
  }

  /** Makes what is seen; before that, only its size is known. */
  build() {
    const { view, rtl } = this;
    this.groups = view.nodes.map((_, i) => this.node(i));
    this.encoded = shape("g", { class: "encoded" });
    const lines = view.nodes.flatMap(({ children }, i) => children.map((child) => this.line(i, child)));
    this.lines = lines.map(([line]) => line);
    this.ends = lines.map(([, parent]) => parent);
    this.element = shape(
      "svg", { width: Math.ceil(this.width), height: Math.ceil(this.height), role: "group", class: `tree${rtl ? " rtl" : ""}` },
      ...this.lines, ...this.groups, this.encoded,
    );
  }

  /** The places with as much room between them as there is. */
  spread(widths, room) {
    const { nodes, roots } = this.view;
    const least = treePlaces(nodes, roots, widths, this.sizes.gap[0] * this.fonts.unit);
    const gaps = Math.max(1, nodes.filter(({ step }) => step === null).length - 1);
    const more = (room - 8 * this.fonts.unit - least.width) / gaps / this.fonts.unit;
    return treePlaces(nodes, roots, widths, within(this.sizes.gap, this.sizes.gap[0] + more) * this.fonts.unit);
  }

  x(i) {
    const { x, width } = this.layout.places[i];
    return 2 * this.fonts.unit + (this.rtl ? this.layout.width - x - width : x);
  }

  y(i) {
    return 3 * this.fonts.unit + (this.layout.levels - this.layout.places[i].level) * this.level;
  }

  middle(i) {
    return this.x(i) + this.layout.places[i].width / 2;
  }

  boxHeight(i) {
    return (this.labels[i] ? this.sizes.box : this.sizes.leaf) * this.fonts.unit;
  }

  node(i) {
    const { unit } = this.fonts;
    const [x, y, m, w] = [this.x(i), this.y(i), this.middle(i), this.layout.places[i].width];
    const { face } = this.view.nodes[i];
    const hue = this.chips.table[face][2] ? "unknown" : `h${this.chips.colour(face)}`;
    const group = shape(
      "g", { "data-node": i },
      shape("rect", { x, y, width: w, height: this.boxHeight(i), rx: 6 * unit, class: `box ${hue}` }),
      faceText(this.faces[i], m, y + 20 * unit, this.sizes.token * unit),
      ...(this.labels[i] ? [shape("text", { x: m, y: y + this.sizes.below * unit, class: "label", "font-size": this.sizes.label * unit }, this.labels[i])] : []),
    );
    return pressable(group, () => this.choose(i));
  }

  line(parent, child) {
    const [x1, y1] = [this.middle(parent), this.y(parent) + this.boxHeight(parent)];
    const [x2, y2] = [this.middle(child), this.y(child)];
    const bend = (y1 + y2) / 2;
    return [shape("path", { d: `M${x1} ${y1}C${x1} ${bend} ${x2} ${bend} ${x2} ${y2}`, class: "line" }), parent];
  }

  /** Shows state t, with a node chosen. */
  draw(t, chosen) {
    this.groups.forEach((group, i) => {
      const state = nodeState(this.view.nodes, this.parents, i, t);
      group.setAttribute("class", `node ${state || "later"}`);
      group.setAttribute("aria-pressed", i === chosen);
      group.setAttribute("aria-label", this.say(i, state));
    });
    this.lines.forEach((line, k) => {
      const made = this.view.nodes[this.ends[k]].step < t;
      line.setAttribute("class", made ? "line" : "line later");
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
    const leaves = this.view.nodes.flatMap(({ step }, i) => (step === null ? [i] : []))
      .sort((a, b) => this.view.nodes[a].start - this.view.nodes[b].start);
    const y = this.height - 1.75 * this.sizes.leaf * unit;
    const box = ([face, start, end]) => {
      const [first, last] = [leaves[this.view.leaf_of[start]], leaves[this.view.leaf_of[end] - 1]];
      const [a, b] = [first, last].map((i) => [this.x(i), this.x(i) + this.layout.places[i].width]);
      const [left, right] = [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
      const hue = match.unknown ? "unknown" : `h${this.chips.colour(face)}`;
      return [
        shape("rect", { x: left, y, width: right - left, height: this.sizes.leaf * unit, rx: 6 * unit, class: `box ${hue}` }),
        faceText(faceOf(this.chips.parts(face)), (left + right) / 2, y + 19 * unit, this.sizes.token * unit),
      ];
    };
    const parts = this.parts(t);
    const mark = [];
    if (parts !== undefined) {
      const i = leaves[this.view.leaf_of[parts]];
      const x = this.rtl ? this.x(i) + this.layout.places[i].width + 5 * unit : this.x(i) - 5 * unit;
      const edge = Math.max(2, Math.min(this.width - 2, x));
      mark.push(shape("line", { x1: edge, x2: edge, y1: y - 0.6 * this.sizes.leaf * unit, y2: y - 2 * unit, class: "parts" }));
    }
    const said = parts === undefined ? _("longest match: the same cut") : match.unknown ? _("longest match: unknown") : _("longest match: a different cut");
    const label = shape("text", { x: 4 * unit, y: y + (this.sizes.leaf + 15) * unit, class: "label start", "font-size": this.sizes.label * unit }, said);
    this.encoded.replaceChildren(label, ...match.tokens.flatMap(box), ...mark);
  }
}
