// Measured numbers, written as Python writes them.

import { number } from "./i18n.js";

const REMAINDER = 1e-6; // by which remainders differ at least

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

/** Two decimals with thousands separators; halves go to even here too. */
export const fixed = (value) => separated(rounded(value, 2));

function rounded(value, decimals) {
  const exact = value.toFixed(60);
  const kept = exact.slice(0, exact.indexOf(".") + 1 + decimals);
  const half = /^50*$/.test(exact.slice(kept.length)) && kept.at(-1) % 2 === 0;
  return half ? kept : value.toFixed(decimals);
}

/** Values rounded so that they add up to a whole number, those with the largest remainder up (tokviz.analysis.added_up). */
export function apportioned(values, total) {
  const units = values.map(Math.floor);
  const missing = units.reduce((left, unit) => left - unit, total);
  const whole = Math.floor(missing / values.length);
  const left = values.map((value, i) => Math.floor((value - units[i]) / REMAINDER));
  const order = [...values.keys()].sort((a, b) => left[b] - left[a]);
  const ups = new Set(order.slice(0, missing - whole * values.length));
  return units.map((unit, i) => unit + whole + ups.has(i));
}

/** Values rounded so that they add up to their sum as `significant` writes it: in units of ten to a `power`, with the
 *  same values rounded one by one, and how units are written. */
export function addedUp(values, total) {
  const [digits, exponent] = Number(significant(total)).toExponential(3).split("e");
  const power = Number(exponent) - 3;
  const scaled = values.map((value) => (power > 0 ? value / 10 ** power : value * 10 ** -power));
  const terms = values.length ? apportioned(scaled, Number(digits.replace(".", ""))) : [];
  const decimals = Math.max(0, -power);
  const written = (units) => decimal(BigInt(units) * 10n ** BigInt(Math.max(0, power)), decimals);
  return { terms, nearest: scaled.map((value) => Math.floor(value + 0.5)), power, written };
}

/** A whole number of units of the last of some decimals. */
export function decimal(units, decimals) {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  const [whole, rest] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  return `${units < 0n ? "-" : ""}${number(BigInt(whole))}${decimals ? `.${rest}` : ""}`;
}

/** What a number was, why it changed, and what it is, all with so many decimals: the changes add up as they are shown.
 *
 *  addUp(0.126, [0.126], 0.252, 2) → ["0.13", "0.12", "0.25"] */
export function addUp(before, changes, after, decimals) {
  const unit = 10 ** decimals;
  const [from, to] = [before, after].map((value) => Number(rounded(value, decimals).replace(".", "")));
  const parts = changes.length ? apportioned(changes.map((value) => value * unit), to - from) : [];
  return [from, ...parts, to].map((units) => decimal(BigInt(units), decimals));
}

/** A written number with its sign. */
export const signed = (written) => (written.startsWith("-") ? `−${written.slice(1)}` : `+${written}`);

function separated(written) {
  const [, sign, whole, decimals] = /^(-?)(\d+)\.(\d+)$/.exec(written);
  return `${sign}${number(whole)}.${decimals}`;
}
