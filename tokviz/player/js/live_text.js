// Has what is typed into the text area of the set-up trained: on the page at once, where live_training.js can,
// and by Python after a pause, as if Ctrl+Enter was pressed there: caret and undo stay the browser's. A file
// that is dropped on it is opened.

import { watchPanel } from "./panel_focus.js";
import { shared } from "./shared.js";

const PAUSE = 150; // ms without a key until Python hears of it
const TRAINED_PAUSE = 600; // the same where the page trained it already
const STRIP = '[class~="st-key-strip"]';

export default function mount() {
  shared.liveText ??= new LiveText();
}

class LiveText {
  constructor() {
    watchPanel();
    shared.typing.text = () => document.querySelector(`${STRIP} textarea`)?.value ?? null;
    addEventListener("input", ({ target }) => target.matches?.(`${STRIP} textarea`) && this.later(target));
    addEventListener("dragover", (event) => this.isFile(event) && event.preventDefault());
    addEventListener("drop", (event) => this.isFile(event) && this.dropped(event));
  }

  later(field) {
    this.wait(field, PAUSE);
    // Keys that come within a frame are one change.
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = undefined;
      if (field.isConnected && shared.typing.train?.(field.value)) this.wait(field, TRAINED_PAUSE);
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

  isFile({ target, dataTransfer }) {
    return target.closest?.(STRIP) && dataTransfer?.items[0]?.kind === "file";
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
