// The menu of pages, which narrow screens have behind a button. Streamlit closes it by one other button only, and leaves
// it open over the page that was chosen in it: here it closes by each choice, by a press beside it and by Escape, and the
// focus goes along.

const OPEN = '[data-testid="stSidebar"][data-collapsed="false"]';
const OPENS = '[data-testid="stExpandSidebarButton"]';
const CLOSES = '[data-testid="stSidebarCollapseButton"] button';
const PAGE = '[aria-current="page"]';
const FRAMES = 60; // in which Streamlit has drawn a button that is new

export function watchMenu() {
  const close = () => document.querySelector(`${OPEN} ${CLOSES}`)?.click();
  addEventListener("click", ({ target }) => {
    if (target.closest?.(OPENS)) focusWhenDrawn(`${OPEN} ${PAGE}`);
    else if (target.closest?.(CLOSES)) focusWhenDrawn(OPENS);
    else if (!target.closest?.(OPEN) || target.closest("a")) close();
  }, true);
  // Before the player hears of it.
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !document.querySelector(OPEN)) return;
    event.stopPropagation();
    close();
  }, true);
}

/** Focuses a part of the page once it is there: what had the focus goes, and takes it along. */
function focusWhenDrawn(part, frames = FRAMES) {
  const found = document.querySelector(part);
  if (found) found.focus();
  else if (frames) requestAnimationFrame(() => focusWhenDrawn(part, frames - 1));
}
