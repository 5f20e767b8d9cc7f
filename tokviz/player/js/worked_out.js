// The loss delta of a token worked out beside the vocabulary: each word that uses it, cut again without it. The numbers
// were packed, and add up as they are shown.

import { make, visible } from "./dom.js";
import { term } from "./glossary.js";
import { _, _n, _p, number } from "./i18n.js";
import { significant } from "./numbers.js";

export class WorkedOut {
  constructor(run, chips) {
    Object.assign(this, { run, chips, chosen: -1 });
    this.heading = make("div", { class: "tv-heading" }, make("h3", {}, term(_("Loss delta"), "loss-delta")));
    this.body = make("div");
    const named = { role: "group", "aria-label": _("Loss delta, word by word"), tabindex: 0 };
    this.element = make("div", { class: "tv-panel tv-worked", ...named }, this.heading, this.body);
    // Hidden, it costs a step nothing.
    this.seen = false;
    new ResizeObserver(([{ contentRect }]) => {
      const seen = contentRect.height > 0;
      if (seen && !this.seen) this.work();
      this.seen = seen;
    }).observe(this.element);
  }

  /** A token was chosen, or none (-1). */
  choose(token) {
    this.chosen = token;
    if (this.t !== undefined) this.draw(this.t);
  }

  draw(t) {
    this.t = t;
    if (this.seen) this.work();
  }

  /** Works out the delta of the chosen token in the state that is shown. */
  work() {
    const { t } = this;
    const token = this.token(t);
    if (token < 0) return this.body.replaceChildren(make("p", { class: "tv-note" }, _("Choose a token.")));
    const { rows, rest, total, adjusted } = this.run.worked_out[t]?.[token] ?? {};
    if (!rows) return this.body.replaceChildren(make("p", {}, ...this.why(t, token)));
    const heads = [_("word"), _("count"), _("−ln P without it"), _("−ln P now"), _("rise of the loss")];
    const body = rows.flatMap(([word, count, after, before, rise, cut]) => [
      make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, visible(word))), ...[`${number(count)} × (`, `${after} −`, `${before} ) =`, make("b", {}, rise)].map((cell) => make("td", {}, cell))),
      make("tr", {}, make("td", { colspan: 5, class: "tv-without" }, _("without it"), " ", make("span", { class: "tv-word" }, ...cut.map((piece) => this.chips.chip(piece))))),
    ]);
    if (rest[0]) body.push(make("tr", {}, make("th", { scope: "row", colspan: 4 }, _n("{n} more word", "{n} more words", rest[0])), make("td", {}, make("b", {}, rest[1]))));
    const foot = make("tr", {}, make("th", { scope: "row", colspan: 4 }, _("together: the loss delta")), make("td", {}, total));
    const table = make(
      "table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), make("tbody", {}, ...body), make("tfoot", {}, foot),
    );
    this.body.replaceChildren(make("h4", {}, ..._p("Why losing {token} costs {delta}", { token: this.chips.chip(token), delta: total })), table);
    if (adjusted) this.body.append(make("p", { class: "tv-note" }, _("The last column is rounded so that it adds up: its last digits may be off by one.")));
  }

  /** The token that was chosen, if it is in the vocabulary; else the dearest one that goes next, -1 if none does. */
  token(t) {
    const { run } = this;
    if (this.chosen >= 0 && run.family.isAlive(run, this.chosen, t)) return this.chosen;
    const { goes } = run.family.vocabularyParts(run, t);
    return goes.at(-1)?.token ?? -1;
  }

  /** Why there is nothing to add up, in parts. */
  why(t, token) {
    const { run } = this;
    const { goes, stays } = run.family.vocabularyParts(run, t);
    const found = [...goes, ...stays].find((one) => one.token === token);
    const chip = this.chips.chip(token);
    if (token < run.single) return _p("{token} is a single character: it never goes, so it has no loss delta.", { token: chip });
    if (!found) return _p("{token} is far from the cut.", { token: chip });
    const values = { token: chip, delta: significant(found.delta) };
    if (found.delta > 0) return _p("Losing {token} would cost {delta}. What goes next is worked out here; look into any other token in the view “A token”.", values);
    return run.family.countNow(run, token, t)
      ? _p("Losing {token} costs 0: each word that uses it has another segmentation that is as good.", values)
      : _p("Losing {token} costs 0: no word uses it as the words are cut now.", values);
  }
}
