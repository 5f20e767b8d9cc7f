// The corpus of one lane in chips: in text order, or word by word with counts, or with trees (trees.js); and in
// its place the vocabulary, where that is pruned (pruned_vocabulary.js).
//
// Only blocks in or near the visible part are drawn at once; the others follow when the browser is
// idle, so that a long excerpt scrubs as fast as a short one.

import { hasSameWords, looksAlike, renumber, writeLines } from "./blocks.js";
import { byCharacter } from "./characters.js";
import { direction, make, textNodes } from "./dom.js";
import { isClosing, mayBreak, putWords } from "./held.js";
import { whenIdle } from "./idle.js";
import { REST, breakLines, fill, hasRoom, isPresented, smallestPresented, widestState } from "./lines.js";
import { isNew, wordMarks, wordText, wordTokens } from "./run.js";
import { _, _n, number } from "./i18n.js";
import { tokenPairs, tokenText } from "./tokens.js";
import { EstimatedVocabulary, PrunedVocabulary } from "./pruned_vocabulary.js";
import { Trees } from "./trees.js";

const MOST_TOKENS = 300; // of one word, on the page
const LONG = 24; // characters from which on a word may be broken
const LONG_OF_BYTES = 12; // the same where bytes stand under their characters
const BLOCK = [20, 45, 60]; // words in a block: at least, unless the line ends; at most; with closing marks at its end
const AT_ONCE = 600; // words that are drawn without waiting for an idle moment at rest
const MARGINS = 8; // pixels beside a word
const WIDEST = 3; // em that a character with the edges of its token has at most
const RESTED = 700; // ms without another run after which letters may grow
const NEAR = 4; // blocks taken as visible before the browser says which are

/** The direction of an excerpt word. A number has no letter, but its digits stand from left to right in
 *  every script. */
export const wordDirection = (run, w) => directionOf(wordText(run, w));

const directionOf = (text) => direction(text) || (/\p{N}/u.test(text) ? "ltr" : "");

/** How many letters a token has, of the same word as many in every state: its parts without the markers between. */
const lettersOf = (parts) => (typeof parts === "string" ? parts.length : parts.reduce((sum, part, i) => sum + (i % 2 ? 0 : part.length), 0));

export class CorpusView {
  constructor(run, chips, view) {
    Object.assign(this, { run, chips, t: 0, contents: new Map(), treesFit: false });
    this.body = make("div", { class: "tv-lines" });
    this.said = make("small");
    this.element = make(
      "div", { class: "tv-panel tv-corpus", role: "group", tabindex: 0 },
      make("div", { class: "tv-heading" }, make("h3", {}, _("Corpus"), " ", this.said)), this.body,
    );
    this.trees = new Trees(run, chips, this.element, this.body, wordDirection);
    this.sizes = {};
    this.observer = new IntersectionObserver((entries) => this.see(entries), { root: this.element, rootMargin: "15% 0px" });
    this.renewed();
    new ResizeObserver(() => this.layOut()).observe(this.element);
    this.show(view);
  }

  /** Lays the words out as "text", "words" or "trees", or the "vocabulary"; draws nothing yet. Words stand instead
   *  of trees that do not fit, and of a vocabulary that is not pruned. */
  show(view) {
    this.view = view;
    this.showing = this.kindOf(view);
    this.observer.disconnect();
    this.stopCatchingUp();
    Object.assign(this, { blocks: new Map(), lines: [], words: 0, room: "" });
    this.body.classList.toggle("tv-trees", this.asTrees);
    this.body.classList.toggle("tv-pruned", this.asVocabulary);
    this.vocabulary.forget();
    if (this.asVocabulary) this.said.textContent = _("the vocabulary that it is cut by");
    if (this.asTrees || this.asVocabulary) return;
    this.body.replaceChildren();
    this.write();
  }

  /** The run has become another one, shown in a view: words that stand on the page already stay. */
  renew(view) {
    const before = this.from;
    this.renewed();
    this.contents.clear();
    this.trees.renew();
    if (this.kindOf(view) !== this.showing || this.asTrees) return this.exchange(view);
    this.view = view;
    if (this.asVocabulary) return;
    this.stopCatchingUp();
    if (!hasSameWords(before, this.from)) this.write();
    for (const block of this.blocks.values()) block.t = -1;
    this.isFresh = true;
  }

  /** Shows the run that has come otherwise than the one before it, in the letters that this had last. */
  exchange(view) {
    const { room, sizes, body } = this;
    sizes[this.showing] = body.style.getPropertyValue("--tv-fit");
    this.show(view);
    if (this.asTrees || !(this.showing in sizes)) return;
    body.style.setProperty("--tv-fit", sizes[this.showing]);
    this.vocabulary.isFitted = this.asVocabulary;
    this.room = room;
    this.fills = this.canFill;
  }

