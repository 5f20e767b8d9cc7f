// The player: one to four lanes under one scrubber. Everything on it is made from the packed runs and set
// as text; playing and scrubbing send nothing to the server.

import { firstDifference, makeAxis, positionOf, positionOfState } from "./axis.js";
import { Beside } from "./beside.js";
import { Connector } from "./connector.js";
import { make, visible } from "./dom.js";
import { Folds } from "./folds.js";
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
import { Playing, SLOW } from "./playing.js";
import { Quiz } from "./quiz.js";
import { wordText } from "./run.js";
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

const RAPID = 400; // ms in which two moves of the scrub bar make a drag
const BRIEF = 6000; // ms for which a note stays that tells nothing of the step
const BRANCHING = 60_000; // ms after which a lane that comes is not the one that a what-if asked for
const DIFFERENCE = {
  step: (what) => _("First difference at the same step: {one} and {other}, in “{word}”.", what),
  size: (what) => _("First difference at the same vocabulary size: {one} and {other}, in “{word}”.", what),
  share: (what) => _("First difference at the same share of training: {one} and {other}, in “{word}”.", what),
};
const { chosen } = shared;

/** How the corpus is laid out in a view: behind the candidates or the pseudocode it waits as text. */
const corpusView = (view) => (["candidates", "pseudocode"].includes(view) ? "text" : view);

/** One to four lanes in an element. `head` names the runs (`id`), says where to open (`start` of the
 *  alignment `align`), and has the `links` of the runs for the page's address; a page without a server
 *  has none, and keeps its own address. */
