// Measured numbers, written as Python writes them.

import { number } from "./i18n.js";

const MOST_DECIMALS = 6;

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
export function fixed(value) {
  const exact = value.toFixed(60);
  const kept = exact.slice(0, exact.indexOf(".") + 3);
  const half = /^50*$/.test(exact.slice(kept.length)) && kept.at(-1) % 2 === 0;
  return separated(half ? kept : value.toFixed(2));
}

/** Numbers and their sum, written with the fewest decimals, but at least two, with which what is shown adds up.
 *
 *  addUp([0.126, 0.126], 0.252) → ["0.126", "0.126", "0.252"], for 0.13 + 0.13 is not 0.25 */
export function addUp(terms, sum) {
  for (let decimals = 2; ; decimals++) {
    const units = [...terms, sum].map((value) => Math.round(value * 10 ** decimals));
    const total = units.pop();
    if (decimals < MOST_DECIMALS && units.reduce((a, b) => a + b, 0) !== total) continue;
    return [...units, total].map((n) => separated((n / 10 ** decimals).toFixed(decimals)));
  }
}

/** A written number with its sign. */
export const signed = (written) => (written.startsWith("-") ? `−${written.slice(1)}` : `+${written}`);

function separated(written) {
  const [, sign, whole, decimals] = /^(-?)(\d+)\.(\d+)$/.exec(written);
  return `${sign}${number(whole)}.${decimals}`;
}
