// Parts that a phone shows side by side, one at a time: they are swiped, or chosen by a row of buttons with their
// names. On wider screens all are seen, and the buttons are not.

import { make } from "./dom.js";

/** The buttons for the children of an element that scrolls sideways. */
export function swiped(scroller, names, label) {
  const buttons = names.map((name, i) => {
    const element = make("button", { type: "button", "aria-current": i === 0 }, name);
    element.onclick = () => scroller.scrollTo({ left: scroller.children[i].offsetLeft - scroller.children[0].offsetLeft });
    return element;
  });
  const inSight = new Set();
  const mark = (entries) => {
    for (const { target, isIntersecting } of entries) inSight[isIntersecting ? "add" : "delete"](target);
    const at = [...scroller.children].findIndex((part) => inSight.has(part));
    // Half way between two parts, none is in sight.
    if (at >= 0) buttons.forEach((element, i) => element.setAttribute("aria-current", i === at));
  };
  const seen = new IntersectionObserver(mark, { root: scroller, threshold: 0.6 });
  for (const part of scroller.children) seen.observe(part);
  return make("div", { class: "tv-swiped", role: "group", "aria-label": label }, ...buttons);
}
