// The worker of trainer.js: trains long texts beside the page.

import { Core } from "./core.js";
import { trainingAll } from "./trained.js";
import { LOOKS, inTurns } from "./turns.js";

let module, core;
let latest = 0;

const buffersOf = (runs) => runs.flatMap((run) => Object.values(run).filter(ArrayBuffer.isView).map(({ buffer }) => buffer));

function begin() {
  core = Core.of(module).catch(() => void postMessage({ isRefused: true }));
}

addEventListener("message", async ({ data }) => {
  if (data.module) {
    module = data.module;
    return begin();
  }
  const { number, likes, text, sizes, mostTokens } = data;
  latest = number;
  const trainer = await core;
  if (!trainer) return;
  try {
    const runs = await inTurns(trainingAll(trainer, likes, text, sizes, mostTokens, LOOKS), () => number !== latest);
    if (runs !== undefined) postMessage({ number, runs }, [...new Set(buffersOf(runs ?? []))]);
  } catch (error) {
    begin();
    postMessage({ number, error: error.message });
  }
});
