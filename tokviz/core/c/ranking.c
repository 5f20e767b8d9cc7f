// By count: counts only fall and places only grow, so a key that is out of date is too good, never too bad. The best
// pairs stand in a short sorted front before a heap, whose keys are looked at again when they come up.
//
// By likelihood, count / (left × right): scores rise when a symbol is used up elsewhere, so all live pairs are scored
// anew at each step.
#include "ranking.h"
#include "words.h"

Ranking ranking;

typedef struct { double count; int32_t place, pair; } Key;

// --- ties -----------------------------------------------------------------------------------------

// A token's text as it is compared: its characters behind a prefix and before a suffix.
typedef struct { int32_t at, end, marks; } Text;

static Text text_of(int32_t at, int32_t length) {
  int32_t first = ranking.marks.at[starting_symbol(at)], last = ranking.marks.at[starting_symbol(at + length - 1)];
  return (Text){at, at + length, (first & CONTINUING) | (last & ENDS_WORD)};
}

static int32_t character(int32_t at) { return ranking.characters.at[starting_symbol(at)]; }

// The character at a place of a text, counted with its markers; -1 behind its end.
static int32_t letter(const Text *text, int32_t i) {
  if (text->marks & CONTINUING) {
    if (i < ranking.prefix.length) return ranking.prefix.at[i];
    i -= ranking.prefix.length;
  }
  // Only the last symbol of a word may have no character of its own.
  int32_t length = text->end - text->at - (character(text->end - 1) < 0);
  if (i < length) return character(text->at + i);
  i -= length;
  return text->marks & ENDS_WORD && i < ranking.suffix.length ? ranking.suffix.at[i] : -1;
}

static int32_t letters(const Text *text) {
  int32_t n = text->end - text->at - (character(text->end - 1) < 0);
  if (text->marks & CONTINUING) n += ranking.prefix.length;
  if (text->marks & ENDS_WORD) n += ranking.suffix.length;
  return n;
}

// Below 0 if the first text is the smaller one in alphabetical order, 0 if they are equal.
static int32_t compare_texts(Text a, Text b) {
  for (int32_t i = 0;; i++) {
    int32_t x = letter(&a, i), y = letter(&b, i);
    if (x != y || x < 0) return x - y;
  }
}

// Below 0 if the rule prefers pair p to pair q. Their texts are read where each was born: starting symbols stay there.
static int32_t compare_by_rule(int32_t p, int32_t q) {
  if (ranking.rule == FIRST_SEEN) return 0;
  int32_t left[2] = {pairs.left.at[p], pairs.left.at[q]}, right[2] = {pairs.right.at[p], pairs.right.at[q]};
  if (ranking.rule == SMALLEST_IDS) {
    int32_t by_left = ranking.ids.at[left[0]] - ranking.ids.at[left[1]];
    return by_left ? by_left : ranking.ids.at[right[0]] - ranking.ids.at[right[1]];
  }
  int32_t at[2] = {pairs.places.at[pairs.places_at.at[p]], pairs.places.at[pairs.places_at.at[q]]}, size[2], rest[2];
  for (int k = 0; k < 2; k++) size[k] = pairs.length.at[left[k]], rest[k] = pairs.length.at[right[k]];
  if (ranking.rule == LARGEST_PAIR) {
    int32_t by_left = compare_texts(text_of(at[1], size[1]), text_of(at[0], size[0]));
    if (by_left) return by_left;
    return compare_texts(text_of(at[1] + size[1], rest[1]), text_of(at[0] + size[0], rest[0]));
  }
  Text a = text_of(at[0], size[0] + rest[0]), b = text_of(at[1], size[1] + rest[1]);
  int32_t by_length = letters(&a) - letters(&b);
  return by_length ? by_length : compare_texts(a, b);
}

static int is_better_tied(const Key *a, const Key *b) {
  if (ranking.rule == GIVEN) {
    int32_t by_rank = pairs.ranks.at[a->pair] - pairs.ranks.at[b->pair];
    return by_rank ? by_rank < 0 : a->pair < b->pair;
  }
  int32_t by_rule = compare_by_rule(a->pair, b->pair);
  return by_rule ? by_rule < 0 : a->place < b->place;
}

// Most counts differ: that is seen where it is asked.
static inline int is_better(const Key *a, const Key *b) {
  if (ranking.rule != GIVEN && a->count != b->count) return a->count > b->count;
  return is_better_tied(a, b);
}

static Key key_now(int32_t p) { return (Key){pairs.counts.at[p], first_seen(p), p}; }

// --- how many pairs have a count ------------------------------------------------------------------

// A hash table, as in words.c: counts, and beside each how many pairs have it.
static struct { double *counts; int32_t *pairs; int32_t length, room; } with;

