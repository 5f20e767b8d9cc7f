// One scrubber for one to four runs: which state each of them is in at a position.
// Knows no page; tests read it with Node.

import { isTied, wordTokens } from "./run.js";
import { tokenBytes } from "./tokens.js";

/** The positions 0..last of a scrubber, and for each run the state at every position.
 *
 *  "step": the same step in every run; a run that is over stays in its last state.
 *  "size": the same vocabulary size, or the last state before passing it for the first time. Sizes grow from left to
 *  right, so a run that prunes moves backwards.
 *  "share": the same share of each run's own steps.
 *
 *  At the last position every run is in its own last state. By size, a run that prunes was in it at the
 *  first sizes and has left it: then the last position is one more, `beyond` all sizes. */
export function makeAxis(runs, align) {
  const longest = Math.max(...runs.map((run) => run.steps));
  if (align === "size") {
    const sizes = [...new Set(runs.flatMap((run) => [...run.vocab_size]))].sort((a, b) => a - b);
    let states = runs.map((run) => lastBefore(run, sizes));
    const beyond = runs.some((run, i) => states[i].at(-1) !== run.steps);
    if (beyond) {
      sizes.push(sizes.at(-1) + 1);
      states = runs.map((run, i) => Int32Array.from([...states[i], run.steps]));
    }
    return { align, last: sizes.length - 1, states, values: sizes, beyond };
  }
  const positions = Array.from({ length: longest + 1 }, (_, p) => p);
  if (align === "share") {
    const share = (p) => (longest ? p / longest : 1);
    const states = runs.map((run) => Int32Array.from(positions, (p) => Math.round(share(p) * run.steps)));
    return { align, last: longest, states, values: positions.map((p) => Math.round(share(p) * 1000) / 10) };
  }
  const states = runs.map((run) => Int32Array.from(positions, (p) => Math.min(p, run.steps)));
  return { align: "step", last: longest, states, values: positions };
}

/** The last state until which a run has not passed each vocabulary size; state 0 if it starts beyond. */
function lastBefore(run, sizes) {
  const sign = run.vocab_size[run.steps] >= run.vocab_size[0] ? 1 : -1;
  // What takes tokens back has less again.
  let most = -Infinity;
  const found = Array.from(run.vocab_size, (size) => (most = Math.max(most, sign * size)));
  return Int32Array.from(sizes, (size) => Math.max(0, first(run.steps + 1, (t) => found[t] > sign * size) - 1));
}

/** The least i in 0..n-1 for which a condition holds that stays true from there on; n if none. */
function first(n, condition) {
  let [low, high] = [0, n];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (condition(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether a position lies beyond all sizes: the end of every run. */
export function isBeyond(axis, p) {
  return Boolean(axis.beyond) && p === axis.last;
}

/** The position whose value is nearest to what was typed. */
export function positionOf(axis, value) {
  const after = Math.min(axis.last, first(axis.last + 1, (p) => axis.values[p] >= value));
  const before = Math.max(0, after - 1);
  return value - axis.values[before] < axis.values[after] - value ? before : after;
}

/** The first position at which a run is in the state nearest to t. */
export function positionOfState(axis, lane, t) {
  const states = axis.states[lane];
  let best = 0;
  for (let p = 1; p < states.length; p++) {
    if (Math.abs(states[p] - t) < Math.abs(states[best] - t)) best = p;
  }
  return best;
}

/** The nearest position in direction ±1 at which some run enters a state that a tie leads out of;
 *  p itself if there is none. */
export function nextTie(runs, axis, p, direction = 1) {
  for (let q = p + direction; q >= 0 && q <= axis.last; q += direction) {
    const enters = (run, i) => axis.states[i][q] !== axis.states[i][p] && isTied(run, axis.states[i][q]);
    if (runs.some(enters)) return q;
  }
  return p;
}

/** The first position at which two lanes cut a word that both show in different places.
 *
 *  Returns { position, lanes: [i, j], words: [w in i, w in j] }, or null. Cuts are compared in
 *  bytes of text. Where two lanes spell words differently (`Ġthe`, `the`, `the</w>`), only cuts
 *  inside the text itself count, without the space before it. */
export function firstDifference(runs, axis) {
  const lanes = runs.map((run) => ({ run, sizes: new Map() }));
  let best = null;
  for (let i = 0; i < lanes.length; i++) {
    for (let j = i + 1; j < lanes.length; j++) {
      const whole = runs[i].spelling === runs[j].spelling;
      const others = wordsByText(lanes[j], whole);
      for (const [text, w] of wordsByText(lanes[i], whole)) {
        const other = others.get(text);
        if (other === undefined) continue;
        const changes = [...changesOf(runs[i], axis, i, w), ...changesOf(runs[j], axis, j, other)];
        for (const p of [0, ...changes.sort((a, b) => a - b)]) {
          if (best && p >= best.position) break;
          const here = cuts(lanes[i], w, axis.states[i][p], whole);
          if (here !== cuts(lanes[j], other, axis.states[j][p], whole)) {
            best = { position: p, lanes: [i, j], words: [w, other] };
          }
        }
        if (best?.position === 0) return best;
      }
    }
  }
  return best;
}

/** Excerpt words by their text as a string of bytes, without the space before it unless `whole`. */
export function wordsByText({ run }, whole) {
  const words = new Map();
  for (let w = 0; w < run.word_counts.length; w++) {
    let text = "";
    for (const token of wordTokens(run, w, 0)) text += String.fromCharCode(...tokenBytes(run, token));
    words.set(whole ? text : text.replace(/^ +/, ""), w);
  }
  return words;
}

/** The positions at which the tokens of a word may change. */
function changesOf(run, axis, lane, w) {
  const [changed, end] = [new Set(run.family.changes(run, w)), axis.beyond ? [axis.last] : []];
  const states = axis.states[lane].subarray(0, axis.last + 1 - end.length);
  // Pruning runs backwards on the axis of sizes, so states may fall as well as rise.
  return [...changed].map((t) => first(states.length, (p) => states[p] >= t !== states[0] >= t))
    .filter((p) => p < states.length).concat(end);
}

/** Where a word is cut in state t, in bytes. */
function cuts({ run, sizes }, w, t, whole) {
  const found = [];
  let at = 0;
  const tokens = wordTokens(run, w, t);
  for (const token of tokens) {
    if (!sizes.has(token)) sizes.set(token, tokenBytes(run, token).length);
    found.push(at);
    at += sizes.get(token);
  }
  if (whole) return found.slice(1).join();
  const lead = leadingSpaces(run, tokens);
  return found.filter((cut) => cut > lead && cut < at).map((cut) => cut - lead).join();
}

function leadingSpaces(run, tokens) {
  let spaces = 0;
  for (const token of tokens) {
    for (const byte of tokenBytes(run, token)) {
      if (byte !== 0x20) return spaces;
      spaces++;
    }
  }
  return spaces;
}
