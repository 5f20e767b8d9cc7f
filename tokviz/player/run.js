// A run as packed by pack.py: any question about any step, without the steps before it.
// Knows no page; tests read it with Node.

const DTYPES = { "<i4": Int32Array, "<f8": Float64Array };
const NEVER = 2 ** 31 - 1;

/** Reads a blob. Throws an Error with a sentence if it is none. */
export function readRun(buffer) {
  const bytes = new Uint8Array(buffer.buffer ?? buffer, buffer.byteOffset ?? 0, buffer.byteLength);
  if (new TextDecoder().decode(bytes.subarray(0, 4)) !== "TVZ1") {
    throw new Error("This is not a recorded training.");
  }
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  // Typed arrays need an aligned start; a blob inside a larger message may not have one.
  const data = bytes.slice(8 + length).buffer;
  const arrays = {};
  for (const [name, [dtype, at, size]] of Object.entries(header.arrays)) {
    arrays[name] = new DTYPES[dtype](data, at, size);
  }
  const run = { ...header, ...arrays };
  run.strings = run.tokens.map((parts) => (typeof parts === "string" ? parts : parts.join("")));
  run.unigram = run.algorithm === "unigram";
  return run;
}

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
    for (let i = 0; i < tokens.length; i++) if (run.removed_at[tokens[i]] === t) marks[i] = "doomed";
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

/** Whether the step into state t made a token. */
export function isNew(run, token, t) {
  return !run.unigram && t > 0 && token === run.base + t - 1;
}

/** The vocabulary id of a token in state t. */
export function tokenId(run, token, t) {
  if (!run.unigram) return run.ids[token];
  let id = run.special;
  for (let i = 0; i < token; i++) if (run.removed_at[i] >= t) id++;
  return id;
}

/** The first state that has a token. */
export function born(run, token) {
  return run.unigram ? 0 : Math.max(0, token - run.base + 1);
}

// GPT-2's map: bytes that Latin-1 can print stand for themselves, the others follow U+00FF.
const plain = (b) => (b > 0x20 && b < 0x7f) || (b > 0xa0 && b !== 0xad);
const hidden = [...Array(256).keys()].filter((b) => !plain(b));

/** The bytes of the text that a token covers, its markers not included. */
export function tokenBytes(run, token) {
  const raw = run.raw[token] ?? run.strings[token];
  if (run.unit === "char") return new TextEncoder().encode(raw);
  return Uint8Array.from(raw, (char) => {
    const code = char.codePointAt(0);
    return code < 0x100 ? code : hidden[code - 0x100];
  });
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

/** The rows of state t's candidate table, best first. */
export function rows(run, t) {
  const found = [];
  if (run.unigram) {
    for (let i = run.row_starts[t]; i < run.row_starts[t + 1]; i++) {
      const token = run.row_token[i];
      const delta = run.row_delta[i];
      const chosen = run.removed_at[token] === t;
      const tied = delta === run.cut[t] && run.tied[t] > 1;
      found.push({ token, count: run.counts[token], delta, chosen, tied });
    }
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
      chosen: k === 0 && t < run.steps,
    };
    if (run.likelihood) {
      row.leftCount = run.top_left_count[i];
      row.rightCount = run.top_right_count[i];
      row.score = row.count / (row.leftCount * row.rightCount);
    }
    found.push(row);
  }
  return found;
}

/** How many candidates state t has. */
export function candidateCount(run, t) {
  return run.unigram ? run.vocab_size[t] - run.special : run.candidates[t];
}

/** What led to state t, in parts: strings, and token numbers for chips. */
export function narrate(run, t) {
  if (!t) {
    const [size, tokens] = [number(run.vocab_size[0]), number(run.corpus_tokens[0])];
    return [`Before training: ${size} tokens in the vocabulary, ${tokens} tokens in the corpus.`];
  }
  return run.unigram ? pruned(run, t - 1) : merged(run, t - 1);
}

/** What the step out of state t will do; in the last state, why there is none. */
export function announce(run, t) {
  if (t === run.steps) return [run.stopped];
  if (run.unigram) {
    const gone = run.vocab_size[t] - run.vocab_size[t + 1];
    const who = gone === 1 ? "1 token goes" : `${number(gone)} tokens go`;
    const said = [`Next: ${who}, up to a loss delta of ${loss(run.cut[t])}.`];
    if (run.tied[t] > run.tied_removed[t]) {
      said.push(` ${number(run.tied[t])} tie there, so vocabulary order decides.`);
    }
    return said;
  }
  const [best] = rows(run, t);
  const score = scoreText(run, best);
  const said = ["Next: ", best.left, " + ", best.right, ` with ${score}.`];
  if (run.tied[t] > 1) {
    said.push(` ${number(run.tied[t])} pairs tie at ${score}; "${run.rule}" takes `);
    said.push(run.first_seen ? `the one met first, in "${metIn(run, t)}".` : `${run.rule_help}.`);
  }
  return said;
}

