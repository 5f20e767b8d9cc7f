// The course's Unigram: it starts from many tokens, and removes those that the words miss least.
//
//     seeds      h u g p s  ug hug pug hugs ...      (seeds.c)
//     a state    hug: hug = 2.64, without hug: h ug = 4.99, so the loss rises by 10 * 2.35 without hug
//     a round    the cheapest tenth goes, and what is left shares its probability
//
// Each state asks two questions. How is every word cut now? And by how much would the loss rise without a token? Words
// whose best path does not use a token keep that path when it goes, so only those that use it are cut once more.
#include "unigram.h"
#include "lattices.h"
#include "logarithm.h"
#include "seeds.h"
#include "sorting.h"

enum { NEVER = INT32_MAX };
enum Round { WORKS_ON, STATE, HAS_SIZE, TOO_FEW_SEEDS, OVERSHOT, ONLY_CHARACTERS, TOO_MANY_SUBSTRINGS };

Rounds rounds;

static struct {
  int32_t seeds, wanted, only_inside, hits_size;
  double fraction;
} settings;

static enum { FINDING, LINKING, CUTTING, CHOOSING } phase;
static double share; // of the phase, from 0 to 1

// --- the model ------------------------------------------------------------------------------------

static Counts deltas; // per seed that is alive: by how much the loss rises without it

static int is_alive(int32_t token) { return rounds.removed_at.at[token] == NEVER; }

static int32_t n_rounds(void) { return rounds.loss.length; }

// Tokens that went leave their probability to the others, whose counts stay.
static void score_tokens(void) {
  uint64_t total = 0;
  for (int32_t i = 0; i < seeds.at.length; i++) if (is_alive(i)) total += (uint64_t)seeds.counts.at[i];
  for (int32_t i = 0; i < seeds.at.length; i++) {
    // Longer seeds are sorted by their counts: many need no logarithm of their own.
    int is_as_before = i && is_alive(i - 1) && seeds.counts.at[i] == seeds.counts.at[i - 1];
    if (!is_alive(i)) cost.at[i] = __builtin_inf();
    else cost.at[i] = is_as_before ? cost.at[i - 1] : -logarithm(seeds.counts.at[i] / (double)total);
  }
}

// --- a state --------------------------------------------------------------------------------------

// The word that is being cut, and how many tokens of its path it was cut without; NONE: it was not cut yet.
static int32_t word, replaced;

// The sum of what the words so far cost, each times its count. Sums of floating-point numbers depend on their order:
// here it is that of the words, as in the published loss.
static double plain;

// The same without a token, for each token that a word before used. Per token: which of the sums; per sum: what it is
// with the word that is being cut, where that is not cut as before.
static Counts sums, with_word;
static Ints sum_of, met_in, replacing;

static void begin_state(void) {
  word = 0;
  replaced = NONE;
  plain = 0;
  sums.length = rounds.path.length = rounds.path_starts.length = 0;
  for (int32_t i = 0; i < seeds.at.length; i++) sum_of.at[i] = met_in.at[i] = NONE;
  for (int32_t i = 0; i < spelled.symbols.length; i += 8) push_byte(&rounds.cuts, 0);
  score_tokens();
  begin_clearing();
}

static void cut_best(int32_t w) {
  int32_t from = rounds.path.length, place = spelled.starts.at[w];
  uint8_t *bits = rounds.cuts.at + rounds.cuts.length - (spelled.symbols.length + 7) / 8;
  find_ways(w, 1, NONE, best.at);
  push(&rounds.path_starts, from);
  push_path(w, &rounds.path);
  for (int32_t i = from; i < rounds.path.length; i++) {
    bits[place / 8] |= 0x80 >> place % 8;
    place += seeds.length.at[rounds.path.at[i]];
  }
}

// What the words so far cost together without a token of this word.
static void cut_without(int32_t w, int32_t token) {
  if (met_in.at[token] == w || seeds.length.at[token] == 1) return;
  met_in.at[token] = w;
  int32_t since = first_with(w, token);
  __builtin_memcpy(other.at, best.at, since * sizeof(double));
  find_ways(w, since, token, other.at);
  if (sum_of.at[token] == NONE) {
    sum_of.at[token] = sums.length;
    push_count(&sums, plain);
  }
  push(&replacing, sum_of.at[token]);
  push_count(&with_word, sums.at[sum_of.at[token]] + words.counts.at[w] * other.at[symbols_of(w)]);
}

static void add_word(int32_t w) {
  double term = words.counts.at[w] * best.at[symbols_of(w)];
  for (int32_t i = 0; i < sums.length; i++) sums.at[i] += term;
  for (int32_t i = 0; i < replacing.length; i++) sums.at[replacing.at[i]] = with_word.at[i];
  replacing.length = with_word.length = 0;
  plain += term;
}

// Goes on cutting words; returns whether all are cut.
static int cut_words(int64_t most) {
  for (; word < words.counts.length; word++, replaced = NONE) {
    if (replaced == NONE) {
      clear_lattice(word);
      cut_best(word);
      replaced = 0;
    }
    int32_t edges = symbols_of(word) + edges_of(word);
    for (int32_t from = rounds.path_starts.at[word]; from + replaced < rounds.path.length; replaced++, most -= edges) {
      if (most <= 0) return 0;
      cut_without(word, rounds.path.at[from + replaced]);
    }
    add_word(word);
    most -= edges + sums.length;
    if (most <= 0) {
      word++;
      replaced = NONE;
      break;
    }
  }
  return word == words.counts.length;
}

