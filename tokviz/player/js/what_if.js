// Buttons in the rows of a candidate table: what if another pair were merged, or another token removed?

import { button, make, visible } from "./dom.js";
import { _ } from "./i18n.js";
import { tokenName } from "./tokens.js";

export class WhatIfs {
  /** `ask(choice)` is told the choice of the row whose button is pressed. */
  constructor(run, table, ask) {
    Object.assign(this, { run, ask, buttons: [] });
    table.onkeydown = (event) => this.key(event);
  }

  /** All but the first rows are gone. */
  keep(kept) {
    this.buttons.length = kept;
  }

  /** A row's button. Only one of a table is reached by Tab; from there arrows lead to the others. */
  button() {
    const element = button(_("What if"), "branch", (event) => {
      event.stopPropagation();
      this.ask(element.choice.map((part) => (typeof part === "number" ? this.run.strings[part] : part)));
    });
    element.classList.add("tv-if");
    element.append(make("span", {}, _("What if")));
    element.onfocus = () => this.stop(element);
    this.buttons.push(element);
    return element;
  }

  /** Names the button after what it would do in state t. */
  fill(element, row, t) {
    const choice = t < this.run.steps ? this.run.family.otherChoice(row) : null;
    element.hidden = !choice;
    const key = String(choice);
    if (!choice || element.dataset.choice === key) return;
    element.dataset.choice = key;
    element.choice = choice;
    const named = choice.map((part) => (typeof part === "number" ? visible(tokenName(this.run, part)) : part));
    element.draw("branch", this.run.family.whatIf(named));
  }

  /** The buttons of the rows that are shown, in order. */
  shown() {
    return this.buttons.filter((element) => !element.hidden && !element.closest("[hidden]"));
  }

  /** After all rows are drawn: Tab stops at the button that it stopped at last, or at the first one. */
  drawn() {
    const shown = this.shown();
    if (!shown.includes(this.at)) this.stop(shown[0]);
  }

  stop(element) {
    for (const other of this.buttons) other.tabIndex = other === element ? 0 : -1;
    this.at = element;
  }

  key(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const shown = this.shown();
    const at = shown.indexOf(event.target);
    if (!by || at < 0) return;
    event.preventDefault();
    shown[Math.max(0, Math.min(shown.length - 1, at + by))].focus();
  }
}
