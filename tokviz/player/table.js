// The candidate table of one lane: the best rows with bars, ties in a bracket, the cut line.

import { make } from "./dom.js";
import { candidateCount, rows } from "./run.js";
import { number, scoreParts, significant } from "./say.js";

export class CandidateTable {
  constructor(run, chips) {
    Object.assign(this, { run, chips, shown: new Map() });
    this.howMany = make("small");
    this.body = make("tbody");
    const heads = run.unigram ? ["", "Token", "Count", "Loss delta", "", ""]
      : ["", "Pair", run.likelihood ? "Score" : "Count", "", ""];
    const head = heads.map((h) => {
      return h ? make("th", { scope: "col", class: /Pair|Token/.test(h) ? "" : "n" }, h) : make("td");
    });
    const table = make(
      "table", { "aria-label": `Candidates of ${run.label}` },
      make("thead", {}, make("tr", {}, ...head)), this.body,
    );
    this.element = make(
      "div", { class: "tv-panel tv-candidates", role: "group", "aria-label": `Score table of ${run.label}`, tabindex: 0 },
      make("div", { class: "tv-heading" }, make("h3", {}, "Candidates ", this.howMany)), table,
    );
  }

  /** Draws state t; rows that stay glide to their new rank if `moving`. */
  draw(t, moving) {
    const { run } = this;
    const what = run.unigram ? "tokens, cheapest to lose first" : "pairs, best first";
    this.howMany.textContent = `${number(candidateCount(run, t))} ${what}`;
    const found = rows(run, t);
    const values = found.map((row) => (run.unigram ? row.delta || 0 : row.score));
    const greatest = Math.max(...values, 0) || 1;
    const cut = run.unigram ? found.findIndex((row) => !row.chosen) : -1;
    const before = this.shown;
    this.shown = new Map();
    const body = found.map((row, i) => {
      const key = run.unigram ? row.token : `${row.left} ${row.right}`;
      const old = before.get(key);
      const element = this.row(row, i, Math.max(0, values[i]) / greatest);
      element.className = row.chosen ? "chosen" : i === cut && i ? "cut" : "";
      this.bracket(element, found, i);
      this.shown.set(key, { element, rank: i });
      if (moving) this.glide(element, old?.rank, i);
      return element;
    });
    this.body.replaceChildren(...body);
  }

  row(row, rank, share) {
    const cell = (kind, ...content) => make("td", { class: kind }, ...content);
    const bar = make("span");
    bar.style.setProperty("--share", share);
    const cells = [cell("rank", String(rank + 1))];
    if (this.run.unigram) {
      const delta = Number.isNaN(row.delta) ? "–" : significant(row.delta);
      cells.push(cell("", this.chips.chip(row.token)), cell("n", number(row.count)), cell("n", delta));
    } else {
      const plus = make("span", { class: "plus" }, "+");
      cells.push(cell("pair", this.chips.chip(row.left), plus, this.chips.chip(row.right)));
      const [fraction, value] = scoreParts(this.run, row);
      cells.push(cell("n", ...(fraction ? [make("small", {}, `${fraction} =`), " "] : []), value));
    }
    return make("tr", {}, ...cells, cell("bar", bar), cell("note"));
  }

  /** What the row's last cell says, and the bracket around candidates of equal score. */
  bracket(element, found, i) {
    const note = element.lastChild;
    const row = found[i];
    const { unigram } = this.run;
    const said = row.chosen ? (unigram ? "goes" : "next") : Number.isNaN(row.delta) ? "never goes" : "";
    note.append(said);
    if (!row.tied) return;
    const [above, below] = [found[i - 1]?.tied, found[i + 1]?.tied];
    note.classList.add("tie", ...(above ? [] : ["top"]), ...(below ? [] : ["bottom"]));
    if (said) note.append(make("span", { class: "tv-unseen" }, ", tied"));
    else {
      // The rule is named once, where the tie parts those that are taken from the rest.
      const rule = found[i - 1]?.chosen;
      const name = unigram ? "vocabulary order" : this.run.rule;
      note.append(rule ? make("span", { class: "rule" }, name) : make("span", { class: "tv-unseen" }, "tied"));
    }
  }

  glide(element, from, to) {
    if (from === to) return;
    this.height ??= this.body.firstChild?.offsetHeight ?? 30;
    const frames = from === undefined
      ? [{ opacity: 0 }, { opacity: 1 }]
      : [{ transform: `translateY(${(from - to) * this.height}px)` }, { transform: "none" }];
    element.animate(frames, { duration: 220, easing: "ease-out" });
  }
}
