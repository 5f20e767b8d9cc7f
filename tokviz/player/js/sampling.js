// A word drawn many times: each segmentation with its exact probability and how often it came.

import { direction, make, visible } from "./dom.js";
import { _, _n, _p, amount, number, sentences } from "./i18n.js";

const DRAWS = [100, 1000, 10000];
const LAST_SEED = 999999999;
/** By what a word is drawn: the letter, its place in the settings, its steps in one, and what it says. */
const KINDS = {
  unigram: {
    letter: "α", at: 0, steps: 10, most: 20, places: 1, by: _("by Unigram, with P to the power of α"),
    says: _("α: power of the model’s probabilities"), ends: _("0: all equal · 1: the model’s own · 2: favours the best"),
  },
  merges: {
    letter: "p", at: 1, steps: 20, most: 20, places: 2, by: _("by BPE-dropout"),
    says: _("p: chance to skip a merge"), ends: _("0: no merge is skipped · 1: all are"),
  },
};
const FIRST = [5, 2, 1000, 1];

export class Sampling {
  /** `ask` is called when something else is to be drawn; `settings` are those of the visit before. */
  constructor(settings, ask) {
    this.settings = settings ?? [...FIRST];
    this.ask = ask;
    this.letter = make("b");
    this.share = make("input", { type: "range", min: 0, step: 1, class: "tv-sampling-share" });
    this.share.oninput = () => this.set(this.kind.at, this.share.valueAsNumber);
    this.value = make("b", { class: "tv-value" });
    this.ends = make("span", { class: "tv-note" });
    this.draws = make("select", { "aria-label": _("Draws") }, ...DRAWS.map((n) => make("option", { value: n }, number(n))));
    this.draws.onchange = () => this.set(2, Number(this.draws.value));
    this.seed = make("input", { type: "number", min: 0, max: LAST_SEED, "aria-label": _("Seed"), class: "tv-step" });
    this.seed.onchange = () => {
      const seed = this.seed.valueAsNumber;
      if (Number.isInteger(seed) && seed >= 0 && seed <= LAST_SEED) this.set(3, seed);
      else this.seed.value = this.settings[3];
    };
    this.button = make("button", { type: "button", class: "tv-wide", title: _("Draw again, with the next seed") }, _("Draw"));
    this.button.onclick = () => this.set(3, this.settings[3] < LAST_SEED ? this.settings[3] + 1 : 0);
    this.controls = make(
      "div", { class: "tv-drawing" },
      make("label", {}, this.letter, this.share, this.value), this.ends,
      make("span", { class: "tv-draws" }, this.draws, make("label", {}, ..._p("draws, seed {field}", { field: this.seed })), this.button),
    );
    this.said = make("p", { class: "tv-reason", role: "status" });
    this.body = make("tbody");
    const heads = [_("Segmentation"), _("Exact"), _("Drawn"), _("Frequency"), _("Drawn on exact")];
    const head = make("tr", {}, ...heads.map((text, i) => make("th", { scope: "col", class: i ? "n" : "" }, text)));
    const scroll = { class: "tv-rows tv-samples", tabindex: 0, role: "group", "aria-label": _("Segmentations") };
    this.rows = make("div", scroll, make("table", {}, make("thead", {}, head), this.body));
    this.element = make("div", { class: "tv-sampling" }, this.controls, this.said, this.rows);
  }

  set(at, value) {
    this.settings = this.settings.map((old, i) => (i === at ? value : old));
    this.drawSettings();
    this.element.setAttribute("aria-busy", "true");
    this.ask();
  }

  /** What the word is drawn by, for a title. */
  by(trace) {
    return KINDS[kindOf(trace)]?.by ?? "";
  }

  drawSettings() {
    const { at, steps, most, places, letter, says, ends } = this.kind;
    const said = (this.settings[at] / steps).toFixed(places);
    this.letter.textContent = letter;
    this.share.max = most;
    this.share.value = this.settings[at];
    this.share.setAttribute("aria-label", says);
    this.share.setAttribute("aria-valuetext", said);
    this.value.textContent = said;
    this.ends.textContent = ends;
    this.draws.value = this.settings[2];
    this.seed.value = this.settings[3];
  }

  /** Shows the draws of a word. While they are not known yet, nothing of another word is seen. */
  show(trace, samples, chips, instead) {
    this.kind = KINDS[kindOf(trace)];
    this.controls.hidden = !this.kind;
    if (this.kind) this.drawSettings();
    const nothing = !trace || !this.kind;
    this.rows.hidden = nothing;
    this.rows.classList.toggle("waiting", !samples);
    this.element.setAttribute("aria-busy", String(!nothing && !samples));
    if (!samples) {
      this.known = undefined;
      this.said.textContent = trace ? _("Drawing …") : instead;
      return;
    }
    const known = JSON.stringify([trace.word, samples, samples.rows.map(([parts]) => parts.map((p) => (typeof p === "number" ? chips.key(p) : p)))]);
    if (this.known === known) return;
    this.known = known;
    this.said.textContent = sentences(...this.summary(samples), [samples.reason && visible(samples.reason)].filter(Boolean)).join("");
    const read = direction(trace.word);
    const { rows, others, draws } = samples;
    const top = Math.max(...rows.map(([, exact, times]) => Math.max(exact ?? 0, times / draws)), others ? Math.max(others[1] ?? 0, others[2] / draws) : 0);
    this.body.replaceChildren(...rows.map(([parts, exact, times]) => {
      const word = make("span", { class: "tv-word" });
      for (const part of parts) word.append(typeof part === "number" ? chips.chip(part) : visible(part));
      if (read) word.dir = read;
      return this.tr(word, exact, times, draws, top);
    }));
    if (others) {
      const row = this.tr(others[0], others[1], others[2], draws, top);
      row.classList.add("others");
      this.body.append(row);
    }
  }

  /** What was drawn, in sentences. */
  summary({ kind, count, entropy, draws, seed, fewer }) {
    if (!kind || !draws) return [];
    const values = { n: count, entropy: entropy?.toFixed(2) };
    const ways = count === null ? [] : [_n("{n} segmentation, entropy {entropy} bits.", "{n} segmentations, entropy {entropy} bits.", amount(count), values)];
    const times = fewer
      ? _n("{n} draw (no more for so long a word) with seed {seed}.", "{n} draws (no more for so long a word) with seed {seed}.", draws, { seed })
      : _n("{n} draw with seed {seed}.", "{n} draws with seed {seed}.", draws, { seed });
    return [ways, [times]];
  }

  tr(name, exact, times, draws, top) {
    const seen = make("span", { class: "tv-bars" }, make("i", { class: "exact" }), make("i", { class: "seen" }));
    seen.children[0].style.width = `${(100 * (exact ?? 0)) / top}%`;
    seen.children[1].style.width = `${(100 * times) / draws / top}%`;
    const cells = [share(exact), number(times), share(times / draws)];
    return make("tr", {}, make("td", {}, name), ...cells.map((cell) => make("td", { class: "n" }, cell)), make("td", {}, seen));
  }
}

function kindOf(trace) {
  return { merges: "merges", viterbi: "unigram" }[trace?.kind];
}

/** A share in percent; a tiny one as a power of ten. */
function share(x) {
  if (x === null) return "–";
  if (x === 0) return "0";
  if (x >= 0.00005) return `${(100 * x).toFixed(2)} %`;
  const [digits, power] = x.toExponential(1).split("e-");
  return `${digits} × 10⁻${[...power].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}
