// The player: transport, narration, corpus chips, candidate table. Everything on it is made from
// the packed run (run.js) and set as text; playing and scrubbing send nothing to the server.

import {
  announce, born, candidateCount, colour, isNew, narrate, nextTie, number, readRun, rows,
  significant, tokenBytes, tokenId, tokenText, wordMarks, wordTokens,
} from "./run.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60];
const MOST_TOKENS = 300; // of one word, on the page
const SETTLE = 600; // ms after the last move until Python hears of it
const ICONS = {
  first: "M6 5v14M19 5l-9 7 9 7z", previous: "M16 5l-9 7 9 7z", play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14", next: "M8 5l9 7-9 7z", last: "M18 5v14M5 5l9 7-9 7z",
  full: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
};
const players = new WeakMap();
// Of every run and visit the last step. Kept on the window: the module itself may be loaded anew.
const lastSteps = (window.tokvizLastSteps ??= new Map());

export default function mount({ data, parentElement, setStateValue }) {
  const { step, id, blob } = readStart(data);
  let player = players.get(parentElement);
  if (!player || player.id !== id) {
    player?.stop();
    player = new Player(readRun(blob), parentElement.querySelector(".tv-player"), id, step);
    players.set(parentElement, player);
  }
  player.tell = (step) => setStateValue("step", step);
  return () => players.get(parentElement)?.stop();
}

/** The state to open at, what tells this run and visit from others, and the packed run. A player
 *  that was taken off the page and put back goes on where it was. */
function readStart(data) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const id = `${view.getUint32(4, true)}/${view.getUint32(8, true)}`;
  return { step: lastSteps.get(id) ?? view.getUint32(0, true), id, blob: bytes.subarray(16) };
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function button(label, icon, onclick) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [n, v] of [["viewBox", "0 0 24 24"], ["aria-hidden", "true"]]) svg.setAttribute(n, v);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[icon]);
  svg.append(path);
  const element = make("button", { type: "button", "aria-label": label, title: label }, svg);
  element.onclick = onclick;
  element.draw = (name, text) => {
    path.setAttribute("d", ICONS[name]);
    element.setAttribute("aria-label", text);
    element.title = text;
  };
  return element;
}

