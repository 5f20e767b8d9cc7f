// A word that merges built: its tree, what is told of a node, and which pairs lost against it.

import { make, visible } from "./dom.js";
import { _, _n, _p, _pn, number } from "./i18n.js";
import { isPresented } from "./lines.js";
import { MOST_PRESENTED } from "./picture.js";
import { TreePicture } from "./tree.js";

/** What is said of steps, by what Python calls them. */
const NOUNS = {
  merge: {
    about: (n, values) => _n("Merge tree of “{word}” after {n} merge: {tokens}", "Merge tree of “{word}” after {n} merges: {tokens}", n, values),
    go: (step) => _("Go to merge {step}", { step }),
  },
  step: {
    about: (n, values) => _n("Merge tree of “{word}” after {n} step: {tokens}", "Merge tree of “{word}” after {n} steps: {tokens}", n, values),
    go: (step) => _("Go to step {step}", { step }),
  },
};

export class MergedWord {
  constructor(lens) {
    this.lens = lens;
  }

  draw() {
    this.take();
    const { nodes } = this.lens.answer;
    if (!this.lens.made) {
      this.lens.show((fonts, room) => new TreePicture(this.lens.answer, this.lens.table, fonts, this.lens.rtl, room, (i) => this.chooseNode(i)));
    }
    const tree = this.lens.made;
    tree.draw(this.lens.t, this.lens.chosen);
    this.lens.about.textContent = _("how it was joined: a row is a step");
    const tokens = tree.tokens(this.lens.t);
    const faces = tokens.map((i) => tree.faces[i].text);
    const values = { word: this.lens.answer.word, tokens: faces.join(" ") };
    const about = NOUNS[this.lens.answer.noun].about(this.lens.t, values);
    tree.element.setAttribute("aria-label", visible(about));
    this.lens.said.replaceChildren(...this.sentence(tree, tokens));
    this.drawNode();
    this.lens.alternative.lastChild.replaceChildren(this.text(tree, tokens));
    if (nodes.length && this.lens.chosen === null) this.reveal(tree, tokens);
  }

  /** Where tokens may come apart, the tree is that of the stretch of states. */
  take() {
    const { answer, t } = this.lens;
    const now = answer.stretches?.findLast(({ first }) => first <= t);
    if (!now || answer.first === now.first) return;
    Object.assign(answer, now);
    Object.assign(this.lens, { made: null, chosen: null });
  }

  /** Scrolls a large picture to what the step made. */
  reveal(tree, tokens) {
    const made = tokens.find((i) => this.lens.answer.nodes[i].step === this.lens.t - 1);
    const { picture } = this.lens;
    if (made === undefined) return;
    if (tree.width > picture.clientWidth) picture.scrollLeft = tree.middle(made) - picture.clientWidth / 2;
    if (tree.height > picture.clientHeight) picture.scrollTop = tree.y(made) - picture.clientHeight / 2;
  }

  sentence(tree, tokens) {
    const trained = this.trained(tokens);
    const match = tree.match(this.lens.t);
    if (!match) return trained;
    const parts = tree.parts(this.lens.t);
    if (parts === undefined) return _p("{trained}. Encoding, longest match first: the same.", { trained });
    const values = { trained, encoded: this.lens.chips(match.tokens.map(([face]) => face)) };
    if (match.unknown) return _p("{trained}. Encoding, longest match first: {encoded}, because no token that may stand there covers some part of the word.", values);
    return _p("{trained}. Encoding, longest match first: {encoded}. They part at character {at}.", { ...values, at: number(parts + 1) });
  }

