// The family of SuperBPE: runs that merge pairs within words, and from a state on across their borders. The words of
// the corpus are runs of text; where the words in them begin was packed besides. Knows no page.

import { _p, sentences } from "./i18n.js";
import { merges } from "./merges.js";

/** Whether pairs are counted across the borders of words in state t. */
export const hasFallen = (run, t) => run.border >= 0 && t >= run.border;

export const crossing = {
  ...merges,

  announce(run, t) {
    const said = merges.announce(run, t);
    return t === run.border ? sentences(_p("The borders of words fall."), said) : said;
  },

  wordBorders(run, w, t) {
    if (hasFallen(run, t)) return [];
    const places = [];
    for (let i = run.starts[w], token = -1; i < run.starts[w + 1]; i++) {
      if (run.gaps[i] >= t) token++;
      if (run.gaps[i] >= t && run.word_starts[i] && i > run.starts[w]) places.push(token);
    }
    return places;
  },

  border: (run) => run.border,
};
