// Everything that was recorded or kept, trained by the browser's scripts. Run by test_player_trained.py: `node --test`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Core } from "../../tokviz/player/js/core.js";
import { differences } from "./same_run.mjs";

const folder = process.env.TOKVIZ_RUNS;

test("every run", async () => {
  const core = await Core.of(await WebAssembly.compile(readFileSync(new URL("../../tokviz/core/core.wasm", import.meta.url))));
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  assert.ok(names.length > 200);
  for (const name of names) {
    const told = JSON.parse(readFileSync(join(folder, name), "utf-8"));
    assert.deepEqual(differences(core, told, readFileSync(join(folder, `${name.slice(0, -5)}.blob`))), [], name);
  }
});
