// The quiz: it hides what comes and asks for it. People pick, type, or raise their hands; the answer
// is explained in the step's own words, and the player goes one step on. The score stays as long as the
// page is open.

import { button, framed, make, visible } from "./dom.js";
import { _, _n, _p, number, sentences } from "./i18n.js";
import { factOf, isRight, optionKey, questionOf, typedAnswer } from "./quiz_questions.js";
import { tokensIn } from "./run.js";
import { narrate } from "./say.js";
import { shared } from "./shared.js";
import { tokenName } from "./tokens.js";

const OUTLINED = 900; // ms for which the answer is outlined in the corpus before the step is made
const { tally } = shared;

export class Quiz {
  /** A panel in the player's first lane, which the questions are about. */
  constructor(player) {
    Object.assign(this, { player, lane: player.lanes[0], on: false });
    this.run = this.lane.run;
    this.heading = make("h3", { id: "tv-question", tabindex: -1 });
    this.rule = make("p", { class: "tv-rule" });
    this.list = make("ol", { class: "tv-options" });
    this.typed = this.typedField();
    this.help = textButton(() => this.showHint());
    this.reveal = textButton(() => this.count(), _("Reveal"));
    this.sentence = make("p", { class: "tv-sentence" });
    this.result = make("div", { class: "tv-result" });
    this.onward = textButton(() => this.next());
    this.onward.classList.add("tv-onward");
    this.handsButton = textButton(() => this.setHands(!tally.hands), _("Show of hands"));
    this.score = make("p", { class: "tv-score" });
    const reset = textButton(() => this.reset(), _("Reset"));
    // It is there before there is an answer: a live region that comes with its text is not heard.
    const heard = { role: "status", "aria-live": "polite" };
    this.element = make(
      "section", { class: "tv-panel tv-question", "aria-labelledby": "tv-question", tabindex: 0 },
      make("div", { class: "tv-heading" }, this.heading), this.rule, this.list,
      make("div", { class: "tv-ways" }, this.typed, this.help, this.reveal),
      make("div", heard, this.sentence, this.result),
      make("p", { class: "tv-go" }, this.onward),
      make("div", { class: "tv-tally" }, this.score, this.handsButton, reset),
    );
    this.frame = framed(this.element, " tv-pane-question");
    // Its chips are answers: the card of a token would tell too much.
    for (const name of ["onclick", "onpointerover"]) this.element[name] = (event) => event.stopPropagation();
    this.renew();
  }

  /** The run is there, or has become one of another kind. */
  renew() {
    const { hint, field: { label, placeholder } } = this.run.family.quiz;
    this.help.textContent = hint(this.run);
    this.field.setAttribute("aria-label", label);
    this.field.placeholder = placeholder;
  }

