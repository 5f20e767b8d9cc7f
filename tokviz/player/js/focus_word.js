// One word that all lanes have, cut by each of them, one under the other and letter under letter.

import { wordsByText } from "./axis.js";
import { make, visible } from "./dom.js";
import { _, _n, number } from "./i18n.js";
import { wordTokens } from "./run.js";
import { tokenBytes, tokenName } from "./tokens.js";

const LONGEST_WORD = 30; // characters of a word
const MOST_OFFERED = 300; // words
const TELLING = 40; // the longest of so many frequent words is shown first
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\u{1f000}-\u{3ffff}]/u;

/** The words that all runs have, as [{ text, words }] with the excerpt word of each run, the first run's most
 *  frequent first; without the space before it where runs write that differently. */
export function commonWords(runs) {
  const whole = new Set(runs.map((run) => run.spelling)).size === 1;
  const [first, ...others] = runs.map((run) => wordsByText({ run }, whole));
  const texts = new Map([...first].map(([text, w]) => [w, text]));
  const found = [];
  for (const w of runs[0].by_count) {
    const words = [w, ...others.map((byText) => byText.get(texts.get(w)))];
    if (!texts.has(w) || words.includes(undefined)) continue;
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(texts.get(w), (char) => char.charCodeAt(0)));
    found.push({ text, words });
  }
  return found;
}

/** The tokens of an excerpt word in state t, as [{ token, from, to }]: their places in bytes of its text. */
export function cutPlaces(run, w, t) {
  let to = 0;
  return Array.from(wordTokens(run, w, t), (token) => {
    const from = to;
    to += tokenBytes(run, token).length;
    return { token, from, to };
  });
}

/** The characters of some bytes, as [{ char, from, to }]; those that are a part of one have no `char`. */
export function charactersOf(bytes) {
  const found = [];
  for (let from = 0; from < bytes.length; ) {
    const size = [...bytes.subarray(from + 1, from + 4)].findIndex((byte) => (byte & 0xc0) !== 0x80);
    const to = Math.min(bytes.length, from + 1 + (size < 0 ? 3 : size));
    const char = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(from, to));
    found.push({ char: char.includes("\ufffd") ? "" : char, from, to });
    from = to;
  }
  return found;
}

export class FocusWord {
  /** `tools` are what stands beside it: it is the heading of all lanes. */
  constructor(lanes, tools) {
    this.lanes = lanes;
    this.select = make("select", { "aria-label": _("Word that all lanes cut") });
    this.select.onchange = () => this.show(Number(this.select.value));
    this.rows = make("ul", { class: "tv-focus-rows", tabindex: 0, "aria-label": _("One word") });
    this.rule = make("style");
    this.label = make("label", {}, make("strong", {}, _("One word")), " ", this.select);
    this.element = make("div", { class: "tv-focus" }, make("div", { class: "tv-focus-head" }, this.label, tools), this.rows, this.rule);
    this.renew();
  }

  /** The runs are there, or have become others: the word in focus stays if all of them have it. */
  renew() {
    const before = this.words?.[this.at]?.text;
    this.drawn = null;
    const runs = this.lanes.map(({ run }) => run);
    this.words = commonWords(runs).filter(({ text }) => [...text].length <= LONGEST_WORD && text.trim()).slice(0, MOST_OFFERED);
    this.select.replaceChildren(...this.words.map(({ text }, i) => new Option(visible(text.trim()), i)));
    this.label.hidden = !this.words.length;
    const telling = this.words.slice(0, TELLING);
    const longest = Math.max(0, ...telling.map(({ text }) => text.length));
    const same = this.words.findIndex(({ text }) => text === before);
    this.at = same >= 0 ? same : telling.findIndex(({ text }) => text.length === longest);
  }

  /** Another word is in focus. */
  show(i) {
    this.at = i;
    this.draw();
  }

  /** A word of a lane was clicked. */
  take(lane, w) {
    const i = this.words.findIndex(({ words }) => words[lane] === w);
    if (i >= 0) this.show(i);
  }

  draw() {
    const word = this.words[this.at];
    if (!word) return this.rows.replaceChildren();
    const states = this.lanes.map(({ run, t }, i) => [this.at, ...wordTokens(run, word.words[i], t)].join());
    if (states.join(";") === this.drawn) return;
    this.drawn = states.join(";");
    this.select.value = this.at;
    const bytes = new TextEncoder().encode(word.text.trimStart());
    const letters = charactersOf(bytes);
    const widths = letters.map(({ char, from, to }) => `repeat(${to - from}, calc(${WIDE.test(char) ? 2.4 : 1.6}ch / ${to - from}))`);
    const columns = `1.6ch ${widths.join(" ")}`;
    this.rows.replaceChildren(...this.lanes.map((lane, i) => this.row(lane, word.words[i], bytes, columns)));
    const rule = word.words.map((w, lane) => `.tv-player [data-lane="${lane}"] .tv-lines .tv-word[data-w="${w}"]`).join() + " { background: var(--tv-soft); border-radius: 6px; }";
    // Any rule that is written has the whole page styled anew.
    if (this.rule.textContent !== rule) this.rule.textContent = rule;
  }

  /** How a lane cuts the word: in the first column stands the space before it, if that is a part of it. */
  row({ run, chips, t }, w, bytes, columns) {
    const cuts = cutPlaces(run, w, t);
    const lead = cuts.at(-1).to - bytes.length;
    const cut = make("span", { class: "tv-focus-cut", role: "img", "aria-label": visible(cuts.map(({ token }) => tokenName(run, token)).join(" ")) });
    cut.style.gridTemplateColumns = columns;
    for (const { token, from, to } of cuts) {
      const [first, end] = [from, to].map((at) => Math.max(0, at - lead + 1));
      if (first === end) continue;
      const chip = chips.chip(token);
      chip.style.gridColumn = `${first + 1} / ${end + 1}`;
      const within = tokenBytes(run, token).subarray(Math.max(0, lead - from));
      chip.replaceChildren(...(first === 0 ? [make("span", { class: "m" }, "␣")] : []), ...charactersOf(within).map(({ char, from, to }) => {
        const letter = make("span", {}, char ? visible(char) : "");
        letter.style.gridColumn = `span ${to - from}`;
        return letter;
      }));
      cut.append(chip);
    }
    const said = _n("{n} token", "{n} tokens", cuts.length, { n: number(cuts.length) });
    return make("li", {}, make("span", { class: "tv-focus-name" }, run.label), cut, make("small", {}, said));
  }
}
