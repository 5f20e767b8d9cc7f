// A corpus that scrolls follows what is played: after a step comes to rest, a place of the next merge is in
// sight.

const STILL = 150; // ms after a step until the corpus scrolls
const SCROLLED = 500; // ms after scrolling until it is looked whether the place is in sight
const BY_HAND = 3000; // ms after somebody scrolled in which nothing else scrolls
const SCROLLING = ["wheel", "touchmove", "keydown"];
const SCROLL_KEYS = ["ArrowUp", "ArrowDown"]; // the other keys that scroll are the player's

/** How far to scroll until one of some places, [top, bottom], is in a window of that kind; 0 if one is. */
export function distance(places, [top, bottom]) {
  const ways = places.map(([start, end]) => (start < top || end - start > bottom - top ? start - top : Math.max(0, end - bottom)));
  return ways.reduce((least, way) => (Math.abs(way) < Math.abs(least) ? way : least), ways[0] ?? 0);
}

export class NextPlace {
  constructor(corpus) {
    Object.assign(this, { corpus, byHand: -BY_HAND, reduced: matchMedia("(prefers-reduced-motion: reduce)") });
    const panel = corpus.element;
    const scrolled = () => (this.byHand = performance.now());
    for (const kind of SCROLLING) {
      panel.addEventListener(kind, ({ key }) => (key === undefined || SCROLL_KEYS.includes(key)) && scrolled(), { passive: true });
    }
    // The panel itself is pressed only at its scroll bar or beside the text.
    panel.addEventListener("pointerdown", ({ target }) => target === panel && scrolled());
  }

  /** A step was drawn: follows it, unless another one comes soon. */
  stepped(rapid) {
    clearTimeout(this.resting);
    if (!rapid) this.resting = setTimeout(() => this.follow(), STILL);
  }

  /** Scrolls as little as brings a place of the next merge in sight, and looks `again` whether it is: blocks
   *  that were never drawn are as high as was guessed. */
  follow(again = true) {
    const panel = this.corpus.element;
    const hidden = this.corpus.asVocabulary || document.documentElement.matches(".tv-quiz, .tv-veiled");
    if (hidden || panel.scrollHeight <= panel.clientHeight || performance.now() - this.byHand < BY_HAND) return;
    const { top } = panel.getBoundingClientRect();
    const far = distance(this.places(), [top + panel.clientTop, top + panel.clientTop + panel.clientHeight]);
    if (Math.abs(far) < 1) return;
    // Not at the very edge.
    const more = Math.sign(far) * Math.min(40, panel.clientHeight / 6);
    panel.scrollBy({ top: far + more, behavior: this.reduced.matches ? "auto" : "smooth" });
    if (again) this.resting = setTimeout(() => this.follow(false), SCROLLED);
  }

  /** Where the next merge is in the blocks in sight, or else in the nearest ones before and after them:
   *  [top, bottom] of its words. */
  places() {
    const { corpus } = this;
    const isNext = (w) => corpus.words.isNext(w, corpus.t);
    const holds = ({ items }) => items.some(isNext);
    const blocks = [...corpus.blocks.values()];
    const first = Math.max(0, blocks.findIndex(({ near }) => near));
    const last = Math.max(0, blocks.findLastIndex(({ near }) => near));
    const seen = blocks.slice(first, last + 1).filter(holds);
    const beside = [blocks.slice(0, first).findLast(holds), blocks.slice(last + 1).find(holds)];
    const found = [...seen, ...beside.filter(Boolean)];
    corpus.drawBlocks(found);
    return found.flatMap(({ places }) => places.filter(({ w }) => isNext(w))).map(({ element }) => {
      const { top, bottom } = element.getBoundingClientRect();
      return [top, bottom];
    });
  }
}
