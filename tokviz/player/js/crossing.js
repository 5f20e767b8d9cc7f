// The family of SuperBPE: runs that merge pairs within words, and from a state on across their borders. The words of
// the corpus are runs of text; where the words in them begin was packed besides. Knows no page.

import { _p, sentences } from "./i18n.js";
import { merges } from "./merges.js";

/** Whether pairs are counted across the borders of words in state t. */
export const hasFallen = (run, t) => run.border >= 0 && t >= run.border;

/** The tokens of a run of text, in which gaps have these numbers, that begin a word, but for the first one. */
export function bordersIn(run, w, t, codes) {
  const places = [];
  let token = -1;
  codes.forEach((code, i) => {
    if (code < t) return;
    token++;
    if (i > 0 && run.word_starts[run.starts[w] + i]) places.push(token);
  });
  return places;
}

export const crossing = {
  ...merges,

  announce(run, t) {
    const said = merges.announce(run, t);
    return t === run.border ? sentences(_p("The borders of words fall."), said) : said;
  },

  wordBorders(run, w, t) {
    return hasFallen(run, t) ? [] : bordersIn(run, w, t, run.gaps.subarray(run.starts[w], run.starts[w + 1]));
  },

  border: (run) => run.border,
};
