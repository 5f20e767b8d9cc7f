// The charts of the page as files, as they look now: with the cursor where the player stands.

import { make } from "./dom.js";
import { _ } from "./i18n.js";
import { fileName, savePicture } from "./picture.js";

export default function mount({ parentElement }) {
  const root = parentElement.querySelector(".tv-share");
  const charts = [...document.querySelectorAll(".stVegaLiteChart")].filter((chart) => chart.querySelector("svg.marks"));
  root.replaceChildren(...charts.flatMap((chart) => {
    const name = titleOf(chart.getAttribute("aria-label") ?? _("Chart"));
    return ["svg", "png"].map((kind) => {
      const element = make("button", { type: "button" }, `${name}.${kind}`);
      element.onclick = () => savePicture(chart.querySelector("svg.marks"), fileName(`tokviz ${name}`), kind);
      return element;
    });
  }));
}

/** The title of a chart, out of what describes it. */
function titleOf(described) {
  const [before, after] = _("{title}, with a cursor where the scrubber stands.", { title: "\n" }).split("\n");
  const fits = described.startsWith(before) && described.endsWith(after);
  return fits ? described.slice(before.length, described.length - after.length) : described;
}
