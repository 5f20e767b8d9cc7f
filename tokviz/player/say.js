// What a step did and why, and what the next one will do, in the words of the engine's narration
// (tokviz/narration.py). Knows no page.

import { number } from "./i18n.js";
import { chosenRow, isForced, rows } from "./run.js";

/** What led to state t, in parts: strings, token numbers for chips, and { word } for a word. */
export function narrate(run, t) {
  if (!t) {
    const [size, tokens] = [number(run.vocab_size[0]), number(run.corpus_tokens[0])];
    return [`Before training: ${size} tokens in the vocabulary, ${tokens} tokens in the corpus.`];
  }
  if (run.em) return [run.narration[t]];
  return run.unigram ? pruned(run, t - 1) : merged(run, t - 1);
}

/** What the step out of state t will do; in the last state, why there is none. */
export function announce(run, t) {
  if (t === run.steps) return [run.stopped];
  if (run.em) return [run.announcement[t]];
  if (run.unigram) {
    const gone = run.vocab_size[t] - run.vocab_size[t + 1];
    const who = gone === 1 ? "1 token goes" : `${number(gone)} tokens go`;
    const tied = `; ${number(run.tied[t])} tokens tie there, so vocabulary order decides`;
    const decided = run.tied[t] > run.tied_removed[t] ? tied : "";
    return [`Next: ${who}, up to a loss delta of ${loss(run.cut[t])}${decided}.`, ...told(run, t, "will stay", "will go")];
  }
  const [best] = rows(run, t);
  if (run.given) return ["Next: ", best.left, " + ", best.right, `, ${ranked(best)}.`];
  if (isForced(run, t)) {
    const row = chosenRow(run, t);
    const said = ["Next: ", row.left, " + ", row.right, ` with ${scoreText(run, row)}; forced: `];
    return [...said, ...passedOver(run, t, "would win"), "."];
  }
  const said = ["Next: ", best.left, " + ", best.right, ` with ${scoreText(run, best)}`];
  if (run.tied[t] > 1) {
    // A full stop between two numbers would be heard as a decimal point.
    said.push(`; ${number(run.tied[t])} pairs tie there, and "${run.rule}" takes `);
    said.push(...(run.first_seen ? ["the one met first, in ", metIn(run, t)] : [run.rule_help]));
  }
  return [...said, "."];
}

/** Narration parts as one string, tokens and words in quotes. */
export function plainText(run, parts) {
  return parts.map((p) => (typeof p === "number" ? `"${run.strings[p]}"` : p.word ? `"${p.word}"` : p)).join("");
}

function merged(run, s) {
  const [left, right] = [run.left[s], run.right[s]];
  const times = run.times[s] === 1 ? "once" : `${number(run.times[s])} times`;
  const said = [`Step ${number(s + 1)}: merged `, left, " + ", right, " into ", run.base + s];
  const counted = chosenRow(run, s).count;
  const overlaps = counted === run.times[s] ? "" : `, counted ${number(counted)} with overlaps`;
  said.push(` (${times}${overlaps}).`);
  if (run.given) return [...said, ...byRank(run, s)];
  if (run.vocab_size[s + 1] === run.vocab_size[s]) {
    said.push(" The vocabulary had that token already and did not grow.");
  }
  if (isForced(run, s)) {
    if (run.likelihood) said.push(` Its score is ${scoreText(run, chosenRow(run, s))}.`);
    return [...said, " Forced; ", ...passedOver(run, s, "would have won"), "."];
  }
  const [best, second] = rows(run, s);
  if (run.tied[s] > 1) {
    said.push(` ${number(run.tied[s])} pairs tied at ${scoreText(run, best)}; "${run.rule}" chose `);
    said.push(left, " + ", right);
    said.push(...(run.first_seen ? [", met first in ", metIn(run, s), "."] : [`, ${run.rule_help}.`]));
    return said;
  }
  if (run.likelihood) said.push(` Its score is ${scoreText(run, best)}.`);
  if (second) {
    said.push(" Runner-up ", second.left, " + ", second.right, ` with ${scoreText(run, second)}.`);
  }
  return said;
}

