// The panel of settings by keyboard: Escape closes it, and once it is closed, the focus is on the button that
// opened it.

const PLACES = '[class~="st-key-panel"], [class~="st-key-strip"]';
const OPEN = '[class*="st-key-close_"] button';

export function watchPanel() {
  // Before the player hears of it. Escape belongs to an open list first.
  const close = ({ key, target }) => {
    if (key === "Escape" && target.closest(PLACES) && !document.querySelector("[role=listbox]"))
      document.querySelector(OPEN)?.click();
  };
  addEventListener("keydown", close, true);
  addEventListener("click", ({ target }) => {
    const closed = target.closest?.(OPEN)?.closest('[class*="st-key-close_"]');
    const lane = closed?.className.match(/st-key-close_(\d+)/)[1];
    if (!lane) return;
    // Streamlit draws a button with a tooltip twice, and hides one of them.
    const buttons = [...document.querySelectorAll(`[class~="st-key-settings_${lane}"] button`)];
    buttons.find((button) => button.offsetParent)?.focus();
  });
}
