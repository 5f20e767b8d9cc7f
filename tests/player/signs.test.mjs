// The signs in tokens that are no text. Run by test_player_signs.py: `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { signsOf } from "../../tokviz/player/js/signs.js";

const signs = [["Ġ", "space-byte"], ["##", "continuing-prefix"]];

test("only signs are explained that a token has as a sign", () => {
  const of = (...tokens) => signsOf({ signs, tokens }).map(([sign]) => sign);
  assert.deepEqual(of("h", ["", "Ġ", "t"], ["", "##", "u"]), ["Ġ", "##"]);
  assert.deepEqual(of("h", ["", "##", "u"]), ["##"]);
  // In a text it is a text.
  assert.deepEqual(of("h", "##", ["##", "Ġ"], ["Ġ", "</w>"]), ["Ġ"]);
  assert.deepEqual(of("h", "u"), []);
});
