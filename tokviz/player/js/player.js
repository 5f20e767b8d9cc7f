// The player: one to four lanes under one scrubber. Everything on it is made from the packed runs
// (run.js) and set as text; playing and scrubbing send nothing to the server.

import { firstDifference, makeAxis, nextTie, positionOf, positionOfState } from "./axis.js";
import { addressParts, button, make, visible, writeAddress } from "./dom.js";
import { Finder } from "./finder.js";
import { _, sentences } from "./i18n.js";
import { KeyStrip } from "./key_strip.js";
import { Lane } from "./lane.js";
import { Laser } from "./laser.js";
import { Quiz } from "./quiz.js";
import { wordText } from "./run.js";
import { readBundle } from "./runs.js";
import { Selection } from "./selection.js";
import { Stops } from "./stops.js";
import { SPEEDS, Transport } from "./transport.js";

const SETTLE = 600; // ms after the last move until Python hears of it
const SLOW = 8; // steps/s up to which a step is shown in two phases and rows glide
const RAPID = 400; // ms in which two moves of the scrub bar make a drag
const BRANCHING = 60_000; // ms after which a lane that comes is not the one that a what-if asked for
const CHARTS = 500; // ms after which charts that were drawn anew stand where the player does
const KEYS = [
  ["← →", _("previous and next step")], [_("Page up, Page down"), _("the same, for presenter clickers")],
  [_("Space"), _("play and pause")], [_("Home, End"), _("first and last step")], ["− +", _("slower, faster")],
  ["B", _("play to the next stop; while playing, jump there")], ["↑ ↓", _("between the buttons “What if” of a table")],
  ["T", _("next tie")], ["D", _("first difference of the lanes")], ["W", _("corpus as text or as words")],
  ["/", _("find a token")], ["Q", _("quiz: what comes next? 1 to 5 pick, Enter goes on")],
  ["P", _("present: large type, the controls in a slim line")], ["F", _("full screen")],
  ["L", _("laser: the token under it glows, a click keeps it")],
  ["K", _("main keys at the bottom of the screen")],
  [_("Escape"), _("close what is open")], ["?", _("these keys")],
];
const VIEWS = { text: _("text"), words: _("words") };
// Parts of the page that use the arrow keys themselves.
const OWN_KEYS = ["radio", "tab", "option", "menuitem", "listbox", "grid", "gridcell"]
  .map((role) => `[role=${role}]`).concat("[data-testid=stDataFrame]").join();
const players = new WeakMap();
// Of every run and visit the last moment. Kept on the window: the module itself may be loaded anew.
const lastMoments = (window.tokvizLastMoments ??= new Map());
// What a person chose outlives the player too: other lanes are another player.
const USUAL = { speed: 4, stop: "", view: "text", present: false, quiz: false, keys: false };
const chosen = (window.tokvizChosen ??= { ...USUAL });

export default function mount({ data, parentElement, setStateValue }) {
  const start = performance.now();
  const { head, runs } = readBundle(data);
  const root = parentElement.querySelector(".tv-player");
  let player = players.get(parentElement);
  // The player of another language, which is another script, may have taken its place.
  if (!player || root.tokvizView !== player || player.head.id !== head.id) {
    root.tokvizView?.stop();
    root.tokvizView = player = new Player(runs, root, head);
    players.set(parentElement, player);
    setTimeout(() => player.report());
  }
  player.tell = (said) => {
    const moment = { ...said, number: (window.tokvizTold = (window.tokvizTold ?? 0) + 1) };
    // What this component tells has all around it drawn anew, as another axis needs.
    const align = player.drawnOver ?? head.align;
    player.drawnOver = moment.align;
    if (!head.lenses || moment.align !== align) return setStateValue("moment", moment);
    window.tokvizMomentUntold = moment;
    window.tokvizHearMoment?.();
  };
  player.tellLook = (look) => setStateValue("look", look);
  player.tellWhatIf = (asked) => setStateValue("what_if", asked);
  player.transport.drawMarks();
  if (head.cue) player.take(head.cue);
  performance.measure("tokviz mount", { start });
  return () => players.get(parentElement)?.stop();
}

