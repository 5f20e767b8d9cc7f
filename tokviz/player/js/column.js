// One state's tokens of a text: their number, the tokens as chips, whether they give the text back.

import { Chips, button, direction, make, visible } from "./dom.js";
import { tokenParts } from "./tokens.js";
import { _, _p, _pn, number } from "./i18n.js";

const TAGS = { here: _("where the scrubber stands"), end: _("the end"), both: _("the scrubber, and the end") };
const ROW = 45; // characters in a row of a column, about
let made = 0; // for ids that are given once

/** Sets what differs: an attribute that is set anew, even to the same, costs the style of all below. */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}

/** Replaces what differs between the items of an element, which have keys: those equal at the head and
 *  at the tail keep their nodes. `build(item, old)` makes the nodes of another one; `old` is what stood
 *  in its place, if as many come as go. */
function patch(parent, old, wanted, build) {
  const least = Math.min(old.length, wanted.length);
  let head = 0;
  while (head < least && old[head].key === wanted[head].key) head++;
  let tail = 0;
  while (tail < least - head && old.at(-1 - tail).key === wanted.at(-1 - tail).key) tail++;
  const keep = (item, known) => {
    item.nodes = known.nodes;
    item.words?.forEach((word, i) => keep(word, known.words[i]));
  };
  for (let i = 0; i < head; i++) keep(wanted[i], old[i]);
  for (let i = 1; i <= tail; i++) keep(wanted.at(-i), old.at(-i));
  const gone = old.slice(head, old.length - tail);
  const made = wanted.slice(head, wanted.length - tail);
  const inPlace = gone.length === made.length;
  made.forEach((item, i) => (item.nodes = build(item, inPlace ? gone[i] : undefined)));
  const staying = new Set(made.flatMap(({ nodes }) => nodes));
  for (const { nodes } of gone) for (const node of nodes) if (!staying.has(node)) node.remove();
  const fragment = document.createDocumentFragment();
  for (const node of staying) if (node.parentNode !== parent) fragment.append(node);
  parent.insertBefore(fragment, tail ? old[old.length - tail].nodes[0] : null);
}

/** The tokens of an answer as chips. Numbers of special tokens are what Chips takes them for. */
export class AnswerChips {
  constructor({ table, unit }) {
    const tokens = [];
    const special = [];
    this.table = table;
    this.numbers = table.map(([shown, , kind]) => {
      return kind === "special" ? -1 - special.push(shown) : tokens.push(shown) - 1;
    });
    const strings = tokens.map((parts) => (typeof parts === "string" ? parts : parts.join("")));
    const colours = table.filter(([, , kind]) => kind !== "special").map(([, , , colour]) => colour);
    this.chips = new Chips({ tokens, strings, unit, colours, raw: {}, special_tokens: special });
  }

  chip(i) {
    return this.chips.chip(this.numbers[i], this.table[i][2] === "unknown" ? "unknown" : "");
  }

  /** A token's string, with nothing hidden in it. */
  string(i) {
    const [shown] = this.table[i];
    return visible(typeof shown === "string" ? shown : shown.join(""));
  }

  /** A token in parts, as pictures draw it: ["text" | "marker" | "bytes", string]. */
  parts(i) {
    const [shown, , kind] = this.table[i];
    return kind === "special" ? [["text", shown]] : tokenParts(this.chips.run, this.numbers[i]);
  }

  /** The number of a token's colour. */
  colour(i) {
    return this.table[i][3];
  }

  /** What tells one chip from another. */
  key(i) {
    const [shown, , kind, colour] = this.table[i];
    return `${kind}${colour}\u0002${typeof shown === "string" ? shown : shown.join("\u0003")}`;
  }
}

export class Column {
  /** `does` are the view's actions: choose(column, index), remove(state). */
  constructor(state, does) {
    this.does = does;
    this.state = state;
    this.lines = [];
    this.words = [];
    this.id = `tv-chosen-${made++}`;
    this.name = make("h2");
    this.tag = make("span", { class: "tv-tag" });
    this.remove = button(_("Remove"), "close", () => does.remove(this.state));
    this.figures = make("p", { class: "tv-counts" });
    this.list = make("div", { class: "tv-tokens", tabindex: 0 });
    this.list.onclick = (event) => this.clicked(event.target);
    this.list.onkeydown = (event) => this.key(event);
    this.back = make("p", { class: "tv-back" });
    this.decoded = make("p", { class: "tv-decoded", dir: "auto" });
    this.element = make(
      "section", { class: "tv-column" },
      make("div", { class: "tv-column-head" }, this.name, this.tag, this.remove),
      this.figures, this.list, this.back, this.decoded,
    );
  }

