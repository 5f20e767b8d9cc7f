#include "seeds.h"
#include "sorting.h"

Substrings substrings;
Seeds seeds;

// --- substrings -----------------------------------------------------------------------------------

static Ints slots; // a hash table of nodes: number + 1, or 0
static int32_t longest, word, place; // where the next substrings begin

static int32_t *slot_of(int32_t node, int32_t character) {
  uint64_t key = ((uint64_t)(uint32_t)node << 32 | (uint32_t)character) * 0x9E3779B97F4A7C15u;
  for (uint32_t i = key >> 32;; i++) {
    int32_t *slot = &slots.at[i & (slots.length - 1)], found = *slot - 1;
    if (found < 0 || (substrings.parent.at[found] == node && substrings.character.at[found] == character)) return slot;
  }
}

int32_t child(int32_t node, int32_t character) { return *slot_of(node, character) - 1; }

static int32_t met_child(int32_t node, int32_t character, int32_t at, int32_t length) {
  int32_t *slot = slot_of(node, character);
  if (*slot) return *slot - 1;
  push(&substrings.parent, node);
  push(&substrings.character, character);
  push(&substrings.at, at);
  push(&substrings.length, length);
  push(&substrings.is_inside, 0);
  push_count(&substrings.counts, 0);
  seeds.characters += node == NONE;
  *slot = substrings.parent.length;
  return *slot - 1;
}

void begin_substrings(int32_t most_characters) {
  longest = most_characters;
  word = place = 0;
  substrings = (Substrings){0};
  seeds = (Seeds){0};
  // Twice as many slots as there can be nodes, so that none ever moves.
  int64_t most = 0, size = 1024;
  for (int32_t w = 0; w < words.counts.length; w++) {
    int64_t n = spelled.starts.at[w + 1] - spelled.starts.at[w];
    most += n > longest ? n * longest : n * n;
  }
  if (most > MOST_SUBSTRINGS + longest) most = MOST_SUBSTRINGS + longest;
  while (size < 2 * (most + spelled.forms.length)) size *= 2;
  slots = ints_of(size, 0);
}

double find_substrings(int32_t most) {
  const int32_t *starts = spelled.starts.at, *symbols = spelled.symbols.at;
  for (; word < words.counts.length; word++) {
    int32_t end = starts[word + 1];
    double count = words.counts.at[word];
    for (; place < end; place++) {
      if (most <= 0) return (double)place / spelled.symbols.length;
      int32_t stop = end - place > longest ? place + longest : end;
      for (int32_t i = place, node = NONE; i < stop; i++, most -= LOOKS_TO_FIND) {
        node = met_child(node, symbols[i], place, i + 1 - place);
        substrings.counts.at[node] += count;
        substrings.is_inside.at[node] |= place > starts[word] || i + 1 < end;
      }
      if (substrings.parent.length - seeds.characters > MOST_SUBSTRINGS) return 2;
    }
  }
  return 1;
}

// --- seeds ----------------------------------------------------------------------------------------

static void add_seed(int32_t node) {
  substrings.seed.at[node] = seeds.at.length;
  push(&seeds.at, substrings.at.at[node]);
  push(&seeds.length, substrings.length.at[node]);
  push_count(&seeds.counts, substrings.counts.at[node]);
  for (; node != NONE && !substrings.leads_on.at[node]; node = substrings.parent.at[node]) substrings.leads_on.at[node] = 1;
}

// The least count that any of the `room` most frequent of some substrings has, or less: most substrings are rare, and
// need not be sorted. Counts from RARE on are not told apart.
static double least_of_best(const Ints *nodes, int32_t room) {
  enum { RARE = 256 };
  int32_t with[RARE + 1] = {0}, least = RARE;
  for (int32_t i = 0; i < nodes->length; i++) {
    double count = substrings.counts.at[nodes->at[i]];
    with[count < RARE ? (int32_t)count : RARE]++;
  }
  for (int32_t n = with[RARE]; least && n < room;) n += with[--least];
  return least;
}

void choose_seeds(int32_t wanted, int32_t only_inside) {
  int32_t n = substrings.parent.length, room = wanted > seeds.characters ? wanted - seeds.characters : 0;
  const double *counts = substrings.counts.at;
  substrings.seed = ints_of(n, NONE);
  substrings.leads_on = ints_of(n, 0);
  Ints longer = {0}, best = {0};
  Counts keys = counts_of(n, 0); // the most frequent ones first; equal ones as they are met
  for (int32_t node = 0; node < n; node++) {
    keys.at[node] = -counts[node];
    if (substrings.parent.at[node] == NONE) add_seed(node);
    else if (!only_inside || substrings.is_inside.at[node]) push(&longer, node);
  }
  double least = least_of_best(&longer, room);
  for (int32_t i = 0; i < longer.length; i++) if (counts[longer.at[i]] >= least) push(&best, longer.at[i]);
  sort(&best, keys.at);
  for (int32_t i = 0; i < room && i < best.length; i++) add_seed(best.at[i]);
  if (!room || room >= longer.length) return;
  for (int32_t i = 0; i < best.length; i++) seeds.tied += counts[best.at[i]] == counts[best.at[room - 1]];
}
