// The candidate table of one lane: the best rows with bars, ties in a bracket, the cut line. The family
// of the run says what stands in its columns. Rows are laid out as grids, one by one, so the roles that
// a table has are said to the browser. They stand in groups: those out of sight are not laid out.

import { REST } from "./lines.js";
import { make } from "./dom.js";
import { explained, meaning, term } from "./glossary.js";
import { candidateCount, isForced, rows, tokensIn } from "./run.js";
import { _, number } from "./i18n.js";
import { WhatIfs } from "./what_if.js";
import { showWhole } from "./whole_rows.js";

const LONG_TABLE = 40; // rows that are drawn without waiting for a rest
const GROUP = 12; // rows in a group
const GLIDE = { duration: 220, easing: "ease-out" };
const SHORT = 5; // characters of a candidate that has room in every column

const AGREEMENT = _("Spearman's rank correlation over the tokens of this state that have both numbers: 1 if both put them in the same order, 0 if one order says nothing about the other.");

export class CandidateTable {
  /** `ask` is told the choices that somebody makes otherwise; null if nobody can. */
  constructor(run, chips, ask) {
    Object.assign(this, { run, chips, ranks: new Map(), height: 30, seen: 99, rows: [], groups: [] });
    this.howMany = make("small");
    this.head = make("tr", { role: "row" });
    this.table = make("table", { role: "table" }, make("thead", { role: "rowgroup" }, this.head));
    this.whatIfs = ask && new WhatIfs(run, this.table, ask);
    this.agreement = explained("", AGREEMENT);
    this.agreed = make("p", { class: "tv-agreement" }, this.agreement);
    this.heading = make("div", { class: "tv-heading" }, make("h3", {}, term(make("span", {}, make("span", { class: "tv-title" }, _("Candidates")), " ", this.howMany), "candidate")));
    this.element = make("div", { class: "tv-panel tv-candidates", role: "group", tabindex: 0 }, this.heading, this.table);
    this.build();
    this.element.onscroll = () => this.look();
    this.element.onkeydown = (event) => this.key(event);
    const seen = new ResizeObserver(() => this.look());
    for (const element of [this.element, this.heading, this.table]) seen.observe(element);
  }

  /** Makes the columns that the kind of its run has. Rows that are seen stay if they have such columns. */
  build() {
    const { run, whatIfs } = this;
    this.columns = run.family.columns(run);
    const cells = [...this.columns.map(({ kind }) => kind), run.family.hasBars(run)].join();
    const head = [make("td", { role: "cell" }), make("th", { role: "columnheader", class: "" }, term(...run.family.candidate))];
    for (const { kind = "", heading, name, help, unit } of this.columns) {
      const label = help ? explained(heading, help) : term(heading, name);
      head.push(make("th", { role: "columnheader", class: `n ${kind}`.trim() }, label, ...(unit ? [make("small", {}, unit)] : [])));
    }
    if (run.family.hasBars(run)) head.push(make("td", { role: "cell" }));
    head.push(make("td", { role: "cell" }));
    if (whatIfs) head.push(make("td", { role: "cell", class: "ask" }));
    this.head.replaceChildren(...head);
    this.table.setAttribute("aria-label", _("Candidates of {lane}", { lane: run.label }));
    this.element.setAttribute("aria-label", _("Score table of {lane}", { lane: run.label }));
    if (run.agreement) this.table.before(this.agreed);
    else this.agreed.remove();
    this.giveRoom();
    const kept = cells === this.cells ? Math.min(this.seen, this.rows.length) : 0;
    this.cells = cells;
    for (const { element } of this.rows.splice(kept)) element.remove();
    for (const group of this.groups.splice(Math.ceil(kept / GROUP))) group.remove();
    whatIfs?.keep(kept);
  }

  /** Ranks may have as many digits as there are candidates. */
  giveRoom() {
    this.table.style.setProperty("--digits", number(candidateCount(this.run, 0)).length);
  }

  /** The run has become another one, of another kind if it `isOther`. */
  renew(isOther) {
    this.ranks = new Map();
    this.isFresh = true;
    if (isOther) this.build();
    else this.giveRoom();
    for (const row of this.rows) {
      row.key = undefined;
      if (row.ask) row.ask.dataset.choice = "";
    }
  }

