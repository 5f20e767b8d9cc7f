// The bar below the lanes: buttons, scrub bar with its curve and marks, where the scrubber stands, speed. And
// what looks at the whole page in another way: quiz, laser, Present.

import { isBeyond } from "./axis.js";
import { button, make } from "./dom.js";
import { born } from "./run.js";
import { ScrubCurve } from "./scrub_curve.js";
import { _, _n, _p, number } from "./i18n.js";

export const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60];
export const ALIGNMENTS = { step: _("by step"), size: _("by vocabulary size"), share: _("by share of training") };
const PLACES = {
  step: (at) => _p("step {value} of {last}", at), size: (at) => _p("vocabulary {value} of {last}", at),
  share: (at) => _p("percent {value} of {last}", at),
};
const ROW = 7; // pixels of a row of marks
/** A value of an axis: shares are percents with decimals. */
const written = (axis, value) => (axis.align === "share" ? String(value) : number(value));

export class Transport {
  /** `does` are the player's actions: first, previous, next, last, toggle, scrub, type, speed, fold,
   *  align, differ, full, laser, present, quiz, help. `stops` is where playing stops, `folds` what the bar folds. */
  constructor(runs, does, stops, folds) {
    Object.assign(this, { runs, does, stops, folds });
    this.laser = button(_("Laser"), "laser", does.laser, true);
    this.setLaser(false);
    this.playButton = button(_("Play"), "play", does.toggle, true);
    this.playButton.classList.add("tv-play");
    this.back = [button(_("First step"), "first", does.first), button(_("Previous step"), "previous", does.previous)];
    this.forward = [button(_("Next step"), "next", does.next), button(_("Last step"), "last", does.last)];
    this.scrub = make("input", { type: "range", min: 0, "aria-label": _("Training step") });
    this.track = make("div", { class: "tv-track" }, this.scrub);
    this.scrub.oninput = () => does.scrub(this.folds.at(Number(this.scrub.value)));
    this.marks = make("canvas", { "aria-hidden": "true" });
    this.curve = new ScrubCurve(runs, folds, () => this.fold(true));
    this.typed = make("input", { type: "number", "aria-label": _("Go to step") });
    this.typed.onchange = () => {
      does.type(this.typed.valueAsNumber);
      this.writePosition();
    };
    // What stood in the field when it was entered is no change, but the player has moved on.
    this.typed.onkeydown = (event) => {
      if (event.key === "Enter") this.typed.onchange();
    };
    this.typed.onblur = () => this.writePosition();
    this.quizButton = button(_("Quiz"), "quiz", does.quiz, true);
    this.position = make("label", { class: "tv-position" });
    // Asked for while drawing, it would have the page laid out.
    new ResizeObserver(() => {
      this.width = this.scrub.clientWidth;
      this.drawMarks();
      this.curve.draw(this.axis);
    }).observe(this.scrub);
    new ResizeObserver(() => {
      this.curve.measure();
      this.curve.draw(this.axis);
    }).observe(this.curve.canvas);
    this.element = make(
      "div", { class: "tv-transport" },
      make("div", { class: "tv-buttons" }, ...this.back, this.playButton, ...this.forward),
      make("div", { class: "tv-scrub" }, this.curve.element, this.track, this.marks),
      this.position,
      ...(runs.length > 1 ? this.laneControls() : []),
      make("div", { class: "tv-pace" }, this.speedSelect(), stops.element),
    );
    this.renew();
    this.actions = make(
      "div", { class: "tv-buttons tv-actions" },
      this.quizButton, this.laser, button(_("Present"), "present", does.present, true), button(_("Keys"), "help", does.help),
      // A frame may not, and a small phone cannot.
      ...(document.fullscreenEnabled ? [button(_("Full screen"), "full", does.full)] : []),
    );
  }

  /** The runs are there, or have become others. */
  renew() {
    for (const button of this.foldButtons ?? []) button.remove();
    this.foldButtons = this.folds.stretches.map(([from, to]) => this.foldButton(from, to));
    this.track.append(...this.foldButtons);
    this.selected = undefined;
    this.curve.renew();
  }

  /** A folded stretch on the bar. */
  foldButton(from, to) {
    const said = _("Rounds {from} to {to} change no word: unfold them", { from: number(from + 1), to: number(to) });
    const button = make("button", { type: "button", class: "tv-fold", "aria-label": said, title: said });
    button.onclick = () => this.fold(false);
    return button;
  }

  /** A line through the bar where the borders of words fall; none if they do not. */
  fallMark(p) {
    if (p < 0) return [];
    const mark = make("div", { class: "tv-fall", title: _("The borders of words fall.") });
    mark.style.setProperty("--from", this.place(p));
    return [mark];
  }

  /** The button that was pressed is gone then. */
  fold(folded) {
    this.does.fold(folded);
    this.scrub.focus({ preventScroll: true });
  }

  laneControls() {
    this.alignSelect = make("select", { "aria-label": _("Align lanes") });
    for (const [value, text] of Object.entries(ALIGNMENTS)) this.alignSelect.append(new Option(text, value));
    this.alignSelect.onchange = () => this.does.align(this.alignSelect.value);
    const differ = make("button", { type: "button", class: "tv-wide" }, _("First difference"));
    differ.title = _("Jump to where two lanes first cut a word differently");
    differ.onclick = this.does.differ;
    return [this.alignSelect, differ];
  }

  speedSelect() {
    this.speeds = make("select", { "aria-label": _("Speed") });
    for (const s of SPEEDS) this.speeds.append(new Option(_n("{speed} step/s", "{speed} steps/s", s, { speed: s }), s));
    this.speeds.onchange = () => this.does.speed(Number(this.speeds.value));
    return this.speeds;
  }

