// The tokens of a run or of an answer: their strings, bytes, text and names. Knows no page.

/** The string of a token. Special token k, which has id k, is number -2 - k. */
export function tokenString(run, token) {
  return token < 0 ? run.special_tokens[-2 - token] : run.strings[token];
}

/** All tokens with a string: one at most is a special token. */
export function tokensOf(run, string) {
  const all = [...run.special_tokens.map((_, k) => -2 - k), ...run.strings.keys()];
  return all.filter((token) => tokenString(run, token) === string);
}

// GPT-2's map: bytes that Latin-1 can print stand for themselves, the others follow U+00FF.
const plain = (b) => (b > 0x20 && b < 0x7f) || (b > 0xa0 && b !== 0xad);
const hidden = [...Array(256).keys()].filter((b) => !plain(b));

/** The bytes that a byte-level string stands for. */
function byteLevel(string) {
  return Uint8Array.from(string, (char) => {
    const code = char.codePointAt(0);
    return code < 0x100 ? code : hidden[code - 0x100];
  });
}

/** The bytes of the text that a token covers, its markers not included. */
export function tokenBytes(run, token) {
  const raw = run.raw[token] ?? run.strings[token];
  return run.unit === "char" ? new TextEncoder().encode(raw) : byteLevel(raw);
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text that some tokens cover, their markers not included. What is no character is U+FFFD. */
export function textOfTokens(run, tokens) {
  const raw = tokens.map((token) => run.raw[token] ?? run.strings[token]).join("");
  // Bytes that are plain letters are these letters.
  if (/^[!-~]*$/.test(raw)) return raw;
  return run.unit === "char" ? raw.replace(/\p{Cs}/gu, "\ufffd") : decoder.decode(byteLevel(raw));
}

/** The text that a token covers; null if its bytes are only a part of a character. */
export function tokenText(run, token) {
  const raw = run.raw[token] ?? run.strings[token];
  if (run.unit === "char" || /^[!-~]*$/.test(raw)) return raw;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(tokenBytes(run, token));
  } catch {
    return null;
  }
}

/** A token in parts for the screen: ["text" | "marker" | "bytes", string]. Bytes that make no
 *  whole character are written in hexadecimal. */
export function tokenParts(run, token) {
  const parts = run.tokens[token];
  const shown = [];
  for (const [i, part] of (typeof parts === "string" ? [parts] : parts).entries()) {
    if (i % 2) shown.push(["marker", part]);
    else if (run.unit === "char") part && shown.push(["text", part]);
    else shown.push(...byteParts(part));
  }
  return shown;
}

/** A token as its chip shows it, in one string. */
export function tokenName(run, token) {
  // Nearly all tokens are plain letters, and there may be many.
  if (/^[!-~]*$/.test(run.strings[token])) return run.strings[token];
  return tokenParts(run, token).map(([, text]) => text).join("");
}

function byteParts(string) {
  const shown = [];
  const add = (kind, text, glue) => {
    if (shown.at(-1)?.[0] === kind) shown.at(-1)[1] += glue + text;
    else shown.push([kind, text]);
  };
  const bytes = byteLevel(string);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let i = 0; i < bytes.length; i++) {
    const lead = bytes[i];
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    try {
      add("text", decoder.decode(bytes.subarray(i, i + size)), "");
      i += size - 1;
    } catch {
      add("bytes", lead.toString(16).toUpperCase().padStart(2, "0"), " ");
    }
  }
  return shown;
}

/** A displayed word as people read it: of bytes, the characters that they make, spaces as Ġ. */
export function readable(run, string) {
  if (run.unit === "char") return string;
  const parts = string.split("Ġ").map((part) => byteParts(part).map(([, text]) => text).join(" "));
  return parts.join("Ġ");
}

/** So many first characters of a word as it is shown. */
export function firstCharacters(run, string, most) {
  const signs = [...string];
  const starts = run.unit === "char" ? signs.map((_, i) => i) : Array.from(byteLevel(string)).flatMap((byte, i) => ((byte & 0xc0) === 0x80 ? [] : [i]));
  return starts.length > most ? signs.slice(0, starts[most]).join("") : string;
}

/** The pairs that token i of a word is in, by which chips and rows of candidates find one another. */
export const tokenPairs = (tokens, i) => `${tokens[i - 1]},${tokens[i]} ${tokens[i]},${tokens[i + 1]}`;
