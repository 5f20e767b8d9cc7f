// What the signs in tokens mean that are no text: beside the name of the corpus.

import { make } from "./dom.js";
import { explained, meaning } from "./glossary.js";
import { _p } from "./i18n.js";

/** What is said of a sign, by the name of its term in the glossary. */
const MEANS = {
  "space-byte": (sign) => _p("{sign} is a space", { sign }),
  "space-mark": (sign) => _p("{sign} is a space", { sign }),
  "continuing-prefix": (sign) => _p("{sign} goes on inside a word", { sign }),
  "word-suffix": (sign) => _p("{sign} ends a word", { sign }),
};

/** The signs that tokens of a run have, of those that its spelling knows; each with its term. */
export function signsOf({ signs, tokens }) {
  // The parts of a token are text and signs in turn.
  const stands = (sign) => tokens.some((parts) => typeof parts !== "string" && parts.some((part, i) => i % 2 && part === sign));
  return signs.filter(([sign]) => stands(sign));
}

/** Elements that explain the signs of a run. */
export const explainedSigns = (run) =>
  signsOf(run).map(([sign, name]) => explained(make("span", {}, ...MEANS[name](make("span", { class: "tv-sign" }, sign))), meaning(name)));
