// Has what is typed into the text area of the set-up trained: on the page at once, where live_training.js can,
// and by Python after a pause, as if Ctrl+Enter was pressed there: caret and undo stay the browser's. A file
// that is dropped on it is opened, and a text that is pasted where no field takes it comes into it. The slider of the
// vocabulary size is followed while it moves.

import { watchPanel } from "./panel_focus.js";
import { shared } from "./shared.js";

const PAUSE = 150; // ms without a key until Python hears of it
const TRAINED_PAUSE = 600; // the same where the page trained it already
const SENT = 100; // ms in which Streamlit sends what a field has
const STRIP = '[class~="st-key-strip"]';
/** What takes itself what is pasted, or stands in front of the page. */
const TAKES_TEXT = "input, textarea, select, [contenteditable=true], [data-testid=stDataFrame]";
const IN_FRONT = "[data-testid=stDialog], dialog[open]";

export default function mount() {
  shared.liveText ??= new LiveText();
}

const SLIDER = '[class~="st-key-strip_size"] input[type=range]';
const SIZE = '[class~="st-key-vocab_size"] input';

/** Whether a person moves the slider: Python moves it too. */
const isMoved = (slider) => slider.matches(SLIDER) && slider === document.activeElement;

const sizeOn = (field) => Number(field?.value) || null;

class LiveText {
  constructor() {
    watchPanel();
    shared.typing.text = () => document.querySelector(`${STRIP} textarea`)?.value ?? null;
    shared.typing.size = () => sizeOn(this.typedSize?.isConnected ? this.typedSize : document.querySelector(SLIDER));
    const moved = new MutationObserver((changes) => changes.some(({ target }) => isMoved(target)) && this.resize(null));
    moved.observe(document.body, { subtree: true, attributeFilter: ["aria-valuetext"] });
    addEventListener("input", ({ target }) => {
      if (target.matches?.(`${STRIP} textarea`)) this.later(target);
      // In the panel of one of several lanes it is that lane's.
      else if (target.matches?.(SIZE) && document.documentElement.dataset.lanes === "1") this.resize(target);
    });
    // What is chosen is seen in its field by then.
    for (const kind of ["click", "keyup"]) addEventListener(kind, () => requestAnimationFrame(() => shared.typing.choose?.()), true);
    // On a phone the field folds when it is left: not before the press has ended that leaves it, or what was pressed would move away.
    addEventListener("mousedown", ({ target }) => {
      const { activeElement, documentElement } = document;
      if (activeElement.matches(`${STRIP} textarea`) && target !== activeElement) documentElement.dataset.unfolded = "";
    }, true);
    addEventListener("mouseup", () => setTimeout(() => delete document.documentElement.dataset.unfolded), true);
    addEventListener("click", (event) => this.leaving(event), true);
    addEventListener("dragover", (event) => this.isFile(event) && event.preventDefault());
    addEventListener("drop", (event) => this.isFile(event) && this.dropped(event));
    addEventListener("paste", (event) => this.pasted(event));
  }

  later(field) {
    this.wait(field, PAUSE);
    this.draw(field);
  }

  /** The slider is moved, or a size is typed into a field, which Python is sent once it has the last key. */
  resize(field) {
    this.typedSize = field;
    if (field) this.wait(field, TRAINED_PAUSE);
    this.draw();
  }

  /** Trains what is typed, or to another size, on the page. What comes within a frame is one change. */
  draw(field) {
    this.field = field ?? this.field;
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = undefined;
      const { typing } = shared;
      if (!this.field) return typing.resize?.(typing.size());
      const isTrained = this.field.isConnected && typing.train?.(this.field.value);
      if (isTrained) this.wait(this.field, TRAINED_PAUSE);
      this.field = null;
    });
  }

  wait(field, pause) {
    clearTimeout(this.pause);
    shared.typing.hurry = () => this.send(field);
    this.pause = setTimeout(() => this.send(field), pause);
  }

  send(field) {
    clearTimeout(this.pause);
    shared.typing.hurry = null;
    const key = { key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true, bubbles: true, cancelable: true };
    if (field.isConnected) field.dispatchEvent(new KeyboardEvent("keydown", key));
    shared.typing.sent?.();
  }

  /** Before a link to another page is followed, Python is sent what was typed: Streamlit sends the click first, and
   *  what a field of the page that is left has after it, when nobody takes it any more. */
  leaving(event) {
    const link = event.target.closest?.("a[href]");
    if (!link || !shared.typing.hurry || link.target === "_blank" || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    shared.typing.hurry();
    setTimeout(() => link.click(), SENT);
  }

  isFile({ target, dataTransfer }) {
    return target.closest?.(STRIP) && dataTransfer?.items[0]?.kind === "file";
  }

  /** In the place of the text that is there, as if it was selected: Ctrl+Z brings that back. */
  pasted(event) {
    const text = event.clipboardData.getData("text/plain");
    const field = document.querySelector(`${STRIP} textarea`);
    if (!text.trim() || !field?.checkVisibility() || event.target.closest?.(TAKES_TEXT) || document.querySelector(IN_FRONT)) return;
    event.preventDefault();
    field.focus();
    field.select();
    document.execCommand("insertText", false, text);
  }

  /** The upload is in the popover of "Open a file". */
  dropped(event) {
    event.preventDefault();
    const { files } = event.dataTransfer;
    const take = () => {
      const input = document.querySelector('[class~="st-key-upload"] input[type=file]');
      if (!input) return false;
      input.files = files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
      return true;
    };
    if (take()) return;
    const watch = new MutationObserver(() => take() && watch.disconnect());
    watch.observe(document.body, { childList: true, subtree: true });
    document.querySelector('[class~="st-key-strip_file"] button')?.click();
  }
}
