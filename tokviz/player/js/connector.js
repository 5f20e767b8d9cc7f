// The line from the row of the candidates that wins to the places of its pair: down the gap between the
// panels and below each line of text, never across letters.

import { REST } from "./lines.js";
import { shared } from "./shared.js";

const SETTLED = 450; // ms after a step that is seen as a motion
const STEADY = 2; // steps/s up to which there is time to see it while playing

/** The line as the data of an SVG path: from the point `row` to the column `gap`, from there to the arrows
 *  below each of the `places`, { left, arrow }, past `letters`, rectangles. A line of text that leaves no
 *  room below it has none. */
export function lineTo(row, gap, places, letters) {
  const lines = [];
  for (const place of places) {
    const line = lines.find(({ arrow }) => Math.abs(arrow - place.arrow) < 2);
    if (!line) lines.push({ arrow: place.arrow, lefts: [place.left] });
    else line.lefts.push(place.left);
  }
  const drawn = [];
  for (const { arrow, lefts } of lines) {
    const left = Math.min(...lefts);
    const touched = (y) => letters.filter((box) => box.right > left && box.left < gap && box.top < y + 1 && box.bottom > y - 1);
    const y = Math.max(arrow, ...touched(arrow).map(({ bottom }) => bottom + 2));
    if (touched(y).length) continue;
    drawn.push({ y, path: `M${gap} ${y}H${left}${y > arrow ? lefts.map((x) => `M${x} ${arrow}V${y}`).join("") : ""}` });
  }
  if (!drawn.length) return "";
  const ends = [row.y, ...drawn.map(({ y }) => y)];
  return `M${row.x} ${row.y}H${gap}M${gap} ${Math.min(...ends)}V${Math.max(...ends)}${drawn.map(({ path }) => path).join("")}`;
}

export class Connector {
  /** For a single lane; for more of them there is no line. */
  constructor(player) {
    this.player = player;
    const [lane, ...others] = player.lanes;
    if (others.length) return;
    this.lane = lane;
    const drawing = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
    [this.svg, this.path, this.dot] = ["svg", "path", "circle"].map(drawing);
    this.svg.append(this.path, this.dot);
    for (const [name, value] of [["class", "tv-connector"], ["aria-hidden", "true"]]) this.svg.setAttribute(name, value);
    lane.panels.append(this.svg);
    lane.panels.addEventListener("scroll", () => this.later(), { capture: true, passive: true });
    this.resized = new ResizeObserver(() => this.later());
    for (const element of [lane.corpus.element, lane.corpus.body, lane.table.element]) this.resized.observe(element);
  }

  stop() {
    clearTimeout(this.resting);
    cancelAnimationFrame(this.frame);
    this.resized?.disconnect();
  }

  /** Takes the line away, and draws it again at rest. */
  later(moving = false) {
    if (!this.lane) return;
    clearTimeout(this.resting);
    cancelAnimationFrame(this.frame);
    this.draw("");
    if (this.player.playing.on && shared.chosen.speed > STEADY) return;
    this.resting = setTimeout(() => {
      this.frame = requestAnimationFrame(() => this.draw(this.found()));
    }, moving ? SETTLED : REST);
  }

  draw(line) {
    if (this.line === line) return;
    this.line = line;
    this.path.setAttribute("d", line);
    this.dot.setAttribute("r", line ? 3.5 : 0);
  }

  /** The line to what is in sight now; "" if there is none. */
  found() {
    const { corpus, table, panels } = this.lane;
    const row = table.table.querySelector("tr.chosen");
    const pairs = corpus.near().flatMap((word) => [...word.querySelectorAll(".tv-pair")]);
    if (!row || !pairs.length) return "";
    const [origin, text, beside, place] = [panels, corpus.element, table.element, row].map((e) => e.getBoundingClientRect());
    const at = { x: place.left - 1, y: place.top + place.height / 2 };
    // Panels one below the other have no gap; a row may be scrolled away, or have something above it.
    if (beside.left - text.right < 8 || document.elementFromPoint(at.x + 4, at.y)?.closest("tr") !== row) return "";
    const boxes = (elements) => elements.map((e) => e.getBoundingClientRect());
    const inSight = ({ top, bottom }) => top > text.top && bottom < text.bottom;
    // In coordinates of the picture, which lies over both panels.
    const here = (box) => ({ left: box.left - origin.left, right: box.right - origin.left, top: box.top - origin.top, bottom: box.bottom - origin.top });
    const places = boxes(pairs).map((box, i) => ({ box, chip: pairs[i].firstChild.getBoundingClientRect() })).filter(({ box }) => inSight(box));
    const letters = corpus.near().flatMap((word) => [...word.querySelectorAll(".chip, .tv-stack")]);
    this.dot.setAttribute("cx", at.x - origin.left);
    this.dot.setAttribute("cy", at.y - origin.top);
    return lineTo(
      { x: at.x - origin.left, y: at.y - origin.top }, (text.right + beside.left) / 2 - origin.left,
      places.map(({ box, chip }) => ({ left: box.left - origin.left, arrow: (box.bottom + chip.bottom) / 2 - origin.top })), boxes(letters).map(here),
    );
  }
}
