// A run that the browser trains equals what Python packs of the same training, column by column.
// Run by test_player_trained.py, which trains and packs: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Core } from "../../tokviz/player/js/core.js";
import { readRun } from "../../tokviz/player/js/runs.js";
import { trainLike, trainingLike } from "../../tokviz/player/js/trained.js";

const folder = process.env.TOKVIZ_RUNS;
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
assert.ok(names.length > 0);
// One for all: what a training leaves behind must not reach the next one.
const core = await Core.of(await WebAssembly.compile(readFileSync(new URL("../../tokviz/core/core.wasm", import.meta.url))));

const plain = (value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);

/** The same in slices, after which there is always more than before. */
function sliced(like, text, asked, most, slice) {
  const slices = trainingLike(core, like, text, asked, most, slice);
  for (let before = 0; ; ) {
    const { done, value } = slices.next();
    if (done) return value;
    assert.ok(value >= before && value <= 1, `${value} after ${before}`);
    before = value;
  }
}

test("every run", () => {
  for (const [i, name] of names.entries()) {
    const { text, most, least } = JSON.parse(readFileSync(join(folder, name), "utf-8"));
    const expected = readRun(readFileSync(join(folder, name.replace(".json", ".blob"))));
    // What depends on the text is not taken over from the run.
    const like = Object.fromEntries(Object.entries(expected).filter(([, value]) => !ArrayBuffer.isView(value)));
    Object.assign(like, { steps: 0, stopped: "", words_total: 0, words_distinct: 0, characters: 0, tokens: [], raw: {}, met: [], base: 0, strings: [] });
    // As a whole, or in slices, the least ones first.
    const trained = i % 2 ? sliced(like, text, expected.asked, most, i) : trainLike(core, like, text, expected.asked, most);
    assert.equal(trained.least, least, name);
    for (const key of Object.keys(expected)) {
      assert.equal(ArrayBuffer.isView(trained[key]), ArrayBuffer.isView(expected[key]), `${name}: ${key}`);
      if (key !== "arrays") assert.deepEqual(plain(trained[key]), plain(expected[key]), `${name}: ${key}`);
    }
    assert.deepEqual(trainLike(core, like, text, least - 1, most), { least }, name);
  }
});

test("logarithms", () => {
  const pairs = new Float64Array(new Uint8Array(readFileSync(join(folder, "logarithms"))).buffer);
  assert.ok(pairs.length > 1000);
  for (let i = 0; i < pairs.length; i += 2) assert.ok(Object.is(core.c.logarithm(pairs[i]), pairs[i + 1]), `ln ${pairs[i]}`);
});

test("what Unigram cannot train", () => {
  const like = readRun(readFileSync(join(folder, "unigram course.blob")));
  const most = { words: 9, characters: 99 };
  assert.throws(() => trainLike(core, like, "a ".repeat(5) + "b".repeat(10_001), 9, most), /word is too long/);
  let seed = 1;
  const text = Array.from({ length: 4500 }, () => "abcdefgh"[(seed = (seed * 48_271) % 0x7fffffff) % 8]).join("");
  Object.assign(like.retrain, { longest: 1000 });
  assert.throws(() => trainLike(core, like, text, 99, most), /too many different substrings/);
});
