// The family of runs that prune a vocabulary by what each token's loss would cost: Unigram. Every word was
// packed with its tokens in every state. Knows no page.

import { pathTree } from "./growth.js";
import { _, _n, _p, _pn, listed, number, sentences } from "./i18n.js";
import { fixed, significant } from "./numbers.js";
import { MOST_OPTIONS, distinct, namesOf, shuffled, unknownToken, withOptions } from "./quiz_questions.js";
import { isForced, rows } from "./run.js";

const MOST_NAMED = 4; // tokens beside a line of pseudocode

/** What each property is for is said in merges.js. */
export const unigram = {
  wordTokens(run, w, t) {
    const i = t * run.word_counts.length + w;
    return run.cuts.subarray(run.cut_starts[i], run.cut_starts[i + 1]);
  },

  wordMarks(run, tokens, t) {
    const marks = Array(tokens.length).fill("");
    for (let i = 0; i < tokens.length; i++) if (run.family.goes(run, tokens[i], t)) marks[i] = "doomed";
    return marks;
  },

  wordTree: pathTree,
  wordPicture: _("Lattice"),

  /** Whether the step out of state t removes a token. */
  goes: (run, token, t) => run.removed_at[token] === t,

  changes: (run) => Array.from({ length: run.steps }, (_, t) => t + 1),
  wordBorders: () => [],
  border: () => -1,
  isNew: () => false,

  tokenId(run, token, t) {
    let id = run.special;
    for (let i = 0; i < token; i++) if (run.removed_at[i] >= t) id++;
    return id;
  },

  born: () => 0,
  isAlive: (run, token, t) => run.removed_at[token] >= t,

  countNow(run, token, t) {
    return unigram.isAlive(run, token, t) ? run.uses[run.use_starts[t] + unigram.tokenId(run, token, t) - run.special] : 0;
  },

  idsNow(run, t) {
    let id = run.special;
    return Array.from(run.strings, (_, token) => (unigram.isAlive(run, token, t) ? id++ : -1));
  },

  countsNow(run, t) {
    let at = run.use_starts[t];
    return Array.from(run.strings, (_, token) => (unigram.isAlive(run, token, t) ? run.uses[at++] : 0));
  },

  vocabularyParts(run, t) {
    const shown = rows(run, t).filter(({ delta }) => !Number.isNaN(delta));
    for (let i = run.more_starts[t]; i < run.more_starts[t + 1]; i++) shown.push({ token: run.more_token[i], delta: run.more_delta[i] });
    shown.sort((a, b) => a.delta - b.delta || a.token - b.token);
    for (const one of shown) Object.assign(one, { weight: run.counts[one.token], below: measured(one.delta) });
    const [goes, stays] = [true, false].map((go) => shown.filter(({ token }) => unigram.goes(run, token, t) === go));
    // The first seeds are the characters.
    const characters = Array.from({ length: run.single }, (_, token) => ({ token, weight: run.counts[token], below: number(run.counts[token]) }));
    characters.sort((a, b) => b.weight - a.weight);
    const goUnseen = t < run.steps ? run.vocab_size[t] - run.vocab_size[t + 1] - goes.length : 0;
    return { goes, stays, goUnseen, free: run.free[t], unshown: run.vocab_size[t] - run.special - run.single - shown.length - goUnseen, characters };
  },

  life(run, token) {
    const stays = run.removed_at[token] >= run.steps;
    return { made: _("a seed"), from: [], removed: stays ? undefined : run.family.removedBy(number(run.removed_at[token] + 1)) };
  },

  removedBy: (round) => _("round {round}", { round }),
  narrate: (run, t) => pruned(run, t - 1),

  announce(run, t) {
    const values = { loss: significant(run.cut[t]), tied: number(run.tied[t]) };
    const gone = run.vocab_size[t] - run.vocab_size[t + 1];
    const said = run.tied[t] > run.tied_removed[t]
      ? _pn("Next: {n} token goes, with a loss delta of up to {loss}; {tied} tokens tie there, so vocabulary order decides.", "Next: {n} tokens go, with loss deltas of up to {loss}; {tied} tokens tie there, so vocabulary order decides.", gone, values)
      : _pn("Next: {n} token goes, with a loss delta of up to {loss}.", "Next: {n} tokens go, with loss deltas of up to {loss}.", gone, values);
    return sentences(said, tells(run, t));
  },

  // --- the score table ------------------------------------------------------------------------

  candidateCount: (run, t) => run.vocab_size[t] - run.special,

  rows(run, t) {
    const found = [];
    for (let i = run.row_starts[t]; i < run.row_starts[t + 1]; i++) {
      const token = run.row_token[i];
      const delta = run.row_delta[i];
      const chosen = run.removed_at[token] === t;
      const tied = delta === run.cut[t] && run.tied[t] > 1;
      found.push({ token, count: run.counts[token], delta, chosen, tied });
    }
    const far = run.places[t] ?? [];
    far.forEach((place, k) => (found.at(k - far.length).place = place));
    return found;
  },

  candidate: [_("Token"), "token"],

  columns: () => [
    { heading: _("Count"), name: "count", show: (row) => number(row.count) },
    { heading: _("Loss delta"), name: "loss-delta", show: (row) => measured(row.delta) },
  ],

  hasBars: () => true,
  barOf: (run, row) => row.delta,
  tableClass: () => "unigram",
  counted: (run, n) => _n("{n} token, cheapest to lose first", "{n} tokens, cheapest to lose first", n),

  cutBefore(run, t, found) {
    if (!keeps(run, t)) return found.findIndex((row) => !row.chosen);
    // Below the last one that goes by the rule; a token that was told to stay may be above it.
    return found.findLastIndex((row) => row.chosen || isKept(run, t, row)) + 1;
  },

  fate(run, t, row) {
    if (row.chosen) return _("goes");
    if (isKept(run, t, row)) return _("kept");
    return Number.isNaN(row.delta) ? _("never goes") : "";
  },

  tieRule: () => _("vocabulary order"),

  /** What can never go can be chosen no more than it is. */
  otherChoice: (row) => (Number.isNaN(row.delta) ? null : [row.chosen ? "keep" : "drop", row.token]),

  whatIf: ([what, token]) => (what === "keep" ? _("What if “{token}” were kept?", { token }) : _("What if “{token}” were dropped?", { token })),

  moments: (run, t) => ({ next: t < run.steps ? "next" : "end", done: "done" }),

  pseudocodeValues(run, t) {
    const left = run.vocab_size[t] - run.special;
    const said = { size: [number(run.vocab_size[0] - run.special)], sum: run.count_sums ? [number(run.count_sums[t])] : undefined, loss: [fixed(run.loss[t])], gone: [_n("{n} token left", "{n} tokens left", left, { n: number(left) })] };
    if (t === run.steps) return said;
    const goes = Array.from(run.strings.keys()).filter((token) => unigram.goes(run, token, t));
    return { ...said, n: [number(goes.length)], cheapest: named(goes) };
  },

  // --- the scrub bar and the curves -----------------------------------------------------------

  mark: (run, t) => (t ? "prune" : ""),
  foldsQuiet: true,
  stops: { end: (run, token) => (run.removed_at[token] < run.steps ? run.removed_at[token] + 1 : -1) },

  saidTie(n, lane) {
    return lane === undefined ? _n("Stopped: {n} token ties at the cut.", "Stopped: {n} tokens tie at the cut.", n)
      : _n("{lane} stopped: {n} token ties at the cut.", "{lane} stopped: {n} tokens tie at the cut.", n, { lane });
  },

  curves: () => ({ score: _("Loss delta at the next cut"), loss: _("Loss") }),
  score: (run, t) => run.cut[t],

  // --- the quiz -------------------------------------------------------------------------------

  quiz: {
    question(run, t) {
      const found = rows(run, t);
      const all = [...found, ...rowsAbove(run, t, found)];
      // Nobody has to guess what can never go.
      const [goers, stayers] = [(row) => row.chosen, (row) => !row.chosen && !row.tied && !Number.isNaN(row.delta)].map((are) => {
        return shuffled(run, t, distinct(run, all.filter(are)));
      });
      if (!goers.length || !stayers.length) return { kind: "none", t };
      // By turns; where nearly all of a kind are gone, the other way round.
      const stays = goers.length > 1 && (t % 2 === 1 || stayers.length < 2);
      const [one, others] = stays ? [stayers[0], goers] : [goers[0], stayers];
      const rest = distinct(run, others, one).slice(0, MOST_OPTIONS - 1);
      return withOptions(run, { kind: stays ? "stays" : "goes", t, rows: all }, [one, ...rest]);
    },

    said(run, { kind }) {
      if (kind === "goes") return _("Which of these tokens is pruned in this round?");
      if (kind === "stays") return _("Which of these tokens stays in this round?");
      return _("All tokens tie in this round: there is nothing to guess.");
    },

    fact: (run, row) => (Number.isNaN(row.delta) ? _("never goes") : _("loss delta {value}", { value: significant(row.delta) })),
    hint: () => _("Show loss deltas"),
    field: { label: _("Or type a token"), placeholder: _("or type a token") },

    typed(run, question, typed) {
      const row = question.rows.find(({ token }) => namesOf(run, token).includes(typed));
      if (row) return { row };
      if (!typed) return { said: _("Type a token of this state.") };
      const far = _("“{token}” is not among the first {n} candidates.", { token: typed, n: number(question.rows.length) });
      return { said: unknownToken(run, question.t, [typed]) ?? far };
    },
  },
};

