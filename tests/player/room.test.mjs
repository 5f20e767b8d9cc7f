// Numbers that a class votes for. Run by test_player_room.py: `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketsOf } from "../../tokviz/player/js/room_buckets.js";
import { lessonChoice, lessonRefusal, losesLesson } from "../../tokviz/player/js/room_lesson.js";

const said = (counts, right) => bucketsOf(counts, right).map((row) => `${row.from}..${row.to}: ${row.votes}${row.right ? " right" : ""}`);

test("few numbers have a row each, and the right one has one in any case", () => {
  assert.deepEqual(said([[12, 1], [3, 2], [7, 5]], 7), ["3..3: 2", "7..7: 5 right", "12..12: 1"]);
  assert.deepEqual(said([[3, 2]], 7), ["3..3: 2", "7..7: 0 right"]);
  assert.deepEqual(said([], 7), ["7..7: 0 right"]);
});

test("where they are many, neighbours stand together, and no vote is lost", () => {
  for (let below = 0; below <= 40; below++) {
    for (let above = 0; above <= 40; above++) {
      const counts = [];
      for (let i = 1; i <= below; i++) counts.push([100 - i, i]);
      for (let i = 1; i <= above; i++) counts.push([100 + i * i, 1]);
      counts.push([100, 3]);
      const rows = bucketsOf(counts, 100);
      assert.equal(rows.length, Math.min(8, below + above + 1));
      assert.equal(rows.reduce((sum, { votes }) => sum + votes, 0), counts.reduce((sum, [, n]) => sum + n, 0));
      assert.deepEqual(rows.filter(({ right }) => right), [{ from: 100, to: 100, right: true, votes: 3 }]);
      assert.equal(rows.some(({ from }) => from < 100), below > 0);
      assert.equal(rows.some(({ to }) => to > 100), above > 0);
      rows.forEach(({ from, to }, i) => assert.ok(from <= to && (!i || from > rows[i - 1].to)));
    }
  }
});

/** The field of a lesson in which something is typed, as a browser tells of it. */
function typed(value, badInput = false) {
  const field = { value, valueAsNumber: value === "" ? NaN : Number(value), validity: { badInput }, matches: (selector) => selector.includes("guess") };
  globalThis.document = { querySelector: () => field, querySelectorAll: () => [] };
  return { enter: lessonChoice({ type: "keydown", key: "Enter", target: field }), isLost: losesLesson({ type: "focusout", target: field }), why: lessonRefusal() };
}

test("a number that is no vote stays where it is typed, and a sentence says what is one", () => {
  for (const value of ["-3", "1.5", "1000000001", "1e99"]) {
    assert.deepEqual(typed(value), { enter: -1, isLost: true, why: `${value} is not possible; give a whole number from 0 to 1,000,000,000.` });
  }
  assert.deepEqual(typed("", true), { enter: -1, isLost: true, why: "Give a whole number from 0 to 1,000,000,000." });
  assert.deepEqual(typed(""), { enter: -1, isLost: false, why: "Give a whole number from 0 to 1,000,000,000." });
  for (const value of ["0", "16", "1e3", "1000000000"]) {
    const { enter, isLost } = typed(value);
    assert.deepEqual([enter, isLost], [Number(value), false]);
  }
});
