// Every adjacent pair of a corpus, counted, and kept exact under merges.
//
// One buffer holds all words with a border between them. A token lives at its first position: its symbol is there,
// and at its last position where it begins. All occurrences of a pair are born in one step, the one that makes the
// later of its two symbols, so the places of a pair are one slice, in corpus order; its count can only fall.
//
//     place    0  1  2  3  4  5      "hugs" after step 0, which made symbol 4 of u and g.
//     symbol   |  h  4  .  s  |      | is BORDER, . is INSIDE.
//     begin    0  1  2  2  4  5      The one before s begins at begin[4 - 1] = 2.
//     gap            -  0  -         Between u and g it is closed; elsewhere it is open (-1).
#pragma once
#include "memory.h"

enum { BORDER = -1, INSIDE = -2 };

typedef struct {
  // Per position of the buffer, borders included.
  Ints symbol, begin, word, gap;
  // Per word: how often it occurs; whether it is so long that its pairs are counted one by one.
  Counts word_counts;
  Ints is_long;
  // Per symbol: how many starting symbols it has, and how often it occurs now.
  Ints length;
  Counts symbol_counts;
  // Per pair: its symbols, its count, and the slice of `places` where it was born; the places before `first` are
  // gone.
  Ints left, right, places_at, places_end, first;
  Counts counts;
  Ints places;
  // The symbols before the first merge, without borders.
  Ints starting;
  // Per pair, where the host is asked about each: the rank that it gives, or less than 0 for one that may not be
  // merged, whose count is 0, always.
  Ints ranks;
  // What the merge changed: the merged pair, those whose counts fell, and the new ones.
  Ints changed;
} Pairs;

extern Pairs pairs;

// Begins an index of the words, which are written with `n_symbols` symbols.
void begin_index(const Ints *symbols, const Ints *starts, const Counts *word_counts, int32_t n_symbols);

// Goes on with it, until it is whole or some `most` symbols were looked at. Returns how much of it is there, from 0 to 1.
double index_pairs(int32_t most);

// Takes note of the ranks of the pairs from `since` on.
void reject_pairs(int32_t since);

// The number of a pair; below 0 if the corpus never had it.
int32_t pair_of(int32_t left, int32_t right);

// Merges pair p everywhere, left to right, into a new symbol, and closes the gaps with the number of the step.
// Returns how many pairs of the corpus were joined; `*met` is the first word that had one.
double merge(int32_t p, int32_t step, int32_t *met);

// The first position that has pair p now. Only for pairs that still occur.
int32_t first_seen(int32_t p);

// The symbol that stood at a position before the first merge.
int32_t starting_symbol(int32_t place);
