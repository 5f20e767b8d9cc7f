// Writes the address of a page that has no player to do so, and once more when it leaves the page:
// what Python has put beside it leaves with it, and no longer holds.

import { writeAddress } from "./dom.js";

export default function mount({ data }) {
  writeAddress(null, {}, data?.links);
  // React is not done with the page when it calls this.
  return () => setTimeout(() => writeAddress(null, {}));
}
