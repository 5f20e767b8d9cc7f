// How the corpus is seen, in all lanes alike: what is chosen, the buttons that choose, and what the keys W and H do.

import { make, arrange } from "./dom.js";
import { _ } from "./i18n.js";
import { shared } from "./shared.js";

const VIEWS = { text: _("text"), words: _("words"), trees: _("trees"), vocabulary: _("vocabulary"), candidates: _("candidates"), pseudocode: _("pseudocode") };

const LANES_ONLY = ["candidates", "pseudocode"];

export class Views {
  constructor(player) {
    this.player = player;
    this.buttons = Object.entries(VIEWS).map(([view, name]) => {
      const button = make("button", { type: "button", "data-view": view }, name);
      button.onclick = () => this.choose(view);
      return button;
    });
    this.element = make("span", { class: "tv-views", role: "group", "aria-label": _("Corpus as") });
  }

  /** The lanes are there. */
  begin() {
    for (const { corpus } of this.player.lanes) corpus.element.addEventListener("tokviz-trees", () => this.draw());
    this.draw();
  }

  /** The view that somebody chose, or that suits the runs. */
  get wanted() {
    return shared.chosen.view || this.usual;
  }

  /** A run that prunes its vocabulary shows that, where it is alone among the lenses and nobody is asked what goes: its
   *  words are seldom cut otherwise. */
  get usual() {
    const { runs: [run, ...others], head, asks } = this.player;
    const shows = head.lenses || (head.cue && asks === false);
    return shows && !others.length && run.family.vocabularyParts && !shared.chosen.quiz ? "vocabulary" : "text";
  }

  /** How the corpus is laid out: behind the candidates or the pseudocode it waits as text. */
  get ofCorpus() {
    return LANES_ONLY.includes(this.wanted) ? "text" : this.wanted;
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
    const { wanted } = this;
    if (this.offered.includes(wanted)) return wanted;
    return LANES_ONLY.includes(wanted) && this.offered.includes("text") ? "text" : "words";
  }

  choose(view) {
    shared.chosen.view = view === this.usual ? "" : view;
    this.show();
  }

  next() {
    const { offered } = this;
    this.choose(offered[(offered.indexOf(this.shown) + 1) % offered.length]);
  }

  /** The pseudocode comes or goes. */
  toggleCode() {
    const { runs, beside } = this.player;
    if (runs.length > 1) this.choose(this.shown === "pseudocode" ? "text" : "pseudocode");
    else if (beside.panels.pseudocode) beside.show(beside.side === "pseudocode" ? "" : "pseudocode");
  }

  /** Who guesses may be shown another view than before. */
  refresh() {
    if (this.player.lanes[0].corpus.view !== this.ofCorpus) this.show();
  }

  show() {
    const { gesture, lanes, stage, connector, telling } = this.player;
    gesture.stop();
    for (const lane of lanes) lane.setView(this.ofCorpus);
    this.draw();
    stage.draw();
    connector.later();
    telling.writeAddress();
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
