// A picture of the word in one lane, and what is told of it: a tree or a lattice, in the step of the scrubber.

import { AnswerChips } from "./column.js";
import { direction, make, textNodes } from "./dom.js";
import { LatticeWord } from "./lattice_word.js";
import { MergedWord } from "./merged_word.js";
import { fontsOf } from "./picture.js";
import { _, _p } from "./i18n.js";
import { shared } from "./shared.js";

const ZOOMS = [1.4, 1.2, 1, 0.86, 0.74, 0.62, 0.52]; // of a picture; the last is taken in any case
const FOCUSABLE = ["data-node", "data-edge"]; // what is chosen in a picture, by its number

/** Keys that scroll a part that is larger than its room do not move the player as well. */
function scrollKeys(event) {
  const part = event.currentTarget;
  if (event.target !== part) return;
  const [sideways, down] = [part.scrollWidth > part.clientWidth, part.scrollHeight > part.clientHeight];
  const keys = [...(sideways ? ["ArrowLeft", "ArrowRight"] : []), ...(down ? ["PageUp", "PageDown", "Home", "End", " "] : [])];
  if (keys.includes(event.key)) event.stopPropagation();
}

export class WordPane {
  /** `ask` sends a request, `drawn` hears of each state that was drawn; without them no piece is taken out. */
  constructor(ask, drawn) {
    Object.assign(this, { ask, drawn, chosen: null });
    this.views = { merges: new MergedWord(this), lattice: new LatticeWord(this) };
    this.title = make("h2");
    this.about = make("span", { class: "tv-note" });
    this.tools = make("span", { class: "tv-walk" });
    this.picture = make("div", { class: "tv-picture", tabindex: 0, role: "group" });
    this.said = make("p", { class: "tv-told", role: "status" });
    this.side = make("div", { class: "tv-side", role: "group", tabindex: 0 });
    this.alternative = make("details", { class: "tv-astext" }, make("summary", {}, _("The picture as text")), make("div", { tabindex: 0 }));
    this.root = make(
      "div", { class: "tv-word-pane" },
      make("div", { class: "tv-drawn" }, make("div", { class: "tv-drawn-head" }, this.title, this.about, this.tools), this.picture, this.said),
      this.side, this.alternative,
    );
    for (const scrolling of [this.picture, this.side, this.alternative.lastChild]) scrolling.onkeydown = scrollKeys;
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.picture);
  }

  stop() {
    cancelAnimationFrame(this.coming);
    this.observer.disconnect();
  }

  draw(answer) {
    const same = this.answer?.word === answer.word && this.answer.kind === answer.kind && this.answer.algorithm === answer.algorithm;
    this.answer = answer;
    if (!same) {
      this.chosen = null;
      this.views.lattice.leave();
    }
    this.table = new AnswerChips({ table: answer.table ?? [], unit: answer.unit });
    this.rtl = direction(answer.word) === "rtl";
    this.name(answer.name);
    const now = shared.moment?.states?.[answer.lane];
    this.t = Math.min(now ?? answer.state, answer.last);
    this.made = null;
    this.drawState();
  }

  /** What its parts are called, beside another lane's too. */
  name(lane) {
    const names = [[this.picture, _("Picture of the word")], [this.side, _("About the picture")]];
    for (const [part, name] of names) part.setAttribute("aria-label", lane ? _("{lane}: {part}", { lane, part: name }) : name);
  }

  /** The scrubber moved. */
  follow({ states }) {
    const t = states[this.answer?.lane];
    if (t === undefined || t === this.t || t > this.answer.last) return;
    this.t = t;
    // However many moves there are, a frame needs one picture.
    this.coming ??= requestAnimationFrame(() => {
      this.coming = undefined;
      this.drawState();
    });
  }

  resized() {
    const { unit } = fontsOf(this.picture);
    const { width, height } = this.room();
    if (!this.made || (this.width === width && this.height === height && this.unit === unit)) return;
    this.made = null;
    this.drawState();
  }

  drawState() {
    const { kind, note, word, name } = this.answer;
    this.root.removeAttribute("data-waiting");
    this.tools.hidden = kind !== "lattice";
    this.alternative.hidden = kind === "none";
    const written = word ? _p("“{word}”", { word: make("bdi", {}, ...textNodes(word)) }) : [_("A word")];
    this.title.replaceChildren(...(name ? _p("{lane}: {part}", { lane: name, part: make("span", {}, ...written) }) : written));
    this.about.textContent = "";
    if (kind === "none") {
      this.picture.replaceChildren(make("p", { class: "tv-note" }, note));
      this.said.textContent = "";
      this.side.replaceChildren();
    } else this.views[kind].draw();
    this.drawn?.();
  }

  /** Nothing is known of this state yet. */
  wait(said) {
    this.root.setAttribute("data-waiting", "");
    this.said.textContent = said;
    this.side.replaceChildren();
    this.alternative.lastChild.replaceChildren();
  }

  get waits() {
    return this.root.hasAttribute("data-waiting");
  }

  room() {
    return { width: this.picture.clientWidth, height: this.picture.clientHeight };
  }

  /** Makes the picture, as large as there is room for it. */
  show(make) {
    const [fonts, room] = [fontsOf(this.picture), this.room()];
    Object.assign(this, { ...room, unit: fonts.unit });
    const presenting = document.documentElement.classList.contains("tv-present");
    for (const zoom of ZOOMS) {
      this.made = make({ ...fonts, unit: fonts.unit * zoom, smallest: zoom === ZOOMS.at(-1), presenting }, room);
      if (this.made.width <= room.width && this.made.height <= room.height) break;
    }
    this.made.build();
    const focused = FOCUSABLE.map((name) => [name, this.picture.querySelector(":focus")?.getAttribute(name)]).find(([, value]) => value);
    this.picture.replaceChildren(this.made.element);
    if (focused) (this.picture.querySelector(`[${focused.join('="')}"]`) ?? this.picture).focus({ preventScroll: true });
  }

  chip(i) {
    return this.table.chip(i);
  }

  chips(faces) {
    return make("span", { class: "tv-word", dir: this.rtl ? "rtl" : "ltr" }, ...faces.map((face) => this.chip(face)));
  }
}
