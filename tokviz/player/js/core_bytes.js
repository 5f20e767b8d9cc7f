// The compiled trainer that Python puts before the modules (assets.py).

import { unzipped } from "./gzip.js";

/** The compiled module; rejects where a browser refuses WebAssembly. */
export async function loadModule() {
  return WebAssembly.compile(await unzipped(CORE).arrayBuffer());
}
