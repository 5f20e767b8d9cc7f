// The family of PickyBPE: runs that merge pairs, and take tokens back. A step that takes one back has it on its
// left, and −1 on its right. A gap that opens has changes of its number besides. Knows no page.

import { mergeTree } from "./growth.js";
import { _, listed, number } from "./i18n.js";
import { bestRows, merges } from "./merges.js";
import { significant } from "./numbers.js";
import { pickingAnnounced, pickingSaid, shareOf, shareParts } from "./picky_words.js";

/** Whether step s takes a token back. */
export const takesBack = (run, s) => run.right[s] < 0;

/** The numbers of the gaps of excerpt word w as of state t, which close it if they are smaller. */
export function codesOf(run, w, t) {
  const [start, end] = [run.starts[w], run.starts[w + 1]];
  const codes = run.gaps.slice(start, end);
  for (const i of gapChanges(run, w)) {
    if (run.change_state[i] > t) break;
    codes[run.change_gap[i] - start] = run.change_code[i];
  }
  return codes;
}

/** The changes of a word's gaps, in the order of states. */
function gapChanges(run, w) {
  if (run.changesByWord === undefined) {
    const wordOf = new Map();
    run.changesByWord = new Map();
    for (let i = 0; i < run.change_gap.length; i++) {
      const gap = run.change_gap[i];
      if (!wordOf.has(gap)) wordOf.set(gap, wordAt(run, gap));
      const word = wordOf.get(gap);
      if (!run.changesByWord.has(word)) run.changesByWord.set(word, []);
      run.changesByWord.get(word).push(i);
    }
  }
  return run.changesByWord.get(w) ?? [];
}

