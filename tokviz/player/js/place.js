// Where a page has a player: one after the other.

import { Curves } from "./curves.js";
import { Player } from "./player.js";
import { Vocabulary } from "./vocabulary.js";

export class Place {
  constructor(element) {
    Object.assign(this, { root: element.querySelector(".tv-player"), curves: element.querySelector(".tv-curves") });
  }

  /** Shows runs at a share of the way, in the player that is there if they are of the kinds of its own. */
  renew(runs, head, share) {
    const held = this.held();
    if (this.root.tokvizView === this.player && this.player.renew(runs, head, share)) return this.keepFocus(held);
    this.show(runs, head);
    const { moving } = this.player;
    moving.go(share * moving.axis.last, false);
  }

  /** Shows a player in the place of the one before it. */
  show(runs, head) {
    const { root } = this;
    root.tokvizView?.stop();
    const held = this.held();
    root.tokvizView = this.player = new Player(runs, root, head);
    this.keepFocus(held);
    if (head.curves) this.player.curves = new Curves(this.player, this.curves);
    if (head.lenses) this.player.vocabulary = new Vocabulary(this.player);
  }

  /** What has the focus in the player. */
  held() {
    return this.root.contains(document.activeElement) ? document.activeElement : null;
  }

  /** A new run took the place of one that had the focus: what is called the same has it then, or the corpus. */
  keepFocus(held) {
    const { root, player } = this;
    if (!held || root.contains(document.activeElement)) return;
    const name = CSS.escape(held.getAttribute("aria-label") ?? "");
    const same = root.querySelector(`${held.localName}[aria-label="${name}"]`);
    (same ?? player.lanes[0].corpus.element).focus({ preventScroll: true });
  }
}
