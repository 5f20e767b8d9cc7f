// Small tools for making elements. Whatever comes from a corpus becomes a text node or an
// attribute value, never markup.

import { isNewEntry } from "./entries.js";
import { shared } from "./shared.js";
import { readable, tokenParts, tokenString } from "./tokens.js";

const ICONS = {
  first: "M6 5v14M19 5l-9 7 9 7z", previous: "M16 5l-9 7 9 7z", play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14", next: "M8 5l9 7-9 7z", last: "M18 5v14M5 5l9 7-9 7z",
  full: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5", present: "M3 4h18v12H3zM12 16v4M8 20h8",
  help: "M9.5 9.2a2.6 2.6 0 1 1 3.6 2.4c-.8.4-1.1.9-1.1 1.8M12 17v.2", close: "M6 6l12 12M18 6L6 18",
  laser: "M5 19l7-7M14.5 9.5m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M14.5 2.5v2M21.5 9.5h-2M19.5 4.5l-1.4 1.4",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18", find: "M10.5 4a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M15.5 15.5L21 21",
  quiz: "M4 6.5l1.6 1.6L8.8 4.8M12.5 6.5H21M4 12.5h4M12.5 12.5H21M4 18.5h4M12.5 18.5H21", minus: "M6 12h12",
  branch: "M3 12h7l6-6h5M10 12l6 6h5",
};

/** An element with attributes and children; strings become text nodes. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Makes some elements the children of another one, in their order; those that stand there already are not moved. */
export function arrange(parent, children) {
  const stay = new Set(children);
  for (const child of [...parent.childNodes]) if (!stay.has(child)) child.remove();
  children.forEach((child, i) => parent.childNodes[i] !== child && parent.insertBefore(child, parent.childNodes[i] ?? null));
}

/** A panel with its frame around it, which may have more classes. */
export const framed = (panel, more = "") => make("div", { class: `tv-pane${more}` }, panel);

/** A button with an icon and a name; `draw(icon, name)` changes both. Where there is room, one that is
 *  `named` shows its name too. */
export function button(label, icon, onclick, named = false) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [n, v] of [["viewBox", "0 0 24 24"], ["aria-hidden", "true"]]) svg.setAttribute(n, v);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.append(path);
  const element = make("button", { type: "button" }, svg);
  const shown = make("span", { class: "tv-icon-name" });
  element.onclick = onclick;
  element.draw = (name, text) => {
    path.setAttribute("d", ICONS[name]);
    element.setAttribute("aria-label", text);
    element.title = text;
    shown.textContent = text;
  };
  element.draw(icon, label);
  if (named) {
    element.classList.add("tv-named");
    element.append(shown);
  }
  return element;
}

