// Takes the keyboard, and whoever listens, along to what is new where the button that was pressed may be
// gone. What a window shows first moves nothing.

const SOON = 60; // ms until what is new is on the page

export default function mount({ data: { part, moment } }) {
  const before = window.tokvizSeen;
  window.tokvizSeen = moment;
  if (before === undefined || before === moment) return;
  setTimeout(() => document.querySelector(part)?.focus(), SOON);
}
