// Slides: moments of the training, each with its picture, made beforehand and walked with a clicker. They are
// in the page's address, so a link has them all, and each of them has a link of its own.

import { positionOfState } from "./axis.js";
import { button, make, visible } from "./dom.js";
import { _, _n, number } from "./i18n.js";
import { shared } from "./shared.js";
import { PICTURES, SUBJECTS } from "./stage.js";

const MOST_WRITTEN = 1000; // characters of all slides in an address, as in pages/visit/address.py

/** The slides of an address: "13/text,17/word/tokenization", or "17/word/tokenization/1" of the second lane. What is none is left out. */
export function readSlides(written) {
  return written.split(",").flatMap((part) => {
    const [position, picture, subject, lane = 0] = part.split("/");
    if (!/^\d{1,8}$/.test(position) || !Object.hasOwn(PICTURES, picture ?? "")) return [];
    return [{ position: Number(position), picture, subject: decoded(subject) || undefined, lane: Number(lane) }];
  });
}

function decoded(subject) {
  try {
    return subject && decodeURIComponent(subject);
  } catch {
    return undefined; // a link that was cut off
  }
}

/** The same, as an address has it. */
export function writeSlides(slides) {
  return slides.map(({ position, picture, subject, lane }) => {
    const about = subject === undefined && !lane ? [] : [encodeURIComponent(subject ?? "")];
    return [position, picture, ...about, ...(lane ? [lane] : [])].join("/");
  }).join(",");
}

export class Slides {
  constructor(player) {
    Object.assign(this, { player, slides: readSlides(shared.chosen.slides), at: -1 });
    this.list = make("ol");
    this.none = make("p", { class: "tv-note" }, _("A slide is a step with a picture. With slides, a clicker (Page up, Page down) goes from slide to slide while you present."));
    // A page of its own keeps its own address.
    if (player.head.links) this.none.append(" ", _("They are in the page’s link."));
    const add = make("button", { type: "button", class: "tv-wide" }, _("Add what is on the screen"));
    add.onclick = () => this.add();
    this.dialog = make("dialog", { class: "tv-help tv-deck", "aria-label": _("Slides") });
    this.dialog.append(make("h2", {}, _("Slides")), this.none, this.list, add, button(_("Close slides"), "close", () => this.dialog.close()));
    this.button = make("button", { type: "button", class: "tv-deck-button" });
    this.button.onclick = () => this.dialog.showModal();
    this.draw();
  }

  /** What is on the screen. */
  get seen() {
    const { moving, stage } = this.player;
    return { position: moving.p, picture: stage.shown, subject: stage.subject, lane: stage.lens ? stage.lane : 0 };
  }

  add() {
    const { notes } = this.player;
    const slides = this.slides.toSpliced(this.at + 1, 0, this.seen);
    if (writeSlides(slides).length > MOST_WRITTEN) return notes.sayBriefly(_("A link cannot hold more slides."));
    Object.assign(this, { slides, at: this.at + 1 });
    this.changed();
    notes.sayBriefly(_("Slide {n} of {last} added.", { n: number(this.at + 1), last: number(this.slides.length) }));
  }

  remove(i) {
    this.slides.splice(i, 1);
    if (i <= this.at) this.at--;
    this.changed();
  }

  changed() {
    shared.chosen.slides = writeSlides(this.slides);
    this.draw();
    this.player.telling.writeAddress();
  }

  /** Goes by so many slides; false if there are none to go to, and the clicker steps. */
  go(by) {
    if (!shared.chosen.present || shared.chosen.quiz || !this.slides.length) return false;
    // A slide's own link opens it.
    if (this.at < 0) this.at = this.slides.findIndex((slide) => writeSlides([slide]) === writeSlides([this.seen]));
    const to = Math.max(0, Math.min(this.slides.length - 1, this.at + by));
    if (to !== this.at) this.show(to);
    return true;
  }

  show(i) {
    this.at = i;
    const { position, picture, subject, lane } = this.slides[i];
    this.player.playing.pause();
    this.player.stage.show(picture, subject, lane);
    this.player.moving.go(position);
    this.draw();
  }

  /** Another axis: each slide keeps the first lane's state. */
  realign(before, after) {
    for (const slide of this.slides) slide.position = positionOfState(after, 0, before.states[0][Math.min(slide.position, before.last)]);
    shared.chosen.slides = writeSlides(this.slides);
  }

  draw() {
    const n = this.slides.length;
    const values = { n: number(this.at + 1), last: number(n) };
    this.button.textContent = n && this.at >= 0 ? _("Slide {n} of {last}", values) : n ? _n("{n} slide", "{n} slides", n) : _("Slides");
    this.none.hidden = n > 0;
    this.list.replaceChildren(...this.slides.map((slide, i) => this.item(slide, i)));
  }

  item({ position, picture, subject, lane }, i) {
    const { player } = this;
    const said = _("{picture}, position {position}", { picture: player.stage.label(picture), position: number(position) });
    const of = PICTURES[picture].lens && player.runs.length > 1 && player.runs[lane]?.label;
    const name = [said, subject && visible(subject), of].filter(Boolean).join(", ");
    const go = player.head.links ? make("a", { href: this.link(i) }, name) : make("button", { type: "button", class: "tv-wide" }, name);
    go.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.dialog.close();
      this.show(i);
    };
    const remove = button(_("Remove slide {n}", { n: number(i + 1) }), "close", () => this.remove(i));
    return make("li", i === this.at ? { "aria-current": "true" } : {}, go, remove);
  }

  /** The link of one slide. */
  link(i) {
    const { position, picture, subject, lane } = this.slides[i];
    const { lens } = PICTURES[picture];
    const query = new URLSearchParams(location.search);
    const parts = { step: position, present: 1, picture, ...(lens && { lens }), ...(subject && { [SUBJECTS[picture]]: subject }), of: lane };
    for (const [name, value] of Object.entries(parts)) query.set(name, value);
    return `?${query}`;
  }
}
