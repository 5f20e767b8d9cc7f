// The word of the chosen token: how it was cut, or how it is cut when chance has a part in it.

import { make, textNodes } from "./dom.js";
import { _, _p } from "./i18n.js";
import { Sampling } from "./sampling.js";
import { Trace } from "./trace.js";

export class WordPanel {
  /** `settings` are those of the sampling if it was looked at last; `ask(draw)` asks Python. */
  constructor(settings, ask) {
    this.trace = new Trace();
    this.sampling = new Sampling(settings, () => ask(true));
    this.sampled = Boolean(settings);
    this.ask = ask;
    this.title = make("h2");
    this.views = [_("Trace"), _("Sampling")].map((name, i) => {
      const element = make("button", { type: "button" }, name);
      element.onclick = () => this.look(Boolean(i));
      return element;
    });
    const views = make("span", { class: "tv-views", role: "group", "aria-label": _("What to see of the word") }, ...this.views);
    this.element = make(
      "section", { class: "tv-trace", "aria-label": _("How the word was cut") },
      make("div", { class: "tv-trace-head" }, this.title, this.trace.tools, views),
      this.trace.element, this.sampling.element,
    );
  }

  /** What Python is told of the sampling. */
  get settings() {
    return this.sampled ? this.sampling.settings : null;
  }

  look(sampled) {
    if (this.sampled === sampled) return;
    this.sampled = sampled;
    this.draw();
    this.ask(sampled);
  }

  /** Shows a word's trace and draws, or `instead` where there is no word. */
  show(trace, samples, chips, instead) {
    this.shown = { trace, samples, chips, instead };
    this.draw();
  }

  draw() {
    const { trace, samples, chips, instead } = this.shown;
    const { sampled } = this;
    this.views.forEach((view, i) => view.setAttribute("aria-pressed", String(Boolean(i) === sampled)));
    this.sampling.element.hidden = !sampled;
    this.trace.element.hidden = sampled;
    const by = trace ? (sampled ? this.sampling.by(trace) : trace.title) : "";
    this.title.replaceChildren(...this.heading(trace), make("small", {}, ` ${by}`));
    this.trace.show(trace, chips, instead);
    this.trace.tools.hidden = sampled || this.trace.empty;
    if (sampled) this.sampling.show(trace, samples, chips, instead);
  }
  heading(trace) {
    if (!trace) return this.sampled ? _p("How a word can be cut") : _p("How a word was cut");
    const word = make("bdi", {}, ...textNodes(trace.word));
    return this.sampled ? _p("How “{word}” can be cut", { word }) : _p("How “{word}” was cut", { word });
  }
}
