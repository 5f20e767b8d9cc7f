// What axe finds in a page, or in the parts of it that a selector names. Of chips, of cells of tables
// and of letters of charts, the first two of each look and build are examined for all others.
async ([part, options]) => {
  const MANY = ".chip, td, .stVegaLiteChart svg text";
  const nameOf = ({ tagName, className }) => [tagName, className?.baseVal ?? className];
  const buildOf = (element) => [...nameOf(element), ...element.getAttributeNames()];
  const lookOf = (element) => {
    const { color, fill, backgroundColor, backgroundImage, opacity, fontSize, fontWeight } =
      getComputedStyle(element);
    const within = element.closest("section, table, figure, [role=region], .stVegaLiteChart");
    return JSON.stringify([
      [nameOf(element.parentElement), nameOf(within ?? document.body)],
      [buildOf(element), [...element.querySelectorAll("*")].map(buildOf)],
      // Of a single letter axe does not tell whether it can be read.
      [Math.min(element.textContent.trim().length, 2), element.checkVisibility()],
      [color, fill, backgroundColor, backgroundImage, opacity, fontSize, fontWeight],
    ]);
  };
  const seen = new Map();
  const left = new Set();
  const again = (element) => {
    if (left.has(element.parentElement.closest("td"))) return true;
    const look = lookOf(element);
    seen.set(look, (seen.get(look) ?? 0) + 1);
    if (seen.get(look) > 2) left.add(element);
    return left.has(element);
  };
  const include = [...document.querySelectorAll(part)];
  if (!include.length) throw new Error(`There is no ${part} on the page.`);
  // Axe asks each of them again and again what it contains: one answers for all of a part.
  const exclude = include.flatMap((within) => {
    const [one, ...more] = [...within.querySelectorAll(MANY)].filter(again);
    if (!one) return [];
    const inside = new Set([one, ...more].flatMap((e) => [e, ...e.querySelectorAll("*")]));
    one.contains = (other) => inside.has(other);
    return [one];
  });
  // Axe reads the same few colours anew for every element, and for all that lie behind it.
  const { Color } = axe.commons.color;
  if (!Color.read) {
    const colours = (Color.read = new Map());
    const parse = Color.prototype.parseString;
    Color.prototype.parseString = function (text) {
      if (!colours.has(text)) colours.set(text, parse.call(new Color(), text));
      const { r, g, b, alpha } = colours.get(text);
      return Object.assign(this, { r, g, b, alpha });
    };
  }
  // What it would load beforehand is for films, of which there are none, and for a rule that is off.
  const usual = { resultTypes: ["violations"], preload: false };
  const found = await axe.run({ include, exclude }, { ...usual, ...options });
  for (const element of exclude) delete element.contains;
  return found;
}
