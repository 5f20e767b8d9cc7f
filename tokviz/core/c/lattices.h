// The lattice of each word: all tokens that are in it, and the best way through them.
//
//     0 ─h─ 1 ─u─ 2 ─g─ 3        Nodes are the places between the characters of a word, its ends included.
//     └──hu───────┘     │        An edge is a token that fits between two of them.
//     └──hug────────────┘        A way from the first node to the last is a segmentation.
#pragma once
#include "memory.h"

// A way's cost is counted from here, as the published programs do. The ways are the same, but sums rounded on the way are
// not.
static const double START = 1;

// Per seed what an edge costs: -ln of its probability, or infinite if it is gone.
extern Counts cost;

// Per node of a word the cost of the best way there; room for two words.
extern Counts best, other;

int32_t symbols_of(int32_t w);

void begin_lattices(void);

// Goes on writing the edges of words, about `most` looks long. Returns whether all words have theirs.
int link_words(int32_t most);

// Takes what is gone out of the lattices, of all words one after the other.
void begin_clearing(void);
void clear_lattice(int32_t w);

int32_t edges_of(int32_t w);

// The first node of a word where a token ends. It must have one.
int32_t first_with(int32_t w, int32_t token);

// Finds the best ways to the nodes of a word from `i` on, without a token (NONE: with all of them). Only a better way
// replaces another, so among equal ones that wins whose last token starts earliest.
void find_ways(int32_t w, int32_t i, int32_t without, double *ways);

// Writes the tokens of the way to the last node of a word that was found last.
void push_path(int32_t w, Ints *path);
