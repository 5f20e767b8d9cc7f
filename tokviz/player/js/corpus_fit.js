// How the words of a corpus fit their panel: in letters as large as there is room for, where they are few, and in
// lines that end at the same words in every state.

import { isClosing } from "./held.js";
import { breakLines, cutsOff, fill, hasRoom, smallestBeside, widestState } from "./lines.js";
import { wordText } from "./run.js";

const MARGINS = 8; // pixels beside a word
const WIDEST = 3; // em that a character with the edges of its token has at most
const RESTED = 700; // ms without another run after which letters may grow

export class CorpusFit {
  /** The `body` of a `panel` has the blocks in which `words` (corpus_words.js) draws those of a run; `layOut` lays
   *  them out anew. */
  constructor(run, words, panel, body, layOut) {
    // The room that words were laid out for ("" for none), and the letters of each view in such room.
    Object.assign(this, { run, words, panel, body, layOut, room: "", sizes: {} });
    this.renew();
  }

  /** The run has become another one. */
  renew() {
    this.widest = widestState(this.run);
  }

  /** Whether the panel has another size than words were laid out for: now they are laid out for this one. */
  measure() {
    const width = this.body.clientWidth;
    const room = `${width} ${this.panel.clientHeight} ${getComputedStyle(this.panel).fontSize}`;
    if (room === this.room || !width) return false;
    Object.assign(this, { room, width });
    return true;
  }

  /** Forgets what letters and lines were before, of some blocks. */
  begin(blocks) {
    this.forgetLines(blocks);
    this.letters = "";
    this.usual = parseFloat(getComputedStyle(this.body).fontSize);
    this.callOff();
    if (this.room !== this.sizedFor) Object.assign(this, { sizedFor: this.room, sizes: {} });
  }

  get isAlone() {
    return this.panel.closest(".tv-lanes")?.dataset.lanes === "1";
  }

  /** Whether letters are as large as there is room for, from now on: if the words are `short` enough to be laid out
   *  as a whole. */
  choose(short) {
    this.fills = short;
  }

  /** The size of the letters; "" for the usual one. */
  get letters() {
    return this.body.style.getPropertyValue("--tv-fit");
  }

  set letters(size) {
    this.body.style.setProperty("--tv-fit", size);
  }

  /** Gives blocks the largest letters with which their words do not scroll. */
  fill(blocks) {
    const { panel, body } = this;
    const fillWidest = () => {
      this.drawWidest(blocks);
      fill(panel, body, this.isAlone ? undefined : smallestBeside(body));
    };
    fillWidest();
    // In smaller letters a word that was too wide may have room in one line.
    if (parseFloat(this.letters) < this.usual && blocks.some(({ places }) => places.some(({ wide }) => wide))) {
      this.forgetLines(blocks);
      fillWidest();
    }
    panel.dispatchEvent(new CustomEvent("tokviz-filled", { bubbles: true }));
    this.endedAt = this.letters;
  }

  /** Keeps the letters that a view has. */
  keep(view) {
    this.sizes[view] = this.letters;
  }

  /** Gives a view the letters that it had last, in some room; false if it never had any. */
  restore(view, room) {
    if (!(view in this.sizes)) return false;
    Object.assign(this, { letters: this.sizes[view], room });
    return true;
  }

  /** After another run has come: letters are fitted anew at once where they have no room any more, else at rest, and
   *  so are words that nobody sees yet. */
  refit() {
    if (!this.fills) return;
    const { panel, body } = this;
    const again = () => {
      this.room = "";
      this.layOut();
    };
    if (!hasRoom(panel) && (this.letters || panel.scrollWidth > panel.clientWidth || cutsOff(body))) again();
    else this.resting = setTimeout(again, RESTED);
  }

  callOff() {
    clearTimeout(this.resting);
  }

  /** Whether lines have to end anew: the letters got another size from another text since. */
  follows() {
    const others = this.fills && this.letters !== this.endedAt;
    if (others) this.endedAt = this.letters;
    return others;
  }

  forgetLines(blocks) {
    for (const block of blocks) {
      Object.assign(block, { broken: false, t: -1 });
      for (const place of block.places ?? []) if (place.wide) Object.assign(place, { wide: false, content: null });
    }
  }

  /** Ends the lines of blocks where the browser does in the widest state, which they are left in. */
  endLines(blocks) {
    this.drawWidest(blocks);
    breakLines(blocks.map((block) => block.places.map(({ holder }) => holder)));
    for (const block of blocks) block.broken = true;
  }

  /** Draws blocks in the state in which words take most room, in lines that end where they may. */
  drawWidest(blocks) {
    for (const block of blocks) {
      block.element.querySelectorAll("br").forEach((end) => end.remove());
      this.words.draw(block, this.widest);
    }
    this.breakWide(blocks);
  }

  /** Words that are wider than the panel take several lines, as long ones do. */
  breakWide(blocks) {
    // A step asks for no layout.
    if (!blocks.length) return;
    // What is known is not asked for: there would be one layout more.
    const { width } = this;
    const size = parseFloat(this.letters) || this.usual;
    const most = (width - MARGINS) / (WIDEST * size);
    // To measure a word has its block laid out by itself: only long ones can be wide.
    const isWide = ({ w, element }) => {
      if (isClosing(wordText(this.run, w))) return false;
      const whole = element.closest(".tv-held") ?? element;
      return whole.textContent.length > most && whole.offsetWidth + MARGINS > width;
    };
    const wide = blocks.flatMap(({ places }) => places.filter(isWide));
    for (const place of wide) this.words.part(place);
  }
}
