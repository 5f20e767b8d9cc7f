// The runs of a player, and their families. A family is an object that knows what differs between
// algorithms: how its runs were packed, what their tables show, what is said of a step, what a quiz asks.
// All families have the same properties; merges.js says what each is for. A new family is a module and a
// line here. Knows no page.

import { boundless } from "./boundless.js";
import { boundlessPicky } from "./boundless_picky.js";
import { crossing } from "./crossing.js";
import { em } from "./em.js";
import { merges } from "./merges.js";
import { parity } from "./parity.js";
import { picky } from "./picky.js";
import { arraysOf, unpack } from "./packed.js";
import { unigram } from "./unigram.js";

/** By the name that Python packs. */
export const FAMILIES = { merges, parity, picky, crossing, boundless, boundlessPicky, unigram, em };

/** Reads what Python sent: the head of the player, and one run a lane. Throws an Error with a
 *  sentence if it is none. */
export function readBundle(data) {
  const { header, rest } = unpack(data, "TVZB");
  return { head: header, runs: header.lanes.map(([at, size]) => readRun(rest.subarray(at, at + size))) };
}

/** What the parts of a player are made by. Runs that have it in common differ in what they were trained on, and how
 *  far. */
export function kindOf(run) {
  const { label, algorithm, score, pseudocode, functions, has_text } = run;
  const parts = ["given", "agreement", "worked_out", "actions", "row_right"].map((name) => Boolean(run[name]));
  return JSON.stringify([label, algorithm, score, pseudocode, functions, has_text, ...parts]);
}

/** Makes a run, which others hold, another one. */
export function become(run, other) {
  for (const name of Object.keys(run)) if (!(name in other)) run[name] = undefined;
  Object.assign(run, other);
}

/** Reads one packed run. */
export function readRun(data) {
  const { header, rest } = unpack(data, "TVZ1");
  const strings = header.tokens.map((parts) => (typeof parts === "string" ? parts : parts.join("")));
  return { ...header, ...arraysOf(header, rest), strings, family: FAMILIES[header.family] };
}