  renewed() {
    const { run, chips } = this;
    this.element.setAttribute("aria-label", _("Corpus of {lane}", { lane: run.label }));
    this.widest = widestState(run);
    this.from = { ...run };
    const Vocabulary = run.actions ? EstimatedVocabulary : PrunedVocabulary;
    if (this.vocabulary?.constructor !== Vocabulary) this.vocabulary = new Vocabulary(run, chips, this.element, this.body, (w) => this.emptyWord(w));
  }

  /** Puts the words on the page, in blocks. */
  write() {
    const text = this.showing === "text";
    const lines = (text ? this.textLines() : [[...this.run.by_count]]).filter(({ length }) => length);
    const key = this.wordKey(!text);
    const wanted = lines.map((line) => ({
      dir: text ? this.lineDirection(line) : "", blocks: this.cut(line).map((items) => ({ items, key: items.map(key).join("\0") })),
    }));
    const before = this.blocks;
    let n = 0;
    this.lines = writeLines(this.body, this.lines, wanted, (items, near) => this.block(items, !text, near ?? n++ < NEAR));
    this.blocks = new Map(this.lines.flatMap(({ blocks }) => blocks.map((block) => [block.element, block])));
    for (const element of before.keys()) if (!this.blocks.has(element)) this.observer.unobserve(element);
    for (const element of this.blocks.keys()) if (!before.has(element)) this.observer.observe(element);
    this.words = lines.reduce((n, { length }) => n + length, 0);
    this.said.textContent = this.describe(text);
    if (lines.length) return;
    const none = this.run.unshown ? _("Its words are too long to be shown.") : _("This corpus has no words.");
    this.body.append(make("p", { class: "tv-note" }, none));
  }

  /** What tells the words of the text apart, and those that are shown with their counts. */
  wordKey(counted) {
    const keys = Array.from(this.run.word_counts, (count, w) => wordText(this.run, w) + (counted ? ` ×${count}` : ""));
    return (w) => keys[w] ?? `special ${w}`;
  }

  /** How a view shows the run: words stand instead of trees that do not fit, of a vocabulary that is not pruned, and
   *  of a text that there is not. */
  kindOf(view) {
    if ((view === "trees" && this.treesFit) || (view === "vocabulary" && this.run.family.vocabularyParts)) return view;
    return view === "text" && this.run.has_text ? "text" : "words";
  }

  get asTrees() {
    return this.kindOf(this.view) === "trees";
  }

  get asVocabulary() {
    return this.kindOf(this.view) === "vocabulary";
  }

  get isAlone() {
    return this.element.closest(".tv-lanes")?.dataset.lanes === "1";
  }

  /** Whether letters are as large as there is room for. */
  get canFill() {
    return this.words <= AT_ONCE && (this.isAlone || isPresented()) && !this.asTrees && !this.asVocabulary;
  }

  textLines() {
    const lines = [[]];
    for (const w of this.run.order) {
      if (w === -1) lines.push([]);
      else lines.at(-1).push(w);
    }
    return lines;
  }

  /** By the text itself, not by what the chips show of it: bytes would turn the line around as they
   *  merge into letters. */
  lineDirection(line) {
    for (const w of line) {
      const found = w < 0 ? "" : direction(wordText(this.run, w));
      if (found) return found;
    }
    return "ltr";
  }

  /** A line in blocks, cut after a sentence where that is possible, and before no closing mark. */
  cut(line) {
    const blocks = [];
    let block = [];
    for (const [i, w] of line.entries()) {
      block.push(w);
      const isFull = block.length >= BLOCK[1] || (block.length >= BLOCK[0] && this.endsSentence(w));
      if (isFull && (!this.isClosing(line[i + 1]) || block.length >= BLOCK[2])) {
        blocks.push(block);
        block = [];
      }
    }
    if (block.length) blocks.push(block);
    return blocks;
  }

  isClosing(w) {
    return w >= 0 && isClosing(wordText(this.run, w));
  }

  endsSentence(w) {
    const last = w < 0 ? undefined : [...wordTokens(this.run, w, 0)].at(-1);
    return last !== undefined && /[.!?。！？۔।]$/u.test(tokenText(this.run, last) ?? "");
  }

  block(items, counted, near) {
    const element = make("span", { class: "tv-block" });
    const lines = Math.ceil(items.length / 9);
    element.style.containIntrinsicBlockSize = `auto ${lines * 2}em`;
    return { element, items, counted, near, t: -1 };
  }

