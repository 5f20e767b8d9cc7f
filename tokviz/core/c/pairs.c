#include "pairs.h"

enum { LONG = 500 }; // symbols of a word whose pairs are counted one by one

Pairs pairs;

static Ints slots; // a hash table of pairs: number + 1, or 0

static int32_t *slot_of(int32_t left, int32_t right) {
  uint64_t key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * 0x9E3779B97F4A7C15u;
  for (uint32_t i = key >> 32;; i++) {
    int32_t *slot = &slots.at[i & (slots.length - 1)];
    if (!*slot || (pairs.left.at[*slot - 1] == left && pairs.right.at[*slot - 1] == right)) return slot;
  }
}

// The number of a pair; a new one has no count and no places yet.
static int32_t number_of(int32_t left, int32_t right) {
  int32_t *slot = slot_of(left, right);
  if (*slot) return *slot - 1;
  push(&pairs.left, left);
  push(&pairs.right, right);
  push(&pairs.places_at, 0);
  push(&pairs.places_end, 0);
  push(&pairs.first, 0);
  push_count(&pairs.counts, 0);
  int32_t n = *slot = pairs.left.length;
  if (2 * n < slots.length) return n - 1;
  slots = ints_of(2 * slots.length, 0);
  for (int32_t p = 0; p < n; p++) *slot_of(pairs.left.at[p], pairs.right.at[p]) = p + 1;
  return n - 1;
}

int32_t pair_of(int32_t left, int32_t right) { return *slot_of(left, right) - 1; }

static int is_rejected(int32_t pair) { return pair < pairs.ranks.length && pairs.ranks.at[pair] < 0; }

void reject_pairs(int32_t since) {
  for (int32_t pair = since; pair < pairs.ranks.length; pair++) if (is_rejected(pair)) pairs.counts.at[pair] = 0;
}

// --- what one merge works with --------------------------------------------------------------------

// Births of pairs in corpus order: which pair, and where. They become slices once all are known.
static Ints born_pair, born_place;

// Places of new pairs, in corpus order.
static Ints come;

// Pairs whose counts fall, in the order in which they are met, and by how much.
static Ints lost;
static Counts lost_count;
static Ints lost_at; // per pair: its place in `lost`, from 1

// Neighbours of the merged pair where it stands once in a short word, in the order in which they are met, and how
// often: what stands before it, and what stands behind it. `at` is a symbol's place there, from 1.
typedef struct { Ints symbols, at; Counts counts; } Neighbours;
static Neighbours befores, behinds;

// The memory of the training before is gone.
static void forget_merges(void) {
  born_pair = born_place = come = lost = lost_at = (Ints){0};
  lost_count = (Counts){0};
  befores = behinds = (Neighbours){0};
}

static void write_border(int32_t at, int32_t word) {
  pairs.symbol.at[at] = BORDER;
  pairs.begin.at[at] = at;
  pairs.word.at[at] = word;
  pairs.gap.at[at] = -1;
}

// --- the index ------------------------------------------------------------------------------------

static void be_born(int32_t pair, int32_t place) {
  push(&born_pair, pair);
  push(&born_place, place);
  pairs.places_end.at[pair]++;
  pairs.counts.at[pair] += pairs.word_counts.at[pairs.word.at[place]];
}

// Makes room for the slice of each of the pairs from `since` on, of which `places_end` says how often it was born.
static void make_room(int32_t since) {
  int32_t *end = pairs.places_end.at, next = pairs.places.length;
  for (int32_t p = since; p < pairs.left.length; p++) {
    int32_t length = end[p];
    pairs.places_at.at[p] = end[p] = pairs.first.at[p] = next;
    next += length;
  }
  lengthen(&pairs.places, next);
}

// Writes the births from number `i` to `end` into the slices of their pairs.
static void write_births(int32_t i, int32_t end) {
  for (; i < end; i++) pairs.places.at[pairs.places_end.at[born_pair.at[i]]++] = born_place.at[i];
}

static void slice_births(int32_t since) {
  make_room(since);
  write_births(0, born_pair.length);
  born_pair.length = born_place.length = 0;
}

static const Ints *word_starts;
static int32_t indexed, sliced; // words, births

void begin_index(const Ints *symbols, const Ints *starts, const Counts *word_counts, int32_t n_symbols) {
  int32_t n_words = starts->length - 1, size = symbols->length + n_words + 1;
  pairs = (Pairs){.word_counts = *word_counts, .starting = *symbols};
  word_starts = starts;
  indexed = sliced = 0;
  forget_merges();
  slots = ints_of(4096, 0);
  pairs.length = ints_of(n_symbols, 1);
  pairs.symbol_counts = counts_of(n_symbols, 0);
  pairs.symbol = room_for_ints(size);
  pairs.begin = room_for_ints(size);
  pairs.word = room_for_ints(size);
  pairs.gap = room_for_ints(size);
  pairs.is_long = room_for_ints(n_words);
  write_border(0, 0);
}

