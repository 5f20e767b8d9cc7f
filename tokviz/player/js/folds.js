// Stretches of rounds in which no word is cut in another way. Folded, each is one short place of the scrub bar, and
// one step goes over it; positions keep their numbers. Knows no page; tests read it with Node.

const LEAST_ROUNDS = 3; // rounds of a stretch that is worth folding
const FOLD_PARTS = 5; // a fold is as wide as one of so many parts of the other rounds

/** The stretches of rounds that change no word, as states [from, to]: those of some rounds, and of a sixth of all.
 *  If no round changes a word, there is none.
 *
 *  quietRounds([0, 0, 0, 2, 0]) → [[0, 3]] */
export function quietRounds(changed) {
  const found = [];
  const least = Math.max(LEAST_ROUNDS, changed.length / 6);
  for (let from = 0, to = 0; to <= changed.length; to++) {
    if (to < changed.length && !changed[to]) continue;
    if (to - from >= least && to - from < changed.length) found.push([from, to]);
    from = to + 1;
  }
  return found;
}

export class Folds {
  /** `changed` says for each round how many words it cuts in another way; nothing where rounds are not folded. */
  constructor(changed, last) {
    this.folded = true;
    this.renew(changed, last);
  }

  /** The same for other rounds. */
  renew(changed, last) {
    this.stretches = quietRounds(changed);
    this.last = last;
    const others = this.stretches.reduce((rest, [from, to]) => rest - (to - from), last);
    this.width = Math.max(1, Math.ceil(others / FOLD_PARTS));
  }

  get shown() {
    return this.folded ? this.stretches : [];
  }

  /** The stretch that has a position inside, if it is folded. */
  over(p) {
    return this.shown.find(([from, to]) => from < p && p < to);
  }

  /** The stretch that the next step from a position goes over. */
  next(p) {
    return this.shown.find(([from]) => from === p);
  }

  /** The position so many steps from another one; a folded stretch is one step. */
  step(p, by) {
    const direction = Math.sign(by);
    let q = p;
    for (let k = 0; k < Math.abs(by); k++) {
      q += direction;
      const stretch = this.over(q);
      if (stretch) q = stretch[direction > 0 ? 1 : 0];
    }
    return q;
  }

  /** Where a position stands on the bar, from 0 to `size`. */
  place(p) {
    return this.shown.reduce((place, [from, to]) => (p <= from ? place : place - (Math.min(p, to) - from) * (1 - this.width / (to - from))), p);
  }

  get size() {
    return this.place(this.last);
  }

  /** The position that is nearest to a place of the bar, and in no fold. */
  at(place) {
    if (!this.shown.length) return Math.round(place);
    let best = 0;
    for (let p = 0; p <= this.last; p = this.step(p, 1)) {
      if (Math.abs(this.place(p) - place) < Math.abs(this.place(best) - place)) best = p;
    }
    return best;
  }
}
