// Every question that the player asks of a packed run, at each step, against the engine's answers.
// Run by test_player_run.py, which packs the runs and writes the answers: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as questions from "../../tokviz/player/js/run.js";
import * as reader from "../../tokviz/player/js/runs.js";
import * as tokens from "../../tokviz/player/js/tokens.js";
import * as numbers from "../../tokviz/player/js/numbers.js";
import * as i18n from "../../tokviz/player/js/i18n.js";
import * as say from "../../tokviz/player/js/say.js";
import { roots } from "../../tokviz/player/js/growth.js";
import { cutAnew } from "../../tokviz/player/js/pruned_vocabulary.js";
import { roundBetween, scorePlaces, scoreSaid, scoresPairs } from "../../tokviz/player/js/score_picture.js";
import { vocabulary } from "../../tokviz/player/js/vocabulary.js";

const player = { ...reader, ...questions, ...tokens, ...numbers, ...say, ...i18n };

const folder = process.env.TOKVIZ_RUNS;
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
assert.ok(names.length > 0);

for (const name of names) {
  const expected = JSON.parse(readFileSync(join(folder, name), "utf-8"));
  const run = player.readRun(readFileSync(join(folder, name.replace(".json", ".blob"))));
  const show = (token) => run.strings[token];

  test(`${name}: every step`, () => {
    assert.equal(run.steps, expected.states.at(-1).t);
    expected.states.forEach(({ t, ...state }) => {
      const words = state.words.map((_, w) => player.wordTokens(run, w, t));
      assert.deepEqual(words.map((tokens) => [...tokens].map(show)), state.words);
      assert.deepEqual(words.map((tokens, w) => player.wordMarks(run, tokens, t, w)), state.marks);
      const ids = words.map((tokens) => [...tokens].map((token) => player.tokenId(run, token, t)));
      assert.deepEqual(ids, state.ids);
      const births = words.map((tokens) => [...tokens].map((token) => player.born(run, token)));
      assert.deepEqual(births, state.births);
      const fresh = words.map((tokens) => [...tokens].map((token) => player.isNew(run, token, t)));
      assert.deepEqual(fresh, state.fresh);
      const rows = player.rows(run, t).map((row) => {
        const counts = run.score === "likelihood" ? [row.leftCount, row.rightCount] : [];
        const known = (value) => (Number.isNaN(value) ? null : value);
        const exact = run.agreement ? [known(row.exact), row.exactRank] : [];
        const right = run.row_right ? [known(row.right)] : [];
        return "token" in row
          ? [show(row.token), known(row.count), known(row.delta), row.tied, row.chosen, ...exact, ...right]
          : [show(row.left), show(row.right), row.count, row.score, row.tied, row.chosen, ...counts];
      });
      assert.deepEqual(rows, state.rows);
      assert.equal(player.candidateCount(run, t), state.candidates);
      assert.equal(run.vocab_size[t], state.vocab_size);
      assert.equal(run.corpus_tokens[t], state.corpus_tokens);
      assert.equal(player.charactersPerToken(run, t), state.per_token);
      if (state.known) {
        for (const [token, string] of run.strings.entries()) {
          const alive = player.isAlive(run, token, t);
          // Of the others only unknown characters are in a vocabulary, as its <unk>.
          const name = string in state.known ? string : "<unk>";
          assert.equal(alive, string in state.known || player.tokenId(run, token, t) === 0);
          assert.equal(player.countNow(run, token, t), alive ? state.known[name] : 0);
        }
      }
      const alive = [...run.strings.keys()].filter((token) => player.isAlive(run, token, t));
      const [idsNow, countsNow] = [run.family.idsNow(run, t), run.family.countsNow(run, t)];
      assert.deepEqual(alive.map((token) => idsNow[token]), alive.map((token) => player.tokenId(run, token, t)));
      assert.deepEqual(alive.map((token) => countsNow[token]), alive.map((token) => player.countNow(run, token, t)));
      if (state.vocabulary) {
        const rows = vocabulary(run, t).map(({ token, id, born, count }) => [id, player.tokenString(run, token), born, count]);
        assert.deepEqual(rows, state.vocabulary);
        assert.deepEqual(run.strings.map((_, token) => player.countNow(run, token, t)), state.counts);
        assert.deepEqual(run.strings.map((_, token) => player.isAlive(run, token, t)), state.alive);
      }
      assert.equal(scoresPairs(run), state.scores !== null);
      if (state.scores?.places) {
        const { places, best, rival } = scorePlaces(run, t);
        const shown = places.map(({ product, count, rows }) => [product, count, rows.length]);
        assert.deepEqual(shown.map(String).sort(), state.scores.places.map(String).sort());
        const told = [best, rival].filter(Boolean).map((row) => [show(row.left), show(row.right), row.count, row.leftCount, row.rightCount]);
        assert.deepEqual(told, state.scores.told);
        // Nothing stands above the line, but for steps that were told otherwise.
        if (!player.isForced(run, t)) for (const { product, count } of places) assert.ok(count * best.leftCount * best.rightCount <= best.count * product);
        const said = player.plainText(run, scoreSaid(run, { best, rival }));
        told.forEach(([, , count, left, right], i) => {
          const [n, first, second] = [count, left, right].map(player.number);
          assert.ok(said.includes(`${n} ÷ (${first} × ${second}) = ${state.scores.scores[i]}.`), said);
        });
      }
      if (state.pruned) {
        const { goes, stays, unshown, characters, goUnseen, unshownSingle, free } = run.family.vocabularyParts(run, t);
        const { total, change, anew, ...parts } = state.pruned;
        if (run.actions) {
          const shown = (rows) => rows.map(({ token, below, weight }) => [show(token), below, weight]);
          assert.deepEqual({ goes: shown(goes), stays: shown(stays), unseen: [goUnseen, unshown, unshownSingle], characters: shown(characters) }, parts);
          if (change) assert.deepEqual([run.loss[t], run.loss[t + 1], run.loss_changes[t], run.words_changed[t]], change);
        } else {
          const shown = (rows) => rows.map(({ token, delta }) => [show(token), delta]);
          assert.deepEqual({ goes: shown(goes), stays: shown(stays), unseen: [goUnseen, unshown], free, characters: characters.map(({ token }) => show(token)).sort() }, parts);
          const counts = characters.map(({ weight }) => weight);
          assert.deepEqual(counts, [...counts].sort((a, b) => b - a));
          assert.deepEqual(characters.map(({ token }) => run.counts[token]), counts);
          assert.equal(run.count_sums[t], total);
        }
        if (change && !run.actions) {
          const columns = [run.dropped[t], run.renormalised[t], run.corpus_tokens[t + 1], run.count_sums[t], run.count_sums[t + 1], run.words_changed[t]];
          assert.deepEqual(columns, change);
        }
        const cut = (tokens) => tokens.map(({ token }) => show(token)).join("|");
        const found = cutAnew(run, t);
        assert.deepEqual(found.map(({ before, after }) => [cut(before), cut(after)]).sort(), anew);
        for (const { before, after } of found) {
          const marks = (tokens) => new Set(tokens.map(({ mark }) => mark));
          assert.ok(!marks(before).has("new") && !marks(after).has("doomed"));
          assert.ok(marks(after).has("new"));
          for (const { token, mark } of before) assert.equal(mark === "doomed", player.wordMarks(run, [token], t)[0] === "doomed");
        }
      } else assert.ok(!run.family.vocabularyParts);
      assert.equal(run.agreement?.[t] ?? null, state.agreement);
      assert.equal(player.plainText(run, player.narrate(run, t)), state.narration);
      assert.equal(player.plainText(run, player.announce(run, t)), state.announcement);
    });
  });

  test(`${name}: trees of words`, () => {
    expected.texts.forEach((_, w) => {
      const shape = ({ token, text, from, to, level }) => `${text ?? show(token)} ${from} ${to} ${level}`;
      let before = [];
      expected.states.forEach(({ t, ...state }) => {
        const nodes = run.family.wordTree(run, w, t);
        const tokens = roots(nodes);
        assert.deepEqual(tokens.map(({ token }) => show(token)), state.words[w]);
        // They stand side by side over all columns.
        assert.deepEqual(tokens.map(({ from }) => from), [0, ...tokens.map(({ to }) => to)].slice(0, tokens.length));
        const steps = [...new Set(nodes.flatMap(({ step }) => step ?? []))].sort((a, b) => a - b);
        for (const node of nodes) {
          assert.ok(node.from < node.to && !(node.end <= node.level));
          if (!node.parts) continue;
          const [left, right] = node.parts;
          assert.deepEqual([left.from, left.to, right.to], [node.from, right.from, node.to]);
          // A row is a step; the parts know in which row they are joined.
          assert.equal(node.level, 1 + steps.indexOf(node.step));
          assert.deepEqual([left.end, right.end], [node.level, node.level]);
        }
        // What was made stays where it is; a path stays at its letters.
        const { picky, boundlessPicky, unigram, em } = player.FAMILIES;
        const merges = ![unigram, em].includes(run.family);
        const [shapes, stays] = [nodes.map(shape), merges && ![picky, boundlessPicky].includes(run.family) ? () => true : (_, i) => before[i].endsWith(" 0")];
        assert.deepEqual(before.filter(stays).filter((known) => !shapes.includes(known)), []);
        if (merges) {
          // Where a step makes a token that is there already, what stood before is not fresh.
          const stood = (node) => before.includes(shape(node));
          assert.deepEqual(tokens.map(({ fresh }) => fresh), tokens.map((node, i) => state.fresh[w][i] && !stood(node)));
        } else {
          const known = ({ from, to }) => before.some((shape) => shape.endsWith(` ${from} ${to} 1`));
          assert.deepEqual(tokens.map(({ fresh }) => fresh), tokens.map((node) => t > 0 && !known(node)));
          // The space before a word has the sign that it has in its token.
          const letters = nodes.filter(({ level }) => level === 0).map(({ text }) => text).join("");
          assert.equal(letters.replace(/^[Ġ▁]/, " "), expected.texts[w].replace(/^[Ġ▁]/, " "));
        }
        before = shapes;
      });
    });
  });

  test(`${name}: colours, bytes and words`, () => {
    assert.deepEqual(expected.texts.map((_, w) => player.wordText(run, w)), expected.texts);
    const shown = [...run.by_count].map((w) => expected.texts[w]);
    assert.deepEqual(shown.length, expected.by_count.length);
    for (const w of run.by_count.slice(0, 3)) {
      const [token] = player.wordTokens(run, w, run.steps);
      const holding = [...run.by_count].filter((v) => [...player.wordTokens(run, v, run.steps)].includes(token));
      assert.deepEqual(player.wordsWith(run, token, run.steps, 99), holding);
      assert.deepEqual(player.wordsWith(run, token, run.steps, 2), holding.slice(0, 2));
    }
    assert.deepEqual([...run.colours], run.strings.map((string) => expected.colours[string]));
    expected.bytes.forEach((hex, token) => {
      assert.equal(Buffer.from(player.tokenBytes(run, token)).toString("hex"), hex);
    });
  });
}

