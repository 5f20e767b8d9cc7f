// What is seen of a room on every page: its letters and how things stand, for the teacher with a picture of the code that
// phones read, and for phones the way back.

import { button, make } from "./dom.js";
import { _, _n } from "./i18n.js";

const textButton = (text, onclick, kind = "") => {
  const element = make("button", { type: "button", class: kind }, text);
  element.onclick = onclick;
  return element;
};

/** What the page is marked with for the style sheets. */
const MARKS = { teacher: "tv-teaching", phone: "tv-in-class" };

/** A bar over the page with letters, a sentence that is read aloud, and buttons. */
export class RoomBar {
  constructor(kind, ...parts) {
    this.mark = MARKS[kind];
    this.said = make("p", { role: "status", "aria-live": "polite" });
    this.element = make("aside", { class: `tv-room tv-room-${kind}`, "aria-label": _("Room") }, this.said, ...parts);
    document.body.append(this.element);
    document.documentElement.classList.add(this.mark);
  }

  /** What is said already is not said again. */
  say(sentence) {
    if (this.said.textContent !== sentence) this.said.textContent = sentence;
  }

  remove() {
    this.element.remove();
    document.documentElement.classList.remove(this.mark);
  }
}

/** The room's address as people type it. */
function shortOf({ href, code }) {
  const { host, pathname } = new URL(href);
  return `${host}${pathname}?room=${code}`;
}

/** The teacher's: how many are there, how many have voted, and a dialog with the code. */
export class TeacherBar extends RoomBar {
  constructor(room, { end }) {
    const code = make("b", {}, room.code);
    const numbers = make("span");
    super("teacher");
    this.numbers = numbers;
    this.open = textButton("", () => this.dialog.showModal());
    this.open.append(code, " ", numbers);
    const address = make("span", { class: "tv-room-address", "aria-hidden": "true" }, shortOf(room));
    this.open.title = _("Show the code of the room");
    this.element.prepend(this.open, address);
    this.dialog = this.dialogOf(room, end);
    document.body.append(this.dialog);
    this.count(0, null);
  }

  dialogOf(room, end) {
    const { code, qr, href } = room;
    const dialog = make("dialog", { class: "tv-room-code", "aria-label": _("Join the room") });
    const isOwn = ["localhost", "127.0.0.1", "[::1]"].includes(new URL(href).hostname);
    dialog.append(
      button(_("Close"), "close", () => dialog.close()),
      make("h2", {}, _("Join the room")),
      make("img", { src: qr, alt: _("QR code of the room’s address") }),
      make("p", { class: "tv-room-letters", "aria-label": [...code].join(" ") }, ...[...code].map((letter) => make("span", {}, letter))),
      make("p", { class: "tv-room-address" }, shortOf(room)),
      ...(isOwn ? [make("p", { class: "tv-note" }, _("This address points to your own computer: others cannot open it."))] : []),
      make("p", { class: "tv-note" }, _("Phones follow your text, your lanes, your step and your picture. Nobody has to give a name, and nothing is kept when the room ends.")),
      make("div", { class: "tv-room-ways" }, textButton(_("Begin"), () => dialog.close(), "tv-room-main"), textButton(_("End the room"), end)),
    );
    return dialog;
  }

  /** How many are there, and how many of them have voted (null where nothing is asked). */
  count(here, voted) {
    const there = _n("{n} phone", "{n} phones", here);
    this.numbers.textContent = voted === null ? there : `${there} · ${_n("{n} vote", "{n} votes", voted)}`;
  }

  remove() {
    this.dialog.remove();
    super.remove();
  }
}

/** A phone's: where it is, a way back to the class, and a way out. */
export class PhoneBar extends RoomBar {
  constructor(code, { back, leave }) {
    const letters = make("b", {}, code);
    super("phone");
    this.element.prepend(letters);
    this.back = textButton(_("Back to the class"), back, "tv-room-main");
    this.back.hidden = true;
    this.element.append(this.back, button(_("Leave the room"), "close", leave));
  }

  /** Whether somebody looks around, and can come back. */
  wander(isAway) {
    this.back.hidden = !isAway;
    this.element.classList.toggle("tv-room-away", isAway);
  }
}
