// The charts of the page as files, as they look now: with the cursor where the player stands.

import { make } from "./dom.js";
import { fileName, savePicture } from "./picture.js";

export default function mount({ parentElement }) {
  const root = parentElement.querySelector(".tv-share");
  const charts = [...document.querySelectorAll(".stVegaLiteChart")].filter((chart) => chart.querySelector("svg.marks"));
  root.replaceChildren(...charts.flatMap((chart) => {
    const [name] = (chart.getAttribute("aria-label") ?? "Chart").split(", with a cursor");
    return ["svg", "png"].map((kind) => {
      const element = make("button", { type: "button" }, `${name}.${kind}`);
      element.onclick = () => savePicture(chart.querySelector("svg.marks"), fileName(`tokviz ${name}`), kind);
      return element;
    });
  }));
}
