// Writes the address of a page that has no player to do so.

import { writeAddress } from "./dom.js";

export default function mount({ data }) {
  writeAddress(null, {}, data?.links);
}
