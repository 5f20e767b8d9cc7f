// A text is cut into words, equal words become one with a count, and words are written as starting symbols.
#pragma once
#include "memory.h"

enum Pretokenizer { GPT2, BERT, METASPACE, WHITESPACE, WHOLE_LINES };

// What there is after a text was cut. Word w is byte `starts[w]` up to `starts[w + 1]`, in UTF-8.
typedef struct {
  Bytes bytes;
  Ints starts;
  Counts counts;
  // How often each word was a white-space word by itself, as far as blocks were counted.
  Counts alone;
  // The words in text order; LINE_END ends a line, and a special token is what the host says (see `note`).
  Ints order;
  // Where each of these begins and ends in the block that was placed last.
  Ints begins, ends;
} Words;

enum { LINE_END = -1 };

extern Words words;

// The starting symbols of all words, one word after the other, and where each word's begin. A symbol is its
// character or byte, plus what marks it.
enum { CONTINUING = 1 << 24, ENDS_WORD = 1 << 25, BARE_SUFFIX = 1 << 26, CHARACTER = 0x1fffff };

typedef struct {
  Ints symbols, starts;
  // The different symbols, in the order in which they are met.
  Ints forms;
} Spelled;

extern Spelled spelled;
