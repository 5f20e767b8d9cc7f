// Lines of words in blocks, as elements; words that another run shows in the same place keep theirs, and other words
// come into the elements of blocks that are not needed any more: to take one off a page costs more.

import { make, arrange } from "./dom.js";
import { isEqual } from "./run.js";
import { tokenPairs } from "./tokens.js";

const isSameLine = (one, other) => one.blocks.length === other.blocks.length && one.blocks.every(({ key }, i) => key === other.blocks[i].key);

/** Puts `wanted` lines, { dir, blocks: [{ key, items }] }, into an element where those `before` stand. `blockOf`
 *  makes a block; those with a known key stay where they are, and get other items. In one that gets another key, the
 *  words of before stay until it is drawn. */
export function writeLines(body, before, wanted, blockOf) {
  const shorter = Math.min(before.length, wanted.length);
  let [first, last] = [0, 0]; // lines at the beginning and at the end that are the same
  while (first < shorter && isSameLine(before[first], wanted[first])) first++;
  while (last < shorter - first && isSameLine(before.at(-1 - last), wanted.at(-1 - last))) last++;
  const lines = wanted.map((line, i) => {
    const isBehind = i >= wanted.length - last;
    const old = isBehind ? before.at(i - wanted.length) : i < before.length - last ? before[i] : undefined;
    return writeLine(line, old, blockOf);
  });
  arrange(body, lines.map(({ element }) => element));
  return lines;
}

function writeLine({ dir, blocks }, old, blockOf) {
  const element = old?.element ?? make("p");
  if (element.dir !== dir) element.dir = dir;
  const known = new Map();
  for (const block of old?.blocks ?? []) known.set(block.key, [...(known.get(block.key) ?? []), block]);
  const kept = blocks.map(({ key }) => known.get(key)?.shift());
  const free = [...known.values()].flat();
  const written = blocks.map(({ key, items }, i) => {
    if (kept[i]) return withItems(kept[i], items);
    const block = free.length ? free.shift() : blockOf(items, old?.blocks[i]?.near);
    return Object.assign(block, { key, items, places: null, broken: false, t: -1 });
  });
  arrange(element, written.map((block) => block.element));
  return { element, blocks: written };
}

/** Other runs have other numbers for the same words. */
function withItems(block, items) {
  block.items = items;
  const words = items.filter((w) => w >= 0);
  block.places?.forEach((place, i) => {
    if (place.w === words[i]) return;
    place.w = words[i];
    place.element.dataset.w = place.w;
  });
  return block;
}

const OF_WORDS = ["order", "by_count", "word_counts", "symbols", "starts"];

/** Whether two runs that merge have the same words, in the same order and as the same symbols. */
export function hasSameWords(one, other) {
  const facts = ({ base, spelling, strings, words_total, words_distinct, unshown }) => JSON.stringify([base, spelling, words_total, words_distinct, unshown, strings.slice(0, base)]);
  return OF_WORDS.every((name) => one[name] && other[name] && isEqual(one[name], other[name])) && facts(one) === facts(other);
}

/** Whether a word that was drawn with some tokens looks as others do, of another run. */
export function looksAlike({ content, from }, other, run) {
  const { tokens, marks, borders, fresh, more } = content;
  return tokens.length === other.tokens.length && fresh === other.fresh && more === other.more && tokens.every((token, i) => {
    const now = other.tokens[i];
    return marks[i] === other.marks[i] && borders.has(i) === other.borders.has(i) && from.strings[token] === run.strings[now] && from.colours[token] === run.colours[now];
  });
}

/** Gives the chips of a word the numbers of other tokens that look as theirs do. */
export function renumber(element, { tokens }) {
  element.querySelectorAll(".chip").forEach((chip, i) => {
    chip.dataset.t = tokens[i];
    chip.dataset.pairs = tokenPairs(tokens, i);
  });
}
