// What people read, in their language: Python puts the catalog before the modules (assets.py). A
// message is one string literal, so that it can be found; values stand in braces.

// The node tests have none, and English needs none.
const known = typeof CATALOG === "undefined" ? { language: "en", messages: {}, plural: "" } : CATALOG;

/** The language of the page, as HTML names it. */
export const language = known.language.replace("_", "-");

/** A message as text. */
export function _(message, values = {}) {
  return filled(known.messages[message] ?? message, values).join("");
}

/** A message about n things, which stands in it as {n}. */
export function _n(one, many, n, values = {}) {
  return filled(plural(one, many, n), { n: number(n), ...values }).join("");
}

/** A message in parts: a value may be anything that is shown there, or a list of such. */
export function _p(message, values = {}) {
  return filled(known.messages[message] ?? message, values);
}

/** `_p` of a message about n things. */
export function _pn(one, many, n, values = {}) {
  return filled(plural(one, many, n), { n: number(n), ...values });
}

/** Sentences one after another, each in parts; none for those without. */
export function sentences(...said) {
  const both = (first, second) => (first.length ? _p("{first} {second}", { first, second }) : second);
  return said.filter(({ length }) => length).reduce(both, []);
}

/** Things in a row, in parts. */
export function listed(items) {
  return items.flatMap((item, i) => (i ? [_(", "), item] : [item]));
}

function filled(text, values) {
  const parts = text.split(/\{(\w+)\}/);
  return parts.flatMap((part, i) => (i % 2 ? values[part] : part)).filter((part) => part !== "");
}

/** Forms by the catalog's rule, which repeats every hundred from a hundred on; a fraction has that of a hundred. */
function plural(one, many, n) {
  const forms = known.messages[one];
  if (!Array.isArray(forms)) return n === 1 ? one : many;
  const whole = Number.isInteger(n) ? n : 100;
  return forms[Number(known.plural[whole < 200 ? whole : 100 + (whole % 100)])];
}

/** How many a number means that was written by Python, for plurals: many if it is no plain number. */
export function amount(written) {
  const n = Number(written.replaceAll(",", ""));
  return Number.isInteger(n) ? n : 100;
}

/** An integer with thousands separators. */
export function number(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