/** The pair that would have been merged instead of the forced one. */
function passedOver(run, s, won) {
  const [best] = rows(run, s);
  const pair = [best.left, " + ", best.right];
  if (run.tied[s] === 1) return [...pair, ` with ${scoreText(run, best)} ${won}`];
  const tied = `of the ${number(run.tied[s])} pairs that tie at ${scoreText(run, best)}, `;
  return [tied, ...pair, ` ${won} by "${run.rule}"`];
}

function byRank(run, s) {
  const [best, second] = rows(run, s);
  const said = [` Its rank is ${number(best.rank)} of ${number(run.given)}.`];
  if (second) said.push(" Next in rank ", second.left, " + ", second.right, `, ${ranked(second)}.`);
  return said;
}

function ranked(row) {
  return `rank ${number(row.rank)}, with ${number(row.count)}`;
}

function pruned(run, s) {
  const [before, after] = [run.vocab_size[s], run.vocab_size[s + 1]];
  let said = `Round ${number(s + 1)}: pruned ${number(before - after)} of ${number(before)} tokens`;
  if (run.tied[s] > 1) {
    said += `; ${number(run.tied[s])} tied at a loss delta of ${loss(run.cut[s])}, and `;
    said += `${number(run.tied_removed[s])} of them went, in vocabulary order`;
  } else {
    said += `, up to a loss delta of ${loss(run.cut[s])}`;
  }
  const losses = `${fixed(run.loss[s])} → ${fixed(run.loss[s + 1])}`;
  const rest = `${said}. Corpus loss ${losses}, with the probabilities of the rest renormalised.`;
  return [rest, ...told(run, s, "stayed", "went")];
}

/** What a round was told to do; no parts if nothing. */
function told(run, s, kept, dropped) {
  if (!isForced(run, s)) return [];
  const [action, ...tokens] = run.forced[s];
  const named = tokens.flatMap((token, i) => (i ? [", ", token] : [token]));
  return [" Forced: ", ...named, ` ${action === "keep" ? kept : dropped}.`];
}

function metIn(run, s) {
  return { word: run.met[run.met_in[s]] };
}

/** The score of a merge row: its fraction ("" if it is a count), and its value. */
export function scoreParts(run, row) {
  if (!run.likelihood) return ["", number(row.count)];
  const [count, left, right] = [row.count, row.leftCount, row.rightCount].map(number);
  return [`${count}/(${left}×${right})`, significant(row.score)];
}

function scoreText(run, row) {
  return scoreParts(run, row).filter(Boolean).join(" = ");
}

/** Up to four significant digits, as Python's format "g" writes them: halves go to even. */
export function significant(value) {
  if (!value) return "0";
  const [digits, power] = value.toExponential(60).split("e");
  const half = /^50*$/.test(digits.slice(5)) && digits[4] % 2 === 0;
  const rounded = half ? Number(`${digits.slice(0, 5)}e${power}`) : Number(value.toExponential(3));
  const [shown, exponent] = rounded.toExponential().split("e");
  if (exponent >= -4 && exponent < 4) return String(rounded);
  const sign = exponent < 0 ? "-" : "+";
  return `${shown}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function loss(value) {
  return value === 0 ? "0" : significant(value);
}

/** Two decimals with thousands separators; halves go to even here too. */
function fixed(value) {
  const exact = value.toFixed(60);
  const kept = exact.slice(0, exact.indexOf(".") + 3);
  const half = /^50*$/.test(exact.slice(kept.length)) && kept.at(-1) % 2 === 0;
  const [whole, decimals] = (half ? kept : value.toFixed(2)).split(".");
  return `${number(whole)}.${decimals}`;
}
