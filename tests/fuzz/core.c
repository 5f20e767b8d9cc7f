// Trains random texts with the core's own source, natively, so that a sanitizer sees what WebAssembly would not tell:
//
//     gcc -g -O1 -std=gnu11 -w -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover -Itokviz/core/c \
//       -o /tmp/fuzz tests/fuzz/core.c tokviz/core/c/*.c -lm && /tmp/fuzz 100000 1
//
// trains 100,000 texts from seed 1 on, in slices, and checks what must hold of what is written down.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lattices.h"
#include "ranking.h"
#include "seeds.h"
#include "training.h"
#include "unigram.h"
#include "words.h"

// --- memory: every reservation is a block of its own ----------------------------------------------

static void **blocks;
static size_t n_blocks, room;

void *reserve(uint64_t bytes) {
  if (n_blocks == room) blocks = realloc(blocks, (room = room ? 2 * room : 64) * sizeof *blocks);
  return blocks[n_blocks++] = malloc(bytes ? bytes : 1);
}

void forget(void) {
  while (n_blocks) free(blocks[--n_blocks]);
}

// --- what a host does (player/js/core.js) ---------------------------------------------------------

uint8_t *room_for_text(int32_t size);
uint8_t *room_for_block(int32_t size);
int32_t look_over(int32_t size);
void count_block(int32_t size, enum Pretokenizer pretokenizer, int32_t placed);
int32_t cut(int32_t at, int32_t end, enum Pretokenizer pretokenizer, int32_t most);
void note(int32_t number);
int32_t spell(int32_t bytes, int32_t marked, int32_t suffix, int32_t glued, int32_t w, int32_t most);
int32_t number_symbols(const int32_t *numbers, int32_t i, int32_t most);
int32_t *room_for(int32_t which, int32_t length);
int32_t *room_for_numbers(int32_t length);
void begin(int32_t n_symbols, int32_t vocab_size, int32_t wanted, enum Rule rule, int32_t by_likelihood,
           double min_frequency, int32_t asks_ranks);
int32_t go_on(int32_t most);
void write_gaps(void);
double progress(void);
void begin_unigram(int32_t n_seeds, int32_t longest, int32_t only_inside, int32_t wanted, double fraction,
                   int32_t hits_size);
int32_t go_on_unigram(int32_t most);
double cost_of_word(int32_t w, int32_t without);
double unigram_progress(void);

static uint64_t state;
static int32_t known; // tokens of the vocabulary

static uint32_t draw(uint32_t below) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (state >> 20) % below;
}

// A merge makes a new token, or one that is there.
int32_t id_of(int32_t left, int32_t right, int32_t number) {
  (void)left, (void)right, (void)number;
  return draw(4) ? known++ : (int32_t)draw(known);
}

static void must(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", what);
  abort();
}

static int32_t write_text(uint8_t *text, int32_t most) {
  static const char *const PIECES[] = {
    "a", "b", "c", "ab", "abc", "aaaa", " ", "  ", "\n", "\r\n", "\t", "'s", "'ll", "!", ".", "#", "7", "\0", "\xc3\xa9",
    "\xe4\xb8\xad", "\xf0\x9f\x91\x8d", "\xe2\x80\xa8", "\xc2\xa0", "\xe3\x80\x82", "\xcc\x81", "hugging ", " low lower",
  };
  uint32_t kinds = 1 + draw(sizeof PIECES / sizeof *PIECES);
  int32_t size = 0;
  for (;;) {
    const char *piece = PIECES[draw(kinds)];
    int32_t length = *piece ? strlen(piece) : 1;
    if (size + length > most) return size;
    memcpy(text + size, piece, length);
    size += length;
  }
}

static int32_t slice(void) { return draw(3) ? 1 + draw(1 << draw(16)) : INT32_MAX; }

static void cut_text(void) {
  int32_t size = draw(1 << draw(10)), middle = draw(size + 1);
  uint8_t *text = room_for_text(size);
  int32_t used = write_text(text, size);
  memset(text + used, ' ', size - used);
  while (middle < size && (text[middle] & 0xc0) == 0x80) middle++;
  enum Pretokenizer pretokenizer = draw(5);
  int32_t at = 0;
  while ((at = cut(at, middle, pretokenizer, slice())) < middle);
  if (draw(2)) note(LINE_END - 1);
  while ((at = cut(at, size, pretokenizer, slice())) < size);
  note(LINE_END);
  must(at == size, "a text is cut to its end");
}

