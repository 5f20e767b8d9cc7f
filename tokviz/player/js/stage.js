// Presenting: one picture at a time fills the screen, each by a key of its own, below the algorithm's name. What
// stands on the page as a lens comes from Python; the other pictures are parts of the player.

import { addressParts, make } from "./dom.js";
import { _ } from "./i18n.js";
import { scoresPairs } from "./score_picture.js";
import { shared } from "./shared.js";

/** The pictures, each with its key (none that the quiz or the player uses), what of the page it is for the style
 *  sheets, and the lens that shows it. A vocabulary that is pruned stands in the corpus's place. */
export const PICTURES = {
  all: { key: "A" },
  text: { key: "X", part: "corpus" },
  candidates: { key: "C", part: "candidates" },
  vocabulary: { key: "V", part: "lens", lens: "vocabulary" },
  word: { key: "O", part: "lens", lens: "word" },
  token: { key: "N", part: "lens", lens: "token" },
  trace: { key: "R", part: "lens", lens: "encode" },
  characters: { key: "I", part: "lens", lens: "characters" },
  scores: { key: "M", part: "scores" },
  pseudocode: { key: "H", part: "pseudocode" },
  curves: { key: "U", part: "curves" },
  question: { key: "Y", part: "question" },
};
/** The pictures that give no answer away while somebody guesses in a quiz, or in a lesson besides what the scene shows. */
const GUESSING = { quiz: ["all", "text", "question"], lesson: ["all", "text"] };
/** The picture that shows the lens of a lesson's scene. */
const OF_LENS = { vocabulary: "vocabulary", word: "word", encode: "trace" };
/** What an address says a lens is about. */
export const SUBJECTS = { word: "word", token: "find" };
const ASK_AGAIN = 2000; // ms
const USUAL_LENS = "vocabulary";

export class Stage {
  constructor(player) {
    Object.assign(this, { player, patience: ASK_AGAIN, scene: player.head.cue?.lens ?? "", buttons: {} });
    this.name = make("strong");
    this.pictures = make("div", { class: "tv-pictures", role: "group", "aria-label": _("Picture") });
    this.renew();
    this.element = make("div", { class: "tv-stage" }, this.name, this.pictures);
    // What is no part of a lane has the room of the lanes' panels.
    this.seen = new ResizeObserver(() => this.measure());
    for (const { panels } of player.lanes) this.seen.observe(panels);
  }

  /** The runs are there, or have become others of other kinds: pictures that stay keep their buttons. */
  renew() {
    const before = this.buttons;
    this.name.textContent = this.player.runs.map((run) => run.label).join(", ");
    this.buttons = Object.fromEntries(this.offered().map((name) => [name, before[name] ?? this.button(name)]));
    for (const [name, button] of Object.entries(this.buttons)) button.lastChild.data = this.label(name);
    for (const [name, button] of Object.entries(before)) if (!this.buttons[name]) button.remove();
  }

  button(name) {
    const button = make("button", { type: "button", "data-picture": name }, make("kbd", {}, PICTURES[name].key), " ", this.label(name));
    button.onclick = () => this.show(name);
    return button;
  }

  stop() {
    this.seen.disconnect();
    for (const name of ["picture", "scene"]) delete document.documentElement.dataset[name];
  }

  label(name) {
    const { runs } = this.player;
    const words = new Set(runs.map((run) => run.family.wordPicture));
    const labels = {
      all: runs.length > 1 ? _("Lanes") : _("Overview"), text: _("Text"), candidates: _("Candidates"), vocabulary: _("Vocabulary"),
      word: words.size > 1 ? _("One word") : [...words][0], token: _("Token"), scores: _("Scores"), pseudocode: _("Pseudocode"), trace: _("Trace"), characters: _("Characters"), curves: _("Curves"), question: _("Question"),
    };
    return labels[name];
  }

