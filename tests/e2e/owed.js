// Notes in a page what its server owes it, before Streamlit opens its connection: from a request to
// run the script until that run has begun, and from there until it has ended. Streamlit's own mark
// of a running script says nothing until the server has answered.

([request, begun, ended, early]) => {
  window.owed = { beginning: true, end: false };
  const heard = () => (window.owed.heard = performance.now());
  heard();
  window.WebSocket = class extends WebSocket {
    constructor(...where) {
      super(...where);
      this.addEventListener("message", ({ data }) => {
        const said = fields(new Uint8Array(data));
        if (said.has(begun)) window.owed = { beginning: false, end: true };
        if (said.has(ended) && said.get(ended) !== early) window.owed.end = false;
        heard();
      });
    }

    send(data) {
      if (fields(data).has(request)) window.owed.beginning = true;
      heard();
      super.send(data);
    }
  };

  /** The fields of a Protocol Buffers message by number: values of integers, else lengths. */
  function fields(bytes) {
    const found = new Map();
    let at = 0;
    const integer = () => {
      for (let value = 0, unit = 1; ; unit *= 128) {
        const byte = bytes[at++];
        value += (byte % 128) * unit;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const tag = integer();
      const value = integer();
      found.set(tag >> 3, value);
      if (tag % 8 === 2) at += value;
      else if (tag % 8) throw Error(`No field of Streamlit's messages is of kind ${tag % 8}.`);
    }
    return found;
  }
}
