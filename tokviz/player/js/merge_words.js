// What is said of merges, in the words of tokviz/narration/merges.py. Knows no page.

import { _, _n, _p, number, sentences } from "./i18n.js";
import { significant } from "./numbers.js";
import { chosenRow, isForced, rows } from "./run.js";
import { firstCharacters } from "./tokens.js";

const MET_CHARACTERS = 40; // of the word in which a pair was met first

/** What the step out of state s merged, and why. `what` are sentences instead of the one that says which pair. */
export function mergeSaid(run, s, what) {
  const said = what ?? [whatWasMerged(run, s)];
  if (run.given) return sentences(...said, ...byRank(run, s));
  if (run.vocab_size[s + 1] === run.vocab_size[s]) {
    said.push(_p("The vocabulary had that token already and did not grow."));
  }
  if (isForced(run, s)) {
    if (byLikelihood(run)) said.push(itsScore(run, chosenRow(run, s)));
    return sentences(...said, passedOver(run, s));
  }
  const [best, second] = rows(run, s);
  if (run.tied[s] > 1) return sentences(...said, tieBroken(run, s, best));
  if (byLikelihood(run)) said.push(itsScore(run, best));
  if (second) said.push(_p("Runner-up {left} + {right} with {score}.", pairOf(run, second)));
  return sentences(...said);
}

function whatWasMerged(run, s) {
  const count = chosenRow(run, s).count;
  const values = {
    step: number(s + 1), left: run.left[s], right: run.right[s], token: run.made ? run.made[s] : run.base + s,
    times: _n("once", "{n} times", run.times[s]), count: number(count),
  };
  if (run.crosses?.[s]) {
    if (count === run.times[s]) return _p("Step {step}: merged {left} + {right} across words into {token} ({times}).", values);
    return _p("Step {step}: merged {left} + {right} across words into {token} ({times}, counted {count} with overlaps).", values);
  }
  if (count === run.times[s]) return _p("Step {step}: merged {left} + {right} into {token} ({times}).", values);
  if (run.crosses && !(run.border >= 0 && s >= run.border)) {
    return _p("Step {step}: merged {left} + {right} into {token} ({times}, counted {count} within words).", values);
  }
  return _p("Step {step}: merged {left} + {right} into {token} ({times}, counted {count} with overlaps).", values);
}

function itsScore(run, row) {
  return _p("Its score is {score}.", { score: scoreText(run, row) });
}

function tieBroken(run, s, best) {
  const values = { ...tieOf(run, s), score: scoreText(run, best), left: run.left[s], right: run.right[s] };
  if (run.first_seen) return _p("{pairs} tied at {score}; \"{rule}\" chose {left} + {right}, met first in {word}.", values);
  return _p("{pairs} tied at {score}; \"{rule}\" chose {left} + {right}, {why}.", values);
}

/** The pair that would have been merged instead of the forced one. */
function passedOver(run, s) {
  const values = { ...pairOf(run, rows(run, s)[0]), ...tieOf(run, s) };
  if (run.tied[s] === 1) return _p("Forced; {left} + {right} with {score} would have won.", values);
  return _p("Forced; of the {pairs} that tie at {score}, {left} + {right} would have won by \"{rule}\".", values);
}

function byRank(run, s) {
  const [best, second] = rows(run, s);
  const said = [_p("Its rank is {rank} of {of}.", { rank: number(best.rank), of: number(run.given) })];
  if (second) said.push(_p("Next in rank {left} + {right}, rank {rank}, with {count}.", rankOf(second)));
  return said;
}

/** What the step out of state t will merge. */
export function mergeAnnounced(run, t) {
  const best = rows(run, t)[0];
  if (run.given) return _p("Next: {left} + {right}, rank {rank}, with {count}.", rankOf(best));
  if (isForced(run, t)) return announcedForced(run, t, best);
  const values = { ...pairOf(run, best), ...tieOf(run, t) };
  if (run.tied[t] <= 1) return _p("Next: {left} + {right} with {score}.", values);
  // A full stop between two numbers would be heard as a decimal point.
  if (run.first_seen) return _p("Next: {left} + {right} with {score}; {pairs} tie there, and \"{rule}\" takes the one met first, in {word}.", values);
  return _p("Next: {left} + {right} with {score}; {pairs} tie there, and \"{rule}\" takes {what}.", values);
}

function announcedForced(run, t, best) {
  const other = Object.entries({ ...pairOf(run, best), ...tieOf(run, t) }).map(([name, value]) => [`other_${name}`, value]);
  const values = { ...pairOf(run, chosenRow(run, t)), ...Object.fromEntries(other) };
  if (run.tied[t] === 1) return _p("Next: {left} + {right} with {score}; forced: {other_left} + {other_right} with {other_score} would win.", values);
  return _p("Next: {left} + {right} with {score}; forced: of the {other_pairs} that tie at {other_score}, {other_left} + {other_right} would win by \"{other_rule}\".", values);
}

function pairOf(run, row) {
  const values = { score: scoreText(run, row) };
  const score = byLikelihood(run) ? _("a score of {score}", values) : _("a count of {score}", values);
  return { left: row.left, right: row.right, score };
}

function rankOf(row) {
  return { left: row.left, right: row.right, rank: number(row.rank), count: number(row.count) };
}

/** The tie in state s: how many pairs, and what the rule takes of them. */
function tieOf(run, s) {
  const pairs = _n("{n} pair", "{n} pairs", run.tied[s]);
  const met = run.met[run.met_in[s]];
  const word = met && firstCharacters(run, met, MET_CHARACTERS);
  return { pairs, rule: run.rule, why: run.rule_help, what: run.rule_help, word: { word, more: word === met ? "" : "…" } };
}

// --- scores -----------------------------------------------------------------------------------

/** Whether pairs are scored by likelihood rather than by count. */
export function byLikelihood(run) {
  return run.score === "likelihood";
}

/** The score of a merge row: its fraction ("" if it is a count), and its value. */
export function scoreParts(run, row) {
  if (!byLikelihood(run)) return ["", number(row.count)];
  const [count, left, right] = [row.count, row.leftCount, row.rightCount].map(number);
  return [`${count}/(${left}×${right})`, significant(row.score)];
}

/** The same in one string. */
export function scoreText(run, row) {
  return scoreParts(run, row).filter(Boolean).join(" = ");
}
