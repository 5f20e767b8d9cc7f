// A text is trained in the browser: words and merges by the core, and around them what pack.py packs of a run that
// Python trained. The two are equal, column by column. Knows no page.

import { mergeColours } from "./colouring.js";
import { ALL, CONTINUING, ENDS_WORD, finish } from "./core.js";
import { countedText, excerpt, hasSize, length, within } from "./counted_text.js";
import { _, _n, number } from "./i18n.js";
import { Spelling, joined, nameOf } from "./spelling.js";
import { trainingUnigram } from "./trained_unigram.js";

/** What of a run does not depend on its text (own_text.py). */
const KIT = [
  "label", "algorithm", "special", "special_tokens", "longest_shown", "spelling", "signs", "retrain", "pseudocode", "functions", "family", "unit",
  "rule", "rule_help", "first_seen", "score", "rows",
];

/** How a run was trained. */
export const kitOf = (run) => Object.fromEntries(KIT.map((name) => [name, run[name]]));

export const LONGEST_TRAINED = 500_000; // characters
const MOST_TRAINED = { words: 4000, characters: 20_000 }; // of an excerpt, all lanes together (web_page.py)

/** Whether a text is trained here: some text, short enough, and without halves of characters. */
export const isTrainable = (text) => text.length <= LONGEST_TRAINED && Boolean(text.trim()) && !/\p{Surrogate}/u.test(text);

/** Trains a text as some runs were trained, each to its size. Where one has no room for the characters of the text,
 *  all get twice as many tokens as it has characters, at most `mostTokens` (form/live.py), but for 0. Null if that is too few. */
export function trainAll(core, likes, text, sizes, mostTokens) {
  return finish(trainingAll(core, likes, text, sizes, mostTokens, ALL));
}

/** The same in slices (core.js): yields how much is done, from 0 to 1. */
export function* trainingAll(core, likes, text, sizes, mostTokens, slice) {
  const n = likes.length;
  const most = { words: Math.floor(MOST_TRAINED.words / n), characters: Math.floor(MOST_TRAINED.characters / n) };
  const all = function* (sizeOf) {
    const runs = [];
    for (const [i, like] of likes.entries()) {
      runs.push(yield* within(i / n, (i + 1) / n, trainingLike(core, like, text, sizeOf(i), most, slice)));
    }
    return runs;
  };
  try {
    let runs = yield* all((i) => sizes[i]);
    const least = Math.max(...runs.map((run) => run.least));
    if (mostTokens && Math.min(...sizes) <= least) {
      const size = Math.min(mostTokens, 2 * least);
      runs = yield* all(() => size);
    }
    return runs.every(({ steps }) => steps !== undefined) ? runs : null;
  } catch (error) {
    throw error instanceof WebAssembly.RuntimeError ? failed(core, error, text, Math.max(...sizes)) : error;
  }
}

/** What was asked for when the core stopped, and why. */
function failed(core, error, text, size) {
  const asked = { n: number(length(text)), size: number(size) };
  const said = core.c.refused() ? _("This browser has too little memory to train a text of {n} characters to {size} tokens.", asked)
    : _("Training a text of {n} characters to {size} tokens failed ({error}).", { ...asked, error: error.message });
  return new Error(said, { cause: error });
}

/** Trains a text as the run `like` was trained, whose `retrain` says how, to `asked` tokens. `most` are the words and
 *  characters that an excerpt shows. Returns the run as Python would have packed it, and the `least` size that its
 *  vocabulary can have; nothing but that where `asked` is less. */
export function trainLike(core, like, text, asked, most) {
  return finish(trainingLike(core, like, text, asked, most, ALL));
}

/** The same in slices (core.js): yields how much is done, from 0 to 1. */
export function* trainingLike(core, like, text, asked, most, slice) {
  const training = like.retrain.prune_fraction ? trainingUnigram : trainingMerges;
  return yield* training(core, kitOf(like), text, asked, most, slice);
}

