// A vocabulary that is pruned, as chips: the more probable, the larger. What goes next stands before the cut,
// single characters stay; below them are the words that the next round cuts in another way, and what it does to
// the loss.

import { make } from "./dom.js";
import { term } from "./glossary.js";
import { _, _n, _p, _pn, number } from "./i18n.js";
import { LEAST, REST, fill, hasRoom } from "./lines.js";
import { addUp, signed } from "./numbers.js";
import { wordTokens } from "./run.js";
import { tokenBytes } from "./tokens.js";

const MOST_ANEW = 12; // words before and after a round
const MOST_FREE = 8; // tokens that stay though the loss would not rise without them
const CHIP_SIZES = [0.8, 1.7]; // times the usual size
const LEANS = 5; // letters; a longer token leans less before it goes
const CHIPS_NEAR_CUT = { goes: 60, stays: 40 }; // of a large vocabulary, those next to the cut
const LOSS_DECIMALS = 2; // as a round's sentence has them,
const OBJECTIVE_DECIMALS = 4; // and that of a step of SentencePiece's

const more = (n) => _n("and {n} more token", "and {n} more tokens", n);

/** The excerpt words that the step out of state t cuts in another way, at most so many, most frequent first:
 *  [{ w, before, after }], each token with what becomes of it: "doomed", "new", or "same". */
export function cutAnew(run, t, most = Infinity) {
  const found = [];
  if (t === run.steps) return found;
  for (const w of run.by_count) {
    if (found.length === most) break;
    const cuts = [t, t + 1].map((state) => wordTokens(run, w, state));
    // Most words stay as they are; their tokens have no need of places.
    if (cuts[0].length === cuts[1].length && cuts[0].every((token, i) => token === cuts[1][i])) continue;
    const [before, after] = cuts.map((tokens) => tokenSpans(run, tokens));
    const kept = new Set(before.filter(({ key }) => after.some((other) => other.key === key)).map(({ key }) => key));
    if (kept.size === before.length) continue;
    const fate = (changed) => ({ token, key }) => ({ token, mark: kept.has(key) ? "same" : changed(token) });
    found.push({ w, before: before.map(fate((token) => (run.family.goes(run, token, t) ? "doomed" : ""))), after: after.map(fate(() => "new")) });
  }
  return found;
}

/** Tokens, each with a key that tells its place in the word. */
function tokenSpans(run, tokens) {
  let at = 0;
  return Array.from(tokens, (token) => {
    const from = at;
    at += tokenBytes(run, token).length;
    return { token, key: `${from} ${at}` };
  });
}

export class PrunedVocabulary {
  /** The `body` of a `panel` is where it should fit; `wordOf(w)` makes an empty word for its chips. */
  constructor(run, chips, panel, body, wordOf) {
    Object.assign(this, { run, chips, panel, body, wordOf, items: new Map() });
    this.groups = [["tv-goes", _("These go")], ["tv-stays", _("These stay")]].map(([kind, label]) => make("span", { class: kind, role: "group", "aria-label": label }));
  }

  /** Draws state t, in place. The fewer tokens are left, the larger they are, once the player rests. */
  draw(t) {
    if (!this.parts) this.build();
    this.t = t;
    this.shown = this.run.family.vocabularyParts(this.run, t);
    this.drawTokens();
    this.drawRest();
    clearTimeout(this.resting);
    if (this.isFitted) this.resting = setTimeout(() => this.fit(), REST);
    else this.fit();
  }

  /** The parts that stay, each with what differs from state to state. */
  build() {
    this.parts = Object.fromEntries(["longer", "single", "anew", "loss"].map((name) => {
      const [heading, said, sized] = [make("strong"), make("span"), make("div", { class: "tv-sized" })];
      return [name, { heading, said, sized, element: make("section", {}, make("p", { class: "tv-part" }, heading, " ", said), sized) }];
    }));
    this.parts.anew.element.classList.add("tv-words-anew");
    this.parts.loss.element.classList.add("tv-loss");
    this.unshown = make("span", { class: "tv-note" });
    this.body.dataset.veil = _("Guess first: what comes next is hidden.");
    this.body.replaceChildren(this.parts.longer.element, this.parts.single.element);
  }

  /** Says what a part is about. */
  say({ heading, said }, name, about) {
    heading.textContent = name;
    said.replaceChildren(...about);
  }

