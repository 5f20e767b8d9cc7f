// What Python wants in the page's address, for as long as it is drawn.

import { writeAddress } from "./dom.js";
import { readJson } from "./run.js";

export default function mount({ data }) {
  const { source, parts } = readJson(data);
  writeAddress(source, parts);
  return () => writeAddress(source, null);
}