function* trainingMerges(core, like, text, asked, most, slice) {
  const how = like.retrain;
  const { words, counts, order, facts } = yield* within(0, 0.2, countedText(core, like, text, slice));
  const spelling = new Spelling(how);
  const forms = yield* within(0.2, 0.3, core.spelling(how, slice));
  const found = forms.map((form) => spelling.symbolOf(form));
  const alphabet = spelling.alphabet(found, how);
  const place = new Map(alphabet.map((symbol, i) => [symbol, i]));
  yield* within(0.3, 0.4, core.numberingSymbols(found.map((symbol) => place.get(symbol)), slice));
  const table = new Table(spelling, like.special_tokens, alphabet);
  const least = table.size;
  if (least > asked) return { least };
  const settings = { size: table.size, wanted: asked, rule: how.rule, byLikelihood: like.score === "likelihood", leastCount: how.least_count };
  const idOf = like.special_tokens.length ? (left, right) => table.merge(left, right) : null;
  const stop = yield* within(0.4, 0.9, core.training(given(spelling, alphabet, table, how.rule), settings, idOf, slice));
  const record = columnsOf(core);
  yield 0.9;
  if (!like.special_tokens.length) for (const [t, left] of record.left.entries()) table.merge(left, record.right[t]);
  const shown = excerpt(words, counts, order, like.special_tokens, most);
  yield 0.93;
  const tokens = shownTokens(spelling, table, record, alphabet);
  yield 0.96;
  const base = {
    ...like, ...facts, asked, steps: record.left.length, base: alphabet.length, least, greatest: least + record.symbols.length - words.length,
  };
  return { ...base, ...tokens, ...stepsOf(record, table), ...shown,
    ...segmented(record, shown.word_numbers, counts, alphabet.length), ...metIn(spelling, words, record, like),
    ...(like.score === "likelihood" ? factors(record, counts, alphabet.length) : {}),
    stopped: stopped(stop, asked, record, how) };
}

/** The symbols of a run and their ids, as merges add to them. */
class Table {
  constructor(spelling, special, alphabet) {
    this.spelling = spelling;
    this.special = new Map(special.map((token, i) => [token, i]));
    this.symbols = [];
    this.ids = [];
    this.known = new Map();
    this.size = this.special.size;
    for (const symbol of alphabet) this.add(symbol);
  }

  /** Adds what merging two symbols gives, and returns its id. */
  merge(left, right) {
    return this.add(joined(this.symbols[left], this.symbols[right]));
  }

  add(symbol) {
    const name = nameOf(symbol);
    const id = this.known.get(name) ?? (this.special.size ? this.special.get(this.spelling.show(symbol)) : undefined) ?? this.size++;
    this.known.set(name, id);
    this.symbols.push(symbol);
    this.ids.push(id);
    return id;
  }
}

/** The columns that ties are broken by. */
function given(spelling, alphabet, table, rule) {
  const codes = (text) => Array.from(text, (char) => char.codePointAt(0));
  return {
    characters: alphabet.map((symbol) => spelling.character(symbol, rule === "shortest")),
    marks: alphabet.map(({ continuing, ends }) => (continuing ? CONTINUING : 0) | (ends ? ENDS_WORD : 0)),
    prefix: codes(spelling.prefix), suffix: codes(spelling.suffix), ids: table.ids,
    parts: alphabet.map(() => table.special.size > 0),
  };
}

/** What the core wrote down, copied out of its memory. */
function columnsOf(core) {
  const ints = ["left", "right", "met", "tied", "known", "log_starts", "sizes", "log_pair", "top_pair", "gaps", "pair_left", "pair_right", "symbols", "symbol_starts"];
  const counts = ["times", "log_count", "top_count", "first_counts"];
  const columns = [...ints.map((name) => [name, core.ints(name).slice()]), ...counts.map((name) => [name, core.counts(name).slice()])];
  return Object.fromEntries(columns);
}

function shownTokens(spelling, table, record, alphabet) {
  const tokens = table.symbols.map((symbol) => spelling.packed(symbol));
  const strings = tokens.map((parts) => (typeof parts === "string" ? parts : parts.join("")));
  const raw = Object.fromEntries(table.symbols.flatMap(({ text }, i) => (text === strings[i] ? [] : [[i, text]])));
  const colours = mergeColours(record, alphabet.map(({ text }) => text), strings);
  return { tokens, strings, raw, ids: Int32Array.from(table.ids), colours: Int32Array.from(colours) };
}

