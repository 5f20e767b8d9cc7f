// A room on a page: its teacher's, or one that a phone is in. Python draws this component for those who asked for it.

import { make } from "./dom.js";
import { _, language } from "./i18n.js";
import { RoomPhone } from "./room_phone.js";
import { openRoom, RoomTeacher } from "./room_teacher.js";
import { shared } from "./shared.js";
import { remember, remembered } from "./tab.js";

const NAME = "tokviz-room";
const MIND = 1000; // ms until the next look at the address
const SHOWN = 8000; // ms for which the last sentence stays

/** Why a room cannot be started. */
const REFUSED = { full: _("This server has no room for another class now."), slow: _("Many are asking for rooms. Please wait a moment."), off: _("This server has no rooms."), away: _("Rooms cannot be reached just now. Please try again in a moment."), servers: _("This server is one of several, which share no rooms.") };

export default function mount({ data, setTriggerValue }) {
  // Another language is another script.
  if (shared.classroom?.language !== language) {
    shared.classroom?.close();
    shared.classroom = new Classroom();
  }
  shared.classroom.take(data, setTriggerValue);
}

class Classroom {
  language = language;
  said = make("p", { class: "tv-offline", role: "status" });

  /** Python says what is asked for: to `start` a room, or to be in that of a `code`. */
  async take({ start, code }, tell) {
    this.tellPython = tell;
    const asked = start ? `start ${start}` : code;
    if (asked === this.asked) return;
    this.asked = asked;
    document.body.append(this.said);
    this.part?.stop();
    const kept = remembered(NAME);
    if (start && kept?.start !== start) return this.begin(await openRoom(), start, true);
    if (kept?.key && (start || kept.code === code)) return this.begin(await openRoom(kept.key), start);
    this.join(code, kept?.code === code ? kept : {});
  }

  close() {
    clearInterval(this.minding);
    this.part?.stop();
    this.said.remove();
  }

  begin(room, start, isNew = false) {
    if (room.status !== 200) return this.leave(REFUSED[room.why] ?? _("The room could not be started. Please try again."));
    const { key, code } = room;
    remember(NAME, { key, code, start });
    this.write(code);
    this.part = new RoomTeacher(room, { ended: () => this.leave(_("The room is over.")) });
    // Whoever loads the page anew had seen it.
    if (isNew) this.part.bar.dialog.showModal();
  }

  join(code, { name, voter, voted }) {
    this.write(code);
    const known = name ? { name, voter } : {};
    this.part = new RoomPhone(code, known, { voted, keep: (who) => remember(NAME, { code, ...who }), ended: (said) => this.leave(said) });
  }

  /** The room stands in the page's address, also where a link to another page takes it out; or no more. */
  write(code) {
    clearInterval(this.minding);
    if (code) this.minding = setInterval(() => new URLSearchParams(location.search).has("room") || this.write(code), MIND);
    const query = new URLSearchParams(location.search);
    if (code) query.set("room", code);
    else query.delete("room");
    history.replaceState(history.state, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
  }

  /** There is no room any more, which a sentence says. */
  leave(said) {
    remember(NAME, null);
    this.part = this.asked = null;
    document.documentElement.classList.remove("tv-voting");
    this.write("");
    this.said.textContent = said;
    setTimeout(() => (this.said.textContent = ""), SHOWN);
    this.tellPython("left", true);
  }
}