/** One to four lanes in an element. `head` names the runs (`id`), says where to open (`start` of the
 *  alignment `align`), and has the `links` of the runs for the page's address; a page without a server
 *  has none, and keeps its own address. */
export class Player {
  constructor(runs, root, head) {
    Object.assign(this, { runs, root, head, p: -1, drags: [0, 0], rapid: false });
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
    // An address that is opened says how the player looks, once.
    const known = lastMoments.get(head.id);
    const { view, speed, stop, present, quiz, keys } = head.look;
    if (!known) Object.assign(chosen, view && { view }, SPEEDS.includes(speed) && { speed }, stop && { stop }, present && { present }, quiz && { quiz }, keys && { keys });
    this.stops = new Stops(runs, chosen.stop, {
      changed: () => this.setStop(), select: (found) => this.selection.select(found), escape: () => this.escape(),
    });
    chosen.stop = this.stops.written;
    const move = (by) => () => this.go(this.p + by);
    this.transport = new Transport(runs, {
      scrub: (p) => this.scrub(p), type: (value) => this.type(value),
      first: () => this.go(0), previous: move(-1), next: move(1), last: () => this.go(this.axis.last),
      toggle: () => (this.timer ? this.pause() : this.play()), speed: (s) => this.setSpeed(s),
      align: (align) => this.setAlign(align), differ: () => this.differ(),
      full: () => this.fullScreen(), present: () => this.present(!chosen.present),
      quiz: () => this.setQuiz(!chosen.quiz), laser: () => this.laser.toggle(), help: () => this.help.showModal(),
    }, this.stops);
    const asks = (i) => (head.what_if?.[i] == null ? null : (choice) => this.whatIf(i, choice));
    this.lanes = runs.map((run, i) => new Lane(run, i, chosen.view, asks(i)));
    this.quiz = new Quiz(this);
    this.selection = new Selection(this);
    this.laser = new Laser(this);
    this.strip = new KeyStrip();
    this.live = make("p", { class: "tv-unseen", role: "status", "aria-live": "polite" });
    this.note = make("p", { class: "tv-found" });
    this.help = this.helpDialog();
    const lanes = make("div", { class: "tv-lanes", "data-lanes": runs.length }, ...this.lanes.map((l) => l.element));
    lanes.onclick = ({ target }) => (this.laser.on && !target.closest(".tv-tools") ? this.laser : this.selection).clicked(target);
    lanes.onpointerover = (event) => this.laser.on || this.selection.hover(event);
    lanes.onpointerleave = () => this.selection.hover();
    const { card, rule } = this.selection;
    const seen = [this.transport.element, lanes, card.element, this.note, this.strip.element, this.laser.element];
    root.replaceChildren(...seen, this.live, this.help, rule, this.laser.rule);
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", _("Training player"));
    this.corpusTools();
    // Charts that are drawn later, or drawn anew (another theme), find the player where it is.
    this.awaiting = setInterval(() => this.follow(), CHARTS);
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.asked = ({ detail }) => this.goTo(detail);
    document.addEventListener("tokviz-go", this.asked);
    // Whoever takes the address along wants the step that is seen now.
    this.resting = () => this.rest();
    document.addEventListener("tokviz-rest", this.resting);
    this.transport.setSpeed(chosen.speed);
    this.present(chosen.present);
    this.setQuiz(chosen.quiz);
    this.transport.quizButton.hidden = Boolean(head.cue);
    this.showKeys(chosen.keys);
    const moment = known ?? { align: head.align, position: head.start };
    this.setAxis(moment.align);
    this.go(moment.position, false);
    if (!known) this.selection.restore(head.look.token);
    this.writeAddress();
    // The lane that was asked for takes the focus of the button that asked for it.
    const branched = window.tokvizBranched;
    delete window.tokvizBranched;
    if (branched?.lanes === runs.length - 1 && performance.now() - branched.at < BRANCHING) {
      this.lanes[branched.lane + 1].table.element.focus({ preventScroll: true });
    }
  }

  stop() {
    this.pause();
    clearTimeout(this.settling);
    this.selection.stop();
    this.quiz.stop();
    this.laser.stop();
    this.strip.stop();
    clearInterval(this.awaiting);
    document.removeEventListener("keydown", this.keys);
    document.removeEventListener("tokviz-go", this.asked);
    document.removeEventListener("tokviz-rest", this.resting);
    document.documentElement.classList.remove("tv-present");
  }

