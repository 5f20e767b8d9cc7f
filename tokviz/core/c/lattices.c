#include "lattices.h"
#include "seeds.h"

Counts cost, best, other;

// Node i of word w has the number starts[w] + w + i. The edges that arrive at node k are those from edges_at[k] up to
// edges_at[k + 1], the longest first.
static Ints edges_at, edge_start, edge_token;

// Per node of the word that was cut last: the edge by which the best way arrives.
static Ints back;

int32_t symbols_of(int32_t w) { return spelled.starts.at[w + 1] - spelled.starts.at[w]; }

static int32_t first_node(int32_t w) { return spelled.starts.at[w] + w; }

int32_t edges_of(int32_t w) { return edges_at.at[first_node(w + 1)] - edges_at.at[first_node(w)]; }

// --- edges ----------------------------------------------------------------------------------------

static int32_t linked; // words

// The edges of a word as they are found. Those that arrive at a node are a chain: its first one, and after each the next.
static Ints found_start, found_token, found_first, found_next;

void begin_lattices(void) {
  int32_t nodes = 1;
  for (int32_t w = 0; w < words.counts.length; w++) if (symbols_of(w) >= nodes) nodes = symbols_of(w) + 1;
  linked = 0;
  found_start = found_token = found_next = edges_at = edge_start = edge_token = (Ints){0};
  found_first = ints_of(nodes, NONE);
  back = ints_of(nodes, NONE);
  best = counts_of(nodes, 0);
  other = counts_of(nodes, 0);
  cost = counts_of(seeds.at.length, 0);
  push(&edges_at, 0);
}

static void link_word(int32_t w) {
  const int32_t *symbols = spelled.symbols.at + spelled.starts.at[w];
  int32_t n = symbols_of(w), *first = found_first.at;
  for (int32_t i = 0; i <= n; i++) first[i] = NONE;
  found_start.length = found_token.length = found_next.length = 0;
  // From right to left, so that the longest edge comes to stand first.
  for (int32_t start = n - 1; start >= 0; start--) {
    for (int32_t i = start, node = NONE; i < n; i++) {
      node = child(node, symbols[i]);
      if (node == NONE || !substrings.leads_on.at[node]) break;
      if (substrings.seed.at[node] == NONE) continue;
      push(&found_start, start);
      push(&found_token, substrings.seed.at[node]);
      push(&found_next, first[i + 1]);
      first[i + 1] = found_next.length - 1;
    }
  }
  for (int32_t i = 0; i <= n; i++) {
    for (int32_t f = first[i]; f != NONE; f = found_next.at[f]) {
      push(&edge_start, found_start.at[f]);
      push(&edge_token, found_token.at[f]);
    }
    push(&edges_at, edge_token.length);
  }
}

int link_words(int32_t most) {
  for (; linked < words.counts.length && most > 0; linked++) {
    link_word(linked);
    most -= LOOKS_TO_FIND * (symbols_of(linked) + found_start.length);
  }
  return linked == words.counts.length;
}

static int32_t kept, looked_at; // edges

void begin_clearing(void) { kept = looked_at = 0; }

void clear_lattice(int32_t w) {
  for (int32_t i = 0, k = first_node(w); i <= symbols_of(w); i++, k++) {
    for (; looked_at < edges_at.at[k + 1]; looked_at++) {
      if (cost.at[edge_token.at[looked_at]] == __builtin_inf()) continue;
      edge_start.at[kept] = edge_start.at[looked_at];
      edge_token.at[kept++] = edge_token.at[looked_at];
    }
    edges_at.at[k + 1] = kept;
  }
}

// --- ways -----------------------------------------------------------------------------------------

// Edges stand by the nodes at which they arrive: behind the last one of a node are those of the next node that has any.
int32_t first_with(int32_t w, int32_t token) {
  int32_t k = first_node(w);
  while (edges_at.at[k + 1] == edges_at.at[k]) k++;
  for (int32_t e = edges_at.at[k]; edge_token.at[e] != token;) for (e++; edges_at.at[k + 1] <= e;) k++;
  return k - first_node(w);
}

void find_ways(int32_t w, int32_t i, int32_t without, double *ways) {
  const int32_t *edges = edges_at.at + first_node(w);
  ways[0] = START;
  for (int32_t n = symbols_of(w); i <= n; i++) {
    double least = __builtin_inf();
    for (int32_t e = edges[i]; e < edges[i + 1]; e++) {
      double way = ways[edge_start.at[e]] + cost.at[edge_token.at[e]];
      if (way < least && edge_token.at[e] != without) least = way, back.at[i] = e;
    }
    ways[i] = least;
  }
}

void push_path(int32_t w, Ints *path) {
  int32_t from = path->length;
  for (int32_t i = symbols_of(w), e; i; i = edge_start.at[e]) push(path, edge_token.at[e = back.at[i]]);
  for (int32_t i = from, j = path->length - 1; i < j; i++, j--) {
    int32_t token = path->at[i];
    path->at[i] = path->at[j];
    path->at[j] = token;
  }
}
