// What a page carries compressed: base 85 of gzip, each five characters four bytes.

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";
const VALUE_OF = new Map(Array.from(DIGITS, (digit, value) => [digit, value]));

/** The answer from which the bytes or the text can be read. */
export function unzipped(packed) {
  const whole = packed.padEnd(5 * Math.ceil(packed.length / 5), DIGITS.at(-1));
  const view = new DataView(new ArrayBuffer((whole.length / 5) * 4));
  for (let i = 0; i < whole.length; i += 5) {
    let four = 0;
    for (let at = i; at < i + 5; at++) four = four * 85 + VALUE_OF.get(whole[at]);
    view.setUint32((i / 5) * 4, four);
  }
  const bytes = new Uint8Array(view.buffer, 0, Math.floor((packed.length / 5) * 4));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}
