// What is typed is trained on the page, at each key, where that takes a moment. Python trains the same text once
// the typist pauses; what it then sends is on the page already.

import { checksum } from "./checksum.js";
import { changedKits, kitsNow, kitsOf, waysOf } from "./choices.js";
import { whenIdle } from "./idle.js";
import { isEqual } from "./run.js";
import { shared } from "./shared.js";
import { isTrainable } from "./trained.js";
import { Trainer } from "./trainer.js";

const AGAIN = 400; // ms until a second look at what is typed

/** What tells two trainings apart: the rest follows from it. */
const TELLING_APART = ["order", "by_count", "word_numbers", "word_counts", "symbols", "gaps", "left", "right", "removed_at", "loss", "cuts"];

function isSame(one, other) {
  const facts = ({ asked, label, strings }) => JSON.stringify([asked, label, strings]);
  return facts(one) === facts(other) && TELLING_APART.every((name) => !other[name] || isEqual(one[name], other[name]));
}

/** Trains what is typed for the player of a place (mount.js). `server` is what Python sent last, whose `typed` is the
 *  checksum of the text; a player `isAhead` of it that shows a later text. */
export class LiveTraining {
  constructor(place) {
    this.place = place;
    this.trainer = new Trainer();
    this.trainer.loading.then(() => this.prepare(), () => {}); // Without it, Python trains.
    Object.assign(shared.typing, { train: (text) => this.train(text), resize: (size) => this.resize(size), choose: () => this.choose(), sent: () => this.follow() });
  }

  get choices() {
    return this.server.head.choices ?? [];
  }

  /** How the lanes are trained now; null where no browser can. */
  get likes() {
    return kitsNow(this.choices, this.server.runs);
  }

  get isAhead() {
    return Boolean(this.place.player?.head.isAhead);
  }

  /** Whoever chooses something for the first time waits no longer for it than later on. */
  prepare() {
    for (const kit of kitsOf(this.choices)) whenIdle(() => this.trainer.prepare(kit, this.server.runs[0].asked, shared.typing.text() ?? ""));
  }

  /** Python sent runs; whether the player stays that is there: it shows them already, or a later text. */
  hear(head, runs) {
    const isNew = head.id !== this.server?.head.id;
    this.server = { head, runs };
    if (isNew) this.resized = null;
    if (!this.isAhead) return false;
    // A text area that Python fills may be filled in a moment.
    clearTimeout(this.looking);
    this.looking = setTimeout(() => this.follow(), AGAIN);
    return !isNew || this.isBehind() || this.settle();
  }

  /** Whether something else is typed, chosen, or on the slider, than what Python sent is about. */
  isBehind() {
    const text = shared.typing.text();
    return changedKits(this.choices).length > 0 || (text !== null && checksum(text) !== this.server.head.typed) || this.sizeNow !== undefined;
  }

  /** Where Python has all that is typed, what it sent is what is shown. */
  follow() {
    if (!this.isAhead || this.isBehind() || this.settle()) return;
    const { head, runs } = this.server;
    this.place.show(runs, head);
    this.place.connect();
  }

  /** What the page trained is what Python has, if it is: from now on Python hears of its player. */
  settle() {
    const { player } = this.place;
    const { head, runs } = this.server;
    if (player.runs.length !== runs.length || !player.runs.every((run, i) => isSame(run, runs[i]))) return false;
    player.settle(head);
    this.place.connect();
    player.telling.report();
    return true;
  }

  /** The slider shows another size: of what Python sent, or it is being moved. */
  resize(size) {
    this.resized = size;
    const shown = this.place.player.runs;
    if (size !== null && shown.some(({ asked }) => asked !== size)) this.train(shared.typing.text(), size);
  }

  /** Another algorithm or setting may have been chosen. */
  choose() {
    const { likes } = this;
    const text = shared.typing.text();
    if (!likes || text === null || waysOf(likes) === waysOf(this.place.player.runs)) return;
    if (!this.isAhead && !changedKits(this.choices).length) return;
    const [run, ...others] = this.server.runs;
    this.train(text, this.sizeNow, (!others.length && likes[0].algorithm !== run.algorithm) || undefined);
  }

  /** The size on the slider, if it is another one than those of Python. Of lanes of several sizes it shows any, until
   *  somebody moves it. */
  get sizeNow() {
    const sizes = new Set(this.server.runs.map(({ asked }) => asked));
    const size = sizes.size > 1 ? this.resized : shared.typing.size();
    return size == null || sizes.has(size) ? undefined : size;
  }

  /** Trains a text as the lanes of Python were trained, to their sizes if no other is given, and shows it; whether
   *  that could be done. As Python does, a size that is too small is raised for another text, and for another
   *  algorithm of the only lane. */
  train(text, size = this.sizeNow, isOther = checksum(text) !== this.server.head.typed) {
    const { server, trainer, likes } = this;
    // Of texts in several languages, Python knows which lines are trained on.
    if (server.head.has_languages || !trainer.core || !isTrainable(text) || !likes || !server.runs.every(({ has_text }) => has_text)) return false;
    const start = performance.now();
    let [isPython, isLate] = [false, false];
    const leave = () => {
      isPython = true;
      if (isLate) shared.typing.hurry?.();
    };
    const done = (runs) => {
      if (!runs) return leave();
      this.show(runs);
      performance.measure("tokviz mount", { start });
    };
    const mostTokens = isOther ? server.head.most_tokens : 0;
    trainer.train(likes, text, server.runs.map(({ asked }) => size ?? asked), mostTokens, done, leave);
    isLate = true;
    return !isPython;
  }

  show(runs) {
    const { player } = this.place;
    // The share of the way at which somebody stood; it is not rounded anew at each key.
    const { axis: { align }, p, share } = player.moving;
    if (p !== this.stood) this.share = share;
    const { head } = this.server;
    const look = { invite: head.look.invite };
    this.place.renew(runs, { ...head, id: `${head.id} ${performance.now()}`, isAhead: true, look, start: 0, align, cue: null }, this.share);
    this.place.connect();
    this.stood = this.place.player.moving.p;
  }
}