  // --- parts of the page ----------------------------------------------------------------------

  /** For all lanes, in the first one's heading: how the corpus is laid out, and the finder. */
  corpusTools() {
    const label = { class: "tv-views", role: "group", "aria-label": _("Corpus as") };
    this.finder = new Finder(this.runs, (found) => this.selection.select(found), () => this.escape());
    const tools = make("span", { class: "tv-tools" }, this.finder.element);
    if (this.runs.some((run) => run.has_text)) {
      this.views = Object.entries(VIEWS).map(([view, name]) => {
        const element = make("button", { type: "button", "data-view": view, "aria-pressed": view === chosen.view }, name);
        element.onclick = () => this.setView(view);
        return element;
      });
      tools.append(make("span", label, ...this.views));
    }
    this.lanes[0].corpus.element.querySelector("h3").after(tools);
  }

  helpDialog() {
    const known = KEYS.filter(([keys]) => keys !== "F" || document.fullscreenEnabled);
    const rows = known.map(([keys, does]) => make("div", {}, make("dt", {}, keys), make("dd", {}, does)));
    const dialog = make("dialog", { class: "tv-help", "aria-label": _("Keys") });
    const close = button(_("Close keys"), "close", () => dialog.close());
    const strip = make("button", { type: "button", class: "tv-wide" }, _("Main keys at the bottom of the screen"));
    strip.onclick = () => {
      dialog.close();
      this.showKeys(!chosen.keys);
    };
    dialog.append(make("h2", {}, _("Keys")), make("dl", {}, ...rows), strip, close);
    return dialog;
  }

  // --- moving ---------------------------------------------------------------------------------

  setAxis(align) {
    this.axis = makeAxis(this.runs, this.runs.length > 1 ? align : "step");
    this.root.dataset.steps = this.axis.last;
    this.root.dataset.align = this.axis.align;
    this.transport.setAxis(this.axis);
  }

  /** Another alignment; the first lane keeps its state, and at the end every lane does. */
  setAlign(align) {
    const [t, ended] = [this.lanes[0].t, this.p === this.axis.last];
    this.setAxis(align);
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
    this.go(position ?? (by ? this.p + by : positionOfState(this.axis, lane, state)));
  }

  /** Python asks for a moment: position, alignment, a token to highlight ("" for none); `veiled` hides
   *  what the next step will do, while somebody guesses. */
  take({ number, position, align, token, veiled }) {
    if (number === this.cued) return;
    this.cued = number;
    this.root.toggleAttribute("data-veiled", veiled);
    for (const { table } of this.lanes) table.element.dataset.veil = _("Guess first: what comes is hidden.");
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
    const moved = Math.abs(p - this.p);
    if (!moved) return this.transport.draw(p);
    this.p = p;
    lastMoments.set(this.head.id, { align: this.axis.align, position: p });
    // Lenses and the page Encode look at the same step, and may be there before Python hears of it.
    window.tokvizMoment = this.moment();
    this.phase("");
    const slow = !this.timer || chosen.speed <= SLOW;
    this.draw(moved === 1 && slow && !this.rapid, this.rapid || !slow);
    clearTimeout(this.settling);
    if (byPerson) this.settling = setTimeout(() => this.settle(), SETTLE);
  }

  /** After a rest: says the step aloud, tells Python, writes the address. */
  settle() {
    this.told = this.p;
    const why = this.note.textContent;
    const say = ({ run, said, coming }) => {
      const unsaid = this.root.hasAttribute("data-veiled") ? [] : [[coming.textContent]];
      const both = sentences([said.textContent], ...unsaid).join("");
      return [this.runs.length > 1 ? _("{lane}: {said}", { lane: run.label, said: both }) : both];
    };
    const told = this.quiz.on ? [[this.quiz.heard()]] : this.lanes.map(say);
    this.live.textContent = sentences(...[[why], ...told].filter(([part]) => part)).join("");
    if (this.timer) return;
    this.writeAddress();
    this.tell(this.moment());
  }