  /** The pictures that there are: lenses come from Python, which a page of its own lacks. */
  offered() {
    const { lenses, cue, curves = true } = this.player.head;
    const asks = lenses || cue;
    const { runs } = this.player;
    const has = {
      vocabulary: asks || this.pruned, curves, pseudocode: runs.some((run) => run.pseudocode.length), scores: runs.every(scoresPairs), question: !cue,
      characters: asks && runs.some((run) => run.chosen_characters),
    };
    return Object.keys(PICTURES).filter((name) => has[name] ?? (asks || PICTURES[name].part !== "lens"));
  }

  /** Whether every lane's vocabulary can stand in the corpus's place. */
  get pruned() {
    return this.player.runs.every((run) => run.family.vocabularyParts);
  }

  /** Whether it does: not where a scene lists it, since what goes would be an answer. */
  get asCorpus() {
    return this.pruned && this.scene !== "vocabulary";
  }

  /** Whether a picture can be shown now: not while it would tell what somebody guesses. */
  isOpen(name) {
    const guessing = shared.chosen.quiz && !this.player.head.cue ? "quiz" : this.player.root.hasAttribute("data-veiled") ? "lesson" : "";
    const fine = guessing ? GUESSING[guessing].includes(name) || name === OF_LENS[this.scene] : name !== "question";
    return this.buttons[name] && fine;
  }

  /** The picture on the screen: where nobody presents, it is everything. A scene of a lesson begins with its lens. */
  get shown() {
    const { picture, present } = shared.chosen;
    const name = picture || OF_LENS[this.scene];
    if (!present || !this.isOpen(name)) return "all";
    return name === "text" && this.asCorpus && this.player.views.wanted === "vocabulary" ? "vocabulary" : name;
  }

  /** Another scene of a lesson, or its answer, has this lens ("" for none): who presents sees it, or the picture as
   *  before. */
  setScene(lens) {
    if (lens || (this.scene && PICTURES[shared.chosen.picture]?.part === "lens")) shared.chosen.picture = "";
    this.scene = lens;
    this.draw();
  }

  /** Shows a picture; `subject` is the word or the token that its lens shows, `lane` whose, if others than now. */
  show(name, subject, lane) {
    if (!this.isOpen(name)) return;
    // Once more, a lens goes on to the next lane.
    const again = lane === undefined && name === this.shown && !this.player.head.cue;
    const asCorpus = name === "vocabulary" && this.asCorpus;
    shared.chosen.picture = asCorpus ? "text" : name === "all" && !this.scene ? "" : name;
    if (asCorpus) this.player.views.choose("vocabulary");
    else if (name === "text" && ["vocabulary", "candidates", "pseudocode"].includes(this.player.views.shown)) this.player.views.choose("text");
    this.draw();
    this.player.telling.writeAddress();
    const { lens } = this;
    if (!lens) return;
    const lanes = this.player.runs.length;
    if (subject !== undefined || lens !== this.lensNow || (lane ?? this.lane) !== this.lane) this.ask(subject, lane);
    else if (again && lanes > 1) this.ask(undefined, (this.lane + 1) % lanes);
  }

  /** The lane that the lens is of. */
  get lane() {
    return Number(addressParts().of ?? 0);
  }

  /** Beside a lens, its lane alone is told. */
  tellLane() {
    for (const { element, index } of this.player.lanes) element.classList.toggle("tv-untold", index !== this.lane);
  }

  /** The lens that is on the page. */
  get lensNow() {
    return addressParts().lens ?? (this.player.head.cue ? "" : USUAL_LENS);
  }

  /** The lens that the picture on the screen needs; undefined if it is no lens. */
  get lens() {
    const { shown } = this;
    return shown === "vocabulary" && this.asCorpus ? undefined : PICTURES[shown].lens;
  }

  ask(subject, lane) {
    const { lens } = this;
    const about = { ...(subject !== undefined && { [lens === "word" ? "typed" : "token"]: subject }), ...(lane !== undefined && { lane }) };
    this.asked = performance.now();
    this.player.tellLook({ id: `${this.player.head.id} ${this.asked}`, what: lens, cue: this.player.cued, ...about });
  }

