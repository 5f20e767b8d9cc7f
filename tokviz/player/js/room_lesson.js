// The question of a lesson's scene, as the class votes on it: its options are buttons of the page, and so is what shows
// the answer.

import { checksum } from "./checksum.js";
import { _n } from "./i18n.js";

const OPTIONS = '[class~="st-key-lesson_options"] button';
const REVEAL = '[class~="st-key-lesson_reveal"] button';
const ANSWERS = ".tv-guesses > li";

export const lessonName = (place) => `lesson/${checksum(place)}`;

export const lessonOptions = () => [...document.querySelectorAll(OPTIONS)];

/** The number of the option that was pressed; -1 if none was. */
export const lessonOption = (target) => lessonOptions().indexOf(target.closest?.("button"));

/** How many options were asked about where the answer stands now; 0 if none stands there. */
export const lessonAnswers = () => document.querySelectorAll(ANSWERS).length;

/** Marks the option that somebody voted for; null for none. */
export function markLesson(choice) {
  lessonOptions().forEach((option, i) => {
    option.toggleAttribute("data-voted", i === choice);
    option.setAttribute("aria-pressed", i === choice);
  });
}

/** Has the page show the answer, as that of who chose an option, or of who chose none. */
export function showLesson(choice) {
  (lessonOptions()[choice] ?? document.querySelector(REVEAL))?.click();
}

/** Draws beside the options what was voted for. */
export function drawLessonVotes(counts) {
  const votes = new Map(counts);
  const most = Math.max(1, ...votes.values());
  document.querySelectorAll(ANSWERS).forEach((option, i) => {
    const n = votes.get(i) ?? 0;
    option.dataset.votes = _n("{n} vote", "{n} votes", n);
    option.style.setProperty("--share", n / most);
  });
}
