// The tree of a word as it has grown until a state: its symbols in columns, below them a row for each step that
// joined something. A node is { token, from, to, level, step, end, inside, fresh }: its columns, the row in which it
// stands (0 is that of the symbols), the step that made it, the row of the token that it became a part of (undefined
// if there is no such token), whether there is one, and whether the last step made it. Knows no page.

/** Of a run that merges: its symbols, then what merges made of them, in this order. `codes` are the numbers of the
 *  word's gaps, where they are not always the same. */
export function mergeTree(run, w, t, codes) {
  const [start, end] = [run.starts[w], run.starts[w + 1]];
  const nodes = Array.from(run.symbols.subarray(start, end), (token, i) => nodeOf({ token, from: i, to: i + 1, level: 0 }));
  const largest = [...nodes]; // for each symbol the largest token that holds it so far
  const gap = (i) => (codes ? codes[i] : run.gaps[start + i]);
  const closed = [...largest.keys()].filter((i) => gap(i) < t).sort((a, b) => gap(a) - gap(b));
  const steps = [...new Set(closed.map(gap))];
  for (const i of closed) {
    const parts = [largest[i - 1], largest[i]];
    const level = 1 + steps.indexOf(gap(i));
    for (const part of parts) Object.assign(part, { end: level, inside: true });
    const [{ from }, { to }] = parts;
    const made = nodeOf({ token: run.made ? run.made[gap(i)] : run.base + gap(i), from, to, level, step: gap(i), parts, fresh: gap(i) === t - 1 });
    largest.fill(made, from, to);
    nodes.push(made);
  }
  return nodes;
}

/** Of a run that prunes: the characters of the word, whose nodes have a `text` and no token, and below
 *  them the tokens of its best path. */
export function pathTree(run, w, t) {
  const path = (state) => [...run.family.wordTokens(run, w, state)];
  const tokens = path(t);
  const columns = []; // for each place in the word the column that it is in
  const nodes = [];
  for (const char of tokens.map((token) => textOf(run, token)).join("")) {
    for (let k = 0; k < char.length; k++) columns.push(nodes.length);
    nodes.push(nodeOf({ text: char, from: nodes.length, to: nodes.length + 1, level: 0, inside: true }));
  }
  const before = new Set(t ? spans(run, path(t - 1)).map(String) : []);
  spans(run, tokens).forEach((span, i) => {
    const [start, end] = span;
    const fresh = t > 0 && !before.has(String(span));
    const from = columns[start];
    // A space is written as its token has it.
    if (nodes[from].text === " ") nodes[from].text = run.strings[tokens[i]][0];
    nodes.push(nodeOf({ token: tokens[i], from, to: columns[end - 1] + 1, level: 1, fresh }));
  });
  return nodes;
}

function nodeOf(node) {
  return { inside: false, fresh: false, ...node };
}

/** The text that a token covers, known to the vocabulary or not. */
function textOf(run, token) {
  return run.raw[token] ?? run.strings[token];
}

/** Where the texts of tokens begin and end in their word. */
function spans(run, tokens) {
  let end = 0;
  return tokens.map((token) => {
    const start = end;
    end += textOf(run, token).length;
    return [start, end];
  });
}

/** The tokens of the word in the state that a tree has grown to. */
export function roots(nodes) {
  return nodes.filter(({ inside }) => !inside).sort((a, b) => a.from - b.from);
}

/** How much room a tree takes when it is grown. */
export function sizeOf(nodes) {
  const most = (of) => nodes.reduce((greatest, node) => Math.max(greatest, of(node)), 0);
  return { columns: most(({ to }) => to), rows: most(({ level }) => level) + 1 };
}
