// A stable sort.
#pragma once
#include "memory.h"

// Sorts items by their keys, the least first; those with equal keys stay in order. `keys` has one for each number that
// may be an item.
void sort(Ints *items, const double *keys);
