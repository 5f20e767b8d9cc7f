// A word that merges built: its tree, what is told of a node, and which pairs lost against it.

import { make, visible } from "./dom.js";
import { number } from "./i18n.js";
import { TreePicture } from "./tree.js";

export class MergedWord {
  constructor(lens) {
    this.lens = lens;
  }

  draw() {
    const { nodes } = this.lens.answer;
    if (!this.lens.made) {
      this.lens.show((fonts, room) => new TreePicture(this.lens.answer, this.lens.table, fonts, this.lens.rtl, room, (i) => this.chooseNode(i)));
    }
    const tree = this.lens.made;
    tree.draw(this.lens.t, this.lens.chosen);
    const tokens = tree.tokens(this.lens.t);
    const faces = tokens.map((i) => tree.faces[i].text);
    const about = `Merge tree of “${this.lens.answer.word}” after ${number(this.lens.t)} merges: ${faces.join(" ")}`;
    tree.element.setAttribute("aria-label", visible(about));
    this.lens.said.replaceChildren(...this.sentence(tree, tokens));
    this.drawNode();
    this.lens.alternative.lastChild.replaceChildren(this.text(tree, tokens));
    if (nodes.length && this.lens.chosen === null) this.reveal(tree, tokens);
  }

  /** Scrolls a large picture to what the step made. */
  reveal(tree, tokens) {
    const made = tokens.find((i) => this.lens.answer.nodes[i].step === this.lens.t - 1);
    if (made === undefined || tree.width <= this.lens.picture.clientWidth) return;
    this.lens.picture.scrollLeft = tree.middle(made) - this.lens.picture.clientWidth / 2;
  }

  sentence(tree, tokens) {
    const n = tokens.length;
    const unknown = tokens.filter((i) => this.lens.table.table[this.lens.answer.nodes[i].face][2]).length;
    const kinds = unknown ? ` (${unknown === n ? "none of them" : `${number(unknown)} not`} in the alphabet)` : "";
    const said = [`${number(n)} ${n === 1 ? "token" : "tokens"} by training${kinds}: `, this.lens.chips(tokens.map((i) => this.lens.answer.nodes[i].face))];
    const match = tree.match(this.lens.t);
    if (!match) return said;
    said.push(". Encoding, longest match first: ", this.lens.chips(match.tokens.map(([face]) => face)));
    const parts = tree.parts(this.lens.t);
    if (parts === undefined) return [...said, ", the same."];
    if (match.unknown) return [...said, ", for some part of the word is in no token that may stand there."];
    return [...said, `. They part at character ${number(parts + 1)}.`];
  }

  chooseNode(i) {
    this.lens.chosen = this.lens.chosen === i ? null : i;
    this.draw();
  }

  /** The node that is told of: the chosen one, else what the last step made, else the latest. */
  toldNode() {
    const { nodes } = this.lens.answer;
    if (this.lens.chosen !== null) return this.lens.chosen;
    const made = nodes.flatMap(({ step }, i) => (step !== null && step < this.lens.t ? [i] : []));
    const latest = made.reduce((a, b) => (a === null || nodes[b].step > nodes[a].step ? b : a), null);
    if (latest !== null) return latest;
    const coming = nodes.flatMap(({ step }, i) => (step !== null ? [i] : []));
    return coming.reduce((a, b) => (a === null || nodes[b].step < nodes[a].step ? b : a), null);
  }

  drawNode() {
    const { nodes, noun } = this.lens.answer;
    const i = this.toldNode();
    if (i === null) {
      this.lens.side.replaceChildren(make("p", { class: "tv-note" }, "No step of this run joins anything in this word."));
      return;
    }
    const node = nodes[i];
    if (node.step === null) {
      this.lens.side.replaceChildren(make("h3", {}, this.lens.chip(node.face)), make("p", { class: "tv-note" }, this.lens.table.table[node.face][2] ? "Not in the alphabet: the corpus has no such symbol, so no merge takes it." : "A symbol of the alphabet: training starts from it."));
      return;
    }
    const [left, right] = node.children.map((child) => nodes[child].face);
    const go = make("button", { type: "button", class: "tv-wide" }, `Go to ${noun} ${number(node.step + 1)}`);
    go.onclick = () => document.dispatchEvent(new CustomEvent("tokviz-go", { detail: { lane: this.lens.answer.lane, state: node.step + 1 } }));
    const facts = [
      ["made by", `step ${number(node.step + 1)}${node.step < this.lens.t ? "" : ", which is still to come"}`],
      ["from", this.lens.chip(left), " + ", this.lens.chip(right)],
      ["count then", `${number(node.count)}${node.score ? `, score ${node.score}` : ""}`],
      ["rank then", node.rank > 1 ? `${number(node.rank)}, forced` : node.tied > 1 ? `1, tied with ${number(node.tied - 1)} other ${node.tied === 2 ? "pair" : "pairs"}` : "1, alone"],
    ];
    const rows = facts.map(([name, ...value]) => make("div", {}, make("dt", {}, name), make("dd", {}, ...value)));
    this.lens.side.replaceChildren(
      make("h3", {}, this.lens.chip(node.face)), make("dl", {}, ...rows), go,
      make("h3", {}, "What lost in this word"), ...this.lostTable(node),
    );
  }

  lostTable({ lost, lost_more, step }) {
    if (!lost.length) return [make("p", { class: "tv-note" }, "No other pair stood in the word.")];
    const rows = lost.map(([left, right, count, rank]) => make(
      "tr", {}, make("td", {}, this.lens.chip(left), " + ", this.lens.chip(right)), make("td", { class: "n" }, number(count)),
      make("td", { class: "n" }, rank === null ? "none" : number(rank)),
    ));
    const head = ["Pair", "Count", "Row"].map((name, k) => make("th", { scope: "col", class: k ? "n" : "", title: k === 2 ? `Its row in the score table from which step ${number(step + 1)} chose; none if it may not be merged.` : "" }, name));
    const more = lost_more ? [make("p", { class: "tv-note" }, `and ${number(lost_more)} more`)] : [];
    return [make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)), ...more];
  }

  text(tree, tokens) {
    const { nodes } = this.lens.answer;
    const item = (i) => {
      const { step, count, children } = nodes[i];
      const made = step === null ? "" : `: step ${number(step + 1)}, count ${number(count)}`;
      const inside = children.length ? [make("ul", {}, ...children.map(item))] : [];
      return make("li", {}, make("bdi", {}, tree.faces[i].text), made, ...inside);
    };
    return make("ul", {}, ...tokens.map(item));
  }
}