/** A character as U+0041. */
export function codePoint(char) {
  return `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

const VERSION = "2"; // of the runs in an address, as in pages/visit/link.py
// What an address may hold besides the runs.
const PARTS = [
  "step", "align", "view", "beside", "speed", "stop", "present", "picture", "slides", "quiz", "keys", "token", "lens", "of", "word", "find", "side", "curves", "per_word", "text", "pins", "lesson", "scene",
  "training", // under way, by its token
];

/** Writes into the page's address what the page shows. A component that knows more says it: its
 *  `parts` by name, those left out that are as usual, and the `links` of the runs. Without its run a
 *  step says nothing, so an address without runs has no parts but those of a lesson. */
export function writeAddress(source, parts, links) {
  const known = shared.address;
  const isEntry = links && isNewEntry(links);
  known.links = links ?? known.links;
  if (source) known.parts[source] = parts;
  const query = new URLSearchParams(location.search);
  for (const name of ["v", "lane", "went", ...PARTS]) query.delete(name);
  for (const link of known.links) query.append("lane", link);
  if (known.links.length) query.set("v", VERSION);
  const all = addressParts();
  if (known.links.length || all.lesson || all.training) for (const [name, value] of Object.entries(all)) query.set(name, value);
  const search = query.size ? `?${query}` : "";
  // The scenes of a lesson are no trainings that somebody asked for.
  const way = isEntry && !all.lesson ? "pushState" : "replaceState";
  history[way](history.state, "", `${location.pathname}${search}${location.hash}`);
}

/** What a component that leaves the page has said no longer holds; the next one writes the address. */
export function forgetAddress(source) {
  delete shared.address.parts[source];
}

/** All parts of the page's address, whether its runs fit into one or not: what components said, and
 *  what Python has put on the page. */
export function addressParts() {
  const drawn = [...document.querySelectorAll("[data-address]")].map((e) => JSON.parse(e.dataset.address));
  return Object.assign({}, ...Object.values(shared.address.parts), ...drawn);
}

const UNSEEN = /[\p{Cc}\p{Cs}\p{Cn}\p{Co}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The direction in which a text is read, by its first letter: "rtl", "ltr", or "" if it has none. */
export function direction(text) {
  const [letter] = text.match(/\p{L}/u) ?? [];
  return letter ? (RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr") : "";
}

/** What joins the characters around it into one sign: seen as such only at the end of a text. */
const JOINS = /[\u200c\u200d\u{e0020}-\u{e007f}]/u;

/** Text that any screen can show: control characters, invisible ones, lone surrogates and what
 *  reorders the text around it by code point. */
export function visible(text) {
  return text.replace(UNSEEN, (char, at) => {
    const inside = at > 0 && at + char.length < text.length + (char > "\u{e0000}");
    return JOINS.test(char) && inside ? char : `⟨${codePoint(char)}⟩`;
  });
}

/** What begins no line, as in print: full stops, commas, closing brackets. */
export const CLOSING = /^[.,;:!?…%\p{Pe}\p{Pf}、。，．；：！？％،؛؟۔।]+/u;

/** The text of a token: a space as a dimmed sign, a combining mark of its own on a dotted circle. */
export function textNodes(text) {
  const based = /^\p{M}/u.test(text) ? `◌${text}` : text;
  return based.split(/( )/).filter(Boolean).map((part) => {
    return part === " " ? make("span", { class: "m" }, "␣") : visible(part);
  });
}

/** Makes the tokens of one run into chips. */
export class Chips {
  constructor(run) {
    this.run = run;
    this.templates = new Map();
  }

  /** A token as a chip, special or not, its markers and bytes set apart from its text. */
  chip(token, mark = "") {
    let template = this.templates.get(token);
    if (!template) {
      template = this.template(token);
      this.templates.set(token, template);
    }
    const chip = template.cloneNode(true);
    if (mark) chip.className += ` ${mark}`;
    return chip;
  }

  template(token) {
    const string = tokenString(this.run, token);
    if (token < 0) {
      const kind = { class: "chip special", "data-token": string, "data-t": token };
      return make("span", kind, ...textNodes(string));
    }
    const long = string.length > 24 ? " long" : "";
    const chip = make("span", { class: `chip h${this.run.colours[token]}${long}`, "data-token": string, "data-t": token });
    const parts = tokenParts(this.run, token);
    chip.classList.toggle("inner", parts.length > 1 && parts[0][0] === "marker" && parts[0][1].length > 1);
    for (const [part, text] of parts) {
      if (part === "text") chip.append(...textNodes(text));
      else {
        const kind = part === "bytes" ? "b" : text.length > 1 ? "m long" : "m";
        chip.append(make("span", { class: kind }, visible(text)));
      }
    }
    // By what it shows: the string of bytes holds other characters.
    const text = parts.map(([part, text]) => (part === "text" ? text : "")).join("");
    if (direction(text) === "rtl") chip.dir = "rtl";
    chip.classList.toggle("rtl", RIGHT_TO_LEFT.test(text));
    return chip;
  }

  /** Narration: strings as text, token numbers as chips with what closes them, words in quotes. */
  parts(said) {
    const shown = [];
    for (const part of said) {
      if (typeof part === "number") shown.push(this.chip(part));
      else if (part.word) shown.push(`"${visible(readable(this.run, part.word))}${part.more}"`);
      else {
        const [closing = ""] = CLOSING.exec(part) ?? [];
        const held = closing && shown.at(-1) instanceof Element;
        if (held) shown.push(make("span", { class: "tv-held" }, shown.pop(), closing));
        shown.push(visible(held ? part.slice(closing.length) : part));
      }
    }
    return shown;
  }
}
