// The words of one lane by count, each with the tree of its merges (growth.js), a row for each step: as many as fit
// the panel at a size that is read well. A tree has its full size from the start, so that nothing moves when it grows.

import { byCharacter } from "./characters.js";
import { make, textNodes, visible } from "./dom.js";
import { roots, sizeOf } from "./growth.js";
import { _, listed, number } from "./i18n.js";
import { fill, hasRoom } from "./lines.js";
import { wordMarks, wordText } from "./run.js";
import { tokenName } from "./tokens.js";

const SMALLEST = [14, 14 / 17.6]; // letters: px; times the usual size
const LONGEST = 40; // symbols of a word
const MOST = 80; // words
const FEWEST = 3; // words that have to fit
const EVEN = /^[!-~Ġ▁]$/; // symbols that are as wide as one another

/** What a tree says to those who do not see it: its tokens, and the merges that made them. */
export function treeText(run, w, nodes) {
  const name = ({ token }) => tokenName(run, token);
  const merges = nodes.filter(({ parts }) => parts).map((made) => `${made.parts.map(name).join(" + ")} → ${name(made)}`);
  const values = { word: wordText(run, w).trim(), tokens: roots(nodes).map(name).join(" "), merges: listed(merges).join("") };
  return visible(merges.length ? _("{word}: {tokens}, from {merges}", values) : _("{word}: {tokens}", values));
}

export class Trees {
  /** The `body` of a `panel` is where they have to fit; `directionOf` gives the direction of a word. */
  constructor(run, chips, panel, body, directionOf) {
    Object.assign(this, { run, chips, panel, body, directionOf, made: new Map(), shown: [] });
  }

  /** The run has become another one. */
  renew() {
    Object.assign(this, { made: new Map(), shown: [], few: undefined });
  }

  /** The most frequent words, at most `most`; counts those that are too long. */
  words(most) {
    const found = [];
    this.tooLong = 0;
    for (const w of this.run.by_count) {
      if (found.length === most) break;
      if (sizeOf(this.nodes(w, 0)).columns <= LONGEST) found.push(w);
      else this.tooLong++;
    }
    return found;
  }

  nodes(w, t) {
    return this.run.family.wordTree(this.run, w, t);
  }

  /** Whether enough words fit, whatever the panel shows; the letters of its body are of their usual size. */
  fit() {
    const { body, panel } = this;
    this.few ??= this.words(FEWEST).map((w) => this.tree(w));
    if (!this.few.length || !body.clientWidth) return false;
    for (const tree of this.few) this.drawTree(tree, 0);
    const probe = make("div", { class: "tv-lines tv-trees tv-probe" }, ...this.few.map(({ holder }) => holder));
    probe.style.setProperty("--tv-fit", `${smallest(body)}px`);
    probe.style.width = `${body.clientWidth}px`;
    const room = panel.clientHeight - body.offsetTop - parseFloat(getComputedStyle(panel).paddingBottom);
    panel.append(probe);
    const fits = probe.offsetHeight <= room && probe.scrollWidth <= probe.clientWidth;
    probe.remove();
    return fits;
  }

  /** Takes as many words as fit, and if they may be `large` the largest letters with which they do. */
  layOut(t, large) {
    const { body, panel } = this;
    const least = smallest(body);
    body.style.setProperty("--tv-fit", `${least}px`);
    const trees = this.words(MOST).map((w) => this.tree(w));
    const fits = (n) => {
      this.shown = trees.slice(0, n);
      body.replaceChildren(...this.shown.map(({ holder }) => holder));
      return hasRoom(panel);
    };
    for (const tree of trees) this.drawTree(tree, t);
    if (!fits(trees.length)) {
      let [some, tooMany] = [1, trees.length];
      while (tooMany - some > 1) {
        const n = (some + tooMany) >> 1;
        if (fits(n)) some = n;
        else tooMany = n;
      }
      fits(some);
    }
    if (large) fill(panel, body, least);
  }

  draw(t) {
    for (const tree of this.shown) this.drawTree(tree, t);
  }

