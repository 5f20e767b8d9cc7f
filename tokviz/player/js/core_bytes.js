// The compiled trainer that Python puts before the modules (assets.py).

import { Core } from "./core.js";
import { unzipped } from "./gzip.js";

/** The trainer; rejects where a browser refuses WebAssembly. */
export async function loadCore() {
  return Core.of(await unzipped(CORE).arrayBuffer());
}
