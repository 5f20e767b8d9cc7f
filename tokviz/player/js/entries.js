// The entries of the browser's history: one for each training that a person asked for. Back and Forward
// have Streamlit draw the page anew; Python then opens the runs in the address (pages/visit/opening.py).

import { shared } from "./shared.js";

/** Where one change leads to the next, key by key: until such a field is left, they are one entry. */
const FIELDS = "textarea, input:not([role=combobox]), [role=slider], [data-testid=stNumberInput] button";

/** Whether runs that come into the address are a new entry: other ones, on a page that had some. */
export function isNewEntry(links) {
  const { address, entry } = shared;
  const { path, went, field } = entry;
  Object.assign(entry, { path: location.pathname, went: "" });
  if (`${address.links}` === `${links}`) return false;
  entry.field = went ? null : document.activeElement?.closest(FIELDS);
  const goesOn = field && field === entry.field;
  return path === location.pathname && !went && !goesOn;
}

/** Whether a player's runs are not those of the entry that a person went to: Python was not heard yet. */
export function isLeft({ went }) {
  const { entry } = shared;
  return entry.went !== "" && entry.path === location.pathname && entry.went !== went;
}

/** Gives each Back and Forward to other runs a name in the address, by which Python knows it from the
 *  address of a page that is merely drawn anew. */
export function followHistory() {
  if (shared.entry.follows) return;
  shared.entry.follows = true;
  addEventListener("focusin", ({ target }) => {
    if (target !== shared.entry.field) shared.entry.field = null;
  });
  addEventListener("popstate", ({ isTrusted, state }) => {
    if (!isTrusted) return;
    const query = new URLSearchParams(location.search);
    const links = query.getAll("lane");
    // Another page without runs in its address is as it was left.
    if (`${links}` === `${shared.address.links}` || (!links.length && shared.entry.path !== location.pathname)) return;
    shared.entry.went = `${performance.now()}`;
    query.set("went", shared.entry.went);
    history.replaceState(history.state, "", `${location.pathname}?${query}${location.hash}`);
    // Streamlit may have read the address already.
    dispatchEvent(new PopStateEvent("popstate", { state }));
  });
}
