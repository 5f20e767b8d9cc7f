// The invitation of a first visit: before the first step, a guess at the one after it. It goes with the
// first move.

import { make } from "./dom.js";
import { _, _p, sentences } from "./i18n.js";
import { questionOf } from "./quiz_questions.js";
import { tokensIn } from "./run.js";
import { shared } from "./shared.js";

const OFFERED = 3; // options

export class Invitation {
  constructor(player) {
    this.player = player;
    this.renew();
  }

  /** The runs are there, or have become others: so has the question. */
  renew() {
    const { player } = this;
    this.element?.remove();
    this.panel?.classList.remove("tv-invited");
    this.answered = false;
    const [run] = player.runs;
    const question = player.head.look.invite && !shared.invited ? questionOf(run, 1) : {};
    if (!question.options) return;
    this.run = run;
    const others = question.options.filter(({ right }) => !right).slice(0, OFFERED - 1);
    this.options = question.options.filter((option) => option.right || others.includes(option));
    this.picks = this.options.map((option) => this.pickOf(option));
    this.said = make("p", { role: "status" }, _("Or press Play."));
    const rule = question.kind === "tie" ? [_("It takes {help}.", { help: run.rule_help })] : [];
    this.element = make(
      "section", { class: "tv-invitation", "aria-label": _("Your guess") },
      make("p", {}, make("b", {}, _("Your guess: what comes after that?")), " ", sentences([run.family.quiz.said(run, question)], rule).join("")),
      make("div", { class: "tv-picks" }, ...this.picks), this.said,
    );
    // Its chips are answers, and open no card.
    for (const name of ["onclick", "onpointerover"]) this.element[name] = (event) => event.stopPropagation();
    // The last rows can be scrolled out from below it.
    this.panel = player.lanes[0].table.element;
    this.panel.classList.add("tv-invited");
    this.panel.after(this.element);
  }

  pickOf(option) {
    const pick = make("button", { type: "button", class: "tv-option" }, this.named(option));
    pick.onclick = () => this.answer(option);
    return pick;
  }

  named({ row }) {
    const chips = tokensIn(row).map((token) => this.player.lanes[0].chips.chip(token));
    return make("span", { class: "tv-named" }, ...chips.flatMap((chip, i) => (i ? ["+", chip] : [chip])));
  }

  /** Judges once; Play shows how it comes about. */
  answer(chosen) {
    if (this.answered) return;
    this.answered = true;
    this.options.forEach((option, i) => {
      const { classList } = this.picks[i];
      classList.toggle("right", option.right);
      classList.toggle("wrong", option === chosen && !option.right);
      this.picks[i].setAttribute("aria-disabled", true);
    });
    const right = this.options.find((option) => option.right);
    const verdict = chosen.right ? [`✓ ${_("Right.")}`] : [`✗ ${_("Not this one.")}`];
    const told = chosen.right ? [] : _p("The answer is {answer}.", { answer: this.named(right) });
    this.said.replaceChildren(...sentences(verdict, told, [_("Press Play to see it.")]));
  }

  /** The player moved. */
  end() {
    if (!this.element?.isConnected) return;
    this.element.remove();
    this.panel.classList.remove("tv-invited");
    shared.invited = true;
  }
}
