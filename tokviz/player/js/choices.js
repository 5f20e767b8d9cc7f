// The fields of the set-up that have choices, which Python names (live_choices.py): a choice that Python does not
// know of yet is trained with on the page, if a browser can.

import { FAMILIES } from "./runs.js";

/** What a field shows, null where it is not on the page. */
function shownIn(name) {
  const field = document.querySelector(`.${name}`);
  const radio = field?.querySelector("[role=radio][aria-checked=true]");
  if (radio) return radio.textContent.trim();
  const box = field?.querySelector("input[type=checkbox]");
  if (box) return box.checked ? "on" : "off";
  return field?.querySelector("input[role=combobox]")?.value ?? null;
}

/** All ways to train that can be chosen and that a browser knows. */
export function kitsOf(choices) {
  const kits = choices.flatMap((field) => Object.values(field.choices));
  return kits.filter(({ retrain }) => retrain).map((kit) => ({ ...kit, family: FAMILIES[kit.family] }));
}

/** The kits of the choices that differ from what Python knows. */
export function changedKits(choices) {
  return choices.flatMap(({ field, now, choices: kits }) => {
    const shown = shownIn(field);
    return shown === null || shown === now || !(shown in kits) ? [] : [kits[shown]];
  });
}

/** How to train with what the fields show: as `runs` were, but for the one whose field differs. Null if no browser can, or
 *  several fields differ. */
export function kitsNow(choices, runs) {
  const [kit, ...others] = changedKits(choices);
  if (others.length) return null;
  const kits = runs.map((run, i) => {
    const label = kit?.labels?.[i] ?? run.label;
    return kit && i === (kit.lane ?? 0) ? { ...kit, label: kit.labels ? label : kit.label, family: FAMILIES[kit.family] } : { ...run, label };
  });
  return kits.every(({ retrain }) => retrain) ? kits : null;
}

/** What tells ways to train apart. */
export const waysOf = (runs) => JSON.stringify(runs.map(({ label, algorithm, retrain, score, special_tokens }) => [label, algorithm, retrain, score, special_tokens]));
