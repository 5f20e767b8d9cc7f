// What components have in common that draw Python's answers: a view for each place on the page.

import { readJson } from "./run.js";

/** Draws an answer in the view of its place; the first one makes it. `measured` names the time that
 *  it takes, for those who look. Gives what ends the view. */
export function drawAnswer(views, { data, parentElement, setStateValue }, makeView, measured) {
  const start = performance.now();
  const answer = readJson(data);
  let view = views.get(parentElement);
  if (!view) {
    view = makeView(parentElement.querySelector(".tv-player"), answer);
    views.set(parentElement, view);
  }
  view.tell = (asked) => setStateValue("asked", asked);
  view.draw(answer);
  performance.measure(measured, { start });
  return () => views.get(parentElement)?.stop();
}
