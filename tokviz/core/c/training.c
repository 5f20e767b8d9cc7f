// The training loop of BPE and WordPiece, and what it writes down (`tokviz.history.merge_record`).
#include "ranking.h"
#include "words.h"

// What the host knows better: the id of the token that two symbols make, which is the size of the vocabulary if the
// token is new. It is only asked where the vocabulary has special tokens.
__attribute__((import_module("host"), import_name("id_of"))) int32_t id_of(int32_t left, int32_t right);

enum Stop { GOES_ON, SIZE, NO_WORDS, NO_PAIR, MIN_FREQUENCY };

static struct {
  int32_t vocab_size, wanted, asks_ids;
  double min_frequency;
} settings;

// What a training does, one after the other.
static enum { INDEXING, RANKING, MERGING } phase;
static double share; // of the index that is there, from 0 to 1

// As many looks take about as long as to rank a pair, to join its two tokens in a place, and as what each step does besides.
enum { LOOKS_TO_RANK = 30, LOOKS_TO_JOIN = 20, LOOKS_TO_STEP = 1000 };

static struct {
  // Per step: the symbols that it merged, how many pairs of the corpus it joined, and the first word that had one.
  Ints left, right, met;
  Counts times;
  // Per state: how many pairs share the best score, how many have been met, and where the log of the step out of it
  // begins; the size of the vocabulary.
  Ints tied, known, log_starts, sizes;
  Ints log_pair;
  Counts log_count;
  Ints top_pair;
  Counts top_count;
  Counts first_counts; // of the pairs that there are before the first step
  Ints gaps;
} record;

// --- settings, which the host gives before it begins ----------------------------------------------

static Ints *const GIVEN[] = {&ranking.characters, &ranking.marks, &ranking.prefix, &ranking.suffix, &ranking.ids};

// Returns where the host writes a column of `length` whole numbers: see GIVEN.
__attribute__((export_name("room_for"))) int32_t *room_for(int32_t which, int32_t length) {
  *GIVEN[which] = ints_of(length, 0);
  return GIVEN[which]->at;
}

// Where the host writes numbers that it gives to another call.
__attribute__((export_name("room_for_numbers"))) int32_t *room_for_numbers(int32_t length) {
  return ints_of(length, 0).at;
}

// --- the loop -------------------------------------------------------------------------------------

static void write_state(const Best *best) {
  for (int32_t i = 0; i < TOP; i++) {
    push(&record.top_pair, i < best->n ? best->pair[i] : -1);
    push_count(&record.top_count, i < best->n ? best->count[i] : 0);
  }
  push(&record.tied, best->tied);
  push(&record.known, pairs.left.length);
  push(&record.log_starts, record.log_pair.length);
  push(&record.sizes, settings.vocab_size);
}

static void take_step(int32_t p) {
  int32_t met, left = pairs.left.at[p], right = pairs.right.at[p];
  push_count(&record.times, merge(p, record.left.length, &met));
  push(&record.met, met);
  push(&record.left, left);
  push(&record.right, right);
  for (int32_t i = 0; i < pairs.changed.length; i++) {
    push(&record.log_pair, pairs.changed.at[i]);
    push_count(&record.log_count, pairs.counts.at[pairs.changed.at[i]]);
  }
  int32_t id = settings.asks_ids ? id_of(left, right) : settings.vocab_size;
  settings.vocab_size += id == settings.vocab_size;
  push(&ranking.ids, id);
  rank_changed();
}

static enum Stop ended(const Best *best) {
  if (settings.vocab_size >= settings.wanted) return SIZE;
  if (!words.counts.length) return NO_WORDS;
  if (!best->n) return NO_PAIR;
  return best->count[0] < settings.min_frequency ? MIN_FREQUENCY : GOES_ON;
}

