// The tree of a word, what it says, and how far a corpus scrolls. Run by test_player_trees.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeTree, pathTree, roots, sizeOf } from "../../tokviz/player/js/growth.js";
import { distance } from "../../tokviz/player/js/next_place.js";
import { treeText } from "../../tokviz/player/js/trees.js";

const NEVER = 9;
/** "lower", whose merges are l + o, e + r, lo + w. */
const lower = {
  unit: "char", raw: {}, base: 5, steps: 3, starts: [0, 5], symbols: Int16Array.of(0, 1, 2, 3, 4), gaps: Int16Array.of(NEVER, 0, 2, NEVER, 1),
  strings: ["l", "o", "w", "e", "r", "lo", "er", "low"], tokens: ["l", "o", "w", "e", "r", "lo", "er", "low"],
};
lower.family = { wordTokens: (run, w, t) => roots(mergeTree(run, w, t)).map(({ token }) => token) };

function shown(nodes, run = lower) {
  return nodes.map(({ token, text, from, to, level, end, fresh }) => [text ?? run.strings[token], from, to, level, end, fresh]);
}

test("a tree grows by what merges make, with a row for each step below its letters", () => {
  const letters = [..."lower"].map((letter, i) => [letter, i, i + 1, 0, undefined, false]);
  assert.deepEqual(shown(mergeTree(lower, 0, 0)), letters);
  // A letter stays in its column and its row.
  const two = shown(mergeTree(lower, 0, 2));
  assert.deepEqual(two.map((node) => node.slice(0, 4)), [...letters.map((node) => node.slice(0, 4)), ["lo", 0, 2, 1], ["er", 3, 5, 2]]);
  assert.deepEqual(two.map((node) => node[5]), [false, false, false, false, false, false, true]);
  const grown = mergeTree(lower, 0, 3);
  // It is known in which row stands what it became a part of: a line goes there.
  assert.deepEqual(shown(grown).map((node) => node[4]), [1, 1, 3, 2, 2, 3, undefined, undefined]);
  assert.deepEqual(shown(grown).slice(5), [["lo", 0, 2, 1, 3, false], ["er", 3, 5, 2, undefined, false], ["low", 0, 3, 3, undefined, true]]);
  assert.deepEqual(grown.map(({ step }) => step), [undefined, undefined, undefined, undefined, undefined, 0, 1, 2]);
  assert.deepEqual(roots(grown).map(({ token }) => lower.strings[token]), ["low", "er"]);
  assert.deepEqual(sizeOf(grown), { columns: 5, rows: 4 });
});

test("two places of a word that one step joins stand in one row", () => {
  const papa = { base: 2, starts: [0, 4], symbols: Int16Array.of(0, 1, 0, 1), gaps: Int16Array.of(NEVER, 0, 1, 0) };
  assert.deepEqual(mergeTree(papa, 0, 2).slice(4).map(({ from, to, level }) => [from, to, level]), [[0, 2, 1], [2, 4, 1], [0, 4, 2]]);
});

test("a path is one row below its letters, and a step marks what it changed", () => {
  const paths = [[0], [1, 2], [1, 2]];
  const run = { strings: ["▁ab", "▁", "ab"], raw: [" ab", " ", "ab"], family: { wordTokens: (_run, _w, t) => paths[t] } };
  const letters = [..."▁ab"].map((letter, i) => [letter, i, i + 1, 0, undefined, false]);
  assert.deepEqual(shown(pathTree(run, 0, 0), run), [...letters, ["▁ab", 0, 3, 1, undefined, false]]);
  assert.deepEqual(shown(pathTree(run, 0, 1), run), [...letters, ["▁", 0, 1, 1, undefined, true], ["ab", 1, 3, 1, undefined, true]]);
  assert.deepEqual(shown(pathTree(run, 0, 2), run), [...letters, ["▁", 0, 1, 1, undefined, false], ["ab", 1, 3, 1, undefined, false]]);
});

test("a character of two code units is in one column, and half of one is not lost", () => {
  const run = { strings: ["a😀", "b", "\ud83d", "\ude00"], raw: [], family: { wordTokens: (_run, _w, t) => [[0, 1], [2, 3]][t] } };
  assert.deepEqual(shown(pathTree(run, 0, 0), run).map(([text, from, to]) => [text, from, to]), [["a", 0, 1], ["😀", 1, 2], ["b", 2, 3], ["a😀", 0, 2], ["b", 2, 3]]);
  for (const { from, to } of pathTree(run, 0, 1)) assert.ok(from < to);
});

test("a tree says its tokens, and how they were made", () => {
  const said = (t) => treeText(lower, 0, mergeTree(lower, 0, t));
  assert.equal(said(0), "lower: l o w e r");
  assert.equal(said(3), "lower: low er, from l + o → lo, e + r → er, lo + w → low");
});

test("a corpus scrolls as little as brings a place in sight", () => {
  const seen = [100, 200];
  assert.equal(distance([], seen), 0);
  assert.equal(distance([[300, 320], [150, 170]], seen), 0);
  assert.equal(distance([[300, 320], [10, 30]], seen), -90);
  assert.equal(distance([[290, 310], [-60, -40]], seen), 110);
  // Half in sight is not in sight; of what is too high for the panel the beginning is.
  assert.equal(distance([[190, 210]], seen), 10);
  assert.equal(distance([[90, 110]], seen), -10);
  assert.equal(distance([[150, 400]], seen), 50);
});
