// What a token spells: its characters, their code points and UTF-8 bytes, and what is only a part.

import { make, textNodes } from "./dom.js";
import { _, _n } from "./i18n.js";

const HEADS = [_("Character"), _("Code point"), _("Byte"), _("Bits"), _("Shown as")];

export class Bytes {
  constructor() {
    this.table = make("table");
    this.more = make("p", { class: "tv-note" });
    this.element = make("div", { class: "tv-bytes" }, this.table, this.more);
  }

  /** Hides what belongs to another token until an answer comes; the room stays. */
  wait() {
    this.element.classList.add("waiting");
  }

  /** Shows the bytes of a token; `spelled` is null where none is chosen. */
  show(spelled) {
    this.element.classList.remove("waiting");
    const known = JSON.stringify(spelled);
    if (this.known === known) return;
    this.known = known;
    const { rows, more } = spelled ?? { rows: [], more: 0 };
    const head = make("thead", {}, make("tr", {}, ...HEADS.map((text) => make("th", { scope: "col" }, text))));
    this.table.replaceChildren(head, ...rows.map((row) => this.character(row)));
    this.table.hidden = !rows.length;
    const none = spelled && !rows.length ? _("No bytes of text: it is a marker.") : "";
    this.more.textContent = more ? _n("and {n} more character", "and {n} more characters", more) : none;
  }

  character({ char, point, name, why, bytes }) {
    const rows = bytes.map(([value, leading, payload, shown]) => make(
      "tr", {},
      make("td", { class: "value" }, value),
      make("td", { class: "bits" }, make("span", { class: "lead" }, leading), payload),
      make("td", { class: "shown" }, shown),
    ));
    const drawn = char === null ? make("span", { class: "part" }, _("a part")) : make("bdi", {}, ...textNodes(char));
    const whole = { rowspan: bytes.length };
    rows[0].prepend(make("td", { ...whole, class: "char", title: name }, drawn), make("td", { ...whole, class: "point" }, point.match(/U\+\w+/g)?.join("–") ?? "–"));
    if (why) rows.push(make("tr", {}, make("td", { colspan: HEADS.length, class: "why" }, _("Broken: {why}.", { why }))));
    return make("tbody", {}, ...rows);
  }
}
