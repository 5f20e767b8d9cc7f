"""A run: everything that determines a history, and functions that make or describe runs.

The pages ask for runs, links and saved moments contain them, and the server checks, trains and
caches them.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from tokviz.basics.messages import here, message
from tokviz.pretokenizers import Pretokenizer, make_pretokenizer
from tokviz.text.languages import by_language, joined, of_languages, together
from tokviz.text.samples import SAMPLES, Sample
from tokviz.text.word_table import read_word_table
from tokviz.trainers import TRAINERS, settings_of
from tokviz.trainers.continued import Continued
from tokviz.trainers.interventions import Interventions

#: The settings that differ from their defaults, as (name, value) pairs.
Settings: TypeAlias = tuple[tuple[str, Any], ...]
#: The ways to read a corpus.
READ_AS = {
    "text": message("Text"),
    "counts": message("Word counts"),
    "languages": message("Languages"),
}
_SAMPLE_TITLES = {str(sample.title): sample.title for sample in SAMPLES.values()}


@dataclass(frozen=True)
class Corpus:
    """A text with a title, and how it is read: as it is, as a word-count table ("counts"), or as
    texts in several "languages", which begin at lines such as `=== English ===`.

    >>> Corpus("", "=== en ===\\nlow\\n=== el ===\\nαβ", "languages").plain
    'low\\nαβ'
    """

    title: str
    text: str
    read_as: str = "text"

    @property
    def key(self) -> tuple[str, str]:
        """What determines a history: everything but the title."""
        return self.text, self.read_as

    @property
    def is_table(self) -> bool:
        return self.read_as == "counts"

    @property
    def has_languages(self) -> bool:
        return self.read_as == "languages"

    @property
    def plain(self) -> str:
        """The text that is trained on: what stands below the lines of languages, or all of it."""
        return together(by_language(self.text)) if self.has_languages else self.text

    def beginning(self, most: int) -> str:
        """What of the first `most` characters is trained on: a long text takes a while to part.

        >>> Corpus("", "=== en ===\\nlow lower", "languages").beginning(14)
        'low'
        """
        return replace(self, text=self.text[:most]).plain


def read_corpus(text: str, read_as: str) -> Any:
    """Return a corpus as `tokviz.train` takes it. Raises ValueError for an invalid table.

    >>> read_corpus("low,2", "counts"), read_corpus("=== en ===\\nlow", "languages")
    ({'low': 2}, {'en': 'low'})
    """
    if read_as == "counts":
        return read_word_table(text)
    return by_language(text) if read_as == "languages" else text


@dataclass(frozen=True)
class HistoryFile:
    """An uploaded history file, by its digest. Anyone may have written it."""

    digest: str


@dataclass(frozen=True)
class TokenizerFile:
    """An opened tokenizer whose merges are replayed, or from which training goes on: the digest
    that `opened_files.remember` returned, and the file's name. If a replay was stopped, `steps` is
    its number of merges."""

    digest: str
    name: str
    steps: int | None = None


@dataclass(frozen=True)
class Run:
    """A corpus, an algorithm and its settings. The history is read from `source`, or trained if
    that is None.

    >>> run = Run(Corpus("Mine", "low lower"), "bpe", 9, "gpt2", settings=(("unit", "byte"),))
    >>> replace(run, vocab_size=12).vocab_size
    12
    """

    corpus: Corpus
    algorithm: str
    vocab_size: int
    pretokenizer: str
    pretokenizer_settings: Settings = ()
    settings: Settings = ()
    interventions: Interventions = ()
    source: HistoryFile | TokenizerFile | None = None

    @property
    def key(self) -> Hashable:
        """What determines the history: everything but the title of the corpus and the order in
        which settings are named, as they may be in any in an address.

        >>> one, other = (Run(Corpus(title, "a b"), "bpe", 9, "gpt2") for title in ("One", "Other"))
        >>> one.key == other.key, one == other
        (True, False)
        """
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        named = {name: frozenset(own[name]) for name in ("settings", "pretokenizer_settings")}
        return tuple((own | named | {"corpus": self.corpus.key}).values())

    @property
    def of_tokenizer(self) -> bool:
        """Whether the run is of a tokenizer file: it replays its merges, or goes on from there."""
        return isinstance(self.source, TokenizerFile)

    @property
    def goes_on(self) -> bool:
        """Whether the run trains on from a tokenizer file."""
        return self.of_tokenizer and self.algorithm == Continued.name

    @property
    def trainer_settings(self) -> dict[str, Any]:
        """The settings as keyword arguments of `tokviz.train`."""
        interventions = {"interventions": self.interventions} if self.interventions else {}
        return {**dict(self.settings), **interventions}

    def make_pretokenizer(self) -> Pretokenizer:
        """Make the pre-tokenizer with its settings; raises ValueError for a bad pattern."""
        return make_pretokenizer(self.pretokenizer, **dict(self.pretokenizer_settings))


def sample_corpus(sample: Sample) -> Corpus:
    """Return a sample as the corpus field shows it: its text, one "word,count" a line, or texts by
    language."""
    corpus = sample.corpus
    if isinstance(corpus, str):
        return Corpus(sample.title, corpus)
    if of_languages(corpus):
        return Corpus(sample.title, joined(corpus), "languages")
    lines = "\n".join(f"{word},{count}" for word, count in corpus.items())
    return Corpus(sample.title, lines, "counts")


def sample_of(corpus: Corpus) -> str | None:
    """Return the name of the sample with the text of a corpus, or None."""
    named = (name for name, s in SAMPLES.items() if sample_corpus(s).text == corpus.text)
    return next(named, None)


def run_of_sample(sample: Sample) -> Run:
    """Return the run with a sample's recommended settings."""
    settings = dict(sample.settings)
    algorithm, size = settings.pop("algorithm"), settings.pop("vocab_size")
    pretokenizer = settings.pop("pretokenizer")
    changed = changed_settings(algorithm, settings)
    return Run(sample_corpus(sample), algorithm, size, pretokenizer, settings=changed)


