// The token that is selected in the player: its outline, its card, and the buttons that open a lens of it
// or of its word.

import { Card } from "./card.js";
import { make } from "./dom.js";
import { shared } from "./shared.js";
import { tokensOf, tokenString } from "./tokens.js";

/** The selectors of the chips that show a token, in every lane. */
export function chipsOf(runs, { lane, token }) {
  const string = tokenString(runs[lane], token);
  return runs.flatMap((run, i) => tokensOf(run, string).map((same) => `.tv-player [data-lane="${i}"] .chip[data-t="${same}"]`));
}

const OPENING = 2000; // ms in which a lens that was asked for is drawn

export class Selection {
  constructor(player) {
    Object.assign(this, { player, token: null });
    // Lenses come from Python: a page without a server has none, nor do all pages with one.
    const onlook = player.head.lenses && ((what) => this.look(what));
    this.card = new Card(() => this.select(null), onlook);
    this.card.element.onclick = (event) => event.target.closest(".chip") && this.clicked(event.target);
    this.rule = make("style");
    this.links = make("style");
  }

  clicked(target) {
    // Who marks text with the mouse does not mean the token below it.
    if (target.closest(".tv-tools") || !getSelection().isCollapsed) return;
    const chip = target.closest(".chip[data-t]");
    if (!chip) return this.select(null);
    const found = this.tokenOf(chip);
    found.word = this.wordOf(chip, found.lane);
    if (found.word !== undefined) this.player.focusWord?.take(found.lane, Number(chip.closest(".tv-word").dataset.w));
    // A lens that looks into a word takes the one that was clicked.
    if (found.word !== undefined) document.dispatchEvent(new CustomEvent("tokviz-word", { detail: { lane: found.lane, number: found.word } }));
    const again = this.token?.lane === found.lane && this.token.token === found.token;
    this.select(again ? null : found);
  }

  /** The corpus's number of the word that a chip is in; undefined if it is in none. */
  wordOf(chip, lane) {
    const w = chip.closest(".tv-word")?.dataset.w;
    return w === undefined ? undefined : this.player.runs[lane].word_numbers[w];
  }

  /** Opens the lens of the selected token, or of the word that it was clicked in. */
  look(what) {
    const { lane, token, word } = this.token;
    this.player.tellLook({ id: `${this.player.head.id} ${performance.now()}`, what, lane, number: word ?? null, token: tokenString(this.player.runs[lane], token) });
    this.player.stage.follow(what);
    this.select(null);
    // While somebody presents, keys stay the player's.
    shared.wordAsked = what === "word" && !shared.chosen.present;
    const lenses = document.querySelector(".st-key-lenses");
    if (!lenses) return;
    // The lens comes from Python, and is as high as it will be only then.
    const grown = new ResizeObserver(() => lenses.scrollIntoView({ block: "start", behavior: this.player.reduced.matches ? "auto" : "smooth" }));
    grown.observe(lenses);
    setTimeout(() => grown.disconnect(), OPENING);
  }

  tokenOf(chip) {
    const lane = Number(chip.closest(".tv-lane, .tv-card").dataset.lane);
    return { lane, token: Number(chip.dataset.t) };
  }

  /** Selects a token: it is outlined in every lane, its card shows, its birth is marked. */
  select(found) {
    this.token = found;
    const string = found && tokenString(this.player.runs[found.lane], found.token);
    const same = this.player.runs.map((run) => tokensOf(run, string));
    const selectors = found ? chipsOf(this.player.runs, found) : [];
    this.rule.textContent = selectors.length ? `${selectors.join()} { outline: 2px solid var(--tv-ink); }` : "";
    // Two merges may make the same string: the first one is its birth.
    const numbers = same.map((tokens) => tokens.find((token) => token >= 0) ?? tokens[0] ?? -1);
    this.player.stops.setTokens(numbers);
    this.player.transport.drawMarks(numbers);
    this.player.lanes.forEach(({ pictures }, i) => pictures.delta?.choose(numbers[i]));
    this.player.laser.glow();
    this.player.beside?.follow(found);
    this.drawCard();
    this.player.telling.writeAddress();
  }