export class Player {
  constructor(given, root, head) {
    // Its own, since they may become others.
    const runs = given.map((run) => ({ ...run }));
    Object.assign(this, { runs, root, head, p: -1, drags: [0, 0], rapid: false });
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
    // An address that is opened says how the player looks, once.
    const known = shared.lastMoments.get(head.id);
    const { view, beside, speed, stop, present, picture, slides, quiz, keys } = head.look;
    if (!known) Object.assign(chosen, view && { view }, beside && { beside }, SPEEDS.includes(speed) && { speed }, stop && { stop }, present && { present }, picture && { picture }, slides && { slides }, quiz && { quiz }, keys && { keys });
    this.stops = new Stops(runs, chosen.stop, {
      changed: () => this.setStop(), select: (found) => this.selection.select(found), escape: () => this.escape(),
    });
    chosen.stop = this.stops.written;
    this.folds = new Folds(this.quiet, runs[0].steps);
    const move = (by) => () => this.step(by);
    this.transport = new Transport(runs, {
      scrub: (p) => this.scrub(p), type: (value) => this.type(value),
      first: () => this.go(0), previous: move(-1), next: move(1), last: () => this.go(this.axis.last),
      toggle: () => this.playing.toggle(), speed: (s) => this.setSpeed(s),
      fold: (folded) => this.fold(folded),
      align: (align) => this.setAlign(align), differ: () => this.differ(),
      full: () => this.fullScreen(), present: () => this.present(!chosen.present),
      quiz: () => this.setQuiz(!chosen.quiz), laser: () => this.laser.toggle(), help: () => this.keys.dialog.showModal(),
    }, this.stops, this.folds);
    const asks = (i) => (head.what_if?.[i] == null ? null : (choice) => this.whatIf(i, choice));
    this.lanes = runs.map((run, i) => new Lane(run, i, corpusView(this.view), asks(i)));
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
    this.live = make("p", { class: "tv-unseen", role: "status", "aria-live": "polite" });
    this.note = make("p", { class: "tv-found" });
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
    const seen = [this.stage.element, this.transport.actions, ...focus, this.swiped.element, lanes, this.transport.element, card.element, this.note, this.keys.strip.element, this.laser.element];
    root.replaceChildren(...seen, this.live, this.keys.dialog, this.slides.dialog, links, rule, this.laser.rule);
    // A single run says its numbers beside the scrub bar.
    if (runs.length === 1) this.transport.position.after(this.lanes[0].figures);
    // For the style sheets, of the page too: they would look for the lanes at each token that is drawn.
    root.dataset.lanes = document.documentElement.dataset.lanes = runs.length;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", _("Training player"));
    this.asked = ({ detail }) => this.goTo(detail);
    document.addEventListener("tokviz-go", this.asked);
    this.transport.setSpeed(chosen.speed);
    this.present(chosen.present);
    this.setQuiz(chosen.quiz);
    this.transport.quizButton.hidden = Boolean(head.cue);
    this.keys.showStrip(chosen.keys);
    const moment = known ?? { align: head.align, position: head.start };
    this.setAxis(moment.align);
    this.go(moment.position, false);
    if (!known) this.selection.restore(head.look.token);
    this.telling.writeAddress();
    // The lane that was asked for takes the focus of the button that asked for it.
    const { branched } = shared;
    shared.branched = null;
    if (branched?.lanes === runs.length - 1 && performance.now() - branched.at < BRANCHING) {
      const { table, corpus } = this.lanes[branched.lane + 1];
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
    this.folds.renew(this.quiet, this.runs[0].steps);
    this.transport.renew();
    // It asks for colours: after the lanes, it would have them styled twice.
    this.setAxis(this.axis.align);
    this.lanes.forEach((lane, i) => lane.renew(others[i], corpusView(this.view)));
    this.beside?.renew(others[0]);
    this.focusWord?.renew();
    if (others.includes(true)) this.dress();
    this.p = -1;
    this.invitation.renew();
    this.go(share * this.axis.last, false);
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
    this.views = new Views(this);
    const tools = make("span", { class: "tv-tools" }, this.finder.element, this.views.element);
    if (this.runs.length > 1) this.focusWord = new FocusWord(this.lanes, tools);
    else this.lanes[0].corpus.signs.after(tools);
  }

  /** How many words each round changes, where rounds that change none are folded. */
  get quiet() {
    const { runs: [run, ...others], head } = this;
    return !others.length && !head.cue && run.family.foldsQuiet ? Array.from(run.words_changed) : [];
  }

  /** All lanes have letters of the same size, also where the last one of them has got others. */
  evenOut() {
    const corpora = this.lanes.map(({ corpus }) => corpus);
    evenOut(corpora.map(({ body }) => body));
    cancelAnimationFrame(this.evening);
    this.evening = requestAnimationFrame(() => corpora.forEach((corpus) => corpus.follow()));
  }

  // --- moving ---------------------------------------------------------------------------------

  setAxis(align) {
    this.axis = makeAxis(this.runs, this.runs.length > 1 ? align : "step");
    this.root.dataset.steps = this.axis.last;
    this.root.dataset.align = this.axis.align;
    this.placeFolds();
  }

  /** Another alignment; the first lane keeps its state, and at the end every lane does. */
  setAlign(align) {
    const [t, ended] = [this.lanes[0].t, this.p === this.axis.last];
    const before = this.axis;
    this.setAxis(align);
    this.slides.realign(before, this.axis);
    this.p = -1;
    this.go(ended ? this.axis.last : positionOfState(this.axis, 0, t));
    // Charts have another axis now, so Python hears of it at once, playing or not.
    this.tell(this.moment());
  }

  /** Goes to a typed value; to where it is if that is no number. */
  type(value) {
    this.go(Number.isNaN(value) ? this.p : positionOf(this.axis, value));
  }

  /** A lens asks for another step, or for a state of a lane; an address for a position. */
  goTo({ by, lane, state, align, position }) {
    if (align && align !== this.axis.align) {
      this.setAxis(align);
      this.p = -1;
    }
    this.go(position ?? (by ? this.folds.step(this.p, by) : positionOfState(this.axis, lane, state)));
  }

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
    if (this.lanes[0].corpus.view !== corpusView(this.view)) this.showView();
    this.stage.setScene(lens);
    this.goTo({ align, position });
    if (token) this.selection.restore(token);
    else this.selection.select(null);
  }

