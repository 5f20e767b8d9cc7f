// Keeps what a person types in this tab, until it is trained and in the address: after a reload, a crash
// or a server that began anew, Python hears of it. Nothing of it is on the server.

import { checksum } from "./checksum.js";
import { make } from "./dom.js";
import { _ } from "./i18n.js";
import { shared } from "./shared.js";
import { remember, remembered } from "./tab.js";

const NAME = "tokviz-draft";
const REST = 300; // ms without a key until a draft is written down
const AGAIN = 1500; // ms until Python is told once more, twice as long each time
const CORPUS = inField("corpus_text");
/** Other fields in which texts are typed, by their keys. */
const TYPED = ["lesson_typed", "opened_text", "held_out_text"];

export default function mount({ data, setTriggerValue }) {
  (shared.draft ??= new Draft()).hear(data, setTriggerValue);
}

class Draft {
  text = null; // what was typed into the form and Python may not know
  emptied = new Set(); // the other fields, by their keys, in which a person left nothing

  constructor() {
    // In every case before the page sees it: a text is Python's only once its field is left.
    addEventListener("input", (event) => this.typed(event.target), true);
    addEventListener("pagehide", () => this.save());
    this.said = make("p", { class: "tv-offline tv-unkept", role: "status" });
    document.body.append(this.said);
  }

  /** Python says what its form holds. A draft of another session is told to it first. */
  hear(data, tell) {
    // What was typed a moment ago: its field may be gone with the form.
    if (this.resting) this.save(this.text);
    const kept = remembered(NAME);
    clearTimeout(this.telling);
    const [before, now] = [this.data?.form, data.form];
    // Another form, or a sample in the place of what was typed.
    if (now?.fields[0] !== before?.fields[0] || (before?.own && !now?.own)) this.text = null;
    Object.assign(this, { data, tell });
    if (kept && kept.session !== data.session && kept.session !== data.heard) {
      this.found(kept, AGAIN);
      return;
    }
    if (data.drop && !this.isUnheard()) {
      this.text = null;
      remember(NAME, { session: data.session, typed: kept?.typed ?? {} });
      this.said.textContent = "";
    } else this.later();
  }

  /** Whether Python has the text of before, and not what was typed since. */
  isUnheard() {
    const typed = document.querySelector(CORPUS)?.value ?? this.text;
    return typeof this.text === "string" && Boolean(typed && this.data.base) && checksum(typed) !== this.data.known;
  }

  found(kept, wait) {
    // Not at once: what another component tells at the same time may win.
    this.telling = setTimeout(() => {
      this.tell("found", kept);
      this.telling = setTimeout(() => this.found(kept, 2 * wait), wait);
    });
  }

  typed(field) {
    const key = TYPED.find((key) => field.matches?.(inField(key)));
    if (field.matches?.(CORPUS)) this.text = field.value;
    else if (!key) return;
    else if (field.value) this.emptied.delete(key);
    else this.emptied.add(key);
    this.later();
  }

  later() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.save(), REST);
  }

  // A field is empty for a moment before it shows its text.
  save(typed = document.querySelector(CORPUS)?.value || this.text) {
    clearTimeout(this.resting);
    this.resting = null;
    const kept = remembered(NAME);
    const { data } = this;
    // What is not heard yet is not written over.
    if (!data || (kept && kept.session !== data.session && kept.session !== data.heard)) return;
    const others = { ...kept?.typed };
    for (const key of TYPED) {
      const field = document.querySelector(inField(key));
      // What a field shows nothing of is not what was typed, unless somebody emptied it.
      if (field && (field.value || this.emptied.has(key))) others[key] = field.value;
    }
    let form = kept?.form;
    const base = data.form ?? (typeof this.text === "string" ? data.base : null);
    if (base) {
      // What was typed over a sample is one's own before Python hears of it.
      const own = base.own || typeof this.text === "string";
      const text = own ? typed ?? this.text ?? form?.text : form?.text;
      const isKept = typeof text === "string" && !(own && base.file);
      form = { ...base, own, text: isKept ? text : null };
    }
    const { session } = data;
    const isKept = remember(NAME, { session, typed: others, form });
    // What was kept of a shorter text is not what was typed.
    if (!isKept) remember(NAME, { session, typed: {}, form: form && { ...form, text: null } });
    this.said.textContent = isKept ? "" : _("What you typed is too long for this tab to keep: loading the page anew loses it.");
  }
}

/** The text area with a key, as a selector. */
function inField(key) {
  return `.st-key-${key} textarea`;
}
