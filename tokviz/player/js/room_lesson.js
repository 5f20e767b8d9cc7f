// The question of a lesson's scene, as the class votes on it: its options are buttons of the page, or a number is typed
// into a field of it; and so is what shows the answer.

import { checksum } from "./checksum.js";
import { make } from "./dom.js";
import { _, _n, number } from "./i18n.js";
import { bucketsOf } from "./room_buckets.js";

const OPTIONS = '[class~="st-key-lesson_options"] button';
const FIELD = '[class~="st-key-lesson_guess"] input';
const CHECK = '[class~="st-key-lesson_check"] button';
const REVEAL = '[class~="st-key-lesson_reveal"] button';
const ANSWER = ".tv-answer";
const GREATEST = 10 ** 9; // The server takes no greater number.

export const lessonName = (place) => `lesson/${checksum(place)}`;

const lessonOptions = () => [...document.querySelectorAll(OPTIONS)];

/** How many options are asked about: 0 where a number is asked for, null where nothing is. */
export const lessonAsks = () => lessonOptions().length || (document.querySelector(FIELD) ? 0 : null);

export const isLessonAnswered = () => document.querySelector(ANSWER) !== null;

/** What a press chooses: the number of an option, or a typed number, -1 if that is none; null if it chooses nothing. */
export function lessonChoice({ type, key, target }) {
  if (type === "click") {
    const pressed = target.closest?.("button");
    const option = lessonOptions().indexOf(pressed);
    if (option >= 0) return option;
    if (!pressed?.matches(CHECK)) return null;
  } else if (key !== "Enter" || !target.matches?.(FIELD)) return null;
  return typedVote(document.querySelector(FIELD));
}

function typedVote({ valueAsNumber: typed }) {
  return Number.isInteger(typed) && typed >= 0 && typed <= GREATEST ? typed : -1;
}

/** Whether somebody leaves the field with what is no vote: Streamlit would put another number there, 1 for 1.5. */
export function losesLesson({ type, target }) {
  return type === "focusout" && Boolean(target.matches?.(FIELD)) && (target.value !== "" || target.validity.badInput) && typedVote(target) < 0;
}

/** Why what is typed is no vote. Of letters, browsers do not tell which. */
export function lessonRefusal() {
  const { value: typed } = document.querySelector(FIELD);
  const most = number(GREATEST);
  return typed === "" ? _("Give a whole number from 0 to {most}.", { most }) : _("{typed} is not possible; give a whole number from 0 to {most}.", { typed, most });
}

/** Marks the option that somebody voted for; null for none. */
export function markLesson(choice) {
  lessonOptions().forEach((option, i) => {
    option.toggleAttribute("data-voted", i === choice);
    option.setAttribute("aria-pressed", i === choice);
  });
}

/** Whether a number that is typed here is a vote: then its button says so, and no other one shows the answer. */
export function askLesson(isAsked) {
  document.documentElement.classList.toggle("tv-asked", isAsked);
  const check = document.querySelector(CHECK);
  if (!check) return;
  check.dataset.vote = _("Vote");
  if (isAsked) check.setAttribute("aria-label", check.dataset.vote);
  else check.removeAttribute("aria-label");
}

/** Has the page show the answer, as that of who chose an option or a number, or of who chose none. */
export function showLesson(choice) {
  const field = document.querySelector(FIELD);
  if (!field || choice === null) return (lessonOptions()[choice] ?? document.querySelector(REVEAL))?.click();
  // React knows what it says from an event alone, which its own setter would hide.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, choice);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  setTimeout(() => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })));
}

/** Draws beside the options, or beside numbers, what was voted for. */
export function drawLessonVotes(counts) {
  const answer = document.querySelector(ANSWER);
  if (answer?.dataset.right !== undefined) return drawNumbers(answer, bucketsOf(counts, Number(answer.dataset.right)));
  const votes = new Map(counts);
  const most = Math.max(1, ...votes.values());
  document.querySelectorAll(`${ANSWER} .tv-guesses > li`).forEach((option, i) => writeVotes(option, votes.get(i) ?? 0, most));
}

function writeVotes(row, votes, most) {
  row.dataset.votes = _n("{n} vote", "{n} votes", votes);
  row.style.setProperty("--share", votes / most);
}

/** Below what is right; where the page was drawn anew, again. */
function drawNumbers(answer, buckets) {
  const written = JSON.stringify(buckets);
  const before = answer.querySelector(".tv-numbers");
  if (before?.dataset.of === written) return;
  before?.remove();
  const most = Math.max(1, ...buckets.map(({ votes }) => votes));
  const rows = buckets.map(({ from, to, right, votes }) => {
    const said = from === to ? number(from) : `${number(from)} – ${number(to)}`;
    const row = make("li", { class: right ? "right" : "" }, make("b", {}, right ? "✓" : ""), make("span", {}, said));
    writeVotes(row, votes, most);
    return row;
  });
  answer.firstElementChild.after(make("ul", { class: "tv-numbers", "aria-label": _("Votes of the class"), "data-of": written }, ...rows));
}
