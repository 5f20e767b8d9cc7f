// What the player says of every step in another language, against the engine's words. Run by
// test_player_run.py, which writes the catalog, the packed runs and what the engine says: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const folder = process.env.TOKVIZ_RUNS;
const catalog = readFileSync(join(folder, "catalog.js"), "utf-8");
// i18n.js reads it when it is loaded.
globalThis.CATALOG = new Function(`${catalog}; return CATALOG;`)();
const reader = await import("../../tokviz/player/js/runs.js");
const say = await import("../../tokviz/player/js/say.js");

const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
assert.ok(names.length > 0);

for (const name of names) {
  test(`${name}: every step`, () => {
    const run = reader.readRun(readFileSync(join(folder, name.replace(".json", ".blob"))));
    JSON.parse(readFileSync(join(folder, name), "utf-8")).forEach(([narration, announcement], t) => {
      assert.equal(say.plainText(run, say.narrate(run, t)), narration);
      assert.equal(say.plainText(run, say.announce(run, t)), announcement);
    });
  });
}

test("a fraction has a plural form, too", async () => {
  const { _n } = await import("../../tokviz/player/js/i18n.js");
  CATALOG.messages["{speed} step/s"] = Array(10).fill("{speed} a second");
  for (const speed of [0.5, 1, 2]) assert.equal(_n("{speed} step/s", "{speed} steps/s", speed, { speed }), `${speed} a second`);
});
