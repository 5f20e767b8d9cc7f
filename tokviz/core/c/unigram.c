// Each round asks two questions. How is every word cut now? And by how much would the loss rise without a token? Words
// whose best path does not use a token keep that path when it goes, so only those that use it are cut once more.
#include "unigram.h"
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

// --- lattices -------------------------------------------------------------------------------------

// The nodes of a word's lattice are the places between its characters, its ends included; node i of word w has the
// number starts[w] + w + i. An edge is a token that fits there. The edges that arrive at node k are those from
// edges_at[k] up to edges_at[k + 1], the longest first.
static Ints edges_at, edge_start, edge_token;

static int32_t linked; // words that have their edges

// The edges of a word as they are found. Those that arrive at a node are a chain: its first one, and after each the next.
static Ints found_start, found_token, found_first, found_next;

static int32_t symbols_of(int32_t w) { return spelled.starts.at[w + 1] - spelled.starts.at[w]; }
static int32_t first_node(int32_t w) { return spelled.starts.at[w] + w; }

// Writes the edges of a word: all seeds that are in it.
static void link_word(int32_t w) {
  const int32_t *symbols = spelled.symbols.at + spelled.starts.at[w];
  int32_t n = symbols_of(w), *first = found_first.at;
  for (int32_t i = 0; i <= n; i++) first[i] = NONE;
  found_start.length = found_token.length = found_next.length = 0;
  // From right to left, so that the longest edge comes to stand first.
  for (int32_t start = n - 1; start >= 0; start--) {
    for (int32_t i = start, node = NONE; i < n; i++) {
      node = child(node, symbols[i]);
      if (node == NONE || !substrings.leads_on.at[node]) break;
      if (substrings.seed.at[node] == NONE) continue;
      push(&found_start, start);
      push(&found_token, substrings.seed.at[node]);
      push(&found_next, first[i + 1]);
      first[i + 1] = found_next.length - 1;
    }
  }
  for (int32_t i = 0; i <= n; i++) {
    for (int32_t f = first[i]; f != NONE; f = found_next.at[f]) {
      push(&edge_start, found_start.at[f]);
      push(&edge_token, found_token.at[f]);
    }
    push(&edges_at, edge_token.length);
  }
}

// --- the model ------------------------------------------------------------------------------------

static Counts cost; // per seed that is alive: -ln (count / sum of counts)
static Counts deltas; // per seed that is alive: by how much the loss rises without it

static int is_alive(int32_t token) { return rounds.removed_at.at[token] == NEVER; }

static int32_t n_rounds(void) { return rounds.loss.length; }

// Tokens that went leave their probability to the others, whose counts stay.
static void score_tokens(void) {
  uint64_t total = 0;
  for (int32_t i = 0; i < seeds.at.length; i++) if (is_alive(i)) total += (uint64_t)seeds.counts.at[i];
  for (int32_t i = 0; i < seeds.at.length; i++) {
    // Longer seeds are sorted by their counts.
    int is_as_before = i && is_alive(i - 1) && seeds.counts.at[i] == seeds.counts.at[i - 1];
    if (is_alive(i)) cost.at[i] = is_as_before ? cost.at[i - 1] : -logarithm(seeds.counts.at[i] / (double)total);
  }
}

// --- best paths -----------------------------------------------------------------------------------

// A path's cost is counted from here, as the published programs do. The paths are the same, but sums rounded on the way
// are not.
static const double START = 1;

// Per node of the word that is being cut: the cost of the best way there, and the edge by which it arrives; and that
// cost without some token.
static Counts best, other;
static Ints back;

// Finds the best ways to the nodes from `i` to `n` of a word, whose nodes begin at `base`, without a token. Only a better
// way replaces another, so among equal ones that wins whose last token starts earliest.
static void find_ways(int32_t base, int32_t i, int32_t n, int32_t without, double *ways) {
  ways[0] = START;
  for (; i <= n; i++) {
    double least = __builtin_inf();
    int32_t by = NONE;
    for (int32_t e = edges_at.at[base + i]; e < edges_at.at[base + i + 1]; e++) {
      int32_t token = edge_token.at[e];
      double way = ways[edge_start.at[e]] + cost.at[token];
      if (way < least && token != without) least = way, by = e;
    }
    ways[i] = least;
    back.at[i] = by;
  }
}

// Writes the tokens of the best way to node n.
static void push_path(int32_t n, Ints *path) {
  int32_t from = path->length;
  for (int32_t e; n; n = edge_start.at[e]) push(path, edge_token.at[e = back.at[n]]);
  for (int32_t i = from, j = path->length - 1; i < j; i++, j--) {
    int32_t token = path->at[i];
    path->at[i] = path->at[j];
    path->at[j] = token;
  }
}

