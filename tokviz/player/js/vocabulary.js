// The vocabulary at the player's step, in the lens below it: a row a token, of which only those in sight
// are on the page. A row is linked with its places in the text.

import { REST } from "./lines.js";
import { make } from "./dom.js";
import { born, isAlive } from "./run.js";
import { shared } from "./shared.js";
import { tokenString } from "./tokens.js";
import { _, number } from "./i18n.js";
import { showWhole } from "./whole_rows.js";

const ROW_HEIGHT = 1.875; // rem, as in vocabulary.css
const SPARE = 8; // rows on the page besides those in sight
const MANY = 2000; // tokens of a vocabulary that is drawn when the player rests
const FACTS = { id: _("id"), token: _("token"), born: _("made by step"), count: _("count now") };

/** The vocabulary of state t by id, of a run whose tokens are all known (player/vocabulary.py). */
export function vocabulary(run, t) {
  const rows = run.special_tokens.map((_, k) => ({ token: -2 - k, id: k, born: 0, count: 0 }));
  const [ids, counts] = [run.family.idsNow(run, t), run.family.countsNow(run, t)];
  for (let token = 0; token < run.strings.length; token++) {
    if (!isAlive(run, token, t)) continue;
    const id = ids[token];
    // All unknown characters are one token.
    rows[id] = { token, id, born: born(run, token), count: counts[token] + (rows[id]?.count ?? 0) };
  }
  return rows;
}

/** Draws the vocabulary where the page has its lens, if it has. */
export class Vocabulary {
  constructor(player) {
    Object.assign(this, { player, gone: new AbortController() });
    const listen = (name, heard) => document.addEventListener(name, heard, { signal: this.gone.signal });
    listen("tokviz-vocabulary", () => this.show());
    listen("tokviz-step", () => this.later());
    this.show();
  }

  stop() {
    this.gone.abort();
    this.leave();
  }

  leave() {
    clearTimeout(this.resting);
    this.watching?.disconnect();
    this.sized?.disconnect();
    this.element = null;
  }

