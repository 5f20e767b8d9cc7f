// Work that waits: where the browser tells when it is idle, and in Safari, which does not.
// Run by test_player_idle.py: `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { whenIdle } from "../../tokviz/player/js/idle.js";

/** A browser in which time passes as told: frames, timers, and idle moments if it has them. */
function browser(t, { idle }) {
  const [frames, timers, idles] = [new Map(), new Map(), new Map()];
  const at = { now: 100 };
  let id = 0;
  const into = (waiting) => (work) => (waiting.set(++id, work), id);
  const outOf = (waiting) => (asked) => waiting.delete(asked);
  const fakes = {
    window: globalThis, performance: { now: () => at.now },
    requestAnimationFrame: into(frames), cancelAnimationFrame: outOf(frames), setTimeout: into(timers), clearTimeout: outOf(timers),
    ...(idle && { requestIdleCallback: into(idles), cancelIdleCallback: outOf(idles) }),
  };
  const before = Object.keys(fakes).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  for (const [name, value] of Object.entries(fakes)) Object.defineProperty(globalThis, name, { value, configurable: true });
  t.after(() => before.forEach(([name, old]) => (old ? Object.defineProperty(globalThis, name, old) : delete globalThis[name])));
  const run = (waiting, given) => {
    const works = [...waiting.values()];
    waiting.clear();
    works.forEach((work) => work(given));
  };
  return { at, frames, timers, idles, run };
}

test("the browser's own idle moments are taken, and called off, where it has them", (t) => {
  const { frames, timers, idles, run } = browser(t, { idle: true });
  const told = [];
  whenIdle((left) => told.push(left()));
  assert.deepEqual([frames.size, timers.size, idles.size], [0, 0, 1]);
  run(idles, { timeRemaining: () => 41 });
  assert.deepEqual(told, [41]);
  whenIdle(() => told.push("called"))();
  assert.equal(idles.size, 0);
});

test("without them work waits for a painted frame, and is told how much time it has", (t) => {
  const { at, frames, timers, run } = browser(t, { idle: false });
  const told = [];
  whenIdle((left) => {
    told.push(left());
    at.now += 8;
    told.push(left());
  });
  run(timers);
  assert.deepEqual(told, []);
  run(frames);
  // Before the frame is painted nothing is done either.
  assert.deepEqual(told, []);
  run(timers);
  assert.equal(told.length, 2);
  assert.ok(told[0] > 10 && told[0] < 20, told[0]);
  assert.equal(told[0] - told[1], 8);
});

test("without them work is called off before the frame, and behind it", (t) => {
  const { frames, timers, run } = browser(t, { idle: false });
  const never = () => assert.fail("it was called off");
  whenIdle(never)();
  assert.deepEqual([frames.size, timers.size], [0, 0]);
  const callOff = whenIdle(never);
  run(frames);
  assert.equal(timers.size, 1);
  callOff();
  assert.equal(timers.size, 0);
  run(timers);
});
