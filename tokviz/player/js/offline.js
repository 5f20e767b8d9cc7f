// Says that the server cannot be reached, and that the player goes on. Streamlit's own dialog is closed: it
// would lie over the player and ask for a command in a terminal. When the server is back, the whole page is
// asked for, because what was sent meanwhile is lost. If a part of the page were drawn first, the sample in
// the form would be taken for a new choice and replace the text that was typed.

import { make } from "./dom.js";
import { _ } from "./i18n.js";
import { shared } from "./shared.js";

const STATE = "data-test-connection-state"; // Streamlit's mark of its connection
const TITLE = "Connection error"; // of its dialog, in every language
const GRACE = 1000; // ms: a short break needs no word

export default function mount({ parentElement, setTriggerValue }) {
  // Another one is that of another language.
  if (shared.offline?.place !== parentElement) {
    shared.offline?.stop();
    shared.offline = new Offline(parentElement, document.querySelector(`[${STATE}]`));
  }
  shared.offline.tell = setTriggerValue;
}

class Offline {
  constructor(place, app) {
    this.place = place;
    this.said = make("p", { class: "tv-offline", role: "status" });
    document.body.append(this.said);
    this.state = new MutationObserver(() => this.look(app));
    this.dialogs = new MutationObserver(() => this.closeDialog());
    if (app) this.state.observe(app, { attributeFilter: [STATE] });
  }

  look(app) {
    const isCut = app.getAttribute(STATE) !== "CONNECTED";
    if (isCut === !!this.waiting) return;
    clearTimeout(this.waiting);
    this.waiting = isCut ? setTimeout(() => this.say(), GRACE) : 0;
    if (isCut) {
      this.dialogs.observe(document.body, { childList: true, subtree: true });
      // Streamlit would ask a new server for the address that the page was loaded with; now it reads the present one.
      dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
    } else {
      this.dialogs.disconnect();
      this.said.textContent = "";
      this.tell("back", true);
    }
  }

  say() {
    this.said.textContent = _("No connection to the server. The player goes on; everything else waits until it is back.");
  }

  closeDialog() {
    for (const dialog of document.querySelectorAll("[role=dialog]")) {
      if (dialog.querySelector("h2")?.textContent === TITLE) dialog.querySelector("button")?.click();
    }
  }

  stop() {
    clearTimeout(this.waiting);
    this.state.disconnect();
    this.dialogs.disconnect();
    this.said.remove();
  }
}
