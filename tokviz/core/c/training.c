// The training loop of BPE and WordPiece, and what it writes down (`tokviz.history.merge_record`).
#include "training.h"
#include "ranking.h"
#include "words.h"

// What the host knows better: the id of the token that two symbols make, which becomes symbol `number`. It is only asked
// about what may be a part of a special token. For a new token it may say the size of the vocabulary, or one of these:
// whether that may be a part too.
__attribute__((import_module("host"), import_name("id_of"))) int32_t id_of(int32_t left, int32_t right, int32_t number);

enum { NO_PART = -1, PART = -2 };

// RESTS: all steps are taken that were to be (`until`). ASKS: the host is to say which ranks new pairs have (`asked`).
enum Stop { GOES_ON, SIZE, NO_WORDS, NO_PAIR, MIN_FREQUENCY, RESTS, ASKS };

static struct {
  int32_t vocab_size, wanted, until, asks_ranks;
  double min_frequency;
} settings;

// What a training does, one after the other.
static enum { INDEXING, RANKING, MERGING } phase;
static double share; // of the index that is there, from 0 to 1

// As many looks take about as long as to rank a pair, to join its two tokens in a place, and as what each step does besides.
enum { LOOKS_TO_RANK = 30, LOOKS_TO_JOIN = 20, LOOKS_TO_STEP = 1000 };

Merged merged;

// --- settings, which the host gives before it begins ----------------------------------------------

static Ints *const HOSTS[] = {
  &ranking.characters, &ranking.marks, &ranking.prefix, &ranking.suffix, &ranking.ids, &ranking.parts,
  // Words that the host has cut and spelled.
  &spelled.symbols, &spelled.starts,
};

// Returns where the host writes a column of `length` whole numbers: see HOSTS.
__attribute__((export_name("room_for"))) int32_t *room_for(int32_t which, int32_t length) {
  *HOSTS[which] = room_for_ints(length);
  return HOSTS[which]->at;
}

// Where it writes how often each of its words occurs.
__attribute__((export_name("room_for_counts"))) double *room_for_counts(int32_t length) {
  words.counts = (Counts){reserve((uint64_t)length * sizeof(double)), length, length};
  return words.counts.at;
}

// Where the host writes numbers that it gives to another call.
__attribute__((export_name("room_for_numbers"))) int32_t *room_for_numbers(int32_t length) {
  return room_for_ints(length).at;
}

// --- the loop -------------------------------------------------------------------------------------

static Best best; // of the state that the loop is in

static void enter_state(void) {
  find_best(&best);
  for (int32_t i = 0; i < TOP; i++) {
    push(&merged.top_pair, i < best.n ? best.pair[i] : -1);
    push_count(&merged.top_count, i < best.n ? best.count[i] : 0);
  }
  push(&merged.tied, best.tied);
  push(&merged.known, pairs.left.length);
  push(&merged.log_starts, merged.log_pair.length);
  push(&merged.sizes, settings.vocab_size);
}

// What the host is asked: the symbols that became the newest one, -1 before the first step; where the symbols of the
// new pairs are, where it writes their ranks, and how many there are.
static struct {
  int32_t left, right, *lefts, *rights, *ranks, n;
} question;

__attribute__((export_name("asked"))) void *asked(void) { return &question; }

static int32_t is_open; // a step, or the index, that ends when the host has answered

static void ask(int32_t left, int32_t right) {
  int32_t since = pairs.ranks.length, n = pairs.left.length - since;
  for (int32_t i = 0; i < n; i++) push(&pairs.ranks, 0);
  question = (typeof(question)){left, right, pairs.left.at + since, pairs.right.at + since, pairs.ranks.at + since, n};
  is_open = 1;
}

static void end_index(void) {
  for (int32_t p = 0; p < pairs.left.length; p++) push_count(&merged.first_counts, pairs.counts.at[p]);
}

static void end_step(int32_t left, int32_t right) {
  for (int32_t i = 0; i < pairs.changed.length; i++) {
    push(&merged.log_pair, pairs.changed.at[i]);
    push_count(&merged.log_count, pairs.counts.at[pairs.changed.at[i]]);
  }
  int32_t id = ranking.parts.at[left] && ranking.parts.at[right] ? id_of(left, right, ranking.ids.length) : NO_PART;
  push(&ranking.parts, id != NO_PART);
  if (id < 0) id = settings.vocab_size;
  settings.vocab_size += id == settings.vocab_size;
  push(&ranking.ids, id);
  rank_changed();
  enter_state();
}

