// What a step did and why, and what the next one will do, in the words of tokviz/narration. Knows no page.

import { _n, _p, sentences } from "./i18n.js";

/** What led to state t, in parts: strings, token numbers for chips, and { word } for a word. */
export function narrate(run, t) {
  if (t) return run.family.narrate(run, t);
  const [size, tokens] = [run.vocab_size[0], run.corpus_tokens[0]].map((n) => _n("{n} token", "{n} tokens", n));
  const said = _p("Before training: {size} in the vocabulary, {tokens} in the corpus.", { size, tokens });
  return run.chosen_characters ? sentences(said, [run.chosen_characters.said]) : said;
}

/** What the step out of state t will do; in the last state, why there is none. */
export function announce(run, t) {
  return t === run.steps ? [run.stopped] : run.family.announce(run, t);
}

/** Narration parts as one string, tokens and words in quotes. */
export function plainText(run, parts) {
  return parts.map((p) => (typeof p === "number" ? `"${run.strings[p]}"` : p.word ? `"${p.word}${p.more}"` : p)).join("");
}
