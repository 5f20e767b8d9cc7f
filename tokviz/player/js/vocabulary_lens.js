// The lens "Vocabulary": a place on the page, in which the player draws (vocabulary.js).

import { shared } from "./shared.js";

export default function mount({ data, parentElement }) {
  const root = parentElement.querySelector(".tv-player");
  const tell = () => document.dispatchEvent(new CustomEvent("tokviz-vocabulary"));
  if (shared.vocabulary?.root !== root || shared.vocabulary.lane !== data.lane) {
    shared.vocabulary = { root, lane: data.lane, seen: false };
    tell();
  }
  return () => {
    if (shared.vocabulary?.root !== root) return;
    shared.vocabulary = null;
    tell();
  };
}