static int32_t *pairs_with(double count) {
  if (2 * with.length >= with.room) {
    typeof(with) old = with;
    with.room = old.room ? 2 * old.room : 256;
    with.counts = counts_of(with.room, 0).at;
    with.pairs = ints_of(with.room, 0).at;
    with.length = 0;
    for (int32_t i = 0; i < old.room; i++) if (old.pairs[i]) *pairs_with(old.counts[i]) = old.pairs[i];
  }
  for (uint32_t i = (uint64_t)count * 0x9E3779B97F4A7C15u >> 40;; i++) {
    i &= with.room - 1;
    if (!with.counts[i]) with.counts[i] = count, with.length++;
    if (with.counts[i] == count) return &with.pairs[i];
  }
}

// --- by count -------------------------------------------------------------------------------------

// The heap is one as heapq has it: the best key comes first, and none of those at 2i + 1 and 2i + 2 is better than that at i.
static Key front[4 * TOP + 1], *heap;
static int32_t n_front, n_heap, heap_room;
static Ints is_in_front;
static Counts known; // per pair: the count that the ranking knows

static void sift_down(int32_t i) {
  Key key = heap[i];
  for (int32_t child; (child = 2 * i + 1) < n_heap; i = child) {
    if (child + 1 < n_heap && is_better(&heap[child + 1], &heap[child])) child++;
    if (!is_better(&heap[child], &key)) break;
    heap[i] = heap[child];
  }
  heap[i] = key;
}

