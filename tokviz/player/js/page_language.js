// Tells the browser, and whoever reads the page aloud, which language the page is in, and that Streamlit's areas for
// uploads are groups with a name: it draws them as decoration, which a name and a focus contradict.

const UPLOAD = '[data-testid="stFileUploaderDropzone"][role="presentation"]';

export default function mount({ data }) {
  document.documentElement.lang = data;
  watch.observe(document.body, { childList: true, subtree: true });
  nameUploads();
}

const watch = new MutationObserver(nameUploads);

function nameUploads() {
  for (const area of document.querySelectorAll(UPLOAD)) area.setAttribute("role", "group");
}
