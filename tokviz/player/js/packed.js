// What Python packed, as JavaScript has it. Knows no page.

import { _ } from "./i18n.js";

const DTYPES = { "<i2": Int16Array, "<i4": Int32Array, "<f8": Float64Array };

/** Reads what Python sent as JSON. */
export function readJson(data) {
  return JSON.parse(new TextDecoder().decode(bytesOf(data)));
}

/** What pack.py wrote: the header, and the bytes behind it. Throws an Error with a sentence if the data
 *  does not start with `magic`. */
export function unpack(data, magic) {
  const bytes = bytesOf(data);
  if (new TextDecoder().decode(bytes.subarray(0, 4)) !== magic) {
    throw new Error(_("This is not a recorded training."));
  }
  const end = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  return { header: JSON.parse(new TextDecoder().decode(bytes.subarray(8, end))), rest: bytes.subarray(end) };
}

/** The arrays that a header lists, by name. */
export function arraysOf(header, rest) {
  // Typed arrays need an aligned start; a blob inside a larger message may not have one.
  const values = rest.slice().buffer;
  const arrays = Object.entries(header.arrays);
  return Object.fromEntries(arrays.map(([name, [dtype, at, size]]) => [name, new DTYPES[dtype](values, at, size)]));
}

function bytesOf(data) {
  return new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
}