  /** A drag sends many moves: from the third on within a moment, only what is seen is drawn. */
  scrub(p) {
    const now = performance.now();
    this.rapid = now - this.drags[0] < RAPID;
    this.drags = [this.drags[1], now];
    this.go(p);
    this.rapid = false;
  }

  go(to, byPerson = true) {
    const p = Math.max(0, Math.min(this.axis.last, Math.round(to) || 0));
    if (p === this.p) return this.transport.draw(p);
    // Whoever goes to a round inside of a fold wants to see it.
    if (this.folds.over(p)) this.openFolds();
    const adjacent = this.p >= 0 && this.folds.step(this.p, Math.sign(p - this.p)) === p;
    this.p = p;
    shared.lastMoments.set(this.head.id, { align: this.axis.align, position: p });
    // Lenses and the page Encode look at the same step, and may be there before Python hears of it.
    shared.moment = this.moment();
    this.phase("");
    const slow = !this.playing.on || chosen.speed <= SLOW;
    this.draw(adjacent && slow && !this.rapid, this.rapid || !slow);
    this.telling.callOff();
    if (p) this.invitation.end();
    if (byPerson) this.telling.later();
  }

  /** So many steps on, or back; a folded stretch is one. */
  step(by) {
    this.go(this.folds.step(this.p, by));
  }

  /** Rounds that change no word stand as one short stretch, or one by one. */
  fold(folded) {
    this.opened = false;
    chosen.unfolded = !folded;
    this.drawFolds();
    const inside = this.folds.over(this.p);
    if (inside) this.go(inside[0]);
  }

  openFolds() {
    this.opened = true;
    this.drawFolds();
  }

  toggleFolds() {
    if (this.folds.stretches.length) this.fold(!this.folds.folded);
  }

  drawFolds() {
    this.placeFolds();
    if (this.p >= 0) this.transport.draw(this.p);
  }

  /** Nothing is folded while somebody guesses what the next round does. */
  placeFolds() {
    this.folds.folded = !chosen.unfolded && !this.opened && !chosen.quiz;
    this.transport.setAxis(this.axis);
  }

  moment() {
    return { id: this.head.id, align: this.axis.align, position: this.p, states: this.states() };
  }

  /** Python knows the runs by now, which were trained on the page: `head` is what it says of them. */
  settle(head) {
    this.head = { ...head, align: this.axis.align };
    shared.lastMoments.set(head.id, { align: this.axis.align, position: this.p });
    shared.moment = this.moment();
    this.telling.writeAddress();
  }

  /** A player that was taken off the page and is back may stand elsewhere than Python thinks. */
  report() {
    if (this.p !== this.head.start || this.axis.align !== this.head.align) this.tell(this.moment());
  }

  states() {
    return this.axis.states.map((states) => states[this.p]);
  }

  setStop() {
    chosen.stop = this.stops.written;
    this.transport.drawMarks();
    this.telling.writeAddress();
    this.playing.changeStop();
  }

  /** What stands over the page. Whoever presents needs what is below it: there it goes once it is read. */
  noteThat(sentence, brief = chosen.present) {
    clearTimeout(this.brief);
    if (sentence !== this.note.textContent) this.stage.write(this.note, sentence);
    if (brief) this.brief = setTimeout(() => this.noteThat("", false), BRIEF);
  }

  /** A sentence that tells nothing of the step. */
  sayBriefly(sentence) {
    this.noteThat(sentence, true);
    this.live.textContent = sentence;
  }

  /** The second phase of a slow step outlines what the next one takes. */
  phase(name) {
    if (this.root.dataset.phase !== name) this.root.dataset.phase = name;
  }

  setSpeed(speed) {
    chosen.speed = speed;
    this.transport.setSpeed(speed);
    this.telling.writeAddress();
    this.playing.changePace();
  }