// The host has answered, if it was asked.
static void end_open(void) {
  if (!is_open) return;
  is_open = 0;
  reject_pairs(pairs.ranks.length - question.n);
  if (question.left < 0) end_index();
  else end_step(question.left, question.right);
}

static void take_step(int32_t p) {
  int32_t met, left = pairs.left.at[p], right = pairs.right.at[p];
  push_count(&merged.times, merge(p, merged.left.length, &met));
  push(&merged.met, met);
  push(&merged.left, left);
  push(&merged.right, right);
  if (settings.asks_ranks) ask(left, right);
  else end_step(left, right);
}

static enum Stop ended(void) {
  if (settings.vocab_size >= settings.wanted) return SIZE;
  if (!words.counts.length) return NO_WORDS;
  if (!best.n) return NO_PAIR;
  return best.count[0] < settings.min_frequency ? MIN_FREQUENCY : GOES_ON;
}

// Begins a training: with `n_symbols` starting symbols and a vocabulary of `vocab_size` tokens, until it has `wanted`.
__attribute__((export_name("begin"))) void begin(int32_t n_symbols, int32_t vocab_size, int32_t wanted, enum Rule rule,
                                                 int32_t by_likelihood, double min_frequency, int32_t asks_ranks) {
  settings = (typeof(settings)){vocab_size, wanted, INT32_MAX, asks_ranks, min_frequency};
  merged = (Merged){0};
  phase = INDEXING;
  is_open = 0;
  ranking.rule = rule;
  ranking.by_likelihood = by_likelihood;
  begin_index(&spelled.symbols, &spelled.starts, &words.counts, n_symbols);
  begin_ranking();
}

// Lets the training rest when it has taken so many steps.
__attribute__((export_name("until"))) void until(int32_t steps) { settings.until = steps; }

// Writes the gaps. One that has not closed has the number of the first step that was not taken.
__attribute__((export_name("write_gaps"))) void write_gaps(void) {
  merged.gaps = room_for_ints(spelled.symbols.length);
  for (int32_t at = 0, i = 0; at < pairs.symbol.length; at++) {
    int32_t step = pairs.gap.at[at];
    if (pairs.symbol.at[at] != BORDER) merged.gaps.at[i++] = step < 0 ? merged.left.length : step;
  }
}

// Merges the best pair again and again, until the training ends or some `most` places and pairs were looked at.
static enum Stop merge_pairs(int32_t most) {
  for (int64_t left = most; left > 0;) {
    enum Stop stop = ended();
    if (stop) write_gaps();
    if (!stop && merged.left.length >= settings.until) stop = RESTS;
    if (stop) return stop;
    int64_t places = pairs.places_end.at[best.pair[0]] - pairs.first.at[best.pair[0]];
    take_step(best.pair[0]);
    if (is_open) return ASKS;
    left -= LOOKS_TO_STEP + LOOKS_TO_JOIN * places;
    left -= ranking.by_likelihood ? pairs.left.length : LOOKS_TO_RANK * (int64_t)pairs.changed.length;
  }
  return GOES_ON;
}

// Goes on with a training, for about `most` looks at a symbol or a pair: half a million take a few milliseconds. Returns why
// the training ended, or GOES_ON: call it again.
__attribute__((export_name("go_on"))) enum Stop go_on(int32_t most) {
  end_open();
  switch (phase) {
    case INDEXING:
      share = index_pairs(most);
      if (share < 1) return GOES_ON;
      phase = RANKING;
      if (settings.asks_ranks) ask(-1, -1);
      else end_index();
      return is_open ? ASKS : GOES_ON;
    case RANKING:
      if (!rank_pairs(most / LOOKS_TO_RANK + 1)) return GOES_ON;
      phase = MERGING;
      enter_state();
      return GOES_ON;
    default:
      return merge_pairs(most);
  }
}

// Merges given pairs instead, in their order, while the training rests; where it asks, only one. Returns how many: fewer
// than `steps` if one is no candidate.
__attribute__((export_name("follow"))) int32_t follow(const int32_t *left, const int32_t *right, int32_t steps) {
  for (int32_t i = 0; i < steps; i++) {
    int32_t p = pair_of(left[i], right[i]);
    if (p < 0 || !pairs.counts.at[p]) return i;
    take_step(p);
  }
  return steps;
}

// How much of a training is done, from 0 to 1: of the index of pairs, which is counted as a quarter of it, and then of
// the tokens that were wanted.
__attribute__((export_name("progress"))) double progress(void) {
  if (phase == INDEXING) return share / 4;
  double made = merged.left.length, missing = settings.wanted - settings.vocab_size;
  return 0.25 + (made ? 0.75 * made / (made + missing) : 0);
}
