// The player as a component: Python gives it the runs, and hears of what people do on it.

import { followHistory } from "./entries.js";
import { LiveTraining } from "./live_training.js";
import { Place } from "./place.js";
import { readBundle } from "./runs.js";
import { shared } from "./shared.js";

const places = new WeakMap();

export default function mount({ data, parentElement, setStateValue }) {
  const start = performance.now();
  followHistory();
  const { head, runs } = readBundle(data);
  if (!places.has(parentElement)) places.set(parentElement, new Told(parentElement));
  places.get(parentElement).take(head, runs, setStateValue);
  performance.measure("tokviz mount", { start });
  return () => places.get(parentElement)?.player.stop();
}

/** A place whose player Python hears of, whether Python or the page itself trained the runs. */
class Told extends Place {
  take(head, runs, setStateValue) {
    Object.assign(this, { head, setStateValue });
    // On pages with a text area.
    if (head.typed !== undefined) this.live ??= new LiveTraining(this);
    const isKept = this.live?.hear(head, runs);
    // The player of another language, which is another script, may have taken its place.
    const isOurs = this.player && this.root.tokvizView === this.player;
    if (!isOurs || !(isKept || this.player.head.id === head.id)) {
      this.show(runs, head);
      setTimeout(() => this.player.telling.report());
    } else if (this.player.head.went !== head.went) {
      // Somebody went once more to where the page is already: its address is the player's again.
      this.player.head.went = head.went;
      this.player.telling.writeAddress();
    }
    this.connect();
    this.player.transport.drawMarks();
    if (head.cue) this.player.take(head.cue);
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
