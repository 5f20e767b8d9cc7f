// A word as Unigram sees it: its lattice, what else is possible, and what it becomes without a piece.

import { ArcsPicture } from "./arcs.js";
import { button, make, textNodes, visible } from "./dom.js";
import { _, _n, _p, _pn, amount, number, sentences } from "./i18n.js";
import { isPresented } from "./lines.js";
import { MOST_PRESENTED } from "./picture.js";

const MOST_ARRIVALS = 9; // of the ways to a place, if they have the room for themselves

export class LatticeWord {
  constructor(lens) {
    this.lens = lens;
    // How far Viterbi's algorithm has come, in nodes; null where the lattice is shown as a whole.
    this.node = null;
    this.back = button(_("One place back through the lattice"), "previous", () => this.go(-1));
    this.on = button(_("One place further through the lattice"), "next", () => this.go(1));
    this.where = make("span");
  }

  /** Goes so many nodes further, from the whole lattice to the first one and from the last one back to it. */
  go(by) {
    const { length } = this.lens.answer.text;
    const to = (this.node ?? (by > 0 ? -1 : length + 1)) + by;
    this.node = to < 0 || to > length ? null : to;
    if (this.lens.answer.removal) this.remove([]);
    this.draw();
  }

  leave() {
    this.node = null;
  }

  draw() {
    const frame = this.lens.answer.frames[this.lens.t];
    if (!frame) {
      this.lens.wait(_("The lattice of this step comes when the scrubber rests."));
      return;
    }
    if (this.lens.made?.frame !== frame) {
      if (this.lens.made) this.lens.chosen = null;
      const { text } = this.lens.answer;
      this.lens.show((fonts, room) => new ArcsPicture(frame, text, this.lens.table, fonts, this.lens.rtl, room, (i) => this.chooseEdge(i)));
      // What flows, flows once: whoever chooses an arc has seen it.
      this.lens.root.classList.add("tv-flowing");
    } else this.lens.root.classList.remove("tv-flowing");
    const removal = this.lens.answer.removal?.state === this.lens.t ? this.lens.answer.removal : undefined;
    const node = removal ? null : this.node;
    this.lens.made.draw(this.lens.chosen, removal, node);
    this.drawTools(frame);
    this.lens.about.textContent = _n("all the ways to cut it: {n} token fits", "all the ways to cut it: {n} tokens fit", frame.edges.length);
    const best = frame.ways[0];
    const about = best ? best.edges.map((i) => this.name(frame, i)).join(" ") : _("no segmentation");
    const values = { word: this.lens.answer.word, state: number(this.lens.t), path: about };
    this.lens.made.element.setAttribute("aria-label", visible(_("Lattice of “{word}” in state {state}. Best path: {path}", values)));
    this.lens.said.replaceChildren(...(node === null ? this.sentence(frame, removal) : this.arrival(frame, node)));
    if (node === null) this.drawEdge(frame, removal);
    else if (node < this.lens.answer.text.length) this.lens.side.replaceChildren(...this.arrivals(frame, node, MOST_ARRIVALS));
    else this.lens.side.replaceChildren(...this.arrivals(frame, node, MOST_PRESENTED), ...this.mostProbable(frame, undefined, MOST_PRESENTED - 1));
    this.lens.alternative.lastChild.replaceChildren(this.text(frame));
    // A picture that is larger than its room scrolls to where the algorithm is: below the arcs. What is said takes room.
    const { picture, made } = this.lens;
    if (node !== null) picture.scrollTo(made.x(node) - picture.clientWidth / 2, picture.scrollHeight);
  }

  name(frame, i) {
    return this.lens.table.string(frame.edges[i].face);
  }

  way(frame, edges) {
    return this.lens.chips(edges.map((i) => frame.edges[i].face));
  }

