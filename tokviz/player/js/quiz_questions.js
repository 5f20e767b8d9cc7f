// What can be asked of the step out of a state, from the packed run alone: a question, its options,
// and which of them are right. The families ask (runs.js), with the tools that stand here. Knows no page;
// tests read it with Node.

import { _ } from "./i18n.js";
import { isAlive, isForced, tokensIn } from "./run.js";
import { tokenName } from "./tokens.js";

export const MOST_OPTIONS = 5;

/** The question of state t: its `kind`, the `rows` of the state, and `options` in the order in which
 *  they are shown, each a `row` with its `key` and whether it is `right`.
 *
 *  "pair": one pair is merged, the others have a lower score (a higher rank in a replay).
 *  "tie": `tied` pairs have the greatest score, and the rule takes one of them.
 *  "goes", "stays": one token is pruned and the others stay, or the other way round. Those that
 *  stay have a greater loss delta: nobody has to know who wins a tie.
 *  Without options: "over", "forced", "em", "finalize", "one" candidate, and "none": all tokens tie. */
export function questionOf(run, t) {
  if (t === run.steps) return { kind: "over", t };
  return isForced(run, t) ? { kind: "forced", t } : run.family.quiz.question(run, t);
}

/** What tells one option from another: what its chips show. */
export function optionKey(run, row) {
  return tokensIn(row).map((token) => tokenName(run, token)).join("\u0000");
}

/** Whether a row is a right answer. */
export function isRight({ kind }, row) {
  return kind === "stays" ? !row.chosen : row.chosen;
}

/** What a row was chosen by, or passed over: its count, score, rank or loss delta. */
export function factOf(run, row) {
  return run.family.quiz.fact(run, row);
}

/** The row that somebody typed, or a sentence that says what to change: { row } or { said }. */
export function typedAnswer(run, question, text) {
  return run.family.quiz.typed(run, question, text.trim().replace(/\s+/g, " "));
}

/** A question whose options are the chosen rows; without options if there is but one. */
export function withOptions(run, question, chosen) {
  if (chosen.length < 2) return { kind: "one", t: question.t };
  const options = shuffled(run, question.t, chosen, "order").map((row) => {
    return { row, key: optionKey(run, row), right: isRight(question, row) };
  });
  return { ...question, options };
}

/** Rows that look different from each other and from `but`: two tokens may have one string. */
export function distinct(run, all, but) {
  const seen = new Set(but ? [optionKey(run, but)] : []);
  return all.filter((row) => {
    const key = optionKey(run, row);
    return !seen.has(key) && seen.add(key);
  });
}

/** Rows in an order that says nothing of their scores, and is the same every time. */
export function shuffled(run, t, all, salt = "") {
  const place = new Map(all.map((row) => [row, mixedHash(`${salt} ${t} ${optionKey(run, row)}`)]));
  return [...all].sort((a, b) => place.get(a) - place.get(b));
}

/** FNV-1a of the text's UTF-8, its bits mixed well at the end. */
function mixedHash(text) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** What people may type for a token. */
export function namesOf(run, token) {
  return [tokenName(run, token), run.strings[token]];
}

/** The sentence for the first of the names that no token of state t has; undefined if all have one. */
export function unknownToken(run, t, names) {
  const known = (name) => run.strings.some((_, token) => isAlive(run, token, t) && namesOf(run, token).includes(name));
  const unknown = names.find((name) => !known(name));
  return unknown === undefined ? undefined : _("“{token}” is not a token at this step.", { token: unknown });
}