  /** Arrows lead from row to row; Tab goes on to the row's own button. */
  key(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = this.rows.findIndex(({ element }) => element === event.target);
    if (!by || event.ctrlKey || event.metaKey || event.altKey || (at < 0 && event.target !== this.element)) return;
    event.preventDefault();
    const shown = this.rows.filter(({ element }) => !element.hidden);
    const row = shown[Math.max(0, Math.min(shown.length - 1, at + by))];
    row?.element.focus();
    if (row?.ask && !row.ask.hidden) this.whatIfs.stop(row.ask);
  }

  /** Notes whether the table is seen, how high a row and the heading are, and how many rows reach into the visible part;
   *  asked while drawing, it would have the page laid out twice. */
  look() {
    const wasHidden = this.hidden;
    this.hidden = !this.element.clientHeight;
    if (this.hidden) return;
    if (wasHidden) this.draw(this.t, false, false);
    this.height = this.rows[0]?.element.offsetHeight || 30;
    this.head.parentElement.style.setProperty("--head", `${this.heading.offsetHeight}px`);
    const above = this.table.offsetTop - this.heading.offsetTop + this.head.parentElement.offsetHeight;
    this.seen = Math.max(1, Math.ceil((this.element.scrollTop + this.element.clientHeight - above) / this.height));
    showWhole(this.element, this.table, this.rows.slice(0, this.seen).map(({ element }) => element));
  }

  /** Draws state t; candidates that stay glide to their new rank if `moving`. While moves come
   *  `rapid`ly, of a run that has just come, and in a long table, rows out of sight wait. */
  draw(t, moving, rapid) {
    const { run } = this;
    this.t = t;
    clearTimeout(this.resting);
    this.howMany.textContent = run.family.counted(run, candidateCount(run, t), t);
    if (run.agreement) this.agreement.textContent = run.agreement[t];
    this.setClass(run.family.tableClass(run, t));
    // Hidden, its rows cost a step nothing.
    if (this.hidden) return;
    const found = rows(run, t);
    const values = found.map((row) => Math.max(0, run.family.barOf(run, row, t) || 0));
    const greatest = Math.max(...values) || 1;
    const cut = run.family.cutBefore(run, t, found);
    const before = this.ranks;
    this.ranks = new Map();
    const waits = rapid || this.isFresh || (moving !== undefined && found.length > LONG_TABLE);
    this.isFresh = false;
    const seen = waits ? Math.min(this.seen, found.length) : found.length;
    while (this.rows.length < seen) this.rows.push(this.emptyRow(this.rows.length));
    found.slice(0, seen).forEach((row, i) => {
      const shown = this.rows[i];
      const key = tokensIn(row).join();
      this.fill(shown, key, row, i, values[i] / greatest);
      this.whatIfs?.fill(shown.ask, row, t);
      // A forced pair may come from far down.
      const place = String(row.place ?? i + 1);
      if (shown.place.textContent !== place) shown.place.textContent = place;
      shown.element.className = row.chosen ? "chosen" : i === cut && i ? "cut" : "";
      this.bracket(shown.note, found, i, t);
      this.ranks.set(key, i);
    });
    this.hideRest(found.length);
    if (moving) this.move(before);
    this.whatIfs?.drawn();
    if (seen < found.length) this.resting = setTimeout(() => this.draw(t), REST);
  }

  /** Shows so many rows; groups that have none of them take no room. */
  hideRest(shown) {
    const hide = (element, is) => element.hidden === is || (element.hidden = is);
    this.rows.forEach(({ element }, i) => hide(element, i >= shown));
    this.groups.forEach((group, i) => {
      const rows = Math.max(0, Math.min(GROUP, shown - i * GROUP));
      hide(group, !rows);
      if (group.holds === rows) return;
      group.holds = rows;
      group.style.containIntrinsicBlockSize = `calc(${rows} * var(--row))`;
    });
  }

  /** What the columns are like may change from step to step. */
  setClass(name) {
    if (this.named === name) return;
    this.named = name;
    this.table.className = `${name}${this.whatIfs ? " asks" : ""}`;
    this.element.closest(".tv-panels")?.classList.toggle("tv-many-columns", Boolean(name));
  }