  /** Draws the tokens that are longer than a character, as far as there is room. */
  drawTokens() {
    const { goes, stays, unshown, characters, goUnseen = 0 } = this.shown;
    const { longer } = this.parts;
    this.most = Math.max(...[goes, stays, characters].flat().map(({ weight }) => weight));
    const priced = stays.findIndex(({ delta }) => delta !== 0);
    const freeSeen = priced < 0 ? stays.length : priced;
    const { free = freeSeen } = this.shown;
    const shownFree = stays.slice(0, Math.min(freeSeen, MOST_FREE));
    const [going, staying] = [goes.length + goUnseen, stays.length + unshown];
    this.say(longer, _n("{n} longer token", "{n} longer tokens", going + staying), this.about(this.t, going, staying));
    // What goes last is next to the cut.
    const last = goes.slice(-CHIPS_NEAR_CUT.goes);
    const first = stays.slice(freeSeen, freeSeen + CHIPS_NEAR_CUT.stays);
    const lists = [
      [...this.note(going - last.length, more), ...last],
      [...shownFree, ...this.note(free - shownFree.length, (n) => _("and {n} more at 0", { n: number(n) })), ...first],
    ];
    const groups = this.groups.filter((group, i) => {
      this.put(group, lists[i]);
      return lists[i].length;
    });
    const far = staying - free - first.length;
    this.unshown.textContent = far ? more(far) : "";
    inOrder(longer.sized, [...groups, ...(far ? [this.unshown] : [])]);
  }

  /** Draws what stands below the tokens. */
  drawRest() {
    const { t, run, body } = this;
    const { single, anew, loss } = this.parts;
    const { characters, unshownSingle = 0 } = this.shown;
    this.say(single, _n("{n} single character", "{n} single characters", characters.length + unshownSingle), this.aboutCharacters(t));
    this.put(single.sized, [...characters, ...this.note(unshownSingle, more)]);
    const next = t < run.steps ? [anew, loss] : [];
    if (next.length) {
      this.words(t, anew);
      this.loss(t, loss);
    }
    inOrder(body, [this.parts.longer, single, ...next].map(({ element }) => element));
    for (const [look, item] of this.items) if (!item.isConnected) this.items.delete(look);
  }

  /** As large as the panel has room for. */
  fit() {
    if (!this.body.classList.contains("tv-pruned")) return;
    fill(this.panel, this.body, LEAST);
    this.isFitted = true;
  }

  /** After another run has come: at once where it has no room in letters of this size, else at rest. */
  refit() {
    if (parseFloat(this.body.style.getPropertyValue("--tv-fit")) > LEAST && !hasRoom(this.panel)) this.fit();
  }

  /** Forgets what was drawn: the panel has another size, or showed something else. */
  forget() {
    this.parts = null;
    this.isFitted = false;
    this.items.clear();
    for (const group of this.groups) group.replaceChildren();
  }

  about(_t, goes, stays) {
    const delta = term(_("loss delta"), "loss-delta");
    if (!goes) return _p("Below each: its {delta}.", { delta });
    return _p("{goes} go next, {stays} stay. Below each: its {delta}, by how much the loss rises without it.", { goes: number(goes), stays: number(stays), delta });
  }

  aboutCharacters(t) {
    return _p("They always stay. Below each: its count, of {total} in all. The larger a token, the more probable.", { total: number(this.run.count_sums[t]) });
  }

  /** How many there are besides, if any. */
  note(n, say) {
    return n ? [say(n)] : [];
  }

  /** Puts tokens, and what is said between them, into an element. */
  put(element, list) {
    inOrder(element, list.map((one) => (typeof one === "string" ? make("span", { class: "tv-note" }, one) : this.item(one))));
  }

  /** A chip with what is said below it, made once for tokens that look alike: in another run they have other numbers. */
  item({ token, weight, below }) {
    const [least, most] = CHIP_SIZES;
    const size = `${(least + (most - least) * Math.sqrt(weight / this.most)).toFixed(2)}em`;
    const look = `${this.run.colours[token]} ${this.run.strings[token]}`;
    let item = this.items.get(look);
    if (!item) this.items.set(look, (item = this.newItem(token)));
    const [chip, number] = item.children;
    if (chip.dataset.t !== String(token)) chip.dataset.t = token;
    chip.classList.toggle("doomed", this.run.family.goes(this.run, token, this.t));
    if (chip.style.fontSize !== size) chip.style.fontSize = size;
    if (number.textContent !== below) number.textContent = below;
    return item;
  }

  newItem(token) {
    const chip = this.chips.chip(token);
    const { length } = chip.textContent;
    if (length > LEANS) chip.style.setProperty("--letters", length);
    return make("span", { class: "tv-item" }, chip, make("small"));
  }

  words(t, part) {
    const { run } = this;
    const all = run.words_changed[t];
    if (!all) this.say(part, _("No word changes"), [this.unchanged]);
    else this.say(part, _n("{n} word is cut in another way", "{n} words are cut in another way", all), [this.beforeAndAfter]);
    const shown = cutAnew(run, t, all && MOST_ANEW).map(({ w, before, after }) => {
      const cut = (tokens) => {
        const word = this.wordOf(w);
        word.append(...tokens.map(({ token, mark }) => this.chips.chip(token, mark)));
        return word;
      };
      return make("span", { class: "tv-cut-anew" }, cut(before), " → ", cut(after));
    });
    const more = this.note(all - shown.length, (n) => _n("and {n} more word", "and {n} more words", n));
    part.sized.replaceChildren(...shown, ...more.map((said) => make("span", { class: "tv-note" }, said)));
  }

