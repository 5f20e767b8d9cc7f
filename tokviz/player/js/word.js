// The lens of a word: which word, in which step, and its picture as a file or as text. Python says
// everything once for a word; every state of it is drawn here without asking again.

import { drawAnswer } from "./answers.js";
import { AnswerChips } from "./column.js";
import { button, direction, make, textNodes } from "./dom.js";
import { LatticeWord } from "./lattice_word.js";
import { MergedWord } from "./merged_word.js";
import { fileName, fontsOf, saveFile } from "./picture.js";
import { _, _p, number } from "./i18n.js";
import { shared } from "./shared.js";

const MOST_TYPED = 200; // characters
const ZOOMS = [1.4, 1.2, 1, 0.86, 0.74, 0.62, 0.52]; // of a picture; the last is taken in any case
const TYPING = 250; // ms after the last key until a typed word is asked for
/** Where the scrubber stands, by what Python calls a step. */
const PLACES = {
  merge: (at) => _("merge {value} of {last}", at), round: (at) => _("round {value} of {last}", at),
  step: (at) => _("step {value} of {last}", at),
};
const views = new WeakMap();

export default function mount(component) {
  return drawAnswer(views, component, (root, answer) => new WordLens(root, answer), "tokviz word");
}

/** Keys that scroll a part that is larger than its room do not move the player as well. */
function scrollKeys(event) {
  const part = event.currentTarget;
  if (event.target !== part) return;
  const [sideways, down] = [part.scrollWidth > part.clientWidth, part.scrollHeight > part.clientHeight];
  const keys = [...(sideways ? ["ArrowLeft", "ArrowRight"] : []), ...(down ? ["PageUp", "PageDown", "Home", "End", " "] : [])];
  if (keys.includes(event.key)) event.stopPropagation();
}

