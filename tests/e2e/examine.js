// What axe finds in a page, or in the parts of it that a selector names. Of chips, of cells of tables
// and of letters of charts, the first of each look and build is examined for all that are like it.
async ([part, options]) => {
  const seen = new Set();
  const nameOf = ({ tagName, className }) => [tagName, className?.baseVal ?? className];
  const buildOf = (element) => [...nameOf(element), ...element.getAttributeNames()];
  const lookOf = (element) => {
    const { color, fill, backgroundColor, backgroundImage, opacity, fontSize, fontWeight } =
      getComputedStyle(element);
    const within = element.closest("section, table, figure, [role=region], .stVegaLiteChart");
    return JSON.stringify([
      [nameOf(element.parentElement), nameOf(within ?? document.body)],
      [buildOf(element), [...element.querySelectorAll("*")].map(buildOf)],
      [!element.textContent.trim(), color, fill, backgroundColor, backgroundImage],
      [opacity, fontSize, fontWeight],
    ]);
  };
  const left = new Set();
  const again = (element) => {
    if (left.has(element.parentElement.closest("td"))) return true;
    const look = lookOf(element);
    if (seen.has(look)) left.add(element);
    return seen.has(look) || !seen.add(look);
  };
  const many = document.querySelectorAll(".chip, td, .stVegaLiteChart svg text");
  // Streamlit's own upload area has a label on an element of role "presentation".
  const uploads = document.querySelectorAll('[data-testid="stFileUploaderDropzone"]');
  const exclude = [...uploads, ...[...many].filter(again)];
  const include = [...document.querySelectorAll(part)];
  if (!include.length) throw new Error(`There is no ${part} on the page.`);
  return axe.run({ include, exclude }, { resultTypes: ["violations"], ...options });
}
