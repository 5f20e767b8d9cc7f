// Trains texts on a page: short ones at once, others in a worker (worker.js), whose script Python puts beside
// the modules (assets.py); where a browser refuses a worker, in slices between which the page does what else it has to.

import { Core } from "./core.js";
import { loadModule } from "./core_bytes.js";
import { isTrainable, kitOf, trainAll, trainingAll } from "./trained.js";
import { LOOKS, inTurns } from "./turns.js";

const LITTLE = 30_000; // characters, of all lanes together, that are trained within a frame or two
const UNIGRAM = 4; // times as much work as merges
const LEARNT_FROM = 2000; // characters, after which a browser runs the trainer at its full speed

export class Trainer {
  constructor() {
    this.number = 0;
    /** Until there is a trainer, also one after another that failed; rejects where a browser refuses WebAssembly. */
    this.loading = loadModule().then((module) => this.begin(module));
  }

  /** Has a trainer; none until then. */
  async begin(module) {
    Object.assign(this, { module, core: undefined });
    this.core = await Core.of(module);
  }

  /** Trains the begin of a text for nobody, unless somebody has asked for more: what a browser compiles at its first use,
   *  and compiles better after some more, nobody waits for. */
  prepare(like, size, text) {
    const few = Array.from(text.slice(0, 2 * LEARNT_FROM)).slice(0, LEARNT_FROM).join("");
    if (this.core && !this.number && isTrainable(few)) this.now({ likes: [like], text: few, sizes: [size], mostTokens: 0, done: () => {}, failed: () => {} });
  }

  /** Trains as `trainAll` does with these arguments, and calls `done` with the runs, at once or later; `failed` hears
   *  why there are none. What was asked for before is called off. */
  train(likes, text, sizes, mostTokens, done, failed) {
    const order = { number: ++this.number, likes, text, sizes, mostTokens, done, failed };
    const work = likes.reduce((sum, { retrain }) => sum + (retrain.prune_fraction ? UNIGRAM : 1) * text.length, 0);
    if (work <= LITTLE) this.now(order);
    else this.later(order);
  }

  now(order) {
    let runs;
    try {
      const { likes, text, sizes, mostTokens } = order;
      runs = trainAll(this.core, likes, text, sizes, mostTokens);
    } catch (error) {
      return this.fail(order, error);
    }
    order.done(runs);
  }

  later(order) {
    this.order = order;
    if (this.worker === undefined) this.worker = this.hired();
    const { number, likes, text, sizes, mostTokens } = order;
    // A message has no functions.
    if (this.worker) this.worker.postMessage({ number, likes: likes.map((like) => ({ ...kitOf(like), family: undefined })), text, sizes, mostTokens });
    else this.inSlices(order);
  }

  /** A worker that knows the module; null where there is none. */
  hired() {
    const dismissed = () => {
      if (!this.worker) return;
      this.worker = null;
      if (this.order?.number === this.number) this.inSlices(this.order);
    };
    try {
      const worker = new Worker(URL.createObjectURL(new Blob(WORKER, { type: "text/javascript" })));
      worker.onerror = dismissed;
      worker.onmessage = ({ data }) => (data.isRefused ? dismissed() : this.heard(data));
      worker.postMessage({ module: this.module });
      return worker;
    } catch {
      return null;
    }
  }

  heard({ number, runs, error }) {
    const { order } = this;
    if (number !== this.number) return;
    if (error) order.failed(new Error(error));
    else order.done(runs?.map((run, i) => ({ ...run, family: order.likes[i].family })) ?? null);
  }

  /** What failed left the trainer anyhow. */
  fail(order, error) {
    this.loading = this.begin(this.module);
    order.failed(error);
  }

  async inSlices(order) {
    const { likes, text, sizes, mostTokens } = order;
    let runs;
    try {
      const slices = trainingAll(this.core, likes, text, sizes, mostTokens, LOOKS);
      runs = await inTurns(slices, () => order.number !== this.number);
    } catch (error) {
      return this.fail(order, error);
    }
    if (runs !== undefined) order.done(runs);
  }
}