  describe(text = false) {
    const { run } = this;
    if (this.asTrees) {
      const shown = this.frequent(this.trees.shown.length);
      return this.trees.tooLong ? _("{shown}; long words left out", { shown }) : shown;
    }
    if (run.unshown) {
      const values = { shown: this.shown(text), most: number(run.longest_shown) };
      return _("{shown}; words of more than {most} characters are not shown", values);
    }
    return this.shown(text);
  }

  shown(text) {
    const { run } = this;
    if (text) {
      const shown = run.order.reduce((n, w) => n + (w >= 0), 0);
      const values = { shown: number(shown), total: number(run.words_total) };
      if (shown < run.words_total) return _("the first {shown} of {total} words", values);
      return _n("{n} word", "{n} words", run.words_total);
    }
    return this.frequent(run.by_count.length);
  }

  frequent(shown) {
    const all = this.run.words_distinct;
    if (shown < all) return _("the {shown} most frequent of {total} words", { shown: number(shown), total: number(all) });
    return _n("{n} different word", "{n} different words", all);
  }

  /** Lays the words out anew where the panel has another size: as large as they fit, and in lines that
   *  end at the same words in every state. */
  layOut() {
    const width = this.body.clientWidth;
    const room = `${width} ${this.element.clientHeight} ${getComputedStyle(this.element).fontSize}`;
    if (room === this.room || !width) return;
    Object.assign(this, { room, width });
    this.vocabulary.forget();
    this.forgetLines();
    this.body.style.removeProperty("--tv-fit");
    this.usual = parseFloat(getComputedStyle(this.body).fontSize);
    clearTimeout(this.fitting);
    if (room !== this.sizedFor) Object.assign(this, { sizedFor: room, sizes: {} });
    const alone = this.isAlone;
    this.offerTrees();
    this.fills = this.canFill;
    if (this.asTrees) {
      this.trees.layOut(this.t, alone);
      this.said.textContent = this.describe();
    } else if (this.fills) {
      for (const block of this.blocks.values()) this.drawWidest(block);
      this.breakWide([...this.blocks.values()]);
      fill(this.element, this.body, alone ? undefined : smallestPresented(this.body));
      this.element.dispatchEvent(new CustomEvent("tokviz-filled", { bubbles: true }));
      this.endedAt = this.letters;
    }
    this.draw(this.t);
  }

  forgetLines() {
    for (const block of this.blocks.values()) {
      Object.assign(block, { broken: false, t: -1 });
      for (const place of block.places ?? []) if (place.wide) Object.assign(place, { wide: false, content: null });
    }
  }

  /** The size of its letters, where they fill the panel. */
  get letters() {
    return this.body.style.getPropertyValue("--tv-fit");
  }

  /** Ends its lines anew if its letters got another size from another text since. */
  follow() {
    if (!this.fills || this.letters === this.endedAt) return;
    this.endedAt = this.letters;
    this.forgetLines();
    this.draw(this.t);
  }

  /** After another run has come: letters are fitted anew at once where they have no room any more, else at rest. */
  refit() {
    clearTimeout(this.fitting);
    if (this.asVocabulary) return this.vocabulary.refit();
    if (!this.fills) return;
    const { element, body } = this;
    const again = () => {
      this.room = "";
      this.layOut();
    };
    if (hasRoom(element)) this.fitting = setTimeout(again, RESTED);
    else if (body.style.getPropertyValue("--tv-fit") || element.scrollWidth > element.clientWidth) again();
  }

  /** Says so where trees fit no longer, or do again. */
  offerTrees() {
    const fit = this.trees.fit();
    if (fit === this.treesFit) return;
    this.treesFit = fit;
    const { room } = this;
    if (this.view === "trees") this.show("trees");
    this.room = room;
    this.element.dispatchEvent(new CustomEvent("tokviz-trees"));
  }

  /** Draws state t; while moves come `rapid`ly, no more of it than is seen. */
  draw(t, rapid) {
    this.t = t;
    if (!this.room) this.layOut();
    this.stopCatchingUp();
    if (this.asTrees) return this.trees.draw(t);
    if (this.asVocabulary) return this.vocabulary.draw(t);
    // Of a run that has just come, and while moves come rapidly, no more than is seen.
    const { isFresh } = this;
    this.isFresh = false;
    const all = !rapid && !isFresh && this.words <= AT_ONCE;
    const blocks = [...this.blocks.values()];
    const drawn = blocks.filter(({ near }) => all || near);
    // In the widest state lines end where they will: at rest that costs no layout that anybody waits for.
    this.drawBlocks(drawn, isFresh && this.fills && t === this.widest);
    if (drawn.length < blocks.length) this.resting = setTimeout(() => this.waitForIdle(), rapid ? REST : 0);
  }

