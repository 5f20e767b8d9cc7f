// A step forward as it is seen: the two chips of a merge slide together, a pruned token comes apart, and the
// words behind them follow in their line. The page has the new state at once: what moves are copies above
// it, and nothing of them is left behind.

import { make } from "./dom.js";
import { shared } from "./shared.js";
import { tokenBytes } from "./tokens.js";

const MOST_PLACES = 60; // places in sight; with more of them nothing slides
const TAKES = { merge: 400, prune: 500 }; // ms
const SLIDE = 0.65; // of that time; then the two chips of a merge fade into the new one

/** Which tokens of a word are which after a step: [{ before, after }], both [from, to]. */
export function alignment(run, before, after) {
  const length = (token) => tokenBytes(run, token).length;
  const groups = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    const [from, start] = [i, j];
    const same = before[i] === after[j];
    let ahead = length(before[i++]) - length(after[j++]);
    while (!same && ahead && (ahead < 0 ? i < before.length : j < after.length)) {
      ahead += ahead < 0 ? length(before[i++]) : -length(after[j++]);
    }
    // An end of a word has no letters, but may be a token.
    while (!same && i < before.length && !length(before[i]) && before[i] !== after[j]) i++;
    while (!same && j < after.length && !length(after[j]) && before[i] !== after[j]) j++;
    groups.push({ before: [from, i], after: [start, j] });
  }
  return groups;
}

/** Where parts stand that share the room of a whole, and what of each is cut off on both sides, so that none
 *  covers the letters of another one: the first begins and the last ends with the whole, inside of whose edge
 *  is a `padding`. */
export function partsOf({ left, right }, widths, padding) {
  const over = widths.reduce((sum, width) => sum + width, left - right) / Math.max(1, widths.length - 1);
  let next = left;
  return widths.map((width, i) => {
    const part = { left: next, cut: [i ? Math.max(0, over - padding) : 0, i < widths.length - 1 ? Math.min(over, padding) : 0] };
    next += width - over;
    return part;
  });
}

const placeOf = (element) => element.getBoundingClientRect();
const isInOneLine = (word) => word.getClientRects().length === 1;
/** The chips of a word and where they are, as the eye meets them. */
const chipsIn = (word) => [...word.querySelectorAll(".chip")].map((chip) => ({ chip, token: Number(chip.dataset.t), place: placeOf(chip) }));
const fromTheLeft = (chips) => chips.sort((one, other) => one.place.left - other.place.left);
const room = (chips) => ({ left: Math.min(...chips.map(({ place }) => place.left)), right: Math.max(...chips.map(({ place }) => place.right)) });

export class Gesture {
  constructor(player) {
    Object.assign(this, { player, words: [], animations: [] });
  }

  /** Ends what still moves. */
  stop() {
    for (const animation of this.animations) animation.cancel();
    this.layer?.remove();
    Object.assign(this, { words: [], animations: [] });
  }

  /** Notes where words are that a step forward moves, before it is drawn: those in sight in the lines where
   *  something merges or goes. None if it would cost frames. */
  before(state, moving) {
    this.stop();
    const [lane, ...others] = this.player.lanes;
    if (!moving || others.length || state !== lane.t + 1) return;
    const marks = [...lane.corpus.body.querySelectorAll(".tv-pair, .doomed")];
    const marked = new Set(marks.map((mark) => mark.closest(".tv-word")));
    const near = lane.corpus.near();
    const changing = near.filter((element) => marked.has(element));
    // Where nothing moves, a step asks for no layout.
    if (!changing.length) return;
    const sight = placeOf(lane.corpus.element);
    const inSight = (elements) => elements.map((element) => ({ element, place: placeOf(element) })).filter(({ element, place }) => {
      return place.bottom > sight.top && place.top < sight.bottom && isInOneLine(element);
    });
    const touched = inSight(changing);
    if (!touched.length || touched.length > MOST_PLACES) return;
    const lines = new Set(touched.map(({ place }) => Math.round(place.top)));
    this.words = inSight(near).filter(({ place }) => lines.has(Math.round(place.top)));
    for (const word of this.words) if (marked.has(word.element)) word.chips = chipsIn(word.element);
    this.takes = lane.corpus.element.querySelector(".doomed") ? TAKES.prune : TAKES.merge;
  }

  /** Moves them from there to where they are now. */
  after() {
    if (!this.words.length) return;
    const [{ corpus, run }] = this.player.lanes;
    const slides = this.words.flatMap((word) => this.slidesOf(run, word));
    this.layer = make("p", { class: "tv-slides", "aria-hidden": "true" }, ...slides.map(({ copy }) => copy));
    corpus.body.append(this.layer);
    for (const slide of slides) slide.at = placeOf(slide.copy.firstChild);
    const { playing } = this.player;
    const duration = playing.on ? Math.min(this.takes, 800 / shared.chosen.speed) : this.takes;
    for (const { copy, at, from, to, top, fades } of slides) {
      const [start, end] = [from, to].map(({ left, cut = [0, 0] }) => {
        const clipPath = from.cut || to.cut ? `inset(0 ${cut[1]}px 0 ${cut[0]}px)` : "none";
        return { transform: `translate(${left - at.left}px, ${top - at.top}px)`, clipPath, opacity: 1 };
      });
      const frames = [{ ...start, easing: "ease-in-out" }, { ...end, offset: SLIDE }, { ...end, opacity: fades ? 0 : 1 }];
      this.animations.push(copy.animate(frames, { duration, fill: "forwards" }));
    }
    const hidden = this.words.filter(({ moves }) => moves);
    for (const { element } of hidden) this.animations.push(element.animate({ opacity: [0, 0] }, duration * SLIDE));
    if (slides.length) this.animations[0].onfinish = () => this.stop();
    else this.stop();
  }

  /** What moves of a word: itself if it is moved as it is; else its chips, those before the step where they
   *  merge, those after it where a token comes apart. */
  slidesOf(run, word) {
    const { element, place, chips } = word;
    const now = placeOf(element);
    if (Math.abs(now.top - place.top) > 2 || !isInOneLine(element)) return [];
    const slide = (node, from, to, top, fades) => {
      const copy = make("span", { ...(element.dir && { dir: element.dir }), class: fades ? "merges" : "" }, node.cloneNode(true));
      return { copy, from, to, top, fades };
    };
    word.moves = Boolean(chips) || Math.abs(now.left - place.left) > 0.5;
    if (!word.moves) return [];
    const stacked = element.querySelector(".tv-stack") || chips?.some(({ chip }) => chip.closest(".tv-stack"));
    if (!chips || stacked) return [slide(element, place, now, now.top)];
    const after = chipsIn(element);
    const padding = parseFloat(getComputedStyle(after[0].chip).paddingLeft);
    return alignment(run, chips.map(({ token }) => token), after.map(({ token }) => token)).flatMap((group) => {
      const [old, fresh] = [fromTheLeft(chips.slice(...group.before)), fromTheLeft(after.slice(...group.after))];
      const merges = old.length > 1 && fresh.length === 1;
      const moved = merges ? old : fresh;
      const parts = partsOf(room(merges ? fresh : old), moved.map((one) => one.place.width), padding);
      return moved.map(({ chip, place }, i) => (merges ? slide(chip, place, parts[i], fresh[0].place.top, true) : slide(chip, parts[i], place, place.top)));
    });
  }
}
