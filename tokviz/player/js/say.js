// What a step did and why, and what the next one will do, in the words of the engine's narration
// (tokviz/narration). Knows no page.

import { _n, _p, _pn, listed, number, sentences } from "./i18n.js";
import { chosenRow, isForced, rows } from "./run.js";

/** What led to state t, in parts: strings, token numbers for chips, and { word } for a word. */
export function narrate(run, t) {
  if (!t) {
    const [size, tokens] = [number(run.vocab_size[0]), number(run.corpus_tokens[0])];
    return _p("Before training: {size} tokens in the vocabulary, {tokens} tokens in the corpus.", { size, tokens });
  }
  if (run.em) return [run.narration[t]];
  return run.unigram ? pruned(run, t - 1) : merged(run, t - 1);
}

/** What the step out of state t will do; in the last state, why there is none. */
export function announce(run, t) {
  if (t === run.steps) return [run.stopped];
  if (run.em) return [run.announcement[t]];
  return run.unigram ? announcedPruning(run, t) : announcedMerge(run, t);
}

/** Narration parts as one string, tokens and words in quotes. */
export function plainText(run, parts) {
  return parts.map((p) => (typeof p === "number" ? `"${run.strings[p]}"` : p.word ? `"${p.word}"` : p)).join("");
}

// --- merges -----------------------------------------------------------------------------------

function merged(run, s) {
  const said = [whatWasMerged(run, s)];
  if (run.given) return sentences(...said, ...byRank(run, s));
  if (run.vocab_size[s + 1] === run.vocab_size[s]) {
    said.push(_p("The vocabulary had that token already and did not grow."));
  }
  if (isForced(run, s)) {
    if (run.likelihood) said.push(itsScore(run, chosenRow(run, s)));
    return sentences(...said, passedOver(run, s));
  }
  const [best, second] = rows(run, s);
  if (run.tied[s] > 1) return sentences(...said, tieBroken(run, s, best));
  if (run.likelihood) said.push(itsScore(run, best));
  if (second) said.push(_p("Runner-up {left} + {right} with {score}.", pairOf(run, second)));
  return sentences(...said);
}

function whatWasMerged(run, s) {
  const count = chosenRow(run, s).count;
  const values = {
    step: number(s + 1), left: run.left[s], right: run.right[s], token: run.base + s,
    times: _n("once", "{n} times", run.times[s]), count: number(count),
  };
  if (count === run.times[s]) return _p("Step {step}: merged {left} + {right} into {token} ({times}).", values);
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

function announcedMerge(run, t) {
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
  return { left: row.left, right: row.right, score: scoreText(run, row) };
}

function rankOf(row) {
  return { left: row.left, right: row.right, rank: number(row.rank), count: number(row.count) };
}

/** The tie in state s: how many pairs, and what the rule takes of them. */
function tieOf(run, s) {
  const pairs = _n("{n} pair", "{n} pairs", run.tied[s]);
  return { pairs, rule: run.rule, why: run.rule_help, what: run.rule_help, word: { word: run.met[run.met_in[s]] } };
}

// --- pruning ----------------------------------------------------------------------------------

function pruned(run, s) {
  const [before, after] = [run.vocab_size[s], run.vocab_size[s + 1]];
  const values = {
    round: number(s + 1), gone: number(before - after), before: number(before), loss: loss(run.cut[s]),
    tied: number(run.tied[s]), removed: number(run.tied_removed[s]),
  };
  const said = run.tied[s] > 1
    ? _p("Round {round}: pruned {gone} of {before} tokens; {tied} tied at a loss delta of {loss}, and {removed} of them went, in vocabulary order.", values)
    : _p("Round {round}: pruned {gone} of {before} tokens, up to a loss delta of {loss}.", values);
  const losses = { before: fixed(run.loss[s]), after: fixed(run.loss[s + 1]) };
  const rest = _p("Corpus loss {before} → {after}, with the probabilities of the rest renormalised.", losses);
  return sentences(said, rest, told(run, s));
}

function announcedPruning(run, t) {
  const values = { loss: loss(run.cut[t]), tied: number(run.tied[t]) };
  const gone = run.vocab_size[t] - run.vocab_size[t + 1];
  const said = run.tied[t] > run.tied_removed[t]
    ? _pn("Next: {n} token goes, up to a loss delta of {loss}; {tied} tokens tie there, so vocabulary order decides.", "Next: {n} tokens go, up to a loss delta of {loss}; {tied} tokens tie there, so vocabulary order decides.", gone, values)
    : _pn("Next: {n} token goes, up to a loss delta of {loss}.", "Next: {n} tokens go, up to a loss delta of {loss}.", gone, values);
  return sentences(said, tells(run, t));
}

/** What a round was told to do; no parts if nothing. */
function told(run, s) {
  if (!isForced(run, s)) return [];
  return keeps(run, s) ? _p("Forced: {tokens} stayed.", forcedTokens(run, s)) : _p("Forced: {tokens} went.", forcedTokens(run, s));
}

/** What the next round is told to do; no parts if nothing. */
function tells(run, t) {
  if (!isForced(run, t)) return [];
  return keeps(run, t) ? _p("Forced: {tokens} will stay.", forcedTokens(run, t)) : _p("Forced: {tokens} will go.", forcedTokens(run, t));
}

function keeps(run, s) {
  return run.forced[s][0] === "keep";
}

function forcedTokens(run, s) {
  return { tokens: listed(run.forced[s].slice(1)) };
}

// --- numbers ----------------------------------------------------------------------------------

/** The score of a merge row: its fraction ("" if it is a count), and its value. */
export function scoreParts(run, row) {
  if (!run.likelihood) return ["", number(row.count)];
  const [count, left, right] = [row.count, row.leftCount, row.rightCount].map(number);
  return [`${count}/(${left}×${right})`, significant(row.score)];
}

function scoreText(run, row) {
  return scoreParts(run, row).filter(Boolean).join(" = ");
}

/** Up to four significant digits, as Python's format "g" writes them: halves go to even. */
export function significant(value) {
  if (!value) return "0";
  const [digits, power] = value.toExponential(60).split("e");
  const half = /^50*$/.test(digits.slice(5)) && digits[4] % 2 === 0;
  const rounded = half ? Number(`${digits.slice(0, 5)}e${power}`) : Number(value.toExponential(3));
  const [shown, exponent] = rounded.toExponential().split("e");
  if (exponent >= -4 && exponent < 4) return String(rounded);
  const sign = exponent < 0 ? "-" : "+";
  return `${shown}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function loss(value) {
  return value === 0 ? "0" : significant(value);
}

/** Two decimals with thousands separators; halves go to even here too. */
function fixed(value) {
  const exact = value.toFixed(60);
  const kept = exact.slice(0, exact.indexOf(".") + 3);
  const half = /^50*$/.test(exact.slice(kept.length)) && kept.at(-1) % 2 === 0;
  const [whole, decimals] = (half ? kept : value.toFixed(2)).split(".");
  return `${number(whole)}.${decimals}`;
}