  /** At once what a rest would bring. */
  rest() {
    clearTimeout(this.settling);
    if (!this.timer && this.p !== this.told) this.settle();
    this.writeAddress();
  }

  /** A reload comes back to the runs, the step, and what a person chose. */
  writeAddress() {
    // A page of its own keeps its own address.
    if (!this.head.links) return;
    const { align } = this.axis;
    const parts = { step: this.p };
    if (align !== "step") parts.align = align;
    for (const [name, value] of Object.entries(chosen)) if (value !== USUAL[name]) parts[name] = value === true ? 1 : value;
    if (this.selection.token) parts.token = this.selection.name();
    writeAddress("player", parts, this.head.links);
    this.said = JSON.stringify(addressParts());
  }

  /** Charts that were drawn anew move to the step, and another lens is in the address. */
  follow() {
    this.moveCharts();
    if (this.head.links && this.said !== JSON.stringify(addressParts())) this.writeAddress();
  }

  moment() {
    return { id: this.head.id, align: this.axis.align, position: this.p, states: this.states() };
  }

  /** A player that was taken off the page and is back may stand elsewhere than Python thinks. */
  report() {
    if (this.p !== this.head.start || this.axis.align !== this.head.align) this.tell(this.moment());
  }

  states() {
    return this.axis.states.map((states) => states[this.p]);
  }

  /** Plays until the next stop. If none comes any more, a sentence says so, and only who asks again
   *  plays `on` to the end. */
  play(on = this.refused === this.p) {
    if (this.p >= this.axis.last) this.go(0);
    const stops = this.stops.stop.kind && !on;
    if (stops && !this.stops.next(this.axis, this.p)) {
      this.refused = this.p;
      const again = _("Play once more to go on to the end.");
      return this.sayAloud(sentences([this.stops.none(this.axis)], [again]).join(""));
    }
    Object.assign(this, { refused: undefined, playsOn: on });
    this.note.textContent = "";
    this.transport.setPlaying(true);
    let due = performance.now() + 1000 / chosen.speed;
    const tick = (now) => {
      // A page that was out of sight goes on where it was.
      if (now - due > 1000) due = now;
      if (now >= due) {
        const steps = Math.max(1, Math.floor(((now - due) * chosen.speed) / 1000));
        due += (1000 / chosen.speed) * steps;
        const stop = stops ? this.stops.next(this.axis, this.p) : null;
        this.go(Math.min(this.p + steps, stop?.position ?? Infinity));
        if (stop?.position === this.p) return this.stopped(stop);
        if (this.p >= this.axis.last) return this.pause();
      } else if (chosen.speed <= SLOW && due - now < 450 / chosen.speed) this.phase("outline");
      this.timer = requestAnimationFrame(tick);
    };
    this.timer = requestAnimationFrame(tick);
  }

  stopped(stop) {
    this.pause();
    // It is read aloud with the step, after a rest.
    this.note.textContent = this.stops.reached(this.axis, stop);
  }

  /** Plays to the next stop; jumps there while playing. */
  toStop() {
    const stop = this.stops.next(this.axis, this.p);
    if (!stop) return this.sayAloud(this.stops.none(this.axis));
    if (!this.timer) return this.play();
    this.go(stop.position);
    this.stopped(stop);
  }

  setStop() {
    chosen.stop = this.stops.written;
    this.refused = undefined;
    this.note.textContent = "";
    this.transport.drawMarks();
    this.writeAddress();
    if (!this.timer) return;
    this.pause();
    this.play();
  }

  sayAloud(sentence) {
    this.note.textContent = sentence;
    this.live.textContent = sentence;
  }

