// The field that selects any token by name, with the keyboard alone.

import { make } from "./dom.js";
import { _ } from "./i18n.js";
import { tokenName } from "./tokens.js";

const FOUND = 20; // tokens that are offered

export class Finder {
  /** `onfound` takes a lane and a token's number, or null; `onescape` nothing. */
  constructor(runs, onfound, onescape, id = "tv-tokens", label = _("Find a token")) {
    Object.assign(this, { runs, onfound });
    const list = make("datalist", { id });
    this.field = make("input", {
      type: "search", class: "tv-find", "aria-label": label, placeholder: label, list: id,
      autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    });
    this.field.oninput = () => {
      this.field.setCustomValidity("");
      list.replaceChildren(...this.find(this.field.value).map(({ name }) => make("option", { value: name })));
    };
    this.field.onchange = () => this.choose();
    this.field.onkeydown = ({ key }) => {
      if (key !== "Escape") return;
      this.field.value = "";
      this.field.setCustomValidity("");
      onescape();
    };
    this.element = make("span", {}, this.field, list);
  }

  /** The tokens of all lanes that hold a text as they are shown or as they are spelled (`é` is
   *  spelled `Ã©` in bytes): those that start with it first, then the shortest. */
  find(text) {
    if (!text) return [];
    const found = new Map();
    this.runs.forEach((run, lane) => {
      this.names(run).forEach((name, token) => {
        const held = [name, run.strings[token]].find((s) => s.includes(text));
        if (held === undefined || found.has(name)) return;
        found.set(name, { name, lane, token, rank: (held.startsWith(text) ? 0 : 1e6) + held.length });
      });
    });
    return [...found.values()].sort((a, b) => a.rank - b.rank).slice(0, FOUND);
  }

  /** What every token of a run is shown as; made when somebody first looks for one. */
  names(run) {
    return (run.names ??= run.strings.map((_, token) => tokenName(run, token)));
  }

  choose() {
    const text = this.field.value;
    const [best] = this.find(text);
    this.field.setCustomValidity(text && !best ? _("No token holds this text.") : "");
    this.field.reportValidity();
    this.onfound(best ? { lane: best.lane, token: best.token } : null);
  }
}
