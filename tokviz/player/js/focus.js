// Moves the focus to what is new on the page, for the button that was pressed may be gone. Nothing moves
// when a page opens.

import { shared } from "./shared.js";

const EVERY = 60; // ms until the next look for what is new, which comes after this
const LONGEST = 5000; // ms of looking; what is drawn anew in that time loses the focus and gets it back

export default function mount({ data: { part, moment } }) {
  const { focus } = shared;
  const before = focus.moment;
  focus.moment = moment;
  if (before === undefined || before === moment) return;
  clearTimeout(focus.looking);
  const end = performance.now() + LONGEST;
  let came = false;
  const look = () => {
    const found = document.querySelector(part);
    if (found && (!came || document.activeElement === document.body)) {
      found.focus();
      came = true;
    }
    if (performance.now() < end) focus.looking = setTimeout(look, EVERY);
  };
  focus.looking = setTimeout(look, EVERY);
}