  /** The word's tokens of the state. */
  trained(tokens) {
    const { nodes } = this.lens.answer;
    const n = tokens.length;
    const unknown = tokens.filter((i) => this.lens.table.table[nodes[i].face][2]).length;
    const values = { tokens: this.lens.chips(tokens.map((i) => nodes[i].face)), unknown: number(unknown) };
    if (!unknown) return _pn("{n} token by training: {tokens}", "{n} tokens by training: {tokens}", n, values);
    if (unknown < n) return _pn("{n} token by training ({unknown} not in the alphabet): {tokens}", "{n} tokens by training ({unknown} not in the alphabet): {tokens}", n, values);
    return _pn("{n} token by training (none of them in the alphabet): {tokens}", "{n} tokens by training (none of them in the alphabet): {tokens}", n, values);
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
    const { nodes } = this.lens.answer;
    const i = this.toldNode();
    if (i === null) {
      this.lens.side.replaceChildren(make("p", { class: "tv-note" }, _("No step of this run joins anything in this word.")));
      return;
    }
    const node = nodes[i];
    if (node.step === null) {
      this.lens.side.replaceChildren(make("h3", {}, this.lens.chip(node.face)), make("p", { class: "tv-note" }, this.lens.table.table[node.face][2] ? _("Not in the alphabet: the corpus has no such symbol, so no merge uses it.") : _("A symbol of the alphabet: training starts from it.")));
      return;
    }
    const [left, right] = node.children.map((child) => nodes[child].face);
    const step = number(node.step + 1);
    const go = make("button", { type: "button", class: "tv-wide tv-go" }, NOUNS[this.lens.answer.noun].go(step));
    go.onclick = () => document.dispatchEvent(new CustomEvent("tokviz-go", { detail: { lane: this.lens.answer.lane, state: node.step + 1 } }));
    const [count, score] = [number(node.count), node.score];
    const facts = [
      [_("made by"), node.step < this.lens.t ? _("step {step}", { step }) : _("step {step}, which is still to come", { step })],
      [_("from"), this.lens.chip(left), " + ", this.lens.chip(right)],
      [_("count then"), score ? _("{count}, score {score}", { count, score }) : count],
      [_("rank then"), this.rank(node)],
    ];
    const rows = facts.map(([name, ...value]) => make("div", {}, make("dt", {}, name), make("dd", {}, ...value)));
    this.lens.side.replaceChildren(
      make("h3", {}, this.lens.chip(node.face)), make("dl", {}, ...rows), go,
      make("h3", {}, _("What lost against it in this word")), ...this.lostTable(node),
    );
  }

  /** Where a node's pair stood among the candidates. */
  rank({ rank, tied }) {
    if (rank > 1) return _("{rank}, forced", { rank: number(rank) });
    if (tied > 1) return _n("1, tied with {n} other pair", "1, tied with {n} other pairs", tied - 1);
    return _("1, alone");
  }

  lostTable({ lost, lost_more, step }) {
    if (!lost.length) return [make("p", { class: "tv-note" }, _("No other pair stood in the word."))];
    const shown = lost.slice(0, isPresented() ? MOST_PRESENTED : lost.length);
    const rows = shown.map(([left, right, count, rank]) => make(
      "tr", {}, make("td", {}, this.lens.chip(left), " + ", this.lens.chip(right)), make("td", { class: "n" }, number(count)),
      make("td", { class: "n" }, rank === null ? _("none") : number(rank)),
    ));
    const where = _("Its row in the score table from which step {step} chose; none if it may not be merged.", { step: number(step + 1) });
    const heads = [[_("Pair"), ""], [_("Count"), ""], [_("Row"), where]];
    const head = heads.map(([name, title], k) => make("th", { scope: "col", class: k ? "n" : "", title }, name));
    const left = lost_more + lost.length - shown.length;
    const more = left ? [make("p", { class: "tv-note" }, _("and {count} more", { count: number(left) }))] : [];
    return [make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)), ...more];
  }

  text(tree, tokens) {
    const { nodes } = this.lens.answer;
    const item = (i) => {
      const { step, count, children } = nodes[i];
      const token = make("bdi", {}, tree.faces[i].text);
      const made = { token, step: number(step + 1), count: number(count) };
      const said = step === null ? [token] : _p("{token}: step {step}, count {count}", made);
      const inside = children.length ? [make("ul", {}, ...children.map(item))] : [];
      return make("li", {}, ...said, ...inside);
    };
    return make("ul", {}, ...tokens.map(item));
  }
}
