// One scrubber for several runs, against the positions and differences that Python finds by going
// through all of them. Run by test_player_axis.py: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { firstDifference, makeAxis, nextTie, positionOf, positionOfState } from "../../tokviz/player/js/axis.js";
import { wordText } from "../../tokviz/player/js/run.js";
import { readBundle } from "../../tokviz/player/js/runs.js";

const folder = process.env.TOKVIZ_LANES;
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
assert.ok(names.length > 0);

for (const name of names) {
  const expected = JSON.parse(readFileSync(join(folder, name), "utf-8"));
  const { head, runs } = readBundle(readFileSync(join(folder, name.replace(".json", ".bundle"))));

  test(name, () => {
    assert.equal(head.id, name);
    for (const [align, answer] of Object.entries(expected)) {
      const axis = makeAxis(runs, align);
      assert.equal(axis.align, align);
      assert.equal(axis.last, answer.values.length - 1);
      assert.deepEqual([...axis.values], answer.values);
      assert.deepEqual(axis.states.map((states) => [...states]), answer.states);
      axis.values.forEach((value, p) => {
        assert.equal(axis.values[positionOf(axis, value)], value);
        assert.equal(axis.states[0][positionOfState(axis, 0, axis.states[0][p])], axis.states[0][p]);
      });
      const found = firstDifference(runs, axis);
      assert.equal(found?.position ?? null, answer.difference?.position ?? null);
      if (!found) continue;
      const [i, j] = found.lanes;
      const words = found.words.map((w, k) => wordText(runs[[i, j][k]], w));
      const key = JSON.stringify([[i, j], ...words]);
      assert.ok(answer.difference.words.map((w) => JSON.stringify(w)).includes(key), key);
    }
  });
}

test("the next tie of any lane, forwards and backwards", () => {
  const runs = [{ steps: 4, tied: [1, 3, 1, 2, 9] }, { steps: 2, tied: [1, 1, 5] }];
  const axis = { last: 4, states: [[0, 1, 2, 3, 4], [0, 1, 2, 2, 2]] };
  assert.equal(nextTie(runs, axis, 0), 1);
  assert.equal(nextTie(runs, axis, 1), 3);
  assert.equal(nextTie(runs, axis, 3), 3);
  assert.equal(nextTie(runs, axis, 3, -1), 1);
});

test("a typed value goes to the nearest position", () => {
  const axis = { last: 3, values: [10, 20, 21, 40] };
  const typed = { 0: 0, 10: 0, 14: 0, 16: 1, 21: 2, 30: 2, 31: 3, 99: 3 };
  for (const [value, p] of Object.entries(typed)) assert.equal(positionOf(axis, Number(value)), p, value);
});