  sentence(frame, removal) {
    if (!frame.ways.length) return [_("The tokens of this state cannot spell this word.")];
    if (removal) {
      const back = make("button", { type: "button", class: "tv-wide" }, _("Put it back"));
      back.onclick = () => this.remove([]);
      return sentences(this.without(frame, removal), [back]);
    }
    const values = { n: frame.segmentations, word: this.way(frame, frame.ways[0].edges) };
    const said = _pn("{n} segmentation; the best: {word}.", "{n} segmentations; the best: {word}.", amount(frame.segmentations), values);
    const tied = frame.ways.filter((way) => way.tied).length - 1;
    if (frame.flows.length) return sentences(said, [_("On each arc: the share of all segmentations that use the piece.")]);
    if (tied <= 0) return said;
    const others = make("b", {}, _n("{n} other is exactly as probable", "{n} others are exactly as probable", tied));
    return sentences(said, _p("{others}; Viterbi takes the one whose last piece starts earliest.", { others }));
  }

  // --- Viterbi's algorithm, node by node --------------------------------------------------------

  drawTools(frame) {
    const last = this.lens.answer.text.length;
    this.where.textContent = this.node === null ? _("Viterbi, place by place") : _("Viterbi, place {n} of {last}", { n: number(this.node), last: number(last) });
    this.lens.tools.hidden = !frame.ways.length;
    if (!this.where.isConnected) this.lens.tools.replaceChildren(this.where, this.back, this.on);
  }

  /** What the word is until a node. */
  until(node) {
    return make("bdi", {}, ...textNodes(this.lens.answer.text.slice(0, node).join("")));
  }

  /** What is found out at a node, in a sentence. */
  arrival(frame, node) {
    if (!node) return [_("From left to right, each place remembers the best way to it: the greatest sum of log-probabilities.")];
    const { sums, back } = frame.walk;
    if (back[node] === null) return _p("No way leads to “{text}”.", { text: this.until(node) });
    const way = this.way(frame, [...this.lens.made.way(node)].reverse());
    const values = { text: this.until(node), way, sum: sums[node] };
    if (node < this.lens.answer.text.length) return _p("The best way to “{text}” is {way}, ln P = {sum}.", values);
    return _p("The best way to the end is {way}, ln P = {sum}: back from the end, each piece tells where the one before it ends.", values);
  }

