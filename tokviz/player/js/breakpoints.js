// Where playing stops: at the next tie, at the birth or the end of a token, at a vocabulary size. Knows no
// page; tests read it with Node.

import { nextTie } from "./axis.js";
import { isTied } from "./run.js";

const OF_TOKENS = ["birth", "end"];

/** What runs can stop at, as an address names it, besides `size.N`; "" is nothing. Tokens are born where
 *  runs merge, and end where they prune. */
export function stopKinds(runs) {
  return ["", "tie", ...OF_TOKENS.filter((kind) => runs.some((run) => kind in run.family.stops))];
}

/** A stop as an address writes it: { kind, size }; of kind "" if it makes no sense for the runs. */
export function readStop(written, runs) {
  const [, size] = /^size\.([1-9]\d{0,8})$/.exec(written) ?? [];
  if (size) return { kind: "size", size: Number(size) };
  return { kind: stopKinds(runs).includes(written) ? written : "" };
}

export function writeStop({ kind, size }) {
  return kind === "size" ? `size.${size}` : kind;
}

/** The first state of a run that has what it shall stop at; 0 if it was there from the start, -1 if it
 *  never comes. `token` is its number in this run, -1 if the run has no such token. */
export function stopState(run, { kind, size }, token) {
  if (kind === "size") return sizeState(run.vocab_size, size);
  return token < 0 ? -1 : (run.family.stops[kind]?.(run, token) ?? -1);
}

/** The first state with a vocabulary size, or past it: sizes grow, or fall where tokens are pruned. */
function sizeState(sizes, size) {
  const grows = sizes.at(-1) >= sizes[0];
  return sizes.findIndex((n) => (grows ? n >= size : n <= size));
}

/** The position at which a lane is in a state, or in the first one after it that the axis has; -1 if it
 *  has none. On the axis of sizes, states of a run that prunes fall. */
export function stopPosition(axis, lane, t) {
  let best = -1;
  axis.states[lane].forEach((state, p, states) => {
    if (state >= t && (best < 0 || state < states[best])) best = p;
  });
  return best;
}

/** For every lane the position of its stop, -1 if it has none; not for ties, of which there are many.
 *  `tokens` are the selected token's number in every lane. */
export function stopPositions(runs, axis, stop, tokens) {
  return runs.map((run, lane) => {
    const t = [...OF_TOKENS, "size"].includes(stop.kind) ? stopState(run, stop, tokens[lane] ?? -1) : -1;
    return t > 0 ? stopPosition(axis, lane, t) : -1;
  });
}

/** The next stop after position p: { position, lanes }, the lanes that reach theirs there. Null if none
 *  comes any more. */
export function nextStop(runs, axis, stop, tokens, p) {
  if (stop.kind === "tie") {
    const position = nextTie(runs, axis, p);
    if (position === p) return null;
    const enters = (states, i) => states[position] !== states[position - 1] && isTied(runs[i], states[position]);
    return { position, lanes: [...runs.keys()].filter((i) => enters(axis.states[i], i)) };
  }
  const positions = stopPositions(runs, axis, stop, tokens);
  const position = Math.min(...positions.filter((q) => q > p));
  if (position === Infinity) return null;
  return { position, lanes: [...runs.keys()].filter((i) => positions[i] === position) };
}

/** Why no stop comes after position p: "tie", "size" (no run gets there), "unselected", "nowhere" (no run
 *  that could make or prune the token has it), "start" (it was there from the start), "stays" (nothing
 *  prunes it), or "passed". */
export function whyNone(runs, axis, stop, tokens) {
  if (stop.kind === "tie") return "tie";
  if (stopPositions(runs, axis, stop, tokens).some((q) => q >= 0)) return "passed";
  if (stop.kind === "size") return runs.some((run) => stopState(run, stop, -1) === 0) ? "passed" : "size";
  if (tokens.every((token) => (token ?? -1) === -1)) return "unselected";
  const known = runs.filter((run, i) => stop.kind in run.family.stops && tokens[i] !== -1);
  if (!known.length) return "nowhere";
  return stop.kind === "end" ? "stays" : "start";
}
