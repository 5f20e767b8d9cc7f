// What components have in common that draw Python's answers: a view for each place on the page.

import { readJson } from "./packed.js";

/** Draws an answer in the view of its place; the first one makes it. `measured` names the time that
 *  it takes, for those who look. Gives what ends the view. */
export function drawAnswer(views, { data, parentElement, setStateValue }, makeView, measured) {
  const start = performance.now();
  const answer = readJson(data);
  const root = parentElement.querySelector(".tv-player");
  let view = views.get(parentElement);
  // The view of another language, which is another script, may have taken its place.
  if (!view || root.tokvizView !== view) {
    root.tokvizView?.stop();
    root.tokvizView = view = makeView(root, answer);
    views.set(parentElement, view);
  }
  view.tell = (asked) => setStateValue("asked", asked);
  view.draw(answer);
  performance.measure(measured, { start });
  return () => views.get(parentElement)?.stop();
}
