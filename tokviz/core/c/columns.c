// The columns that the host reads, by their numbers (player/js/core.js has their names).
#include "ranking.h"
#include "seeds.h"
#include "training.h"
#include "unigram.h"
#include "words.h"

static Ints *const INTS[] = {
  &words.starts, &words.order, &spelled.forms, &spelled.symbols, &spelled.starts, // 0
  &merged.left, &merged.right, &merged.met, &merged.tied, &merged.known,         // 5
  &merged.log_starts, &merged.sizes, &merged.log_pair, &merged.top_pair, &merged.gaps, // 10
  &pairs.left, &pairs.right, &ranking.ids, // 15
  &seeds.at, &seeds.length, // 18
  &rounds.removed_at, &rounds.delta_starts, &rounds.path, &rounds.path_starts, &rounds.cheapest, // 20
  &rounds.anew, &words.begins, &words.ends, // 25
};
static Counts *const COUNTS[] = {
  &words.counts, &merged.times, &merged.log_count, &merged.top_count, &merged.first_counts, // 0
  &seeds.counts, &rounds.loss, &rounds.delta, &pairs.counts, &words.alone, // 5
};

// Where all columns are, for a host that would rather read memory than ask often.
__attribute__((export_name("columns"))) const void *columns(int32_t of_counts) {
  return of_counts ? (const void *)COUNTS : (const void *)INTS;
}

__attribute__((export_name("ints"))) int32_t *ints(int32_t which) { return INTS[which]->at; }
__attribute__((export_name("n_ints"))) int32_t n_ints(int32_t which) { return INTS[which]->length; }
__attribute__((export_name("counts"))) double *counts(int32_t which) { return COUNTS[which]->at; }
__attribute__((export_name("n_counts"))) int32_t n_counts(int32_t which) { return COUNTS[which]->length; }
__attribute__((export_name("word_bytes"))) uint8_t *word_bytes(void) { return words.bytes.at; }
__attribute__((export_name("cuts"))) uint8_t *cuts(void) { return rounds.cuts.at; }
__attribute__((export_name("doomed"))) int32_t doomed(void) { return rounds.doomed; }
__attribute__((export_name("tied_seeds"))) int32_t tied_seeds(void) { return seeds.tied; }
