// The family of parity-aware BPE: merges of which each is for a language. Knows no page.

import { _, _n } from "./i18n.js";
import { merges } from "./merges.js";
import { compressionOf, turnAnnounced, turnSaid } from "./parity_words.js";

export const parity = {
  ...merges,

  narrate: (run, t) => turnSaid(run, t - 1),
  announce: turnAnnounced,

  counted(run, n, t) {
    const language = run.languages[run.turn[t]];
    if (language === undefined) return merges.counted(run, n);
    return _n("{n} pair of {language}, best first", "{n} pairs of {language}, best first", n, { language });
  },

  /** Besides the usual curves, how many times fewer tokens each language takes than before training. */
  curves(run) {
    const own = run.languages.map((language, i) => ({ title: _("Compression of {language}", { language }), value: (t) => compressionOf(run, t, i) }));
    return { ...merges.curves(run), own };
  },

  pseudocodeValues(run, t) {
    const values = merges.pseudocodeValues(run, t);
    const language = run.languages[run.turn[t]];
    return t === run.steps ? values : { ...values, turn: [language ?? _("all languages")] };
  },
};
