// Sends what is typed into the text area of the set-up to Python after each pause, as if Ctrl+Enter was
// pressed there: caret and undo stay the browser's. A file that is dropped on it is opened.

import { watchPanel } from "./panel_focus.js";
import { shared } from "./shared.js";

const PAUSE = 150; // ms without a key
const STRIP = '[class~="st-key-strip"]';

export default function mount() {
  shared.liveText ??= new LiveText();
}

class LiveText {
  constructor() {
    watchPanel();
    addEventListener("input", ({ target }) => target.matches?.(`${STRIP} textarea`) && this.later(target));
    addEventListener("dragover", (event) => this.isFile(event) && event.preventDefault());
    addEventListener("drop", (event) => this.isFile(event) && this.dropped(event));
  }

  later(field) {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.send(field), PAUSE);
  }

  send(field) {
    const key = { key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true, bubbles: true, cancelable: true };
    if (field.isConnected) field.dispatchEvent(new KeyboardEvent("keydown", key));
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
