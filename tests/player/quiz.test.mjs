// The quiz's questions, of states of every run, against what the engine chose there.
// Run by test_player_quiz.py, which packs the runs and writes down what is right: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { factOf, questionOf, typedAnswer } from "../../tokviz/player/js/quiz_questions.js";
import { FAMILIES, readRun } from "../../tokviz/player/js/runs.js";
import { tokenName } from "../../tokviz/player/js/tokens.js";

const folder = process.env.TOKVIZ_RUNS;
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
assert.ok(names.length > 0);
const read = (name) => readRun(readFileSync(join(folder, `${name}.blob`)));
const prunes = (run) => [FAMILIES.unigram, FAMILIES.em].includes(run.family);
const kinds = new Map();
const places = new Map();

/** Whether a < b, fractions as [numerator, denominator] in strings. */
const less = ([a, b], [c, d]) => BigInt(a) * BigInt(d) < BigInt(c) * BigInt(b);

function checkPairs(run, question, state) {
  const show = ({ row }) => [run.strings[row.left], run.strings[row.right]];
  const scores = (option) => {
    const found = state.scores.filter(([pair]) => pair.join("\0") === show(option).join("\0"));
    assert.ok(found.length, "every option is a candidate");
    return found.map(([, n, d]) => [n, d]);
  };
  const right = question.options.find((option) => option.right);
  assert.deepEqual(show(right), state.chosen);
  assert.equal(question.kind, state.tied > 1 ? "tie" : "pair");
  if (question.kind === "tie") assert.equal(question.tied, state.tied);
  for (const option of question.options) {
    if (option === right) continue;
    assert.notDeepEqual(show(option), state.chosen);
    if (run.given) assert.ok(option.row.rank > right.row.rank);
    else if (question.kind === "pair") assert.ok(scores(option).every((s) => scores(right).every((best) => less(s, best))));
    else assert.ok(scores(option).every((s) => scores(right).every((best) => !less(s, best) && !less(best, s))));
  }
}

function checkTokens(run, question, state) {
  const removed = new Set(state.removed);
  const string = ({ row }) => run.strings[row.token];
  for (const option of question.options) {
    assert.ok(string(option) in state.deltas);
    assert.equal(option.right, removed.has(string(option)) === (question.kind === "goes"));
  }
  const deltas = (gone) => question.options.filter((o) => removed.has(string(o)) === gone).map((o) => state.deltas[string(o)]);
  const known = (all) => all.filter((delta) => delta !== null);
  assert.ok(deltas(true).length && deltas(false).length);
  for (const gone of known(deltas(true))) for (const kept of known(deltas(false))) assert.ok(gone < kept, "no tie across the cut");
}

/** Nothing can be asked where none goes, or nothing that stays has more to lose. */
function checkNone(state) {
  const removed = new Set(state.removed);
  const worst = Math.max(...state.removed.map((token) => state.deltas[token] ?? -Infinity));
  return !removed.size || !Object.entries(state.deltas).some(([token, delta]) => !removed.has(token) && delta > worst);
}

for (const file of names) {
  const name = file.replace(".json", "");
  const states = JSON.parse(readFileSync(join(folder, file), "utf-8"));
  const run = read(name);

  test(`${name}: each state`, () => {
    const again = read(name);
    assert.equal(run.steps, states.at(-1).t);
    states.forEach(({ t, ...state }) => {
      const question = questionOf(run, t);
      kinds.set(question.kind, (kinds.get(question.kind) ?? 0) + 1);
      const said = (q) => [q.kind, q.options?.map(({ key, right }) => [key, right])];
      assert.deepEqual(said(question), said(questionOf(again, t)));
      if (!question.options) {
        if (state.action === "over") assert.equal(question.kind, "over");
        else if (["em", "finalize", "remove"].includes(state.action)) assert.equal(question.kind, state.action);
        else if (state.forced) assert.equal(question.kind, "forced");
        else if (prunes(run)) assert.ok(checkNone(state));
        else assert.deepEqual([question.kind, state.scores.length], ["one", 1]);
        return;
      }
      assert.ok(["merge", "prune"].includes(state.action) && !state.forced);
      const keys = question.options.map(({ key }) => key);
      assert.ok(keys.length >= 2 && keys.length <= 5);
      assert.equal(new Set(keys).size, keys.length, "options look different");
      assert.equal(question.options.filter(({ right }) => right).length, 1);
      const place = question.options.findIndex(({ right }) => right);
      if (keys.length === 5) places.set(place, (places.get(place) ?? 0) + 1);
      if (prunes(run)) checkTokens(run, question, state);
      else checkPairs(run, question, state);
      // Whatever is shown can be typed.
      for (const { row, key, right } of question.options) {
        const typed = typedAnswer(run, question, key.replace("\0", "+"));
        if (key.trim() === key && !/\s\s|\s\0|\0\s/.test(key)) assert.equal(typed.row && typedKey(run, typed.row), key);
        if (typed.row === row) assert.equal(right, question.kind === "stays" ? !row.chosen : row.chosen);
        assert.ok(factOf(run, row));
        if (prunes(run) && !row.chosen) assert.ok(!Number.isNaN(row.delta), "what can never go is no question");
      }
    });
  });
}

const typedKey = (run, row) => (prunes(run) ? [row.token] : [row.left, row.right]).map((token) => tokenName(run, token)).join("\0");

test("all kinds of questions were asked", () => {
  for (const kind of ["pair", "tie", "goes", "stays", "over", "forced", "em", "finalize"]) assert.ok(kinds.get(kind), kind);
});

test("the answer stands at every place about as often", () => {
  const all = [0, 1, 2, 3, 4].map((place) => places.get(place) ?? 0);
  const sum = all.reduce((a, b) => a + b);
  assert.ok(sum > 1000);
  for (const n of all) assert.ok(n > 0.15 * sum && n < 0.25 * sum, all.join());
});

test("what is typed is a pair of this state, or a sentence says what to change", () => {
  const run = read("sample course");
  const question = questionOf(run, 0);
  for (const text of ["Ġ t", "Ġ+t", " Ġ + t "]) assert.equal(typedAnswer(run, question, text).row.chosen, true);
  assert.equal(typedAnswer(run, question, "i s").row.chosen, false);
  assert.match(typedAnswer(run, question, "th").said, /Type the two tokens/);
  assert.match(typedAnswer(run, question, "").said, /Type the two tokens/);
  assert.match(typedAnswer(run, question, "Ġt h").said, /“Ġt” is not a token at this step/);
  assert.match(typedAnswer(run, question, "z z").said, /“z \+ z” is not among the first 20 candidates/);
});

test("tokens of Unigram are typed alone", () => {
  const run = read("sample hug-pug");
  const t = [...Array(run.steps).keys()].find((t) => questionOf(run, t).options);
  const question = questionOf(run, t);
  const [row] = question.rows;
  assert.equal(typedAnswer(run, question, run.strings[row.token]).row, row);
  assert.match(typedAnswer(run, question, "").said, /Type a token/);
  assert.match(typedAnswer(run, question, "xyz").said, /“xyz” is not a token/);
});

test("a hint says what decides", () => {
  const facts = (name, t) => {
    const run = read(name);
    return questionOf(run, t).options.map(({ row }) => factOf(run, row));
  };
  assert.ok(facts("sample course", 0).includes("7"));
  assert.ok(facts("alice-wordpiece", 9).every((fact) => /^[\d,]+\/\([\d,]+×[\d,]+\) = /.test(fact)));
  assert.ok(facts("alice-unigram", 1).every((fact) => /^loss delta [\d.e+-]+$|^never goes$/.test(fact)));
});
