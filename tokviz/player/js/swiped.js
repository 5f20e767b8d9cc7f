// Parts that a phone shows side by side, one at a time: they are swiped, or chosen by a row of buttons with their
// names. On wider screens all are seen, and the buttons are not.

import { make } from "./dom.js";
import { _ } from "./i18n.js";

/** The buttons for some `parts` of an element that scrolls sideways, [element, name]. The last one, where a page
 *  `hasSettings`, is for the set-up of the page, which a phone shows in place of the parts (strip.css). */
export function swiped(scroller, parts, label, hasSettings = false) {
  const { dataset } = document.documentElement;
  const elements = parts.map(([element]) => element);
  const buttonOf = (name, onclick) => {
    const element = make("button", { type: "button" }, name);
    element.onclick = onclick;
    return element;
  };
  const open = (tab) => {
    if (hasSettings) dataset.tab = tab;
    mark();
  };
  const buttons = parts.map(([element, name]) => {
    return buttonOf(name, () => {
      open("");
      scroller.scrollIntoView({ block: "nearest" });
      scroller.scrollTo({ left: element.offsetLeft - elements[0].offsetLeft });
    });
  });
  const settings = buttonOf(_("Settings"), () => {
    open("settings");
    document.querySelector(".st-key-strip")?.scrollIntoView({ block: "nearest" });
  });
  const inSight = new Set([elements[0]]);
  let last = 0;
  const mark = () => {
    const at = elements.findIndex((part) => inSight.has(part));
    // Half way between two parts, none is in sight.
    if (at >= 0) last = at;
    const opened = dataset.tab === "settings";
    buttons.forEach((element, i) => element.setAttribute("aria-current", !opened && i === last));
    settings.setAttribute("aria-current", opened);
  };
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) inSight[isIntersecting ? "add" : "delete"](target);
    mark();
  }, { root: scroller, threshold: 0.6 });
  for (const part of elements) seen.observe(part);
  open(dataset.tab ?? "");
  return make("div", { class: "tv-swiped", role: "group", "aria-label": label }, ...buttons, ...(hasSettings ? [settings] : []));
}
