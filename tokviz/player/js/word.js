// The lens of a word: which word, in which step, and its picture as a file; beside it stands the picture of another
// lane, if that is of another kind. Python says everything once for a word; every state of it is drawn here
// (word_pane.js) without asking again.

import { drawAnswer } from "./answers.js";
import { arrange, button, make, textNodes } from "./dom.js";
import { fileName, saveFile } from "./picture.js";
import { _, number } from "./i18n.js";
import { shared } from "./shared.js";
import { WordPane } from "./word_pane.js";

const MOST_TYPED = 200; // characters
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

class WordLens {
  constructor(root, answer) {
    Object.assign(this, { root, serial: answer.serial });
    this.panes = [new WordPane((asked) => this.ask(asked), () => this.drawState())];
    this.body = make("div", { class: "tv-inside-body" }, this.panes[0].root);
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
    root.replaceChildren(
      make(
        "div", { class: "tv-inside-head" },
        make("label", {}, make("span", { class: "tv-note" }, _("Word"), " "), this.field), this.forms, this.count,
        make("span", { class: "tv-follow" }, button(_("Previous step of the training"), "previous", step(-1)), this.where, button(_("Next step of the training"), "next", step(1))),
        this.saving,
      ),
      this.body,
    );
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", _("Inside a word"));
    this.stepped = ({ detail }) => this.panes.forEach((pane) => pane.follow(detail));
    this.clicked = ({ detail }) => this.take(detail);
    document.addEventListener("tokviz-step", this.stepped);
    this.walked = () => this.panes.find(({ answer }) => answer?.kind === "lattice")?.views.lattice.go(1);
    document.addEventListener("tokviz-word", this.clicked);
    document.addEventListener("tokviz-walk", this.walked);
  }

  stop() {
    clearTimeout(this.typing);
    document.removeEventListener("tokviz-step", this.stepped);
    document.removeEventListener("tokviz-word", this.clicked);
    document.removeEventListener("tokviz-walk", this.walked);
    for (const pane of this.panes) pane.stop();
  }

  ask(asked) {
    this.serial++;
    this.tell({ serial: this.serial, ...asked });
  }

  /** A word that was clicked in the player. */
  take({ lane, number }) {
    this.panes[0].chosen = null;
    this.ask({ lane, number });
  }

  draw(answer) {
    this.answer = answer;
    this.serial = Math.max(this.serial, answer.serial);
    if (document.activeElement !== this.field) this.field.value = answer.typed;
    this.drawForms();
    this.drawPanes();
    if (answer.figure && this.saved === answer.serial) this.takeFigure(answer.figure);
    if (!shared.wordAsked) return;
    // Whoever opened the lens from the player goes on here.
    shared.wordAsked = false;
    this.field.focus({ preventScroll: true });
  }

  drawPanes() {
    const { beside } = this.answer;
    const [first, second] = this.panes;
    if (beside && !second) this.panes.push(new WordPane());
    else if (second && !beside) this.panes.pop().stop();
    // What stays keeps the focus.
    arrange(this.body, this.panes.map(({ root }) => root));
    this.body.classList.toggle("both", Boolean(beside));
    first.draw(this.answer);
    if (beside) this.panes[1].draw(beside);
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

  /** What the first picture shows was drawn. */
  drawState() {
    const { kind, noun, last, kinds } = this.answer;
    const { t, waits } = this.panes[0];
    this.root.dataset.state = t;
    this.root.dataset.kind = kind;
    this.where.textContent = PLACES[noun]({ value: number(t), last: number(last) });
    this.saving.hidden = kind === "none" || waits;
    for (const element of this.saving.children) element.hidden = !kinds.includes(element.dataset.kind);
  }

  /** Asks for the picture as a figure for a paper, which the server draws as Python does. */
  save(kind) {
    const removed = this.answer.removal?.edges ?? [];
    this.ask({ typed: this.answer.typed, form: this.answer.word, state: this.panes[0].t, removed, figure: kind });
    this.saved = this.serial;
  }

  takeFigure({ kind, type, data, error }) {
    this.saved = undefined;
    if (error) {
      this.panes[0].said.textContent = error;
      return;
    }
    const name = `tokviz-${fileName(this.answer.word)}-${this.answer.noun}-${this.panes[0].t}`;
    saveFile(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type }), `${name}.${kind}`);
  }
}