  /** Asks once more for a lens that did not come, or was changed back: what the page told Python at the same
   *  time may have won. Each time it waits longer, for every question has Python begin anew. */
  askAgain() {
    const { lens } = this;
    if (!lens || lens === this.lensNow) this.patience = ASK_AGAIN;
    else if (performance.now() - (this.asked ?? 0) > this.patience) {
      this.patience *= 2;
      this.ask();
    }
  }

  /** A lens was asked for in another way: it is what is shown, if somebody presents. */
  follow(name) {
    if (!shared.chosen.present || !this.buttons[name]) return;
    shared.chosen.picture = name;
    this.draw();
  }

  /** The word or the token that the picture on the screen is about; undefined if about none. */
  get subject() {
    return addressParts()[SUBJECTS[this.shown]];
  }

  draw() {
    const { shown } = this;
    let last = null;
    for (const [name, button] of Object.entries(this.buttons)) {
      button.setAttribute("aria-pressed", name === shown);
      if (!this.isOpen(name)) button.remove();
      // A button that stays keeps the focus.
      else if (!button.parentNode) last ? last.after(button) : this.pictures.prepend(button);
      if (button.parentNode) last = button;
    }
    // Whoever chooses by key sees one button marked, and not that of the last click as well.
    if (this.element.contains(document.activeElement) && shared.chosen.present) this.buttons[shown].focus({ preventScroll: true });
    const { dataset } = document.documentElement;
    if (this.player.head.cue) dataset.scene = this.scene;
    this.tellLane();
    const part = shown === "vocabulary" && this.asCorpus ? "corpus" : PICTURES[shown].part;
    if (part === dataset.picture) return;
    if (part) dataset.picture = part;
    else delete dataset.picture;
    const held = document.activeElement;
    if (held !== document.body && !held.checkVisibility()) this.focusable.focus({ preventScroll: true });
    this.measure();
    this.player.connector.later();
  }

  /** What has the focus when what had it is gone. */
  get focusable() {
    return shared.chosen.present ? this.buttons[this.shown] : this.player.lanes[0].corpus.element;
  }

  /** Takes a note in beside the name while somebody presents; else that of lanes stands beside their word, and that
   *  of one over the page. */
  hold(note, on) {
    const { focusWord, root } = this.player;
    if (on) this.name.after(note);
    else if (focusWord) focusWord.label.after(note);
    else root.append(note);
  }

  /** Writes a note. Where it is held, nothing moves for it: its letters are smaller where it takes two lines. */
  write(note, sentence) {
    const { element } = this;
    note.classList.remove("long");
    element.classList.remove("noted");
    element.style.minHeight = "";
    const height = element.offsetHeight;
    note.textContent = sentence;
    if (!sentence || !height) return;
    element.style.minHeight = `${height}px`;
    element.classList.add("noted");
    note.classList.toggle("long", note.offsetHeight > height);
  }

  measure() {
    const { style, dataset } = document.documentElement;
    if (!["lens", "curves"].includes(dataset.picture)) return;
    const rooms = this.player.lanes.map(({ panels }) => panels.getBoundingClientRect());
    style.setProperty("--lane-top", `${this.player.lanes[this.lane].name.getBoundingClientRect().top}px`);
    style.setProperty("--room-top", `${Math.max(...rooms.map(({ top }) => top))}px`);
    style.setProperty("--room-bottom", `${innerHeight - Math.max(...rooms.map(({ bottom }) => bottom))}px`);
  }

  /** Does what a key does while somebody presents; whether it is one of the stage's. */
  key(key) {
    if (!shared.chosen.present) return false;
    const name = Object.keys(this.buttons).find((picture) => PICTURES[picture].key === key.toUpperCase() && this.isOpen(picture));
    if (name) this.show(name);
    return Boolean(name);
  }
}
