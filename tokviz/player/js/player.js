// The player: one to four lanes under one scrubber. Everything on it is made from the packed runs and set
// as text; playing and scrubbing send nothing to the server.

import { Beside } from "./beside.js";
import { Connector } from "./connector.js";
import { make } from "./dom.js";
import { Finder } from "./finder.js";
import { FocusWord } from "./focus_word.js";
import { Gesture } from "./gesture.js";
import { Glossary } from "./glossary.js";
import { _ } from "./i18n.js";
import { Invitation } from "./invitation.js";
import { Keys } from "./keys.js";
import { Lane } from "./lane.js";
import { Laser } from "./laser.js";
import { evenOut } from "./lines.js";
import { Moving } from "./moving.js";
import { Notes } from "./notes.js";
import { Playing } from "./playing.js";
import { Quiz } from "./quiz.js";
import { become, kindOf } from "./runs.js";
import { Selection } from "./selection.js";
import { shared } from "./shared.js";
import { Slides } from "./slides.js";
import { Stage } from "./stage.js";
import { Stops } from "./stops.js";
import { Swiped } from "./swiped.js";
import { Telling } from "./telling.js";
import { SPEEDS, Transport } from "./transport.js";
import { Views } from "./views.js";

const BRANCHING = 60_000; // ms after which a lane that comes is not the one that a what-if asked for
const { chosen } = shared;

/** One to four lanes in an element. `head` names the runs (`id`), says where to open (`start` of the
 *  alignment `align`), and has the `links` of the runs for the page's address; a page without a server
 *  has none, and keeps its own address. */
export class Player {
  constructor(given, root, head) {
    // Its own, since they may become others.
    const runs = given.map((run) => ({ ...run }));
    Object.assign(this, { runs, root, head });
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
    // An address that is opened says how the player looks, once.
    const known = shared.lastMoments.get(head.id);
    const { view, beside, speed, stop, present, picture, slides, quiz, keys } = head.look;
    if (!known) Object.assign(chosen, view && { view }, beside && { beside }, SPEEDS.includes(speed) && { speed }, stop && { stop }, present && { present }, picture && { picture }, slides && { slides }, quiz && { quiz }, keys && { keys });
    this.stops = new Stops(runs, chosen.stop, {
      changed: () => this.setStop(), select: (found) => this.selection.select(found), escape: () => this.escape(),
    });
    chosen.stop = this.stops.written;
    const moving = (this.moving = new Moving(this));
    const step = (by) => () => moving.step(by);
    this.notes = new Notes(this);
    this.transport = new Transport(runs, {
      scrub: (p) => moving.scrub(p), type: (value) => moving.type(value),
      first: () => moving.go(0), previous: step(-1), next: step(1), last: () => moving.go(moving.axis.last),
      toggle: () => this.playing.toggle(), speed: (s) => this.setSpeed(s),
      fold: (folded) => moving.fold(folded),
      align: (align) => moving.setAlign(align), differ: () => this.notes.differ(),
      full: () => this.fullScreen(), present: () => this.present(!chosen.present),
      quiz: () => this.setQuiz(!chosen.quiz), laser: () => this.laser.toggle(), help: () => this.keys.dialog.showModal(),
    }, this.stops, moving.folds);
    this.views = new Views(this);
    const asks = (i) => (head.what_if?.[i] == null ? null : (choice) => this.whatIf(i, choice));
    this.lanes = runs.map((run, i) => new Lane(run, i, this.views.ofCorpus, asks(i)));
    if (runs.length === 1) this.beside = new Beside(this);
    this.quiz = new Quiz(this);
    this.selection = new Selection(this);
    this.laser = new Laser(this);
    this.telling = new Telling(this);
    this.playing = new Playing(this);
    this.gesture = new Gesture(this);
    this.connector = new Connector(this);
    this.keys = new Keys(this);
    this.invitation = new Invitation(this);
    const lanes = make("div", { class: "tv-lanes", "data-lanes": runs.length }, ...this.lanes.map((l) => l.element));
    // What is in the card, and what chooses a panel, is no place to click into.
    lanes.onclick = ({ target }) => target.closest(".tv-card, .tv-tabs, .tv-curves") || (this.laser.on && !target.closest(".tv-tools") ? this.laser : this.selection).clicked(target);
    // Lanes share one size of letters.
    if (runs.length > 1) lanes.addEventListener("tokviz-filled", () => this.evenOut());
    this.selection.follow(lanes);
    new Glossary(lanes, this.transport.element);
    const { card, rule, links } = this.selection;
    this.swiped = new Swiped(this.beside ? this.lanes[0].panels : lanes, this.swipes, this.beside ? _("Panels") : _("Lanes"), head.set_up);
    this.stage = new Stage(this);
    this.slides = new Slides(this);
    this.stage.element.append(this.slides.button);
    this.corpusTools();
    const focus = this.focusWord ? [this.focusWord.element] : [];
    const seen = [this.stage.element, this.transport.actions, ...focus, this.swiped.element, lanes, this.transport.element, card.element, this.notes.element, this.keys.strip.element, this.laser.element];
    root.replaceChildren(...seen, this.telling.live, this.keys.dialog, this.slides.dialog, links, rule, this.laser.rule);
    // A single run says its numbers beside the scrub bar.
    if (runs.length === 1) this.transport.position.after(this.lanes[0].figures);
    // For the style sheets, of the page too: they would look for the lanes at each token that is drawn.
    root.dataset.lanes = document.documentElement.dataset.lanes = runs.length;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", _("Training player"));
    this.asked = ({ detail }) => moving.goTo(detail);
    document.addEventListener("tokviz-go", this.asked);
    this.transport.setSpeed(chosen.speed);
    this.present(chosen.present);
    this.setQuiz(chosen.quiz);
    this.transport.quizButton.hidden = Boolean(head.cue);
    this.keys.showStrip(chosen.keys);
    const moment = known ?? { align: head.align, position: head.start };
    moving.setAxis(moment.align);
    moving.go(moment.position, false);
    if (!known) this.selection.restore(head.look.token);
    this.telling.writeAddress();
    // The lane that was asked for takes the focus of the button that asked for it.
    const { branched } = shared;
    shared.branched = null;
    if (branched?.lanes === runs.length - 1 && performance.now() - branched.at < BRANCHING) {
      const { element: lane, table, corpus } = this.lanes[branched.lane + 1];
      this.swiped.show(lane);
      [table, corpus].find(({ element }) => element.checkVisibility()).element.focus({ preventScroll: true });
    }
  }

