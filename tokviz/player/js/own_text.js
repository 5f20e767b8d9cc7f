// On a page of its own: a text of one's own, trained as it is typed, without a server.

import { make } from "./dom.js";
import { _, number } from "./i18n.js";
import { FAMILIES } from "./runs.js";
import { LONGEST_TRAINED, isTrainable } from "./trained.js";
import { Trainer } from "./trainer.js";

const MOST_OWN_TOKENS = 5000;

/** The fields of a text in a place (place.js). `kits` say how to train (own_text.py): where there is one lane, the
 *  algorithms to choose from, else those of the lanes. `text` is what the page was trained on, `size` to how many
 *  tokens; or why no browser trains these lanes is `said`. */
export class OwnText {
  constructor(place, { kits, text, size, said }) {
    if (said) {
      this.element = make("section", { class: "tv-own", "aria-label": _("Your text") }, make("p", { role: "status" }, said));
      return;
    }
    this.place = place;
    this.kits = kits.map((kit) => ({ ...kit, family: FAMILIES[kit.family] }));
    this.likes = place.player.runs.length > 1 ? this.kits : this.kits.slice(0, 1);
    this.text = make("textarea", { "aria-label": _("Your text"), rows: 3, placeholder: _("Type or paste a text: it is trained as you type.") });
    this.text.value = text;
    this.slider = make("input", { type: "range", "aria-label": _("Vocabulary"), min: 1, max: size, value: size });
    this.size = make("input", { type: "number", "aria-label": _("Vocabulary size"), min: 1, max: MOST_OWN_TOKENS, value: size });
    this.said = make("p", { class: "tv-own-said", role: "status" });
    const sizes = make("div", { class: "tv-own-row" }, make("b", {}, _("Vocabulary")), this.slider, this.size);
    const algorithms = kits.length > this.likes.length ? [this.algorithms()] : [];
    this.element = make("section", { class: "tv-own", "aria-label": _("Your text") }, this.text, make("div", {}, ...algorithms, sizes, this.said));
    this.text.oninput = () => this.draw();
    this.slider.oninput = () => this.resize(this.slider.value);
    // Of a number that is being typed there may be the first digits only: those are not raised to what the text needs.
    this.size.oninput = () => this.size.value >= 1 && this.resize(this.size.value, 0);
    this.size.onchange = () => Number(this.size.value) !== this.shown && this.resize(this.size.value);
    this.trainer = new Trainer();
    this.loaded();
  }

  algorithms() {
    const choices = this.kits.map((kit, i) => {
      const input = make("input", { type: "radio", value: i });
      input.name = "tv-algorithm";
      input.checked = i === 0;
      input.onchange = () => this.choose(kit);
      return make("label", {}, input, kit.label);
    });
    return make("div", { class: "tv-own-row", role: "radiogroup", "aria-label": _("Algorithm") }, make("b", {}, _("Algorithm")), ...choices);
  }

  choose(kit) {
    this.likes = [kit];
    this.draw();
  }

  resize(value, mostTokens) {
    this.put(Math.min(MOST_OWN_TOKENS, Math.max(1, Math.floor(value))));
    this.draw(mostTokens);
  }

  /** Both fields show a size; what is typed already is left as it is. */
  put(size) {
    this.slider.value = size;
    if (Number(this.size.value) !== size) this.size.value = size;
  }

  /** Trains at the next frame: what is typed within one is one change. A size that is too small becomes `mostTokens` at most. */
  draw(mostTokens = MOST_OWN_TOKENS) {
    this.mostTokens = mostTokens;
    this.drawing ??= requestAnimationFrame(async () => {
      this.drawing = undefined;
      if (await this.loaded()) this.train();
    });
  }

  /** Whether there is a trainer, once that is known: after one that failed, the next one takes a moment. */
  loaded() {
    const refused = () => this.say(_("This browser refuses WebAssembly, which trains texts here."));
    return this.trainer.loading.then(() => true, refused);
  }

  train() {
    const text = this.text.value;
    if (!text.trim()) return this.say("");
    if (!isTrainable(text)) return this.say(_("Texts of up to {n} characters are trained here.", { n: number(LONGEST_TRAINED) }));
    const sizes = this.likes.map(() => Number(this.size.value));
    this.trainer.train(this.likes, text, sizes, this.mostTokens, (runs) => this.take(runs), (error) => this.say(error.message));
  }

  take(runs) {
    if (!runs) return this.mostTokens && this.say(_("This text needs a vocabulary of more than {n} tokens.", { n: number(MOST_OWN_TOKENS) }));
    this.say(runs.every(({ steps }) => steps) ? "" : runs[0].stopped);
    this.show(runs);
  }

  say(sentence) {
    this.said.textContent = sentence;
  }

  show(runs) {
    const { place } = this;
    // What the page says of the run that it was made for is no longer seen.
    document.querySelector("h1").textContent = _("Your own text");
    for (const facts of document.querySelector(".tv-page-foot").querySelectorAll("dl")) facts.hidden = true;
    const { player } = place;
    const { axis: { align }, share } = player.moving;
    const [{ asked }] = runs;
    Object.assign(this.slider, { min: Math.max(...runs.map(({ least }) => least)), max: Math.max(asked, Math.min(2000, Math.max(...runs.map(({ greatest }) => greatest)))) });
    this.shown = asked;
    this.put(asked);
    place.renew(runs, { ...player.head, id: `own ${performance.now()}`, look: {}, start: 0, align }, share);
    place.player.tell = player.tell;
  }
}
