// What can be asked of the step out of a state, from the packed run alone: a question, its options,
// and which of them are right. Knows no page; tests read it with Node.

import { _, number } from "./i18n.js";
import { isAlive, isForced, rows, tokenName } from "./run.js";
import { scoreParts, significant } from "./say.js";

const MOST_OPTIONS = 5;
const NEAREST = 2; // wrong pairs that come right behind the chosen one; the others are from further down

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
  if (run.em && run.actions[t] !== "prune") return { kind: run.actions[t], t };
  if (isForced(run, t)) return { kind: "forced", t };
  return run.unigram ? pruneQuestion(run, t) : mergeQuestion(run, t);
}

/** What tells one option from another: what its chips show. */
export function optionKey(run, row) {
  return tokensIn(row).map((token) => tokenName(run, token)).join("\u0000");
}

/** The tokens of a row: a pair, or one. */
export function tokensIn(row) {
  return row.token === undefined ? [row.left, row.right] : [row.token];
}

/** Whether a row is a right answer. */
export function isRight({ kind }, row) {
  return kind === "stays" ? !row.chosen : row.chosen;
}

/** What a row was chosen by, or passed over: its count, score, rank or loss delta. */
export function factOf(run, row) {
  if (run.unigram) return Number.isNaN(row.delta) ? _("never goes") : _("loss delta {value}", { value: significant(row.delta) });
  if (run.given) return _("rank {rank}", { rank: number(row.rank) });
  return scoreParts(run, row).filter(Boolean).join(" = ");
}

/** The row that somebody typed, or a sentence that says what to change: { row } or { said }. */
export function typedAnswer(run, question, text) {
  const typed = text.trim().replace(/\s+/g, " ");
  return run.unigram ? typedToken(run, question, typed) : typedPair(run, question, typed);
}

function mergeQuestion(run, t) {
  const found = rows(run, t);
  const [best] = found;
  const tied = run.tied[t];
  // The engine's own tie says which rows have the greatest score.
  const others = distinct(run, found.filter((row) => !row.chosen && row.tied === tied > 1), best);
  const mixed = tied > 1 ? shuffled(run, t, others)
    : [...others.slice(0, NEAREST), ...shuffled(run, t, others.slice(NEAREST))];
  return asked(run, { kind: tied > 1 ? "tie" : "pair", t, tied, rows: found }, [best, ...mixed.slice(0, MOST_OPTIONS - 1)]);
}

function pruneQuestion(run, t) {
  const found = rows(run, t);
  const all = [...found, ...rowsAbove(run, t, found)];
  const [goers, stayers] = [(row) => row.chosen, (row) => !row.chosen && !row.tied].map((are) => {
    return shuffled(run, t, distinct(run, all.filter(are)));
  });
  if (!goers.length || !stayers.length) return { kind: "none", t };
  // By turns; where nearly all of a kind are gone, the other way round.
  const stays = goers.length > 1 && (t % 2 === 1 || stayers.length < 2);
  const [one, others] = stays ? [stayers[0], goers] : [goers[0], stayers];
  const rest = distinct(run, others, one).slice(0, MOST_OPTIONS - 1);
  return asked(run, { kind: stays ? "stays" : "goes", t, rows: all }, [one, ...rest]);
}

/** Tokens that stay, as the engine has told them: a table may end with those that go or tie. */
function rowsAbove(run, t, found) {
  const known = new Set(found.map(({ token }) => token));
  const above = [];
  for (let i = run.above_starts[t]; i < run.above_starts[t + 1]; i++) {
    const token = run.above_token[i];
    if (!known.has(token)) above.push({ token, delta: run.above_delta[i], tied: false, chosen: false });
  }
  return above;
}

function asked(run, question, chosen) {
  if (chosen.length < 2) return { kind: "one", t: question.t };
  const options = shuffled(run, question.t, chosen, "order").map((row) => {
    return { row, key: optionKey(run, row), right: isRight(question, row) };
  });
  return { ...question, options };
}

/** Rows that look different from each other and from `but`: two tokens may have one string. */
function distinct(run, all, but) {
  const seen = new Set(but ? [optionKey(run, but)] : []);
  return all.filter((row) => {
    const key = optionKey(run, row);
    return !seen.has(key) && seen.add(key);
  });
}

/** Rows in an order that says nothing of their scores, and is the same every time. */
function shuffled(run, t, all, salt = "") {
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

function namesOf(run, token) {
  return [tokenName(run, token), run.strings[token]];
}

function typedPair(run, question, typed) {
  const forms = ({ left, right }) => namesOf(run, left).flatMap((l) => {
    return namesOf(run, right).flatMap((r) => [`${l} ${r}`, `${l}+${r}`, `${l} + ${r}`]);
  });
  const row = question.rows.find((row) => forms(row).includes(typed));
  if (row) return { row };
  const parts = typed.split(typed.includes(" + ") ? " + " : typed.includes(" ") ? " " : "+");
  if (parts.length !== 2 || parts.includes("")) {
    return { said: _("Type the two tokens of a pair with a space or a plus between them, such as t h or t+h.") };
  }
  for (const part of parts) {
    if (!tokenNow(run, question.t, part)) return { said: _("“{token}” is no token of this state.", { token: part }) };
  }
  return { said: _("“{pair}” is not among the first {n} candidates.", { pair: parts.join(" + "), n: number(question.rows.length) }) };
}

function typedToken(run, question, typed) {
  const row = question.rows.find(({ token }) => namesOf(run, token).includes(typed));
  if (row) return { row };
  if (!typed) return { said: _("Type a token of this state.") };
  if (!tokenNow(run, question.t, typed)) return { said: _("“{token}” is no token of this state.", { token: typed }) };
  return { said: _("“{token}” is not among the first {n} candidates.", { token: typed, n: number(question.rows.length) }) };
}

function tokenNow(run, t, name) {
  return run.strings.some((string, token) => isAlive(run, token, t) && namesOf(run, token).includes(name));
}
