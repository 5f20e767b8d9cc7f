// The field "Stop at" in the bar, and the sentences that say why playing stopped, or that it has nowhere to
// stop.

import { nextStop, readStop, stopKinds, stopPositions, whyNone, writeStop } from "./breakpoints.js";
import { make, visible } from "./dom.js";
import { Finder } from "./finder.js";
import { _, number, sentences } from "./i18n.js";
import { tokenName } from "./tokens.js";

const STOPS = {
  "": _("the end"), tie: _("next tie"), birth: _("birth of the selected token"),
  end: _("end of the selected token"), size: _("vocabulary size …"),
};

export class Stops {
  /** `written` is what to stop at, as an address has it. `does.changed` hears that it is another one,
   *  `does.select` the token that somebody typed, `does.escape` that somebody wants to leave. */
  constructor(runs, written, does) {
    Object.assign(this, { runs, does, tokens: [], stop: readStop(written, runs) });
    this.select = make("select", { "aria-label": _("Stop at"), title: _("Where playing stops") });
    this.select.onchange = () => this.choose(this.select.value);
    // Whoever points goes on with keys of the player, and those are not for fields. (A handler that
    // returned false would take the keys away.)
    this.select.onpointerdown = () => void (this.pointed = true);
    this.select.onkeydown = () => void (this.pointed = false);
    this.size = make("input", { type: "number", min: 1, max: 999999999, "aria-label": _("Vocabulary size to stop at") });
    this.size.onchange = () => this.choose("size");
    this.finder = new Finder(runs, does.select, does.escape, "tv-stop-tokens", _("Token to stop at"));
    this.element = make(
      "span", { class: "tv-stop" }, make("span", { class: "tv-stop-label", "aria-hidden": "true" }, _("Stop at")),
      this.select, this.size, this.finder.element,
    );
    this.renew();
  }

  /** The runs are there, or have become others of other kinds: what these cannot stop at is chosen no more. */
  renew() {
    const { runs } = this;
    const kinds = [...stopKinds(runs), "size"];
    // Options and a value that are there already would have Chromium lay out the page.
    if (kinds.join() !== this.kinds?.join()) this.select.replaceChildren(...kinds.map((kind) => new Option(STOPS[kind], kind)));
    this.kinds = kinds;
    this.stop = readStop(this.written, runs);
    this.show();
  }

  get written() {
    return writeStop(this.stop);
  }

  choose(kind) {
    const typed = this.size.valueAsNumber;
    const usual = this.runs[0].vocab_size.at(-1);
    const size = typed >= 1 && typed < 1e9 ? Math.round(typed) : (this.stop.size ?? usual);
    this.stop = kind === "size" ? { kind, size } : { kind };
    this.show();
    if (this.pointed) this.select.blur();
    this.pointed = false;
    this.does.changed();
  }

  show() {
    const { kind, size } = this.stop;
    if (this.select.value !== kind) this.select.value = kind;
    this.size.hidden = kind !== "size";
    if (size) this.size.value = size;
    this.finder.element.hidden = kind !== "birth" && kind !== "end";
  }

  /** Another token is selected: its number in every lane, -1 where there is none. */
  setTokens(tokens) {
    this.tokens = tokens;
    this.finder.field.value = this.name();
  }

  /** The selected token as it is shown; "" if none is. */
  name() {
    const lane = this.tokens.findIndex((token) => token >= 0);
    return lane < 0 ? "" : tokenName(this.runs[lane], this.tokens[lane]);
  }

  /** For every lane the position of its stop, -1 if it has none. */
  positions(axis) {
    return stopPositions(this.runs, axis, this.stop, this.tokens);
  }

  next(axis, p) {
    return this.stop.kind ? nextStop(this.runs, axis, this.stop, this.tokens, p) : null;
  }

  /** Why playing stopped: a sentence for every lane that reached its stop. */
  reached(axis, { position, lanes }) {
    return sentences(...lanes.map((lane) => [this.said(this.runs[lane], axis.states[lane][position])])).join("");
  }

  said(run, t) {
    const { kind, size } = this.stop;
    const [token, lane] = [visible(this.name()), run.label];
    const alone = this.runs.length === 1;
    if (kind === "birth") return alone ? _("Stopped: “{token}” was born.", { token }) : _("{lane} stopped: “{token}” was born.", { lane, token });
    if (kind === "end") return alone ? _("Stopped: “{token}” was pruned.", { token }) : _("{lane} stopped: “{token}” was pruned.", { lane, token });
    if (kind === "size") {
      const [here, asked] = [number(run.vocab_size[t]), number(size)];
      if (here === asked) return alone ? _("Stopped at a vocabulary of {here}.", { here }) : _("{lane} stopped at a vocabulary of {here}.", { lane, here });
      return alone ? _("Stopped at a vocabulary of {here}, the first one past {asked}.", { here, asked })
        : _("{lane} stopped at a vocabulary of {here}, the first one past {asked}.", { lane, here, asked });
    }
    return run.family.saidTie(run.tied[t], alone ? undefined : lane);
  }

  /** Why no stop comes any more, or none was chosen. */
  none(axis) {
    const { kind, size } = this.stop;
    if (!kind) return _("There is nothing to stop at yet: choose something under “Stop at”.");
    const why = whyNone(this.runs, axis, this.stop, this.tokens);
    const token = visible(this.name());
    if (why === "tie") return _("There are no more ties.");
    if (why === "size") return _("The vocabulary never has {size} tokens in this training.", { size: number(size) });
    if (why === "unselected") return _("Choose a token to stop at: click one, or type it beside “Stop at”.");
    if (why === "nowhere") {
      return kind === "birth" ? _("No merge of these runs makes “{token}”.", { token }) : _("No vocabulary that is pruned here contains “{token}”.", { token });
    }
    if (why === "start") return _("“{token}” was there from the start: no step makes it.", { token });
    if (why === "stays") return _("“{token}” stays to the end: nothing prunes it.", { token });
    if (kind === "size") return _("A vocabulary of {size} came at an earlier step: go back to see it.", { size: number(size) });
    return kind === "birth" ? _("“{token}” was born at an earlier step: go back to see it.", { token }) : _("“{token}” was pruned at an earlier step: go back to see it.", { token });
  }
}
