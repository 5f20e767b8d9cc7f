// Fuzzes the compiled trainer: texts and settings by chance, trained one after the other by one core, of whose runs all
// that must hold is looked at. Run by core.py, which writes how to train, and trains a sample in Python.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { Core } from "../../tokviz/player/js/core.js";
import { merges } from "../../tokviz/player/js/merges.js";
import { trainAll, trainingAll } from "../../tokviz/player/js/trained.js";
import { unigram } from "../../tokviz/player/js/unigram.js";

const [kitsFile, pieces, inputs, seed, sampleFile, sampled] = process.argv.slice(2);
const kits = JSON.parse(readFileSync(kitsFile, "utf-8"));
const PIECES = JSON.parse(readFileSync(pieces, "utf-8"));
const module = await WebAssembly.compile(readFileSync(new URL("../../tokviz/core/core.wasm", import.meta.url)));
let core = await Core.of(module);

// Mulberry32: the same seed gives the same inputs.
let state = Number(seed);
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const below = (n) => Math.floor(random() * n);
const one = (list) => list[below(list.length)];
const character = () => {
  const code = random() < 0.5 ? below(0x80) : random() < 0.7 ? below(0x3000) : below(0x110000);
  return code >= 0xd800 && code < 0xe000 ? "a" : String.fromCodePoint(code);
};

function text() {
  const kind = random();
  const n = below(kind < 0.9 ? 25 : 150);
  const letters = Array.from({ length: 1 + below(5) }, character);
  const part = kind < 0.35 ? () => one(PIECES) : kind < 0.7 ? () => one(letters) : kind < 0.8 ? character : () => (random() < 0.5 ? one(PIECES) : one(letters));
  const made = Array.from({ length: n }, part).join("");
  // Long words have pairs that are counted one by one.
  return random() < 0.003 ? made.repeat(40) : made;
}

/** What holds of every run of Unigram. */
function checkRounds(run) {
  const { steps, corpus_tokens: tokens, vocab_size: sizes, removed_at: removed, loss, word_counts: counts } = run;
  assert.equal(loss.length, steps + 1);
  for (let t = 0; t <= steps; t++) {
    assert.ok(Number.isFinite(loss[t]) && loss[t] >= 0, "the loss is a number");
    assert.equal(run.special + removed.reduce((n, at) => n + (at >= t), 0), sizes[t], "the vocabulary holds what is not removed");
    assert.ok(!t || sizes[t] < sizes[t - 1], "each round removes something");
    if (sum(counts) !== run.words_total) continue;
    let n = 0;
    for (let w = 0; w < counts.length; w++) {
      const cut = [...unigram.wordTokens(run, w, t)];
      assert.ok(cut.every((token) => removed[token] >= t), "words are cut by what is there");
      n += counts[w] * cut.length;
    }
    assert.equal(n, tokens[t], "the words have all tokens");
  }
}

/** What holds of every run. */
function check(run, asked) {
  if (run.algorithm === "unigram") return checkRounds(run);
  const { steps, base, left, right, times, tied, corpus_tokens: tokens, vocab_size: sizes, top_count: top, rows, word_counts: counts } = run;
  assert.ok(sizes[0] <= asked && sizes[steps] <= asked, "the vocabulary is no larger than asked for");
  assert.equal(run.tokens.length, base + steps);
  assert.equal(sum(run.first_counts), tokens[0]);
  for (let t = 0; t < steps; t++) {
    assert.ok(left[t] < base + t && right[t] < base + t && left[t] >= 0 && right[t] >= 0, "both tokens are there");
    assert.ok(times[t] >= 1 && tokens[t + 1] === tokens[t] - times[t], "each step joins what it says");
    assert.ok(sizes[t + 1] - sizes[t] <= 1 && sizes[t + 1] >= sizes[t]);
    assert.ok(tied[t] >= 1 && run.candidates[t] >= tied[t]);
    assert.equal(run.top_left[t * rows], left[t]);
    assert.equal(run.top_right[t * rows], right[t]);
    if (run.score !== "likelihood") for (let k = 1; k < rows; k++) assert.ok(top[t * rows + k] <= top[t * rows + k - 1], "the best pairs come first");
  }
  if (sum(counts) !== run.words_total) return;
  for (const t of new Set([0, steps >> 1, steps])) {
    let n = 0;
    for (let w = 0; w < counts.length; w++) n += counts[w] * merges.wordTokens(run, w, t).length;
    assert.equal(n, tokens[t], "the words have all tokens");
  }
}

const sum = (values) => values.reduce((a, b) => a + b, 0);

function whole(slices) {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

const sample = [];
const start = performance.now();
let [trained, refused, slowest] = [0, 0, 0];
for (let i = 0; i < Number(inputs); i++) {
  const likes = [one(kits)];
  const [written, asked, most] = [text(), [1 + below(random() < 0.8 ? 120 : 700)], one([1000, 1000, 1000, 30])];
  const before = performance.now();
  let runs;
  try {
    runs = trainAll(core, likes, written, asked, most);
    if (runs) check(runs[0], runs[0].asked);
    if (i % 64 === 0) assert.deepEqual(whole(trainingAll(core, likes, written, asked, most, 1 + below(40))), runs, "in slices");
    if (i % 4096 === 0) assert.deepEqual(trainAll(await Core.of(module), likes, written, asked, most), runs, "by a new core");
    // Left in the middle, it does the next one no harm.
    if (i % 32 === 0) trainingAll(core, likes, written, asked, most, 3).next();
  } catch (error) {
    console.log(JSON.stringify({ seed, input: i, kit: kits.indexOf(likes[0]), text: written, asked }));
    throw error;
  }
  slowest = Math.max(slowest, performance.now() - before);
  if (runs) trained++;
  else refused++;
  if (runs?.[0].steps && random() < Number(sampled) / Number(inputs)) sample.push({ kit: kits.indexOf(likes[0]), text: written, asked: runs[0].asked });
}
writeFileSync(sampleFile, JSON.stringify(sample));
const seconds = (performance.now() - start) / 1000;
console.log(`${inputs} inputs in ${seconds.toFixed(0)} s: ${trained} trained, ${refused} without room; the slowest took ${slowest.toFixed(0)} ms`);
console.log(`memory of the core: ${(core.memory.buffer.byteLength / 1e6).toFixed(1)} MB`);