/** The first of some tokens, as parts of what is said. */
export function named(tokens) {
  const first = tokens.slice(0, MOST_NAMED).flatMap((token, i) => (i ? [" ", token] : [token]));
  return tokens.length > MOST_NAMED ? [...first, " …"] : first;
}

/** A measured number; a dash where there is none. */
export function measured(value) {
  return Number.isNaN(value) ? "–" : significant(value);
}

function pruned(run, s) {
  const [before, after] = [run.vocab_size[s], run.vocab_size[s + 1]];
  const values = {
    round: number(s + 1), gone: number(before - after), before: number(before), loss: significant(run.cut[s]),
    tied: number(run.tied[s]), removed: number(run.tied_removed[s]),
  };
  const said = run.tied[s] > 1
    ? _p("Round {round}: pruned {gone} of {before} tokens; {tied} tied at a loss delta of {loss}, and {removed} of them went, in vocabulary order.", values)
    : _p("Round {round}: pruned {gone} of {before} tokens, with loss deltas of up to {loss}.", values);
  const losses = { before: fixed(run.loss[s]), after: fixed(run.loss[s + 1]) };
  const rest = _p("Corpus loss {before} → {after}, with the probabilities of the rest renormalised.", losses);
  return sentences(said, rest, told(run, s));
}

// --- rounds that were told what to do: ["keep" or "drop", tokens] --------------------------------

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

function keeps(run, t) {
  return run.forced?.[t]?.[0] === "keep";
}

/** Whether the round out of state t was told to keep a row's token. */
function isKept(run, t, row) {
  return keeps(run, t) && run.forced[t].includes(row.token, 1);
}

function forcedTokens(run, s) {
  return { tokens: listed(run.forced[s].slice(1)) };
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
