// The panel of settings by keyboard: Escape closes it, and once it is closed, the focus is on the button that
// opened it, or on another one if its lane is removed.

const PLACES = '[class~="st-key-panel"], [class~="st-key-strip"]';
const GOING = '[class*="st-key-close_"], [class*="st-key-remove_"]';
const OPEN = '[class*="st-key-close_"] button';

export function watchPanel() {
  // Before the player hears of it. Escape belongs to an open list first.
  const close = ({ key, target }) => {
    if (key === "Escape" && target.closest(PLACES) && !document.querySelector("[role=listbox]"))
      document.querySelector(OPEN)?.click();
  };
  addEventListener("keydown", close, true);
  addEventListener("click", ({ target }) => {
    const key = target.closest?.(GOING)?.className.match(/st-key-(close|remove)_(\d+)/);
    // A lane that is removed takes its button along.
    if (key) focusOn(...(key[1] === "close" ? [`settings_${key[2]}`] : ["add", "settings_0"]));
  });
}

/** Focuses the first of some buttons that can be. Streamlit draws a button with a tooltip twice, and hides one. */
function focusOn(...keys) {
  const buttons = keys.flatMap((key) => [...document.querySelectorAll(`[class~="st-key-${key}"] button`)]);
  buttons.find((button) => button.offsetParent && !button.disabled)?.focus();
}