  /** The lens has come, gone, or shows another lane. */
  show() {
    this.leave();
    this.place = shared.vocabulary;
    this.lane = this.place && this.player.lanes[this.place.lane];
    if (!this.lane) return;
    Object.assign(this, { t: -1, rows: [], lines: [] });
    this.heads = Object.entries(FACTS).map(([name, label]) => {
      const sort = make("button", { type: "button" }, label);
      sort.onclick = () => this.sortBy(name);
      return make("th", { role: "columnheader", class: name, "data-by": name }, sort);
    });
    this.body = make("tbody", { role: "rowgroup" });
    this.table = make("table", { role: "table" }, make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...this.heads)), this.body);
    const label = _("Vocabulary of {lane}", { lane: this.lane.run.label });
    this.element = make("div", { class: "tv-vocabulary", role: "group", tabindex: 0, "aria-label": label, "data-lane": this.place.lane }, this.table);
    this.element.onscroll = () => {
      shared.vocabularyView.top = this.element.scrollTop;
      this.draw();
    };
    this.element.onkeydown = (event) => this.key(event);
    this.element.onclick = ({ target }) => this.choose(target.closest("tr[data-key]"));
    this.player.selection.follow(this.element);
    this.place.root.replaceChildren(this.element);
    // Nobody waits for what is out of sight.
    this.watching = new IntersectionObserver(([{ isIntersecting }]) => {
      this.place.seen = isIntersecting;
      this.update();
    });
    this.watching.observe(this.element);
    this.sized = new ResizeObserver(() => this.draw());
    this.sized.observe(this.element);
    this.update();
  }

  /** The runs have become others. */
  renew() {
    this.t = -1;
    this.element?.setAttribute("aria-label", _("Vocabulary of {lane}", { lane: this.lane.run.label }));
    for (const line of this.lines ?? []) line.element.dataset.key = "";
    this.later();
  }

  later() {
    clearTimeout(this.resting);
    if (this.element) this.resting = setTimeout(() => this.update(), this.rows.length > MANY ? REST : 0);
  }

  /** Takes the rows of the lane's present state. */
  update() {
    if (!this.place.seen || this.t === this.lane.t) return;
    const isNew = this.t < 0;
    this.t = this.lane.t;
    this.rows = vocabulary(this.lane.run, this.t);
    this.sort();
    if (isNew) this.element.scrollTop = shared.vocabularyView.top;
  }

  /** Sorts by a column; by the same one again, the other way round. Counts begin with the greatest. */
  sortBy(name) {
    const { by, falling } = shared.vocabularyView;
    Object.assign(shared.vocabularyView, { by: name, falling: by === name ? !falling : name === "count" });
    this.element.scrollTop = 0;
    this.sort();
  }

  sort() {
    const { rows } = this;
    const { by, falling } = shared.vocabularyView;
    const value = by === "token" ? (row) => tokenString(this.lane.run, row.token) : (row) => row[by];
    const way = falling ? -1 : 1;
    rows.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return x === y ? a.id - b.id : x < y ? -way : way;
    });
    for (const head of this.heads) {
      if (head.dataset.by === by) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    this.table.setAttribute("aria-rowcount", rows.length + 1);
    for (const line of this.lines) line.element.dataset.key = "";
    this.draw();
  }

  /** Draws the rows in sight. A row keeps its line while it stays there. */
  draw() {
    const row = ROW_HEIGHT * parseFloat(getComputedStyle(document.documentElement).fontSize);
    if (this.row !== row) {
      this.row = row;
      for (const line of this.lines) line.element.dataset.key = "";
    }
    this.body.style.height = `${this.rows.length * row}px`;
    const { scrollTop, clientHeight } = this.element;
    while (this.lines.length < clientHeight / row + SPARE) this.lines.push(this.emptyLine());
    const lines = this.lines.length;
    const first = Math.max(0, Math.floor(scrollTop / row) - SPARE / 2);
    for (let i = first; i < first + lines; i++) this.fill(this.lines[i % lines], i);
    showWhole(this.element, this.body, this.lines.map(({ element }) => element));
  }

  emptyLine() {
    const cells = Object.keys(FACTS).map((name) => make("td", { role: "cell", class: name }));
    const element = make("tr", { role: "row", tabindex: -1 }, ...cells);
    this.body.append(element);
    return { element, cells };
  }

  fill({ element, cells }, i) {
    const row = this.rows[i];
    element.hidden = !row;
    if (!row || (element.dataset.key === String(row.token) && element.dataset.row === String(i))) return;
    Object.assign(element.dataset, { key: row.token, row: i });
    element.setAttribute("aria-rowindex", i + 2);
    element.style.top = `${i * this.row}px`;
    element.className = this.t > 0 && row.born === this.t ? "new" : "";
    const [id, token, made, count] = cells;
    [id.textContent, made.textContent, count.textContent] = [row.id, row.born, row.count].map((value) => number(value));
    token.replaceChildren(this.lane.chips.chip(row.token));
  }

  /** Arrows lead from row to row, Enter chooses. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Number(event.target.dataset.row ?? -1);
    if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      this.choose(event.target);
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || event.target.localName === "button") return;
    event.preventDefault();
    const next = Math.max(0, Math.min(this.rows.length - 1, at + by));
    const above = this.table.firstChild.offsetHeight;
    const { row } = this;
    const { scrollTop, clientHeight } = this.element;
    this.element.scrollTop = Math.min(next * row, Math.max(scrollTop, (next + 1) * row + above - clientHeight));
    this.draw();
    this.lines.find(({ element }) => element.dataset.row === String(next) && !element.hidden)?.element.focus({ preventScroll: true });
  }

  /** Selects the token of a row in the player, which comes into sight; once more lets it go. */
  choose(line) {
    if (!line) return;
    const { selection } = this.player;
    const found = { lane: Number(this.element.dataset.lane), token: Number(line.dataset.key) };
    const again = selection.token?.lane === found.lane && selection.token.token === found.token;
    selection.select(again ? null : found);
    if (!again) this.lane.element.scrollIntoView({ block: "nearest", behavior: this.player.reduced.matches ? "auto" : "smooth" });
  }
}