// Writes a word behind the border before it, and the border behind it.
static void index_word(int32_t w) {
  const int32_t *symbols = pairs.starting.at, *starts = word_starts->at;
  int32_t at = 1 + starts[w] + w;
  pairs.is_long.at[w] = starts[w + 1] - starts[w] > LONG;
  for (int32_t i = starts[w]; i < starts[w + 1]; i++, at++) {
    pairs.symbol.at[at] = symbols[i];
    pairs.begin.at[at] = at;
    pairs.word.at[at] = w;
    pairs.gap.at[at] = -1;
    pairs.symbol_counts.at[symbols[i]] += pairs.word_counts.at[w];
    if (i > starts[w]) be_born(number_of(symbols[i - 1], symbols[i]), at - 1);
  }
  write_border(at, w);
}

double index_pairs(int32_t most) {
  const int32_t *starts = word_starts->at, n_words = word_starts->length - 1;
  double size = 2.0 * starts[n_words] + 1; // each symbol is looked at twice: in its word, and as the place of a pair
  if (!sliced) {
    int32_t before = starts[indexed];
    while (indexed < n_words && starts[indexed] - before < most) index_word(indexed++);
    if (indexed < n_words) return starts[indexed] / size;
    make_room(0);
  }
  int32_t end = most < born_pair.length - sliced ? sliced + most : born_pair.length;
  write_births(sliced, end);
  sliced = end;
  if (sliced < born_pair.length) return (starts[n_words] + sliced) / size;
  born_pair.length = born_place.length = 0;
  return 1;
}

// --- places ---------------------------------------------------------------------------------------

int32_t starting_symbol(int32_t place) { return pairs.starting.at[place - 1 - pairs.word.at[place]]; }

static int32_t behind(int32_t place) { return place + pairs.length.at[pairs.symbol.at[place]]; }

// Where the token before a place begins; a border begins at itself.
static int32_t before(int32_t place) { return pairs.begin.at[place - 1]; }

static int is_at(int32_t p, int32_t place) {
  return pairs.symbol.at[place] == pairs.left.at[p] && pairs.symbol.at[behind(place)] == pairs.right.at[p];
}

__attribute__((export_name("first_seen"))) int32_t first_seen(int32_t p) {
  int32_t *first = &pairs.first.at[p];
  while (!is_at(p, pairs.places.at[*first])) ++*first;
  return pairs.places.at[*first];
}

// --- merging --------------------------------------------------------------------------------------

static void lose(int32_t left, int32_t right, double count) {
  int32_t pair = *slot_of(left, right) - 1;
  while (lost_at.length <= pair) push(&lost_at, 0);
  if (!lost_at.at[pair]) {
    push(&lost, pair);
    push_count(&lost_count, 0);
    lost_at.at[pair] = lost.length;
  }
  lost_count.at[lost_at.at[pair] - 1] += count;
}

static void meet(Neighbours *neighbours, int32_t symbol, double count) {
  while (neighbours->at.length <= symbol) push(&neighbours->at, 0);
  if (!neighbours->at.at[symbol]) {
    push(&neighbours->symbols, symbol);
    push_count(&neighbours->counts, 0);
    neighbours->at.at[symbol] = neighbours->symbols.length;
  }
  neighbours->counts.at[neighbours->at.at[symbol] - 1] += count;
}

static void forget_neighbours(Neighbours *neighbours) {
  for (int32_t i = 0; i < neighbours->symbols.length; i++) neighbours->at.at[neighbours->symbols.at[i]] = 0;
  neighbours->symbols.length = neighbours->counts.length = 0;
}

// Joins the two tokens at a place.
static void join(int32_t place, int32_t symbol, int32_t step) {
  int32_t right = behind(place), end = behind(right);
  pairs.gap.at[right] = step;
  pairs.symbol.at[right] = INSIDE;
  pairs.symbol.at[place] = symbol;
  pairs.begin.at[end - 1] = place;
}