  /** A new axis: other ends and units of the scrub bar. */
  setAxis(axis) {
    this.axis = axis;
    const { folds } = this;
    this.scrub.max = folds.stretches.length ? folds.size : axis.last;
    this.foldButtons.forEach((button, i) => {
      const [from, to] = folds.stretches[i].map((p) => folds.place(p) / folds.size);
      button.hidden = !folds.folded;
      button.style.setProperty("--from", from);
      button.style.setProperty("--to", to);
    });
    if (this.alignSelect) this.alignSelect.value = axis.align;
    this.most = axis.values[axis.last - (axis.beyond ? 1 : 0)];
    this.typed.min = axis.values[0];
    this.typed.max = this.most;
    this.typed.step = axis.align === "share" ? "any" : 1;
    this.typed.placeholder = axis.beyond ? _("end") : "";
    this.position.replaceChildren(...PLACES[axis.align]({ value: this.typed, last: written(axis, this.most) }));
    for (const fall of this.falls ?? []) fall.remove();
    this.falls = this.runs.flatMap((run, lane) => this.fallMark(axis.states[lane].indexOf(run.family.border(run))));
    this.track.append(...this.falls);
    // They ask for their colours: once all has been written that is written now, or it would be styled twice.
    queueMicrotask(() => {
      this.drawMarks();
      this.curve.draw(this.axis);
    });
  }

  setSpeed(speed) {
    this.speeds.value = speed;
  }

  setLaser(on) {
    this.laser.setAttribute("aria-pressed", on);
  }

  setPlaying(playing) {
    this.playButton.draw(...(playing ? ["pause", _("Pause")] : ["play", _("Play")]));
  }

  setQuiz(on) {
    this.quizButton.setAttribute("aria-pressed", on);
  }

  draw(p) {
    const { axis, scrub } = this;
    this.p = p;
    scrub.value = this.folds.place(p);
    scrub.style.setProperty("--done", this.place(p));
    const at = PLACES[axis.align]({ value: written(axis, axis.values[p]), last: written(axis, this.most) }).join("");
    const fold = this.folds.next(p);
    const over = fold ? _("; the next step goes over {n} rounds that change no word", { n: number(fold[1] - p) }) : "";
    scrub.setAttribute("aria-valuetext", isBeyond(axis, p) ? _("the end of every lane") : at + over);
    // Playing does not write over what somebody types. Chromium lays out the page for it: once, if all is written.
    queueMicrotask(() => document.activeElement !== this.typed && this.writePosition());
    // Not the disabled attribute: it would take the focus away from under a person's finger.
    for (const b of this.back) b.setAttribute("aria-disabled", p === 0);
    for (const b of this.forward) b.setAttribute("aria-disabled", p === axis.last);
  }

  /** Where a position stands on the bar, from 0 to 1. */
  place(p) {
    const { folds, axis } = this;
    return folds.stretches.length ? folds.place(p) / folds.size : p / (axis.last || 1);
  }

  writePosition() {
    this.typed.value = isBeyond(this.axis, this.p) ? "" : this.axis.values[this.p];
  }

  /** Below the bar, a row a lane: dots where a tie is broken, bars where tokens are pruned, a
   *  triangle where the selected token (a number a lane, or -1) was born, a flag where playing stops (not for ties: they are dots). */
  drawMarks(selected = this.selected ?? []) {
    this.selected = selected;
    const { axis, marks, runs, width } = this;
    if (!width || !axis) return;
    const ratio = devicePixelRatio || 1;
    const height = Math.max(ROW, ROW * runs.length);
    marks.style.height = `${height}px`;
    Object.assign(marks, { width: width * ratio, height: height * ratio });
    const pen = marks.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(marks);
    const x = (p) => 10 + this.place(p) * (width - 20);
    const stops = this.stops.positions(axis);
    runs.forEach((run, lane) => {
      const states = axis.states[lane];
      const top = lane * ROW;
      pen.fillStyle = style.color;
      let drawn = -9;
      for (let p = 0; p <= axis.last; p++) {
        // Marks closer than a pixel are one mark. Beyond all sizes nothing happens.
        if ((p && states[p] === states[p - 1]) || x(p) - drawn < 1 || isBeyond(axis, p) || this.folds.over(p)) continue;
        const mark = run.family.mark(run, states[p]);
        if (!mark) continue;
        if (mark === "prune") pen.fillRect(x(p) - 1, top + 1, 2, ROW - 2);
        else pen.fillRect(x(p) - 1.5, top + 2, 3, 3);
        drawn = x(p);
      }
      const token = selected[lane] ?? -1;
      const birth = token < 0 ? 0 : born(run, token);
      const at = birth ? states.findIndex((t) => t >= birth) : -1;
      pen.fillStyle = style.outlineColor;
      const corners = (...places) => {
        pen.beginPath();
        for (const [right, down] of places) pen.lineTo(right, top + down);
        pen.fill();
      };
      const stop = stops[lane];
      if (at >= 0 && at !== stop) corners([x(at), 0], [x(at) - 5, ROW], [x(at) + 5, ROW]);
      if (stop < 0) return;
      pen.fillStyle = style.caretColor;
      pen.fillRect(x(stop) - 1, top, 2, ROW);
      // To the left at the end of the bar.
      const far = x(stop) + (x(stop) > width / 2 ? -9 : 9);
      corners([x(stop), 0], [far, 2.5], [x(stop), 5]);
    });
  }
}