test("every family answers every question", () => {
  const { merges, ...others } = player.FAMILIES;
  for (const [name, family] of Object.entries(others)) {
    for (const asked of Object.keys(merges)) assert.ok(asked in family, `${name} has ${asked}`);
    for (const asked of Object.keys(merges.quiz)) assert.ok(asked in family.quiz, `the quiz of ${name} has ${asked}`);
  }
});

test("numbers are written as Python writes them", () => {
  const cases = { 0: "0", 0.5: "0.5", 0.1428571: "0.1429", 12345.678: "1.235e+04", 0.00001234: "1.234e-05" };
  for (const [value, text] of Object.entries(cases)) assert.equal(player.significant(Number(value)), text);
  assert.deepEqual([999, 1000, 1234567].map(player.number), ["999", "1,000", "1,234,567"]);
});

test("numbers that belong together add up as they are shown", () => {
  assert.deepEqual(player.addUp(328.9468, [15.5047, -5.3595], 339.092, 2), ["328.95", "15.50", "-5.36", "339.09"]);
  // 0.13 + 0.13 is not 0.25.
  assert.deepEqual(player.addUp(0.126, [0.126], 0.252, 2), ["0.13", "0.12", "0.25"]);
  assert.deepEqual(player.addUp(1.0, [1 / 3, 1 / 3], 5 / 3, 2), ["1.00", "0.34", "0.33", "1.67"]);
  assert.deepEqual(player.addUp(1234.5, [0], 1234.5, 4), ["1,234.5000", "0.0000", "1,234.5000"]);
  const cases = [[[2.2633, 2.2633], ["2.264", "2.263"]], [[8.281e9, 8.28e9], ["8,280,000,000", "8,280,000,000"]], [[5, 2], ["5.000", "2.000"]]];
  for (const [values, shown] of cases) {
    const { terms, written } = player.addedUp(values, values[0] + values[1]);
    assert.deepEqual(terms.map(written), shown);
  }
  assert.deepEqual(["5.36", "-5.36"].map(player.signed), ["+5.36", "−5.36"]);
});

