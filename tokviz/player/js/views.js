// The views of the corpus, for all lanes: the buttons that choose one, and what the key W does.

import { make } from "./dom.js";
import { _ } from "./i18n.js";

const VIEWS = { text: _("text"), words: _("words"), trees: _("trees"), vocabulary: _("vocabulary"), candidates: _("candidates"), pseudocode: _("pseudocode") };
/** What may stand beside the corpus of a single run. */
const SIDES = { "": _("table"), scores: _("picture"), delta: _("token"), pseudocode: _("pseudocode") };

const LANES_ONLY = ["candidates", "pseudocode"];

export class Views {
  constructor(player) {
    this.player = player;
    this.buttons = Object.entries(VIEWS).map(([view, name]) => {
      const button = make("button", { type: "button", "data-view": view }, name);
      button.onclick = () => player.setView(view);
      return button;
    });
    this.element = make("span", { class: "tv-views", role: "group", "aria-label": _("Corpus as") });
    this.panels = player.runs.length > 1 ? {} : this.panelsOf(player.lanes[0]);
    const several = Object.keys(this.panels).length > 1;
    this.sides = several ? Object.values(this.panels).map(({ element }) => this.sidesIn(element)) : [];
    for (const { corpus } of player.lanes) corpus.element.addEventListener("tokviz-trees", () => this.draw());
    this.draw();
  }

  /** What may stand beside the corpus of a lane, by its name. */
  panelsOf({ run, table, pictures, code }) {
    return { "": table, ...pictures, ...(run.pseudocode.length ? { pseudocode: code } : {}) };
  }

  /** Buttons in the heading of a panel beside the corpus, that choose what stands there. */
  sidesIn(panel) {
    const buttons = Object.keys(this.panels).map((side) => {
      const button = make("button", { type: "button", "data-side": side }, SIDES[side]);
      button.onclick = () => this.choose(side);
      return button;
    });
    panel.querySelector(".tv-heading").append(make("span", { class: "tv-views", role: "group", "aria-label": _("Beside the corpus") }, ...buttons));
    return buttons;
  }

  choose(side) {
    this.player.setSide(side);
    this.panels[side].element.querySelector(`[data-side="${side}"]`).focus({ preventScroll: true });
  }

  /** The views that there are: trees only where they fit, the vocabulary only where each lane prunes one; lanes have
   *  no room for the candidates beside the corpus. */
  get offered() {
    const { runs, lanes } = this.player;
    const has = { text: runs.some((run) => run.has_text), words: true, trees: lanes.every(({ corpus }) => corpus.treesFit), vocabulary: runs.every((run) => run.family.vocabularyParts), candidates: runs.length > 1, pseudocode: runs.length > 1 && runs.some((run) => run.pseudocode.length) };
    return Object.keys(VIEWS).filter((view) => has[view]);
  }

  /** What is shown: words stand instead of what there is not, and the corpus beside the candidates of a single run. */
  get shown() {
    const { view } = this.player;
    if (this.offered.includes(view)) return view;
    return LANES_ONLY.includes(view) && this.offered.includes("text") ? "text" : "words";
  }

  /** What stands beside the corpus. */
  get side() {
    const { side } = this.player;
    return side in this.panels ? side : "";
  }

  next() {
    const { offered } = this;
    this.player.setView(offered[(offered.indexOf(this.shown) + 1) % offered.length]);
  }

  draw() {
    const { offered, shown } = this;
    const buttons = this.buttons.filter(({ dataset }) => offered.includes(dataset.view));
    for (const button of buttons) button.setAttribute("aria-pressed", button.dataset.view === shown);
    this.player.root.dataset.view = shown;
    const { side } = this;
    this.player.root.dataset.side = side;
    for (const button of this.sides.flat()) button.setAttribute("aria-pressed", button.dataset.side === side);
    this.element.hidden = buttons.length < 2;
    // A button that stays keeps the focus.
    for (const button of this.buttons) if (!buttons.includes(button)) button.remove();
    buttons.forEach((button, i) => this.element.children[i] !== button && this.element.insertBefore(button, this.element.children[i] ?? null));
  }
}
