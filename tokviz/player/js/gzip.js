// What a page carries compressed: base64 of gzip.

/** The answer from which the bytes or the text can be read. */
export function unzipped(packed) {
  const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}
