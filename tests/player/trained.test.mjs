// A run that the browser trains equals what Python packs of the same training, column by column.
// Run by test_player_trained.py, which trains and packs: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Core } from "../../tokviz/player/js/core.js";
import { readRun } from "../../tokviz/player/js/runs.js";
import { trainLike } from "../../tokviz/player/js/trained.js";
import { differences } from "./same_run.mjs";

const folder = process.env.TOKVIZ_RUNS;
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
assert.ok(names.length > 0);
// One for all: what a training leaves behind must not reach the next one.
const core = await Core.of(await WebAssembly.compile(readFileSync(new URL("../../tokviz/core/core.wasm", import.meta.url))));

test("every run", () => {
  for (const [i, name] of names.entries()) {
    const told = JSON.parse(readFileSync(join(folder, name), "utf-8"));
    // As a whole, or in slices, the least ones first.
    assert.deepEqual(differences(core, told, readFileSync(join(folder, `${name.slice(0, -5)}.blob`)), i % 2 ? i : 0), [], name);
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
