// A run as packed by pack.py: any question about any step, without the steps before it. What differs
// between algorithms is asked of the run's family (runs.js). Knows no page; tests read it with Node.

import { textOfTokens } from "./tokens.js";

// --- words ------------------------------------------------------------------------------------

/** The tokens of excerpt word w in state t, as token numbers. */
export function wordTokens(run, w, t) {
  return run.family.wordTokens(run, w, t);
}

/** What happens to each of the tokens of excerpt word w: "left" and "right" of the pair that the next step
 *  merges, "doomed", or "". */
export function wordMarks(run, tokens, t, w) {
  return run.family.wordMarks(run, tokens, t, w);
}

/** The tokens of excerpt word w, by their places in state t, before which a border between words stands. */
export function wordBorders(run, w, t) {
  return run.family.wordBorders(run, w, t);
}

/** Whether two columns of numbers are equal. */
export const isEqual = (one, other) => one.length === other.length && one.every((value, i) => value === other[i]);

/** The text of excerpt word w, without markers. */
export function wordText(run, w) {
  return textOfTokens(run, Array.from(wordTokens(run, w, 0)));
}

/** The excerpt words that hold a token in state t, most frequent first: at most `most`. */
export function wordsWith(run, token, t, most) {
  const found = [];
  for (const w of run.by_count) {
    if (wordTokens(run, w, t).includes(token) && found.push(w) === most) break;
  }
  return found;
}

// --- tokens -----------------------------------------------------------------------------------

/** Whether the step into state t made a token. */
export function isNew(run, token, t) {
  return run.family.isNew(run, token, t);
}

/** The vocabulary id of a token in state t. */
export function tokenId(run, token, t) {
  return run.family.tokenId(run, token, t);
}

/** The first state that has a token. */
export function born(run, token) {
  return run.family.born(run, token);
}

/** Whether state t has a token. */
export function isAlive(run, token, t) {
  return run.family.isAlive(run, token, t);
}

/** How often a token occurs in the whole corpus as segmented in state t. */
export function countNow(run, token, t) {
  return run.family.countNow(run, token, t);
}

/** Characters of the corpus for each of its tokens in state t. */
export function charactersPerToken(run, t) {
  return run.corpus_tokens[t] ? run.characters / run.corpus_tokens[t] : 0;
}

// --- the score table --------------------------------------------------------------------------

/** The rows of state t's candidate table, best first. */
export function rows(run, t) {
  return run.family.rows(run, t);
}

/** The row that the step out of state t merges; the first one but for forced steps. */
export function chosenRow(run, t) {
  return rows(run, t).find((row) => row.chosen);
}

/** The tokens of a row: a pair, or one. */
export function tokensIn(row) {
  return row.token === undefined ? [row.left, row.right] : [row.token];
}

/** How many candidates state t has. */
export function candidateCount(run, t) {
  return run.family.candidateCount(run, t);
}

/** Whether the step out of state t was told what to do, and would have done something else. */
export function isForced(run, t) {
  return run.forced?.[t] !== undefined;
}

/** Whether the step out of state t breaks a tie; one that prunes does if the cut is inside the tie. */
export function isTied(run, t) {
  return t < run.steps && run.tied[t] > Math.max(1, run.tied_removed?.[t] ?? 1);
}