// Merges the pair in a word that has it several times, or is long: at `places[from]` up to `places[to]`, of which some
// may overlap the one before or be gone. Returns how often it had it.
static int32_t merge_crowded(int32_t p, int32_t from, int32_t to, int32_t symbol, int32_t step, double count) {
  int32_t seen = 0, merged = 0, last_end = 0, first = 0;
  for (int32_t i = from; i < to; i++) {
    int32_t place = pairs.places.at[i];
    if (place < last_end || !is_at(p, place)) continue;
    int32_t right = behind(place), next = behind(right), previous = before(place);
    if (!merged++) first = place;
    // Occurrences side by side share the pair between them.
    if (pairs.symbol.at[previous] != BORDER && previous != seen) {
      lose(pairs.symbol.at[previous], pairs.left.at[p], count);
    }
    if (pairs.symbol.at[next] != BORDER) {
      lose(pairs.right.at[p], pairs.symbol.at[next], count);
      seen = right;
    }
    last_end = next;
  }
  last_end = 0;
  for (int32_t i = from; i < to; i++) {
    int32_t place = pairs.places.at[i];
    if (place < last_end || !is_at(p, place)) continue;
    last_end = behind(behind(place));
    join(place, symbol, step);
  }
  // Every border of a new token has one new pair.
  for (int32_t place = first, made = 0; pairs.symbol.at[place] != BORDER && place < last_end; place = behind(place)) {
    if (pairs.symbol.at[place] != symbol) continue;
    int32_t previous = before(place);
    if (pairs.symbol.at[previous] != BORDER && previous != made) push(&come, previous);
    if (pairs.symbol.at[behind(place)] != BORDER) push(&come, made = place);
  }
  return merged;
}

// Whether the pair stands in the word again, behind its first place there.
static int is_again(int32_t p, int32_t from, int32_t to) {
  int32_t end = behind(behind(pairs.places.at[from]));
  while (++from < to) if (pairs.places.at[from] >= end && is_at(p, pairs.places.at[from])) return 1;
  return 0;
}

// Numbers the new pairs as they are met: those of words that had the merged pair once, by what stood before it and
// then by what stood behind it; then those of the others.
static void number_births(int32_t symbol) {
  for (int32_t i = 0; i < befores.symbols.length; i++) number_of(befores.symbols.at[i], symbol);
  for (int32_t i = 0; i < behinds.symbols.length; i++) number_of(symbol, behinds.symbols.at[i]);
  for (int32_t i = 0; i < come.length; i++) {
    int32_t place = come.at[i];
    be_born(number_of(pairs.symbol.at[place], pairs.symbol.at[behind(place)]), place);
  }
}

double merge(int32_t p, int32_t step, int32_t *met) {
  int32_t left = pairs.left.at[p], right = pairs.right.at[p], symbol = pairs.length.length;
  int32_t known = pairs.left.length, end = pairs.places_end.at[p];
  double joined = 0;
  lost.length = lost_count.length = come.length = 0;
  *met = pairs.word.at[first_seen(p)];
  push(&pairs.length, pairs.length.at[left] + pairs.length.at[right]);
  for (int32_t i = pairs.first.at[p], next; i < end; i = next) {
    int32_t place = pairs.places.at[i], w = pairs.word.at[place];
    for (next = i + 1; next < end && pairs.word.at[pairs.places.at[next]] == w;) next++;
    double count = pairs.word_counts.at[w];
    while (i < next && !is_at(p, pairs.places.at[i])) i++;
    if (i == next) continue;
    if (pairs.is_long.at[w] || is_again(p, i, next)) {
      joined += count * merge_crowded(p, i, next, symbol, step, count);
      continue;
    }
    place = pairs.places.at[i];
    int32_t previous = before(place);
    join(place, symbol, step);
    if (pairs.symbol.at[previous] != BORDER) {
      meet(&befores, pairs.symbol.at[previous], count);
      push(&come, previous);
    }
    if (pairs.symbol.at[behind(place)] != BORDER) {
      meet(&behinds, pairs.symbol.at[behind(place)], count);
      push(&come, place);
    }
    joined += count;
  }
  for (int32_t i = 0; i < befores.symbols.length; i++) lose(befores.symbols.at[i], left, befores.counts.at[i]);
  for (int32_t i = 0; i < behinds.symbols.length; i++) lose(right, behinds.symbols.at[i], behinds.counts.at[i]);
  number_births(symbol);
  slice_births(known);
  forget_neighbours(&befores);
  forget_neighbours(&behinds);
  pairs.symbol_counts.at[left] -= joined;
  pairs.symbol_counts.at[right] -= joined;
  push_count(&pairs.symbol_counts, joined);
  pairs.counts.at[p] = 0;
  pairs.changed.length = 0;
  push(&pairs.changed, p);
  for (int32_t i = 0; i < lost.length; i++) {
    int32_t pair = lost.at[i];
    lost_at.at[pair] = 0;
    // A pair of equal symbols may be its own neighbour; it is gone anyway.
    if (pair == p || is_rejected(pair)) continue;
    pairs.counts.at[pair] -= lost_count.at[i];
    push(&pairs.changed, pair);
  }
  for (int32_t pair = known; pair < pairs.left.length; pair++) push(&pairs.changed, pair);
  return joined;
}