  /** The selected token as an address names it: lane, the number of its word if it is in one, string. */
  name() {
    const { lane, token, word } = this.token;
    return `${lane}.${word ?? ""}.${tokenString(this.player.runs[lane], token)}`;
  }

  /** Selects what `name` gave, as far as it is here. */
  restore(name) {
    const [, lane, word, string] = /^(\d)\.(\d*)\.(.+)$/s.exec(name ?? "") ?? [];
    const token = this.player.runs[lane] && tokensOf(this.player.runs[lane], string).at(-1);
    if (token !== undefined) this.select({ lane: Number(lane), token, word: word ? Number(word) : undefined });
  }

  /** Has what the pointer or the focus is at, in an element, linked with what belongs to it. */
  follow(element) {
    element.onpointerover = (event) => this.player.laser.on || this.hover(event);
    element.onpointerleave = () => this.hover();
    // There is no property for these.
    element.addEventListener("focusin", ({ target }) => this.focus(target));
    element.addEventListener("focusout", () => this.focus(null));
    new ResizeObserver(() => this.placeCard()).observe(element);
  }

  /** Over several lanes the card stands beside the word in focus, below its heading. */
  placeCard() {
    const head = this.player.focusWord?.element.firstChild;
    if (head) this.card.element.style.setProperty("--under", `${head.offsetTop + head.offsetHeight}px`);
  }

  focus(target) {
    this.focused = target;
    this.link();
  }

  /** Outlines a row of the candidates or of the vocabulary and the places of its tokens, if the pointer or
   *  else the focus is at the row, at the next pair, or at a token that goes; of any other token, its row in
   *  the vocabulary. */
  link() {
    const found = this.linked(this.pointed) ?? this.linked(this.focused);
    let text = "";
    if (found) {
      const { lane, key, alone } = found;
      const within = `.tv-player [data-lane="${lane}"]`;
      const place = key.includes(",") ? `data-pairs~="${key}"` : `data-t="${key}"`;
      const rows = [key, ...key.split(",")].map((one) => `tr[data-key="${one}"]`);
      text = `${alone ? "" : `${within} .tv-corpus .chip[${place}] { outline: 2px solid var(--tv-accent); }`}
        ${within} :is(${rows}) { outline: 2px solid var(--tv-accent); outline-offset: -2px; }`;
    }
    if (this.links.textContent !== text) this.links.textContent = text;
  }

  /** The lane and the key of the row that belongs to an element, and whether the row is `alone`: other places
   *  of the token are not shown. Null if none does. */
  linked(element) {
    // A quiz may be about that.
    const lane = element?.closest(".tv-lane, .tv-vocabulary")?.dataset.lane;
    if (lane === undefined || document.querySelector("html.tv-quiz, .tv-player[data-veiled]")) return null;
    const tokens = element.closest(".tv-corpus .tv-pair")?.children ?? [element.closest(".tv-corpus .chip.doomed, .tv-item .chip")];
    const key = element.closest("tr[data-key]")?.dataset.key ?? Array.from(tokens, (chip) => chip?.dataset.t).join();
    if (key) return { lane, key };
    const other = shared.vocabulary && element.closest(".tv-corpus .chip");
    return other ? { lane, key: other.dataset.t, alone: true } : null;
  }

  /** What is under the pointer is linked. */
  hover(event) {
    this.pointed = event?.pointerType === "mouse" ? event.target : null;
    this.link();
  }

  /** The card of the selected token: beside the corpus of a single run, over several lanes. */
  drawCard() {
    const { beside, root } = this.player;
    const home = beside?.hasCard ? beside.token : root;
    if (this.card.element.parentElement !== home) home.append(this.card.element);
    if (!this.token) {
      beside?.drawWord(null);
      // What has the focus goes.
      if (this.card.element.matches(":focus-within")) this.player.lanes[0].corpus.element.focus({ preventScroll: true });
      return this.card.hide();
    }
    const lane = this.player.lanes[this.token.lane];
    this.card.element.dataset.lane = this.token.lane;
    this.card.element.style.setProperty("--at", `${(100 * this.token.lane) / this.player.lanes.length}%`);
    beside?.drawWord(lane.run.word_numbers.indexOf(this.token.word), lane.t);
    this.card.show(lane.run, lane.chips, this.token.token, lane.t, this.token.word !== undefined);
  }
}
