// A run as packed by pack.py: any question about any step, without the steps before it.
// Knows no page; tests read it with Node.

import { _ } from "./i18n.js";

const DTYPES = { "<i2": Int16Array, "<i4": Int32Array, "<f8": Float64Array };

/** Reads what Python sent: the head of the player, and one run a lane. Throws an Error with a
 *  sentence if it is none. */
export function readBundle(data) {
  const bytes = bytesOf(data);
  const head = readHeader(bytes, "TVZB");
  const from = 8 + lengthOf(bytes);
  return { head, runs: head.lanes.map(([at, size]) => readRun(bytes.subarray(from + at, from + at + size))) };
}

/** Reads what Python sent as JSON. */
export function readJson(data) {
  return JSON.parse(new TextDecoder().decode(bytesOf(data)));
}

/** Reads one packed run. */
export function readRun(data) {
  const bytes = bytesOf(data);
  const header = readHeader(bytes, "TVZ1");
  // Typed arrays need an aligned start; a blob inside a larger message may not have one.
  const values = bytes.slice(8 + lengthOf(bytes)).buffer;
  const arrays = {};
  for (const [name, [dtype, at, size]] of Object.entries(header.arrays)) {
    arrays[name] = new DTYPES[dtype](values, at, size);
  }
  const run = { ...header, ...arrays };
  run.strings = run.tokens.map((parts) => (typeof parts === "string" ? parts : parts.join("")));
  // Unigram: tokens are only ever removed. SentencePiece's has steps of several kinds, and ids that
  // change from state to state.
  run.em = run.algorithm === "sentencepiece-unigram";
  run.unigram = run.algorithm === "unigram" || run.em;
  return run;
}

function bytesOf(data) {
  return new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
}

function lengthOf(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
}

function readHeader(bytes, magic) {
  if (new TextDecoder().decode(bytes.subarray(0, 4)) !== magic) {
    throw new Error(_("This is not a recorded training."));
  }
  return JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + lengthOf(bytes))));
}

// --- words ------------------------------------------------------------------------------------

/** The tokens of excerpt word w in state t, as token numbers. */
export function wordTokens(run, w, t) {
  if (run.unigram) {
    const i = t * run.word_counts.length + w;
    return run.cuts.subarray(run.cut_starts[i], run.cut_starts[i + 1]);
  }
  const tokens = [];
  for (let i = run.starts[w]; i < run.starts[w + 1]; i++) {
    const gap = run.gaps[i];
    // The latest gap closed inside a token names the merge that made it.
    if (gap >= t) tokens.push(run.symbols[i]);
    else tokens[tokens.length - 1] = Math.max(tokens[tokens.length - 1], run.base + gap);
  }
  return tokens;
}

/** What happens to each of a word's tokens: "left" and "right" of the pair that the next step
 *  merges, "doomed", or "". */
export function wordMarks(run, tokens, t) {
  const marks = Array(tokens.length).fill("");
  if (run.unigram) {
    for (let i = 0; i < tokens.length; i++) if (goes(run, tokens[i], t)) marks[i] = "doomed";
    return marks;
  }
  if (t < run.steps) {
    for (let i = 0; i + 1 < tokens.length; i++) {
      if (tokens[i] === run.left[t] && tokens[i + 1] === run.right[t]) {
        marks[i] = "left";
        marks[++i] = "right";
      }
    }
  }
  return marks;
}

/** Whether the step out of state t removes a token. */
function goes(run, token, t) {
  if (!run.em) return run.removed_at[token] === t;
  return t < run.steps && isAlive(run, token, t) && !isAlive(run, token, t + 1);
}

