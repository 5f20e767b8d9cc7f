// What stays in one line, as in print: closing marks with what stands before them, opening marks with what follows.

import { CLOSING, make } from "./dom.js";

const MOST_HELD = 24; // letters that stay together for that: more might be wider than their line
/** Small kana, and signs that repeat or lengthen what stands before them. */
const FOLLOWING = /^[ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮー々ゝヽ]/;
const ENDS_NONE = /[\p{Ps}\p{Pi}]$/u;
const UNBROKEN = "\u00a0";

/** Whether a word is of signs only and begins with a closing one. */
export const isClosing = (text = "") => CLOSING.test(text.replace(/^["']/, "")) && !/[\p{L}\p{N}]/u.test(text);

const beginsNone = (text) => CLOSING.test(text.replace(/^##/, "")) || FOLLOWING.test(text);

/** Bytes are read by the characters that they stand under. */
const readText = (element) => (element.matches(".tv-stack") ? element.firstChild : element).textContent;

/** In letters; what stands under a character is smaller. */
const lengthOf = (element) => (element.matches(".tv-stack") ? 0.7 * element.lastChild.textContent.length : element.textContent.length);

const heldTogether = (...parts) => make("span", { class: "tv-held" }, ...parts);

/** Puts words, or what has them, behind one another into an element; their texts say what may part them. Returns for
 *  each whether the next one stays with it. */
export function putWords(element, words, texts) {
  let line = element;
  let length = 0;
  return words.map((word, i) => {
    const follows = i + 1 < words.length && ENDS_NONE.test(texts[i]);
    const mark = isClosing(texts[i + 1]) ? texts[i + 1] : follows ? texts[i] : "";
    length += mark.length;
    const staying = mark !== "" && length <= MOST_HELD;
    if (staying && line === element) element.append((line = heldTogether()));
    line.append(word, ...(staying ? [UNBROKEN] : []));
    if (staying) return true;
    element.append(" ");
    [line, length] = [element, 0];
    return false;
  });
}

/** The tokens of a word that takes several lines, parted only where they are told that they may be; `staying` says
 *  whether the next word stays with the last of them, `following` whether the first stays with the word before. */
export function mayBreak(tokens, staying, following) {
  const parts = [];
  for (const token of tokens) {
    const last = parts.at(-1);
    const [text, length] = [readText(token), lengthOf(token)];
    const stays = last && (beginsNone(text) || ENDS_NONE.test(last.text)) && last.length + length <= MOST_HELD;
    if (stays) Object.assign(last, { tokens: [...last.tokens, token], text, length: last.length + length });
    else parts.push({ tokens: [token], text, length });
  }
  return parts.flatMap(({ tokens: all, length }, i) => {
    const stays = (staying && i === parts.length - 1) || (following && !i);
    const isHeld = all.length > 1 || (stays && length <= MOST_HELD);
    const part = isHeld ? heldTogether(...all) : all[0];
    return i ? [make("span", { class: "tv-may" }), part] : [part];
  });
}
