// Which pairs are best at every step.
#pragma once
#include "pairs.h"

enum { TOP = 20 }; // the best rows of each state that are kept

// Whose pair wins among equal scores (`tokviz.history.ties`).
// GIVEN asks nothing but the rank that the host gave, the lowest first.
enum Rule { FIRST_SEEN, LARGEST_PAIR, SMALLEST_IDS, SHORTEST, GIVEN };

typedef struct {
  enum Rule rule;
  // Whether a pair's score is its count divided by the counts of its two symbols, instead of its count.
  int32_t by_likelihood;
  // Smallest ids: the id of each symbol.
  Ints ids;
  // The other rules compare texts: per starting symbol the character that it stands for (-1: none), what marks it,
  // and how the markers are written.
  Ints characters, marks, prefix, suffix;
  // Whether a symbol may be a part of a special token.
  Ints parts;
} Ranking;

extern Ranking ranking;

// The best pairs of a state, best first, and how many share the first one's score.
typedef struct { int32_t pair[TOP], n, tied; double count[TOP]; } Best;

void begin_ranking(void);

// Ranks pairs that are not yet, at most so many. Returns whether all are.
int rank_pairs(int32_t most);

void find_best(Best *best);

// Takes note of `pairs.changed`.
void rank_changed(void);
