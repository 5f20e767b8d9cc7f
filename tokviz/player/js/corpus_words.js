// What stands in the places of the words of a corpus: their tokens in chips, those of the next pair in a frame, and
// bytes below their characters.

import { looksAlike, renumber } from "./blocks.js";
import { byCharacter } from "./characters.js";
import { direction, make, textNodes } from "./dom.js";
import { mayBreak, putWords } from "./held.js";
import { _n, number } from "./i18n.js";
import { isNew, wordBorders, wordMarks, wordText, wordTokens } from "./run.js";
import { tokenPairs } from "./tokens.js";

const MOST_TOKENS = 300; // of one word, on the page
const LONG = 24; // characters from which on a word may be broken
const LONG_OF_BYTES = 12; // the same where bytes stand under their characters

/** The direction of an excerpt word. A number has no letter, but its digits stand from left to right in
 *  every script. */
export const wordDirection = (run, w) => directionOf(wordText(run, w));

const directionOf = (text) => direction(text) || (/\p{N}/u.test(text) ? "ltr" : "");

/** How many letters a token has, of the same word as many in every state: its parts without the markers between. */
const lettersOf = (parts) => (typeof parts === "string" ? parts.length : parts.reduce((sum, part, i) => sum + (i % 2 ? 0 : part.length), 0));

export class CorpusWords {
  constructor(run, chips) {
    Object.assign(this, { run, chips, contents: new Map() });
    this.renew();
  }

  /** The run has become another one. What was drawn is `from` the one before. */
  renew() {
    this.from = { ...this.run };
    this.contents.clear();
  }

  /** Draws the words of a block as of state t; those that look so already stay. */
  draw(block, t) {
    block.t = t;
    block.places ??= this.places(block);
    for (const place of block.places) {
      const content = this.content(place.w, t);
      const isKnown = place.content && place.from === this.from;
      const isSame = place.content?.signature === content.signature;
      if (isKnown && isSame) continue;
      const isAlike = place.content && !isKnown && looksAlike(place, content, this.run);
      Object.assign(place, { content, from: this.from });
      if (isAlike) {
        if (!isSame) renumber(place.element, content);
        continue;
      }
      const groups = byCharacter(this.run, content.tokens, content.marks);
      const isLong = place.wide || content.length > (groups.some(({ over }) => over) ? LONG_OF_BYTES : LONG);
      const chips = this.wordChips(content, groups, t);
      place.element.classList.toggle("long", isLong);
      place.element.replaceChildren(...(isLong ? mayBreak(chips, place.isHeld, place.follows) : chips));
    }
  }

  /** A word that is drawn may be broken where its tokens may part, in every state. */
  part(place) {
    place.wide = true;
    if (place.element.classList.contains("long")) return;
    place.element.classList.add("long");
    place.element.replaceChildren(...mayBreak([...place.element.children], place.isHeld, place.follows));
  }

  /** Whether the step out of state t changes a word. */
  isNext(w, t) {
    return w >= 0 && this.content(w, t).marks.some(Boolean);
  }

  /** The places of a block's words, each an empty word in an element that may have its count as well. */
  places({ element, items, counted }) {
    const texts = items.map((w) => (w < 0 ? "" : wordText(this.run, w)));
    const places = items.map((w, i) => {
      const word = w < 0 ? this.chips.chip(w) : this.emptyWord(w, texts[i]);
      const times = counted && make("span", { class: "tv-times" }, `×${number(this.run.word_counts[w])}`);
      return { w, element: word, holder: counted ? make("span", { class: "tv-counted" }, word, times) : word, content: null, wide: false };
    });
    // It may have had other words.
    element.replaceChildren();
    const held = putWords(element, places.map(({ holder }) => holder), counted ? texts.map(() => "") : texts);
    for (const [i, place] of places.entries()) Object.assign(place, { isHeld: held[i], follows: held[i - 1] });
    return places.filter(({ w }) => w >= 0);
  }

  /** A word that has no chips yet. */
  emptyWord(w, text = wordText(this.run, w)) {
    return make("span", { class: "tv-word", dir: directionOf(text), "data-w": w });
  }

  /** The tokens of a word in state t; made once for all its places. */
  content(w, t) {
    const known = this.contents.get(w);
    if (known?.t === t) return known;
    const all = wordTokens(this.run, w, t);
    const tokens = all.length > MOST_TOKENS ? all.slice(0, MOST_TOKENS) : all;
    const marks = wordMarks(this.run, tokens, t, w);
    const borders = wordBorders(this.run, w, t);
    const fresh = tokens.some((token) => isNew(this.run, token, t));
    const signature = `${tokens.join()} ${marks.join("")}${fresh}${all.length} ${borders.join()}`;
    const length = tokens.reduce((sum, token) => sum + lettersOf(this.run.tokens[token]), 0);
    const content = { t, tokens, marks, borders: new Set(borders), fresh, signature, length, more: all.length - tokens.length };
    this.contents.set(w, content);
    return content;
  }

  wordChips({ tokens, marks, borders, more }, groups, t) {
    const shown = [];
    for (const { from, to, over } of groups) {
      const chips = this.tokenChips({ tokens, marks, borders }, t, from, to);
      if (!over) shown.push(...chips);
      else shown.push(make("span", { class: "tv-stack" }, make("span", {}, ...textNodes(over)), make("span", { class: "tv-under" }, ...chips)));
    }
    if (more) {
      shown.push(make("span", { class: "tv-note" }, _n(" … and {n} more token in this word", " … and {n} more tokens in this word", more)));
    }
    return shown;
  }

  /** The chips of some tokens of a word, the next pair in a frame. Each names the pairs that it is in, as
   *  rows of the candidates do: what belongs together is outlined by one rule. */
  tokenChips({ tokens, marks, borders }, t, from, to) {
    const shown = [];
    const chip = (i, mark) => {
      const kinds = [mark, isNew(this.run, tokens[i], t) && "new", borders.has(i) && "border"];
      const element = this.chips.chip(tokens[i], kinds.filter(Boolean).join(" "));
      element.dataset.pairs = tokenPairs(tokens, i);
      return element;
    };
    for (let i = from; i < to; i++) {
      if (marks[i] === "left" && marks[i + 1] === "right") {
        shown.push(make("span", { class: "tv-pair" }, chip(i), chip(++i)));
      } else {
        shown.push(chip(i, marks[i] === "doomed" && "doomed"));
      }
    }
    return shown;
  }
}
