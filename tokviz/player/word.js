// The lens of a word: its merge tree or its lattice, following the player's scrubber, with what lost,
// what else is possible, and the picture as a file. Python says everything once for a word; every
// state of it is drawn here without asking again.

import { ArcsPicture } from "./arcs.js";
import { AnswerChips } from "./column.js";
import { button, direction, make, textNodes, visible } from "./dom.js";
import { fileName, fontsOf, savePicture } from "./picture.js";
import { readJson } from "./run.js";
import { number } from "./say.js";
import { TreePicture } from "./tree.js";

const MOST_TYPED = 200; // characters
const ZOOMS = [1.4, 1.2, 1, 0.86, 0.74]; // of a picture; the last is taken in any case
const TYPING = 250; // ms after the last key until a typed word is asked for
const views = new WeakMap();

export default function mount({ data, parentElement, setStateValue }) {
  const start = performance.now();
  const answer = readJson(data);
  let view = views.get(parentElement);
  if (!view) {
    view = new WordLens(parentElement.querySelector(".tv-inside"), answer);
    views.set(parentElement, view);
  }
  view.tell = (asked) => setStateValue("asked", asked);
  view.draw(answer);
  performance.measure("tokviz word", { start });
  return () => views.get(parentElement)?.stop();
}

/** Keys that scroll a part that is larger than its room do not move the player as well. */
function scrollKeys(event) {
  const part = event.currentTarget;
  if (event.target !== part) return;
  const [sideways, down] = [part.scrollWidth > part.clientWidth, part.scrollHeight > part.clientHeight];
  const keys = [...(sideways ? ["ArrowLeft", "ArrowRight"] : []), ...(down ? ["PageUp", "PageDown", "Home", "End", " "] : [])];
  if (keys.includes(event.key)) event.stopPropagation();
}

