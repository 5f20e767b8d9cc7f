// What all trainings of a text in the browser begin and end with: its words, and those that a player shows. Knows no page.

import { LINE_END } from "./core.js";
import { _n } from "./i18n.js";

const MOST_FREQUENT = 2000; // words that are always there
const MOST_LISTED = 300_000; // characters of all words listed by count

/** Slices that are a part of the whole, from one share of it to another. */
export function* within(from, to, slices) {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
    yield from + value * (to - from);
  }
}

/** Cuts a text as the run `like` was cut. Returns its words with their counts, their order, and what a run tells of
 *  its text. */
export function* countedText(core, like, text, slice) {
  yield* core.cutting(textParts(text, like.special_tokens), like.retrain.pretokenizer, slice);
  const words = core.words();
  const counts = core.counts("word_counts").slice();
  const characters = sum(counts.map((count, w) => count * length(words[w])));
  const facts = { words_distinct: words.length, words_total: sum(counts), characters, unshown: 0, has_text: true, forced: {} };
  return { words, counts, order: core.ints("order").slice(), facts };
}

/** A text at its special tokens, the longest first: texts, and for token k the number that stands for it. */
function textParts(text, special) {
  const tokens = special.filter((token) => token && !/[\r\n]/.test(token)).sort((a, b) => length(b) - length(a));
  if (!tokens.length) return [text];
  const escaped = tokens.map((token) => token.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return text.split(new RegExp(`(${escaped.join("|")})`, "u")).map((part, i) => (i % 2 ? LINE_END - 1 - special.indexOf(part) : part));
}

export const length = (text) => (/[\ud800-\udfff]/.test(text) ? [...text].length : text.length);
export const sum = (values) => values.reduce((a, b) => a + b, 0);

/** The beginning of the text as words by their places among those that are shown, and the most frequent words. */
export function excerpt(words, counts, order, special, { words: mostWords, characters: mostCharacters }) {
  const place = new Map();
  const placeOf = (word) => place.get(word) ?? (place.set(word, place.size), place.size - 1);
  const shown = [];
  let [inLine, full] = [0, false];
  for (const item of order) {
    if (item === LINE_END) {
      shown.push(LINE_END);
      mostWords -= Math.max(1, inLine);
      [inLine, full] = [0, false];
      if (mostWords <= 0 || mostCharacters <= 0) break;
    } else if (!full) {
      shown.push(item >= 0 ? placeOf(item) : item);
      mostCharacters -= length(item >= 0 ? words[item] : special[LINE_END - 1 - item]);
      full = ++inLine >= mostWords || mostCharacters <= 0;
    }
  }
  const frequent = counts.map((_none, w) => w).sort((a, b) => counts[b] - counts[a] || a - b);
  const listed = [];
  let room = MOST_LISTED;
  for (const word of frequent) {
    room -= length(words[word]);
    if (listed.length === MOST_FREQUENT || (room < 0 && listed.length)) break;
    listed.push(placeOf(word));
  }
  const numbers = Int32Array.from(place.keys());
  return { order: Int32Array.from(shown), by_count: Int32Array.from(listed), word_numbers: numbers, word_counts: Float64Array.from(numbers, (w) => counts[w]) };
}

/** Why a training ended that reached its size. */
export const hasSize = (asked) => _n("The vocabulary has the {n} token asked for.", "The vocabulary has the {n} tokens asked for.", asked);
