// The training loop of BPE and WordPiece, and what it writes down (`tokviz.history.merge_record`).
#include "training.h"
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

Merged merged;

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
    push(&merged.top_pair, i < best->n ? best->pair[i] : -1);
    push_count(&merged.top_count, i < best->n ? best->count[i] : 0);
  }
  push(&merged.tied, best->tied);
  push(&merged.known, pairs.left.length);
  push(&merged.log_starts, merged.log_pair.length);
  push(&merged.sizes, settings.vocab_size);
}

static void take_step(int32_t p) {
  int32_t met, left = pairs.left.at[p], right = pairs.right.at[p];
  push_count(&merged.times, merge(p, merged.left.length, &met));
  push(&merged.met, met);
  push(&merged.left, left);
  push(&merged.right, right);
  for (int32_t i = 0; i < pairs.changed.length; i++) {
    push(&merged.log_pair, pairs.changed.at[i]);
    push_count(&merged.log_count, pairs.counts.at[pairs.changed.at[i]]);
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
  merged = (Merged){0};
  phase = INDEXING;
  ranking.rule = rule;
  ranking.by_likelihood = by_likelihood;
  begin_index(&spelled.symbols, &spelled.starts, &words.counts, n_symbols);
  begin_ranking();
}

// A gap that never closed has the number of the first step that was not taken.
static void write_gaps(void) {
  merged.gaps = room_for_ints(spelled.symbols.length);
  for (int32_t at = 0, i = 0; at < pairs.symbol.length; at++) {
    int32_t step = pairs.gap.at[at];
    if (pairs.symbol.at[at] != BORDER) merged.gaps.at[i++] = step < 0 ? merged.left.length : step;
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
      for (int32_t p = 0; p < pairs.left.length; p++) push_count(&merged.first_counts, pairs.counts.at[p]);
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
  double made = merged.left.length, missing = settings.wanted - settings.vocab_size;
  return 0.25 + (made ? 0.75 * made / (made + missing) : 0);
}
