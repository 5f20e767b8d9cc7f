// The candidate table of one lane: the best rows with bars, ties in a bracket, the cut line. Its
// rows are laid out as grids, one by one, so the roles that a table has are said to the browser.

import { REST } from "./corpus.js";
import { make } from "./dom.js";
import { candidateCount, rows } from "./run.js";
import { _, _n, number } from "./i18n.js";
import { scoreParts, significant } from "./say.js";
import { WhatIfs } from "./what_if.js";

/** The numbers in a row of a run with exact deltas: class, heading, in what, and where they come from. */
const EXACT = [
  ["expected", _("Expected"), _("times"), _("How often an EM step expects the token in the corpus.")],
  ["loss", _("Loss"), _("a word"), _("What SentencePiece takes for the rise of the loss without the token, and prunes by: an approximation, in nats for a word of the corpus.")],
  ["exact-delta", _("exact Δ"), _("in all"), _("By how much the loss really rises without the token, in nats for the whole corpus: tokviz cuts every word that uses it anew, in the best way that is left.")],
  ["exact-rank", _("rank"), _("by Δ"), _("The row that exact Δ would give the token, where it is another one.")],
];
const AGREEMENT = _("Spearman's rank correlation over the tokens of this state that have both numbers: 1 if both put them in the same order, 0 if one order tells nothing of the other.");

