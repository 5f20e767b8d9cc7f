// The family of SentencePiece's Unigram, and of Hugging Face's: it prunes as Unigram does, between EM steps that estimate the
// probabilities anew, and completes the vocabulary at the end. A token's id and count were packed for
// every state, and so was what is said of a step. Knows no page.

import { _, _n, number } from "./i18n.js";
import { fixed } from "./numbers.js";
import { measured, named, unigram } from "./unigram.js";

/** What each property is for is said in merges.js. */
export const em = {
  ...unigram,

  tokenId: (run, token, t) => run.id_at[t * run.strings.length + token],
  isAlive: (run, token, t) => em.tokenId(run, token, t) >= 0,
  goes: (run, token, t) => t < run.steps && em.isAlive(run, token, t) && !em.isAlive(run, token, t + 1),
  countNow: (run, token, t) => run.use_at[t * run.strings.length + token],
  idsNow: (run, t) => run.id_at.subarray(t * run.strings.length, (t + 1) * run.strings.length),
  countsNow: (run, t) => run.use_at.subarray(t * run.strings.length, (t + 1) * run.strings.length),

  vocabularyParts(run, t) {
    const parts = { goes: [], stays: [], characters: [] };
    for (let i = run.chip_starts[t]; i < run.chip_starts[t + 1]; i++) {
      const [token, delta] = [run.chip_token[i], run.chip_value[i]];
      const part = token < run.single ? "characters" : em.goes(run, token, t) ? "goes" : "stays";
      // What has no loss goes, or stays, for a reason.
      const below = Number.isNaN(delta) ? run.reasons[run.chip_reason[i]] : measured(delta).replace(/^-/, "−");
      parts[part].push({ token, delta, weight: run.chip_probability[i], below });
    }
    const { goes, stays } = parts;
    return { ...parts, goUnseen: run.longer_goes[t] - goes.length, unshown: run.longer_stays[t] - stays.length, unshownSingle: run.single_unseen[t] };
  },

  removedBy: (step) => _("step {step}", { step }),
  narrate: (run, t) => [run.narration[t]],
  announce: (run, t) => [run.announcement[t]],

  rows(run, t) {
    const found = [];
    for (let i = run.row_starts[t]; i < run.row_starts[t + 1]; i++) {
      const [tied, chosen] = [run.row_tied[i] === 1, run.row_chosen[i] === 1];
      const row = { token: run.row_token[i], count: run.row_count[i], delta: run.row_delta[i], tied, chosen, reason: run.reasons[run.row_reason[i]] };
      // The place of a row by its exact delta; 0 where it has none, and keeps its place.
      if (run.agreement) Object.assign(row, { exact: run.row_exact[i], exactRank: run.row_exact_rank[i] });
      if (run.row_right) row.right = run.row_right[i];
      found.push(row);
    }
    return found;
  },

  columns(run) {
    const columns = run.heads.map((head) => ({ ...head, show: CELLS[head.kind] }));
    return hasMore(run) ? columns : columns.map(({ heading, help, show }) => ({ heading, help, show }));
  },

  /** Bars have no room beside exact deltas, nor beside two losses. */
  hasBars: (run) => !hasMore(run),
  barOf: (run, row, t) => (run.actions[t] === "prune" ? row.delta : row.count),
  tableClass(run, t) {
    if (!run.agreement && !run.row_right) return "unigram";
    const both = run.agreement ? " deltas" : "";
    return `exact${run.row_right ? ` flawed${both}` : ""}${run.actions[t] === "prune" ? " pruning" : ""}`;
  },
  counted: (run, n) => _n("{n} token, next to go first", "{n} tokens, next to go first", n),
  fate: (run, t, row) => row.reason,
  tieRule: () => _("lower id stays"),
  moments: (run, t) => ({ next: run.actions[t] || "end", done: run.actions[t - 1] }),

  pseudocodeValues(run, t) {
    const [now, action] = [run.vocab_size[t] - run.special, run.actions[t]];
    const left = (state) => {
      const n = run.vocab_size[state] - run.special;
      return [_n("{n} token left", "{n} tokens left", n, { n: number(n) })];
    };
    const said = {
      size: [number(run.vocab_size[0] - run.special)], objective: [_("objective {value}", { value: fixed(run.loss[t]) })],
      desired: [`${number(now)} ${now > run.desired ? ">" : "≤"} ${number(run.desired)}`],
    };
    if (action === "em") return { ...said, kept: left(t + 1) };
    if (action === "prune") {
      const goes = run.family.rows(run, t).filter((row) => row.chosen).map(({ token }) => token);
      return { ...said, cheapest: named(goes), left: left(t + 1) };
    }
    return { ...said, final: left(action ? t + 1 : t) };
  },

  mark: (run, t) => (t && run.actions[t - 1] === "prune" ? "prune" : ""),
  /** An EM step that changes no word changes the probabilities. */
  foldsQuiet: false,
  /** What a step goes by changes from step to step. */
  curves: () => ({ loss: _("−ln P per word (the objective)") }),

  quiz: {
    ...unigram.quiz,

    question(run, t) {
      return run.actions[t] === "prune" ? unigram.quiz.question(run, t) : { kind: run.actions[t], t };
    },

    said(run, question) {
      if (question.kind === "em") return _("The next step estimates the probabilities again: there is nothing to guess.");
      if (question.kind === "finalize") return _("The next step completes the vocabulary: there is nothing to guess.");
      return unigram.quiz.said(run, question);
    },
  },
};

/** With exact deltas, and with two losses, columns have a class of their own, and say in what the numbers are. */
const hasMore = (run) => Boolean(run.agreement || run.row_right);

const CELLS = {
  expected: (row) => measured(row.count),
  loss: (row) => measured(row.delta),
  right: (row) => measured(row.right),
  "exact-delta": (row) => measured(row.exact),
  "exact-rank": (row, i) => (row.exactRank && row.exactRank !== i + 1 ? number(row.exactRank) : ""),
};
