// A text is trained in the browser by Unigram: rounds by the core, and around them what pack.py packs of a run that
// Python trained. The two are equal, column by column. Knows no page.

import { checksum } from "./checksum.js";
import { COLOURS, startColours } from "./colouring.js";
import { countedText, excerpt, hasSize, within } from "./counted_text.js";
import { _, _n, number } from "./i18n.js";
import { Spelling } from "./spelling.js";
import { WorkingOut } from "./working_out.js";

const LONGEST_CUT = 10_000; // characters; a longer one would take minutes (tokviz.trainers.unigram)
const SEEDS = { least: 300, each: 3 };

// What the player shows of a state (columns.py).
const MOST_DOOMED = 200;
const AFTER_CUT = 8;
const LEAST_ROWS = 20;
const MOST_CHIPS = 300;

/** Columns of whole numbers of 32 bits, and of others. */
const WHOLE = [
  "sizes", "cuts", "cut_starts", "row_token", "row_starts", "above_token", "above_starts", "more_token", "more_starts", "use_starts",
  "tied", "tied_removed", "free", "words_changed",
];
const REAL = [
  "loss", "count_sums", "corpus_tokens", "row_delta", "above_delta", "more_delta", "cut", "uses", "dropped", "renormalised",
];

/** What `trainingLike` (trained.js) does for Unigram. */
export function* trainingUnigram(core, like, text, asked, most, slice) {
  const how = like.retrain;
  const { words, counts, order, facts } = yield* within(0, 0.1, countedText(core, like, text, slice));
  const forms = yield* within(0.1, 0.15, core.spelling(how, slice));
  const special = like.special_tokens.length;
  const least = forms.length + special;
  if (least > asked) return { least };
  if (words.some((word) => word.length > LONGEST_CUT && [...word].length > LONGEST_CUT)) {
    throw new Error(_("A word is too long for Unigram; choose another pre-tokenizer."));
  }
  const settings = {
    seeds: how.seeds || Math.max(SEEDS.least, SEEDS.each * asked), longest: how.longest, onlyInside: !how.whole_words,
    wanted: asked - special, fraction: Number(how.prune_fraction), hitsSize: how.trim_last,
  };
  const shown = excerpt(words, counts, order, like.special_tokens, most);
  const rounds = new Rounds(core, new Spelling(how), words, counts, shown.word_numbers);
  const stop = yield* within(0.15, 1, core.trainingUnigram(settings, () => rounds.note(), slice));
  if (stop === "many_substrings") throw new Error(_("The words have too many different substrings for Unigram; choose another pre-tokenizer."));
  const columns = rounds.written();
  const greatest = columns.counts.length + special;
  const size = columns.sizes.at(-1);
  return {
    ...like, ...facts, ...shown, ...columns, asked, least, greatest, steps: columns.loss.length - 1, places: {}, colours: Int32Array.from(rounds.colours()),
    vocab_size: columns.sizes.map((n) => n + special), stopped: roundsEnded(stop, asked, asked - special, size),
  };
}

/** What is noted of the states of a training, one after the other. */
class Rounds {
  constructor(core, spelling, words, counts, shown) {
    Object.assign(this, { core, spelling, words, counts, shown });
    this.t = 0;
    this.since = new Int32Array(words.length); // per word: the state since which it has been cut as it is
    this.beside = new Map(); // how often two tokens are side by side, in all states
    this.before = null; // the path of the last state
  }

  /** Reads what the core knows of the state that it is in. */
  note() {
    const { core } = this;
    const path = { tokens: core.ints("path").slice(), starts: core.ints("path_starts").slice() };
    if (!this.t) this.begin();
    const { columns: c, alive, t } = this;
    const [from, to] = core.ints("delta_starts").subarray(t);
    core.counts("delta").subarray(from, to).forEach((delta, i) => (this.delta[alive[i]] = delta));
    const doomed = core.doomed();
    c.sizes.push(alive.length);
    c.loss.push(core.counts("loss")[t]);
    c.count_sums.push(alive.reduce((total, token) => total + c.counts[token], 0));
    this.noteTable(doomed);
    const uses = this.noteUses(path);
    this.noteChanges(path);
    for (const w of this.shown) {
      for (let i = path.starts[w]; i < path.starts[w + 1]; i++) c.cuts.push(path.tokens[i]);
      c.cut_starts.push(c.cuts.length);
    }
    if (doomed.length) c.worked_out[t] = this.workingOut.of(doomed, this.delta, path, uses);
    for (const token of doomed) c.removed_at[token] = t;
    this.alive = alive.filter((token) => c.removed_at[token] > t);
    this.before = path;
    this.t++;
  }

  /** The seeds, before the first state. */
  begin() {
    const { core, spelling } = this;
    const symbols = core.ints("symbols");
    const lengths = core.ints("seed_length");
    const texts = Array.from(core.ints("seed_at"), (at, i) => String.fromCodePoint(...symbols.subarray(at, at + lengths[i])));
    const tokens = texts.map((text) => spelling.packed({ text, continuing: false, ends: false }));
    const strings = tokens.map((parts) => (typeof parts === "string" ? parts : parts.join("")));
    const raw = Object.fromEntries(texts.flatMap((text, i) => (text === strings[i] ? [] : [[i, text]])));
    const counts = core.counts("seed_counts").slice();
    this.texts = texts;
    this.single = lengths.filter((n) => n === 1).length;
    this.alive = Int32Array.from(texts.keys());
    this.delta = new Float64Array(texts.length);
    this.seen = new Uint8Array(texts.length); // whether some state's path has it
    this.workingOut = new WorkingOut(core, spelling, this.words, this.counts);
    this.columns = { tokens, strings, raw, counts, single: this.single, removed_at: new Int32Array(texts.length).fill(0x7fffffff), worked_out: {} };
    for (const name of [...WHOLE, ...REAL]) this.columns[name] = name.endsWith("_starts") ? [0] : [];
  }

