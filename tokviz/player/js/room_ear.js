// What a browser says to a room and hears of it (server/rooms/routes.py). A connection that is lost is made anew, for
// as long as the room may come back: a server that began anew gets it from its teacher.

import { homeOfApp } from "./room_place.js";

const SILENT = 12_000; // ms without a word after which a connection is lost, whatever it says
const STALE = 6000; // the same for who looks at the page again, or is back in the network
const AGAIN = 800; // ms until the next try, more or less: a class does not come at once
const SLOWED = 3000; // ms until the next try of who is to wait
const LOST = 600_000; // ms after which a room that nobody knows is over

/** Says something; what is answered, with the status, 0 where nobody answered. */
export async function sayToRoom(path, said) {
  try {
    const answer = await fetch(new URL(path, homeOfApp()), { method: "POST", body: JSON.stringify(said), headers: { "content-type": "application/json" } });
    return { status: answer.status, ...(await answer.json()) };
  } catch {
    return { status: 0 };
  }
}

const pause = (ms, wake) => new Promise((resolve) => {
  wake(resolve);
  setTimeout(resolve, ms);
});

export class RoomEar {
  /** Listens to the room of a code. `who` says who one is; `hear` gets what is told, `lost` why there is nothing to
   *  hear ("" where nobody answers), and says whether to try again. */
  constructor(code, { who, hear, lost }) {
    Object.assign(this, { code, who, hear, lost, heard: performance.now(), known: performance.now() });
    this.watching = setInterval(() => this.look(SILENT), 1000);
    this.back = () => document.visibilityState === "visible" && this.look(STALE);
    this.online = () => this.look(0);
    document.addEventListener("visibilitychange", this.back);
    addEventListener("online", this.online);
    this.listen();
  }

  stop() {
    this.isOver = true;
    clearInterval(this.watching);
    document.removeEventListener("visibilitychange", this.back);
    removeEventListener("online", this.online);
    this.asked?.abort();
  }

  /** Begins anew where nothing was heard for so many ms. */
  look(most) {
    if (performance.now() - this.heard < most) return;
    this.heard = performance.now();
    this.asked?.abort();
    this.wake?.();
  }

  async listen() {
    while (!this.isOver) {
      const why = await this.connect().catch(() => "");
      if (this.isOver) return;
      if (!this.lost(why)) return this.stop();
      await pause(why === "slow" ? SLOWED : AGAIN * (0.5 + Math.random()), (resolve) => (this.wake = resolve));
    }
  }

  /** Hears until the connection ends; returns why there was none. */
  async connect() {
    this.asked = new AbortController();
    this.heard = performance.now();
    const answer = await fetch(new URL(`room/${this.code}/events`, homeOfApp()), {
      method: "POST", body: JSON.stringify(this.who()), signal: this.asked.signal, headers: { accept: "text/event-stream", "content-type": "application/json" },
    });
    if (!answer.ok) return (await answer.json()).why;
    this.known = performance.now();
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    let written = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      this.heard = this.known = performance.now();
      const lines = (written + decoder.decode(part.value, { stream: true })).split("\n");
      written = lines.pop();
      for (const line of lines) if (line.startsWith("data: ")) this.hear(JSON.parse(line.slice(6)));
    }
    return "";
  }

  /** Whether a room that nobody knows will not come back. */
  get isLongGone() {
    return performance.now() - this.known > LOST;
  }
}
