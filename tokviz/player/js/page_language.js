// Tells the browser, and whoever reads the page aloud, which language the page is in.

export default function mount({ data }) {
  document.documentElement.lang = data;
}
