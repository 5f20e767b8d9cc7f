// Tells Python on which moment the player settled, from where the lenses are: what a component tells
// has Python draw the fragment anew that it stands in, and only the lenses depend on the moment.

export default function mount({ parentElement, setStateValue }) {
  window.tokvizHearMoment = () => {
    const moment = window.tokvizMomentUntold;
    if (!moment || !parentElement.isConnected) return;
    window.tokvizMomentUntold = null;
    setStateValue("moment", moment);
  };
  // The player is on the page before the lenses are.
  setTimeout(window.tokvizHearMoment);
}
