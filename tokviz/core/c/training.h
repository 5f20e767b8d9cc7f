// What a training of BPE or WordPiece writes down (`tokviz.history.merge_record`).
#pragma once
#include "memory.h"

typedef struct {
  // Per step: the symbols that it merged, how many pairs of the corpus it joined, and the first word that had one.
  Ints left, right, met;
  Counts times;
  // Per state: how many pairs share the best score, how many have been met, and where the log of the step out of it
  // begins; the size of the vocabulary.
  Ints tied, known, log_starts, sizes;
  Ints log_pair;
  Counts log_count;
  Ints top_pair;
  Counts top_count;
  Counts first_counts; // of the pairs that there are before the first step
  Ints gaps;
} Merged;

extern Merged merged;