  /** A word's tree, with nothing drawn yet. */
  tree(w) {
    const known = this.made.get(w);
    if (known) return known;
    const { run } = this;
    const grown = this.nodes(w, run.steps);
    const { rows } = sizeOf(grown);
    const steps = [...new Set(grown.flatMap(({ step }) => step ?? []))];
    const leaves = this.nodes(w, 0).filter(({ level }) => level === 0);
    const over = this.characters(leaves);
    const even = leaves.every(({ token, text }) => EVEN.test(text ?? tokenName(run, token)));
    const element = make("span", { class: `tv-word tv-tree${even ? " even" : ""}`, role: "img", dir: this.directionOf(run, w), "data-w": w });
    const above = over.length ? 1 : 0; // rows
    element.style.gridTemplateRows = `repeat(${rows + above}, 1.4em)`;
    const holder = make("span", { class: "tv-counted" }, element, make("span", { class: "tv-times" }, `×${number(run.word_counts[w])}`));
    const tree = { w, above, over, steps, element, holder, signature: "" };
    this.made.set(w, tree);
    return tree;
  }

  /** The characters of a word of bytes, for the row above them: [text, from, to]. */
  characters(leaves) {
    if (leaves.some(({ token }) => token === undefined)) return [];
    const groups = byCharacter(this.run, leaves.map(({ token }) => token), []);
    return groups.filter(({ over }) => over).map(({ from, to, over }) => [over, from, to]);
  }

  drawTree(tree, t) {
    const nodes = this.nodes(tree.w, t);
    const tokens = roots(nodes);
    const marks = wordMarks(this.run, tokens.map(({ token }) => token), t, tree.w);
    const signature = `${nodes.map(({ token, from, fresh }) => `${token} ${from} ${fresh}`).join()} ${marks.join()}`;
    if (signature === tree.signature) return;
    tree.signature = signature;
    const row = (level) => 1 + tree.above + level;
    const doomed = new Set(tokens.filter((_, i) => marks[i] === "doomed"));
    const joined = nodes.filter(({ token, end }) => token !== undefined && end);
    const cells = joined.map((node) => placed(this.edge(node), row(node.level), row(node.end) + 1, node));
    cells.push(...nodes.map((node) => placed(this.cell(node, doomed.has(node)), row(node.level), row(node.level) + 1, node)));
    cells.push(...tree.steps.map((step, i) => stepMark(step, row(i + 1), step < t)));
    cells.push(...tree.over.map(([text, from, to]) => placed(letter(text, "tv-over"), 1, 2, { from, to })));
    tokens.forEach((left, i) => {
      if (marks[i] !== "left") return;
      const right = tokens[i + 1];
      cells.push(placed(make("span", { class: "tv-pair" }), row(Math.min(left.level, right.level)), row(Math.max(left.level, right.level)) + 1, { from: left.from, to: right.to }));
    });
    tree.element.replaceChildren(...cells);
    tree.element.setAttribute("aria-label", treeText(this.run, tree.w, nodes));
  }

  /** The line from a token to the one that it became a part of. */
  edge({ token }) {
    const element = make("span", { class: "tv-edge" });
    element.style.background = `var(--tv-e${this.run.colours[token]})`;
    return element;
  }

  cell(node, doomed) {
    if (node.token === undefined) return letter(node.text);
    const kinds = [node.inside && "inside", node.fresh && "new", doomed && "doomed", node.to - node.from > 1 && "wide"];
    return this.chips.chip(node.token, kinds.filter(Boolean).join(" "));
  }
}

function letter(text, kind = "") {
  return make("span", { class: `tv-letter ${kind}` }, ...textNodes(text));
}

/** The number of a step, before its row, from when it `isMade`. */
function stepMark(step, row, isMade) {
  const element = make("span", { class: `tv-at${isMade ? "" : " later"}`, "aria-hidden": "true" }, number(step + 1));
  element.style.gridArea = `${row} / 1 / ${row + 1} / 2`;
  return element;
}

/** An element in the rows and columns of a tree. */
function placed(element, top, bottom, { from, to }) {
  element.style.gridArea = `${top} / ${from + 2} / ${bottom} / ${to + 2}`;
  return element;
}

/** The smallest letters, where the usual ones are those of an element. */
function smallest(element) {
  const [pixels, times] = SMALLEST;
  return Math.max(pixels, parseFloat(getComputedStyle(element).fontSize) * times);
}