test("ticks by powers are round and apart", () => {
  assert.deepEqual(roundBetween(3, 60, 0.1), [5, 10, 20, 50]);
  assert.deepEqual(roundBetween(3, 60, 0.4), [5, 20]);
  assert.deepEqual(roundBetween(1, 4, 0.1), [1, 2]);
});

test("sentences, lists and written numbers", () => {
  assert.deepEqual(player.sentences(["One ", 2, "."], [], ["Three."]), ["One ", 2, ".", " ", "Three."]);
  assert.deepEqual(player.sentences([], []), []);
  assert.deepEqual(player.listed([1, 2]), [1, ", ", 2]);
  assert.deepEqual(["1", "1,200", "1.3 × 10⁹"].map(player.amount), [1, 1200, 100]);
});

test("byte pieces of a character are written as bytes", () => {
  const run = { unit: "byte", tokens: [["", "Ġ", "Ã©tÃ"], "ä½", "a", ["", "Ġ", ""]] };
  const parts = [[["marker", "Ġ"], ["text", "ét"], ["bytes", "C3"]], [["bytes", "E4 BD"]], [["text", "a"]], [["marker", "Ġ"]]];
  parts.forEach((expected, token) => assert.deepEqual(player.tokenParts(run, token), expected));
});

test("a token's name is what its chip shows", () => {
  const tokens = [["", "Ġ", "cafÃ©"], "æĹ¥", "æĹ", ["low", "</w>", ""], "Ã©tÃ"];
  const run = { unit: "byte", tokens, strings: tokens.map((parts) => [parts].flat().join("")) };
  const names = ["Ġcafé", "日", "E6 97", "low</w>", "étC3"];
  assert.deepEqual(names.map((_, token) => player.tokenName(run, token)), names);
});

test("words of bytes are written as the characters that they make", () => {
  assert.equal(player.readable({ unit: "byte" }, "ĠcafÃ©"), "Ġcafé");
  assert.equal(player.readable({ unit: "byte" }, "ä½"), "E4 BD");
  assert.equal(player.readable({ unit: "char" }, "ä½"), "ä½");
  assert.equal(player.firstCharacters({ unit: "byte" }, "ĠcafÃ©Ã©", 5), "ĠcafÃ©");
  assert.equal(player.firstCharacters({ unit: "char" }, "🐙🐙é", 2), "🐙🐙");
  assert.equal(player.firstCharacters({ unit: "char" }, "🐙é", 2), "🐙é");
});

test("what is no run says so", () => {
  assert.throws(() => player.readRun(new Uint8Array(100)), /not a recorded training/);
  assert.throws(() => player.readBundle(new Uint8Array(100)), /not a recorded training/);
});
