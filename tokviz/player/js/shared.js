// What the scripts of a page share. Every component is a script of its own, and may be loaded anew while
// the page stays: what outlives it is in one object of the window, made by whoever comes first.

/** What people choose in the player, before they chose; a view then is what suits the runs. */
export const USUAL = { speed: 4, stop: "", view: "", beside: "", present: false, picture: "", slides: "", quiz: false, keys: false, unfolded: false };

export const shared = (globalThis.tokviz ??= {
  /** What the page's address names: the links of the runs, and by component what else it shows. */
  address: { links: [], parts: {} },
  /** The entry of the browser's history: the path of its page, the field that made it and was not left since,
   *  and the name of a Back or Forward until its runs are there; whether entries.js listens to those. */
  entry: { path: undefined, field: null, went: "", follows: false },

  /** What a person chose in the player: lanes come and go, and each time it is another player. */
  chosen: { ...USUAL },
  /** Where the player stands, for all that looks at the same step; undefined before there is one. */
  moment: undefined,
  /** Where a player stood last, by the name of its runs and visit. */
  lastMoments: new Map(),
  /** How many moments Python was told. */
  told: 0,
  /** The moment that Python was not told yet, and the function of moment.js that tells it. */
  untold: null,
  tellMoment: null,
  /** The lane in which a what-if was asked for: { lane, lanes, at }, how many there were and when. */
  branched: null,
  /** Where the page has the lens of the vocabulary, of which lane, and whether it is in sight (vocabulary_lens.js). */
  vocabulary: null,
  /** By what the vocabulary is sorted, whether it falls, and how far it is scrolled. */
  vocabularyView: { by: "id", falling: false, top: 0 },
  /** Whether the guess of a first visit is over. */
  invited: false,
  /** Whether the player asked for the lens of a word, which then takes the focus. */
  wordAsked: false,

  /** The score of the quiz, and whether a class raises hands. */
  tally: { right: 0, answered: 0, streak: 0, best: 0, hands: false },

  /** Where the page is in a room, what it does there: a teacher's shows what was voted for (reveal); a phone's votes for
   *  an option (vote) while isVoting. And the component that keeps the room (room.js). */
  room: null,
  classroom: null,

  /** Functions of live_training.js: one trains a text on this page and says whether it could, one trains to another
   *  size, one with what is chosen otherwise, one hears that Python was sent all that is typed. And of live_text.js: what is typed and the size on the
   *  slider, null where there is none; one that sends what is typed at once. */
  typing: { train: null, resize: null, choose: null, sent: null, text: () => null, size: () => null, hurry: null },

  /** What draft.js, live_text.js and offline.js made, which listen to the page as long as it is open. */
  draft: null,
  liveText: null,
  offline: null,
  /** Whether tab.js forgot what another visit to this tab left. */
  forgotOthers: false,
  /** Whether the menu of pages is watched (menu.js). */
  menu: false,
  /** What focus.js was told last, and its timer. */
  focus: { moment: undefined, looking: 0 },
});