/** The text of excerpt word w, without markers. */
export function wordText(run, w) {
  const bytes = [...wordTokens(run, w, 0)].flatMap((token) => [...tokenBytes(run, token)]);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

/** The excerpt words that hold a token in state t, most frequent first: at most `most`. */
export function wordsWith(run, token, t, most) {
  const found = [];
  for (const w of run.by_count) {
    if (wordTokens(run, w, t).includes(token) && found.push(w) === most) break;
  }
  return found;
}

/** Whether the step into state t made a token. */
export function isNew(run, token, t) {
  return !run.unigram && t > 0 && token === run.base + t - 1;
}

// --- tokens -----------------------------------------------------------------------------------

/** The string of a token. Special token k, which has id k, is number -2 - k. */
export function tokenString(run, token) {
  return token < 0 ? run.special_tokens[-2 - token] : run.strings[token];
}

/** All tokens with a string: one at most is a special token. */
export function tokensOf(run, string) {
  const all = [...run.special_tokens.map((_, k) => -2 - k), ...run.strings.keys()];
  return all.filter((token) => tokenString(run, token) === string);
}

/** The vocabulary id of a token in state t. */
export function tokenId(run, token, t) {
  if (run.em) return run.id_at[t * run.strings.length + token];
  if (!run.unigram) return run.ids[token];
  let id = run.special;
  for (let i = 0; i < token; i++) if (run.removed_at[i] >= t) id++;
  return id;
}

/** The first state that has a token. */
export function born(run, token) {
  return run.unigram ? 0 : Math.max(0, token - run.base + 1);
}

/** Whether state t has a token. */
export function isAlive(run, token, t) {
  if (run.em) return tokenId(run, token, t) >= 0;
  return run.unigram ? run.removed_at[token] >= t : born(run, token) <= t;
}

/** How often a token occurs in the whole corpus as segmented in state t. */
export function countNow(run, token, t) {
  if (run.em) return run.use_at[t * run.strings.length + token];
  if (run.unigram) {
    return isAlive(run, token, t) ? run.uses[run.use_starts[t] + tokenId(run, token, t) - run.special] : 0;
  }
  const birth = born(run, token);
  if (birth > t) return 0;
  let count = birth ? run.times[birth - 1] : run.first_counts[token];
  for (let s = birth; s < t; s++) {
    count -= ((run.left[s] === token) + (run.right[s] === token)) * run.times[s];
  }
  return count;
}

/** Characters of the corpus for each of its tokens in state t. */
export function charactersPerToken(run, t) {
  return run.corpus_tokens[t] ? run.characters / run.corpus_tokens[t] : 0;
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

/** The text that a token covers; null if its bytes are only a part of a character. */
export function tokenText(run, token) {
  if (run.unit === "char") return run.raw[token] ?? run.strings[token];
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

/** The colour of a token: CRC-32 of its UTF-8 text, so that it is the same everywhere. */
export function colour(text) {
  let crc = -1;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ((crc ^ -1) >>> 0) % 8;
}

// --- the score table --------------------------------------------------------------------------

/** The rows of state t's candidate table, best first. `run.agreement` says of each state of a run with
 *  exact deltas how far they agree with the approximate losses. */
export function rows(run, t) {
  const found = [];
  if (run.unigram) {
    for (let i = run.row_starts[t]; i < run.row_starts[t + 1]; i++) {
      const token = run.row_token[i];
      const delta = run.row_delta[i];
      if (run.em) {
        const [tied, chosen] = [run.row_tied[i] === 1, run.row_chosen[i] === 1];
        const row = { token, count: run.row_count[i], delta, tied, chosen, reason: run.reasons[run.row_reason[i]] };
        // The place of a row by its exact delta; 0 where it has none, and keeps its place.
        if (run.agreement) Object.assign(row, { exact: run.row_exact[i], exactRank: run.row_exact_rank[i] });
        found.push(row);
        continue;
      }
      const chosen = run.removed_at[token] === t;
      const tied = delta === run.cut[t] && run.tied[t] > 1;
      found.push({ token, count: run.counts[token], delta, chosen, tied });
    }
    const far = run.places?.[t] ?? [];
    far.forEach((place, k) => (found.at(k - far.length).place = place));
    return found;
  }
  for (let k = 0; k < run.rows; k++) {
    const i = t * run.rows + k;
    if (run.top_left[i] < 0) break;
    const row = {
      left: run.top_left[i],
      right: run.top_right[i],
      count: run.top_count[i],
      score: run.top_count[i],
      tied: run.tied[t] > 1 && k < run.tied[t],
      chosen: t < run.steps && run.top_left[i] === run.left[t] && run.top_right[i] === run.right[t],
    };
    if (run.given) row.rank = run.top_rank[i];
    if (run.likelihood) {
      row.leftCount = run.top_left_count[i];
      row.rightCount = run.top_right_count[i];
      row.score = row.count / (row.leftCount * row.rightCount);
    }
    found.push(row);
  }
  if (t < run.steps && !found.some((row) => row.chosen)) found.push(forcedRow(run, t));
  return found;
}

/** The row of a forced pair that is not among the best. */
function forcedRow(run, t) {
  const [place, count] = run.forced[t];
  const row = { left: run.left[t], right: run.right[t], count, score: count, tied: place <= run.tied[t], chosen: true, place };
  if (run.likelihood) {
    row.leftCount = countNow(run, row.left, t);
    row.rightCount = countNow(run, row.right, t);
    row.score = count / (row.leftCount * row.rightCount);
  }
  return row;
}

/** The row that the step out of state t merges; the first one but for forced steps. */
export function chosenRow(run, t) {
  return rows(run, t).find((row) => row.chosen);
}

/** Whether the step out of state t was told what to merge, and would have merged another pair. */
export function isForced(run, t) {
  return run.forced?.[t] !== undefined;
}

/** How many candidates state t has. */
export function candidateCount(run, t) {
  return run.unigram ? run.vocab_size[t] - run.special : run.candidates[t];
}

/** Whether the step out of state t breaks a tie; one that prunes does if the cut is inside the tie. */
export function isTied(run, t) {
  return t < run.steps && run.tied[t] > Math.max(1, run.unigram ? run.tied_removed[t] : 1);
}