  /** Draws an answer's column; words that stay as they are are not made anew. */
  draw(column, chips, text, pinned) {
    const characters = [...text].length;
    this.column = column;
    set(this.element, { "aria-label": column.name });
    this.name.textContent = column.name;
    this.tag.textContent = TAGS[column.tag] ?? "";
    this.remove.hidden = !pinned;
    this.remove.draw("close", _("Remove “{column}”", { column: column.name }));
    const n = column.tokens.length;
    const value = make("b", {}, n ? (characters / n).toFixed(2) : "–");
    this.figures.replaceChildren(
      make("span", {}, ..._pn("{n} token", "{n} tokens", n, { n: make("b", {}, number(n)) })),
      make("span", {}, ..._p("{value} characters per token", { value })),
    );
    this.drawWords(column, chips, [...text]);
    this.back.replaceChildren(column.unknown ? make("b", {}, column.unknown) : "", column.unknown ? " " : "", column.back);
    this.decoded.hidden = !column.decoded;
    this.decoded.textContent = visible(column.decoded);
  }

  drawWords({ tokens, words, starts, ends }, chips, characters) {
    // A word is read as its text is: its markers and bytes say nothing of it.
    set(this.list, { dir: direction(characters.join("")) || "ltr" });
    const keys = tokens.map((i) => chips.key(i));
    const wanted = words.map((first, w) => {
      const end = words[w + 1] ?? tokens.length;
      const text = characters.slice(starts[first], ends[end - 1]).join("");
      const [read, breaks] = [direction(text), text.endsWith("\n")];
      const key = `${keys.slice(first, end).join("\u0001")}\u0004${read}${breaks}`;
      return { first, end, read, breaks, key, length: text.length };
    });
    const lines = [];
    for (const word of wanted) {
      if (!lines.length || lines.at(-1).words.at(-1).breaks) lines.push({ words: [] });
      lines.at(-1).words.push(word);
    }
    for (const line of lines) line.key = line.words.map(({ key }) => key).join("\u0005");
    const build = (word) => this.word(word, tokens, chips);
    patch(this.list, this.lines, lines, (line, old) => this.line(line, old, build));
    this.lines = lines;
    this.words = wanted;
    const listbox = { role: "listbox", "aria-label": _("Tokens {column}", { column: this.column.name.toLowerCase() }) };
    // A list box without options would promise what is not there.
    set(this.list, tokens.length ? listbox : { role: "group", "aria-label": _("No tokens") });
  }

  /** A line of the text: where an edit replaces one line by another, only words that differ are made.
   *  Lines out of sight are not laid out; `old` is the line that stood in its place. */
  line(line, old, build) {
    const [element] = old?.nodes ?? [make("div", { class: "tv-line", role: "presentation" })];
    patch(element, old?.words ?? [], line.words, build);
    const rows = Math.ceil(line.words.reduce((sum, { length }) => sum + length, 0) / ROW);
    element.style.containIntrinsicBlockSize = `auto ${2.05 * rows}em`;
    return [element];
  }

  word({ first, end, read }, tokens, chips) {
    const element = make("span", { class: "tv-word", role: "presentation" });
    for (let i = first; i < end; i++) {
      const chip = chips.chip(tokens[i]);
      chip.setAttribute("role", "option");
      element.append(chip);
    }
    if (end - first > 12) element.classList.add("long");
    if (read) element.dir = read;
    return [element, document.createTextNode(" ")];
  }

  /** The chip of a token. */
  chipOf(index) {
    const word = this.words.findLast(({ first }) => first <= index);
    return word?.nodes[0].children[index - word.first];
  }

  clicked(target) {
    const chip = target.closest(".chip");
    if (!chip) return;
    const word = this.words.find(({ nodes }) => nodes[0] === chip.parentElement);
    this.does.choose(this, word.first + [...chip.parentElement.children].indexOf(chip));
  }

  key(event) {
    const last = this.column.tokens.length - 1;
    const at = this.index ?? -1;
    const to = {
      ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last,
    }[event.key];
    if (to === undefined || last < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.does.choose(this, Math.max(0, Math.min(last, to)));
  }

  /** Outlines a token; none if `index` is null. */
  choose(index) {
    if (this.chosen) {
      this.chosen.classList.remove("chosen");
      this.chosen.removeAttribute("id");
      this.chosen.removeAttribute("aria-selected");
    }
    this.index = index;
    this.chosen = index === null ? undefined : this.chipOf(index);
    if (!this.chosen) return this.list.removeAttribute("aria-activedescendant");
    this.chosen.classList.add("chosen");
    this.chosen.id = this.id;
    this.chosen.setAttribute("aria-selected", "true");
    this.list.setAttribute("aria-activedescendant", this.id);
  }

  /** Scrolls the list, and nothing else, to the chosen token. */
  reveal() {
    if (!this.chosen) return;
    const [list, chip] = [this.list.getBoundingClientRect(), this.chosen.getBoundingClientRect()];
    if (chip.top < list.top) this.list.scrollTop += chip.top - list.top - 6;
    else if (chip.bottom > list.bottom) this.list.scrollTop += chip.bottom - list.bottom + 6;
  }
}
