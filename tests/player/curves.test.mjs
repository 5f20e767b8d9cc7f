// The curves of the player, against their titles and the values of the histories. Run by
// test_player_curves.py: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeAxis } from "../../tokviz/player/js/axis.js";
import { curvesOf, ticks, valueAt } from "../../tokviz/player/js/curves.js";
import { readBundle } from "../../tokviz/player/js/runs.js";
import { curvePoints } from "../../tokviz/player/js/scrub_curve.js";

const folder = process.env.TOKVIZ_CURVES;
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
assert.ok(names.length > 0);

for (const name of names) {
  const expected = JSON.parse(readFileSync(join(folder, name), "utf-8"));
  const { runs } = readBundle(readFileSync(join(folder, name.replace(".json", ".bundle"))));

  test(name, () => {
    for (const [align, { titles, lanes }] of Object.entries(expected)) {
      assert.deepEqual(curvesOf(runs, align), titles);
      const axis = makeAxis(runs, align);
      runs.forEach((run, lane) => titles.forEach(([column]) => {
        const values = [...axis.states[lane]].map((t) => valueAt(run, column, t));
        assert.deepEqual(values.map((value) => (Number.isNaN(value) ? null : value)), lanes[lane][column]);
      }));
    }
  });
}

test("ticks are round, in order, and not too many", () => {
  assert.deepEqual(ticks(0, 20, 5, 1), [0, 5, 10, 15, 20]);
  assert.deepEqual(ticks(30, 300, 5, 1), [100, 200, 300]);
  assert.deepEqual(ticks(0, 2, 5, 1), [0, 1, 2]);
  assert.deepEqual(ticks(0, 1, 5, 0).length, 6);
});

test("the curve above the scrub bar spans it, with one point a pixel at most", () => {
  assert.deepEqual(curvePoints([10, 8, 5], [0, 1, 2], 10, 120), [[10, 1], [60, 0.8], [110, 0.5]]);
  assert.deepEqual(curvePoints([4], [0], 8, 120), [[10, 0.5]]);
  assert.deepEqual(curvePoints([10, 8, 5], [0, 1, 2], 10, 120, (p) => (p ? 0.5 + p / 4 : 0)), [[10, 1], [85, 0.8], [110, 0.5]]);
  const states = Array.from({ length: 5000 }, (_, t) => t);
  const points = curvePoints(states.map((t) => 5000 - t), states, 5000, 320);
  assert.ok(points.length <= 302 && points.at(-1)[0] === 310);
});
