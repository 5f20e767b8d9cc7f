// What scrolls, as the back row sees it. Knows no page.

/** Who presents sees whole rows of what scrolls in a `box`, as many as there is room for: its `content` ends with
 *  the last one of the `rows` that is whole. */
export function showWhole(box, content, rows) {
  const bottom = box.getBoundingClientRect().top + box.clientTop + box.clientHeight;
  const presented = document.documentElement.classList.contains("tv-present");
  const cut = presented && rows.map((row) => row.getBoundingClientRect()).find((row) => row.bottom > bottom + 1 && row.top < bottom);
  const clip = cut ? `inset(-9px -9px ${content.getBoundingClientRect().bottom - cut.top}px)` : "";
  if (content.style.clipPath !== clip) content.style.clipPath = clip;
}
