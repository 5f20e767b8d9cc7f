// What of a word becomes what in a step, where its halves slide, and where the line to the next pair runs.
// Run by test_player_gesture.py, which packs the runs: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lineTo } from "../../tokviz/player/js/connector.js";
import { alignment, partsOf } from "../../tokviz/player/js/gesture.js";
import { wordMarks, wordTokens } from "../../tokviz/player/js/run.js";
import { readRun } from "../../tokviz/player/js/runs.js";
import { tokenBytes } from "../../tokviz/player/js/tokens.js";

const folder = process.env.TOKVIZ_RUNS;

for (const name of readdirSync(folder)) {
  const run = readRun(readFileSync(join(folder, name)));

  test(`${name}: at every step each token is what it was, or of the letters that it is made of`, () => {
    const letters = (tokens) => tokens.flatMap((token) => [...tokenBytes(run, token)]);
    let [merged, parted] = [0, 0];
    for (let t = 0; t < run.steps; t++) {
      for (let w = 0; w < run.word_counts.length; w++) {
        const [before, after] = [t, t + 1].map((t) => [...wordTokens(run, w, t)]);
        const marks = wordMarks(run, before, t, w);
        let [i, j] = [0, 0];
        for (const group of alignment(run, before, after)) {
          assert.deepEqual([group.before[0], group.after[0]], [i, j], "nothing is left out");
          [i, j] = [group.before[1], group.after[1]];
          const [old, fresh] = [before.slice(...group.before), after.slice(...group.after)];
          assert.deepEqual(letters(old), letters(fresh));
          if (old.length === 2 && fresh.length === 1) {
            merged++;
            if (run.left) assert.deepEqual(marks.slice(...group.before), ["left", "right"]);
          } else if (run.left) assert.deepEqual(old, fresh);
          // A new probability may part a token too that stays in the vocabulary.
          else if (marks[group.before[0]] === "doomed" && fresh.length > 1) parted++;
        }
        assert.deepEqual([i, j], [before.length, after.length]);
      }
    }
    assert.ok((run.left ? merged : parted) > 5, `${merged} ${parted}`);
  });
}

test("parts share the room of a whole, and cover no letter of one another", () => {
  // Two chips of 20 with a padding of 4 become one of 32.
  const [one, other] = partsOf({ left: 100, right: 132 }, [20, 20], 4);
  assert.deepEqual([one, other], [{ left: 100, cut: [0, 4] }, { left: 112, cut: [4, 0] }]);
  assert.equal(one.left + 20 - one.cut[1], other.left + other.cut[0]);
  // A marker of 10 goes, which only the second one has.
  assert.deepEqual(partsOf({ left: 0, right: 32 }, [20, 30], 4), [{ left: 0, cut: [0, 4] }, { left: 2, cut: [14, 0] }]);
  assert.deepEqual(partsOf({ left: 7, right: 27 }, [20], 4), [{ left: 7, cut: [0, 0] }]);
  const three = partsOf({ left: 0, right: 44 }, [20, 20, 20], 4);
  assert.deepEqual(three.map(({ left }) => left), [0, 12, 24]);
});

const box = (left, top, right = left + 20, bottom = top + 20) => ({ left, top, right, bottom });
const row = { x: 220, y: 50 };

test("the line goes down the gap and below each line of text to its first place", () => {
  const letters = [box(10, 10), box(40, 10), box(10, 40), box(40, 40)];
  const line = lineTo(row, 200, [{ left: 40, arrow: 35 }, { left: 40, arrow: 65 }, { left: 10, arrow: 65 }], letters);
  assert.equal(line, "M220 50H200M200 35V65M200 35H40M200 65H10");
  assert.equal(lineTo(row, 200, [], letters), "");
});

test("it runs below what is lower than the arrows, and nowhere across letters", () => {
  // Bytes stand under their character, right of the pair.
  const bytes = box(60, 10, 80, 44);
  const place = [{ left: 10, arrow: 35 }];
  assert.equal(lineTo(row, 200, place, [box(10, 10), bytes]), "M220 50H200M200 46V50M200 46H10M10 35V46");
  assert.equal(lineTo(row, 200, place, [box(10, 10), bytes, box(90, 44)]), "", "there the next line begins");
  assert.notEqual(lineTo(row, 200, [{ left: 70, arrow: 35 }], [box(10, 30), box(70, 10)]), "", "what is left of it is not in its way");
});