  /** The pieces that arrive at a node, each with the best way to where it starts; who presents shows so many at most. */
  arrivals(frame, node, most) {
    const found = frame.edges.flatMap(({ end }, i) => (end === node ? [i] : []));
    if (!node || !found.length) return [make("p", { class: "tv-note" }, node ? _("No token ends here.") : _("The way to the start has no pieces, and ln P = 0."))];
    const { sums, terms, through, back } = frame.walk;
    const others = found.filter((i) => i !== back[node]).slice(0, isPresented() ? most - 1 : found.length);
    const shown = found.filter((i) => i === back[node] || others.includes(i));
    const rows = shown.map((i) => {
      const { face, start } = frame.edges[i];
      const best = back[node] === i;
      const cells = [sums[start] || "–", terms[i], make(best ? "b" : "span", {}, through[i] || "–")];
      return make("tr", best ? { class: "tied" } : {}, make("td", {}, this.lens.chip(face)), ...cells.map((cell) => make("td", { class: "n" }, cell)));
    });
    const heads = [_("Last piece"), _("Best before it"), _("+ its ln P"), _("= sum")];
    const head = heads.map((name, k) => make("th", { scope: "col", class: k ? "n" : "" }, name));
    const left = found.length - shown.length;
    const more = left ? [make("p", { class: "tv-note" }, _("and {count} more", { count: number(left) }))] : [];
    return [make("h3", {}, ..._p("Ways to “{text}”", { text: this.until(node) })), make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)), ...more];
  }

  /** What becomes of the word without a piece. */
  without(frame, { edges, after, loss, corpus }) {
    const piece = this.lens.chip(frame.edges[edges[0]].face);
    if (!after) return _p("Without {piece}: the word cannot be cut, which is why training keeps every character.", { piece });
    const values = { piece, word: this.way(frame, after), loss, corpus };
    if (!corpus) return _p("Without {piece}: {word} with a loss of {loss} for the word.", values);
    return _p("Without {piece}: {word} with a loss of {loss} for the word, {corpus} for the corpus.", values);
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
        [_("log-probability"), log_prob_exact], [_("posterior"), _("{share} of all segmentations' weight", { share })],
        [_("characters"), `[${number(start)}, ${number(end)})`],
      ];
      const rows = facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
      const remove = make("button", { type: "button", class: "tv-wide" }, _("Remove this piece"));
      remove.onclick = () => this.remove([this.lens.chosen]);
      const gone = removal?.edges.includes(this.lens.chosen);
      parts.push(make("h3", {}, this.lens.chip(face)), make("dl", {}, ...rows), ...(gone || !this.lens.ask ? [] : [remove]));
    } else if (!frame.flows.length) parts.push(make("p", { class: "tv-note tv-hint" }, this.lens.ask ? _("Choose an arc to see its numbers, or to take the piece out.") : _("Choose an arc to see its numbers.")));
    if (frame.flows.length && !removal) parts.push(...this.flow(frame.flows));
    parts.push(...this.mostProbable(frame, removal));
    parts.push(make("p", { class: "tv-note" }, _("Entropy over all {count}: {entropy} bits.", { count: frame.segmentations, entropy: frame.entropy })));
    this.lens.side.replaceChildren(...parts);
  }

  /** What an EM step makes of the word: E, the shares of its segmentations flow into expected counts; M, these make
   *  new probabilities. */
  flow(flows) {
    const bar = (wide, kind) => {
      const element = make("span", { class: `tv-flow ${kind}`, "aria-hidden": "true" });
      element.style.setProperty("--wide", `${wide}%`);
      return element;
    };
    const moved = (wide) => {
      const element = bar(wide[2], "after");
      element.style.setProperty("--before", `${wide[1]}%`);
      return element;
    };
    const heads = [_("Piece"), _("E: count × share"), _("M: P now → P then")];
    const rows = flows.map(({ face, count, share, part, expected, before, after, wide }) => make(
      "tr", {}, make("td", {}, this.lens.chip(face)),
      make("td", {}, make("span", { class: "tv-flow-room" }, bar(wide[0], "share")), `${count} × ${share} = `, make("b", {}, part), make("small", {}, _("of {n} in all words", { n: expected }))),
      make("td", {}, bar(wide[1], "before"), moved(wide), `${before} → `, make("b", {}, after === "0" ? _("goes") : after)),
    ));
    const head = heads.map((name) => make("th", { scope: "col" }, name));
    return [make("h3", {}, _("What the EM step makes of this word")), make("table", { class: "tv-flows" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))];
  }

  /** Takes edges out of the lattice, or none; what is pressed next stands in the same place. */
  remove(removed) {
    this.lens.picture.focus({ preventScroll: true });
    this.lens.ask({ typed: this.lens.answer.typed, form: this.lens.answer.word, state: this.lens.t, removed });
  }

  /** The most probable segmentations, as a table; who presents shows so many at most. */
  mostProbable(frame, removal, most = MOST_PRESENTED) {
    const name = removal ? _("Most probable segmentations, with every piece") : _("Most probable segmentations");
    const tie = frame.ways.filter((way) => way.tied).length > 1;
    const rows = frame.ways.slice(0, isPresented() ? most : frame.ways.length).map((way) => {
      const sums = [way.terms, way.exact && `P = ${way.exact}`].filter(Boolean).map((sum) => make("small", {}, sum));
      return make(
        "tr", tie && way.tied ? { class: "tied" } : {},
        make("td", {}, this.way(frame, way.edges), ...sums), make("td", { class: "n" }, make("b", {}, `= ${way.sum}`)), make("td", { class: "n" }, way.share),
      );
    });
    const heads = [[_("Pieces"), ""], ["ln P", _("The sum of the pieces' log-probabilities.")], [_("Share of all"), _("P divided by the sum over all segmentations of the word.")]];
    const head = heads.map(([name, title], k) => make("th", { scope: "col", class: k ? "n" : "", title }, name));
    return [make("h3", {}, name), make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))];
  }

  text(frame) {
    const items = frame.edges.map((edge, i) => {
      const values = {
        piece: make("bdi", {}, this.name(frame, i)), start: number(edge.start), end: number(edge.end),
        log_prob: edge.log_prob_exact, share: edge.share,
      };
      const said = edge.best
        ? _p("{piece}, characters [{start}, {end}): log-probability {log_prob}, posterior {share}, on the best path", values)
        : _p("{piece}, characters [{start}, {end}): log-probability {log_prob}, posterior {share}", values);
      return make("li", {}, ...said);
    });
    return make("ul", {}, ...items);
  }
}