// Begins a training: with `n_symbols` starting symbols and a vocabulary of `vocab_size` tokens, until it has `wanted`.
__attribute__((export_name("begin"))) void begin(int32_t n_symbols, int32_t vocab_size, int32_t wanted,
                                                 int32_t asks_ids, enum Rule rule, int32_t by_likelihood,
                                                 double min_frequency) {
  settings = (typeof(settings)){vocab_size, wanted, asks_ids, min_frequency};
  record = (typeof(record)){0};
  phase = INDEXING;
  ranking.rule = rule;
  ranking.by_likelihood = by_likelihood;
  begin_index(&spelled.symbols, &spelled.starts, &words.counts, n_symbols);
  begin_ranking();
}

// A gap that never closed has the number of the first step that was not taken.
static void write_gaps(void) {
  record.gaps = room_for_ints(spelled.symbols.length);
  for (int32_t at = 0, i = 0; at < pairs.symbol.length; at++) {
    int32_t step = pairs.gap.at[at];
    if (pairs.symbol.at[at] != BORDER) record.gaps.at[i++] = step < 0 ? record.left.length : step;
  }
}

// Merges the best pair again and again, until the training ends or some `most` places and pairs were looked at.
static enum Stop merge_pairs(int32_t most) {
  for (int64_t left = most; left > 0;) {
    Best best;
    find_best(&best);
    write_state(&best);
    enum Stop stop = ended(&best);
    if (stop) {
      write_gaps();
      return stop;
    }
    int64_t places = pairs.places_end.at[best.pair[0]] - pairs.first.at[best.pair[0]];
    take_step(best.pair[0]);
    left -= LOOKS_TO_STEP + LOOKS_TO_JOIN * places;
    left -= ranking.by_likelihood ? pairs.left.length : LOOKS_TO_RANK * (int64_t)pairs.changed.length;
  }
  return GOES_ON;
}

// Goes on with a training, for about `most` looks at a symbol or a pair: half a million take a few milliseconds. Returns why
// the training ended, or GOES_ON: call it again.
__attribute__((export_name("go_on"))) enum Stop go_on(int32_t most) {
  switch (phase) {
    case INDEXING:
      share = index_pairs(most);
      if (share < 1) return GOES_ON;
      for (int32_t p = 0; p < pairs.left.length; p++) push_count(&record.first_counts, pairs.counts.at[p]);
      phase = RANKING;
      return GOES_ON;
    case RANKING:
      if (rank_pairs(most / LOOKS_TO_RANK + 1)) phase = MERGING;
      return GOES_ON;
    default:
      return merge_pairs(most);
  }
}

// Ends a training that is in the middle of its merges as if they were all.
__attribute__((export_name("end_here"))) void end_here(void) {
  Best best;
  find_best(&best);
  write_state(&best);
  write_gaps();
}

// How much of a training is done, from 0 to 1: of the index of pairs, which is counted as a quarter of it, and then of
// the tokens that were wanted.
__attribute__((export_name("progress"))) double progress(void) {
  if (phase == INDEXING) return share / 4;
  double made = record.left.length, missing = settings.wanted - settings.vocab_size;
  return 0.25 + (made ? 0.75 * made / (made + missing) : 0);
}

// --- columns, which the host reads ----------------------------------------------------------------

static Ints *const INTS[] = {
  &words.starts, &words.order, &spelled.forms, &spelled.symbols, &spelled.starts, // 0
  &record.left, &record.right, &record.met, &record.tied, &record.known,         // 5
  &record.log_starts, &record.sizes, &record.log_pair, &record.top_pair, &record.gaps, // 10
  &pairs.left, &pairs.right, &ranking.ids, // 15
};
static Counts *const COUNTS[] = {&words.counts, &record.times, &record.log_count, &record.top_count, &record.first_counts};

__attribute__((export_name("ints"))) int32_t *ints(int32_t which) { return INTS[which]->at; }
__attribute__((export_name("n_ints"))) int32_t n_ints(int32_t which) { return INTS[which]->length; }
__attribute__((export_name("counts"))) double *counts(int32_t which) { return COUNTS[which]->at; }
__attribute__((export_name("n_counts"))) int32_t n_counts(int32_t which) { return COUNTS[which]->length; }
__attribute__((export_name("word_bytes"))) uint8_t *word_bytes(void) { return words.bytes; }
