// Tells the browser, and whoever reads the page aloud, which language the page is in, and that Streamlit's areas for
// uploads are groups with a name: it draws them as decoration, which a name and a focus contradict. Watches the menu of pages.

import { watchMenu } from "./menu.js";
import { shared } from "./shared.js";

const UPLOAD = '[data-testid="stFileUploaderDropzone"][role="presentation"]';

export default function mount({ data }) {
  document.documentElement.lang = data;
  watch.observe(document.body, { childList: true, subtree: true });
  nameUploads();
  if (!shared.menu) watchMenu();
  shared.menu = true;
}

const watch = new MutationObserver(nameUploads);

function nameUploads() {
  for (const area of document.querySelectorAll(UPLOAD)) area.setAttribute("role", "group");
}
