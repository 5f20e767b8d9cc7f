// The numbers that a class voted for, in few rows.

const MOST = 8; // rows

/** Each number with how many voted for it; where those are many, neighbours stand together, from one to another. The
 *  right one has its own row, also where nobody voted for it. */
export function bucketsOf(counts, right) {
  const votes = new Map(counts);
  const voted = [...votes.keys()].sort((a, b) => a - b);
  const below = voted.filter((value) => value < right);
  const above = voted.filter((value) => value > right);
  const others = below.length + above.length;
  let few = below.length;
  if (others >= MOST && few) few = Math.min(Math.max(1, Math.round(((MOST - 1) * few) / others)), MOST - 1 - (above.length > 0));
  const many = others < MOST ? above.length : MOST - 1 - few;
  return [...together(below, few), [right], ...together(above, many)].map((values) => ({
    from: values[0], to: values.at(-1), right: values[0] === right, votes: values.reduce((sum, value) => sum + (votes.get(value) ?? 0), 0),
  }));
}

/** Values in so many parts, which are of one length as nearly as can be. */
function together(values, parts) {
  const start = (part) => Math.floor((part * values.length) / parts);
  return Array.from({ length: parts }, (_none, part) => values.slice(start(part), start(part + 1)));
}
