// Work that can wait until the browser has nothing else to do.

const PAUSE = 50; // ms without a move before such work, where the browser does not say when it is idle
const SLICE = 16; // ms of such work at a time there: whoever moves meanwhile waits one frame longer

/** Calls `work` when the browser is idle, with a function that gives the milliseconds left. Returns a
 *  function that calls it off. */
export function whenIdle(work) {
  if (window.requestIdleCallback) {
    const asked = requestIdleCallback((deadline) => work(() => deadline.timeRemaining()));
    return () => cancelIdleCallback(asked);
  }
  // Safari: after a frame was painted, and no key that is held down has called it off.
  let resting;
  const frame = requestAnimationFrame(() => {
    resting = setTimeout(() => {
      const end = performance.now() + SLICE;
      work(() => end - performance.now());
    }, PAUSE);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(resting);
  };
}
