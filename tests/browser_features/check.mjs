// Names what files use and some of our browsers lack: `node check.mjs FILES…` reads what targets.json holds
// from standard input, with the names of members that are `ours` and no browser's, and answers in JSON.

import { readFileSync } from "node:fs";
import { parse } from "parse5";
import { elementUses, givenNames, scriptUses } from "./scripts.mjs";
import { styleUses } from "./styles.mjs";
import { entryOf, lacking, unknownBrowsers } from "./support.mjs";

const { browsers, phones, ecmaVersion, ours: named } = JSON.parse(readFileSync(0, "utf-8"));
const texts = process.argv.slice(2).map((file) => [file, readFileSync(file, "utf-8")]);
const ours = new Set(named);
const found = [];

for (const [file, text] of texts) {
  if (file.endsWith(".js")) quietly(() => givenNames(text, ecmaVersion)).forEach((name) => ours.add(name));
}
for (const [file, text] of texts) {
  if (file.endsWith(".js")) check(file, () => scriptUses(text, ecmaVersion), { ...browsers, ...phones });
  else if (file.endsWith(".css")) check(file, () => styleUses(text), browsers);
  else checkPage(file, parse(text, { sourceCodeLocationInfo: true }));
}
const told = [...new Set(found.map((use) => JSON.stringify(use)))].map((use) => JSON.parse(use));
console.log(JSON.stringify({ found: told, unknown: unknownBrowsers({ ...browsers, ...phones }) }));

/** Notes what is lacking in one of the browsers, whatever of its meanings a name has there. */
function check(file, usesOf, targeted, from = 0) {
  let uses;
  try {
    uses = usesOf();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const [, line] = /\((\d+):\d+\)$/.exec(error.message) ?? [];
    found.push({ file, line: from + Number(line), name: error.message, feature: "syntax", lacking: [`ES${ecmaVersion}`] });
    return;
  }
  for (const { line, name, paths, own, isSpelled } of uses) {
    if (own && ours.has(name)) continue;
    const missing = paths.map((path) => ({ feature: path.join("."), lacking: lacking(targeted, path, isSpelled) }));
    if (missing.some((meaning) => !meaning.lacking.length)) continue;
    const [best] = missing.sort((a, b) => a.lacking.length - b.lacking.length);
    found.push({ file, line: from + line, name, ...best });
  }
}

/** The elements and attributes of a page, and what styles are in it. Its script is the player's. */
function checkPage(file, node) {
  const line = node.sourceCodeLocation?.startLine ?? 1;
  const attributes = (node.attrs ?? []).map(({ name }) => name);
  if (node.tagName) {
    const language = node.namespaceURI.endsWith("svg") ? "svg" : "html";
    const known = ({ paths }) => paths.some((path) => entryOf(path)?.__compat);
    const uses = elementUses(language, node.tagName, attributes).filter(known);
    check(file, () => uses.map((use) => ({ line: 0, ...use, paths: use.paths.filter((path) => entryOf(path)?.__compat) })), browsers, line);
  }
  for (const { name, value } of node.attrs ?? []) {
    if (name === "style") check(file, () => styleUses(value, "declarationList"), browsers, line - 1);
  }
  if (node.tagName === "style") check(file, () => styleUses(node.childNodes[0].value), browsers, line - 1);
  for (const child of node.childNodes ?? []) checkPage(file, child);
}

/** Names of a script that cannot be read: none, and it is told of when it is checked. */
function quietly(names) {
  try {
    return names();
  } catch {
    return [];
  }
}