  get unchanged() {
    return _("The tokens that go are in no word’s best segmentation.");
  }

  get beforeAndAfter() {
    return _("before and after the next round");
  }

  /** What the round does to the loss: numbers that add up as they are shown. */
  loss(t, part) {
    const { run } = this;
    // Where no word changes, all of it is renormalised.
    const changes = run.words_changed[t] ? [run.dropped[t], run.renormalised[t]] : [run.renormalised[t]];
    const [before, ...parts] = addUp(run.loss[t], changes, run.loss[t + 1], LOSS_DECIMALS);
    const [after, renormalised, dropped = "0"] = parts.reverse();
    const values = {
      before, after, dropped: make("strong", {}, signed(dropped)), renormalised: make("strong", {}, signed(renormalised)),
      tokens: number(run.corpus_tokens[t + 1]), now: number(run.count_sums[t + 1]), old: number(run.count_sums[t]),
    };
    const why = _p("{renormalised} because the tokens that stay share the probability of those that go: {tokens} × ln({now} ÷ {old}).", values);
    const said = run.words_changed[t]
      ? [..._pn("{dropped} because {n} word needs other tokens, ", "{dropped} because {n} words need other tokens, ", run.words_changed[t], { dropped: values.dropped }), ...why]
      : why;
    this.say(part, _("Loss {before} → {after}:", values), said);
  }
}

/** Has an element hold some children in order; those that stand right are not moved. */
function inOrder(element, children) {
  const wanted = new Set(children);
  let at = element.firstChild;
  const skip = () => {
    while (at && !wanted.has(at)) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
  };
  skip();
  for (const child of children) {
    if (child === at) at = at.nextSibling;
    else element.insertBefore(child, at);
    skip();
  }
}

/** The same for SentencePiece's Unigram, and Hugging Face's, whose steps are of several kinds. */
export class EstimatedVocabulary extends PrunedVocabulary {
  about(t, goes, stays) {
    const { run } = this;
    const fates = goes ? _p("{goes} go next, {stays} stay.", { goes: number(goes), stays: number(stays) }) : [_("All of them stay.")];
    return [...fates, " ", ...this.below(run.actions[t])];
  }

  /** What stands below each chip of the longer tokens, before a step of some kind. */
  below(action) {
    const { least, choice } = this.run;
    if (action === "em" && least) return _p("Below each: its {count}, how often EM expects it; below {least} it goes.", { count: this.expected, least });
    if (action === "em") return _p("Below each: its {count}, how often EM expects it.", { count: this.expected });
    if (action === "prune") return _p("Below each: its {delta} as the library estimates it, by which it goes.", { delta: term(_("loss delta"), "loss-delta") });
    if (action === "finalize" && choice) return [choice];
    if (action === "finalize") return [_("Below each: ln P; the most probable stay.")];
    return [_("Below each: ln P.")];
  }

  get expected() {
    return term(_("expected count"), "expected-count");
  }

  aboutCharacters(t) {
    const said = this.run.actions[t] === "em" ? _p("Below each: its {count}.", { count: this.expected }) : [_("Below each: ln P.")];
    return [_("The last step brings back any that an EM step drops."), " ", ...said, " ", _("The larger a token, the more probable.")];
  }

  get unchanged() {
    return _("The best segmentation of every word stays the best.");
  }

  get beforeAndAfter() {
    return _("before and after the next step");
  }

  /** What the step does to the objective. */
  loss(t, part) {
    const { run } = this;
    const [before, change, after] = addUp(run.loss[t], [run.loss_changes[t]], run.loss[t + 1], OBJECTIVE_DECIMALS);
    this.say(part, _("−ln P per word (the objective) {before} → {after}:", { before, after }), this.why(t, make("strong", {}, signed(change))));
  }

  why(t, change) {
    const { run } = this;
    if (run.actions[t] !== "em") {
      const { isAlive } = run.family;
      const back = run.strings.findIndex((_, token) => isAlive(run, token, t + 1) && !isAlive(run, token, t)) >= 0;
      return back
        ? _p("{change} because no segmentation may use what goes, and characters that were dropped are back.", { change })
        : _p("{change} because no segmentation may use what goes.", { change });
    }
    return run.vocab_size[t + 1] < run.vocab_size[t]
      ? _p("{change} because the probabilities are estimated anew, and no segmentation may use what goes.", { change })
      : _p("{change} because the probabilities are estimated anew.", { change });
  }
}
