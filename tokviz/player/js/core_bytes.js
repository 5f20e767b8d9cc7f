// The compiled trainer that Python puts before the modules (assets.py): base64 of gzip.

import { Core } from "./core.js";

/** The trainer; rejects where a browser refuses WebAssembly. */
export async function loadCore() {
  const packed = Uint8Array.from(atob(CORE), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return Core.of(await new Response(stream).arrayBuffer());
}