static void write_state(void) {
  double total = 0;
  for (int32_t w = 0; w < words.counts.length; w++) total += words.counts.at[w];
  push(&rounds.path_starts, rounds.path.length);
  push_count(&rounds.loss, plain - START * total);
  rounds.cheapest.length = 0;
  for (int32_t i = 0; i < seeds.at.length; i++) {
    if (!is_alive(i)) continue;
    // Every word is cut as before where no word uses the token.
    double delta = sum_of.at[i] == NONE ? 0 : sums.at[sum_of.at[i]] - plain;
    push_count(&rounds.delta, seeds.length.at[i] == 1 ? __builtin_nan("") : delta);
    deltas.at[i] = delta;
    if (seeds.length.at[i] > 1) push(&rounds.cheapest, i);
  }
  push(&rounds.delta_starts, rounds.delta.length);
  // Those that are equally cheap stay in the order of the vocabulary.
  sort(&rounds.cheapest, deltas.at);
  rounds.doomed = 0;
}

// --- rounds ---------------------------------------------------------------------------------------

static int32_t size(void) { return rounds.cheapest.length + seeds.characters; }

static enum Round ended(void) {
  if (size() == settings.wanted) return HAS_SIZE;
  if (size() < settings.wanted) return size() == seeds.at.length ? TOO_FEW_SEEDS : OVERSHOT;
  return size() == seeds.characters ? ONLY_CHARACTERS : STATE;
}

// Decides what goes: the cheapest tokens.
static void choose_doomed(void) {
  int32_t n = size() * settings.fraction, most = size() - settings.wanted;
  if (n < 1) n = 1;
  if (settings.hits_size && n > most) n = most;
  rounds.doomed = n < rounds.cheapest.length ? n : rounds.cheapest.length;
}

// Removes tokens. A host that chooses for itself calls this in a state: then these go instead of the cheapest. Where it
// calls it before the first state, they are gone from the start.
__attribute__((export_name("take_out"))) void take_out(const int32_t *tokens, int32_t n) {
  for (int32_t i = 0; i < n; i++) rounds.removed_at.at[tokens[i]] = n_rounds() - 1;
  rounds.doomed = 0;
}

// Begins a training of the words, which were spelled in characters: from `n_seeds` tokens of `longest` characters at
// most, with `only_inside` of strict substrings of words, until there are `wanted` of them. Each round removes a
// `fraction`, the last one no more than it takes if it `hits_size`.
__attribute__((export_name("begin_unigram"))) void begin_unigram(int32_t n_seeds, int32_t longest, int32_t only_inside,
                                                                 int32_t wanted, double fraction, int32_t hits_size) {
  settings = (typeof(settings)){n_seeds, wanted, only_inside, hits_size, fraction};
  rounds = (Rounds){0};
  phase = FINDING;
  share = 0;
  begin_substrings(longest);
}

static void begin_rounds(void) {
  int32_t n = seeds.at.length;
  begin_lattices();
  sums = with_word = (Counts){0};
  replacing = (Ints){0};
  deltas = counts_of(n, 0);
  sum_of = ints_of(n, NONE);
  met_in = ints_of(n, NONE);
  rounds.removed_at = ints_of(n, NEVER);
  push(&rounds.delta_starts, 0);
}

// What a word costs in the last state without a token, or with all of them (NONE); its tokens are in `rounds.anew`.
__attribute__((export_name("cost_of_word"))) double cost_of_word(int32_t w, int32_t without) {
  find_ways(w, 1, without, other.at);
  rounds.anew.length = 0;
  push_path(w, &rounds.anew);
  return other.at[symbols_of(w)] - START;
}

// Goes on with a training, for about `most` looks at an edge or a sum: half a million take a few milliseconds. Returns
// STATE where a new one is known, and the host may read its path and choose what goes; why the training ended, with its
// last state; or WORKS_ON: call it again.
__attribute__((export_name("go_on_unigram"))) enum Round go_on_unigram(int32_t most) {
  switch (phase) {
    case FINDING:
      share = find_substrings(most);
      if (share > 1) return TOO_MANY_SUBSTRINGS;
      if (share < 1) return WORKS_ON;
      choose_seeds(settings.seeds, settings.only_inside);
      begin_rounds();
      phase = LINKING;
      return WORKS_ON;
    case LINKING:
      if (!link_words(most)) return WORKS_ON;
      begin_state();
      phase = CUTTING;
      return WORKS_ON;
    case CHOOSING:
      take_out(rounds.cheapest.at, rounds.doomed);
      begin_state();
      phase = CUTTING;
      return WORKS_ON;
    default:
      if (!cut_words(most)) return WORKS_ON;
      write_state();
      if (ended() == STATE) choose_doomed();
      phase = CHOOSING;
      return ended();
  }
}

// How much of a training is done, from 0 to 1: of finding the seeds, which is counted as a fifth of it, and then of the
// tokens that are to go.
__attribute__((export_name("unigram_progress"))) double unigram_progress(void) {
  if (phase == FINDING) return share / 5;
  if (!n_rounds()) return 0.2;
  double gone = seeds.at.length - size(), all = seeds.at.length - settings.wanted;
  return 0.2 + 0.8 * (gone < all ? gone / all : 1);
}
