// The substrings of the words, and the seeds: those tokens that Unigram starts from.
//
// A substring is a node of a tree: it is another substring, its parent, and one more character. So a character has a node
// without a parent, and whoever knows the node of a substring finds that of the next longer one by one look.
#pragma once
#include "words.h"

enum { NONE = -1, MOST_SUBSTRINGS = 3000000 };
enum { LOOKS_TO_FIND = 8 }; // as many looks take about as long as to find a substring

typedef struct {
  // Per node: its parent (NONE: it is a character), its last character, where it is met first among the symbols of all
  // words, its length, whether some longer word has it inside, and how often it occurs.
  Ints parent, character, at, length, is_inside;
  Counts counts;
  // Per node: the number of the seed that it is, or NONE; whether it or a longer one that begins with it is a seed.
  Ints seed, leads_on;
} Substrings;

extern Substrings substrings;

typedef struct {
  // Per seed: where it stands first among the symbols of all words, its length, and its count.
  Ints at, length;
  Counts counts;
  // How many of them are characters, which come first; and how many substrings have the count of the last seed (0: all
  // substrings are seeds, or none is).
  int32_t characters, tied;
} Seeds;

extern Seeds seeds;

// Begins to look for substrings of `longest` characters at most.
void begin_substrings(int32_t longest);

// Goes on with it, until all are found or some `most` were looked at. Returns how much is done, from 0 to 1, or above 1
// if there are more than MOST_SUBSTRINGS.
double find_substrings(int32_t most);

// Makes seeds of all characters and of the most frequent longer substrings, `wanted` in all; with `only_inside` of those
// that some word has inside.
void choose_seeds(int32_t wanted, int32_t only_inside);

// The node of a substring and one more character; NONE if no word has that.
int32_t child(int32_t node, int32_t character);
