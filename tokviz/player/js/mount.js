// The player as a component: Python gives it the runs, and hears of what people do on it.

import { Curves } from "./curves.js";
import { followHistory } from "./entries.js";
import { LiveTraining } from "./live_training.js";
import { Player } from "./player.js";
import { readBundle } from "./runs.js";
import { shared } from "./shared.js";
import { Vocabulary } from "./vocabulary.js";

const places = new WeakMap();

export default function mount({ data, parentElement, setStateValue }) {
  const start = performance.now();
  followHistory();
  const { head, runs } = readBundle(data);
  if (!places.has(parentElement)) places.set(parentElement, new Place(parentElement));
  places.get(parentElement).take(head, runs, setStateValue);
  performance.measure("tokviz mount", { start });
  return () => places.get(parentElement)?.player.stop();
}

/** Where the page has a player: one after the other, whether Python or the page itself trained the runs. */
class Place {
  constructor(element) {
    Object.assign(this, { root: element.querySelector(".tv-player"), curves: element.querySelector(".tv-curves") });
  }

  take(head, runs, setStateValue) {
    Object.assign(this, { head, setStateValue });
    // On pages with a text area.
    if (head.typed !== undefined) this.live ??= new LiveTraining(this);
    const isKept = this.live?.hear(head, runs);
    // The player of another language, which is another script, may have taken its place.
    const isOurs = this.player && this.root.tokvizView === this.player;
    if (!isOurs || !(isKept || this.player.head.id === head.id)) {
      this.show(runs, head);
      setTimeout(() => this.player.report());
    }
    this.connect();
    this.player.transport.drawMarks();
    if (head.cue) this.player.take(head.cue);
  }

  /** Shows a player in the place of the one before it. */
  show(runs, head) {
    const { root } = this;
    root.tokvizView?.stop();
    const held = root.contains(document.activeElement) && document.activeElement;
    root.tokvizView = this.player = new Player(runs, root, head);
    if (held && !root.contains(document.activeElement)) keepFocus(this.player, held);
    if (head.curves) this.player.curves = new Curves(this.player, this.curves);
    if (head.lenses) this.player.vocabulary = new Vocabulary(this.player);
  }

  /** What the player tells, Python hears. What it tells of runs that Python does not know yet waits until it does. */
  connect() {
    const { player, head, setStateValue } = this;
    if (player.head.isAhead) {
      const later = (name) => (said) => {
        this.waiting = () => setStateValue(name, said);
        shared.typing.hurry?.();
      };
      Object.assign(player, { tell: () => {}, tellLook: later("look"), tellWhatIf: later("what_if") });
      return;
    }
    player.tell = (said) => {
      const moment = { ...said, number: ++shared.told };
      // What this component tells has all around it drawn anew, as another axis needs.
      const align = player.drawnOver ?? head.align;
      player.drawnOver = moment.align;
      if (!head.lenses || moment.align !== align) return setStateValue("moment", moment);
      shared.untold = moment;
      shared.tellMoment?.();
    };
    player.tellLook = (look) => setStateValue("look", look);
    player.tellWhatIf = (asked) => setStateValue("what_if", asked);
    this.waiting?.();
    this.waiting = null;
  }
}

/** A new run takes the place of one that had the focus: what is called the same has it then, or the corpus. */
function keepFocus({ root, lanes }, held) {
  const name = CSS.escape(held.getAttribute("aria-label") ?? "");
  const same = root.querySelector(`${held.localName}[aria-label="${name}"]`);
  (same ?? lanes[0].corpus.element).focus({ preventScroll: true });
}