class WordLens {
  constructor(root, answer) {
    Object.assign(this, { root, serial: answer.serial, chosen: null });
    this.field = make("input", { type: "text", "aria-label": "Word", class: "tv-wordfield", maxlength: MOST_TYPED, spellcheck: "false", dir: "auto" });
    this.field.value = answer.typed;
    this.field.oninput = () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.ask({ typed: this.field.value }), TYPING);
    };
    this.forms = make("span", { class: "tv-tries", role: "group", "aria-label": "The word as it stands in a text" });
    this.count = make("span", { class: "tv-note" });
    const step = (by) => () => document.dispatchEvent(new CustomEvent("tokviz-go", { detail: { by } }));
    this.where = make("span", { class: "tv-where" });
    const saving = ["svg", "png"].map((kind) => {
      const element = make("button", { type: "button", class: "tv-wide" }, kind.toUpperCase());
      element.title = `Save the picture as ${kind.toUpperCase()}`;
      element.setAttribute("aria-label", element.title);
      element.onclick = () => this.save(kind);
      return element;
    });
    this.saving = make("span", { class: "tv-buttons" }, ...saving);
    this.title = make("h2");
    this.picture = make("div", { class: "tv-picture", tabindex: 0, role: "group", "aria-label": "Picture of the word" });
    this.said = make("p", { class: "tv-told", role: "status" });
    this.side = make("div", { class: "tv-side", role: "group", "aria-label": "About the picture", tabindex: 0 });
    this.alternative = make("details", { class: "tv-astext" }, make("summary", {}, "The picture as text"), make("div", { tabindex: 0 }));
    root.replaceChildren(
      make(
        "div", { class: "tv-inside-head" },
        make("label", {}, make("span", { class: "tv-note" }, "Word "), this.field), this.forms, this.count,
        make("span", { class: "tv-follow" }, button("Previous step of the training", "previous", step(-1)), this.where, button("Next step of the training", "next", step(1))),
        this.saving,
      ),
      make("div", { class: "tv-inside-body" }, make("div", { class: "tv-drawn" }, this.title, this.picture, this.said), this.side),
      this.alternative,
    );
    for (const scrolling of [this.picture, this.side, this.alternative.lastChild]) scrolling.onkeydown = scrollKeys;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", "Inside a word");
    this.stepped = ({ detail }) => this.follow(detail);
    this.clicked = ({ detail }) => this.take(detail);
    document.addEventListener("tokviz-step", this.stepped);
    document.addEventListener("tokviz-word", this.clicked);
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.picture);
  }

  stop() {
    clearTimeout(this.typing);
    cancelAnimationFrame(this.coming);
    document.removeEventListener("tokviz-step", this.stepped);
    document.removeEventListener("tokviz-word", this.clicked);
    this.observer.disconnect();
  }

  ask(asked) {
    this.serial++;
    this.tell({ serial: this.serial, ...asked });
  }

  /** A word that was clicked in the player. */
  take({ lane, number }) {
    this.chosen = null;
    this.ask({ lane, number });
  }

  draw(answer) {
    const same = this.answer?.word === answer.word && this.answer.kind === answer.kind && this.answer.algorithm === answer.algorithm;
    this.answer = answer;
    this.serial = Math.max(this.serial, answer.serial);
    if (document.activeElement !== this.field) this.field.value = answer.typed;
    if (!same) this.chosen = null;
    this.table = new AnswerChips({ table: answer.table ?? [], unit: answer.unit });
    this.rtl = direction(answer.word) === "rtl";
    this.drawForms();
    const now = window.tokvizMoment?.states?.[answer.lane];
    this.t = Math.min(now ?? answer.state, answer.last);
    this.made = null;
    this.drawState();
    if (!window.tokvizLooked) return;
    // Whoever opened the lens from the player goes on here.
    window.tokvizLooked = false;
    this.field.focus({ preventScroll: true });
  }

  drawForms() {
    const { forms, word, count, typed } = this.answer;
    this.forms.replaceChildren(...(forms.length > 1 ? forms : []).map(([form, times]) => {
      const element = make("button", { type: "button", class: "tv-try", "aria-pressed": form === word }, make("bdi", {}, ...textNodes(form)), make("small", {}, ` ${number(times)}×`));
      element.onclick = () => this.ask({ typed, form });
      return element;
    }));
    this.count.textContent = !word ? "" : count ? `${number(count)}× in the corpus` : "not in the corpus: cut as a new word";
  }

  /** The scrubber moved. */
  follow({ states }) {
    const t = states[this.answer.lane];
    if (t === undefined || t === this.t || t > this.answer.last) return;
    this.t = t;
    // However many moves there are, a frame needs one picture.
    this.coming ??= requestAnimationFrame(() => {
      this.coming = undefined;
      this.drawState();
    });
  }

  resized() {
    const { unit } = fontsOf(this.picture);
    const width = this.picture.clientWidth;
    if (!this.made || (this.width === width && this.unit === unit)) return;
    this.made = null;
    this.drawState();
  }

  // --- the picture ----------------------------------------------------------------------------

  drawState() {
    const { kind, note, noun, last, word } = this.answer;
    this.root.dataset.state = this.t;
    this.root.dataset.kind = kind;
    this.where.textContent = `${noun} ${number(this.t)} of ${number(last)}`;
    this.saving.hidden = this.alternative.hidden = kind === "none";
    this.title.replaceChildren(...(word ? ["“", make("bdi", {}, ...textNodes(word)), "”"] : ["A word"]));
    if (kind === "none") {
      this.picture.replaceChildren(make("p", { class: "tv-note" }, note));
      this.said.textContent = "";
      this.side.replaceChildren();
    } else if (kind === "merges") this.drawTree();
    else this.drawLattice();
  }

  room() {
    return { width: this.picture.clientWidth, height: this.picture.clientHeight };
  }

  /** Makes the picture, as large as there is room for it. */
  show(make) {
    const [fonts, room] = [fontsOf(this.picture), this.room()];
    Object.assign(this, { width: room.width, unit: fonts.unit });
    for (const zoom of ZOOMS) {
      this.made = make({ ...fonts, unit: fonts.unit * zoom }, room);
      if (this.made.width <= room.width && this.made.height <= room.height) break;
    }
    this.made.build();
    this.picture.replaceChildren(this.made.element);
  }

  chip(i) {
    return this.table.chip(i);
  }

  chips(faces) {
    return make("span", { class: "tv-word", dir: this.rtl ? "rtl" : "ltr" }, ...faces.map((face) => this.chip(face)));
  }

  save(kind) {
    const name = `tokviz-${fileName(this.answer.word)}-${this.answer.noun}-${this.t}`;
    savePicture(this.made.element, name, kind);
  }

  // --- merges ---------------------------------------------------------------------------------

  drawTree() {
    const { nodes } = this.answer;
    if (!this.made) {
      this.show((fonts, room) => new TreePicture(this.answer, this.table, fonts, this.rtl, room, (i) => this.chooseNode(i)));
    }
    const tree = this.made;
    tree.draw(this.t, this.chosen);
    const tokens = tree.tokens(this.t);
    const faces = tokens.map((i) => tree.faces[i].text);
    const about = `Merge tree of “${this.answer.word}” after ${number(this.t)} merges: ${faces.join(" ")}`;
    tree.element.setAttribute("aria-label", visible(about));
    this.said.replaceChildren(...this.treeSaid(tree, tokens));
    this.drawNode();
    this.alternative.lastChild.replaceChildren(this.treeText(tree, tokens));
    if (nodes.length && this.chosen === null) this.reveal(tree, tokens);
  }

  /** Scrolls a large picture to what the step made. */
  reveal(tree, tokens) {
    const made = tokens.find((i) => this.answer.nodes[i].step === this.t - 1);
    if (made === undefined || tree.width <= this.picture.clientWidth) return;
    this.picture.scrollLeft = tree.middle(made) - this.picture.clientWidth / 2;
  }

  treeSaid(tree, tokens) {
    const n = tokens.length;
    const unknown = tokens.filter((i) => this.table.table[this.answer.nodes[i].face][2]).length;
    const kinds = unknown ? ` (${unknown === n ? "none of them" : `${number(unknown)} not`} in the alphabet)` : "";
    const said = [`${number(n)} ${n === 1 ? "token" : "tokens"} by training${kinds}: `, this.chips(tokens.map((i) => this.answer.nodes[i].face))];
    const match = tree.match(this.t);
    if (!match) return said;
    said.push(". Encoding, longest match first: ", this.chips(match.tokens.map(([face]) => face)));
    const parts = tree.parts(this.t);
    if (parts === undefined) return [...said, ", the same."];
    if (match.unknown) return [...said, ", for some part of the word is in no token that may stand there."];
    return [...said, `. They part at character ${number(parts + 1)}.`];
  }

  chooseNode(i) {
    this.chosen = this.chosen === i ? null : i;
    this.drawTree();
  }

  /** The node that is told of: the chosen one, else what the last step made, else the latest. */
  toldNode() {
    const { nodes } = this.answer;
    if (this.chosen !== null) return this.chosen;
    const made = nodes.flatMap(({ step }, i) => (step !== null && step < this.t ? [i] : []));
    const latest = made.reduce((a, b) => (a === null || nodes[b].step > nodes[a].step ? b : a), null);
    if (latest !== null) return latest;
    const coming = nodes.flatMap(({ step }, i) => (step !== null ? [i] : []));
    return coming.reduce((a, b) => (a === null || nodes[b].step < nodes[a].step ? b : a), null);
  }

  drawNode() {
    const { nodes, noun } = this.answer;
    const i = this.toldNode();
    if (i === null) {
      this.side.replaceChildren(make("p", { class: "tv-note" }, "No step of this run joins anything in this word."));
      return;
    }
    const node = nodes[i];
    if (node.step === null) {
      this.side.replaceChildren(make("h3", {}, this.chip(node.face)), make("p", { class: "tv-note" }, this.table.table[node.face][2] ? "Not in the alphabet: the corpus has no such symbol, so no merge takes it." : "A symbol of the alphabet: training starts from it."));
      return;
    }
    const [left, right] = node.children.map((child) => nodes[child].face);
    const go = make("button", { type: "button", class: "tv-wide" }, `Go to ${noun} ${number(node.step + 1)}`);
    go.onclick = () => document.dispatchEvent(new CustomEvent("tokviz-go", { detail: { lane: this.answer.lane, state: node.step + 1 } }));
    const facts = [
      ["made by", `step ${number(node.step + 1)}${node.step < this.t ? "" : ", which is still to come"}`],
      ["from", this.chip(left), " + ", this.chip(right)],
      ["count then", `${number(node.count)}${node.score ? `, score ${node.score}` : ""}`],
      ["rank then", node.tied > 1 ? `1, tied with ${number(node.tied - 1)} other ${node.tied === 2 ? "pair" : "pairs"}` : "1, alone"],
    ];
    const rows = facts.map(([name, ...value]) => make("div", {}, make("dt", {}, name), make("dd", {}, ...value)));
    this.side.replaceChildren(
      make("h3", {}, this.chip(node.face)), make("dl", {}, ...rows), go,
      make("h3", {}, "What lost in this word"), ...this.lostTable(node),
    );
  }

  lostTable({ lost, lost_more, step }) {
    if (!lost.length) return [make("p", { class: "tv-note" }, "No other pair stood in the word.")];
    const rows = lost.map(([left, right, count, rank]) => make(
      "tr", {}, make("td", {}, this.chip(left), " + ", this.chip(right)), make("td", { class: "n" }, number(count)),
      make("td", { class: "n" }, rank === null ? "none" : number(rank)),
    ));
    const head = ["Pair", "Count", "Row"].map((name, k) => make("th", { scope: "col", class: k ? "n" : "", title: k === 2 ? `Its row in the score table from which step ${number(step + 1)} chose; none if it may not be merged.` : "" }, name));
    const more = lost_more ? [make("p", { class: "tv-note" }, `and ${number(lost_more)} more`)] : [];
    return [make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)), ...more];
  }

  treeText(tree, tokens) {
    const { nodes } = this.answer;
    const item = (i) => {
      const { step, count, children } = nodes[i];
      const made = step === null ? "" : `: step ${number(step + 1)}, count ${number(count)}`;
      const inside = children.length ? [make("ul", {}, ...children.map(item))] : [];
      return make("li", {}, make("bdi", {}, tree.faces[i].text), made, ...inside);
    };
    return make("ul", {}, ...tokens.map(item));
  }

  // --- Unigram --------------------------------------------------------------------------------

  drawLattice() {
    const frame = this.answer.frames[this.t];
    this.root.toggleAttribute("data-waiting", !frame);
    this.saving.hidden = !frame;
    if (!frame) {
      this.said.textContent = "The lattice of this step comes when the scrubber rests.";
      this.side.replaceChildren();
      this.alternative.lastChild.replaceChildren();
      return;
    }
    if (this.made?.frame !== frame) {
      if (this.made) this.chosen = null;
      const { text } = this.answer;
      this.show((fonts, room) => new ArcsPicture(frame, text, this.table, fonts, this.rtl, room, (i) => this.chooseEdge(i)));
    }
    const removal = this.answer.removal?.state === this.t ? this.answer.removal : undefined;
    this.made.draw(this.chosen, removal);
    const best = frame.ways[0];
    const about = best ? best.edges.map((i) => this.name(frame, i)).join(" ") : "no segmentation";
    this.made.element.setAttribute("aria-label", visible(`Lattice of “${this.answer.word}” in state ${number(this.t)}. Best path: ${about}`));
    this.said.replaceChildren(...this.latticeSaid(frame, removal));
    this.drawEdge(frame, removal);
    this.alternative.lastChild.replaceChildren(this.latticeText(frame));
  }

  name(frame, i) {
    return this.table.string(frame.edges[i].face);
  }

  way(frame, edges) {
    return this.chips(edges.map((i) => frame.edges[i].face));
  }

  latticeSaid(frame, removal) {
    if (!frame.ways.length) return ["The tokens of this state cannot spell this word."];
    if (removal) {
      const back = make("button", { type: "button", class: "tv-wide" }, "Put it back");
      back.onclick = () => this.remove([]);
      const without = ["Without ", this.chip(frame.edges[removal.edges[0]].face), ": "];
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
    this.chosen = this.chosen === i ? null : i;
    this.drawLattice();
  }

  drawEdge(frame, removal) {
    const parts = [];
    if (this.chosen !== null) {
      const { face, log_prob_exact, share, start, end } = frame.edges[this.chosen];
      const facts = [
        ["log-probability", log_prob_exact], ["posterior", `${share} of all segmentations' weight`],
        ["characters", `[${number(start)}, ${number(end)})`],
      ];
      const rows = facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
      const remove = make("button", { type: "button", class: "tv-wide" }, "Remove this piece");
      remove.onclick = () => this.remove([this.chosen]);
      const gone = removal?.edges.includes(this.chosen);
      parts.push(make("h3", {}, this.chip(face)), make("dl", {}, ...rows), ...(gone ? [] : [remove]));
    } else parts.push(make("p", { class: "tv-note" }, "Choose an arc to see its numbers, or to take the piece out."));
    const all = removal ? "Most probable segmentations, with every piece" : "Most probable segmentations";
    parts.push(make("h3", {}, all), this.waysTable(frame));
    parts.push(make("p", { class: "tv-note" }, `Entropy over all ${frame.segmentations}: ${frame.entropy} bits.`));
    this.side.replaceChildren(...parts);
  }

  /** Takes edges out of the lattice, or none; what is pressed next stands in the same place. */
  remove(removed) {
    this.picture.focus({ preventScroll: true });
    this.ask({ typed: this.answer.typed, form: this.answer.word, state: this.t, removed });
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

  latticeText(frame) {
    const items = frame.edges.map((edge, i) => {
      const best = edge.best ? ", on the best path" : "";
      return make("li", {}, make("bdi", {}, this.name(frame, i)), `, characters [${number(edge.start)}, ${number(edge.end)}): log-probability ${edge.log_prob_exact}, posterior ${edge.share}${best}`);
    });
    return make("ul", {}, ...items);
  }
}
