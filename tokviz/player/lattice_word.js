// A word as Unigram sees it: its lattice, what else is possible, and what it becomes without a piece.

import { ArcsPicture } from "./arcs.js";
import { make, visible } from "./dom.js";
import { number } from "./i18n.js";

export class LatticeWord {
  constructor(lens) {
    this.lens = lens;
  }

  draw() {
    const frame = this.lens.answer.frames[this.lens.t];
    if (!frame) {
      this.lens.root.setAttribute("data-waiting", "");
      this.lens.saving.hidden = true;
      this.lens.said.textContent = "The lattice of this step comes when the scrubber rests.";
      this.lens.side.replaceChildren();
      this.lens.alternative.lastChild.replaceChildren();
      return;
    }
    if (this.lens.made?.frame !== frame) {
      if (this.lens.made) this.lens.chosen = null;
      const { text } = this.lens.answer;
      this.lens.show((fonts, room) => new ArcsPicture(frame, text, this.lens.table, fonts, this.lens.rtl, room, (i) => this.chooseEdge(i)));
    }
    const removal = this.lens.answer.removal?.state === this.lens.t ? this.lens.answer.removal : undefined;
    this.lens.made.draw(this.lens.chosen, removal);
    const best = frame.ways[0];
    const about = best ? best.edges.map((i) => this.name(frame, i)).join(" ") : "no segmentation";
    this.lens.made.element.setAttribute("aria-label", visible(`Lattice of “${this.lens.answer.word}” in state ${number(this.lens.t)}. Best path: ${about}`));
    this.lens.said.replaceChildren(...this.sentence(frame, removal));
    this.drawEdge(frame, removal);
    this.lens.alternative.lastChild.replaceChildren(this.text(frame));
  }

  name(frame, i) {
    return this.lens.table.string(frame.edges[i].face);
  }

  way(frame, edges) {
    return this.lens.chips(edges.map((i) => frame.edges[i].face));
  }

  sentence(frame, removal) {
    if (!frame.ways.length) return ["The tokens of this state cannot spell this word."];
    if (removal) {
      const back = make("button", { type: "button", class: "tv-wide" }, "Put it back");
      back.onclick = () => this.remove([]);
      const without = ["Without ", this.lens.chip(frame.edges[removal.edges[0]].face), ": "];
      if (!removal.after) return [...without, "the word cannot be cut; training keeps every character for that. ", back];
      return [
        ...without, this.way(frame, removal.after), ` with a loss of ${removal.loss} for the word`,
        ...(removal.corpus ? [`, ${removal.corpus} for the corpus`] : []), ". ", back,
      ];
    }
    const ways = `${frame.segmentations} ${frame.segmentations === "1" ? "segmentation" : "segmentations"}; the best: `;
    const said = [ways, this.way(frame, frame.ways[0].edges), "."];
    const tied = frame.ways.filter((way) => way.tied).length - 1;
    if (tied > 0) {
      said.push(make("b", {}, ` ${number(tied)} ${tied === 1 ? "other is" : "others are"} exactly as probable`), "; Viterbi takes the one whose last piece starts earliest.");
    }
    return said;
  }

  chooseEdge(i) {
    this.lens.chosen = this.lens.chosen === i ? null : i;
    this.draw();
  }

  drawEdge(frame, removal) {
    const parts = [];
    if (this.lens.chosen !== null) {
      const { face, log_prob_exact, share, start, end } = frame.edges[this.lens.chosen];
      const facts = [
        ["log-probability", log_prob_exact], ["posterior", `${share} of all segmentations' weight`],
        ["characters", `[${number(start)}, ${number(end)})`],
      ];
      const rows = facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
      const remove = make("button", { type: "button", class: "tv-wide" }, "Remove this piece");
      remove.onclick = () => this.remove([this.lens.chosen]);
      const gone = removal?.edges.includes(this.lens.chosen);
      parts.push(make("h3", {}, this.lens.chip(face)), make("dl", {}, ...rows), ...(gone ? [] : [remove]));
    } else parts.push(make("p", { class: "tv-note" }, "Choose an arc to see its numbers, or to take the piece out."));
    const all = removal ? "Most probable segmentations, with every piece" : "Most probable segmentations";
    parts.push(make("h3", {}, all), this.waysTable(frame));
    parts.push(make("p", { class: "tv-note" }, `Entropy over all ${frame.segmentations}: ${frame.entropy} bits.`));
    this.lens.side.replaceChildren(...parts);
  }

  /** Takes edges out of the lattice, or none; what is pressed next stands in the same place. */
  remove(removed) {
    this.lens.picture.focus({ preventScroll: true });
    this.lens.ask({ typed: this.lens.answer.typed, form: this.lens.answer.word, state: this.lens.t, removed });
  }

  waysTable(frame) {
    const tie = frame.ways.filter((way) => way.tied).length > 1;
    const rows = frame.ways.map((way) => {
      const exact = way.exact ? [make("small", {}, way.exact)] : [];
      return make(
        "tr", tie && way.tied ? { class: "tied" } : {},
        make("td", {}, this.way(frame, way.edges), ...exact), make("td", { class: "n" }, way.probability), make("td", { class: "n" }, way.share),
      );
    });
    const heads = [["Pieces", ""], ["P", "The product of the pieces' probabilities."], ["Share", "P divided by the sum over all segmentations of the word."]];
    const head = heads.map(([name, title], k) => make("th", { scope: "col", class: k ? "n" : "", title }, name));
    return make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
  }

  text(frame) {
    const items = frame.edges.map((edge, i) => {
      const best = edge.best ? ", on the best path" : "";
      return make("li", {}, make("bdi", {}, this.name(frame, i)), `, characters [${number(edge.start)}, ${number(edge.end)}): log-probability ${edge.log_prob_exact}, posterior ${edge.share}${best}`);
    });
    return make("ul", {}, ...items);
  }
}