  differ() {
    if (this.runs.length < 2) return;
    const found = firstDifference(this.runs, this.axis);
    if (!found) return this.noteThat(_("The lanes cut every word that they share in the same way, at every step."), true);
    const [i, j] = found.lanes;
    this.go(found.position);
    const word = visible(wordText(this.runs[i], found.words[0]).trim());
    const [one, other] = [this.runs[i].label, this.runs[j].label];
    this.noteThat(DIFFERENCE[this.axis.align]({ one, other, word }));
    this.focusWord.take(i, found.words[0]);
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
    if (why) return this.sayBriefly(why);
    shared.branched = { lane, lanes: this.runs.length, at: performance.now() };
    const id = `${this.head.id} ${performance.now()}`;
    this.tellWhatIf({ id, lane, step: this.lanes[lane].t, choice });
  }

  // --- looking --------------------------------------------------------------------------------

  /** How the corpus is seen. A run that prunes its vocabulary shows that, where it is alone among the lenses and
   *  nobody is asked what goes: its words are seldom cut otherwise. */
  get view() {
    return chosen.view || this.usualView;
  }

  get usualView() {
    const [run, ...others] = this.runs;
    const shows = this.head.lenses || (this.head.cue && this.asks === false);
    return shows && !others.length && run.family.vocabularyParts && !chosen.quiz ? "vocabulary" : "text";
  }

  setView(view) {
    chosen.view = view === this.usualView ? "" : view;
    this.showView();
  }

  /** What stands beside the corpus of a single run: "" for its candidates. */
  setSide(side) {
    chosen.beside = side;
    this.beside.draw();
    this.connector.later();
    this.telling.writeAddress();
  }

  /** The pseudocode comes or goes. */
  toggleCode() {
    if (this.runs.length > 1) this.setView(this.views.shown === "pseudocode" ? "text" : "pseudocode");
    else if (this.beside.panels.pseudocode) this.setSide(this.beside.side === "pseudocode" ? "" : "pseudocode");
  }

  showView() {
    const { view } = this;
    this.gesture.stop();
    for (const lane of this.lanes) lane.setView(corpusView(view));
    this.views.draw();
    this.stage.draw();
    this.connector.later();
    this.telling.writeAddress();
  }

  /** Large type and nothing but the lanes, the charts and the scrub bar. */
  present(on) {
    chosen.present = on;
    document.documentElement.classList.toggle("tv-present", on);
    this.stage.hold(this.note, on);
    this.stage.draw();
    this.telling.writeAddress();
  }

  /** Asks for what comes instead of showing it. A lesson asks for itself. */
  setQuiz(on) {
    if (!this.head.cue) chosen.quiz = on;
    const asks = on && !this.head.cue;
    this.transport.setQuiz(asks);
    this.quiz.show(asks);
    if (!this.axis) return;
    this.drawFolds();
    if (this.lanes[0].corpus.view !== corpusView(this.view)) this.showView();
    this.stage.draw();
    this.telling.writeAddress();
    // A page of its own keeps its own address.
    if (!this.head.links) this.tell(this.moment());
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    // The whole page: its background, its menus and its charts come along.
    else if (document.fullscreenEnabled) document.documentElement.requestFullscreen();
  }

  draw(moving, rapid) {
    this.root.dataset.step = this.p;
    this.transport.draw(this.p);
    const glide = moving && !this.reduced.matches;
    this.root.toggleAttribute("data-moving", glide);
    this.gesture.before(this.axis.states[0][this.p], glide);
    this.lanes.forEach((lane, i) => lane.draw(this.axis.states[i][this.p], glide, rapid));
    this.focusWord?.draw();
    this.gesture.after();
    this.connector.later(glide);
    this.noteThat("", false);
    this.quiz.draw();
    this.selection.drawCard();
    this.selection.link();
    this.telling.moveCharts();
    document.dispatchEvent(new CustomEvent("tokviz-step", { detail: shared.moment }));
  }
}
