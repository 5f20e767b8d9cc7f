#include "sorting.h"

// Runs of sorted items are merged into runs of twice as many, until there is one.
void sort(Ints *items, const double *keys) {
  int32_t n = items->length, *from = items->at, *to = room_for_ints(n).at;
  for (int64_t size = 1; size < n; size *= 2) {
    for (int64_t at = 0; at < n; at += 2 * size) {
      int64_t left = at, middle = at + size < n ? at + size : n, right = middle, end = middle + size < n ? middle + size : n;
      for (int64_t i = at; i < end; i++) {
        int takes_left = left < middle && (right == end || keys[from[left]] <= keys[from[right]]);
        to[i] = from[takes_left ? left++ : right++];
      }
    }
    int32_t *other = from;
    from = to;
    to = other;
  }
  items->at = from;
}