  /** Shows other runs in the elements of these, at a share of the way; false if they are more or fewer, or somebody
   *  is asked about these. */
  renew(runs, head, share) {
    const asks = ({ what_if = [] }) => runs.map((_, i) => what_if[i] == null).join();
    if (runs.length !== this.runs.length || this.quiz.on || head.cue || asks(head) !== asks(this.head)) return false;
    this.playing.pause();
    this.gesture.stop();
    if (this.selection.token) this.selection.select(null);
    const others = runs.map((run, i) => kindOf(run) !== kindOf(this.runs[i]));
    runs.forEach((run, i) => become(this.runs[i], run));
    this.head = head;
    this.moving.renew();
    this.transport.renew();
    this.moving.setAxis(this.moving.axis.align);
    this.lanes.forEach((lane, i) => lane.renew(others[i], this.views.ofCorpus));
    this.beside?.renew(others[0]);
    this.focusWord?.renew();
    if (others.includes(true)) this.dress();
    // Wherever it stood: all is drawn anew.
    this.moving.p = -1;
    this.invitation.renew();
    this.moving.go(share * this.moving.axis.last, false);
    this.curves?.renew();
    this.vocabulary?.renew();
    // Asked for earlier, it would have the page laid out twice.
    for (const { corpus } of this.lanes) corpus.refit();
    return true;
  }

  /** What is around the lanes has what the kinds of the runs have. */
  dress() {
    this.stops.renew();
    chosen.stop = this.stops.written;
    this.quiz.renew();
    this.stage.renew();
    this.swiped.renew(this.swipes);
    this.views.draw();
    this.stage.draw();
  }

  /** What a phone shows one at a time, each with its name. */
  get swipes() {
    return this.beside?.swipes ?? this.lanes.map(({ element, run }) => [element, run.label]);
  }

  stop() {
    this.playing.pause();
    this.telling.stop();
    this.quiz.stop();
    this.laser.stop();
    this.gesture.stop();
    this.connector.stop();
    this.keys.stop();
    this.stage.stop();
    this.curves?.stop();
    this.vocabulary?.stop();
    document.removeEventListener("tokviz-go", this.asked);
    document.documentElement.classList.remove("tv-present", "tv-veiled");
    for (const name of ["lanes", "tab"]) delete document.documentElement.dataset[name];
  }

  // --- parts of the page ----------------------------------------------------------------------

