// What is said of parity-aware BPE, in the words of tokviz/narration/parity.py. Knows no page.

import { _n, _p, number, sentences } from "./i18n.js";
import { mergeAnnounced, mergeSaid } from "./merge_words.js";
import { significant } from "./numbers.js";
import { chosenRow } from "./run.js";

const ALL_LANGUAGES = -1; // the turn of no language

/** How many times fewer tokens a language takes in state t than before training. */
export function compressionOf(run, t, language) {
  return languageLength(run, 0, language) / languageLength(run, t, language) || 1;
}

function turnShare(run, t, turn) {
  return compressionOf(run, t, turn) / run.balance.ratios[turn];
}

/** The tokens of a language in state t, by which languages are compared. */
function languageLength(run, t, language) {
  return run.lengths[t * run.languages.length + language];
}

/** What the step out of state s merged, for whom, and why; of a single language, as of BPE. */
export function turnSaid(run, s) {
  if (run.languages.length < 2) return mergeSaid(run, s);
  return mergeSaid(run, s, [mergedInTurn(run, s), whyTurn(run, s)]);
}

function mergedInTurn(run, s) {
  const values = {
    step: number(s + 1), left: run.left[s], right: run.right[s], token: run.base + s, language: run.languages[run.turn[s]],
    count: _n("once", "{n} times", chosenRow(run, s).count), overall: _n("once", "{n} times", run.overall[s]),
  };
  if (run.turn[s] === ALL_LANGUAGES) return _p("Step {step}: merged {left} + {right} into {token}, which all languages together have {overall}.", values);
  return _p("Step {step}: merged {left} + {right} into {token} for {language}, which has the pair {count}; all languages have it {overall}.", values);
}

/** What the step out of state t will merge, and for whom. */
export function turnAnnounced(run, t) {
  if (run.languages.length < 2) return mergeAnnounced(run, t);
  return sentences(mergeAnnounced(run, t), whyTurn(run, t));
}

/** Why the step out of state t is for the language that it is for. */
function whyTurn(run, t) {
  const turn = run.turn[t];
  const { window, ratios, development, together } = run.balance;
  if (turn === ALL_LANGUAGES) return _p("The first {n} merges count all languages together.", { n: number(together) });
  const values = { language: run.languages[turn], tokens: _n("{n} token", "{n} tokens", languageLength(run, t, turn)) };
  if (ratios.length) {
    values.share = significant(turnShare(run, t, turn));
    if (window) return _p("Turn of {language}: its compression ÷ ratio, {share}, is the least of those that the window allows.", values);
    return _p("Turn of {language}: its compression ÷ ratio is the least, {share}.", values);
  }
  if (development) {
    if (window) return _p("Turn of {language}: of those that the window allows, its development text takes the most: {tokens}.", values);
    return _p("Turn of {language}: its development text takes the most: {tokens}.", values);
  }
  if (window) return _p("Turn of {language}: of those that the window allows, it takes the most: {tokens}.", values);
  return _p("Turn of {language}: it takes the most: {tokens}.", values);
}
