// How words are split into symbols and how symbols are shown, as tokviz.text.symbols has it: a marker and a
// look-alike in the text are never confused. A symbol is { text, continuing, ends }. Knows no page.

import { BARE_SUFFIX, CHARACTER, CONTINUING, ENDS_WORD } from "./core.js";

const printable = (byte) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte < 0xad) || byte > 0xad;
const unprintable = Array.from({ length: 256 }, (_none, byte) => byte).filter((byte) => !printable(byte));
/** The characters that GPT-2 prints for bytes. */
export const BYTES = Array.from({ length: 256 }, (_none, byte) => String.fromCodePoint(printable(byte) ? byte : 0x100 + unprintable.indexOf(byte)));

/** Below 0 if the first text is smaller, by code points. */
export function compareTexts(a, b) {
  for (let i = 0; ; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) ? (Number.isNaN(y) ? 0 : -1) : 1;
    // Halves of a pair stand for code points above all others.
    const rank = (unit) => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
    return rank(x) - rank(y);
  }
}

const compareSymbols = (a, b) => compareTexts(a.text, b.text) || a.continuing - b.continuing || a.ends - b.ends;

/** One text for equal symbols. */
export const nameOf = ({ text, continuing, ends }) => `${text}\0${continuing}\0${ends}`;

/** What merging two symbols gives: the right one's prefix goes. */
export const joined = (left, right) => ({ text: left.text + right.text, continuing: left.continuing, ends: right.ends });

export class Spelling {
  constructor({ unit, prefix, suffix, glued, mark }) {
    Object.assign(this, { unit, prefix, suffix, glued, mark });
  }

  /** The symbol of a form that the core has. */
  symbolOf(form) {
    const code = form & CHARACTER;
    const text = form & BARE_SUFFIX ? "" : this.unit === "byte" ? BYTES[code] : String.fromCodePoint(code);
    return { text, continuing: Boolean(form & CONTINUING), ends: Boolean(form & ENDS_WORD) };
  }

  /** A whole word as one symbol, without a suffix. */
  whole(word) {
    const text = this.unit === "byte" ? Array.from(new TextEncoder().encode(word), (byte) => BYTES[byte]).join("") : word;
    return { text, continuing: false, ends: false };
  }

  /** The symbols of the words and of the initial alphabet, in id order: by code point as shown, or first all bare
   *  characters, as Hugging Face's tokenizers has it. */
  alphabet(forms, { initial, bare_first: bareFirst }) {
    const known = new Map();
    const add = (symbol) => known.has(nameOf(symbol)) || known.set(nameOf(symbol), symbol);
    forms.forEach(add);
    for (const entry of initial) {
      const texts = entry === "bytes" ? BYTES : [...this.whole(entry).text];
      for (const text of texts) add({ text, continuing: false, ends: false });
    }
    if (!bareFirst) {
      const shown = new Map([...known.values()].map((symbol) => [symbol, this.show(symbol)]));
      return [...known.values()].sort((a, b) => compareTexts(shown.get(a), shown.get(b)) || compareSymbols(a, b));
    }
    for (const { text } of [...known.values()]) if (text) add({ text, continuing: false, ends: false });
    const marked = ({ continuing, ends }) => Number(continuing || ends);
    return [...known.values()].sort((a, b) => marked(a) - marked(b) || compareSymbols(a, b));
  }

  show(symbol) {
    return this.parts(symbol).map(([part]) => part).join("");
  }

  /** What is shown, in parts; true marks a marker that is no text. */
  parts({ text, continuing, ends }) {
    const { prefix, suffix } = this;
    const parts = continuing ? [[prefix, true]] : [];
    let tail = "";
    if (prefix && !continuing && text.startsWith(prefix)) {
      parts.push([`⟨${prefix}⟩`, false]);
      text = text.slice(prefix.length);
    }
    if (suffix && !ends && text.endsWith(suffix)) {
      text = text.slice(0, text.length - suffix.length);
      tail = `⟨${suffix}⟩`;
    }
    parts.push(...this.withSpaces(text));
    if (tail) parts.push([tail, false]);
    return ends ? [...parts, [suffix, true]] : parts;
  }

  withSpaces(text) {
    let [mark, space] = [this.mark, " "];
    if (this.unit === "byte") {
      mark = space = "Ġ";
    } else {
      text = text.replaceAll("⟨", "⟨⟨⟩");
      if (mark !== " ") text = text.replaceAll(mark, `⟨${mark}⟩`);
    }
    if (mark === " ") return text ? [[text, false]] : [];
    return text.split(space).flatMap((run, i) => [...(i ? [[mark, true]] : []), ...(run ? [[run, false]] : [])]);
  }

  /** The shown parts as pack.py writes them: one text, or [text, marker, text, marker, …]. */
  packed(symbol) {
    const parts = this.parts(symbol);
    if (!parts.some(([, isMarker]) => isMarker)) return parts.map(([part]) => part).join("");
    const split = [""];
    for (const [part, isMarker] of parts) {
      if (isMarker !== (split.length % 2 === 0)) split.push("");
      split[split.length - 1] += part;
    }
    return split;
  }

  /** What alphabetical rules compare of a starting symbol: the byte, the character as displayed where `displayed`;
   *  -1 if it has none. */
  character({ text }, displayed) {
    if (!text) return -1;
    if (this.unit === "byte") return displayed ? text.codePointAt(0) : BYTES.indexOf(text);
    return (text === " " ? this.mark : text).codePointAt(0);
  }
}
