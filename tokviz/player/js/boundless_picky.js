// The family of BoundlessBPE that takes tokens back, as PickyBPE does. Knows no page.

import { boundless } from "./boundless.js";
import { bordersIn } from "./crossing.js";
import { codesOf, picky, takesBack } from "./picky.js";

export const boundlessPicky = {
  ...picky,

  border: boundless.border,

  wordBorders: (run, w, t) => bordersIn(run, w, t, codesOf(run, w, t)),

  wordMarks(run, tokens, t, w) {
    const marks = t < run.steps && takesBack(run, t) ? picky : boundless;
    return marks.wordMarks(run, tokens, t, w);
  },
};
