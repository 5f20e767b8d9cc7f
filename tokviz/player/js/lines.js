// Lines of words that end at the same words in every state, so that a step moves words within their line
// only; and letters as large as the panel has room for.

import { make } from "./dom.js";

export const REST = 150; // ms after the last move of a drag until what is not seen is drawn
const LARGEST = { usual: 34 / 17.6, presenting: 82 / 33.6 }; // times the usual size
const SHRUNK = 0.7; // of the usual size, at least, where the text fills the screen
const LEAST_WHOLE = 0.58; // of it where all of the text is seen then in each of several lanes
export const LEAST = 12; // pixels of letters at the desk, before a panel scrolls
const ROWS = 12; // of the largest letters in a high panel, which may be larger than that
const LIKELY = 4; // sizes that are tried because they are likely, until others are halved

const largestOf = new WeakMap(); // for each text that was fitted, the size in pixels that it alone would have
let fitted; // the size in pixels that the words shown before these got

/** The state with most tokens: no other one needs more room. */
export function widestState(run) {
  return run.corpus_tokens.reduce((widest, n, t) => (n > run.corpus_tokens[widest] ? t : widest), 0);
}

/** Ends the lines of blocks where the browser has ended them. All are looked at before one is changed: the
 *  browser lays them out once. */
export function breakLines(blocks) {
  const starts = blocks.flatMap((words) => {
    const lines = words.map((word) => word.getClientRects());
    return words.filter((_word, i) => {
      const [before, after] = [lines[i - 1], lines[i]];
      return before?.length && after.length && after[0].top > before[before.length - 1].top + after[0].height / 2;
    });
  });
  for (const word of starts) word.before(make("br"));
}

export const isPresented = () => document.documentElement.classList.contains("tv-present");

/** The least size of letters of a whole text in several lanes; that of one lane where they stand one below the other. */
export function smallestBeside(body) {
  if (isPresented()) return parseFloat(getComputedStyle(body).fontSize) * LEAST_WHOLE;
  return innerWidth > 900 ? LEAST : undefined;
}

/** Gives several texts the letters that the longest of them got, which may be larger than before. */
export function evenOut(bodies) {
  if (!bodies.every((body) => body.style.getPropertyValue("--tv-fit"))) return;
  const sizes = bodies.map((body) => largestOf.get(body));
  for (const body of bodies) body.style.setProperty("--tv-fit", `${Math.min(...sizes)}px`);
}

/** Whether a panel has room for all that is in it. */
export const hasRoom = (panel) => panel.scrollHeight <= panel.clientHeight && panel.scrollWidth <= panel.clientWidth;

/** Whether a word is wider than its block, which shows nothing beside itself. */
export const cutsOff = (body) => [...body.querySelectorAll(".tv-block")].some((e) => e.scrollWidth > e.clientWidth);

/** Gives the words the largest letters with which the panel does not scroll, but not smaller ones than
 *  `least`; of itself this is the usual size. Sizes are tried in steps of half a pixel. */
export function fill(panel, body, least) {
  body.style.removeProperty("--tv-fit");
  const usual = parseFloat(getComputedStyle(body).fontSize);
  const presenting = isPresented();
  // From the back row, a whole text is more than its largest letters.
  const smallest = least ?? usual * (presenting && ["corpus", undefined].includes(document.documentElement.dataset.picture) ? SHRUNK : 1);
  const setSize = (steps) => {
    // Without a size of its own it has the usual one, and none of its tokens is styled anew.
    if (!steps && smallest === usual) body.style.removeProperty("--tv-fit");
    else body.style.setProperty("--tv-fit", `${smallest + steps / 2}px`);
  };
  const fits = (steps) => {
    setSize(steps);
    return hasRoom(panel) && !cutsOff(body);
  };
  const largest = Math.max(usual * LARGEST[presenting ? "presenting" : "usual"], panel.clientHeight / ROWS);
  body.classList.add("tv-measured");
  let some = 0; // is taken where nothing larger fits
  let tooMany = Math.max(0, Math.floor(2 * (Math.floor(largest) - smallest))) + 1;
  // Each size is a layout of the whole text. A text that is typed has nearly the size of the one before: that
  // size comes first; where it was the smallest one and the text is too long for that, it is the only one. Letters twice as large need four times the room, so that one size tells what is likely to
  // fit; where lines or long words want it otherwise, sizes are halved. A long text, which has no room for
  // larger letters, gets one layout.
  const room = panel.clientHeight - body.offsetTop - parseFloat(getComputedStyle(panel).paddingBottom);
  let next = Math.round(2 * (fitted - smallest)) || 0;
  if (next <= 0 && fitted !== undefined && !fits(0)) tooMany = 1;
  for (let tries = 1; tooMany - some > 1; tries++) {
    const steps = Math.min(Math.max(next, some + 1), tooMany - 1);
    if (fits(steps)) some = steps;
    else tooMany = steps;
    const likely = (smallest + steps / 2) * Math.sqrt(room / body.offsetHeight);
    next = Math.floor(tries < LIKELY ? 2 * (likely - smallest) : (some + tooMany) / 2);
  }
  setSize(some);
  // WebKit leaves the scroll bar that larger letters needed, and what is narrower by it may need it.
  if (some && !hasRoom(panel)) {
    fits(0);
    setSize(some);
  }
  fitted = smallest + some / 2;
  // What is not seen as a whole in the smallest letters is scrolled, in letters that are read well.
  if (!some && !hasRoom(panel)) setSize((some = Math.max(0, 2 * (usual * (least ? SHRUNK : 1) - smallest))));
  largestOf.set(body, smallest + some / 2);
  body.classList.remove("tv-measured");
}
