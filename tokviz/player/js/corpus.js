// The corpus of one lane in chips: in text order, or word by word with counts (corpus_words.js), or with trees
// (trees.js); and in its place the vocabulary, where that is pruned (pruned_vocabulary.js).
//
// Only blocks that are seen are drawn at once; the others follow when the browser is
// idle, so that a long excerpt scrubs as fast as a short one.

import { hasSameWords, writeLines } from "./blocks.js";
import { CorpusFit } from "./corpus_fit.js";
import { CorpusWords, wordDirection } from "./corpus_words.js";
import { direction, make } from "./dom.js";
import { isClosing } from "./held.js";
import { whenIdle } from "./idle.js";
import { REST } from "./lines.js";
import { wordText, wordTokens } from "./run.js";
import { _, _n, number } from "./i18n.js";
import { tokenText } from "./tokens.js";
import { EstimatedVocabulary, PrunedVocabulary } from "./pruned_vocabulary.js";
import { explainedSigns } from "./signs.js";
import { Trees } from "./trees.js";

const BLOCK = [20, 45, 60]; // words in a block: at least, unless the line ends; at most; with closing marks at its end
const AT_ONCE = 600; // words that are drawn without waiting for an idle moment at rest
const NEAR = 4; // blocks taken as visible before the browser says which are

export class CorpusView {
  constructor(run, chips, view) {
    Object.assign(this, { run, chips, t: 0, treesFit: false });
    this.body = make("div", { class: "tv-lines" });
    this.said = make("small");
    this.signs = make("small", { class: "tv-signs-explained" });
    this.element = make(
      "div", { class: "tv-panel tv-corpus", role: "group", tabindex: 0 },
      make("div", { class: "tv-heading" }, make("h3", {}, _("Corpus"), " ", this.said), this.signs), this.body,
    );
    this.trees = new Trees(run, chips, this.element, this.body, wordDirection);
    this.words = new CorpusWords(run, chips);
    this.fit = new CorpusFit(run, this.words, this.element, this.body, () => this.layOut());
    this.observer = new IntersectionObserver((entries) => this.see(entries), { root: this.element });
    this.dress();
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
    Object.assign(this, { blocks: new Map(), lines: [], count: 0 });
    this.fit.room = "";
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
    const before = this.words.from;
    this.words.renew();
    this.fit.renew();
    this.trees.renew();
    this.dress();
    if (this.kindOf(view) !== this.showing || this.asTrees) return this.exchange(view);
    this.view = view;
    if (this.asVocabulary) return;
    this.stopCatchingUp();
    if (!hasSameWords(before, this.words.from)) this.write();
    for (const block of this.blocks.values()) block.t = -1;
    this.isFresh = true;
  }

  /** Shows the run that has come otherwise than the one before it, in the letters that this had last. */
  exchange(view) {
    const { fit } = this;
    const { room } = fit;
    fit.keep(this.showing);
    this.show(view);
    if (this.asTrees || !fit.restore(this.showing, room)) return;
    this.vocabulary.isFitted = this.asVocabulary;
    fit.choose(this.isShort);
  }

  /** Has the name of its lane, and a vocabulary of the kind that its run has. */
  dress() {
    const { run, chips } = this;
    this.element.setAttribute("aria-label", _("Corpus of {lane}", { lane: run.label }));
    this.signs.replaceChildren(...explainedSigns(run));
    const Vocabulary = run.actions ? EstimatedVocabulary : PrunedVocabulary;
    if (this.vocabulary?.constructor !== Vocabulary) this.vocabulary = new Vocabulary(run, chips, this.element, this.body, (w) => this.words.emptyWord(w));
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
    this.count = lines.reduce((n, { length }) => n + length, 0);
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

  /** Whether words stand here that are few enough to be laid out as a whole. */
  get isShort() {
    return this.count <= AT_ONCE && !this.asTrees && !this.asVocabulary;
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
    const { fit } = this;
    if (!fit.measure()) return;
    this.vocabulary.forget();
    fit.begin(this.blocks.values());
    this.offerTrees();
    fit.choose(this.isShort);
    if (this.asTrees) {
      this.trees.layOut(this.t, fit.isAlone);
      this.said.textContent = this.describe();
    } else if (fit.fills) fit.fill([...this.blocks.values()]);
    this.draw(this.t);
  }

  /** Ends its lines anew if its letters got another size from another text since. */
  follow() {
    if (!this.fit.follows()) return;
    this.fit.forgetLines(this.blocks.values());
    this.draw(this.t);
  }

  /** After another run has come: what it is shown in is fitted anew. */
  refit() {
    this.fit.callOff();
    (this.asVocabulary ? this.vocabulary : this.fit).refit();
  }

  /** Says so where trees fit no longer, or do again. */
  offerTrees() {
    const fit = this.trees.fit();
    if (fit === this.treesFit) return;
    this.treesFit = fit;
    const { room } = this.fit;
    if (this.view === "trees") this.show("trees");
    this.fit.room = room;
    this.element.dispatchEvent(new CustomEvent("tokviz-trees"));
  }

  /** Draws state t; while moves come `rapid`ly, no more of it than is seen. */
  draw(t, rapid) {
    this.t = t;
    if (!this.fit.room) this.layOut();
    this.stopCatchingUp();
    if (this.asTrees) return this.trees.draw(t);
    if (this.asVocabulary) return this.vocabulary.draw(t);
    // Of a run that has just come, and while moves come rapidly, no more than is seen.
    const { isFresh } = this;
    this.isFresh = false;
    const all = !rapid && !isFresh && this.count <= AT_ONCE;
    const blocks = [...this.blocks.values()];
    const drawn = blocks.filter(({ near }) => all || near);
    // In the widest state lines end where they will: at rest that costs no layout that anybody waits for.
    this.drawBlocks(drawn, isFresh && this.fit.fills && t === this.fit.widest);
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
    if (this.fit.room && !isUnbroken) this.fit.endLines(stale.filter((block) => !block.broken));
    for (const block of stale) this.words.draw(block, this.t);
  }
}
