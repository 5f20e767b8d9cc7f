// The loss deltas of tokens that go next, word by word in numbers that add up as they are shown, as columns.py packs
// them (tokviz.analysis.shown_losses). Knows no page.

import { addedUp, decimal, significant } from "./numbers.js";

const MOST_WORDS = 24; // by which the deltas of a state are worked out, and
const MOST_TERMS = 8; // that are shown of one
const DECIMALS = { least: 2, most: 12 };
const NOTHING = 1e-12; // a smaller share of the words' loss is only what floats make of nothing
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
      const terms = users.map((w) => this.term(w, token)).sort((a, b) => b.rise - a.rise);
      const shown = this.workedOut(terms, delta[token]);
      if (shown) found[token] = shown;
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

  workedOut(terms, total) {
    const [shown, others] = [terms.slice(0, MOST_TERMS), terms.slice(MOST_TERMS)];
    const rises = shown.map(({ rise }) => rise);
    if (others.length) rises.push(others.reduce((sum, { rise }) => sum + rise, 0));
    const added = addedUp(rises, total);
    // Beside a large loss of the corpus, floats know a small delta to less than four digits.
    const sum = (number) => terms.reduce((before, term) => before + number(term), 0);
    const unknown = Math.abs(sum(({ rise }) => rise) - total) > 10 ** added.power;
    if (unknown || total <= NOTHING * sum(({ count, before }) => before * count)) return null;
    const { decimals, costs, exact } = costsOf(shown, added);
    const rows = shown.map(({ w, count, cut }, i) => {
      const word = this.spelling.show(this.spelling.whole(this.words[w]));
      return [word, count, ...costs[i].map((units) => decimal(units, decimals)), added.written(added.terms[i]), cut];
    });
    const rest = [others.length, others.length ? added.written(added.terms.at(-1)) : "0"];
    return { rows, rest, total: significant(total), adjusted: !exact || added.terms.some((units, i) => units !== added.nearest[i]) };
  }
}

/** The costs of words without a token and now, with the fewest decimals by which the product with the count is the rise. */
function costsOf(terms, { nearest, power }) {
  const { least, most } = DECIMALS;
  for (let decimals = Math.min(most, Math.max(least, -power)); ; decimals++) {
    const over = 10n ** BigInt(decimals + power);
    const costs = terms.map(({ after, before }) => [after, before].map((cost) => BigInt(Math.round(cost * 10 ** decimals))));
    const exact = terms.every(({ count }, i) => (2n * BigInt(count) * (costs[i][0] - costs[i][1]) + over) / (2n * over) === BigInt(nearest[i]));
    if (exact || decimals === most) return { decimals, costs, exact };
  }
}
