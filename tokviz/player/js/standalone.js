// A page of its own: the runs are in it, and there is no server. Its address keeps the step.

import { Curves } from "./curves.js";
import { button } from "./dom.js";
import { _ } from "./i18n.js";
import { Player } from "./player.js";
import { readBundle } from "./runs.js";
import { shared } from "./shared.js";
import { ALIGNMENTS } from "./transport.js";

/** What the page's data holds: base64 of gzip. */
async function unpacked(text) {
  const packed = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

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
  const data = await unpacked(document.getElementById("tokviz-runs").textContent);
  const { head, runs } = readBundle(data);
  const named = momentOf(location.hash);
  if (named) Object.assign(head, { start: named.position, align: named.align });
  if (new URLSearchParams(location.hash.slice(1)).get("quiz") === "1") head.look.quiz = true;
  const player = new Player(runs, document.querySelector(".tv-player"), head);
  player.tell = writeMoment;
  player.curves = new Curves(player, document.querySelector(".tv-curves"));
  document.querySelector(".tv-page-head").append(themeButton(() => player.transport.drawMarks()));
  addEventListener("hashchange", () => {
    const moment = momentOf(location.hash);
    if (moment) player.goTo(moment);
  });
}

open().catch((error) => {
  const values = { error: error.message };
  document.querySelector(".tv-player").textContent = _("This page could not be opened ({error}). It needs a browser of 2024 or newer.", values);
  throw error;
});