function codePoint(char) {
  return `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Text that any screen can show: control characters and lone surrogates by code point. */
function visible(text) {
  return text.replace(/[\p{Cc}\p{Cs}\p{Cn}]/gu, (char) => `⟨${codePoint(char)}⟩`);
}

class Player {
  constructor(run, root, id, step) {
    Object.assign(this, { run, root, id, t: -1, speed: 4, selected: -1, templates: new Map() });
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
    root.replaceChildren(this.transport(), this.narration(), this.panels());
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", "Training player");
    root.dataset.steps = run.steps;
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.go(Math.min(step, run.steps), false);
  }

  stop() {
    this.pause();
    clearTimeout(this.settling);
    document.removeEventListener("keydown", this.keys);
  }

  // --- parts of the page ----------------------------------------------------------------------

  transport() {
    const { run } = this;
    const move = (by) => () => this.go(this.t + by);
    this.playButton = button("Play", "play", () => (this.timer ? this.pause() : this.play()));
    this.playButton.classList.add("tv-play");
    this.back = [
      button("First step", "first", () => this.go(0)),
      button("Previous step", "previous", move(-1)),
    ];
    this.forward = [
      button("Next step", "next", move(1)),
      button("Last step", "last", () => this.go(run.steps)),
    ];
    const buttons = [...this.back, this.playButton, ...this.forward];
    this.scrub = make("input", { type: "range", min: 0, max: run.steps, "aria-label": "Training step" });
    this.scrub.oninput = () => this.go(Number(this.scrub.value));
    this.marks = make("canvas", { "aria-hidden": "true" });
    this.typed = make("input", { type: "number", min: 0, max: run.steps, "aria-label": "Go to step" });
    this.typed.onchange = () => this.go(Number(this.typed.value));
    this.size = make("b");
    this.tokens = make("b");
    const speed = make("select", { "aria-label": "Speed" });
    for (const s of SPEEDS) speed.append(new Option(`${s} steps/s`, s, s === 4, s === 4));
    speed.onchange = () => this.setSpeed(Number(speed.value));
    this.speedSelect = speed;
    new ResizeObserver(() => this.drawMarks()).observe(this.scrub);
    return make(
      "div", { class: "tv-transport" },
      make("div", { class: "tv-buttons" }, ...buttons),
      make("div", { class: "tv-scrub" }, this.scrub, this.marks),
      make("div", { class: "tv-position" }, this.typed, ` of ${number(run.steps)}`),
      make("div", { class: "tv-position" }, "vocabulary ", this.size),
      make("div", { class: "tv-position" }, "corpus tokens ", this.tokens),
      speed,
      button("Full screen", "full", () => this.fullScreen()),
    );
  }

  narration() {
    this.said = make("p");
    this.coming = make("p", { class: "tv-next" });
    this.live = make("p", { class: "tv-unseen", role: "status", "aria-live": "polite" });
    return make("div", { class: "tv-say" }, this.said, this.coming, this.live);
  }

  panels() {
    const { run } = this;
    this.words = [];
    const lines = [];
    const paragraph = () => make("p", { dir: "auto" });
    let line = paragraph();
    for (const w of run.order) {
      if (w < 0) {
        if (line.childNodes.length) lines.push(line);
        line = paragraph();
        continue;
      }
      if (w < -1) {
        const token = visible(run.special_tokens[-2 - w]);
        line.append(make("span", { class: "chip special", "data-token": token }, token), " ");
        continue;
      }
      const chips = make("span", { class: "tv-word" });
      (this.words[w] ??= []).push(chips);
      line.append(chips, " ");
      if (run.with_counts) {
        line.append(make("span", { class: "tv-times" }, `×${number(run.word_counts[w])}`), " ");
      }
    }
    if (line.childNodes.length) lines.push(line);
    if (!lines.length) lines.push(make("p", { class: "tv-note" }, "This corpus has no words."));
    this.signatures = [];
    const body = make("div", { class: "tv-lines" }, ...lines);
    body.onclick = (event) => this.select(event.target.closest(".chip"));
    this.rule = make("style");
    this.card = make("div", { class: "tv-card", hidden: "" });
    const legend = run.unigram ? "struck through: goes next" : "ring: new · underline: merges next";
    const corpus = make(
      "section", { class: "tv-panel tv-corpus", "aria-label": "Corpus in tokens", tabindex: 0 },
      make("h2", {}, "Corpus ", make("small", {}, this.corpusSaid()), make("small", {}, legend)), body,
    );
    this.howMany = make("small");
    this.table = make("tbody");
    this.table.onclick = body.onclick;
    const heads = run.unigram ? ["", "Token", "Count", "Loss delta", "", ""]
      : ["", "Pair", run.likelihood ? "Score" : "Count", "", ""];
    const head = heads.map((h) => {
      return h ? make("th", { scope: "col", class: /Pair|Token/.test(h) ? "" : "n" }, h) : make("td");
    });
    const table = make(
      "table", { "aria-label": `Candidates of ${run.label}` },
      make("thead", {}, make("tr", {}, ...head)), this.table,
    );
    const candidates = make(
      "section", { class: "tv-panel tv-candidates", "aria-label": "Score table", tabindex: 0 },
      make("h2", {}, "Candidates ", this.howMany), table,
    );
    return make("div", { class: "tv-panels" }, corpus, candidates, this.card, this.rule);
  }

  corpusSaid() {
    const { run } = this;
    const shown = run.order.reduce((n, w) => n + (w >= 0), 0);
    if (run.with_counts) {
      const all = number(run.words_distinct);
      return `${shown < run.words_distinct ? `the first ${number(shown)} of ` : ""}${all} words with their counts`;
    }
    const total = number(run.words_total);
    return shown < run.words_total ? `the first ${number(shown)} of ${total} words` : `${total} words`;
  }

  // --- moving ---------------------------------------------------------------------------------

  go(to, byPerson = true) {
    const t = Math.max(0, Math.min(this.run.steps, Math.round(to) || 0));
    if (t === this.t) {
      this.typed.value = t;
      return;
    }
    this.t = t;
    lastSteps.set(this.id, t);
    this.draw();
    clearTimeout(this.settling);
    if (byPerson) this.settling = setTimeout(() => this.settle(), SETTLE);
  }

  settle() {
    this.live.textContent = `${this.said.textContent} ${this.coming.textContent}`;
    if (!this.timer) this.tell?.(this.t);
  }

  play() {
    if (this.t >= this.run.steps) this.go(0);
    this.playButton.draw("pause", "Pause");
    let due = performance.now() + 1000 / this.speed;
    const tick = (now) => {
      if (now >= due) {
        const steps = Math.max(1, Math.floor(((now - due) * this.speed) / 1000));
        due += (1000 / this.speed) * steps;
        this.go(this.t + steps);
        if (this.t >= this.run.steps) return this.pause();
      }
      this.timer = requestAnimationFrame(tick);
    };
    this.timer = requestAnimationFrame(tick);
  }

  pause() {
    if (!this.timer) return;
    cancelAnimationFrame(this.timer);
    this.timer = 0;
    this.playButton.draw("play", "Play");
    this.settling = setTimeout(() => this.settle(), SETTLE);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.speedSelect.value = speed;
    if (this.timer) {
      this.pause();
      this.play();
    }
  }

  key(event) {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable=true]");
    const ours = event.target === this.scrub;
    if ((typing && !ours) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && event.target.closest?.("button, summary, a")) return;
    const faster = (by) => this.setSpeed(
      SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + by))],
    );
    const actions = {
      ArrowLeft: () => this.go(this.t - 1),
      ArrowRight: () => this.go(this.t + 1),
      PageUp: () => this.go(this.t - 1),
      PageDown: () => this.go(this.t + 1),
      Home: () => this.go(0),
      End: () => this.go(this.run.steps),
      " ": () => (this.timer ? this.pause() : this.play()),
      "+": () => faster(1),
      "-": () => faster(-1),
      f: () => this.fullScreen(),
      t: () => this.go(nextTie(this.run, this.t)),
      Escape: () => this.select(null),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else (this.root.closest("[data-testid=stMain]") ?? this.root).requestFullscreen?.();
  }

  // --- drawing --------------------------------------------------------------------------------

  draw() {
    const { run, t } = this;
    this.root.dataset.step = t;
    this.scrub.value = t;
    this.scrub.style.setProperty("--done", run.steps ? t / run.steps : 0);
    this.scrub.setAttribute("aria-valuetext", `${t} of ${run.steps}`);
    this.typed.value = t;
    this.size.textContent = number(run.vocab_size[t]);
    this.tokens.textContent = number(run.corpus_tokens[t]);
    // Not the disabled attribute: it would take the focus away from under a person's finger.
    for (const b of this.back) b.setAttribute("aria-disabled", t === 0);
    for (const b of this.forward) b.setAttribute("aria-disabled", t === run.steps);
    this.said.replaceChildren(...this.parts(narrate(run, t)));
    this.coming.replaceChildren(...this.parts(announce(run, t)));
    this.drawWords();
    this.drawTable();
    this.drawCard();
    this.moveCharts();
  }

  parts(said) {
    return said.map((part) => (typeof part === "number" ? this.chip(part) : visible(part)));
  }

  /** A token as a chip, its markers set apart from its text. */
  chip(token, mark = "") {
    let template = this.templates.get(token);
    if (!template) {
      const parts = this.run.tokens[token];
      const string = this.run.strings[token];
      const long = string.length > 24 ? " long" : "";
      template = make("span", {
        class: `chip h${colour(string)}${long}`, "data-token": visible(string), "data-t": token,
      });
      const text = tokenText(this.run, token);
      if (text !== string) template.title = text === null ? "part of a character" : visible(text);
      for (const [i, part] of (typeof parts === "string" ? [parts] : parts).entries()) {
        if (i % 2) template.append(make("span", { class: "m" }, part));
        else if (part) template.append(visible(part));
      }
      this.templates.set(token, template);
    }
    const chip = template.cloneNode(true);
    if (mark) chip.classList.add(...mark.split(" "));
    return chip;
  }

  drawWords() {
    const { run, t } = this;
    for (let w = 0; w < this.words.length; w++) {
      const all = wordTokens(run, w, t);
      const tokens = all.slice(0, MOST_TOKENS);
      const marks = wordMarks(run, tokens, t);
      const fresh = tokens.some((token) => isNew(run, token, t)) ? "new" : "";
      const signature = `${tokens.join()}${marks.join()}${fresh}`;
      if (this.signatures[w] === signature) continue;
      this.signatures[w] = signature;
      const more = all.length - tokens.length;
      for (const place of this.words[w]) {
        place.replaceChildren(...this.wordChips(tokens, marks));
        if (more) {
          const said = ` … and ${number(more)} more tokens in this word`;
          place.append(make("span", { class: "tv-note" }, said));
        }
      }
    }
  }

  wordChips(tokens, marks) {
    const chips = [];
    const chip = (i, mark = "") => {
      return this.chip(tokens[i], isNew(this.run, tokens[i], this.t) ? `new ${mark}`.trim() : mark);
    };
    for (let i = 0; i < tokens.length; i++) {
      if (marks[i] === "left" && marks[i + 1] === "right") {
        chips.push(make("span", { class: "tv-pair" }, chip(i), chip(++i)));
      } else {
        chips.push(chip(i, marks[i] === "doomed" ? "doomed" : ""));
      }
    }
    return chips;
  }

  drawTable() {
    const { run, t } = this;
    const found = rows(run, t);
    const what = run.unigram ? "tokens, cheapest to lose first" : "pairs, best first";
    this.howMany.textContent = `${number(candidateCount(run, t))} ${what}`;
    const greatest = Math.max(...found.map((r) => r.score ?? r.delta).filter(Number.isFinite), 0) || 1;
    let cut = true;
    const body = found.map((row, i) => {
      const kind = row.chosen ? "chosen" : run.unigram && cut && i ? "cut" : "";
      cut &&= row.chosen;
      return make("tr", { class: kind }, ...this.cells(row, i, greatest));
    });
    this.table.replaceChildren(...body);
  }

  cells(row, i, greatest) {
    const { run } = this;
    const cell = (kind, ...content) => make("td", { class: kind }, ...content);
    const bar = make("span");
    const value = run.unigram ? row.delta || 0 : row.score;
    bar.style.setProperty("--share", Math.max(0, value) / greatest);
    const note = run.unigram
      ? row.chosen ? "goes" : Number.isNaN(row.delta) ? "never" : row.tied ? "tied" : ""
      : [row.chosen && "next", row.tied && "tied"].filter(Boolean).join(", ");
    const rank = cell("rank", String(i + 1));
    if (run.unigram) {
      const delta = Number.isNaN(row.delta) ? "–" : significant(row.delta);
      return [
        rank, cell("", this.chip(row.token)), cell("n", number(row.count)), cell("n", delta),
        cell("bar", bar), cell("note", note),
      ];
    }
    const pair = [this.chip(row.left), make("span", { class: "plus" }, "+"), this.chip(row.right)];
    let score = [number(row.count)];
    if (run.likelihood) {
      const parts = [row.count, row.leftCount, row.rightCount].map(number);
      const fraction = `${parts[0]}/(${parts[1]}×${parts[2]}) = `;
      score = [make("small", {}, fraction), significant(row.score)];
    }
    return [rank, cell("", ...pair), cell("n", ...score), cell("bar", bar), cell("note", note)];
  }

  /** Dots below the scrub bar: states out of which a tie is broken. */
  drawMarks() {
    const { run, marks } = this;
    const width = this.scrub.clientWidth;
    if (!width || !run.steps) return;
    const ratio = devicePixelRatio || 1;
    Object.assign(marks, { width: width * ratio, height: 6 * ratio });
    const pen = marks.getContext("2d");
    pen.fillStyle = getComputedStyle(marks).color;
    for (let t = 0; t < run.steps; t++) {
      if (run.tied[t] < 2) continue;
      const x = 10 + (t / run.steps) * (width - 20);
      pen.fillRect((x - 1) * ratio, 1 * ratio, 3 * ratio, 3 * ratio);
    }
  }

  // --- a selected token -----------------------------------------------------------------------

  select(chip) {
    const token = chip ? Number(chip.dataset.t) : -1;
    this.selected = token === this.selected ? -1 : token;
    const shown = this.selected >= 0;
    this.rule.textContent = shown
      ? `.tv-player .chip[data-t="${this.selected}"] { outline: 2px solid var(--tv-ink); }` : "";
    this.drawCard();
  }

  drawCard() {
    const { run, t, card, selected } = this;
    card.hidden = selected < 0;
    if (selected < 0) return;
    const all = [...tokenBytes(run, selected)];
    const bytes = all.map((b) => b.toString(16).padStart(2, "0"));
    const text = tokenText(run, selected);
    const points = text === null ? [] : [...text].map(codePoint);
    const birth = born(run, selected);
    const alive = run.unigram ? run.removed_at[selected] >= t : birth <= t;
    const facts = [
      ["id", alive ? number(tokenId(run, selected, t)) : "not in this state's vocabulary"],
      ["made by", birth ? `step ${number(birth)}` : "there from the start"],
      ["text", text === null ? "part of a character" : visible(text)],
      ["code points", points.slice(0, 12).join(" ") || "–"],
      ["bytes", bytes.slice(0, 24).join(" ")],
    ];
    if (birth) {
      const [left, right] = [run.left[birth - 1], run.right[birth - 1]];
      facts.splice(2, 0, ["from", [this.chip(left), " + ", this.chip(right)]]);
    }
    if (run.unigram && run.removed_at[selected] < run.steps) {
      facts.push(["removed by", `round ${number(run.removed_at[selected] + 1)}`]);
    }
    const rows_ = facts.map(([name, value]) => {
      return make("div", {}, make("dt", {}, name), make("dd", {}, ...[value].flat()));
    });
    card.replaceChildren(this.chip(selected), make("dl", {}, ...rows_));
  }

  /** Altair charts on the page follow: their cursor is a parameter with an input of its own. */
  moveCharts() {
    for (const input of document.querySelectorAll(".vega-bind input[name=tokviz_step]")) {
      input.value = this.t;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
}
