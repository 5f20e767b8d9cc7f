// The tokens of a word by the characters that they are bytes of, so that a text can be read before its
// bytes have merged. Knows no page.

import { tokenBytes, tokenText } from "./tokens.js";

const SIGNS = new Intl.Segmenter();
/** A zero-width joiner makes one sign of the characters around it. */
const JOINER = "\u200d";
/** Byte-level strings of ASCII. */
const PLAIN = /^[!-~Ġ]*$/;

/** Groups the tokens of a word: [{from, to, over}], tokens from `from` to before `to`. Those that are only
 *  bytes of a character, or a part of a joined sign, stand together with it as `over`; a group of others has
 *  no `over`. A pair of `marks` is in one group. */
export function byCharacter(run, tokens, marks) {
  const asTheyAre = [{ from: 0, to: tokens.length, over: "" }];
  // Nearly all words are plain letters.
  if (run.unit === "char" || tokens.every((token) => PLAIN.test(run.strings[token]))) return asTheyAre;
  const texts = Array.from(tokens, (token) => tokenText(run, token));
  if (!texts.some((text) => text === null || text === JOINER)) return asTheyAre;
  const ends = signEnds(Array.from(tokens, (token) => tokenBytes(run, token)));
  if (!ends) return asTheyAre;
  const groups = [];
  const add = (from, to, over) => {
    if (!over && groups.at(-1)?.over === "") groups.at(-1).to = to;
    else if (from < to) groups.push({ from, to, over });
  };
  let from = 0;
  let over = "";
  for (const [i, sign] of ends.entries()) {
    over += sign ?? "";
    if (sign === null || (marks[i] === "left" && marks[i + 1] === "right")) continue;
    const parts = texts.slice(from, i + 1);
    add(from, i + 1, parts.includes(null) || parts.includes(JOINER) ? over.trim() : "");
    [from, over] = [i + 1, ""];
  }
  add(from, tokens.length, "");
  return groups;
}

/** For each token the text that ends with it since the last such token; null if it ends inside of a sign.
 *  Returns null for bytes that are no text. */
function signEnds(parts) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text;
  try {
    // A word that is cut off may end inside of a character.
    text = decoder.decode(Uint8Array.from(parts.flatMap((bytes) => [...bytes])), { stream: true });
  } catch {
    return null;
  }
  const encoder = new TextEncoder();
  const starts = new Map();
  let at = 0;
  for (const { segment, index } of SIGNS.segment(text)) {
    starts.set(at, index);
    at += encoder.encode(segment).length;
  }
  starts.set(at, text.length);
  let end = 0;
  let last = 0;
  return parts.map((bytes) => {
    end += bytes.length;
    if (!starts.has(end)) return null;
    const from = last;
    last = starts.get(end);
    return text.slice(from, last);
  });
}