class WordLens {
  constructor(root, answer) {
    Object.assign(this, { root, serial: answer.serial, chosen: null });
    this.views = { merges: new MergedWord(this), lattice: new LatticeWord(this) };
    this.field = make("input", { type: "text", "aria-label": _("Word"), class: "tv-wordfield", maxlength: MOST_TYPED, autocapitalize: "off", spellcheck: "false", dir: "auto" });
    this.field.value = answer.typed;
    this.field.oninput = () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.ask({ typed: this.field.value }), TYPING);
    };
    this.forms = make("span", { class: "tv-tries", role: "group", "aria-label": _("The word as it stands in a text") });
    this.count = make("span", { class: "tv-note" });
    const step = (by) => () => document.dispatchEvent(new CustomEvent("tokviz-go", { detail: { by } }));
    this.where = make("span", { class: "tv-where" });
    const saving = ["svg", "pdf", "png"].map((kind) => {
      const element = make("button", { type: "button", class: "tv-wide", "data-kind": kind }, kind.toUpperCase());
      element.title = _("Save the picture as {kind}", { kind: kind.toUpperCase() });
      element.setAttribute("aria-label", element.title);
      element.onclick = () => this.save(kind);
      return element;
    });
    this.saving = make("span", { class: "tv-buttons" }, ...saving);
    this.title = make("h2");
    this.tools = make("span", { class: "tv-walk" });
    this.picture = make("div", { class: "tv-picture", tabindex: 0, role: "group", "aria-label": _("Picture of the word") });
    this.said = make("p", { class: "tv-told", role: "status" });
    this.side = make("div", { class: "tv-side", role: "group", "aria-label": _("About the picture"), tabindex: 0 });
    this.alternative = make("details", { class: "tv-astext" }, make("summary", {}, _("The picture as text")), make("div", { tabindex: 0 }));
    root.replaceChildren(
      make(
        "div", { class: "tv-inside-head" },
        make("label", {}, make("span", { class: "tv-note" }, _("Word"), " "), this.field), this.forms, this.count,
        make("span", { class: "tv-follow" }, button(_("Previous step of the training"), "previous", step(-1)), this.where, button(_("Next step of the training"), "next", step(1))),
        this.saving,
      ),
      make("div", { class: "tv-inside-body" }, make("div", { class: "tv-drawn" }, make("div", { class: "tv-drawn-head" }, this.title, this.tools), this.picture, this.said), this.side),
      this.alternative,
    );
    for (const scrolling of [this.picture, this.side, this.alternative.lastChild]) scrolling.onkeydown = scrollKeys;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", _("Inside a word"));
    this.stepped = ({ detail }) => this.follow(detail);
    this.clicked = ({ detail }) => this.take(detail);
    document.addEventListener("tokviz-step", this.stepped);
    this.walked = () => this.answer?.kind === "lattice" && this.views.lattice.go(1);
    document.addEventListener("tokviz-word", this.clicked);
    document.addEventListener("tokviz-walk", this.walked);
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.picture);
  }

  stop() {
    clearTimeout(this.typing);
    cancelAnimationFrame(this.coming);
    document.removeEventListener("tokviz-step", this.stepped);
    document.removeEventListener("tokviz-word", this.clicked);
    document.removeEventListener("tokviz-walk", this.walked);
    this.observer.disconnect();
  }

  ask(asked) {
    this.serial++;
    this.tell({ serial: this.serial, ...asked });
  }

  /** A word that was clicked in the player. */
  take({ lane, number }) {
    this.chosen = null;
    this.ask({ lane, number });
  }

  draw(answer) {
    const same = this.answer?.word === answer.word && this.answer.kind === answer.kind && this.answer.algorithm === answer.algorithm;
    this.answer = answer;
    this.serial = Math.max(this.serial, answer.serial);
    if (document.activeElement !== this.field) this.field.value = answer.typed;
    if (!same) {
      this.chosen = null;
      this.views.lattice.leave();
    }
    this.table = new AnswerChips({ table: answer.table ?? [], unit: answer.unit });
    this.rtl = direction(answer.word) === "rtl";
    this.drawForms();
    const now = shared.moment?.states?.[answer.lane];
    this.t = Math.min(now ?? answer.state, answer.last);
    this.made = null;
    this.drawState();
    if (answer.figure && this.saved === answer.serial) this.takeFigure(answer.figure);
    if (!shared.wordAsked) return;
    // Whoever opened the lens from the player goes on here.
    shared.wordAsked = false;
    this.field.focus({ preventScroll: true });
  }

  drawForms() {
    const { forms, word, count, typed } = this.answer;
    this.forms.replaceChildren(...(forms.length > 1 ? forms : []).map(([form, times]) => {
      const element = make("button", { type: "button", class: "tv-try", "aria-pressed": form === word }, make("bdi", {}, ...textNodes(form)), make("small", {}, ` ${number(times)}×`));
      element.onclick = () => this.ask({ typed, form });
      return element;
    }));
    this.count.textContent = !word ? "" : count ? _("{count}× in the corpus", { count: number(count) }) : _("not in the corpus: cut as a new word");
  }

  /** The scrubber moved. */
  follow({ states }) {
    const t = states[this.answer.lane];
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

  // --- the picture ----------------------------------------------------------------------------

  drawState() {
    const { kind, note, noun, last, word } = this.answer;
    this.root.dataset.state = this.t;
    this.root.dataset.kind = kind;
    this.root.removeAttribute("data-waiting");
    this.where.textContent = PLACES[noun]({ value: number(this.t), last: number(last) });
    this.saving.hidden = this.alternative.hidden = kind === "none";
    this.tools.hidden = kind !== "lattice";
    for (const element of this.saving.children) element.hidden = !this.answer.kinds.includes(element.dataset.kind);
    this.title.replaceChildren(...(word ? _p("“{word}”", { word: make("bdi", {}, ...textNodes(word)) }) : [_("A word")]));
    if (kind === "none") {
      this.picture.replaceChildren(make("p", { class: "tv-note" }, note));
      this.said.textContent = "";
      this.side.replaceChildren();
    } else this.views[kind].draw();
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
    this.picture.replaceChildren(this.made.element);
  }

  chip(i) {
    return this.table.chip(i);
  }

  chips(faces) {
    return make("span", { class: "tv-word", dir: this.rtl ? "rtl" : "ltr" }, ...faces.map((face) => this.chip(face)));
  }

  /** Asks for the picture as a figure for a paper, which the server draws as Python does. */
  save(kind) {
    const removed = this.answer.removal?.edges ?? [];
    this.ask({ typed: this.answer.typed, form: this.answer.word, state: this.t, removed, figure: kind });
    this.saved = this.serial;
  }

  takeFigure({ kind, type, data, error }) {
    this.saved = undefined;
    if (error) {
      this.said.textContent = error;
      return;
    }
    const name = `tokviz-${fileName(this.answer.word)}-${this.answer.noun}-${this.t}`;
    saveFile(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type }), `${name}.${kind}`);
  }
}
