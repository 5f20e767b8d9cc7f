// The compiled trainer in the browser: the module of tokviz/core, which Python trains with too. What goes in and
// out are columns of numbers; what they mean is in training.c. Knows no page.

const INTS = [
  "word_starts", "order", "forms", "symbols", "symbol_starts", "left", "right", "met", "tied", "known", "log_starts",
  "sizes", "log_pair", "top_pair", "gaps", "pair_left", "pair_right", "ids", "seed_at", "seed_length", "removed_at",
  "delta_starts", "path", "path_starts", "cheapest", "anew",
];
const COUNTS = ["word_counts", "times", "log_count", "top_count", "first_counts", "seed_counts", "loss", "delta"];
const GIVEN = ["characters", "marks", "prefix", "suffix", "ids", "parts"];

/** Numbers of the enums in the C source. */
export const PRETOKENIZERS = { gpt2: 0, bert: 1, metaspace: 2, whitespace: 3, none: 4 };
export const RULES = { "first-seen": 0, "largest-pair": 1, "smallest-ids": 2, shortest: 3 };
export const ENDINGS = ["", "size", "no_words", "no_pair", "min_frequency"];
export const ROUNDS = ["", "state", "size", "few_seeds", "overshot", "characters", "many_substrings"];
export const LINE_END = -1;

/** Marks of a starting symbol beside its character or byte. */
export const CONTINUING = 1 << 24;
export const ENDS_WORD = 1 << 25;
export const BARE_SUFFIX = 1 << 26;
export const CHARACTER = 0x1fffff;

/** Runs a generator to its end, and returns what it returns. */
export function finish(slices) {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

/** A slice that is the whole. */
export const ALL = 0x7fffffff;

/** What is a verb here takes as long as it takes. What ends in -ing is a generator that does the same in slices of
 *  `most` looks at a symbol or a pair each, half a million of which take a few milliseconds: it yields how much is
 *  done, from 0 to 1, and may be left at any time. */
export class Core {
  /** Makes one of a compiled module. */
  static async of(module) {
    const core = new Core();
    const { exports } = await WebAssembly.instantiate(module, { host: { id_of: (left, right) => core.idOf(left, right) } });
    const { memory, ...functions } = exports;
    return Object.assign(core, { memory, c: functions });
  }

  /** A column of whole numbers as the module has it now: it changes with the next call. */
  ints(name) {
    const which = INTS.indexOf(name);
    const length = this.c.n_ints(which);
    return new Int32Array(this.memory.buffer, length ? this.c.ints(which) : 0, length);
  }

  /** A column of counts, likewise. */
  counts(name) {
    const which = COUNTS.indexOf(name);
    const length = this.c.n_counts(which);
    return new Float64Array(this.memory.buffer, length ? this.c.counts(which) : 0, length);
  }

  /** Cuts the parts of a text into words. A part is a text, or the number that stands for a special token. */
  cut(parts, pretokenizer) {
    finish(this.cutting(parts, pretokenizer, ALL));
  }

  *cutting(parts, pretokenizer, most) {
    const encoder = new TextEncoder();
    const texts = parts.map((part) => (typeof part === "string" ? encoder.encode(part) : part));
    const size = texts.reduce((sum, { length = 0 }) => sum + length, 0);
    let at = this.c.room_for_text(size);
    for (const text of texts) {
      if (typeof text === "number") continue;
      new Uint8Array(this.memory.buffer, at, text.length).set(text);
      at += text.length;
    }
    at = 0;
    for (const text of texts) {
      if (typeof text === "number") {
        this.c.note(text);
        continue;
      }
      const end = at + text.length;
      while ((at = this.c.cut(at, end, PRETOKENIZERS[pretokenizer], most)) < end) yield at / size;
    }
    this.c.note(LINE_END);
  }

  /** The words, as texts. */
  words() {
    const starts = this.ints("word_starts");
    const bytes = new Uint8Array(this.memory.buffer, this.c.word_bytes(), starts.at(-1));
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return Array.from(starts.subarray(1), (end, w) => decoder.decode(bytes.subarray(starts[w], end)));
  }

  /** Splits the words into starting symbols, and returns the different ones. */
  spell(how) {
    return finish(this.spelling(how, ALL));
  }

  *spelling({ unit, prefix, suffix, glued }, most) {
    const words = this.c.n_counts(COUNTS.indexOf("word_counts"));
    let word = 0;
    while ((word = this.c.spell(unit === "byte", Boolean(prefix), Boolean(suffix), glued, word, most)) < words) yield word / words;
    return [...this.ints("forms")];
  }

  /** Gives the symbols their numbers, in the order of `spell`. */
  *numberingSymbols(numbers, most) {
    const at = this.c.room_for_numbers(numbers.length);
    new Int32Array(this.memory.buffer, at, numbers.length).set(numbers);
    const symbols = this.c.n_ints(INTS.indexOf("symbols"));
    let done = 0;
    while ((done = this.c.number_symbols(at, done, most)) < symbols) yield done / symbols;
  }

  /** Trains until the end: `given` are the columns that ties are broken by, `idOf` says which id a merge has where
   *  the vocabulary has special tokens. Returns why it ended. */
  train(given, settings, idOf) {
    return finish(this.training(given, settings, idOf, ALL));
  }

  *training(given, { size, wanted, rule, byLikelihood, leastCount }, idOf, most) {
    for (const [which, name] of GIVEN.entries()) {
      const values = given[name];
      new Int32Array(this.memory.buffer, this.c.room_for(which, values.length), values.length).set(values);
    }
    this.idOf = idOf;
    this.c.begin(given.ids.length, size, wanted, RULES[rule], byLikelihood, leastCount, false);
    for (;;) {
      const stop = this.c.go_on(most);
      if (stop) return ENDINGS[stop];
      yield this.c.progress();
    }
  }

  /** The same for Unigram. After each state, the last one too, `note` reads what is known of it: its path, what goes
   *  next, and what `costOfWord` says. */
  *trainingUnigram({ seeds, longest, onlyInside, wanted, fraction, hitsSize }, note, most) {
    this.c.begin_unigram(seeds, longest, onlyInside, wanted, fraction, hitsSize);
    for (;;) {
      const round = ROUNDS[this.c.go_on_unigram(most)];
      if (round === "many_substrings") return round;
      if (round) note();
      if (round && round !== "state") return round;
      yield this.c.unigram_progress();
    }
  }

  /** What the next round of Unigram removes. */
  doomed() {
    return this.ints("cheapest").slice(0, this.c.doomed());
  }

  /** What a word costs now without a token, and its tokens then. */
  costOfWord(word, without) {
    const cost = this.c.cost_of_word(word, without);
    return { cost, cut: [...this.ints("anew")] };
  }
}
