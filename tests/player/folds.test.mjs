// Rounds that change no word, folded on the scrub bar. Run by test_player_folds.py: `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Folds, quietRounds } from "../../tokviz/player/js/folds.js";

const quiet = (n) => Array(n).fill(0);

test("stretches of rounds that change no word", () => {
  assert.deepEqual(quietRounds([0, 0, 0, 2, 0]), [[0, 3]]);
  assert.deepEqual(quietRounds([1, ...quiet(3), 2, ...quiet(4)]), [[1, 4], [5, 9]]);
  // Few rounds, a small part of all, and a training in which nothing ever changes.
  for (const none of [[], [0, 0, 1], [1, 1, 1, 1], quiet(11), [...quiet(6), ...Array(40).fill(1)]]) assert.deepEqual(quietRounds(none), []);
  assert.deepEqual(quietRounds([...quiet(8), ...Array(40).fill(1)]), [[0, 8]]);
});

test("one step goes over a stretch, there and back, and never into it", () => {
  const changed = [1, ...quiet(4), 1, 1, ...quiet(3)];
  const folds = new Folds(changed, changed.length);
  const walk = (from, direction) => {
    const way = [from];
    while (way.at(-1) >= 0 && way.at(-1) <= folds.last) way.push(folds.step(way.at(-1), direction));
    return way.slice(0, -1);
  };
  assert.deepEqual(walk(0, 1), [0, 1, 5, 6, 7, 10]);
  assert.deepEqual(walk(10, -1), [10, 7, 6, 5, 1, 0]);
  assert.equal(folds.step(0, 4), 7);
  assert.deepEqual([0, 1, 3, 5, 6, 8].map((p) => folds.over(p)?.join()), [undefined, undefined, "1,5", undefined, undefined, "7,10"]);
  assert.deepEqual(folds.next(1), [1, 5]);
  folds.folded = false;
  assert.deepEqual(walk(0, 1), Array.from({ length: 11 }, (_, p) => p));
  assert.equal(folds.next(1), undefined);
});

test("each position has a place of its own on the bar, and is found there again", () => {
  for (const changed of [[...quiet(15), 1, 1, 1, 1], [1, ...quiet(4), 1, 1, ...quiet(3)], [...quiet(30), ...Array(60).fill(2), ...quiet(20)]]) {
    const folds = new Folds(changed, changed.length);
    const places = [];
    for (let p = 0; p <= folds.last; p = folds.step(p, 1)) {
      places.push(folds.place(p));
      assert.ok(Number.isInteger(folds.place(p)));
      assert.equal(folds.at(folds.place(p)), p);
    }
    assert.deepEqual(places, [...new Set(places)].sort((a, b) => a - b));
    assert.deepEqual([places[0], places.at(-1)], [0, folds.size]);
    // Short, but not so short that nobody sees it.
    for (const [from, to] of folds.stretches) {
      const width = (folds.place(to) - folds.place(from)) / folds.size;
      assert.ok(width >= 0.1 && width <= 0.25, `${width}`);
      // Whoever drags into it gets to one of its ends.
      for (let place = folds.place(from); place <= folds.place(to); place++) assert.ok([from, to].includes(folds.at(place)));
    }
    folds.folded = false;
    for (let p = 0; p <= folds.last; p++) assert.deepEqual([folds.place(p), folds.at(p)], [p, p]);
    assert.equal(folds.size, folds.last);
  }
});
