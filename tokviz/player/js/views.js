// The views of the corpus, for all lanes: the buttons that choose one, and what the key W does.

import { make, arrange } from "./dom.js";
import { _ } from "./i18n.js";

const VIEWS = { text: _("text"), words: _("words"), trees: _("trees"), vocabulary: _("vocabulary"), candidates: _("candidates"), pseudocode: _("pseudocode") };

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
    for (const { corpus } of player.lanes) corpus.element.addEventListener("tokviz-trees", () => this.draw());
    this.draw();
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

  next() {
    const { offered } = this;
    this.player.setView(offered[(offered.indexOf(this.shown) + 1) % offered.length]);
  }

  draw() {
    const { offered, shown } = this;
    const buttons = this.buttons.filter(({ dataset }) => offered.includes(dataset.view));
    for (const button of buttons) button.setAttribute("aria-pressed", button.dataset.view === shown);
    this.player.root.dataset.view = shown;
    this.player.beside?.draw();
    this.element.hidden = buttons.length < 2;
    // A button that stays keeps the focus.
    arrange(this.element, buttons);
  }
}
