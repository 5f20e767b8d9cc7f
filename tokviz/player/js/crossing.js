// The family of SuperBPE: runs that merge pairs within words, and from a state on across their borders. The words of
// the corpus are runs of text; where the words in them begin was packed besides. Knows no page.

import { _p, sentences } from "./i18n.js";
import { merges } from "./merges.js";

/** Whether pairs are counted across the borders of words in state t. */
export const hasFallen = (run, t) => run.border >= 0 && t >= run.border;

const fallenSaid = () => _p("The borders of words have fallen: pairs are counted across them.");

export const crossing = {
  ...merges,

  narrate(run, t) {
    const said = [merges.narrate(run, t)];
    if (run.crosses[t - 1]) said.push(_p("It reaches across a border between words."));
    if (t === run.border) said.push(fallenSaid());
    return sentences(...said);
  },

  announce(run, t) {
    const said = merges.announce(run, t);
    if (t === run.border) return sentences(fallenSaid(), said);
    return run.crosses[t] ? sentences(said, _p("It will reach across a border between words.")) : said;
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