  /** Rows are made once and filled anew: what the browser knows of their place stays true. */
  emptyRow(rank) {
    const cell = (kind) => make("td", { role: "cell", class: kind });
    const cells = this.columns.map(({ kind = "" }) => cell(`n ${kind}`.trim()));
    const row = { place: cell("rank"), who: cell("pair"), cells, bar: make("span"), note: cell("note") };
    row.place.append(String(rank + 1));
    row.element = make("tr", { role: "row", tabindex: -1 }, row.place, row.who, ...cells);
    if (this.run.family.hasBars(this.run)) {
      const bar = cell("bar");
      bar.append(row.bar);
      row.element.append(bar);
    }
    row.element.append(row.note);
    if (this.whatIfs) {
      row.ask = this.whatIfs.button();
      const askCell = cell("ask");
      askCell.append(row.ask);
      row.element.append(askCell);
    }
    if (rank % GROUP === 0) this.groups.push(this.table.appendChild(make("tbody", { role: "rowgroup" })));
    this.groups.at(-1).append(row.element);
    return row;
  }

  fill(shown, key, row, i, share) {
    if (shown.key !== key || shown.across !== row.across) {
      shown.key = shown.element.dataset.key = key;
      shown.across = row.across;
      const tokens = tokensIn(row);
      // Another algorithm may show the same string otherwise.
      const look = [this.run.algorithm, row.across, ...tokens.map((token) => `${this.run.colours[token]} ${this.run.strings[token]}`)].join("\0");
      if (shown.look === look) shown.who.querySelectorAll(".chip").forEach((chip, i) => (chip.dataset.t = tokens[i]));
      else {
        shown.look = look;
        const chips = tokens.map((token) => this.chips.chip(token));
        const plus = () => [make("span", { class: "plus" }, "+"), make("wbr")];
        shown.who.replaceChildren(...chips.flatMap((chip, i) => (i ? [...plus(), chip] : [chip])));
        // Between whole words stands the border that falls, as in the corpus.
        shown.who.querySelector(".plus")?.classList.toggle("border", row.across === true);
        shown.who.title = row.across ? _("across words") : "";
        shown.element.toggleAttribute("data-long", shown.who.textContent.length > SHORT);
      }
    }
    this.columns.forEach((column, k) => writeNumber(shown.cells[k], column.show(row, i)));
    shown.bar.style.setProperty("--share", share);
  }

  /** What the row's last cell says, and the bracket around candidates of equal score. */
  bracket(note, found, i, t) {
    const row = found[i];
    const { run } = this;
    const tied = (other) => (other?.tied ? "" : " ");
    const kind = row.tied ? `note tie${tied(found[i - 1]) && " top"}${tied(found[i + 1]) && " bottom"}` : "note";
    const said = run.family.fate(run, t, row);
    // The rule is named once, where the tie parts those that are taken from the rest.
    const rule = row.tied && !said && !isForced(run, t) && found[i - 1]?.chosen ? run.family.tieRule(run) : "";
    const unseen = row.tied && !rule ? (said ? _(", tied") : _("tied")) : "";
    const signature = `${kind}|${said}|${rule}|${unseen}`;
    if (note.signature === signature) return;
    note.signature = signature;
    note.className = kind;
    note.replaceChildren(said);
    // The heading explains ties to the keyboard: a note comes and goes with the step.
    if (rule) note.append(make("span", { class: "rule tv-term", "data-explained": meaning("tie-break") }, rule));
    if (unseen) note.append(make("span", { class: "tv-unseen" }, unseen));
  }

  /** Candidates glide to their rank from that `before`, others appear: all of them as one where none stays. */
  move(before) {
    const appear = (element) => element.animate([{ opacity: 0 }, { opacity: 1 }], GLIDE);
    const ranks = [...this.ranks];
    if (!ranks.some(([key]) => before.has(key))) return this.groups.slice(0, Math.ceil(ranks.length / GROUP)).forEach(appear);
    for (const [key, to] of ranks) {
      const [{ element }, from] = [this.rows[to], before.get(key)];
      if (from === undefined) appear(element);
      else if (from !== to) element.animate([{ transform: `translateY(${(from - to) * this.height}px)` }, { transform: "none" }], GLIDE);
    }
  }
}

/** Writes a number into its cell, small before it what it is made of, unless it stands there. */
function writeNumber(cell, said) {
  const [small, value] = typeof said === "string" ? ["", said] : said;
  const key = `${small} ${value}`;
  if (cell.number === key) return;
  cell.number = key;
  cell.replaceChildren(...(small ? [make("small", {}, small), " "] : []), value);
}
