// What is said of PickyBPE, in the words of tokviz/narration/picky.py. Knows no page.

import { _n, _p, number, sentences } from "./i18n.js";
import { mergeAnnounced, mergeSaid } from "./merge_words.js";
import { significant } from "./numbers.js";

/** How much of the token that step s takes back went into the merge before: its fraction, and its value. */
export function shareParts(run, s) {
  const [went, left] = [run.went[s], run.left_over[s]];
  // BoundlessBPE divides by all uses: each merge of a token with itself was two of them.
  const of = run.top_across ? number(went + left) : `(${number(went)}+${number(left)})`;
  return [`${number(went)}/${of} =`, significant(shareOf(run, s))];
}

/** The same as a number. */
export const shareOf = (run, s) => run.went[s] / (run.went[s] + run.left_over[s]);

/** The merge after which step s looked at its token. */
function mergeBefore(run, s) {
  let merge = s;
  while (run.right[merge] < 0) merge--;
  return merge;
}

function goingValues(run, s) {
  return { token: run.left[s], share: shareParts(run, s).join(" "), into: run.made[mergeBefore(run, s)], threshold: run.threshold };
}

/** What the step out of state s did, and why. */
export function pickingSaid(run, s) {
  if (run.right[s] >= 0) {
    const said = mergeSaid(run, s);
    return returns(run, s) ? sentences(said, _p("It had been taken back, and is in the vocabulary again.")) : said;
  }
  const values = { step: number(s + 1), ...goingValues(run, s) };
  const said = run.top_across
    ? _p("Step {step}: took {token} back; merges into {into} per use of it: {share}, at least {threshold}.", values)
    : _p("Step {step}: took {token} back; {share} of it went into {into}, more than {threshold}.", values);
  if (!run.times[s]) return sentences(said, _p("It stood nowhere else."));
  const parts = [...run.parts.subarray(run.part_starts[s], run.part_starts[s + 1])].flatMap((part, i) => (i ? [" ", part] : [part]));
  return sentences(said, _p("Where it still stood ({times}), it came apart into {parts}.", { times: _n("once", "{n} times", run.times[s]), parts }));
}

/** Whether step s makes a token that was taken back before. */
function returns(run, s) {
  for (let before = s - 1; before >= 0; before--) if (run.made[before] === run.made[s]) return run.right[before] < 0;
  return false;
}

/** What the step out of state t will do. */
export function pickingAnnounced(run, t) {
  if (run.right[t] >= 0) return mergeAnnounced(run, t);
  const values = goingValues(run, t);
  if (run.top_across) return _p("Next: {token} is taken back; merges into {into} per use of it: {share}, at least {threshold}.", values);
  return _p("Next: {token} is taken back; {share} of it went into {into}, more than {threshold}.", values);
}