/** Narration parts as one string, tokens in quotes. */
export function plainText(run, parts) {
  return parts.map((p) => (typeof p === "number" ? `"${run.strings[p]}"` : p)).join("");
}

function merged(run, s) {
  const [left, right] = [run.left[s], run.right[s]];
  const times = run.times[s] === 1 ? "once" : `${number(run.times[s])} times`;
  const said = [`Step ${number(s + 1)}: merged `, left, " + ", right, " into ", run.base + s];
  const counted = rows(run, s)[0].count;
  const overlaps = counted === run.times[s] ? "" : `, counted ${number(counted)} with overlaps`;
  said.push(` (${times}${overlaps}).`);
  if (run.vocab_size[s + 1] === run.vocab_size[s]) {
    said.push(" The vocabulary had that token already and did not grow.");
  }
  const [best, second] = rows(run, s);
  if (run.tied[s] > 1) {
    said.push(` ${number(run.tied[s])} pairs tied at ${scoreText(run, best)}; "${run.rule}" chose `);
    said.push(left, " + ", right);
    said.push(run.first_seen ? `, met first in "${metIn(run, s)}".` : `, ${run.rule_help}.`);
    return said;
  }
  if (run.likelihood) said.push(` Its score is ${scoreText(run, best)}.`);
  if (second) {
    said.push(" Runner-up ", second.left, " + ", second.right, ` with ${scoreText(run, second)}.`);
  }
  return said;
}

function pruned(run, s) {
  const [before, after] = [run.vocab_size[s], run.vocab_size[s + 1]];
  let said = `Round ${number(s + 1)}: pruned ${number(before - after)} of ${number(before)} tokens`;
  if (run.tied[s] > 1) {
    said += `; ${number(run.tied[s])} tied at a loss delta of ${loss(run.cut[s])}, and `;
    said += `${number(run.tied_removed[s])} of them went, in vocabulary order`;
  } else {
    said += `, up to a loss delta of ${loss(run.cut[s])}`;
  }
  const losses = `${fixed(run.loss[s])} → ${fixed(run.loss[s + 1])}`;
  return [`${said}. Corpus loss ${losses}, with the probabilities of the rest renormalised.`];
}

function metIn(run, s) {
  return run.met[run.met_in[s]];
}

/** The score of a merge row as people read it: a count, or the fraction and its value. */
export function scoreText(run, row) {
  if (!run.likelihood) return number(row.count);
  const parts = [row.count, row.leftCount, row.rightCount].map(number);
  return `${parts[0]}/(${parts[1]}×${parts[2]}) = ${significant(row.score)}`;
}

/** An integer with thousands separators. */
export function number(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Up to four significant digits, as Python's format "g" writes them: halves go to even. */
export function significant(value) {
  if (!value) return "0";
  const [digits, power] = value.toExponential(60).split("e");
  const half = /^50*$/.test(digits.slice(5)) && digits[4] % 2 === 0;
  const rounded = half ? Number(`${digits.slice(0, 5)}e${power}`) : Number(value.toExponential(3));
  const [shown, exponent] = rounded.toExponential().split("e");
  if (exponent >= -4 && exponent < 4) return String(rounded);
  const sign = exponent < 0 ? "-" : "+";
  return `${shown}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function loss(value) {
  return value === 0 ? "0" : significant(value);
}

/** Two decimals with thousands separators; halves go to even here too. */
function fixed(value) {
  const exact = value.toFixed(60);
  const kept = exact.slice(0, exact.indexOf(".") + 3);
  const half = /^50*$/.test(exact.slice(kept.length)) && kept.at(-1) % 2 === 0;
  const [whole, decimals] = (half ? kept : value.toFixed(2)).split(".");
  return `${number(whole)}.${decimals}`;
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

/** The state nearest to t, in direction ±1, that follows a tie; t itself if there is none. */
export function nextTie(run, t, direction = 1) {
  for (let s = t + direction; s >= 0 && s < run.steps; s += direction) {
    if (run.tied[s] > 1) return s;
  }
  return t;
}
