// The first script of a page of its own: it runs the page's script, which is compressed. The policy of the page
// names the digests of both, and lets nothing else run.

import { unzipped } from "./gzip.js";
import { _ } from "./i18n.js";

async function load() {
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = await unzipped(document.getElementById("tokviz-code").textContent).text();
  document.head.append(script);
}

load().catch((error) => {
  const values = { error: error.message };
  document.querySelector(".tv-player").textContent = _("This page could not be opened ({error}). It needs a browser of 2024 or newer.", values);
  throw error;
});
