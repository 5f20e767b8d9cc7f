// What stands beside the corpus of a single run, one panel at a time: tabs in the heading of each choose. On a
// phone the panels are swiped (swiped.js).

import { wordDirection } from "./corpus_words.js";
import { arrange, framed, make } from "./dom.js";
import { _ } from "./i18n.js";
import { shared } from "./shared.js";
import { Trees } from "./trees.js";

/** The panels by the name that an address has for them. */
const TABS = { "": _("Candidates"), scores: _("Scores"), token: _("Token"), delta: _("Delta"), curves: _("Curves"), pseudocode: _("Pseudocode") };

export class Beside {
  constructor(player) {
    this.player = player;
    const { run, chips, panels } = (this.lane = player.lanes[0]);
    this.trees = new Trees(run, chips, null, null, wordDirection);
    this.tree = make("div", { class: "tv-lines tv-trees" });
    this.none = make("p", { class: "tv-note" }, _("Choose a token in the text to see here where it comes from, and what its word is made of."));
    this.token = panelOf("tv-token", _("Token"), this.none, this.tree);
    this.curves = make("div", { class: "tv-curves" });
    this.drawn = panelOf("tv-drawn-curves", _("Curves"), this.curves);
    panels.append(framed(this.token, " tv-pane-token"));
    if (player.head.curves ?? true) panels.append(framed(this.drawn, " tv-pane-curves"));
    this.offer();
  }

  /** The run has become another one, of another kind if it `isOther`. */
  renew(isOther) {
    this.trees.renew();
    if (isOther) this.offer();
  }

  /** Offers the panels that the kind of its run has. */
  offer() {
    const { player, lane: { run, table, pictures: { scores, delta }, code } } = this;
    const all = {
      "": table.element, scores: scores?.element, token: this.token, delta: delta?.element, curves: (player.head.curves ?? true) && this.drawn,
      pseudocode: run.pseudocode.length > 0 && code.element,
    };
    this.panels = Object.fromEntries(Object.entries(all).filter(([, panel]) => panel));
    this.tabs = Object.values(this.panels).flatMap((panel) => this.tabsIn(panel));
  }

  tabsIn(panel) {
    const heading = panel.querySelector(".tv-heading");
    const group = heading.querySelector(".tv-tabs") ?? make("span", { class: "tv-tabs", role: "group", "aria-label": _("Beside the corpus") });
    const known = Object.fromEntries([...group.children].map((tab) => [tab.dataset.side, tab]));
    const tabs = Object.keys(this.panels).map((name) => known[name] ?? this.tab(name));
    // A tab that stays keeps the focus.
    arrange(group, tabs);
    if (!group.parentNode) heading.prepend(group);
    return tabs;
  }

  tab(name) {
    const tab = make("button", { type: "button", "data-side": name }, TABS[name]);
    tab.onclick = () => this.choose(name);
    return tab;
  }

  /** What a phone shows one at a time, each with its name. */
  get swipes() {
    const parts = Object.entries(this.panels).filter(([name]) => name !== "pseudocode");
    return [[this.lane.corpus.element, _("Corpus")], ...parts.map(([name, panel]) => [panel, TABS[name]])].map(([panel, name]) => [panel.parentElement, name]);
  }

  get side() {
    return this.panels[shared.chosen.beside] ? shared.chosen.beside : "";
  }

  /** Shows a panel: "" for the candidates. */
  show(name) {
    const { connector, telling } = this.player;
    shared.chosen.beside = name;
    this.draw();
    connector.later();
    telling.writeAddress();
  }

  choose(name) {
    this.show(name);
    this.panels[name].querySelector(`[data-side="${name}"]`).focus({ preventScroll: true });
  }

  draw() {
    this.player.root.dataset.side = this.side;
    for (const tab of this.tabs) tab.setAttribute("aria-pressed", tab.dataset.side === this.side);
  }

  /** Whether the card of the selected token stands here: a quiz, and a picture alone, have it over them. */
  get hasCard() {
    return !shared.chosen.quiz && !document.documentElement.dataset.picture;
  }

  /** A token was selected, or none: its panel comes, until another one is chosen or there is none. */
  follow(selected) {
    const { panels, corpus } = this.lane;
    const place = this.token.parentElement.offsetLeft - corpus.element.parentElement.offsetLeft;
    // Whoever reads about loss deltas wants the next token's.
    if (selected && this.side === "delta") return;
    if (selected && this.hasCard) {
      if (this.side !== "token") this.before = this.side;
      this.show("token");
      panels.scrollTo({ left: place });
    } else if (!selected) {
      if (this.side === "token") this.show(this.before ?? "");
      if (panels.scrollLeft && Math.abs(panels.scrollLeft - place) < 9) panels.scrollTo({ left: 0 });
    }
  }

  /** The tree of the excerpt word in which a token was selected, as of state t; -1 for no word, null for no token. */
  drawWord(w, t) {
    this.none.hidden = w !== null;
    this.tree.hidden = w === null || w < 0;
    if (this.tree.hidden) return;
    const tree = this.trees.tree(w);
    this.trees.drawTree(tree, t);
    if (this.tree.firstChild !== tree.holder) this.tree.replaceChildren(tree.holder);
  }
}

function panelOf(kind, name, ...parts) {
  const heading = make("div", { class: "tv-heading" }, make("h3", {}, name));
  return make("div", { class: `tv-panel ${kind}`, role: "group", "aria-label": name, tabindex: 0 }, heading, ...parts);
}