static void push_heap(Key key) {
  if (n_heap == heap_room) {
    Key *old = heap;
    heap_room = heap_room ? 2 * heap_room : 1024;
    heap = reserve((uint64_t)heap_room * sizeof *heap);
    if (n_heap) __builtin_memcpy(heap, old, n_heap * sizeof *heap);
  }
  int32_t i = n_heap++;
  for (; i && is_better(&key, &heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
  heap[i] = key;
}

static void pop_heap(void) {
  heap[0] = heap[--n_heap];
  if (n_heap) sift_down(0);
}

static void hold(int32_t at, Key key) {
  for (int32_t i = n_front++; i > at; i--) front[i] = front[i - 1];
  front[at] = key;
  is_in_front.at[key.pair] = 1;
}

static void let_go(int32_t pair) {
  int32_t at = 0;
  while (front[at].pair != pair) at++;
  for (n_front--; at < n_front; at++) front[at] = front[at + 1];
  is_in_front.at[pair] = 0;
}

// Whatever is not better than the last one of the front goes to the heap.
static void place(int32_t p) {
  Key key = key_now(p);
  if (!n_front || !is_better(&key, &front[n_front - 1])) return push_heap(key);
  int32_t low = 0, high = n_front;
  while (low < high) {
    int32_t middle = (low + high) / 2;
    if (is_better(&key, &front[middle])) high = middle;
    else low = middle + 1;
  }
  hold(low, key);
}

static void fill_front(void) {
  while (n_front < 2 * TOP && n_heap) {
    Key top = heap[0];
    if (!pairs.counts.at[top.pair]) {
      pop_heap();
      continue;
    }
    Key now = key_now(top.pair);
    if (now.count == top.count && now.place == top.place) {
      pop_heap();
      hold(n_front, now);
    } else {
      heap[0] = now;
      sift_down(0);
    }
  }
}

static void take_count(int32_t p) {
  double count = pairs.counts.at[p];
  int is_new = p >= known.length, waits = 0;
  if (is_new) {
    push_count(&known, count);
    push(&is_in_front, 0);
  } else {
    --*pairs_with(known.at[p]);
    // A key in the heap is too good from now on; the heap finds out when it comes up.
    if (is_in_front.at[p]) let_go(p);
    else waits = 1;
    known.at[p] = count;
  }
  if (!count) return;
  ++*pairs_with(count);
  if (!waits) place(p);
  if (n_front > 4 * TOP) {
    for (int32_t i = 2 * TOP; i < n_front; i++) {
      is_in_front.at[front[i].pair] = 0;
      push_heap(front[i]);
    }
    n_front = 2 * TOP;
  }
}

static void best_by_count(Best *best) {
  if (n_front < TOP) fill_front();
  best->n = n_front < TOP ? n_front : TOP;
  for (int32_t i = 0; i < best->n; i++) best->pair[i] = front[i].pair, best->count[i] = front[i].count;
  best->tied = !best->n ? 0 : ranking.rule == GIVEN ? 1 : *pairs_with(best->count[0]);
}

// --- by likelihood --------------------------------------------------------------------------------

static Ints live;
static Counts scores; // of the live pairs, as floating-point numbers: close enough to tell who is out of question

static const double NEAR = 1e-14; // far above their error, about 4e-16

typedef struct { uint64_t low, middle, high; } Product;

// A product of three numbers below 2^53, as one multiplies by hand, with digits of 32 bits: C has no greater numbers than
// those of 64.
static Product product(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t HALF = 0xffffffff;
  uint64_t a0 = a & HALF, a1 = a >> 32, b0 = b & HALF, b1 = b >> 32, c0 = c & HALF, c1 = c >> 32;
  uint64_t low = a0 * b0, mid = a1 * b0 + (low >> 32), mid2 = a0 * b1 + (mid & HALF);
  uint64_t ab[4] = {low & HALF, mid2 & HALF, 0, 0}, high = a1 * b1 + (mid >> 32) + (mid2 >> 32);
  ab[2] = high & HALF;
  ab[3] = high >> 32;
  uint64_t all[6] = {0};
  for (int i = 0; i < 4; i++) {
    uint64_t carry = 0, factors[2] = {c0, c1};
    for (int j = 0; j < 2; j++) {
      uint64_t sum = ab[i] * factors[j] + all[i + j] + carry;
      all[i + j] = sum & HALF;
      carry = sum >> 32;
    }
    if (i + 2 < 6) all[i + 2] += carry;
  }
  return (Product){all[0] | all[1] << 32, all[2] | all[3] << 32, all[4] | all[5] << 32};
}

static double count_of_left(int32_t p) { return pairs.symbol_counts.at[pairs.left.at[p]]; }
static double count_of_right(int32_t p) { return pairs.symbol_counts.at[pairs.right.at[p]]; }

// Above 0 if pair p has the greater score, 0 if the two are equal: by cross-multiplication.
static int compare_scores(int32_t p, double score, int32_t q, double other) {
  if (score < other * (1 - NEAR)) return -1;
  if (other < score * (1 - NEAR)) return 1;
  Product a = product(pairs.counts.at[p], count_of_left(q), count_of_right(q));
  Product b = product(pairs.counts.at[q], count_of_left(p), count_of_right(p));
  if (a.high != b.high) return a.high > b.high ? 1 : -1;
  if (a.middle != b.middle) return a.middle > b.middle ? 1 : -1;
  return a.low == b.low ? 0 : a.low > b.low ? 1 : -1;
}

static void best_by_likelihood(Best *best) {
  double top[TOP];
  int32_t n = 0, n_live = 0;
  for (int32_t i = 0; i < live.length; i++) {
    int32_t p = live.at[i];
    double count = pairs.counts.at[p];
    if (!count) continue;
    double score = count / (count_of_left(p) * count_of_right(p));
    scores.at[n_live] = score;
    live.at[n_live++] = p;
    if (n == TOP && score < top[n - 1] * (1 - NEAR)) continue;
    int32_t at = n;
    while (at) {
      int by_score = compare_scores(p, score, best->pair[at - 1], top[at - 1]);
      if (by_score < 0 || (!by_score && first_seen(p) > first_seen(best->pair[at - 1]))) break;
      at--;
    }
    if (at == TOP) continue;
    if (n < TOP) n++;
    for (int32_t k = n - 1; k > at; k--) top[k] = top[k - 1], best->pair[k] = best->pair[k - 1];
    top[at] = score;
    best->pair[at] = p;
  }
  live.length = n_live;
  best->n = n;
  best->tied = 0;
  for (int32_t k = 0; k < n; k++) best->count[k] = pairs.counts.at[best->pair[k]];
  for (int32_t i = 0; n && i < n_live; i++) {
    if (scores.at[i] < top[0] * (1 - NEAR)) continue;
    best->tied += !compare_scores(live.at[i], scores.at[i], best->pair[0], top[0]);
  }
}

// --- both -----------------------------------------------------------------------------------------

static int32_t ranked; // pairs

int rank_pairs(int32_t most) {
  for (; most && ranked < pairs.left.length; ranked++, most--) {
    if (!ranking.by_likelihood) take_count(ranked);
    else push(&live, ranked), push_count(&scores, 0);
  }
  return ranked == pairs.left.length;
}

void begin_ranking(void) {
  live = is_in_front = (Ints){0};
  scores = known = (Counts){0};
  with = (typeof(with)){0};
  heap = 0;
  ranked = n_front = n_heap = heap_room = 0;
}

void rank_changed(void) {
  for (int32_t i = 0; !ranking.by_likelihood && i < pairs.changed.length; i++) {
    if (pairs.changed.at[i] < ranked) take_count(pairs.changed.at[i]);
  }
  rank_pairs(pairs.left.length);
}

void find_best(Best *best) {
  if (ranking.by_likelihood) best_by_likelihood(best);
  else best_by_count(best);
}