  pause() {
    if (!this.timer) return;
    cancelAnimationFrame(this.timer);
    this.timer = 0;
    this.phase("");
    this.transport.setPlaying(false);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(), SETTLE);
  }

  /** The second phase of a slow step outlines what the next one takes. */
  phase(name) {
    if (this.root.dataset.phase !== name) this.root.dataset.phase = name;
  }

  setSpeed(speed) {
    chosen.speed = speed;
    this.transport.setSpeed(speed);
    this.writeAddress();
    if (!this.timer) return;
    this.pause();
    this.play(this.playsOn);
  }

  differ() {
    if (this.runs.length < 2) return;
    const found = firstDifference(this.runs, this.axis);
    if (!found) {
      this.note.textContent = _("At no step do two lanes cut a word that both show differently.");
      return;
    }
    const [i, j] = found.lanes;
    this.go(found.position);
    const word = visible(wordText(this.runs[i], found.words[0]).trim());
    const [one, other] = [this.runs[i].label, this.runs[j].label];
    this.note.textContent = _("First difference: {one} and {other}, in “{word}”.", { one, other, word });
  }

  key(event) {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable=true]");
    const ours = event.target === this.transport.scrub;
    if ((typing && !ours) || event.target.closest?.(OWN_KEYS) || this.help.open) return;
    // A dialog of the page is in front of the player.
    if (document.querySelector("[data-testid=stDialog]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && event.target.closest?.("button, summary, a")) return;
    if (this.quiz.key(event)) return event.preventDefault();
    const faster = (by) => this.setSpeed(
      SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(chosen.speed) + by))],
    );
    const actions = {
      ArrowLeft: () => this.go(this.p - 1), ArrowRight: () => this.go(this.p + 1),
      PageUp: () => this.go(this.p - 1), PageDown: () => this.go(this.p + 1),
      Home: () => this.go(0), End: () => this.go(this.axis.last),
      " ": () => (this.timer ? this.pause() : this.play()),
      "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
      f: () => this.fullScreen(), p: () => this.present(!chosen.present), q: () => this.setQuiz(!chosen.quiz), d: () => this.differ(),
      t: () => this.go(nextTie(this.runs, this.axis, this.p)),
      w: () => this.setView(chosen.view === "text" ? "words" : "text"),
      "/": () => this.finder.field.focus(), "?": () => this.help.showModal(),
      b: () => this.toStop(), l: () => this.laser.toggle(), k: () => this.showKeys(!chosen.keys),
      Escape: () => this.escape(),
    };
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
    this.strip.flash(event.key);
  }

  escape() {
    if (this.laser.escape()) return;
    if (this.selection.token) this.selection.select(null);
    else this.present(false);
  }

  /** Another choice in the state that a lane shows: Python trains it as a lane. */
  whatIf(lane, choice) {
    this.pause();
    const why = this.head.what_if[lane];
    if (why) {
      this.note.textContent = this.live.textContent = why;
      return;
    }
    window.tokvizBranched = { lane, lanes: this.runs.length, at: performance.now() };
    const id = `${this.head.id} ${performance.now()}`;
    this.tellWhatIf({ id, lane, step: this.lanes[lane].t, choice });
  }

  // --- looking --------------------------------------------------------------------------------

  setView(view) {
    chosen.view = view;
    this.views?.forEach((b) => b.setAttribute("aria-pressed", b.dataset.view === view));
    for (const lane of this.lanes) lane.setView(view);
    this.writeAddress();
  }

  /** Large type and nothing but the lanes, the charts and the scrub bar. */
  present(on) {
    chosen.present = on;
    document.documentElement.classList.toggle("tv-present", on);
    if (this.axis) this.writeAddress();
  }

  /** Asks for what comes instead of showing it. A lesson asks for itself. */
  setQuiz(on) {
    if (!this.head.cue) chosen.quiz = on;
    const asks = on && !this.head.cue;
    this.transport.setQuiz(asks);
    this.quiz.show(asks);
    if (!this.axis) return;
    this.writeAddress();
    // A page of its own keeps its own address.
    if (!this.head.links) this.tell(this.moment());
  }

  showKeys(on) {
    chosen.keys = on;
    this.strip.show(on);
    if (this.axis) this.writeAddress();
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
    this.lanes.forEach((lane, i) => lane.draw(this.axis.states[i][this.p], glide, rapid));
    this.note.textContent = "";
    this.quiz.draw();
    this.selection.drawCard();
    this.moveCharts();
    document.dispatchEvent(new CustomEvent("tokviz-step", { detail: window.tokvizMoment }));
  }

  /** The charts on the page follow: their cursor is a parameter with an input of its own. */
  moveCharts() {
    const value = this.axis.values[this.p];
    for (const input of document.querySelectorAll(".vega-bind input[name=tokviz_step]")) {
      if (Number(input.value) === value) continue;
      input.value = value;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
}
