// The family of BoundlessBPE: runs that merge pairs within words, and whole words beside one another, in one loop. The
// words of the corpus are runs of text; where the words in them begin was packed besides. Knows no page.

import { crossing } from "./crossing.js";
import { merges } from "./merges.js";

export const boundless = {
  ...crossing,

  announce: merges.announce,
  border: () => -1,

  /** A pair within a word is no pair where a border stands between the two; one of whole words is one only where both
   *  are whole. */
  wordMarks(run, tokens, t, w) {
    const marks = Array(tokens.length).fill("");
    if (t === run.steps) return marks;
    const borders = new Set([0, ...run.family.wordBorders(run, w, t), run.family.wordTokens(run, w, t).length]);
    const fits = (i) => (run.crosses[t] ? [i, i + 1, i + 2].every((place) => borders.has(place)) : !borders.has(i + 1));
    for (let i = 0; i + 1 < tokens.length; i++) {
      if (tokens[i] === run.left[t] && tokens[i + 1] === run.right[t] && fits(i)) {
        marks[i] = "left";
        marks[++i] = "right";
      }
    }
    return marks;
  },
};
