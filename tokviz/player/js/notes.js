// The note over the page: why playing stopped, where lanes part, or what could not be done.

import { firstDifference } from "./axis.js";
import { make, visible } from "./dom.js";
import { _ } from "./i18n.js";
import { wordText } from "./run.js";
import { shared } from "./shared.js";

const BRIEF = 6000; // ms for which a note stays that tells nothing of the step
const DIFFERENCE = {
  step: (what) => _("First difference at the same step: {one} and {other}, in “{word}”.", what),
  size: (what) => _("First difference at the same vocabulary size: {one} and {other}, in “{word}”.", what),
  share: (what) => _("First difference at the same share of training: {one} and {other}, in “{word}”.", what),
};

export class Notes {
  constructor(player) {
    this.player = player;
    this.element = make("p", { class: "tv-found" });
  }

  /** What stands over the page. Whoever presents needs what is below it: there it goes once it is read. */
  say(sentence, brief = shared.chosen.present) {
    clearTimeout(this.brief);
    if (sentence !== this.element.textContent) this.player.stage.write(this.element, sentence);
    if (brief) this.brief = setTimeout(() => this.clear(), BRIEF);
  }

  clear() {
    this.say("", false);
  }

  /** A sentence that tells nothing of the step. */
  sayBriefly(sentence) {
    this.say(sentence, true);
    this.player.telling.live.textContent = sentence;
  }

  /** Goes to the first place where two lanes cut a word otherwise, and says so. */
  differ() {
    const { runs, moving, focusWord } = this.player;
    if (runs.length < 2) return;
    const found = firstDifference(runs, moving.axis);
    if (!found) return this.say(_("The lanes cut every word that they share in the same way, at every step."), true);
    const [i, j] = found.lanes;
    moving.go(found.position);
    const word = visible(wordText(runs[i], found.words[0]).trim());
    const [one, other] = [runs[i].label, runs[j].label];
    this.say(DIFFERENCE[moving.axis.align]({ one, other, word }));
    focusWord.take(i, found.words[0]);
  }
}
