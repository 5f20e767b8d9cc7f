// The keys of the player: what each does, and the dialog that lists them.

import { nextTie } from "./axis.js";
import { button, make } from "./dom.js";
import { _ } from "./i18n.js";
import { KeyStrip } from "./key_strip.js";
import { shared } from "./shared.js";
import { SPEEDS } from "./transport.js";

const KEYS = [
  ["← →", _("previous and next step")], [_("Page up, Page down"), _("the same, for presenter clickers")],
  [_("Space"), _("play and pause")], [_("Home, End"), _("first and last step")], ["− +", _("slower, faster")],
  ["B", _("play to the next stop; while playing, jump there")], ["↑ ↓", _("between the rows of a table, or between its buttons “What if”")],
  ["T", _("next tie")], ["D", _("first difference of the lanes")], ["W", _("corpus as text, words or trees; Unigram’s vocabulary; candidates of lanes")],
  ["Z", _("fold and unfold the rounds of Unigram that change no word")],
  ["/", _("find a token")], ["E", _("edit your text; Escape leads back to the player")], ["Q", _("quiz: what comes next? 1 to 5 choose, Enter goes on")],
  ["P", _("present: large type, the controls in a slim line")], ["F", _("full screen")],
  ["H", _("pseudocode of the algorithm, in the candidates’ place")],
  ["X C V O N R I M H U Y A", _("presenting: text, candidates, vocabulary, one word, token, trace, the choice of characters, scores of WordPiece, pseudocode, curves, the question of a quiz, all of it; of several lanes, the same key shows the next lane’s picture")],
  ["G", _("through the lattice of a word as Viterbi’s algorithm goes, one place further")],
  ["S", _("add what is on the screen to the slides; presenting, Page up and Page down go through them")],
  ["L", _("laser: the token under it glows, a click keeps it")],
  ["K", _("main keys at the bottom of the screen")],
  [_("Escape"), _("close what is open")], ["?", _("these keys")],
];
/** The text area of the set-up, where the page has one. */
const yourText = () => document.querySelector('[class~="st-key-strip"] textarea');
// Parts of the page that use the arrow keys themselves.
const OWN_KEYS = ["radio", "tab", "option", "menuitem", "listbox", "grid", "gridcell"]
  .map((role) => `[role=${role}]`).concat("[data-testid=stDataFrame]").join();

export class Keys {
  constructor(player) {
    this.player = player;
    this.strip = new KeyStrip();
    this.dialog = this.helpDialog();
    this.pressed = (event) => this.press(event);
    document.addEventListener("keydown", this.pressed);
  }

  stop() {
    this.strip.stop();
    document.removeEventListener("keydown", this.pressed);
  }

  helpDialog() {
    const has = { E: yourText(), F: document.fullscreenEnabled };
    const known = KEYS.filter(([keys]) => !(keys in has) || has[keys]);
    const rows = known.map(([keys, does]) => make("div", {}, make("dt", {}, keys), make("dd", {}, does)));
    const dialog = make("dialog", { class: "tv-help", "aria-label": _("Keys") });
    const close = button(_("Close keys"), "close", () => dialog.close());
    const strip = make("button", { type: "button", class: "tv-wide" }, _("Main keys at the bottom of the screen"));
    strip.onclick = () => {
      dialog.close();
      this.showStrip(!shared.chosen.keys);
    };
    // The first button has the focus: that of the end would scroll the first keys away.
    dialog.append(close, make("h2", {}, _("Keys")), make("dl", {}, ...rows), strip);
    return dialog;
  }

  showStrip(on) {
    shared.chosen.keys = on;
    this.strip.show(on);
    this.player.telling.writeAddress();
  }

  press(event) {
    const { player } = this;
    const { moving } = player;
    const { chosen } = shared;
    const typing = event.target.closest?.("input, textarea, select, [contenteditable=true]");
    const ours = event.target === player.transport.scrub;
    if (event.key === "Escape" && !event.isComposing && event.target === yourText()) return player.lanes[0].corpus.element.focus({ preventScroll: true });
    if ((typing && !ours) || event.target.closest?.(OWN_KEYS) || this.dialog.open) return;
    // A dialog of the page is in front of the player.
    if (document.querySelector("[data-testid=stDialog]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Beside the lens of a lesson's scene there is a player only for who presents.
    if (document.documentElement.dataset.scene && event.key !== "p" && !player.transport.element.checkVisibility()) return;
    if (event.key === " " && event.target.closest?.("button, summary, a")) return;
    if (player.quiz.key(event) || player.stage.key(event.key)) return event.preventDefault();
    const faster = (by) => player.setSpeed(
      SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(chosen.speed) + by))],
    );
    const actions = {
      ArrowLeft: () => moving.step(-1), ArrowRight: () => moving.step(1),
      PageUp: () => player.slides.go(-1) || moving.step(-1), PageDown: () => player.slides.go(1) || moving.step(1),
      Home: () => moving.go(0), End: () => moving.go(moving.axis.last),
      " ": () => player.playing.toggle(),
      "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
      f: () => player.fullScreen(), p: () => player.present(!chosen.present), q: () => player.setQuiz(!chosen.quiz), d: () => player.notes.differ(),
      t: () => moving.go(nextTie(player.runs, moving.axis, moving.p)),
      w: () => player.views.next(), z: () => moving.toggleFolds(),
      e: () => yourText()?.focus(),
      "/": () => player.finder.field.focus(), "?": () => this.dialog.showModal(),
      b: () => player.playing.toStop(), s: () => player.slides.add(), h: () => player.views.toggleCode(), g: () => document.dispatchEvent(new Event("tokviz-walk")), l: () => player.laser.toggle(), k: () => this.showStrip(!chosen.keys),
      Escape: () => player.escape(),
    };
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
    this.strip.flash(event.key);
  }
}
