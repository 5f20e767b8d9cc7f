// Tells Python on which moment the player settled, from where the lenses are: what a component tells
// has Python draw the fragment anew that it stands in, and only the lenses depend on the moment.

import { shared } from "./shared.js";

export default function mount({ parentElement, setStateValue }) {
  shared.tellMoment = () => {
    const moment = shared.untold;
    if (!moment || !parentElement.isConnected) return;
    shared.untold = null;
    setStateValue("moment", moment);
  };
  // The player is on the page before the lenses are.
  setTimeout(shared.tellMoment);
}
