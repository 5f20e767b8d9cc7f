// The colours of a run of merges, as tokviz.history.colours has them: neighbours differ where they can. Knows no page.

import { compareTexts } from "./spelling.js";

export const COLOURS = 8;
const MOST_MOVES = 4;
// Neighbours, parts and uses of a colour are one number, in this order of importance.
const PART = 2 ** 24;
const NEIGHBOUR = 2 ** 26;

const least = (clashes) => clashes.indexOf(Math.min(...clashes));

/** The colours of the symbols that training starts from, by their texts and how often two are side by side. */
export function startColours(texts, pairs) {
  const beside = texts.map(() => new Map());
  for (const [left, right, count] of pairs) {
    if (left === right) continue;
    beside[left].set(right, (beside[left].get(right) ?? 0) + count);
    beside[right].set(left, (beside[right].get(left) ?? 0) + count);
  }
  const all = beside.map((found) => [...found.values()].reduce((a, b) => a + b, 0));
  const order = texts.map((_none, i) => i).sort((a, b) => all[b] - all[a] || compareTexts(texts[a], texts[b]) || a - b);
  const colours = texts.map(() => -1);
  const uses = Array(COLOURS).fill(0);
  for (let move = 0; move <= MOST_MOVES; move++) {
    let moved = false;
    for (const i of order) {
      const clashes = [...uses];
      for (const [other, count] of beside[i]) if (colours[other] >= 0) clashes[colours[other]] += count * NEIGHBOUR;
      const [colour, old] = [least(clashes), colours[i]];
      if (old >= 0 && Math.floor(clashes[colour] / NEIGHBOUR) >= Math.floor(clashes[old] / NEIGHBOUR)) continue;
      uses[colour]++;
      if (old >= 0) uses[old]--;
      colours[i] = colour;
      moved = true;
    }
    if (!moved) break;
  }
  return colours;
}

/** The colour of every symbol of a run. `record` has the columns of the core; `texts` and `strings` are those of the
 *  alphabet and of all symbols. */
export function mergeColours(record, texts, strings) {
  const { pair_left, pair_right, known, first_counts, log_pair, log_count, log_starts, left, right } = record;
  const start = Array.from(first_counts, (count, p) => [pair_left[p], pair_right[p], count]);
  const colours = startColours(texts, start);
  const byString = new Map(texts.map((_none, i) => [strings[i], colours[i]]));
  const uses = Array(COLOURS).fill(0);
  for (const colour of colours) uses[colour]++;
  for (let t = 0; t < left.length; t++) {
    const clashes = [...uses];
    clashes[colours[left[t]]] += PART;
    clashes[colours[right[t]]] += PART;
    for (let i = log_starts[t]; i < log_starts[t + 1]; i++) {
      const pair = log_pair[i];
      // A symbol is no neighbour of its own kind.
      if (pair < known[t] || pair_left[pair] === pair_right[pair]) continue;
      clashes[colours[Math.min(pair_left[pair], pair_right[pair])]] += Math.max(log_count[i], 1) * NEIGHBOUR;
    }
    const colour = least(clashes);
    uses[colour]++;
    colours.push(colour);
    byString.set(strings[texts.length + t], colour);
  }
  return strings.map((string) => byString.get(string));
}