  typedField() {
    this.field = make("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const form = make("form", { class: "tv-typed" }, this.field, make("button", { type: "submit" }, _("Answer")));
    form.onsubmit = (event) => {
      event.preventDefault();
      const { row, said } = typedAnswer(this.run, this.question, this.field.value);
      this.sentence.textContent = said ? visible(said) : "";
      if (row) this.answer(row);
    };
    return form;
  }

  stop() {
    clearTimeout(this.coming);
    document.documentElement.classList.remove("tv-quiz");
  }

  /** Begins or ends; the page hides by its class what would give answers away. */
  show(on) {
    this.on = on;
    clearTimeout(this.coming);
    document.documentElement.classList.toggle("tv-quiz", on);
    // Outside a quiz the player has one live region, that of its narration.
    if (on) this.lane.panels.append(this.frame);
    else this.frame.remove();
    if (on && this.lane.t >= 0) this.ask();
  }

  /** The player has moved: another question, unless the move belongs to the answer that is shown. */
  draw() {
    if (!this.on) return;
    if (this.answered && [this.question.t, this.answered.leadsTo].includes(this.lane.t)) return;
    this.ask();
  }

  ask() {
    clearTimeout(this.coming);
    this.question = questionOf(this.run, this.lane.t);
    Object.assign(this, { answered: null, hinted: false, voted: null, hands: (this.question.options ?? []).map(() => 0) });
    this.player.root.classList.remove("tv-answered");
    this.heading.textContent = this.said();
    this.rule.textContent = this.ruleText();
    this.field.value = "";
    this.options = (this.question.options ?? []).map((option, i) => this.optionOf(option, i));
    this.list.replaceChildren(...this.options.map(({ item }) => item));
    this.sentence.textContent = "";
    this.result.replaceChildren();
    this.refresh();
  }

  /** The question; without options, why nothing is asked. */
  said() {
    const { kind } = this.question;
    if (kind === "over") return _("Training is over: {why}", { why: this.run.stopped });
    if (kind === "forced") return _("The next step was decided beforehand: there is nothing to guess.");
    if (kind === "one") return _("There is only one candidate: there is nothing to guess.");
    return this.run.family.quiz.said(this.run, this.question);
  }

  ruleText() {
    return this.question.kind === "tie" ? _("It takes {help}.", { rule: this.run.rule, help: this.run.rule_help }) : "";
  }

  optionOf(option, i) {
    const fact = make("span", { class: "tv-fact" });
    const mark = make("span", { class: "tv-verdict" });
    const bar = make("span", { class: "tv-bar", "aria-hidden": "true" });
    const pick = make("button", { type: "button", class: "tv-option" }, bar, make("kbd", {}, i + 1), this.chipsOf(option.row), fact, mark);
    pick.onclick = () => this.pick(i);
    const less = button(_("One hand fewer for {n}", { n: i + 1 }), "minus", () => this.raise(i, -1));
    less.classList.add("tv-less");
    return { option, fact, mark, bar, pick, less, item: make("li", {}, pick, less) };
  }

  chipsOf(row) {
    const chips = tokensIn(row).map((token) => this.lane.chips.chip(token));
    return make("span", { class: "tv-named" }, ...chips.flatMap((chip, i) => (i ? [make("span", { class: "plus" }, "+"), chip] : [chip])));
  }

  /** A row as it is read aloud. */
  named(row) {
    return tokensIn(row).map((token) => visible(tokenName(this.run, token))).join(" + ");
  }

  /** Everything that an answer, a hint or a hand changes. */
  refresh() {
    const { question, answered, hands } = this;
    const asking = Boolean(question.options);
    const open = asking && !answered;
    const greatest = Math.max(1, ...hands);
    const inRoom = Boolean(shared.room);
    const counted = tally.hands || Boolean(shared.room?.isVoting?.());
    this.options.forEach(({ option, fact, mark, bar, pick, less }, i) => {
      const known = this.hinted || answered;
      // All that tie have the same score.
      fact.textContent = known && question.kind !== "tie" ? factOf(this.run, option.row) : "";
      const chosen = answered?.row && optionKey(this.run, answered.row) === option.key;
      const isVoted = !answered && this.voted === i;
      const raised = counted && inRoom && answered ? _n("{n} vote", "{n} votes", hands[i])
        : counted && !inRoom ? _n("{n} hand", "{n} hands", hands[i]) : isVoted ? _("Your vote") : "";
      const verdict = !answered ? "" : option.right ? (chosen ? _("✓ right") : _("✓ the answer")) : chosen ? _("✗ not this one") : "";
      mark.textContent = [raised, verdict].filter(Boolean).join(" · ");
      pick.className = `tv-option${answered && option.right ? " right" : ""}${chosen && !option.right ? " wrong" : ""}${isVoted ? " voted" : ""}`;
      pick.setAttribute("aria-disabled", Boolean(answered));
      const parts = [`${i + 1}: ${this.named(option.row)}`, fact.textContent, mark.textContent];
      pick.setAttribute("aria-label", parts.filter(Boolean).join(", "));
      bar.style.setProperty("--share", counted && answered ? hands[i] / greatest : 0);
      less.hidden = !tally.hands || Boolean(answered);
      less.setAttribute("aria-disabled", !hands[i]);
    });
    this.typed.hidden = !open || tally.hands;
    this.help.hidden = !open || question.kind === "tie";
    this.help.setAttribute("aria-disabled", this.hinted);
    this.reveal.hidden = !open || !tally.hands;
    this.onward.hidden = open;
    this.onward.textContent = asking ? _("Next question") : question.kind === "over" ? _("Start again") : _("Go on");
    this.handsButton.setAttribute("aria-pressed", tally.hands);
    const figure = (name, value) => make("span", {}, `${name} `, make("b", {}, value));
    this.score.replaceChildren(
      figure(_("score"), _("{right} of {answered}", { right: number(tally.right), answered: number(tally.answered) })),
      figure(_("streak"), number(tally.streak)), figure(_("best"), number(tally.best)),
    );
  }

  // --- answering ------------------------------------------------------------------------------

  pick(i) {
    if (this.answered || !this.options[i]) return;
    if (shared.room?.isVoting?.()) shared.room.vote(i);
    else if (tally.hands) this.raise(i, 1);
    else this.answer(this.options[i].option.row);
  }

  raise(i, by) {
    if (this.answered || !this.options[i]) return;
    this.hands[i] = Math.max(0, this.hands[i] + by);
    this.refresh();
  }

  /** In a room somebody voted for this option, and can still change that. */
  mark(i) {
    this.voted = i;
    this.refresh();
  }

  /** Answers for the class; in a room, once it is known what was voted for. */
  count() {
    if (shared.room?.reveal) shared.room.reveal();
    else this.answer(this.majority());
  }

  /** The row that most hands are for; null if several have as many, or nobody raised one. */
  majority() {
    const most = Math.max(...this.hands);
    const first = this.hands.indexOf(most);
    return most && first === this.hands.lastIndexOf(most) ? this.options[first].option.row : null;
  }

  showHint() {
    this.hinted = true;
    this.refresh();
  }

  /** Judges a row (null: the class has no answer), explains, and makes the step after a moment. */
  answer(row) {
    const { player, question } = this;
    if (this.answered || !question.options) return;
    const right = row && isRight(question, row);
    if (row) {
      tally.answered++;
      tally.right += right;
      if (!right) tally.streak = 0;
      else if (!this.hinted) tally.best = Math.max(tally.best, ++tally.streak);
    }
    const position = this.positionAfter();
    this.answered = { row, right, leadsTo: position === null ? question.t : player.moving.axis.states[0][position] };
    this.keepFocus(() => {
      player.root.classList.add("tv-answered");
      this.sentence.textContent = "";
      this.result.replaceChildren(...this.explained());
      this.refresh();
    }, this.onward);
    player.playing.pause();
    player.playing.phase("outline");
    if (position !== null) this.coming = setTimeout(() => player.moving.go(position), OUTLINED);
  }

  explained() {
    const { row, right } = this.answered;
    const verdict = tally.hands
      ? (!row ? (shared.room ? _("No answer: no option got more votes than all the others.") : _("No answer: no option got more hands than all the others."))
        : right ? (shared.room ? _("Most votes were right.") : _("Most hands were right.")) : shared.room ? _("Most votes were for a different one.") : _("Most hands chose a different one."))
      : !row ? _("You did not vote.") : !right ? _("Not this one.") : this.hinted ? _("Right, with a hint: the streak does not grow.") : _("Right.");
    const judged = [make("b", { class: right ? "right" : "wrong" }, `${right ? "✓" : "✗"} ${verdict}`)];
    const answer = this.options.find(({ option }) => option.right).option.row;
    const said = sentences(judged, right ? [] : _p("The answer is {answer}.", { answer: this.chipsOf(answer) }));
    const told = make("p", {}, ...this.lane.chips.parts(narrate(this.run, this.question.t + 1)));
    return [make("p", {}, ...said), told];
  }

  /** The next question: that of the state after the one that was asked about. */
  next() {
    const { question, player } = this;
    const goes = question.kind === "over" ? 0 : this.lane.t <= question.t ? this.positionAfter() : null;
    this.keepFocus(() => {
      this.answered = null;
      if (goes === null) this.ask();
      else player.moving.go(goes);
    }, this.heading);
    // Nothing moves, so nothing else says it; in the panel the heading has the focus.
    if (goes === null && !this.element.contains(document.activeElement)) player.telling.live.textContent = this.heard();
  }

  /** The question of the state in which the lane is, whatever was answered. */
  askAnew() {
    this.answered = null;
    this.ask();
  }

  /** The position at which the lane is in the state after the one that is asked about, or in the next
   *  one that the scrubber has; null if there is none. */
  positionAfter() {
    const states = this.player.moving.axis.states[0];
    let best = null;
    states.forEach((t, p) => {
      if (t > this.question.t && (best === null || t < states[best])) best = p;
    });
    return best;
  }

  /** Whoever was in the panel stays there, though what had the focus may be hidden. */
  keepFocus(change, then) {
    const inside = this.element.contains(document.activeElement);
    change();
    if (inside) then.focus({ preventScroll: true });
  }

  // --- the rest -------------------------------------------------------------------------------

  setHands(on) {
    tally.hands = on;
    if (!this.answered) this.hands.fill(0);
    this.refresh();
  }

  reset() {
    Object.assign(tally, { right: 0, answered: 0, streak: 0, best: 0 });
    this.refresh();
  }

  /** What is read aloud when the player rests: the question, but no answer, which has been heard. */
  heard() {
    return this.answered ? "" : sentences(...[this.heading, this.rule].map(({ textContent }) => [textContent].filter(Boolean))).join("");
  }

  /** Whether a key was for the quiz: digits pick, or raise a hand (with Shift take one away); after an
   *  answer Enter and the keys that go a step on lead to the next question. */
  key(event) {
    if (!this.on) return false;
    // A number pad may send arrows.
    const [, digit] = /^(?:Digit|Numpad)([1-5])$/.exec(/^Arrow/.test(event.key) ? "" : event.code) ?? [];
    if (digit && !event.repeat) {
      if (!event.shiftKey) this.pick(digit - 1);
      else if (tally.hands) this.raise(digit - 1, -1);
      return true;
    }
    const enter = event.key === "Enter" && !event.target.closest?.("button, summary, a");
    if (this.answered && (enter || ["ArrowRight", "PageDown"].includes(event.key))) this.next();
    else if (enter && !this.question.options) this.next();
    else if (enter && tally.hands && !this.answered) this.count();
    else return false;
    return true;
  }
}

function textButton(onclick, text = "") {
  const element = make("button", { type: "button" }, text);
  element.onclick = onclick;
  return element;
}
