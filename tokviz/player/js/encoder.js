// The page Encode: a text field, the text's tokens as of several states, one token's facts, and how
// its word was cut. Python encodes; here its answers are drawn, as text and nothing else.

import { drawAnswer } from "./answers.js";
import { Bytes } from "./bytes.js";
import { AnswerChips, Column } from "./column.js";
import { forgetAddress, framed, make, textNodes, writeAddress } from "./dom.js";
import { _, _n, _p, number } from "./i18n.js";
import { shared } from "./shared.js";
import { remember, remembered } from "./tab.js";
import { WordPanel } from "./word_panel.js";

const PATIENCE = 2000; // ms until an answer is taken for lost
const TYPED = "tokviz-encode-draft"; // what this tab remembers: the address holds no long text, and no ids
const REST = 300; // ms without a key until a word is drawn
const [MOST_CHARACTERS, MOST_IDS, MOST_LINKED] = [20000, 2000, 1000];
/** What steps are called, by what Python calls them: where a column is added, and how many there are. */
const STEPS = {
  merge: [(at) => _p("Add a column: after {field} merges (0 to {last})", at), (n) => _n("This run has {n} merge.", "This run has {n} merges.", n)],
  round: [(at) => _p("Add a column: after {field} rounds (0 to {last})", at), (n) => _n("This run has {n} round.", "This run has {n} rounds.", n)],
  step: [(at) => _p("Add a column: after {field} steps (0 to {last})", at), (n) => _n("This run has {n} step.", "This run has {n} steps.", n)],
};
const NARROW = matchMedia("(max-width: 900px)");
const views = new WeakMap();

export default function mount(component) {
  return drawAnswer(views, component, (root, answer) => new Encoder(root, answer), "tokviz answer");
}

class Encoder {
  constructor(root, { serial, examples, text, typed, sampling, ids, kept }) {
    Object.assign(this, { serial, typed, columns: new Map(), asking: 0, chosen: null });
    this.field = make("textarea", { "aria-label": _("Text"), rows: 3, dir: "auto", spellcheck: "false", maxlength: MOST_CHARACTERS });
    this.field.value = text;
    this.field.oninput = () => this.write();
    const tries = examples.map((example) => {
      const element = make("button", { type: "button", class: "tv-try" }, make("bdi", {}, example));
      element.onclick = () => {
        this.field.value = example;
        this.chosen = null;
        this.write();
      };
      return element;
    });
    this.pin = make("input", { type: "number", min: 0, "aria-label": _("Step to add"), class: "tv-step" });
    this.pin.onkeydown = (event) => event.key === "Enter" && this.addPin();
    this.add = make("button", { type: "button", class: "tv-wide" }, _("Add"));
    this.add.onclick = () => this.addPin();
    this.ids = make("input", { type: "text", "aria-label": _("Ids or tokens to decode"), placeholder: _("ids or tokens"), class: "tv-ids", maxlength: MOST_IDS, autocapitalize: "off", spellcheck: "false", dir: "auto" });
    this.ids.value = ids;
    this.ids.oninput = () => {
      this.note();
      this.ask(false);
    };
    this.adding = make("label", {}, this.pin);
    this.said = make("span", { role: "status", class: "tv-said" });
    this.table = make("div", { class: "tv-columns" });
    this.facts = make("dl");
    this.face = make("p", { class: "tv-face" });
    this.bytes = new Bytes();
    const scrolled = { class: "tv-token", "aria-label": _("The chosen token"), tabindex: 0 };
    this.token = make("section", scrolled, make("div", { class: "tv-token-head" }, make("h2", {}, _("Token")), this.face), this.facts, this.bytes.element);
    this.word = new WordPanel(sampling, (draw) => this.ask(draw));
    root.replaceChildren(
      make("div", { class: "tv-typing" }, this.field),
      make(
        "div", { class: "tv-asking" },
        make("span", { class: "tv-tries", role: "group", "aria-label": _("Texts to try") }, make("span", { class: "tv-note" }, _("Try")), ...tries),
        make("label", { class: "tv-adding" }, ..._p("Decode {field}", { field: this.ids })),
        make("span", { class: "tv-adding" }, this.adding, this.add, this.said),
      ),
      this.table,
      make("div", { class: "tv-details" }, framed(this.token), this.word.element),
    );
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", _("Encoder"));
    this.noting = kept;
    if (kept) this.takeBack(remembered(TYPED));
  }

