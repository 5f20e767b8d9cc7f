// Who trains on a page: the page itself, a worker beside it, or the page in slices where a browser refuses a worker.
// Run by test_player_trainer.py, which writes the scripts and how to train: `node --test`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Worker as Thread } from "node:worker_threads";

const folder = process.env.TOKVIZ_TRAINER;
const [script, kits] = ["worker.js", "kits.json"].map((name) => readFileSync(join(folder, name), "utf-8"));
// What Python puts before the modules.
globalThis.CORE = readFileSync(join(folder, "core.txt"), "utf-8");
globalThis.WORKER = [script];
const { Trainer } = await import("../../tokviz/player/js/trainer.js");
const { trainAll } = await import("../../tokviz/player/js/trained.js");

const likes = JSON.parse(kits).map((kit) => ({ ...kit, family: { merges: () => {} } }));
const words = (n, from = 0) => Array.from({ length: n }, (_none, i) => `w${((i + from) * 7919) % 1999}`).join(" ");
const LONG = words(40_000);
const LONGER = words(150_000);

/** A worker of the browser: a thread in which `before` runs first. */
const threads = (before = "") => class {
  constructor(url) {
    assert.match(url, /^blob:/);
    const page = `const { parentPort } = require("node:worker_threads");
      globalThis.addEventListener = (_name, heard) => parentPort.on("message", (data) => heard({ data }));
      globalThis.postMessage = (data, transfer) => parentPort.postMessage(data, transfer);\n`;
    this.thread = new Thread(page + before + script, { eval: true });
    this.thread.on("message", (data) => this.onmessage({ data }));
    threads.all.push(this.thread);
  }

  postMessage(data) {
    this.thread.postMessage(data);
  }
};

threads.all = [];
after(() => threads.all.forEach((thread) => thread.terminate()));

async function trainer(Worker) {
  globalThis.Worker = Worker;
  const made = new Trainer();
  await made.loading;
  return made;
}

/** What is asked for, as a promise; `order` tells what came when. */
const asked = (made, text, size = 400) => new Promise((done, failed) => made.train(likes, text, [size], 1000, done, failed));

function assertTrained(made, runs, text, size = 400) {
  const [expected] = trainAll(made.core, likes, text, [size], 1000);
  assert.deepEqual(runs, [expected]);
  assert.ok(expected.steps > 100);
  assert.equal(runs[0].family, likes[0].family);
}

test("a short text at once, without a worker", async () => {
  const made = await trainer(undefined);
  let runs;
  made.train(likes, words(900), [400], 1000, (found) => (runs = found), assert.fail);
  assertTrained(made, runs, words(900));
  made.train(likes, words(900), [2], 5, (found) => (runs = found), assert.fail);
  assert.equal(runs, null, "no room for the characters");
  made.train(likes, words(900), [2], 0, (found) => (runs = found), assert.fail);
  assert.equal(runs, null, "no size is raised");
});

test("the begin of a text is trained beforehand, and nobody hears of it", async () => {
  const made = await trainer(undefined);
  const { now } = made;
  const trained = [];
  made.now = (order) => now.call(made, { ...order, done: (runs) => (trained.push(...runs), order.done(runs)) });
  made.prepare(likes[0], 400, "");
  assert.equal(trained.length, 0, "there is nothing to train");
  // The 2,000th character is one of two halves, and stays whole.
  made.prepare(likes[0], 400, words(5000).slice(0, 1999) + "🙂".repeat(5000));
  assert.ok(trained[0].steps > 0);
  assert.ok(trained[0].characters <= 2000);
  made.train(likes, words(900), [400], 1000, () => {}, assert.fail);
  made.prepare(likes[0], 400, words(900));
  assert.equal(trained.length, 2, "not once somebody has asked for a training");
});

test("who cannot show a run is told so: it was trained all the same", async () => {
  const made = await trainer(undefined);
  const { core } = made;
  const broken = () => { throw new Error("not shown"); };
  assert.throws(() => made.train(likes, words(900), [400], 1000, broken, assert.fail), /not shown/);
  assert.equal(made.core, core);
});

test("a long text in a worker, which the next one calls off", async () => {
  const made = await trainer(threads());
  let early = 0;
  made.train(likes, words(60_000, 1), [900], 1000, () => early++, assert.fail);
  assertTrained(made, await asked(made, LONG), LONG);
  assertTrained(made, await asked(made, LONG, 300), LONG, 300);
  made.train(likes, LONG, [400], 1000, () => early++, assert.fail);
  assertTrained(made, await asked(made, words(900)), words(900));
  await new Promise((done) => setTimeout(done, 300));
  assert.equal(early, 0);
});

const refused = {
  "that throws": class {
    constructor() {
      throw new Error("SecurityError");
    }
  },
  "that never begins": class {
    postMessage() {
      setTimeout(() => this.onerror?.({}));
    }
  },
  "without WebAssembly": threads("WebAssembly.instantiate = () => Promise.reject(new Error('refused'));\n"),
};
for (const [kind, Worker] of Object.entries(refused)) {
  test(`in slices where there is a worker ${kind}`, async () => {
    const made = await trainer(Worker);
    let early = 0;
    let [turns, isDone] = [0, false];
    const turn = () => isDone || (turns++, setImmediate(turn));
    turn();
    made.train(likes, LONG, [900], 1000, () => early++, assert.fail);
    const runs = await asked(made, LONGER);
    isDone = true;
    assertTrained(made, runs, LONGER);
    assert.equal(early, 0, "the next text called it off");
    assert.ok(turns > 1, "others have their turn");
    assert.equal(made.worker, null);
    assertTrained(made, await asked(made, LONG, 300), LONG, 300);
  });
}

test("an end of the compiled trainer is a sentence that names what was asked, and is over", async () => {
  const made = await trainer(refused["that throws"]);
  for (const text of [words(900), LONG]) {
    for (const [isRefused, said] of [[1, /too little memory to train a text of [\d,]+ characters to 400 tokens/], [0, /of [\d,]+ characters to 400 tokens failed \(unreachable\)/]]) {
      const { core } = made;
      const go_on = () => {
        throw new WebAssembly.RuntimeError("unreachable");
      };
      core.c = { ...core.c, go_on, refused: () => isRefused };
      await assert.rejects(asked(made, text), said);
      await made.loading;
      assertTrained(made, await asked(made, text), text);
    }
  }
});

test("a worker tells of such an end, too, and begins anew", async () => {
  const stopping = `const real = WebAssembly.instantiate;
    WebAssembly.instantiate = async (...given) => {
      WebAssembly.instantiate = real;
      const { exports } = await real(...given);
      return { exports: { ...exports, go_on() { throw new WebAssembly.RuntimeError("unreachable"); } } };
    };\n`;
  const made = await trainer(threads(stopping));
  await assert.rejects(asked(made, LONG), /^Error: Training a text of 217,789 characters to 400 tokens failed \(unreachable\)\.$/);
  assertTrained(made, await asked(made, LONG, 300), LONG, 300);
  assert.ok(made.worker, "it stays");
});

test("it asks for nothing but the ids of tokens", async () => {
  const { module } = await trainer(undefined);
  assert.deepEqual(WebAssembly.Module.imports(module), [{ module: "host", name: "id_of", kind: "function" }]);
});

test("no trainer where WebAssembly is refused", async () => {
  const { compile } = WebAssembly;
  WebAssembly.compile = () => Promise.reject(new WebAssembly.CompileError("refused"));
  try {
    await assert.rejects(trainer(undefined), /refused/);
  } finally {
    WebAssembly.compile = compile;
  }
});