def changed_settings(algorithm: str, chosen: Mapping[str, Any]) -> Settings:
    """Return those of an algorithm's chosen settings that differ from their defaults.

    >>> changed_settings("bpe", {"unit": "byte", "tie_break": "first-seen"})
    (('unit', 'byte'),)
    """
    return tuple(
        (setting.name, chosen[setting.name])
        for setting in settings_of(TRAINERS[algorithm])
        if chosen.get(setting.name, setting.default) != setting.default
    )


def changed_fields(pretokenizer: Pretokenizer) -> Settings:
    """Return the settings of a pre-tokenizer that differ from their defaults.

    >>> changed_fields(make_pretokenizer("bert", normalize=True))
    (('normalize', True),)
    """
    return tuple(
        (field.name, getattr(pretokenizer, field.name))
        for field in fields(pretokenizer)
        if getattr(pretokenizer, field.name) != field.default
    )


def title_of(run: Run) -> str:
    """Return the title of a run's corpus in the language of the page: links and files use a
    sample's English title.

    >>> title_of(run_of_sample(SAMPLES["course"]))
    'Four course sentences'
    >>> title_of(Run(Corpus("Mine", ""), "bpe", 9, ""))
    'Mine'
    """
    return here(_SAMPLE_TITLES.get(run.corpus.title, run.corpus.title))


def trained_here(run: Run) -> Run:
    """Return the run without its history file, so that it is trained here.

    >>> run = Run(Corpus("", "a b"), "bpe", 9, "gpt2", settings=(("unit", "byte"),))
    >>> trained_here(replace(run, source=HistoryFile("0f"))) == run
    True
    """
    return run if run.of_tokenizer else replace(run, source=None)


def takes_interventions(algorithm: str) -> bool:
    """Return whether an algorithm's steps can be changed by interventions.

    >>> names = "bpe", "sentencepiece-unigram", "replay", "continued"
    >>> [takes_interventions(name) for name in names]
    [True, False, False, True]
    """
    kind = Continued if algorithm == Continued.name else TRAINERS.get(algorithm)
    return "interventions" in getattr(kind, "__dataclass_fields__", {})


def trainable(run: Run) -> Run:
    """Return the run; in place of one of a tokenizer file, a default training on its corpus.

    >>> replay = Run(Corpus("", "a b"), "replay", 9, "", source=TokenizerFile("0f", "mine"))
    >>> trainable(replay)
    Run(corpus=Corpus(title='', text='a b', read_as='text'), algorithm='bpe', vocab_size=50, \
pretokenizer='gpt2', pretokenizer_settings=(), settings=(), interventions=(), source=None)
    """
    return Run(run.corpus, "bpe", 50, "gpt2") if run.of_tokenizer else trained_here(run)


def run_from(corpus: Corpus, vocab_size: int, settings: Mapping[str, Any]) -> Run:
    """Make a run on a corpus from the `settings` of `tokviz.train`: "algorithm", "pretokenizer" (a
    name or an instance) and the trainer's fields, without "vocab_size".

    >>> run_from(Corpus("", "a b"), 9, {"algorithm": "bpe", "unit": "byte"}).settings
    (('unit', 'byte'),)
    """
    chosen = dict(settings)
    kind = TRAINERS[chosen.pop("algorithm")]
    pretokenizer = make_pretokenizer(chosen.pop("pretokenizer", kind.default_pretokenizer))
    own, changed = changed_settings(kind.name, chosen), changed_fields(pretokenizer)
    return Run(corpus, kind.name, vocab_size, pretokenizer.name, changed, own)
