// The family of runs that merge pairs: BPE, WordPiece, and merges that were given. A word was packed as
// its symbols and the gaps between them, each with the step that closed it. Knows no page.

import { mergeTree } from "./growth.js";
import { _, _n, number } from "./i18n.js";
import { byLikelihood, mergeAnnounced, mergeSaid, scoreParts, scoreText } from "./merge_words.js";
import { MOST_OPTIONS, distinct, namesOf, shuffled, unknownToken, withOptions } from "./quiz_questions.js";
import { candidateCount, chosenRow, isForced, isTied } from "./run.js";

const NEAREST = 2; // wrong pairs of a quiz that come right behind the chosen one; the others are from further down

/** Every family has these properties. Where run.js has a function of the same name, it says what one is
 *  for; of the others it is said here. */
export const merges = {
  wordTokens(run, w, t) {
    const tokens = [];
    for (let i = run.starts[w]; i < run.starts[w + 1]; i++) {
      const gap = run.gaps[i];
      // The latest gap closed inside a token names the merge that made it.
      if (gap >= t) tokens.push(run.symbols[i]);
      else tokens[tokens.length - 1] = Math.max(tokens[tokens.length - 1], run.base + gap);
    }
    return tokens;
  },

  wordMarks(run, tokens, t) {
    const marks = Array(tokens.length).fill("");
    if (t === run.steps) return marks;
    for (let i = 0; i + 1 < tokens.length; i++) {
      if (tokens[i] === run.left[t] && tokens[i + 1] === run.right[t]) {
        marks[i] = "left";
        marks[++i] = "right";
      }
    }
    return marks;
  },

  /** The tree of excerpt word w in state t, as growth.js has it. */
  wordTree: mergeTree,

  /** What the picture of one word is called. */
  wordPicture: _("Tree"),

  /** The states in which excerpt word w may be cut otherwise than in the state before. */
  changes(run, w) {
    return [...run.gaps.subarray(run.starts[w], run.starts[w + 1])].filter((gap) => gap < run.steps).map((gap) => gap + 1);
  },

  /** The tokens of excerpt word w, by their places in state t, before which a border between words stands, where the
   *  words of the corpus hold others; and the state in which such borders fall, -1 if there are none. */
  wordBorders: () => [],
  border: () => -1,

  isNew: (run, token, t) => t > 0 && token === run.base + t - 1,
  tokenId: (run, token) => run.ids[token],
  born: (run, token) => Math.max(0, token - run.base + 1),
  isAlive: (run, token, t) => merges.born(run, token) <= t,

  countNow(run, token, t) {
    const birth = merges.born(run, token);
    if (birth > t) return 0;
    let count = birth ? run.times[birth - 1] : run.first_counts[token];
    for (let s = birth; s < t; s++) {
      count -= ((run.left[s] === token) + (run.right[s] === token)) * run.times[s];
    }
    return count;
  },

  /** Of all tokens at once: their ids, of those that state t has, and their counts. */
  idsNow: (run) => run.ids,
  countsNow(run, t) {
    const counts = [...run.first_counts, ...Array(t).fill(0)];
    for (let s = 0; s < t; s++) {
      counts[run.left[s]] -= run.times[s];
      counts[run.right[s]] -= run.times[s];
      counts[run.base + s] += run.times[s];
    }
    return counts;
  },

  /** The vocabulary before the step out of state t, for a family that prunes one (pruned_vocabulary.js): the
   *  longer tokens as rows { token, delta } in `goes` and `stays`, how many are `unshown`, the single
   *  `characters`. */
  vocabularyParts: null,

  /** A token's life in words: what made it, the tokens that it was made from, and what removed it. */
  life(run, token) {
    const birth = merges.born(run, token);
    if (!birth) return { made: _("there from the start"), from: [] };
    return { made: _("step {step}", { step: number(birth) }), from: [run.left[birth - 1], run.right[birth - 1]] };
  },

  narrate: (run, t) => mergeSaid(run, t - 1),
  announce: mergeAnnounced,

  // --- the score table ------------------------------------------------------------------------

  candidateCount: (run, t) => run.candidates[t],

  rows(run, t) {
    const found = bestRows(run, t);
    if (t < run.steps && !found.some((row) => row.chosen)) found.push(forcedRow(run, t));
    return found;
  },

  /** What a candidate is, and its name in the glossary. */
  candidate: [_("Pair"), "pair"],

  /** The columns of numbers: a heading, its name in the glossary or a `help` of its own, and what a row shows there, a text or [what it is made of, text]. */
  columns(run) {
    if (run.given) return [{ heading: _("Rank · count"), name: "rank", show: (row) => [`${number(row.rank)} ·`, number(row.count)] }];
    const show = (row) => {
      const [fraction, value] = scoreParts(run, row);
      return [fraction && `${fraction} =`, value];
    };
    return [byLikelihood(run) ? { heading: _("Score"), name: "score", show } : { heading: _("Count"), name: "count", show }];
  },

  /** Whether the table has bars, and how long a row's is beside the others. */
  hasBars: () => true,
  barOf: (run, row) => row.score,
  /** The class of the table. */
  tableClass: (run) => (byLikelihood(run) ? "likelihood" : ""),

  /** How many candidates there are, and in which order they are shown. */
  counted(run, n) {
    if (run.given) return _n("{n} pair, lowest rank first", "{n} pairs, lowest rank first", n);
    return _n("{n} pair, best first", "{n} pairs, best first", n);
  },

  /** The row of state t before which a line parts what goes from what stays; -1 if nothing does. */
  cutBefore: () => -1,
  /** What the step out of state t does with a row's candidate; "" if nothing. */
  fate: (run, t, row) => (!row.chosen ? "" : isForced(run, t) ? _("forced") : _("next")),
  /** What decides among candidates of equal score. */
  tieRule: (run) => run.rule,

  /** What might be chosen instead of a row's candidate, as Python takes it; null if nothing. */
  otherChoice: (row) => (row.chosen ? null : [row.left, row.right]),
  /** What a button asks that would choose so; tokens are named. */
  whatIf: ([left, right]) => _("What if “{left}” + “{right}” were merged instead?", { left, right }),

  /** The moments of the lines of the pseudocode that tell of the step to come, and of the last step. */
  moments: (run, t) => ({ next: t < run.steps ? "next" : "end", done: "done" }),

  /** The values of variables beside the lines of the pseudocode in state t, as parts: texts and tokens. */
  pseudocodeValues(run, t) {
    const made = { ...choiceValues(run), ...(t > 0 && { made: [run.base + t - 1] }) };
    if (t === run.steps) return made;
    const row = chosenRow(run, t);
    const n = candidateCount(run, t);
    return {
      ...made, pairs: [_n("{n} pair", "{n} pairs", n, { n: number(n) })], best: [run.score === null ? number(row.count) : scoreText(run, row)],
      ties: [number(run.tied[t])], pair: [row.left, " + ", row.right],
    };
  },

  // --- the scrub bar and the curves -----------------------------------------------------------

  /** What the scrub bar marks at state t: "tie" where one is broken next, "prune" behind a pruning, "". */
  mark: (run, t) => (isTied(run, t) ? "tie" : ""),

  /** Whether steps that change no word are one stretch of the bar. */
  foldsQuiet: false,

  /** What playing can stop at besides ties and sizes: the state in which that happens to a token, 0 if it
   *  was so from the start, -1 if it never happens. */
  stops: { birth: (run, token) => merges.born(run, token) },

  /** Why playing stopped at a tie of n; `lane` is named where there are several. */
  saidTie(n, lane) {
    return lane === undefined ? _n("Stopped: {n} pair ties here.", "Stopped: {n} pairs tie here.", n)
      : _n("{lane} stopped: {n} pair ties here.", "{lane} stopped: {n} pairs tie here.", n, { lane });
  },

  /** The titles of the curves that the family has: what steps are chosen by (`score`), and the `loss`; and those that no
   *  other has (`own`), each { title, value }, which says what it is in state t. */
  curves(run) {
    if (run.given) return { score: _("Rank of the next merge") };
    return { score: run.score === null ? _("Count of the next pair") : _("Score of the next pair") };
  },

  /** What the step out of state t was chosen by. */
  score: (run, t) => (run.given ? chosenRow(run, t).rank : chosenRow(run, t).score),

  // --- the quiz -------------------------------------------------------------------------------

  quiz: {
    /** The question of state t, as quiz_questions.js has it. */
    question(run, t) {
      const found = merges.rows(run, t);
      const [best] = found;
      const tied = run.tied[t];
      // The engine's own tie says which rows have the greatest score.
      const others = distinct(run, found.filter((row) => !row.chosen && row.tied === tied > 1), best);
      const mixed = tied > 1 ? shuffled(run, t, others)
        : [...others.slice(0, NEAREST), ...shuffled(run, t, others.slice(NEAREST))];
      return withOptions(run, { kind: tied > 1 ? "tie" : "pair", t, tied, rows: found }, [best, ...mixed.slice(0, MOST_OPTIONS - 1)]);
    },

    /** The same in words. */
    said(run, { kind, tied, options }) {
      if (kind === "pair") return run.given ? _("Which pair has the lowest rank, and is merged next?") : _("Which pair is merged next?");
      const score = scoreText(run, options.find(({ right }) => right).row);
      return _n("{n} pair ties at {score}. Which one does “{rule}” take?", "{n} pairs tie at {score}. Which one does “{rule}” take?", tied, { score, rule: run.rule });
    },

    /** What a row was chosen by, or passed over. */
    fact: (run, row) => (run.given ? _("rank {rank}", { rank: number(row.rank) }) : scoreText(run, row)),
    /** The button that shows the facts. */
    hint: (run) => (run.given ? _("Show ranks") : byLikelihood(run) ? _("Show scores") : _("Show counts")),
    /** The field for an answer: its name, and what stands in it. */
    field: { label: _("Or type a pair"), placeholder: _("or type a pair: t h") },

    /** The row that was typed, or a sentence that says what to change: { row } or { said }. */
    typed(run, question, typed) {
      const forms = ({ left, right }) => namesOf(run, left).flatMap((l) => {
        return namesOf(run, right).flatMap((r) => [`${l} ${r}`, `${l}+${r}`, `${l} + ${r}`]);
      });
      const row = question.rows.find((row) => forms(row).includes(typed));
      if (row) return { row };
      const parts = typed.split(typed.includes(" + ") ? " + " : typed.includes(" ") ? " " : "+");
      if (parts.length !== 2 || parts.includes("")) {
        return { said: _("Type the two tokens of a pair with a space or a plus between them, such as t h or t+h.") };
      }
      const far = _("“{pair}” is not among the first {n} candidates.", { pair: parts.join(" + "), n: number(question.rows.length) });
      return { said: unknownToken(run, question.t, parts) ?? far };
    },
  },
};

