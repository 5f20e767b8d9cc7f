// A page of its own: the runs are in it, and there is no server. Its address keeps the step.

import { button, make } from "./dom.js";
import { unzipped } from "./gzip.js";
import { _ } from "./i18n.js";
import { OwnText } from "./own_text.js";
import { Place } from "./place.js";
import { readBundle } from "./runs.js";
import { shared } from "./shared.js";
import { ALIGNMENTS } from "./transport.js";

/** The moment that the address names, `#step=17&align=size`; undefined if it names none. With
 *  `quiz=1` it asks for what comes. */
function momentOf(hash) {
  const asked = new URLSearchParams(hash.slice(1));
  const position = Number.parseInt(asked.get("step"), 10);
  const align = Object.hasOwn(ALIGNMENTS, asked.get("align")) ? asked.get("align") : "step";
  return Number.isNaN(position) ? undefined : { align, position };
}

function writeMoment({ align, position }) {
  const by = (align === "step" ? "" : `&align=${align}`) + (shared.chosen.quiz ? "&quiz=1" : "");
  try {
    history.replaceState(null, "", `#step=${position}${by}`);
  } catch {
    // A frame without an address of its own has none to keep.
  }
}

/** Light or dark as the system has it, until somebody wants it otherwise. */
function themeButton(onchange) {
  const { style } = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (style.colorScheme ? style.colorScheme === "dark" : system.matches);
  const changed = () => {
    toggle.draw("theme", isDark() ? _("Light theme") : _("Dark theme"));
    onchange();
  };
  const toggle = button(_("Dark theme"), "theme", () => {
    style.colorScheme = isDark() ? "light" : "dark";
    changed();
  });
  system.addEventListener("change", changed);
  toggle.draw("theme", isDark() ? _("Light theme") : _("Dark theme"));
  return toggle;
}

async function open() {
  document.documentElement.classList.toggle("tv-framed", window !== window.top);
  const data = await unzipped(document.getElementById("tokviz-runs").textContent).arrayBuffer();
  const { head, runs } = readBundle(data);
  const named = momentOf(location.hash);
  if (named) Object.assign(head, { start: named.position, align: named.align });
  if (new URLSearchParams(location.hash.slice(1)).get("quiz") === "1") head.look.quiz = true;
  const place = new Place(document.querySelector("main"));
  place.show(runs, { ...head, curves: true });
  place.player.tell = writeMoment;
  const pageHead = document.querySelector(".tv-page-head");
  if (head.own) pageHead.append(ownButton(place, head.own));
  pageHead.append(themeButton(() => place.player.transport.drawMarks()));
  addEventListener("hashchange", () => {
    const moment = momentOf(location.hash);
    if (moment) place.player.moving.goTo(moment);
  });
}

/** Opens and closes the fields of a text of one's own. */
function ownButton(place, own) {
  const toggle = make("button", { type: "button", class: "tv-own-open", "aria-expanded": "false" }, _("Your own text"));
  let fields;
  toggle.onclick = () => {
    if (!fields) {
      fields = new OwnText(place, own);
      document.querySelector("main").prepend(fields.element);
    } else fields.element.hidden = !fields.element.hidden;
    toggle.setAttribute("aria-expanded", !fields.element.hidden);
    if (!fields.element.hidden) fields.text?.focus();
  };
  if (new URLSearchParams(location.hash.slice(1)).has("own")) setTimeout(() => toggle.click());
  return toggle;
}

open().catch((error) => {
  const values = { error: error.message };
  document.querySelector(".tv-player").textContent = _("This page could not be opened ({error}). It needs a browser of 2024 or newer.", values);
  throw error;
});