  /** All columns, once the training is over. */
  written() {
    const { columns } = this;
    const written = (names, Column) => Object.fromEntries(names.map((name) => [name, Column.from(columns[name])]));
    return { ...columns, ...written(WHOLE, Int32Array), ...written(REAL, Float64Array) };
  }

  /** The rows of the table, the chips beside it, and the tie at the cut. */
  noteTable(doomed) {
    const { columns: c, delta, alive, single } = this;
    const cheapest = this.core.ints("cheapest");
    // Characters come last, in their order.
    const tokenAt = (i) => (i < cheapest.length ? cheapest[i] : i - cheapest.length);
    const rows = Math.min(alive.length, Math.max(LEAST_ROWS, Math.min(doomed.length, MOST_DOOMED) + AFTER_CUT));
    const add = (name, tokens) => {
      for (const token of tokens) {
        c[`${name}_token`].push(token);
        c[`${name}_delta`].push(token < single ? NaN : delta[token]);
      }
      c[`${name}_starts`].push(c[`${name}_token`].length);
    };
    const cut = doomed.length ? delta[doomed.at(-1)] : NaN;
    const above = doomed.length ? cheapest.findIndex((token) => delta[token] > cut) : -1;
    add("row", Array.from({ length: rows }, (_none, i) => tokenAt(i)));
    // Of many that go, those next to the cut.
    const first = Math.max(0, doomed.length - MOST_DOOMED);
    add("more", cheapest.subarray(Math.max(rows, first), first + MOST_CHIPS));
    add("above", above < 0 ? [] : cheapest.subarray(above, above + AFTER_CUT));
    c.cut.push(cut);
    const having = (value, tokens) => tokens.reduce((n, token) => n + (delta[token] === value), 0);
    c.tied.push(having(cut, cheapest));
    c.tied_removed.push(having(cut, doomed));
    c.free.push(having(0, cheapest) - having(0, doomed));
  }

  /** How often the words have each token. */
  noteUses({ tokens, starts }) {
    const { columns: c, counts } = this;
    const uses = new Float64Array(this.texts.length);
    for (let w = 0; w < counts.length; w++) for (let i = starts[w]; i < starts[w + 1]; i++) uses[tokens[i]] += counts[w];
    let total = 0;
    for (const token of this.alive) {
      c.uses.push(uses[token]);
      total += uses[token];
      if (uses[token]) this.seen[token] = 1;
    }
    c.use_starts.push(c.uses.length);
    c.corpus_tokens.push(total);
    return uses;
  }

  /** Which words the round changed, and what it did to the loss (tokviz.history.unigram, LossChange). */
  noteChanges({ tokens, starts }) {
    const { before, columns: c, t } = this;
    if (!before) return;
    let changed = 0;
    for (let w = 0; w < this.counts.length; w++) {
      const [from, to] = [before.starts[w], before.starts[w + 1]];
      let isSame = to - from === starts[w + 1] - starts[w];
      for (let i = from, j = starts[w]; isSame && i < to; i++, j++) isSame = before.tokens[i] === tokens[j];
      if (isSame) continue;
      changed++;
      this.placeBeside(before, w, t);
    }
    const renormalised = -c.corpus_tokens[t] * this.core.c.logarithm(c.count_sums[t - 1] / c.count_sums[t]);
    c.words_changed.push(changed);
    c.renormalised.push(renormalised);
    c.dropped.push(changed ? c.loss[t] - c.loss[t - 1] - renormalised : 0);
  }

  /** Counts which tokens were side by side in a word until state t. */
  placeBeside({ tokens, starts }, w, t) {
    const times = this.counts[w] * (t - this.since[w]);
    this.since[w] = t;
    for (let i = starts[w] + 1; i < starts[w + 1]; i++) {
      const [left, right] = [Math.min(tokens[i - 1], tokens[i]), Math.max(tokens[i - 1], tokens[i])];
      const key = left * this.texts.length + right;
      this.beside.set(key, (this.beside.get(key) ?? 0) + times);
    }
  }

  /** The colours of all tokens (tokviz.history.colours, seed_colours). */
  colours() {
    const { texts, seen } = this;
    for (let w = 0; w < this.counts.length; w++) this.placeBeside(this.before, w, this.t);
    const used = [...texts.keys()].filter((token) => seen[token]);
    const place = new Map(used.map((token, i) => [token, i]));
    const n = texts.length;
    const pairs = Array.from(this.beside, ([key, times]) => [place.get(Math.floor(key / n)), place.get(key % n), times]);
    const colours = startColours(used.map((token) => texts[token]), pairs);
    return this.columns.strings.map((string, token) => (seen[token] ? colours[place.get(token)] : checksum(string) % COLOURS));
  }
}

/** Why the training ended, in the words of tokviz.narration.stops. */
function roundsEnded(stop, asked, wanted, size) {
  if (stop === "size") return hasSize(asked);
  if (stop === "characters") return _("Only single characters are left, and they are never removed.");
  const values = { asked: number(wanted) };
  return stop === "few_seeds"
    ? _n(
        "There is only {n} seed token, fewer than the {asked} asked for, so none is removed. Raise seed_size, or use a longer text.",
        "There are only {n} seed tokens, fewer than the {asked} asked for, so none is removed. Raise seed_size, or use a longer text.",
        size, values,
      )
    : _n(
        "The last round removed more than needed: {n} token is left, and {asked} were asked for.",
        "The last round removed more than needed: {n} tokens are left, and {asked} were asked for.",
        size, values,
      );
}