  /** What was typed before the page was loaded anew, where Python does not know it. */
  takeBack(before) {
    if (typeof before?.text === "string" && !this.typed) {
      this.field.value = before.text;
      this.typed = true;
    }
    if (before?.ids && !this.ids.value) {
      this.ids.value = before.ids;
      this.forgotten = true;
    }
  }

  note() {
    if (this.noting) remember(TYPED, { text: this.typed ? this.field.value : null, ids: this.ids.value });
  }

  stop() {
    clearTimeout(this.waiting);
    clearTimeout(this.resting);
    forgetAddress("encode");
  }

  // --- asking Python --------------------------------------------------------------------------

  write() {
    this.typed = true;
    this.note();
    this.ask(false);
  }

  /** Asks for what the page shows now: at once, or as soon as the question before is answered. While
   *  somebody types on, answers come as fast as they are made, and no word is drawn. */
  ask(draw = true) {
    clearTimeout(this.waiting);
    clearTimeout(this.resting);
    this.mayDraw = draw;
    this.again = this.asking > 0;
    if (this.again) this.waiting = setTimeout(() => this.send(), PATIENCE);
    else this.send();
  }

  send() {
    clearTimeout(this.waiting);
    this.again = false;
    this.asking = performance.now();
    this.forgotten = false;
    this.serial++;
    const text = this.typed ? this.field.value : null;
    const { pins, chosen, mayDraw: draw } = this;
    const { settings: sampling } = this.word;
    this.tell({ serial: this.serial, text, pins, chosen, sampling, draw, ids: this.ids.value, moment: this.moment });
  }

  addPin() {
    const step = this.pin.valueAsNumber;
    const { last, most, columns, noun } = this.answer;
    let said = "";
    if (!Number.isInteger(step) || step < 0) said = _("Give a whole number.");
    else if (step > last) said = STEPS[noun][1](last);
    else if (columns.some(({ state }) => state === step)) said = _("That column is there already.");
    else if (columns.filter((column) => this.pins.includes(column.state)).length >= most) said = _n("Only {n} column can be added; remove it first.", "Only {n} columns can be added; remove one first.", most);
    this.said.textContent = said;
    if (said) return;
    this.pin.value = "";
    this.pins = [...this.pins, step];
    this.ask();
  }

  removePin(state) {
    this.pins = this.pins.filter((pin) => pin !== state);
    this.said.textContent = "";
    this.pin.focus();
    this.ask();
  }

  /** The address names the runs and the step. Where the player was left in the middle of a move,
   *  Python has not heard of its last step yet. */
  stand(address) {
    const [links, position, align] = address;
    writeAddress("player", { step: position, ...(align !== "step" && { align }) }, links);
    const typed = this.answer.typed && this.answer.text.length <= MOST_LINKED;
    writeAddress("encode", { ...(typed && { text: this.answer.text }), ...(this.pins.length && { pins: this.pins.join(".") }) });
    const moment = shared.moment;
    if (this.heard || !moment || (moment.position === position && moment.align === align)) return;
    this.heard = true;
    this.moment = moment;
    this.ask(false);
  }

  // --- drawing --------------------------------------------------------------------------------

  draw(answer) {
    this.show(answer);
    if (answer.address) this.stand(answer.address);
    // A server that began anew does not know what was typed.
    if (!this.asking && (this.forgotten || (this.typed && !answer.typed))) this.ask(false);
  }

