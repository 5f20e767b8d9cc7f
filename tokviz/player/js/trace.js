// How a word came to its tokens: what the encoder did, row by row, with buttons to go through it.

import { button, direction, make, visible } from "./dom.js";
import { _, number, sentences } from "./i18n.js";
import { showWhole } from "./whole_rows.js";

const MOST_ROWS = 600;

export class Trace {
  constructor() {
    this.of = make("span", { class: "tv-note" });
    this.back = button(_("Previous row"), "previous", () => this.go(this.row - 1));
    this.forward = button(_("Next row"), "next", () => this.go(this.row + 1));
    this.tools = make("span", { class: "tv-tools" }, this.of, make("span", { class: "tv-buttons" }, this.back, this.forward));
    this.head = make("thead");
    this.body = make("tbody");
    this.body.onclick = (event) => {
      const row = event.target.closest("tr");
      if (row) this.go([...this.body.children].indexOf(row));
    };
    this.reason = make("p", { class: "tv-reason" });
    this.live = make("p", { class: "tv-unseen", role: "status" });
    const scroll = { class: "tv-rows", tabindex: 0, role: "group", "aria-label": _("What the encoder did") };
    this.rows = make("div", scroll, make("table", {}, this.head, this.body));
    this.element = make("div", { class: "tv-trace-told" }, this.reason, this.rows, this.live);
    this.rows.onscroll = () => this.showWhole();
    new ResizeObserver(this.rows.onscroll).observe(this.rows);
  }

  showWhole() {
    showWhole(this.rows, this.rows, [...this.body.children]);
  }

  /** Shows a trace, or `instead` where there is none. The same one keeps its row. */
  show(trace, chips, instead) {
    const known = JSON.stringify([trace?.title, trace?.word, trace?.reason, trace?.rows.map((r) => [
      r.ok, r.cells.map((c) => (Array.isArray(c) ? c.map((p) => (typeof p === "number" ? chips.key(p) : p)) : c)),
    ])]);
    if (this.known === known && trace) return;
    this.known = known;
    const all = trace?.rows ?? [];
    const shown = all.slice(0, MOST_ROWS);
    const cut = { shown: number(MOST_ROWS), all: number(all.length) };
    const more = all.length > MOST_ROWS ? [_("Only the first {shown} of {all} rows are shown.", cut)] : [];
    this.reason.textContent = trace ? sentences([visible(trace.reason)], more).join("") : instead;
    this.reason.hidden = !this.reason.textContent;
    this.rows.hidden = this.empty = !shown.length;
    this.rows.dataset.kind = trace?.kind ?? "";
    this.head.replaceChildren(make("tr", {}, ...(trace?.head ?? []).map((h) => make("th", { scope: "col" }, h))));
    this.body.replaceChildren(...shown.map((row) => this.tr(row, chips, direction(trace.word))));
    this.rows.scrollTop = 0;
    if (!shown.length && trace && !trace.reason) {
      this.reason.textContent = _("Nothing was done: the word is one token already.");
      this.reason.hidden = false;
    }
    this.go(0, false);
    this.showWhole();
  }

  /** A row; of a merge, a prefix or a longest token the last cell is the word, read as `read`. */
  tr({ cells, ok }, chips, read) {
    const cell = (parts, at) => {
      const td = make("td");
      if (!Array.isArray(parts)) td.append(visible(parts));
      else {
        const text = make("span", { class: "tv-word" });
        for (const part of parts) text.append(typeof part === "number" ? chips.chip(part) : visible(part));
        if (read && at === cells.length - 1) text.dir = read;
        td.append(text);
      }
      return td;
    };
    return make("tr", ok ? {} : { class: "refused" }, ...cells.map(cell));
  }

  go(to, byPerson = true) {
    const rows = this.body.children;
    const last = rows.length - 1;
    this.row = Math.max(0, Math.min(last, to));
    this.of.textContent = last < 0 ? "" : _("row {row} of {last}", { row: number(this.row + 1), last: number(last + 1) });
    this.back.setAttribute("aria-disabled", this.row <= 0);
    this.forward.setAttribute("aria-disabled", this.row >= last);
    this.body.querySelector(".now")?.removeAttribute("aria-current");
    this.body.querySelector(".now")?.classList.remove("now");
    const row = rows[this.row];
    if (!row) return;
    row.classList.add("now");
    row.setAttribute("aria-current", "true");
    if (!byPerson) return;
    const cells = [...row.cells].map((c) => c.textContent).join(", ");
    this.live.textContent = _("{row}: {cells}", { row: this.of.textContent, cells });
    const [box, at, head] = [this.rows, row, this.head].map((e) => e.getBoundingClientRect());
    if (at.top < box.top + head.height) this.rows.scrollTop += at.top - box.top - head.height;
    else if (at.bottom > box.bottom) {
      // The first row, too, is whole.
      const tops = [...rows].map((other) => other.getBoundingClientRect().top);
      this.rows.scrollTop += tops.find((top) => at.bottom - top <= box.height - head.height) - box.top - head.height;
    }
  }
}
