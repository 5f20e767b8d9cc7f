// What is done in slices, between which others have their turn.

export const LOOKS = 200_000; // looks at a symbol or a pair (core.js)
const TURN = 8; // ms until others have theirs

/** What a generator returns; undefined as soon as it is called off. */
export async function inTurns(slices, isCalledOff) {
  const { port1, port2 } = new MessageChannel();
  try {
    for (let since = performance.now(); ; ) {
      const { done, value } = slices.next();
      if (done) return value;
      if (performance.now() - since < TURN) continue;
      await new Promise((next) => {
        port1.onmessage = next;
        port2.postMessage(0);
      });
      if (isCalledOff()) return undefined;
      since = performance.now();
    }
  } finally {
    port1.close();
  }
}