/** The excerpt word that has a place. */
function wordAt(run, place) {
  let [low, high] = [0, run.starts.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (run.starts[middle] <= place) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether the number of a token is its own, and not that of a step that made it once more or took it back. */
const isOwn = (run, token) => token < run.base || (run.made[token - run.base] === token && !takesBack(run, token - run.base));

/** For every token in the order of ids, whether state t has it. */
function presence(run, t) {
  if (run.presence?.t === t) return run.presence.there;
  const there = new Uint8Array(run.ids.reduce((most, id) => Math.max(most, id), run.special - 1) + 1);
  there.fill(1, 0, run.special);
  for (let token = 0; token < run.base; token++) there[run.ids[token]] = 1;
  for (let s = 0; s < t; s++) there[run.ids[run.made[s]]] = takesBack(run, s) ? 0 : 1;
  run.presence = { t, there };
  return there;
}

const takenApart = (run, s) => run.parts.subarray(run.part_starts[s], run.part_starts[s + 1]);

/** What a step adds to the count of a token. */
function added(run, s, token) {
  if (takesBack(run, s)) return run.times[s] * (takenApart(run, s).reduce((sum, part) => sum + (part === token), 0) - (run.made[s] === token));
  return run.times[s] * ((run.made[s] === token) - (run.left[s] === token) - (run.right[s] === token));
}

/** The steps that make a token, or take it back. */
const comingsOf = (run, token, back) => [...run.made.keys()].filter((s) => run.made[s] === token && takesBack(run, s) === back);

const stepsSaid = (steps) => listed(steps.map((s) => _("step {step}", { step: number(s + 1) }))).join("");

/** The row of the token that the step out of state t takes back. */
function goingRow(run, t) {
  return { token: run.left[t], chosen: true, tied: false, place: "–", delta: shareOf(run, t), score: 0, count: 0 };
}

export const picky = {
  ...merges,

  wordTokens(run, w, t) {
    const codes = codesOf(run, w, t);
    const start = run.starts[w];
    const tokens = [];
    let latest = -1;
    for (let i = 0; i < codes.length; i++) {
      if (codes[i] >= t) {
        tokens.push(run.symbols[start + i]);
        latest = -1;
      } else if (codes[i] > latest) {
        // The latest gap closed inside a token names the step that made it.
        latest = codes[i];
        tokens[tokens.length - 1] = run.made[latest];
      }
    }
    return tokens;
  },

  wordMarks(run, tokens, t) {
    if (t === run.steps || !takesBack(run, t)) return merges.wordMarks(run, tokens, t);
    return tokens.map((token) => (token === run.left[t] ? "doomed" : ""));
  },

  wordTree: (run, w, t) => mergeTree(run, w, t, codesOf(run, w, t)),

  changes(run, w) {
    const closed = [...run.gaps.subarray(run.starts[w], run.starts[w + 1])].filter((gap) => gap < run.steps).map((gap) => gap + 1);
    return [...closed, ...gapChanges(run, w).map((i) => run.change_state[i])];
  },

  isNew: (run, token, t) => t > 0 && token === run.made[t - 1] && !takesBack(run, t - 1),
  tokenId: (run, token, t) => presence(run, t).subarray(0, run.ids[token]).reduce((sum, is) => sum + is, 0),
  isAlive: (run, token, t) => isOwn(run, token) && merges.born(run, token) <= t && presence(run, t)[run.ids[token]] === 1,

  countNow(run, token, t) {
    let count = token < run.base ? run.first_counts[token] : 0;
    for (let s = 0; s < t; s++) count += added(run, s, token);
    return count;
  },

  idsNow(run, t) {
    const there = presence(run, t);
    let next = 0;
    const places = Array.from(there, (is) => (is ? next++ : -1));
    return Array.from(run.ids, (id) => places[id]);
  },

  countsNow(run, t) {
    const counts = [...run.first_counts, ...Array(run.steps).fill(0)];
    for (let s = 0; s < t; s++) {
      counts[run.made[s]] += takesBack(run, s) ? -run.times[s] : run.times[s];
      if (takesBack(run, s)) for (const part of takenApart(run, s)) counts[part] += run.times[s];
      else {
        counts[run.left[s]] -= run.times[s];
        counts[run.right[s]] -= run.times[s];
      }
    }
    return counts;
  },

  life(run, token) {
    const back = comingsOf(run, token, true);
    const removed = back.length ? stepsSaid(back) : undefined;
    if (token < run.base) return { made: _("there from the start"), from: [] };
    const [first] = comingsOf(run, token, false);
    return { made: stepsSaid(comingsOf(run, token, false)), from: [run.left[first], run.right[first]], removed };
  },

  narrate: (run, t) => pickingSaid(run, t - 1),
  announce: pickingAnnounced,

  // --- the score table ------------------------------------------------------------------------

  rows(run, t) {
    if (t === run.steps || !takesBack(run, t)) return merges.rows(run, t);
    return [goingRow(run, t), ...bestRows(run, t).map((row, k) => ({ ...row, place: k + 1 }))];
  },

  columns(run) {
    const [column] = merges.columns(run);
    return [{ ...column, show: (row) => (row.token === undefined ? column.show(row) : [_("its share"), significant(row.delta)]) }];
  },

  fate: (run, t, row) => (row.token === undefined ? merges.fate(run, t, row) : _("goes")),
  otherChoice: (row) => (row.token === undefined && row.place === undefined ? merges.otherChoice(row) : null),
  cutBefore: (run, t) => (t < run.steps && takesBack(run, t) ? 1 : -1),

  moments(run, t) {
    if (t < run.steps && takesBack(run, t)) return { next: "remove", done: takesBack(run, t - 1) ? "removed" : "done" };
    return { next: t < run.steps ? "next" : "end", done: t > 0 && takesBack(run, t - 1) ? "removed" : "done" };
  },

  pseudocodeValues(run, t) {
    const back = t > 0 && takesBack(run, t - 1);
    const made = t > 0 ? { [back ? "gone" : "made"]: [run.made[t - 1]] } : {};
    if (t === run.steps) return made;
    if (!takesBack(run, t)) return { ...merges.pseudocodeValues(run, t), made: undefined, ...made };
    return { ...made, token: [run.left[t]], share: [shareParts(run, t).join(" ")] };
  },

  mark: (run, t) => (t > 0 && takesBack(run, t - 1) ? "prune" : merges.mark(run, t)),

  stops: {
    ...merges.stops,
    end: (run, token) => (comingsOf(run, token, true)[0] ?? -2) + 1,
  },

  score: (run, t) => run.top_count[t * run.rows],

  quiz: {
    ...merges.quiz,
    question: (run, t) => (takesBack(run, t) ? { kind: "remove", t } : merges.quiz.question(run, t)),
    said(run, question) {
      if (question.kind === "remove") return _("The next step takes a token back: there is nothing to guess.");
      return merges.quiz.said(run, question);
    },
  },
};