function stepsOf(record) {
  const { left, right, times, tied, known, log_starts, log_count, top_pair, top_count, pair_left, pair_right, sizes } = record;
  let [dead, at] = [0, 0];
  const candidates = known.map((n, t) => {
    for (; at < log_starts[t]; at++) dead += log_count[at] === 0;
    return n - dead;
  });
  const side = (symbols) => top_pair.map((pair) => (pair < 0 ? -1 : symbols[pair]));
  return { left, right, times, tied, candidates, vocab_size: sizes, top_left: side(pair_left), top_right: side(pair_right), top_count };
}

/** The symbols and gaps of the words that are shown, and how many tokens the corpus has in every state. */
function segmented(record, shown, counts, base) {
  const { symbols, gaps, symbol_starts, times } = record;
  const spans = Array.from(shown, (w) => [symbol_starts[w], symbol_starts[w + 1]]);
  const starts = new Int32Array(shown.length + 1);
  spans.forEach(([from, to], i) => (starts[i + 1] = starts[i] + to - from));
  const taken = (column) => {
    const values = new Int32Array(starts.at(-1));
    spans.forEach(([from, to], i) => values.set(column.subarray(from, to), starts[i]));
    return values;
  };
  const tokens = new Float64Array(times.length + 1);
  const first = new Float64Array(base);
  for (const [w, count] of counts.entries()) {
    tokens[0] += count * (symbol_starts[w + 1] - symbol_starts[w]);
    for (let i = symbol_starts[w]; i < symbol_starts[w + 1]; i++) first[symbols[i]] += count;
  }
  for (const [t, joins] of times.entries()) tokens[t + 1] = tokens[t] - joins;
  return { symbols: taken(symbols), gaps: taken(gaps), starts, corpus_tokens: tokens, first_counts: first };
}

/** The word in which each step that broke a tie met its pair first. */
function metIn(spelling, words, { met, tied }, { first_seen }) {
  const breaks = met.map((word, t) => (first_seen && tied[t] > 1 ? word : -1));
  const used = [...new Set(breaks)].filter((word) => word >= 0).sort((a, b) => a - b);
  const places = new Map(used.map((word, i) => [word, i]));
  return { met: used.map((word) => spelling.show(spelling.whole(words[word]))), met_in: breaks.map((word) => places.get(word) ?? -1) };
}

/** The counts of both symbols of every top row, in its state. */
function factors({ left, right, times, top_pair, pair_left, pair_right, symbols, symbol_starts }, counts, base) {
  const now = new Float64Array(base + left.length);
  for (const [w, count] of counts.entries()) {
    for (let i = symbol_starts[w]; i < symbol_starts[w + 1]; i++) now[symbols[i]] += count;
  }
  const rows = top_pair.length / (left.length + 1);
  const [ofLeft, ofRight] = [new Float64Array(top_pair.length), new Float64Array(top_pair.length)];
  for (const [i, pair] of top_pair.entries()) {
    const t = Math.floor(i / rows);
    if (i % rows === 0 && t) {
      now[left[t - 1]] -= times[t - 1];
      now[right[t - 1]] -= times[t - 1];
      now[base + t - 1] = times[t - 1];
    }
    if (pair < 0) continue;
    ofLeft[i] = now[pair_left[pair]];
    ofRight[i] = now[pair_right[pair]];
  }
  return { top_left_count: ofLeft, top_right_count: ofRight };
}

/** Why the training ended, in the words of tokviz.narration.stops. */
function stopped(stop, asked, { sizes, top_count, left }, { least_count: least }) {
  const size = number(sizes.at(-1));
  const values = { size, asked: number(asked) };
  if (stop === "size") return hasSize(asked);
  if (stop === "no_words") return _("The corpus has no words: there is nothing to merge.");
  if (stop === "no_pair") return _("No pair is left: every word is one token. The vocabulary has {size} of the {asked} tokens asked for.", values);
  const count = top_count[left.length * (top_count.length / sizes.length)];
  return _n(
    "The best pair occurs once, less than min_frequency={least}. The vocabulary has {size} of the {asked} tokens asked for.",
    "The best pair occurs {n} times, less than min_frequency={least}. The vocabulary has {size} of the {asked} tokens asked for.",
    count, { ...values, least: number(least) },
  );
}
