// Where playing stops, against what the engine says of every state of the runs.
// Run by test_player_breakpoints.py: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeAxis } from "../../tokviz/player/js/axis.js";
import { nextStop, readStop, stopKinds, stopPositions, whyNone, writeStop } from "../../tokviz/player/js/breakpoints.js";
import { FAMILIES, readBundle } from "../../tokviz/player/js/runs.js";
import { tokensOf } from "../../tokviz/player/js/tokens.js";

const folder = process.env.TOKVIZ_STOPS;
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
assert.ok(names.length > 0);

for (const name of names) {
  const expected = JSON.parse(readFileSync(join(folder, name), "utf-8"));
  const { runs } = readBundle(readFileSync(join(folder, name.replace(".json", ".bundle"))));

  test(`${name}: every stop from every position`, () => {
    for (const { align, written, token, places } of expected) {
      const axis = makeAxis(runs, align);
      const stop = readStop(written, runs);
      assert.equal(writeStop(stop), written);
      const tokens = runs.map((run) => tokensOf(run, token).find((number) => number >= 0) ?? -1);
      for (let p = 0; p <= axis.last; p++) {
        const found = nextStop(runs, axis, stop, tokens, p);
        const said = `${align} ${written} ${token} from ${p}`;
        const position = places.findIndex((lanes, q) => q > p && lanes.length);
        assert.deepEqual(found, position < 0 ? null : { position, lanes: places[position] }, said);
      }
      if (written === "tie") continue;
      const marks = runs.map((_, lane) => places.findIndex((lanes) => lanes.includes(lane)));
      assert.deepEqual(stopPositions(runs, axis, stop, tokens), marks, `${align} ${written} ${token}`);
    }
  });
}

const merges = { family: FAMILIES.merges, base: 2, steps: 2, vocab_size: [3, 4, 5], tied: [1, 1, 1] };
const prunes = { family: FAMILIES.unigram, steps: 2, vocab_size: [9, 7, 5], removed_at: [1, 7], tied: [1, 1, 1], tied_removed: [1, 1, 1] };

test("only what makes sense for the runs is a stop", () => {
  assert.deepEqual(stopKinds([merges]), ["", "tie", "birth"]);
  assert.deepEqual(stopKinds([prunes]), ["", "tie", "end"]);
  assert.deepEqual(stopKinds([prunes, merges]), ["", "tie", "birth", "end"]);
  assert.deepEqual(readStop("size.44", [merges]), { kind: "size", size: 44 });
  for (const wrong of ["end", "size.0", "size.", "size.4e9", "size.-4", "size.44x", "size.9999999999", "<b>", "toString", undefined]) {
    assert.deepEqual(readStop(wrong, [merges]), { kind: "" }, wrong);
  }
});

test("why none comes", () => {
  const why = (runs, stop, tokens) => whyNone(runs, makeAxis(runs, "step"), stop, tokens);
  assert.equal(why([merges], { kind: "tie" }, []), "tie");
  assert.equal(why([merges], { kind: "birth" }, []), "unselected");
  assert.equal(why([merges], { kind: "birth" }, [-1]), "unselected");
  assert.equal(why([merges], { kind: "birth" }, [1]), "start");
  assert.equal(why([merges], { kind: "birth" }, [2]), "passed");
  assert.equal(why([merges, prunes], { kind: "birth" }, [-1, 0]), "nowhere");
  assert.equal(why([prunes], { kind: "end" }, [0]), "passed");
  assert.equal(why([prunes], { kind: "end" }, [1]), "stays");
  assert.equal(why([merges], { kind: "size", size: 6 }, []), "size");
  assert.equal(why([merges], { kind: "size", size: 5 }, []), "passed");
  assert.equal(why([merges], { kind: "size", size: 2 }, []), "passed");
  assert.equal(why([prunes], { kind: "size", size: 4 }, []), "size");
});
