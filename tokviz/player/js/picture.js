// Small tools for pictures in SVG: shapes, a token's face as text, its width, and files of both kinds.

import { textNodes, visible } from "./dom.js";

const NS = "http://www.w3.org/2000/svg";
// What a picture's look is made of; a file of its own has no style sheet.
const LOOKS = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "stroke-opacity", "visibility", "direction", "font-family", "font-size", "font-weight", "text-anchor"];
const PIXELS = 2; // of a PNG for one on the screen
const MARGIN = 16; // around a picture in a file
const KEPT = 60_000; // ms for which a file can be read
let pen;

/** An SVG element with attributes and children; strings become text nodes. */
export function shape(tag, attributes = {}, ...children) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Makes a group of shapes a button. */
export function pressable(group, onpress) {
  group.setAttribute("role", "button");
  group.setAttribute("tabindex", 0);
  group.onclick = onpress;
  group.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    // The player has the same keys.
    event.preventDefault();
    event.stopPropagation();
    onpress();
  };
  return group;
}

/** The fonts and the unit of a picture: an element's, so that larger type makes a larger picture. */
export function fontsOf(element) {
  const style = getComputedStyle(element);
  const mono = style.getPropertyValue("--tv-mono") || "monospace";
  return { unit: parseFloat(getComputedStyle(document.documentElement).fontSize) / 16, mono, plain: style.fontFamily };
}

export const MOST_PRESENTED = 3; // rows of a table beside a picture, where nobody scrolls

/** How wide a text is, in pixels. */
export function widthOf(text, size, family) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `${size}px ${family}`;
  return pen.measureText(text).width;
}

/** A token as one string and as text for a picture: its markers and bytes apart. `parts` are
 *  ["text" | "marker" | "bytes", string]. */
export function faceOf(parts) {
  const spans = parts.flatMap(([kind, text]) => {
    if (kind !== "text") return [[kind === "bytes" ? "b" : "m", visible(text)]];
    return textNodes(text).map((node) => (typeof node === "string" ? ["", node] : ["m", node.textContent]));
  });
  return { spans, text: spans.map(([, text]) => text).join("") };
}

/** The text of a face at a place, `size` high. */
export function faceText({ spans }, x, y, size, kind = "") {
  const inside = spans.map(([mark, text]) => shape("tspan", mark ? { class: mark } : {}, text));
  return shape("text", { x, y, class: `face ${kind}`, "font-size": size }, ...inside);
}

/** The picture with its looks written into it, on its own background. */
function standalone(picture) {
  const copy = picture.cloneNode(true);
  const [from, to] = [picture, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of LOOKS) {
      const value = style.getPropertyValue(name);
      if (value) to[i].setAttribute(name, value);
    }
    for (const name of ["class", "style", "tabindex", "role", "aria-pressed"]) to[i].removeAttribute(name);
    if (element.localName !== "text") return;
    // The page's fonts are not in the file; other ones take the same room.
    to[i].setAttribute("textLength", element.getComputedTextLength().toFixed(1));
    to[i].setAttribute("lengthAdjust", "spacingAndGlyphs");
  });
  const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)) + 2 * MARGIN);
  const back = getComputedStyle(picture.closest(".tv-picture, .tv-curve") ?? picture).backgroundColor;
  copy.prepend(shape("rect", { x: -MARGIN, y: -MARGIN, width, height, fill: back }));
  const frame = { xmlns: NS, width, height, viewBox: `${-MARGIN} ${-MARGIN} ${width} ${height}` };
  for (const [name, value] of Object.entries(frame)) copy.setAttribute(name, value);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

/** Saves a picture as "svg" or "png" under a name without its ending. */
export async function savePicture(picture, name, kind) {
  const { text, width, height } = standalone(picture);
  const svg = new Blob([text], { type: "image/svg+xml" });
  saveFile(kind === "svg" ? svg : await toPng(svg, width, height), `${name}.${kind}`);
}

async function toPng(svg, width, height) {
  const address = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const page = document.createElement("canvas");
    [page.width, page.height] = [width * PIXELS, height * PIXELS];
    const brush = page.getContext("2d");
    brush.scale(PIXELS, PIXELS);
    brush.drawImage(image, 0, 0, width, height);
    return await new Promise((done) => page.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Saves what a blob holds as a file. */
export function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Safari first asks whether the page may save files, and reads this one only then.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}

/** A name for a file, from any text. */
export function fileName(text) {
  return text.replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "word";
}