  show(answer) {
    if (answer.serial >= this.serial) this.asking = 0;
    if (!this.asking) this.moment = null;
    // What was chosen since that question was asked comes with the next answer; until then it stays.
    const stale = this.again || this.asking > 0;
    const kept = stale && this.answer?.text === answer.text;
    this.answer = answer;
    if (!stale) this.pins = answer.pins;
    if (!this.typed && !answer.typed) this.field.value = answer.text;
    const { noun, last } = answer;
    // Only when it is another run: the field in it may have the focus.
    if (this.steps !== `${last} ${noun}`) this.adding.replaceChildren(...STEPS[noun][0]({ field: this.pin, last: number(last) }));
    this.steps = `${last} ${noun}`;
    this.pin.max = last;
    this.chips = new AnswerChips(answer);
    const known = this.columns;
    this.columns = new Map(answer.columns.map((column) => {
      const does = { choose: (...token) => this.choose(...token), remove: (t) => this.removePin(t) };
      return [column.state, known.get(column.state) ?? new Column(column.state, does)];
    }));
    const elements = [...this.columns.values()].map((column) => column.element);
    if (elements.some((element, i) => this.table.children[i] !== element) || elements.length !== this.table.children.length) {
      this.table.replaceChildren(...elements);
    }
    for (const column of answer.columns) {
      this.columns.get(column.state).draw(column, this.chips, answer.text, answer.pins.includes(column.state) && !column.tag);
    }
    this.table.dataset.columns = elements.length;
    this.table.dataset.characters = [...answer.text].length;
    if (kept) {
      for (const column of this.columns.values()) column.choose(column.index ?? null);
      if (this.again) this.send();
      return;
    }
    const [at, index] = answer.chosen ?? [-1, null];
    [...this.columns.values()].forEach((column, i) => column.choose(i === at ? index : null));
    this.drawToken(answer.columns[at], index);
    this.bytes.show(answer.bytes);
    const special = index !== null && !answer.trace;
    const instead = special ? _("A special token is kept whole: no word is cut.") : _("Choose a token to see how its word was cut.");
    this.word.show(answer.trace, answer.samples, this.chips, instead);
    if (this.again) this.send();
    else if (!stale && answer.trace && !answer.samples && this.word.sampled) this.resting = setTimeout(() => this.ask(), REST);
  }

  choose(column, index) {
    const { state, starts } = column.column;
    let nth = 0;
    for (let i = index - 1; i >= 0 && starts[i] === starts[index]; i--) nth++;
    this.chosen = [state, starts[index], nth];
    for (const other of this.columns.values()) other.choose(other === column ? index : null);
    column.reveal();
    this.drawToken(column.column, index);
    this.bytes.wait();
    // On a narrow screen what is known of a token stands far below it.
    if (NARROW.matches) this.token.scrollIntoView({ block: "nearest" });
    this.ask();
  }

  /** What is known of a token. */
  drawToken(column, index) {
    if (!column || index === null) {
      this.face.replaceChildren(make("span", { class: "tv-note" }, _("Choose a token above.")));
      this.facts.replaceChildren();
      return;
    }
    const [token, start, end] = [column.tokens[index], column.starts[index], column.ends[index]];
    const [, id, kind] = this.chips.table[token];
    const covered = [...this.answer.text].slice(start, end);
    const rows = [
      [_("id"), id === null ? _("none: not in the vocabulary") : kind === "unknown" ? _("{id} (unknown)", { id: number(id) }) : number(id)],
      [_("offsets"), `[${number(start)}, ${number(end)})`],
      [_("token"), make("bdi", {}, this.chips.string(token))],
      [_("text"), make("bdi", {}, ...(covered.length ? textNodes(covered.join("")) : [_("nothing")]))],
      [_("column"), column.name],
    ];
    this.face.replaceChildren(this.chips.chip(token));
    this.facts.replaceChildren(...rows.map(([name, ...value]) => make("div", {}, make("dt", {}, name), make("dd", {}, ...value))));
  }
}
