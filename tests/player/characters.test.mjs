// Tokens of bytes stand under the characters that they are parts of. Run by test_player_characters.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { byCharacter } from "../../tokviz/player/js/characters.js";

/** A byte-level run whose tokens are these bytes in hexadecimal: "E6 97", "A5". */
function runOf(...tokens) {
  const hidden = [...Array(256).keys()].filter((b) => !((b > 0x20 && b < 0x7f) || (b > 0xa0 && b !== 0xad)));
  const char = (b) => String.fromCodePoint(hidden.includes(b) ? 0x100 + hidden.indexOf(b) : b);
  const strings = tokens.map((bytes) => bytes.split(" ").map((b) => char(parseInt(b, 16))).join(""));
  return { unit: "byte", raw: [], strings };
}

function groups(tokens, marks = []) {
  return byCharacter(runOf(...tokens), Int32Array.from(tokens.keys()), marks).map(({ from, to, over }) => [over, ...tokens.slice(from, to)]);
}

test("bytes stand under their character, whole characters alone", () => {
  // 日本 is E6 97 A5, E6 9C AC
  assert.deepEqual(groups(["E6", "97", "A5", "E6", "9C AC"]), [["日", "E6", "97", "A5"], ["本", "E6", "9C AC"]]);
  assert.deepEqual(groups(["E6 97 A5", "E6 9C", "AC"]), [["", "E6 97 A5"], ["本", "E6 9C", "AC"]]);
  assert.deepEqual(groups(["E6 97 A5", "E6 9C AC"]), [["", "E6 97 A5", "E6 9C AC"]]);
  assert.deepEqual(groups(["20", "61", "62"]), [["", "20", "61", "62"]]);
});

test("a token that ends inside of a character has those that it is a part of above it", () => {
  assert.deepEqual(groups(["61", "E6", "97 A5 E6", "9C AC"]), [["", "61"], ["日本", "E6", "97 A5 E6", "9C AC"]]);
  // The space before a word stands in its token, not above it.
  assert.deepEqual(groups(["20 E6", "97", "A5"]), [["日", "20 E6", "97", "A5"]]);
});

test("the next pair is not parted", () => {
  const marks = ["", "", "left", "right", "", ""];
  assert.deepEqual(groups(["E6", "97", "A5", "E6", "9C", "AC"], marks), [["日本", "E6", "97", "A5", "E6", "9C", "AC"]]);
});

test("a joined sign is one sign", () => {
  // 👩‍🚀 is F0 9F 91 A9, E2 80 8D, F0 9F 9A 80
  const [woman, joiner, rocket] = ["F0 9F 91 A9", "E2 80 8D", "F0 9F 9A 80"];
  assert.deepEqual(groups([woman, "E2 80", "8D", rocket]), [["👩‍🚀", woman, "E2 80", "8D", rocket]]);
  assert.deepEqual(groups([woman, joiner, rocket]), [["👩‍🚀", woman, joiner, rocket]]);
  assert.deepEqual(groups([`${woman} ${joiner} ${rocket}`]), [["", `${woman} ${joiner} ${rocket}`]]);
});

test("what is no text, or is cut off inside of a character, stays as it is", () => {
  assert.deepEqual(groups(["FF", "61"]), [["", "FF", "61"]]);
  assert.deepEqual(groups(["E6", "97 A5", "E6"]), [["日", "E6", "97 A5"], ["", "E6"]]);
  assert.deepEqual(byCharacter({ unit: "char" }, [0, 1], []), [{ from: 0, to: 2, over: "" }]);
});
