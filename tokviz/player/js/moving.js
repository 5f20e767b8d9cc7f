// Where the player stands on the axis of its scrub bar, and what moves it: a step, a drag, a number that is typed, or
// whoever asks for a state. Rounds that change no word may be folded to one short stretch of that axis.

import { makeAxis, positionOf, positionOfState } from "./axis.js";
import { Folds } from "./folds.js";
import { SLOW } from "./playing.js";
import { shared } from "./shared.js";

const RAPID = 400; // ms in which two moves of the scrub bar make a drag

export class Moving {
  constructor(player) {
    Object.assign(this, { player, p: -1, drags: [0, 0], rapid: false });
    this.folds = new Folds(this.quiet, player.runs[0].steps);
  }

  /** The runs have become others. */
  renew() {
    this.folds.renew(this.quiet, this.player.runs[0].steps);
  }

  /** How many words each round changes, where rounds that change none are folded. */
  get quiet() {
    const { runs: [run, ...others], head } = this.player;
    return !others.length && !head.cue && run.family.foldsQuiet ? Array.from(run.words_changed) : [];
  }

  /** How much of the way lies behind, from 0 to 1. */
  get share() {
    return this.axis.last && this.p / this.axis.last;
  }

  /** What Python is told of it, and lenses of the page. */
  get moment() {
    const { align, states } = this.axis;
    return { id: this.player.head.id, align, position: this.p, states: states.map((all) => all[this.p]) };
  }

  /** Lenses and the page Encode look at the same step, and may be there before Python hears of it. */
  remember() {
    shared.lastMoments.set(this.player.head.id, { align: this.axis.align, position: this.p });
    shared.moment = this.moment;
  }

  // --- the axis -------------------------------------------------------------------------------

  setAxis(align) {
    const { runs, root } = this.player;
    this.axis = makeAxis(runs, runs.length > 1 ? align : "step");
    root.dataset.steps = this.axis.last;
    root.dataset.align = this.axis.align;
    this.placeFolds();
  }

  /** Another alignment; the first lane keeps its state, and at the end every lane does. */
  setAlign(align) {
    const { player } = this;
    const [t, ended] = [player.lanes[0].t, this.p === this.axis.last];
    const before = this.axis;
    this.setAxis(align);
    player.slides.realign(before, this.axis);
    this.p = -1;
    this.go(ended ? this.axis.last : positionOfState(this.axis, 0, t));
    // Charts have another axis now, so Python hears of it at once, playing or not.
    player.tell(this.moment);
  }

  /** Rounds that change no word stand as one short stretch, or one by one. */
  fold(folded) {
    this.opened = false;
    shared.chosen.unfolded = !folded;
    this.drawFolds();
    const inside = this.folds.over(this.p);
    if (inside) this.go(inside[0]);
  }

  toggleFolds() {
    if (this.folds.stretches.length) this.fold(!this.folds.folded);
  }

  drawFolds() {
    this.placeFolds();
    if (this.p >= 0) this.player.transport.draw(this.p);
  }

  /** Nothing is folded while somebody guesses what the next round does. */
  placeFolds() {
    const { unfolded, quiz } = shared.chosen;
    this.folds.folded = !unfolded && !this.opened && !quiz;
    this.player.transport.setAxis(this.axis);
  }

  // --- to another place -----------------------------------------------------------------------

  go(to, byPerson = true, isLed = false) {
    const { player, folds } = this;
    const p = Math.max(0, Math.min(this.axis.last, Math.round(to) || 0));
    if (p === this.p) return player.transport.draw(p);
    // Whoever goes to a round inside of a fold wants to see it.
    if (folds.over(p)) {
      this.opened = true;
      this.drawFolds();
    }
    const adjacent = this.p >= 0 && folds.step(this.p, Math.sign(p - this.p)) === p;
    this.p = p;
    this.remember();
    player.playing.phase("");
    const slow = !player.playing.on || shared.chosen.speed <= SLOW;
    player.draw(adjacent && slow && !this.rapid, this.rapid || !slow);
    player.telling.callOff();
    if (p) player.invitation.end();
    if (byPerson) player.telling.later(isLed);
  }

  /** So many steps on, or back; a folded stretch is one. */
  step(by) {
    this.go(this.folds.step(this.p, by));
  }

  /** A drag sends many moves: from the third on within a moment, only what is seen is drawn. */
  scrub(p) {
    const now = performance.now();
    this.rapid = now - this.drags[0] < RAPID;
    this.drags = [this.drags[1], now];
    this.go(p);
    this.rapid = false;
  }

  /** Goes to a typed value; to where it is if that is no number. */
  type(value) {
    this.go(Number.isNaN(value) ? this.p : positionOf(this.axis, value));
  }

  /** A lens asks for another step, or for a state of a lane; an address, or the teacher by whom it `isLed`, for a
   *  position. */
  goTo({ by, lane, state, align, position, isLed }) {
    if (align && align !== this.axis.align) {
      this.setAxis(align);
      this.p = -1;
    }
    this.go(position ?? (by ? this.folds.step(this.p, by) : positionOfState(this.axis, lane, state)), true, isLed);
  }
}
