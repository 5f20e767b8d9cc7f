// Takes the keyboard, and whoever listens, along to what is new where the button that was pressed may be
// gone. What a window shows first moves nothing.

const EVERY = 60; // ms until the next look for what is new, which comes after this
const LONGEST = 5000; // ms of looking; what is drawn anew in that time loses the focus and gets it back

export default function mount({ data: { part, moment } }) {
  const before = window.tokvizSeen;
  window.tokvizSeen = moment;
  if (before === undefined || before === moment) return;
  clearTimeout(window.tokvizFocusing);
  const end = performance.now() + LONGEST;
  let came = false;
  const look = () => {
    const found = document.querySelector(part);
    if (found && (!came || document.activeElement === document.body)) {
      found.focus();
      came = true;
    }
    if (performance.now() < end) window.tokvizFocusing = setTimeout(look, EVERY);
  };
  window.tokvizFocusing = setTimeout(look, EVERY);
}
