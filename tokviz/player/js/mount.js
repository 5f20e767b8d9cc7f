// The player as a component: Python gives it the runs, and hears of what people do on it.

import { Curves } from "./curves.js";
import { followHistory } from "./entries.js";
import { Player } from "./player.js";
import { readBundle } from "./runs.js";
import { shared } from "./shared.js";
import { Vocabulary } from "./vocabulary.js";

const players = new WeakMap();

export default function mount({ data, parentElement, setStateValue }) {
  const start = performance.now();
  followHistory();
  const { head, runs } = readBundle(data);
  const root = parentElement.querySelector(".tv-player");
  let player = players.get(parentElement);
  // The player of another language, which is another script, may have taken its place.
  if (!player || root.tokvizView !== player || player.head.id !== head.id) {
    root.tokvizView?.stop();
    const held = root.contains(document.activeElement) && document.activeElement;
    root.tokvizView = player = new Player(runs, root, head);
    if (held && !root.contains(document.activeElement)) keepFocus(player, held);
    if (head.curves) player.curves = new Curves(player, parentElement.querySelector(".tv-curves"));
    if (head.lenses) player.vocabulary = new Vocabulary(player);
    players.set(parentElement, player);
    setTimeout(() => player.report());
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
  player.transport.drawMarks();
  if (head.cue) player.take(head.cue);
  performance.measure("tokviz mount", { start });
  return () => players.get(parentElement)?.stop();
}

/** A new run takes the place of one that had the focus: what is called the same has it then, or the corpus. */
function keepFocus({ root, lanes }, held) {
  const name = CSS.escape(held.getAttribute("aria-label") ?? "");
  const same = root.querySelector(`${held.localName}[aria-label="${name}"]`);
  (same ?? lanes[0].corpus.element).focus({ preventScroll: true });
}
