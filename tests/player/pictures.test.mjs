// Where trees and lattices are drawn, without drawing them. Run by test_player_pictures.py, which
// gives the trees of several runs: `node --test`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ArcsPicture, arcHeight, roomFor } from "../../tokviz/player/js/arcs.js";
import { lettersOf, nodeState, parentsOf, treeRows } from "../../tokviz/player/js/tree.js";

const trees = JSON.parse(readFileSync(process.env.TOKVIZ_TREES, "utf-8"));
assert.ok(trees.length > 0);

for (const { word, nodes, first, segmentations } of trees) {
  test(`the tree of ${word}`, () => {
    const { steps, rows } = treeRows(nodes);
    assert.deepEqual(steps, [...new Set(steps)].sort((a, b) => a - b), "a row is a step, in order");
    nodes.forEach(({ step, children, start, end }, i) => {
      assert.equal(step === null ? 0 : steps[rows[i] - 1] + 1, step === null ? 0 : step + 1, "below the symbols");
      for (const child of children) assert.ok(rows[child] < rows[i], "what it was made of is above it");
      if (children.length) assert.deepEqual(children.map((child) => [nodes[child].start, nodes[child].end]).flat(), [start, nodes[children[0]].end, nodes[children[1]].start, end], "over its columns");
    });
  });

  test(`the tokens of ${word} in every state`, () => {
    const parents = parentsOf(nodes);
    segmentations.forEach((expected, i) => {
      const t = first + i;
      const tokens = nodes.filter((_, i) => ["now", "new"].includes(nodeState(nodes, parents, i, t)));
      tokens.sort((a, b) => a.start - b.start);
      assert.deepEqual(tokens.map((node) => [node.start, node.end]), expected);
      const made = nodes.filter((_, i) => nodeState(nodes, parents, i, t) === "new");
      for (const node of made) assert.equal(node.step, t - 1);
    });
  });
}

test("letters of a token stand in the columns of its symbols, if they are none that join", () => {
  const face = (...spans) => ({ spans, text: spans.map(([, text]) => text).join("") });
  const [G, t, inner] = [face(["m", "Ġ"]), face(["", "t"]), face(["m", "##"], ["", "o"])];
  assert.deepEqual(lettersOf(face(["m", "Ġ"], ["", "t"]), [G, t]), [[["m", "Ġ"]], [["", "t"]]]);
  // What says that a symbol goes on inside a word is not said again inside its token.
  assert.deepEqual(lettersOf(face(["", "to"]), [t, inner]), [[["", "t"]], [["", "o"]]]);
  assert.deepEqual(lettersOf(face(["m", "##"], ["", "oo"]), [inner, inner]), [[["m", "##"], ["", "o"]], [["", "o"]]]);
  // Bytes that are a character by now, and letters that change beside each other, stand as they are.
  assert.deepEqual(lettersOf(face(["", "é"]), [face(["b", "C3"]), face(["b", "A9"])]), []);
  assert.deepEqual(lettersOf(face(["", "مر"]), [face(["", "م"]), face(["", "ر"])]), []);
});

test("labels never cover each other, and the most important come whole", () => {
  const label = (i, middle, order, top = 0) => {
    return { i, middle, order, whole: [{ width: 40, top, bottom: top + 20 }], short: [{ width: 10, top: top + 10, bottom: top + 20 }] };
  };
  assert.deepEqual(roomFor([label(0, 50, 1), label(1, 200, 2)], 300), ["whole", "whole"]);
  assert.deepEqual(roomFor([label(0, 50, 1), label(1, 77, 0)], 300), ["short", "whole"]);
  assert.deepEqual(roomFor([label(0, 50, 1), label(1, 60, 0)], 300), ["", "whole"]);
  assert.deepEqual(roomFor([label(0, 6, 0), label(1, 3, 1)], 300), ["short", ""]);
  // Each box counts by itself: what is narrow above has room beside what is wide below.
  const [wide, narrow] = [{ width: 40, top: 10, bottom: 20 }, { width: 10, top: 0, bottom: 10 }];
  const stacked = { ...label(0, 50, 0), whole: [wide, narrow], short: [wide] };
  assert.deepEqual(roomFor([stacked, { ...label(1, 65, 1), whole: [{ ...narrow, width: 18 }] }], 300), ["whole", "whole"]);
  const below = label(1, 60, 1, 20);
  assert.deepEqual(roomFor([label(0, 50, 0), below], 300), ["whole", "whole"]);
  // What hardly any segmentation uses does not cover the best path.
  const path = [{ left: 65, right: 65, top: 5, bottom: 5 }];
  assert.deepEqual(roomFor([label(0, 50, 0), { ...label(1, 200, 0), rare: true }], 300, path), ["whole", "whole"]);
  assert.deepEqual(roomFor([{ ...label(0, 50, 0), rare: true }], 300, path), ["short"]);
  assert.deepEqual(roomFor([{ ...label(0, 65, 0), rare: true }], 300, [...path, { left: 65, right: 65, top: 15, bottom: 15 }]), [""]);
});

test("from the back row arcs are flat rather than their letters small", () => {
  const edges = [[0, 1], [0, 12]].map(([start, end]) => ({ start, end }));
  const size = (fonts) => new ArcsPicture({ edges, flows: [] }, [..."tokenization"], null, { unit: 2, ...fonts }, false, { width: 900, height: 480 });
  const [round, flat, flatter] = [{}, { presenting: true }, { smallest: true }].map(size);
  assert.ok(flat.height <= 480 && flatter.height < round.height && round.height > 480);
  assert.equal(round.above(arcHeight(12)), 2 * arcHeight(12));
  // A chip stands on the lowest arcs however flat they are.
  for (const picture of [round, flat, flatter]) assert.ok(picture.above(arcHeight(1)) >= 72);
  // Where there is room, they are round for everybody.
  const roomy = [{}, { presenting: true }].map((fonts) => new ArcsPicture({ edges, flows: [] }, [..."tokenization"], null, { unit: 2, ...fonts }, false, { width: 900, height: 1800 }));
  assert.deepEqual(roomy.map(({ height }) => height), [roomy[0].height, roomy[0].height]);
});

test("the numbers of a long word are no smaller than can be read, and it is no higher than its room", () => {
  const word = [..."Donaudampfschifffahrtsgesellschaft"];
  const edges = [[0, 1], [0, 30]].map(([start, end]) => ({ start, end }));
  for (const [presenting, least, width] of [[false, 12, 800], [true, 18, 787]]) {
    const picture = new ArcsPicture({ edges, flows: [] }, word, null, { unit: 0.5, presenting }, false, { width, height: 358 });
    assert.equal(picture.fonts.unit * 12.5, least);
    assert.ok(picture.height <= 358);
    // As many characters as there is room for are seen; the rest scrolls.
    assert.ok(picture.cell < 27 * picture.fonts.unit);
    const short = new ArcsPicture({ edges: edges.slice(0, 1), flows: [] }, word.slice(0, 20), null, { unit: 0.5, presenting }, false, { width, height: 358 });
    assert.ok(short.width <= width);
  }
});
