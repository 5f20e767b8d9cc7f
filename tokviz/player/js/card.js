// What is known of one token: its identity, where it comes from, what it is worth now.

import { wordDirection } from "./corpus_words.js";
import { button, codePoint, make, textNodes } from "./dom.js";
import { countNow, isAlive, tokenId, wordTokens, wordsWith } from "./run.js";
import { tokenBytes, tokenText } from "./tokens.js";
import { _, number } from "./i18n.js";

const WORDS = 4;

export class Card {
  /** `onlook` hears "word" or "token": what somebody wants to see more of. Null: there is no more. */
  constructor(onclose, onlook) {
    this.onlook = onlook;
    this.body = make("div");
    this.close = button(_("Close"), "close", onclose);
    const looks = [["word", _("Look into this word")], ["token", _("Look into this token")]];
    [this.intoWord, this.intoToken] = looks.map(([what, name]) => {
      const element = make("button", { type: "button", class: "tv-wide" }, name);
      element.onclick = () => onlook(what);
      return element;
    });
    this.more = make("p", { class: "tv-more" }, this.intoWord, this.intoToken);
    this.element = make("div", { class: "tv-card", hidden: "" }, this.body, this.more, this.close);
  }

  hide() {
    this.open(false);
  }

  /** Told by an attribute of its own too, which a style sheet can ask for in `:has()` (test_styles.py). */
  open(is) {
    this.element.hidden = !is;
    this.element.toggleAttribute("data-open", is);
  }

  /** Shows a token as of state t; with a way to see more of its word if it is in one. */
  show(run, chips, token, t, inWord) {
    this.open(true);
    this.more.hidden = !this.onlook;
    this.intoWord.hidden = !inWord;
    const facts = this.facts(run, chips, token, t).map(([name, ...value]) => {
      return make("div", {}, make("dt", {}, name), make("dd", {}, ...value));
    });
    this.body.replaceChildren(chips.chip(token), make("dl", {}, ...facts));
  }

  facts(run, chips, token, t) {
    if (token < 0) return [[_("id"), number(-2 - token)], [_("kind"), _("special token, never trained")]];
    const text = tokenText(run, token);
    const points = text === null ? [] : [...text].map(codePoint);
    const bytes = [...tokenBytes(run, token)].map((b) => b.toString(16).padStart(2, "0"));
    const { made, from, removed } = run.family.life(run, token);
    const alive = isAlive(run, token, t);
    const facts = [
      [_("id"), alive ? number(tokenId(run, token, t)) : _("not in this state's vocabulary")],
      [_("count now"), number(countNow(run, token, t))],
      [_("made by"), made],
    ];
    if (from.length) facts.push([_("from"), ...from.flatMap((token, i) => (i ? [" + ", chips.chip(token)] : [chips.chip(token)]))]);
    // A quiz may be about that.
    const told = !document.querySelector("html.tv-quiz, .tv-player[data-veiled]");
    if (told && removed) facts.push([_("removed by"), removed]);
    facts.push(
      [_("text"), ...(text === null ? [_("part of a character")] : text ? textNodes(text) : ["–"])],
      [_("code points"), points.slice(0, 12).join(" ") || "–"],
      [_("bytes"), bytes.slice(0, 24).join(" ") || "–"],
    );
    const words = wordsWith(run, token, t, WORDS);
    if (words.length) facts.push([_("words"), ...words.map((w) => this.word(run, chips, w, t))]);
    return facts;
  }

  word(run, chips, w, t) {
    const tokens = [...wordTokens(run, w, t)].slice(0, 12).map((token) => chips.chip(token));
    const times = make("span", { class: "tv-times" }, `×${number(run.word_counts[w])}`);
    const word = make("span", { class: "tv-word", dir: wordDirection(run, w), "data-w": w }, ...tokens);
    return make("span", {}, word, times);
  }
}
