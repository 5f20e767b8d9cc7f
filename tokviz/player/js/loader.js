// The first script of a page of its own: it runs the page's script, which is compressed, and so is what the player looks
// like. The policy of the page names the digests of both scripts, and lets nothing else run.

import { unzipped } from "./gzip.js";
import { _ } from "./i18n.js";

const carried = (name) => unzipped(document.getElementById(`tokviz-${name}`).textContent).text();

async function load() {
  const [style, script] = ["style", "script"].map((kind) => document.createElement(kind));
  script.type = "module";
  [style.textContent, script.textContent] = await Promise.all(["style", "code"].map(carried));
  document.querySelector("style").after(style);
  document.head.append(script);
}

load().catch((error) => {
  const values = { error: error.message };
  document.querySelector(".tv-player").textContent = _("This page could not be opened ({error}). It needs a browser of 2024 or newer.", values);
  throw error;
});