export class CandidateTable {
  /** `ask` is told the choices that somebody makes otherwise; null if nobody can. */
  constructor(run, chips, ask) {
    Object.assign(this, { run, chips, rows: [], ranks: new Map(), height: 30, seen: 99 });
    this.howMany = make("small");
    this.body = make("tbody", { role: "rowgroup" });
    const kind = run.unigram ? "unigram" : run.likelihood ? "likelihood" : "";
    const heads = run.em ? ["", _("Token"), _("Expected"), _("Loss"), "", ""]
      : run.unigram ? ["", _("Token"), _("Count"), _("Loss delta"), "", ""]
      : ["", _("Pair"), run.likelihood ? _("Score") : run.given ? _("Rank · count") : _("Count"), "", ""];
    const head = heads.map((h, i) => {
      const kind = i === 1 ? "" : "n";
      return h ? make("th", { role: "columnheader", class: kind }, h) : make("td", { role: "cell" });
    });
    if (run.agreement) head.splice(2, 3, ...EXACT.map(([kind, name, unit, help]) => {
      return make("th", { role: "columnheader", class: `n ${kind}`, title: help }, name, make("small", {}, unit));
    }));
    if (ask) head.push(make("td", { role: "cell", class: "ask" }));
    this.table = make(
      "table", { class: run.agreement ? "exact" : kind, role: "table", "aria-label": _("Candidates of {lane}", { lane: run.label }) },
      make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...head)), this.body,
    );
    this.whatIfs = ask && new WhatIfs(run, this.table, ask);
    // Ranks may have as many digits as there are candidates.
    this.table.style.setProperty("--digits", number(candidateCount(run, 0)).length);
    this.agreement = make("p", { class: "tv-agreement", title: AGREEMENT });
    this.element = make(
      "div", { class: "tv-panel tv-candidates", role: "group", "aria-label": _("Score table of {lane}", { lane: run.label }), tabindex: 0 },
      make("div", { class: "tv-heading" }, make("h3", {}, _("Candidates"), " ", this.howMany)),
      ...(run.agreement ? [this.agreement] : []), this.table,
    );
    this.element.onscroll = () => this.look();
    new ResizeObserver(() => this.look()).observe(this.element);
  }

  /** Notes how high a row is and how many rows reach into the visible part; asked while drawing, it
   *  would have the page laid out twice. */
  look() {
    this.height = this.rows[0]?.element.offsetHeight || 30;
    this.seen = Math.ceil((this.element.scrollTop + this.element.clientHeight) / this.height);
  }

  /** Draws state t; candidates that stay glide to their new rank if `moving`. While moves come
   *  `rapid`ly, rows out of sight wait until they stop. */
  draw(t, moving, rapid) {
    const { run } = this;
    clearTimeout(this.resting);
    this.howMany.textContent = this.counted(candidateCount(run, t));
    if (run.agreement) {
      this.agreement.textContent = run.agreement[t];
      this.table.classList.toggle("pruning", run.actions[t] === "prune");
    }
    const found = rows(run, t);
    const byCount = run.em && run.actions[t] !== "prune";
    const values = found.map((row) => Math.max(0, (byCount ? row.count : run.unigram ? row.delta : row.score) || 0));
    const greatest = Math.max(...values) || 1;
    const forced = run.forced?.[t];
    // Below the last one that goes by the rule; a token that was told to stay may be above it.
    const kept = (row) => forced?.[0] === "keep" && forced.includes(row.token, 1);
    const last = found.findLastIndex((row) => row.chosen || kept(row));
    const first = found.findIndex((row) => !row.chosen);
    const cut = !run.unigram ? -1 : forced?.[0] === "keep" ? last + 1 : first;
    while (this.rows.length < found.length) this.rows.push(this.emptyRow(this.rows.length));
    const before = this.ranks;
    this.ranks = new Map();
    const seen = rapid ? this.seen : found.length;
    found.slice(0, seen).forEach((row, i) => {
      const shown = this.rows[i];
      const key = run.unigram ? row.token : `${row.left} ${row.right}`;
      this.fill(shown, key, row, values[i] / greatest);
      if (run.agreement) this.fillExact(shown, row, i);
      this.whatIfs?.fill(shown.ask, row, t);
      // A forced pair may come from far down.
      const place = String(row.place ?? i + 1);
      if (shown.place.textContent !== place) shown.place.textContent = place;
      shown.element.className = row.chosen ? "chosen" : i === cut && i ? "cut" : "";
      this.bracket(shown.note, found, i, forced);
      this.ranks.set(key, i);
      if (moving) this.glide(shown.element, before.get(key), i);
    });
    this.rows.forEach(({ element }, i) => (element.hidden = i >= found.length));
    this.whatIfs?.drawn();
    if (seen < found.length) this.resting = setTimeout(() => this.draw(t, false, false), REST);
  }

  /** How many candidates there are, and in which order they are shown. */
  counted(n) {
    const { run } = this;
    if (run.em) return _n("{n} token, next to go first", "{n} tokens, next to go first", n);
    if (run.unigram) return _n("{n} token, cheapest to lose first", "{n} tokens, cheapest to lose first", n);
    if (run.given) return _n("{n} pair, lowest rank first", "{n} pairs, lowest rank first", n);
    return _n("{n} pair, best first", "{n} pairs, best first", n);
  }

  /** Rows are made once and filled anew: what the browser knows of their place stays true. */
  emptyRow(rank) {
    const cell = (kind) => make("td", { role: "cell", class: kind });
    const bar = make("span");
    const row = { place: cell("rank"), who: cell("pair"), count: cell("n"), delta: cell("n"), bar, note: cell("note") };
    const barCell = cell("bar");
    barCell.append(bar);
    row.place.append(String(rank + 1));
    const scores = this.run.unigram ? [row.count, row.delta] : [row.count];
    if (this.run.agreement) {
      const cells = EXACT.map(([kind]) => cell(`n ${kind}`));
      [row.count, row.delta, row.exact, row.exactRank] = cells;
      scores.splice(0, 2, ...cells);
    } else scores.push(barCell);
    row.element = make("tr", { role: "row" }, row.place, row.who, ...scores, row.note);
    if (this.whatIfs) {
      row.ask = this.whatIfs.button();
      const askCell = cell("ask");
      askCell.append(row.ask);
      row.element.append(askCell);
    }
    this.body.append(row.element);
    return row;
  }

  fill(shown, key, row, share) {
    if (shown.key !== key) {
      shown.key = key;
      const plus = make("span", { class: "plus" }, "+");
      const pair = this.run.unigram ? [this.chips.chip(row.token)]
        : [this.chips.chip(row.left), plus, this.chips.chip(row.right)];
      shown.who.replaceChildren(...pair);
    }
    const [fraction, value] = this.run.em ? ["", Number.isNaN(row.count) ? "–" : significant(row.count)]
      : this.run.unigram ? ["", number(row.count)] : this.scored(row);
    const score = `${fraction} ${value}`;
    if (shown.score !== score) {
      shown.score = score;
      shown.count.replaceChildren(...(fraction ? [make("small", {}, fraction), " "] : []), value);
    }
    if (this.run.unigram) {
      const delta = Number.isNaN(row.delta) ? "–" : significant(row.delta);
      if (shown.delta.textContent !== delta) shown.delta.textContent = delta;
    }
    shown.bar.style.setProperty("--share", share);
  }

  /** The score of a pair: how it is made, small, and what it comes to. */
  scored(row) {
    if (this.run.given) return [`${number(row.rank)} ·`, number(row.count)];
    const [fraction, value] = scoreParts(this.run, row);
    return [fraction && `${fraction} =`, value];
  }

  /** The exact delta beside the approximate loss, and its rank where that is not the row's. */
  fillExact(shown, row, i) {
    const exact = Number.isNaN(row.exact) ? "–" : significant(row.exact);
    if (shown.exact.textContent !== exact) shown.exact.textContent = exact;
    const rank = row.exactRank && row.exactRank !== i + 1 ? number(row.exactRank) : "";
    if (shown.exactRank.textContent !== rank) shown.exactRank.textContent = rank;
  }

  /** What the row's last cell says, and the bracket around candidates of equal score. */
  bracket(note, found, i, forced) {
    const row = found[i];
    const { unigram } = this.run;
    const tied = (other) => (other?.tied ? "" : " ");
    const kind = row.tied ? `note tie${tied(found[i - 1]) && " top"}${tied(found[i + 1]) && " bottom"}` : "note";
    const said = this.fate(row, forced);
    // The rule is named once, where the tie parts those that are taken from the rest.
    const rule = row.tied && !said && !forced && found[i - 1]?.chosen ? (this.run.em ? _("lower id stays") : unigram ? _("vocabulary order") : this.run.rule) : "";
    const unseen = row.tied && !rule ? (said ? _(", tied") : _("tied")) : "";
    const signature = `${kind}|${said}|${rule}|${unseen}`;
    if (note.signature === signature) return;
    note.signature = signature;
    note.className = kind;
    note.replaceChildren(said);
    if (rule) note.append(make("span", { class: "rule" }, rule));
    if (unseen) note.append(make("span", { class: "tv-unseen" }, unseen));
  }

  /** What the next step does with a row's candidate; "" if nothing. */
  fate(row, forced) {
    const { unigram } = this.run;
    if (row.reason !== undefined) return row.reason;
    if (row.chosen) return unigram ? _("goes") : forced ? _("forced") : _("next");
    if (unigram && forced?.[0] === "keep" && forced.includes(row.token, 1)) return _("kept");
    return Number.isNaN(row.delta) ? _("never goes") : "";
  }

  glide(element, from, to) {
    if (from === to) return;
    const frames = from === undefined
      ? [{ opacity: 0 }, { opacity: 1 }]
      : [{ transform: `translateY(${(from - to) * this.height}px)` }, { transform: "none" }];
    element.animate(frames, { duration: 220, easing: "ease-out" });
  }
}
