// Whether a browser trains a text as Python did: every column, and what published programs recorded. Runs in Node
// (trained.test.mjs) and on a page of any browser (tests/e2e/journeys/test_trained_in_engines.py).

import { rows } from "../../tokviz/player/js/run.js";
import { readRun } from "../../tokviz/player/js/runs.js";
import { trainLike, trainingLike } from "../../tokviz/player/js/trained.js";

/** The same in slices, after which there is always more than before. */
function sliced(core, like, text, asked, most, slice) {
  const slices = trainingLike(core, like, text, asked, most, slice);
  for (let before = 0; ; ) {
    const { done, value } = slices.next();
    if (done) return value;
    if (!(value >= before && value <= 1)) throw new Error(`${value} after ${before}`);
    before = value;
  }
}

/** Trains as recorded_runs.py wrote down, as a whole or in slices; returns what is otherwise than it should be. `blob`
 *  is what Python packed. */
export function differences(core, { text, most, least, golden = {} }, blob, slice) {
  const expected = readRun(blob);
  // What depends on the text is not taken over from the run.
  const like = Object.fromEntries(Object.entries(expected).filter(([, value]) => !ArrayBuffer.isView(value)));
  Object.assign(like, { steps: 0, stopped: "", words_total: 0, words_distinct: 0, characters: 0, tokens: [], raw: {}, met: [], base: 0, strings: [] });
  const { asked } = expected;
  const trained = slice ? sliced(core, like, text, asked, most, slice) : trainLike(core, like, text, asked, most);
  const found = Object.keys(expected).filter((name) => name !== "arrays" && !isSame(trained[name], expected[name]));
  if (trained.least !== least || !isSame(trainLike(core, like, text, least - 1, most), { least })) found.push("least");
  return [...found, ...Object.keys(golden).filter((name) => !RECORDED[name](trained, golden[name]))];
}

/** Whether two values are the same, to the last bit; a column may hold its numbers in another type. */
function isSame(one, other) {
  if (Object.is(one, other)) return true;
  if (ArrayBuffer.isView(one) !== ArrayBuffer.isView(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  if (ArrayBuffer.isView(one)) return one.length === other.length && one.every((value, i) => Object.is(value, other[i]));
  if (!one || !other || typeof one !== "object" || typeof other !== "object") return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => name in other && isSame(one[name], other[name]));
}

/** Whether a run is what a published program gave, by what was recorded of it. */
const RECORDED = {
  merges: (run, recorded) => run.steps === recorded.length && recorded.every(([left, right, token, count, tied], t) =>
    isSame([left, right, token, count], [...[run.left[t], run.right[t], run.base + t].map((n) => run.strings[n]), run.top_count[t * run.rows]])
    && (tied === null || run.tied[t] === tied)),
  made: (run, recorded) => isSame(run.strings.slice(run.base), recorded),
  counts: (run, recorded) => isSame([run.top_count[0], run.times[0]], recorded),
  removed: (run, recorded) => run.steps === recorded.length && recorded.every((tokens, t) =>
    isSame(rows(run, t).filter(({ chosen }) => chosen).map(({ token, delta }) => [run.strings[token], delta]), tokens)),
  deltas: (run, recorded) => {
    const known = rows(run, 0).filter(({ delta }) => !Number.isNaN(delta));
    const isNear = ({ token, delta }) => Math.abs(delta - recorded[run.strings[token]]) < 1e-9;
    return known.length === Object.keys(recorded).length && known.every(isNear);
  },
  length: (run, recorded) => run.steps === recorded,
  size: (run, recorded) => run.vocab_size[run.steps] === recorded,
};