/** What a trainer that chooses the characters has found: the values of variables beside its lines. */
function choiceValues({ chosen_characters: chosen }) {
  if (!chosen) return {};
  const { tried, saved, characters } = chosen;
  return {
    tried: [_n("{n} merge", "{n} merges", tried, { n: number(tried) })], saved: [_n("{n} token", "{n} tokens", saved, { n: number(saved) })],
    characters: [_n("{n} character", "{n} characters", characters, { n: number(characters) })],
  };
}

/** The best pairs of state t. */
export function bestRows(run, t) {
  const found = [];
  for (let k = 0; k < run.rows; k++) {
    const i = t * run.rows + k;
    if (run.top_left[i] < 0) break;
    const row = {
      left: run.top_left[i],
      right: run.top_right[i],
      count: run.top_count[i],
      score: run.top_count[i],
      tied: run.tied[t] > 1 && k < run.tied[t],
      chosen: t < run.steps && run.top_left[i] === run.left[t] && run.top_right[i] === run.right[t],
    };
    if (run.top_across) {
      // A pair of whole words may be one within a word, too.
      row.across = run.top_across[i] === 1;
      row.chosen &&= run.top_across[i] === run.crosses[t];
    }
    if (run.given) row.rank = run.top_rank[i];
    if (byLikelihood(run)) scoreByLikelihood(row, run.top_left_count[i], run.top_right_count[i]);
    found.push(row);
  }
  return found;
}

/** The row of a forced pair that is not among the best. */
function forcedRow(run, t) {
  const [place, count] = run.forced[t];
  const row = { left: run.left[t], right: run.right[t], count, score: count, tied: place <= run.tied[t], chosen: true, place };
  if (byLikelihood(run)) scoreByLikelihood(row, merges.countNow(run, row.left, t), merges.countNow(run, row.right, t));
  return row;
}

function scoreByLikelihood(row, leftCount, rightCount) {
  Object.assign(row, { leftCount, rightCount, score: row.count / (leftCount * rightCount) });
}
