// Tells Python the moment at which the player rests. This component stands among the lenses: when one tells
// something, Python draws the fragment around it anew, and only the lenses depend on the moment.

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
