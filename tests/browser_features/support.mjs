// Which browsers lack a feature, by MDN's browser compatibility data. A feature is named by its path
// there, such as ["api", "Element", "animate"].

import data from "@mdn/browser-compat-data/forLegacyNode";

/** What the data hold at a path: the parts of that feature, and `__compat`. */
export function entryOf(path) {
  return path.reduce((entry, name) => (Object.hasOwn(entry ?? {}, name) ? entry[name] : undefined), data);
}

/** The paths of all features with a name, by that name, of everything that some places hold: `animate`
 *  of ["api"] is a member of Element and of other interfaces. */
export function featuresIn(...places) {
  const found = new Map();
  for (const place of places) {
    for (const owner of Object.keys(entryOf(place))) {
      for (const name of Object.keys(entryOf([...place, owner]))) {
        if (name === "__compat" || name === owner) continue;
        if (!found.has(name)) found.set(name, []);
        found.get(name).push([...place, owner, name]);
      }
    }
  }
  return found;
}

/** The browsers that lack a feature, as "safari 18". What one supports in part counts as there.
 *  `isSpelled` says of another spelling ("-webkit-" before the name, or another name) whether it is
 *  written beside the usual one. */
export function lacking(browsers, path, isSpelled = () => false) {
  const { support } = entryOf(path).__compat;
  const has = (browser, version) => [support[browser] ?? []].flat().some((said) => holds(said, version, isSpelled));
  return Object.entries(browsers).filter(([browser, version]) => !has(browser, version)).map((browser) => browser.join(" "));
}

/** Whether what is said of a browser holds for a version of it, with no switch to be set by hand. */
function holds(said, version, isSpelled) {
  if (said.flags || !isAtLeast(version, said.version_added) || isAtLeast(version, said.version_removed)) return false;
  return (!said.prefix && !said.alternative_name) || isSpelled(said);
}

function isAtLeast(version, other) {
  if (typeof other !== "string" || other === "preview") return false;
  const [[own, small = 0], [least, smallest = 0]] = [version, other.replace("≤", "")].map((text) => text.split(".").map(Number));
  return own > least || (own === least && small >= smallest);
}

/** Browsers of which the data know nothing: they would never lack anything. */
export function unknownBrowsers(browsers) {
  return Object.entries(browsers).filter(([name, version]) => !data.browsers[name]?.releases[version]).map((browser) => browser.join(" "));
}