  /** For all lanes: how the corpus is laid out, and the finder; with the word in focus where there are several. */
  corpusTools() {
    this.finder = new Finder(this.runs, (found) => this.selection.select(found), () => this.escape());
    this.views.begin();
    const tools = make("span", { class: "tv-tools" }, this.finder.element, this.views.element);
    if (this.runs.length > 1) this.focusWord = new FocusWord(this.lanes, tools);
    else this.lanes[0].corpus.signs.after(tools);
  }

  /** All lanes have letters of the same size, also where the last one of them has got others. */
  evenOut() {
    const corpora = this.lanes.map(({ corpus }) => corpus);
    evenOut(corpora.map(({ body }) => body));
    cancelAnimationFrame(this.evening);
    this.evening = requestAnimationFrame(() => corpora.forEach((corpus) => corpus.follow()));
  }

  // --- asked for ------------------------------------------------------------------------------

  /** Python asks for a moment: position, alignment, a token to highlight ("" for none); `veiled` hides
   *  what the next step will do, while somebody guesses; `lens` is what a scene shows besides; one that `asks` is
   *  about words. */
  take({ number, position, align, token, veiled, lens, asks }) {
    if (number === this.cued) return;
    this.cued = number;
    this.root.toggleAttribute("data-veiled", veiled);
    document.documentElement.classList.toggle("tv-veiled", veiled);
    for (const { table } of this.lanes) table.element.dataset.veil = _("Guess first: what comes next is hidden.");
    this.asks = asks;
    this.views.refresh();
    this.stage.setScene(lens);
    this.moving.goTo({ align, position });
    if (token) this.selection.restore(token);
    else this.selection.select(null);
  }

  /** Python knows the runs by now, which were trained on the page: `head` is what it says of them. */
  settle(head) {
    this.head = { ...head, align: this.moving.axis.align };
    this.moving.remember();
    this.telling.writeAddress();
  }

  setStop() {
    chosen.stop = this.stops.written;
    this.transport.drawMarks();
    this.telling.writeAddress();
    this.playing.changeStop();
  }

  setSpeed(speed) {
    chosen.speed = speed;
    this.transport.setSpeed(speed);
    this.telling.writeAddress();
    this.playing.changePace();
  }

  escape() {
    if (this.laser.escape()) return;
    if (this.selection.token) this.selection.select(null);
    else this.present(false);
  }

  /** Another choice in the state that a lane shows: Python trains it as a lane. */
  whatIf(lane, choice) {
    this.playing.pause();
    const why = this.head.what_if[lane];
    if (why) return this.notes.sayBriefly(why);
    shared.branched = { lane, lanes: this.runs.length, at: performance.now() };
    const id = `${this.head.id} ${performance.now()}`;
    this.tellWhatIf({ id, lane, step: this.lanes[lane].t, choice });
  }

  // --- looking --------------------------------------------------------------------------------

  /** Large type and nothing but the lanes, the charts and the scrub bar. */
  present(on) {
    chosen.present = on;
    document.documentElement.classList.toggle("tv-present", on);
    this.stage.hold(this.notes.element, on);
    this.stage.draw();
    this.telling.writeAddress();
  }

  /** Asks for what comes instead of showing it. A lesson asks for itself. */
  setQuiz(on) {
    if (!this.head.cue) chosen.quiz = on;
    const asks = on && !this.head.cue;
    this.transport.setQuiz(asks);
    this.quiz.show(asks);
    if (!this.moving.axis) return;
    this.moving.drawFolds();
    this.views.refresh();
    this.stage.draw();
    this.telling.writeAddress();
    // A page of its own keeps its own address.
    if (!this.head.links) this.tell(this.moving.moment);
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    // The whole page: its background, its menus and its charts come along.
    else if (document.fullscreenEnabled) document.documentElement.requestFullscreen();
  }

  /** Draws where it stands; `adjacent` if that is a step from where it was, and people see it, `rapid` if the next
   *  move comes soon. */
  draw(adjacent, rapid) {
    const { axis, p } = this.moving;
    this.root.dataset.step = p;
    this.transport.draw(p);
    const glide = adjacent && !this.reduced.matches;
    this.root.toggleAttribute("data-moving", glide);
    this.gesture.before(axis.states[0][p], glide);
    this.lanes.forEach((lane, i) => lane.draw(axis.states[i][p], glide, rapid));
    this.focusWord?.draw();
    this.gesture.after();
    this.connector.later(glide);
    this.notes.clear();
    this.quiz.draw();
    this.selection.drawCard();
    this.selection.link();
    this.telling.follow();
    document.dispatchEvent(new CustomEvent("tokviz-step", { detail: shared.moment }));
  }
}