// Documents with the byte 0xff after each, or 0xfe where one is cut.
static void count_blocks(void) {
  enum Pretokenizer pretokenizer = draw(4);
  room_for_text(0);
  double all = 0, counted = 0;
  for (int32_t blocks = draw(4); blocks; blocks--) {
    int32_t size = draw(1 << draw(10)), used = write_text(room_for_block(size), size);
    uint8_t *text = room_for_block(used);
    for (int32_t at = 0; at < used; at++) if (text[at] == '\n' || text[at] == '\r') text[at] = draw(4) ? 0xff : 0xfe;
    int32_t found = look_over(used);
    must(found >= 0 && found <= used && !look_over(0) && look_over(used) == found, "a block has its white-space words");
    count_block(used, pretokenizer, 1);
    must(words.begins.length == words.order.length, "every word has its place");
    all += words.order.length;
    for (int32_t i = 0; i < words.order.length; i++) must(words.begins.at[i] < words.ends.at[i] && words.ends.at[i] <= used, "a word is in its block");
  }
  for (int32_t w = 0; w < words.counts.length; w++) {
    must(words.alone.at[w] <= words.counts.at[w], "a word is alone at most as often as it is there");
    counted += words.counts.at[w];
  }
  must(counted == all, "every word is counted");
}

static void spell_words(int32_t bytes, int32_t marked, int32_t suffix, int32_t glued) {
  for (int32_t w = 0; (w = spell(bytes, marked, suffix, glued, w, slice())) < words.counts.length;);
  must(spelled.starts.length == words.counts.length + 1, "every word has its symbols");
}

static void merge_words(void) {
  spell_words(draw(2), draw(2), draw(2), draw(2));
  int32_t n = spelled.forms.length, *numbers = room_for_numbers(n);
  int32_t asks = draw(2), stop;
  for (int32_t which = 0; which < 6; which++) {
    int32_t is_marker = which == 2 || which == 3, *column = room_for(which, is_marker ? 2 : n);
    for (int32_t i = 0; i < (is_marker ? 2 : n); i++) {
      int32_t form = is_marker ? '#' : spelled.forms.at[i], character = form & BARE_SUFFIX ? -1 : form & CHARACTER;
      column[i] = is_marker ? form : which == 5 ? asks : which == 4 ? i : which ? form & (CONTINUING | ENDS_WORD) : character;
      if (!is_marker) numbers[i] = i;
    }
  }
  for (int32_t i = 0; (i = number_symbols(numbers, i, slice())) < spelled.symbols.length;);
  known = n + 1;
  begin(n, known, known + draw(60), draw(4), draw(2), 1 + draw(3), 0);
  double before = 0;
  while (!(stop = go_on(slice()))) {
    must(progress() >= before && progress() <= 1, "there is progress");
    before = progress();
    if (draw(50) || before < 0.3) continue;
    write_gaps();
    break;
  }
  int32_t steps = merged.left.length;
  must(merged.gaps.length == spelled.symbols.length, "every gap has its step");
  must(merged.tied.length == steps + 1, "every state is written");
  for (int32_t i = 0; i < merged.gaps.length; i++) must(merged.gaps.at[i] >= 0 && merged.gaps.at[i] <= steps, "a gap closes in a step");
  for (int32_t t = 0; t < steps; t++) must(merged.times.at[t] > 0, "a merge joins something");
}

static void prune_seeds(void) {
  spell_words(0, 0, 0, 0);
  int32_t stop, states = 0, wanted = spelled.forms.length + draw(60);
  begin_unigram(draw(400), 1 + draw(70), draw(2), wanted, 0.001 * (1 + draw(900)), draw(2));
  double before = 0;
  while ((stop = go_on_unigram(slice())) < 2) {
    must(unigram_progress() >= before && unigram_progress() <= 1, "there is progress");
    before = unigram_progress();
    states += stop == 1;
    if (stop != 1 || !words.counts.length || draw(3)) continue;
    int32_t w = draw(words.counts.length), from = rounds.path_starts.at[w], token = rounds.path.at[from];
    double cost = cost_of_word(w, -1);
    must(cost >= 0 && !isinf(cost), "a word has a path");
    if (seeds.length.at[token] > 1) must(cost_of_word(w, token) >= cost, "a path without a token is no better");
  }
  must(stop < 6 && rounds.loss.length == states + 1, "every state is written");
  must(rounds.delta_starts.at[states + 1] == rounds.delta.length, "every token has its delta");
  int32_t length = 0;
  for (int32_t i = 0; i < rounds.path.length; i++) length += seeds.length.at[rounds.path.at[i]];
  must(length == spelled.symbols.length, "paths are the words");
  for (int32_t i = 0; i < rounds.delta.length; i++) must(!(rounds.delta.at[i] < -1e-6), "nothing is cheaper without a token");
}

int main(int argc, char **argv) {
  uint64_t times = argc > 1 ? strtoull(argv[1], 0, 10) : 1000, first = argc > 2 ? strtoull(argv[2], 0, 10) : 1;
  for (uint64_t i = first; i < first + times; i++) {
    state = i * 0x9E3779B97F4A7C15u + 1;
    for (int k = 0; k < 5; k++) draw(2);
    if (!draw(4)) count_blocks();
    cut_text();
    if (draw(2)) merge_words();
    else prune_seeds();
  }
  printf("%llu texts\n", (unsigned long long)times);
}
