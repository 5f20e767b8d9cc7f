// The course's Unigram, and what it writes down (`tokviz.history.unigram`).
#pragma once
#include "memory.h"

typedef struct {
  // Per seed: the round that removes it (NEVER: none).
  Ints removed_at;
  // Per state: its loss; and by how much the loss rises without each token that is alive in it (nan: a character, which
  // never goes). `delta_starts` says where the deltas of each state begin, and has their end.
  Counts loss, delta;
  Ints delta_starts;
  // Per state: one bit per symbol of the words, in whole bytes: does a token start there?
  Bytes cuts;
  // Of the last state: the tokens of the words, one word after the other, and where each word's begin.
  Ints path, path_starts;
  // What may go from it, the cheapest first. The next round removes the first `doomed`, if the host takes out no others.
  Ints cheapest;
  int32_t doomed;
  Ints anew; // the word that was cut last without some token
} Rounds;

extern Rounds rounds;
