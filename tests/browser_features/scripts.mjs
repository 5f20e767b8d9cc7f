// The browser features that a script uses. Names are followed as far as the text tells: a global by its
// scope, a member of `navigator.clipboard` or of a variable made by `new URLSearchParams` by its kind.
// Any other member goes by its name, and may then be that of any interface.

import { parse } from "acorn";
import { full } from "acorn-walk";
import { analyze } from "eslint-scope";
import { entryOf, featuresIn } from "./support.mjs";

const BUILTINS = ["javascript", "builtins"];
const MEMBERS = featuresIn(["api"], BUILTINS, [...BUILTINS, "Intl"]);
const STYLES = new Map(Object.keys(entryOf(["css", "properties"])).map((name) => [name.replace(/-(.)/g, (_, letter) => letter.toUpperCase()), name]));
const MAKERS = { createElement: "html", make: "html", shape: "svg" };

/** The uses in a script: { line, name, paths, own }, where `paths` are what the name may mean, and `own`
 *  says that only its name speaks for it. Throws a SyntaxError at what is newer than a year's JavaScript. */
export function scriptUses(text, ecmaVersion) {
  const tree = parse(text, { ecmaVersion, sourceType: "module", locations: true, ranges: true });
  const scopes = analyze(tree, { ecmaVersion, sourceType: "module" });
  const uses = [];
  const names = new Names(scopes);
  full(tree, (node) => {
    for (const { name, paths, own = false } of names.of(node)) {
      const known = paths.filter((path) => entryOf(path)?.__compat);
      if (known.length) uses.push({ line: node.loc.start.line, name, paths: known, own });
    }
  });
  return uses;
}

/** The names that a script itself gives to members: of classes, of objects, of `this`. */
export function givenNames(text, ecmaVersion) {
  const given = [];
  full(parse(text, { ecmaVersion, sourceType: "module" }), ({ type, key, left, computed }) => {
    if (["Property", "MethodDefinition", "PropertyDefinition"].includes(type) && !computed) given.push(key.name ?? key.value);
    if (type === "AssignmentExpression" && left.object?.type === "ThisExpression") given.push(nameOf(left));
  });
  return given;
}

class Names {
  constructor({ scopes, globalScope }) {
    this.globals = new Set(globalScope.through.map(({ identifier }) => identifier));
    this.variables = new Map(scopes.flatMap(({ references }) => references).map(({ identifier, resolved }) => [identifier, resolved]));
  }

  of(node) {
    if (node.type === "Identifier" && this.globals.has(node)) return [{ name: node.name, paths: globalPaths(node.name) }];
    if (node.type === "MemberExpression" && nameOf(node)) return this.member(node);
    if (node.type === "VariableDeclarator" && node.init && node.id.type === "ObjectPattern") return this.taken(node);
    if (node.type === "CallExpression" || node.type === "NewExpression") return this.call(node);
    return [];
  }

  member(node) {
    const name = nameOf(node);
    if (nameOf(node.object) === "style" && STYLES.has(name)) return [{ name, paths: [["css", "properties", STYLES.get(name)]] }];
    const { paths, own } = this.pathsOf(node.object, name);
    const events = /^on[a-z]+$/.test(name) ? eventPaths(name.slice(2)) : [];
    return [{ name, paths: [...paths, ...events], own: own && !events.length }];
  }

  /** `const { name } = object` */
  taken({ id, init }) {
    const keys = id.properties.filter(({ key, computed }) => key && !computed);
    return keys.map(({ key }) => ({ name: key.name, ...this.pathsOf(init, key.name) }));
  }

  /** What a member of an object may be: by the kind of the object, or else by its name alone. */
  pathsOf(object, name) {
    const kinds = this.kindsOf(object);
    if (kinds.some(([, kind]) => kind === "Window")) return { paths: globalPaths(name), own: false };
    const exact = kinds.flatMap((kind) => [[...kind, name], [...kind, `${name}_static`]]).filter(entryOf);
    return exact.length ? { paths: exact, own: false } : { paths: MEMBERS.get(name) ?? [], own: true };
  }

  /** `URL` is a URL, so is what `new URL()` made, and `navigator.clipboard` is a Clipboard. */
  kindsOf(object) {
    const name = nameOf(object);
    const made = this.variables.get(object)?.defs[0]?.node.init;
    if (made?.type === "NewExpression" && this.globals.has(made.callee)) return kindPaths(made.callee.name);
    if (!name || (object.type === "Identifier" && !this.globals.has(object))) return [];
    if (["window", "globalThis", "self"].includes(name)) return [["api", "Window"]];
    return [...kindPaths(name), ["api", name[0].toUpperCase() + name.slice(1)]];
  }

  /** What is told in a call: events, elements with their attributes, and single arguments and options
   *  as far as the data know them. */
  call(node) {
    const called = nameOf(node.callee);
    const [first, second] = node.arguments;
    if (called === "addEventListener" && first?.value) return [{ name: `"${first.value}"`, paths: eventPaths(first.value) }];
    if (MAKERS[called] && first?.value) return elementUses(MAKERS[called], first.value, keysOf(second));
    const { paths } = this.callee(node, called);
    const options = node.arguments.flatMap(keysOf).flatMap((key) => [key, `${key}_option`, `options_${key}_parameter`]);
    const texts = node.arguments.map(({ value }) => value).filter((value) => typeof value === "string");
    return [...options, ...texts].map((part) => {
      return { name: `${called}(${part})`, paths: paths.flatMap((path) => [[...path, part], [...path, "options_parameter", part]]) };
    });
  }

  callee({ type, callee }, called) {
    if (callee.type === "MemberExpression") return called ? this.pathsOf(callee.object, called) : { paths: [] };
    const paths = this.globals.has(callee) ? globalPaths(called) : [];
    return { paths: type === "NewExpression" ? paths.map((path) => [...path, called]) : paths };
  }
}

/** An element with attributes, in HTML or SVG. */
export function elementUses(language, tag, attributes) {
  const given = attributes.map((name) => ({ name: `<${tag} ${name}>`, paths: [[language, "elements", tag, name], [language, "global_attributes", name]] }));
  return [{ name: `<${tag}>`, paths: [[language, "elements", tag]] }, ...given];
}

function nameOf({ type, name, computed, property }) {
  if (type === "Identifier") return name;
  return type === "MemberExpression" && !computed ? property.name : undefined;
}

function keysOf(node) {
  return (node?.type === "ObjectExpression" ? node.properties : []).map(({ key }) => key?.name ?? key?.value).filter(Boolean);
}

function kindPaths(name) {
  return [["api", name], [...BUILTINS, name], [...BUILTINS, "Intl", name]];
}

function globalPaths(name) {
  return [["api", "Window", name], ...kindPaths(name)];
}

function eventPaths(name) {
  return MEMBERS.get(`${name}_event`) ?? [];
}
