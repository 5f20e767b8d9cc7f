// Measured numbers, written as Python writes them.

import { number } from "./i18n.js";

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
  const [whole, decimals] = (half ? kept : value.toFixed(2)).split(".");
  return `${number(whole)}.${decimals}`;
}
