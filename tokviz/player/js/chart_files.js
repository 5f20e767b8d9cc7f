// The curves of the page as files, as they look now: with the cursor where the player stands.

import { make } from "./dom.js";
import { fileName, savePicture } from "./picture.js";

export default function mount({ parentElement }) {
  const root = parentElement.querySelector(".tv-share");
  const curves = [...document.querySelectorAll(".tv-curve")];
  root.replaceChildren(...curves.flatMap((curve) => {
    const name = curve.querySelector("figcaption").textContent;
    return ["svg", "png"].map((kind) => {
      const element = make("button", { type: "button" }, `${name}.${kind}`);
      element.onclick = () => savePicture(curve.querySelector("svg"), fileName(`tokviz ${name}`), kind);
      return element;
    });
  }));
}
