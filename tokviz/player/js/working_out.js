// The loss deltas of tokens that go next, word by word in numbers that add up as they are shown, as columns.py packs
// them (tokviz.analysis.shown_losses). Knows no page.

import { number } from "./i18n.js";
import { fixed, significant } from "./numbers.js";

const MOST_WORDS = 24; // by which the deltas of a state are worked out, and
const MOST_TERMS = 8; // that are shown of one
const DECIMALS = { least: 2, most: 12 };
const ALL_TOKENS = -1;

export class WorkingOut {
  constructor(core, spelling, words, counts) {
    Object.assign(this, { core, spelling, words, counts });
  }

  /** By the tokens' numbers: of those that go and have a delta, the dearest first, as far as there is room. */
  of(doomed, delta, path, uses) {
    const going = doomed.filter((token) => delta[token] > 0).sort((a, b) => delta[b] - delta[a] || a - b);
    const found = {};
    let room = MOST_WORDS;
    for (const token of going) {
      const users = this.usersOf(token, path, uses[token]);
      room -= users.length;
      if (room < 0) break;
      found[token] = this.workedOut(users.map((w) => this.term(w, token)));
    }
    return found;
  }

  /** The words that use a token, so often in all. */
  usersOf(token, { tokens, starts }, uses) {
    const users = [];
    for (let at = tokens.indexOf(token), w = 0; at >= 0 && uses > 0; at = tokens.indexOf(token, at + 1)) {
      while (starts[w + 1] <= at) w++;
      uses -= this.counts[w];
      if (users.at(-1) !== w) users.push(w);
    }
    return users;
  }

  /** A word that uses a token, before and after it is cut without it. */
  term(w, token) {
    const before = this.core.costOfWord(w, ALL_TOKENS).cost;
    const { cost: after, cut } = this.core.costOfWord(w, token);
    return { w, count: this.counts[w], before, after, cut, rise: this.counts[w] * (after - before) };
  }

  workedOut(terms) {
    terms.sort((a, b) => b.rise - a.rise);
    const { rows, total, written } = rounded(terms);
    const shown = terms.slice(0, MOST_TERMS).map(({ w, count, cut }, i) => {
      const word = this.spelling.show(this.spelling.whole(this.words[w]));
      return [word, count, ...rows[i].map(written), cut];
    });
    const others = rows.slice(MOST_TERMS);
    const rest = others.reduce((sum, [, , rise]) => sum + rise, 0n);
    return { rows: shown, rest: [others.length, written(rest)], total: written(total) };
  }
}

/** The costs of words without and with a token, and the rises that follow, in units of the last decimal that is shown. */
function rounded(terms) {
  const exact = [...terms.map(({ rise }) => fixed(rise)), significant(terms.reduce((sum, { rise }) => sum + rise, 0))].join();
  for (let decimals = DECIMALS.least; ; decimals++) {
    const unit = 10 ** decimals;
    const rows = terms.map(({ count, after, before }) => {
      const costs = [after, before].map((cost) => BigInt(Math.round(cost * unit)));
      return [...costs, BigInt(count) * (costs[0] - costs[1])];
    });
    const total = rows.reduce((sum, [, , rise]) => sum + rise, 0n);
    const shown = [...rows.map(([, , rise]) => fixed(Number(rise) / unit)), significant(Number(total) / unit)].join();
    if (shown !== exact && decimals < DECIMALS.most) continue;
    const written = (units) => {
      const size = units < 0n ? -units : units;
      const [whole, rest] = [size / BigInt(unit), size % BigInt(unit)];
      return `${units < 0n ? "-" : ""}${number(Number(whole))}.${String(rest).padStart(decimals, "0")}`;
    };
    return { rows, total, written };
  }
}
