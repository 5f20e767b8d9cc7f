// What a page shows, as others can follow it: its address without the step, and how the player looks.

import { addressParts } from "./dom.js";
import { shared } from "./shared.js";

const WITH_RUNS = ["", "train", "compare"];
const LESSONS = "learn";
/** Parts of an address that stay with whoever goes to another place. */
const OWN = ["room", "lang"];
/** The lenses that are pictures; and the pictures that are a panel beside the corpus, by the name of that. */
const LENS_OF = { vocabulary: "vocabulary", word: "word", token: "token", trace: "encode", characters: "characters" };
const PANEL_OF = { candidates: "", scores: "scores", curves: "curves", pseudocode: "pseudocode" };

/** Where the app is served, as its scripts are. */
export function homeOfApp() {
  return new URL("../../", document.querySelector("script[src*='static/js/']").src);
}

export const pageHere = () => location.pathname.slice(homeOfApp().pathname.length);

/** The player of the page, if it has one that stands somewhere. */
export function playerHere() {
  const player = document.querySelector(".tv-player")?.tokvizView;
  return player?.moving.axis ? player : null;
}

/** What the page shows; "" if nobody can follow: a page of another kind, or a text that fits in no address. */
export function placeHere() {
  const page = pageHere();
  const { links } = shared.address;
  const { lesson, scene } = addressParts();
  const query = new URLSearchParams();
  if (page === LESSONS) {
    if (lesson) Object.entries({ lesson, scene }).forEach(([name, value]) => query.set(name, value));
    // A lesson from a file is in no address.
    else if (links.length) return "";
  } else if (!WITH_RUNS.includes(page) || !links.length) return "";
  if (page !== LESSONS || lesson) for (const link of links) query.append("lane", link);
  query.set("v", "2");
  return `${page || WITH_RUNS[1]}?${query}`;
}

/** How the player looks: where it stands, and what is seen of it; null if there is none. */
export function lookHere() {
  const player = playerHere();
  if (!player) return null;
  const { moving, stage, views, beside, head } = player;
  const { shown } = stage;
  const look = { step: moving.p, align: moving.axis.align, view: views.shown, beside: beside?.side ?? "", quiz: Number(shared.chosen.quiz && !head.cue) };
  if (shown === "all") return look;
  return { ...look, picture: shown, subject: stage.subject ?? "", of: stage.lane };
}

/** Has Streamlit draw another place, as Back and Forward do; the player opens at the step of a look. */
export function goToPlace(place, look) {
  const [page, written] = place.split("?");
  const query = new URLSearchParams(written);
  const before = new URLSearchParams(location.search);
  for (const name of OWN) if (before.has(name)) query.set(name, before.get(name));
  if (look) for (const name of ["step", "align"]) query.set(name, look[name]);
  shared.entry.went = `${performance.now()}`;
  query.set("went", shared.entry.went);
  history.replaceState(history.state, "", `${homeOfApp().pathname}${page}?${query}`);
  shared.entry.path = location.pathname;
  dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
}

/** Makes the player look as another one: what has not changed since it was told to look like `before` is left as somebody
 *  here has chosen. */
export function takeLook(player, look, before) {
  const { moving, views, head } = player;
  const isOther = (...names) => names.some((name) => look[name] !== before?.[name]);
  if (!head.cue && isOther("quiz") && Boolean(look.quiz) !== shared.chosen.quiz) player.setQuiz(Boolean(look.quiz));
  if (isOther("view") && look.view !== views.shown && views.offered.includes(look.view)) views.choose(look.view);
  if (isOther("beside", "picture")) showPanel(player, look, isOther("beside") && before);
  const lens = LENS_OF[look.picture];
  if (lens && isOther("picture", "subject", "of")) askForLens(player, lens, look);
  if (moving.p !== look.step || moving.axis.align !== look.align) moving.goTo({ align: look.align, position: look.step, isLed: true });
}

/** The panel beside the corpus; a phone, which has room for one of both, shows it if it was chosen just now. */
function showPanel({ beside, swiped, lanes }, { picture, beside: side }, isChosen) {
  const panel = beside?.panels[PANEL_OF[picture] ?? side];
  if (!panel) return;
  beside.show(PANEL_OF[picture] ?? side);
  if (picture in PANEL_OF || isChosen) swiped.show(panel.parentElement);
  else if (picture) swiped.show(lanes[0].corpus.element.parentElement);
}

function askForLens(player, lens, { subject, of }) {
  const about = subject ? { [lens === "word" ? "typed" : "token"]: subject } : {};
  player.tellLook({ id: `${player.head.id} ${performance.now()}`, what: lens, ...about, lane: of });
  document.querySelector(".st-key-lenses")?.scrollIntoView({ block: "start" });
}
