// The browser features that a style sheet uses: at-rules, selectors, properties and their values.

import { parse, property, walk } from "css-tree";
import { entryOf } from "./support.mjs";

const TYPES = Object.keys(entryOf(["css", "types"]));

/** The uses in a style sheet, or in the `declarationList` of one element: { line, name, paths, isSpelled },
 *  where `isSpelled` says whether the same rule has the feature in another spelling too. Throws a
 *  SyntaxError at what cannot be read. */
export function styleUses(text, context = "stylesheet") {
  const uses = [];
  const onParseError = ({ message, line }) => {
    throw new SyntaxError(`${message} (${line}:1)`);
  };
  walk(parse(text, { context, positions: true, parseCustomProperty: true, onParseError }), function (node) {
    const line = node.loc?.start.line;
    for (const use of named(node, this)) if (entryOf(use.path)?.__compat) uses.push({ line, ...use, paths: [use.path] });
  });
  return uses;
}

function named(node, { atrule, block }) {
  const { type, name } = node;
  if (type === "Declaration") return declared(node, block);
  if (type === "Atrule") return [{ name: `@${name}`, path: ["css", "at-rules", name] }];
  if (type === "PseudoClassSelector") return [{ name: `:${name}`, path: ["css", "selectors", name] }];
  if (type === "PseudoElementSelector") return [{ name: `::${name}`, path: ["css", "selectors", name] }];
  if (type === "NestingSelector") return [{ name: "&", path: ["css", "selectors", "nesting"] }];
  if (type === "FeatureRange") return [{ name: `@${atrule.name} (<)`, path: ["css", "at-rules", atrule.name, "range_syntax"] }];
  if (type !== "Feature") return [];
  return [{ name: `@${atrule.name} (${name})`, path: ["css", "at-rules", atrule.name, name.replace(/^(min|max)-/, "")] }];
}

function declared(node, block) {
  const { name, basename, custom } = property(node.property);
  const usual = entryOf(["css", "properties", name]) ? name : basename;
  const beside = block ? block.children.toArray().map((other) => other.property) : [];
  const isSpelled = ({ prefix, alternative_name: other }) => beside.includes(other ?? prefix + usual);
  const uses = custom ? [] : [{ name, path: ["css", "properties", usual], isSpelled }];
  // Of a value the data do not say how it goes with another spelling of its property.
  if (beside.some((other) => other !== usual && property(other ?? "").basename === usual)) return uses;
  walk(node.value, (value) => {
    for (const path of valuePaths(usual, value)) uses.push({ name: `${name}: ${value.name ?? value.unit}`, path, isSpelled });
  });
  return uses;
}

function valuePaths(name, { type, name: value, unit }) {
  if (type === "Identifier") return [["css", "properties", name, value]];
  if (type === "Dimension") return [["css", "types", "length", unit]];
  if (type !== "Function") return [];
  return [["css", "properties", name, value], ["css", "types", value], ...TYPES.map((kind) => ["css", "types", kind, value])];
}
