// One scrubber for several runs, against the positions and differences that Python finds by going
// through all of them. Run by test_player_axis.py: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { firstDifference, makeAxis, nextTie, positionOf, positionOfState } from "../../tokviz/player/js/axis.js";
import { charactersOf, commonWords, cutPlaces } from "../../tokviz/player/js/focus_word.js";
import { wordText, wordTokens } from "../../tokviz/player/js/run.js";
import { readBundle } from "../../tokviz/player/js/runs.js";
import { tokenBytes } from "../../tokviz/player/js/tokens.js";

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

  test(`${name}: a word that all lanes have is cut by each of them`, () => {
    const common = commonWords(runs);
    for (const { text, words } of common) {
      words.forEach((w, i) => {
        const run = runs[i];
        assert.equal(wordText(run, w).replace(/^ +/, ""), text.replace(/^ +/, ""));
        for (const t of [0, run.steps >> 1, run.steps]) {
          const cuts = cutPlaces(run, w, t);
          assert.deepEqual(cuts.map(({ token }) => token), [...wordTokens(run, w, t)]);
          const bytes = new TextEncoder().encode(wordText(run, w));
          assert.deepEqual(cuts.flatMap(({ token, from, to }) => (to - from === tokenBytes(run, token).length ? [...bytes.subarray(from, to)] : [])), [...bytes]);
        }
      });
    }
    const whole = (run) => new Set([...run.by_count].map((w) => wordText(run, w).replace(/^ +/, "")));
    const [first, ...others] = runs.map(whole);
    const everywhere = [...first].filter((text) => others.every((texts) => texts.has(text)));
    if (new Set(runs.map((run) => run.spelling)).size > 1) assert.deepEqual(new Set(common.map(({ text }) => text.replace(/^ +/, ""))), new Set(everywhere));
  });
}

test("bytes are characters, or parts of them", () => {
  const of = (...bytes) => charactersOf(Uint8Array.from(bytes)).map(({ char, from, to }) => [char, from, to]);
  assert.deepEqual(of(0x61, 0xc3, 0xa9, 0xf0, 0x9f, 0x91, 0xa9), [["a", 0, 1], ["é", 1, 3], ["👩", 3, 7]]);
  assert.deepEqual(of(0xa9, 0x61), [["", 0, 1], ["a", 1, 2]]);
  assert.deepEqual(of(0xe6, 0x97), [["", 0, 2]]);
});

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
