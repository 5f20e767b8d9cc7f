// Panels by keyboard. Escape closes the one of settings, and once it is closed, the focus is on the button that
// opened it, or on another one if its lane is removed. A popover has the focus when a key has opened it; it
// closes when an algorithm was chosen, and its button has the focus again.

const PLACES = '[class~="st-key-panel"], [class~="st-key-strip"]';
const GOING = '[class*="st-key-close_"], [class*="st-key-remove_"], [class*="st-key-unbranch_"]';
const OPEN = '[class*="st-key-close_"] button';
const ALGORITHMS = '[class*="st-key-more_"]';
const POPOVER = '[data-testid="stPopoverBody"]';
const CLOSED_POPOVER = '[data-testid="stPopoverButton"][aria-expanded="false"]';

export function watchPanel() {
  // Before the player hears of it. Escape belongs to an open list first.
  const close = ({ key, target }) => {
    if (key === "Escape" && target.closest(PLACES) && !document.querySelector("[role=listbox]"))
      document.querySelector(OPEN)?.click();
  };
  addEventListener("keydown", close, true);
  addEventListener("click", ({ target }) => {
    const key = target.closest?.(GOING)?.className.match(/st-key-(close|remove|unbranch)_(\d+)/);
    // A lane that is removed takes its button along.
    if (key) focusOn(...(key[1] === "close" ? [`settings_${key[2]}`] : ["add", "settings_0"]));
    // Not by Python: where the choice comes before Python has drawn it as open, it has nothing to close.
    if (target.closest?.(ALGORITHMS)) focusOn("strip_more")?.click();
  });
  // Before Streamlit opens it. A click by key has no count.
  const opened = ({ target, detail }) => detail === 0 && target.closest?.(CLOSED_POPOVER) && enterPopover();
  addEventListener("click", opened, true);
}

/** A popover stands at the end of the page, where Tab would not lead from its button. */
function enterPopover() {
  const watch = new MutationObserver(() => {
    const first = [...document.querySelectorAll(`${POPOVER} :is(button, input:not([type=file]))`)].find((field) => field.offsetParent);
    if (!first) return;
    watch.disconnect();
    first.focus({ preventScroll: true });
  });
  watch.observe(document.body, { childList: true, subtree: true });
}

/** Focuses the first of some buttons that can be, and returns it. Streamlit draws a button with a tooltip twice, and
    hides one. */
function focusOn(...keys) {
  const buttons = keys.flatMap((key) => [...document.querySelectorAll(`[class~="st-key-${key}"] button`)]);
  const button = buttons.find((one) => one.offsetParent && !one.disabled);
  button?.focus();
  return button;
}