// The first node of a word at which a token arrives.
static int32_t first_with(int32_t base, int32_t token) {
  int32_t i = 1;
  for (;; i++) for (int32_t e = edges_at.at[base + i]; e < edges_at.at[base + i + 1]; e++) if (edge_token.at[e] == token) return i;
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

// Edges that are kept and looked at, as dead tokens are taken out.
static int32_t kept, looked_at;

static void begin_state(void) {
  word = kept = looked_at = 0;
  replaced = NONE;
  plain = 0;
  sums.length = rounds.path.length = rounds.path_starts.length = 0;
  for (int32_t i = 0; i < seeds.at.length; i++) sum_of.at[i] = met_in.at[i] = NONE;
  for (int32_t i = 0; i < spelled.symbols.length; i += 8) push_byte(&rounds.cuts, 0);
  score_tokens();
}

// Takes the tokens that went out of a word's lattice.
static void clear_lattice(int32_t w) {
  for (int32_t i = 0, k = first_node(w); i <= symbols_of(w); i++, k++) {
    for (; looked_at < edges_at.at[k + 1]; looked_at++) {
      if (!is_alive(edge_token.at[looked_at])) continue;
      edge_start.at[kept] = edge_start.at[looked_at];
      edge_token.at[kept++] = edge_token.at[looked_at];
    }
    edges_at.at[k + 1] = kept;
  }
}

static void cut_best(int32_t w) {
  int32_t from = rounds.path.length, place = spelled.starts.at[w];
  uint8_t *bits = rounds.cuts.at + rounds.cuts.length - (spelled.symbols.length + 7) / 8;
  find_ways(first_node(w), 1, symbols_of(w), NONE, best.at);
  push(&rounds.path_starts, from);
  push_path(symbols_of(w), &rounds.path);
  for (int32_t i = from; i < rounds.path.length; i++) {
    bits[place / 8] |= 0x80 >> place % 8;
    place += seeds.length.at[rounds.path.at[i]];
  }
}

// What the words so far cost together without a token of this word.
static void cut_without(int32_t w, int32_t token) {
  if (met_in.at[token] == w || seeds.length.at[token] == 1) return;
  met_in.at[token] = w;
  int32_t base = first_node(w), n = symbols_of(w), since = first_with(base, token);
  __builtin_memcpy(other.at, best.at, since * sizeof(double));
  find_ways(base, since, n, token, other.at);
  if (sum_of.at[token] == NONE) {
    sum_of.at[token] = sums.length;
    push_count(&sums, plain);
  }
  push(&replacing, sum_of.at[token]);
  push_count(&with_word, sums.at[sum_of.at[token]] + words.counts.at[w] * other.at[n]);
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
    int32_t edges = symbols_of(word) + edges_at.at[first_node(word + 1)] - edges_at.at[first_node(word)];
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

static void remove_doomed(void) {
  for (int32_t i = 0; i < rounds.doomed; i++) rounds.removed_at.at[rounds.cheapest.at[i]] = n_rounds() - 1;
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

static void begin_lattices(void) {
  int32_t n = seeds.at.length, nodes = 1;
  for (int32_t w = 0; w < words.counts.length; w++) if (symbols_of(w) >= nodes) nodes = symbols_of(w) + 1;
  linked = 0;
  found_start = found_token = found_next = edges_at = edge_start = edge_token = replacing = (Ints){0};
  sums = with_word = (Counts){0};
  found_first = ints_of(nodes, NONE);
  back = ints_of(nodes, NONE);
  best = counts_of(nodes, 0);
  other = counts_of(nodes, 0);
  cost = counts_of(n, 0);
  deltas = counts_of(n, 0);
  rounds.removed_at = ints_of(n, NEVER);
  sum_of = ints_of(n, NONE);
  met_in = ints_of(n, NONE);
  push(&edges_at, 0);
  push(&rounds.delta_starts, 0);
}

static int link_words(int32_t most) {
  for (; linked < words.counts.length && most > 0; linked++) {
    link_word(linked);
    most -= LOOKS_TO_FIND * (symbols_of(linked) + found_start.length);
  }
  return linked == words.counts.length;
}

// What a word costs in the last state without a token, or with all of them (NONE); its tokens are in `rounds.anew`.
__attribute__((export_name("cost_of_word"))) double cost_of_word(int32_t w, int32_t without) {
  find_ways(first_node(w), 1, symbols_of(w), without, other.at);
  rounds.anew.length = 0;
  push_path(symbols_of(w), &rounds.anew);
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
      begin_lattices();
      phase = LINKING;
      return WORKS_ON;
    case LINKING:
      if (!link_words(most)) return WORKS_ON;
      begin_state();
      phase = CUTTING;
      return WORKS_ON;
    case CHOOSING:
      remove_doomed();
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