  stopCatchingUp() {
    clearTimeout(this.resting);
    this.callOff?.();
  }

  waitForIdle() {
    this.callOff = whenIdle((left) => this.catchUp(left));
  }

  /** Draws what nobody sees yet, as far as there is time. */
  catchUp(left) {
    for (const block of this.blocks.values()) {
      if (block.t === this.t) continue;
      if (left() < 3) return this.waitForIdle();
      this.drawBlocks([block]);
    }
  }

  /** The words that are drawn and in or near the visible part. */
  near() {
    return [...this.blocks.values()].flatMap(({ near, places }) => (near && places ? places.map(({ element }) => element) : []));
  }

  /** Draws what has come near, all at once: the browser lays it out once. */
  see(entries) {
    const seen = entries.filter(({ target }) => this.blocks.has(target));
    for (const { target, isIntersecting } of seen) this.blocks.get(target).near = isIntersecting;
    this.drawBlocks(seen.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => this.blocks.get(target)));
  }

  /** Draws blocks as of the state, in lines that end at the same words in every state; or, `isUnbroken`, where the
   *  browser ends them. */
  drawBlocks(blocks, isUnbroken = false) {
    const stale = blocks.filter(({ t }) => t !== this.t);
    const unbroken = this.room && !isUnbroken ? stale.filter((block) => !block.broken) : [];
    for (const block of unbroken) this.drawWidest(block);
    this.breakWide(unbroken);
    breakLines(unbroken.map((block) => block.places.map(({ holder }) => holder)));
    for (const block of unbroken) block.broken = true;
    for (const block of stale) this.drawState(block, this.t);
  }

  /** The state in which words take most room, in lines that end where they may. */
  drawWidest(block) {
    block.element.querySelectorAll("br").forEach((end) => end.remove());
    this.drawState(block, this.widest);
  }

  /** Words that are wider than the panel take several lines, as long ones do. */
  breakWide(blocks) {
    // A step asks for no layout.
    if (!blocks.length) return;
    // What is known is not asked for: there would be one layout more.
    const { width } = this;
    const size = parseFloat(this.body.style.getPropertyValue("--tv-fit")) || this.usual;
    const most = (width - MARGINS) / (WIDEST * size);
    // To measure a word has its block laid out by itself: only long ones can be wide.
    const isWide = ({ w, element }) => {
      if (isClosing(wordText(this.run, w))) return false;
      const whole = element.closest(".tv-held") ?? element;
      return whole.textContent.length > most && whole.offsetWidth + MARGINS > width;
    };
    const wide = blocks.flatMap(({ places }) => places.filter(isWide));
    for (const place of wide) {
      place.wide = true;
      if (place.element.classList.contains("long")) continue;
      place.element.classList.add("long");
      place.element.replaceChildren(...mayBreak([...place.element.children], place.isHeld));
    }
  }

  drawState(block, t) {
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
      place.element.replaceChildren(...(isLong ? mayBreak(chips, place.isHeld) : chips));
    }
  }

  /** Whether the next step changes a word. */
  isNext(w) {
    return w >= 0 && this.content(w, this.t).marks.some(Boolean);
  }

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
    for (const [i, place] of places.entries()) place.isHeld = held[i];
    return places.filter(({ w }) => w >= 0);
  }

  emptyWord(w, text = wordText(this.run, w)) {
    return make("span", { class: "tv-word", dir: directionOf(text), "data-w": w });
  }

  /** The tokens of a word in state t; made once for all its places. */
  content(w, t) {
    const known = this.contents.get(w);
    if (known?.t === t) return known;
    const all = wordTokens(this.run, w, t);
    const tokens = all.length > MOST_TOKENS ? all.slice(0, MOST_TOKENS) : all;
    const marks = wordMarks(this.run, tokens, t);
    const fresh = tokens.some((token) => isNew(this.run, token, t));
    const signature = `${tokens.join()} ${marks.join("")}${fresh}${all.length}`;
    const length = tokens.reduce((sum, token) => sum + lettersOf(this.run.tokens[token]), 0);
    const content = { t, tokens, marks, fresh, signature, length, more: all.length - tokens.length };
    this.contents.set(w, content);
    return content;
  }

  wordChips({ tokens, marks, more }, groups, t) {
    const shown = [];
    for (const { from, to, over } of groups) {
      const chips = this.tokenChips(tokens, marks, t, from, to);
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
  tokenChips(tokens, marks, t, from, to) {
    const shown = [];
    const chip = (i, mark) => {
      const kinds = [mark, isNew(this.run, tokens[i], t) && "new"];
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
