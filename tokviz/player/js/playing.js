// Playing: steps that follow one another by the clock, to the next stop or to the end.

import { _, sentences } from "./i18n.js";
import { shared } from "./shared.js";

export const SLOW = 4; // steps/s up to which a step is shown in two phases, and as a motion
const LATE = 1000; // ms after which a step is made up for no more: the page was out of sight
const OUTLINE = 450; // ms before the next step, at one step a second, from which on it is outlined

export class Playing {
  constructor(player) {
    Object.assign(this, { player, timer: 0 });
  }

  get on() {
    return this.timer !== 0;
  }

  toggle() {
    if (this.on) this.pause();
    else this.play();
  }

  /** Plays until the next stop. If none comes any more, a sentence says so, and only who asks again
   *  plays `on` to the end. */
  play(on = this.refused === this.player.moving.p) {
    const { player } = this;
    const { moving, stops, transport } = player;
    const { axis } = moving;
    if (moving.p >= axis.last) moving.go(0);
    const stopping = stops.stop.kind && !on;
    if (stopping && !stops.next(axis, moving.p)) {
      this.refused = moving.p;
      const again = _("Press Play again to go on to the end.");
      return player.notes.sayBriefly(sentences([stops.none(axis)], [again]).join(""));
    }
    Object.assign(this, { refused: undefined, playsOn: on });
    player.notes.clear();
    transport.setPlaying(true);
    const { speed } = shared.chosen;
    let due = performance.now() + 1000 / speed;
    const tick = (now) => {
      if (now - due > LATE) due = now;
      if (now >= due) {
        const steps = Math.max(1, Math.floor(((now - due) * speed) / 1000));
        due += (1000 / speed) * steps;
        const stop = stopping ? stops.next(moving.axis, moving.p) : null;
        moving.go(Math.min(moving.folds.step(moving.p, steps), stop?.position ?? Infinity));
        if (stop?.position === moving.p) return this.stopped(stop);
        if (moving.p >= moving.axis.last) return this.pause();
      } else if (speed <= SLOW && due - now < OUTLINE / speed) this.phase("outline");
      this.timer = requestAnimationFrame(tick);
    };
    this.timer = requestAnimationFrame(tick);
  }

  pause() {
    if (!this.on) return;
    cancelAnimationFrame(this.timer);
    this.timer = 0;
    this.phase("");
    this.player.transport.setPlaying(false);
    this.player.connector.later();
    this.player.telling.later();
  }

  /** The second phase of a slow step outlines what the next one takes. */
  phase(name) {
    const { dataset } = this.player.root;
    if (dataset.phase !== name) dataset.phase = name;
  }

  /** Another speed, for what is playing now. */
  changePace() {
    if (!this.on) return;
    this.pause();
    this.play(this.playsOn);
  }

  /** Another stop, for what is playing now. */
  changeStop() {
    this.refused = undefined;
    this.player.notes.clear();
    if (!this.on) return;
    this.pause();
    this.play();
  }

  /** Plays to the next stop; jumps there while playing. */
  toStop() {
    const { moving, notes, stops } = this.player;
    const stop = stops.next(moving.axis, moving.p);
    if (!stop) return notes.sayBriefly(stops.none(moving.axis));
    if (!this.on) return this.play();
    moving.go(stop.position);
    this.stopped(stop);
  }

  stopped(stop) {
    this.pause();
    // It is read aloud with the step, after a rest.
    const { moving, notes, stops } = this.player;
    notes.say(stops.reached(moving.axis, stop));
  }
}
