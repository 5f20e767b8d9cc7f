// One run on the page: its name and numbers, what its last step did, its corpus, its candidates.

import { CorpusView } from "./corpus.js";
import { Chips, framed, make } from "./dom.js";
import { termParts } from "./glossary.js";
import { NextPlace } from "./next_place.js";
import { charactersPerToken } from "./run.js";
import { _, _p, number } from "./i18n.js";
import { announce, narrate } from "./say.js";
import { ScorePicture, scoresPairs } from "./score_picture.js";
import { Pseudocode } from "./pseudocode.js";
import { CandidateTable } from "./table.js";
import { WorkedOut } from "./worked_out.js";

/** Presenting, a narration is as high as its longest text until now: nothing of it is cut off, and what
 *  is below it seldom moves. */
const growing = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const room = `${contentRect.width} ${getComputedStyle(target).fontSize}`;
    const height = target.room === room ? contentRect.height : 0;
    target.room = room;
    target.style.setProperty("--grown", `${height}px`);
  }
});

/** What only some runs have, each as a panel: whether a run has it, and what draws it. */
const OF_SOME = { scores: [scoresPairs, ScorePicture], delta: [(run) => Boolean(run.worked_out), WorkedOut] };

export class Lane {
  /** `ask` is told what else a step might choose; null if nobody can choose. */
  constructor(run, index, view, ask) {
    Object.assign(this, { run, index, t: -1 });
    this.chips = new Chips(run);
    this.said = make("p");
    this.coming = make("p", { class: "tv-next" });
    const [vocabulary, tokens, per] = (this.values = [make("b"), make("b"), make("b")]);
    this.figures = make(
      "p", { class: "tv-figures" },
      make("span", {}, ...termParts(_p("vocabulary {value}", { value: vocabulary }), "vocabulary")),
      make("span", {}, ...termParts(_p("corpus tokens {value}", { value: tokens }), "corpus-tokens")),
      make("span", {}, ...termParts(_p("characters per token {value}", { value: per }), "characters-per-token")),
    );
    this.corpus = new CorpusView(run, this.chips, view);
    this.nextPlace = new NextPlace(this.corpus);
    this.table = new CandidateTable(run, this.chips, ask);
    this.code = new Pseudocode(run, this.chips);
    this.pictures = {};
    this.panels = make(
      "div", { class: "tv-panels" },
      framed(this.corpus.element), framed(this.table.element, " tv-pane-candidates"), framed(this.code.element, " tv-pane-code"),
    );
    // In a narrow lane it may scroll, so it takes the keyboard's focus.
    this.say = make("div", { class: "tv-say", role: "group", tabindex: 0 }, this.said, this.coming);
    growing.observe(this.say);
    this.name = make("h2", { class: "tv-name" });
    this.element = make("section", { class: "tv-lane", "data-lane": index }, this.name, make("div", { class: "tv-top" }, this.say, this.figures), this.panels);
    this.dress();
  }

  /** Has the names and the pictures that the kind of its run has. */
  dress() {
    this.element.classList.toggle("tv-takes-back", this.run.threshold !== undefined);
    this.element.classList.toggle("tv-crosses", this.run.crosses !== undefined);
    this.element.classList.toggle("tv-turns", this.run.languages?.length > 1);
    const { run, chips, pictures } = this;
    this.name.textContent = run.label;
    this.element.setAttribute("aria-label", run.label);
    this.say.setAttribute("aria-label", _("Narration of {lane}", { lane: run.label }));
    for (const [name, [has, Picture]] of Object.entries(OF_SOME)) {
      pictures[name]?.element.parentElement.remove();
      delete pictures[name];
      if (!has(run)) continue;
      pictures[name] = new Picture(run, chips);
      this.code.element.parentElement.before(framed(pictures[name].element, ` tv-pane-${name}`));
    }
  }

  /** The run has become another one, of another kind if it `isOther`; its corpus is laid out as `view` says. */
  renew(isOther, view) {
    this.t = -1;
    this.chips.templates.clear();
    if (isOther) {
      this.dress();
      this.code.renew();
    }
    this.corpus.renew(view);
    this.table.renew(isOther);
  }

  /** Draws state t; `moving` if the step before or after it was on the screen until now, `rapid`
   *  if the next one comes soon. */
  draw(t, moving, rapid) {
    const { run } = this;
    if (t === this.t) return;
    const opened = this.t >= 0;
    this.t = t;
    this.element.dataset.state = t;
    const figures = [number(run.vocab_size[t]), number(run.corpus_tokens[t]), charactersPerToken(run, t).toFixed(2)];
    this.values.forEach((value, i) => (value.textContent = figures[i]));
    this.said.replaceChildren(...this.chips.parts(narrate(run, t)));
    this.coming.replaceChildren(...this.chips.parts(announce(run, t)));
    this.corpus.draw(t, rapid);
    this.table.draw(t, moving, rapid);
    this.code.draw(t);
    for (const picture of Object.values(this.pictures)) picture.draw(t);
    if (opened) this.nextPlace.stepped(rapid);
  }

  setView(view) {
    this.corpus.show(view);
    this.corpus.draw(this.t);
  }
}
