"""Wrong calls end in one sentence of one family of errors; what can be taken for a corpus is."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers import said

import tokviz
from tokviz.__main__ import main
from tokviz.basics import errors
from tokviz.basics.messages import here, languages, told_by, using
from tokviz.formats.exports import EXPORTS, export
from tokviz.pretokenizers import make_pretokenizer

TABLE = Path(__file__).parent / "data" / "wrong_calls.txt"
TEXTS = ["low low", "lower"]
#: What a sentence lists, which grows with every new one.
LISTS = {
    "{algorithms}": ", ".join(tokviz.TRAINERS),
    "{pretokenizers}": " or ".join(", ".join(tokviz.PRETOKENIZERS).rsplit(", ", 1)),
    "{formats}": ", ".join(EXPORTS),
    "{languages}": ", ".join(languages()),
}


def wrong_calls():
    """The calls of the table, each with its class and its sentence."""
    kind = sentence = ""
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("    "):
            yield line.strip(), kind, sentence
        elif line and not line.startswith("#"):
            for braces, known in LISTS.items():
                line = line.replace(braces, known)
            kind, sentence = line.split(": ", 1)


CALLS = list(wrong_calls())


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the calls of the table are made with."""
    text, folder = "low low lower", tmp_path_factory.mktemp("wrong")
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    h = tokviz.train(text, "bpe", 9, "whitespace")
    u = tokviz.train(words, "unigram", 12, "whitespace", whole_words=False)
    files = {"a.txt": "hello world\nfoo", "e.txt": "", "b.json": "{}", "l.txt": "[1"}
    for name, held in files.items():
        (folder / name).write_text(held)
    np.savez(folder / "o.npz", a=np.arange(3))
    return {
        **{name: getattr(tokviz, name) for name in tokviz.__all__},
        **{"tokviz": tokviz, "np": np, "pd": pd, "pa": pa, "Path": Path, "export": export},
        "make_pretokenizer": make_pretokenizer,
        "folder": folder,
        "h": h,
        "u": u,
        "sp": tokviz.train("low low lower newest", "sentencepiece-unigram", 14),
        "tk": h.tokenizer(),
        "c2": tokviz.compare([h, tokviz.train(text, "wordpiece", 9, "whitespace")]),
        "df": pd.DataFrame({"text": ["a b", "c"], "label": [1, 2]}),
    }


@pytest.mark.filterwarnings("ignore:unclosed file")
@pytest.mark.parametrize(("call", "kind", "sentence"), CALLS, ids=[call for call, *_ in CALLS])
def test_a_wrong_call_says_what_to_change(call, kind, sentence, names, monkeypatch):
    monkeypatch.chdir(names["folder"])
    with pytest.raises(tokviz.TokvizError) as caught:
        eval(call, dict(names))
    error = caught.value
    assert (type(error).__name__, str(error)) == (kind, sentence)
    assert isinstance(error, ValueError)
    # As it is when a worker has met it.
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), sentence)
    # It is a message, so that it is said in other languages too, and no value is lost there.
    with using("zh_CN"):
        assert here(told_by(error)) != sentence


def test_the_table_has_each_call_once():
    calls = [call for call, *_ in CALLS]
    assert len(calls) == len({*calls}) > 280


def test_every_public_error_is_of_the_family():
    public = [getattr(tokviz, name) for name in tokviz.__all__]
    kinds = [it for it in public if is_error(it)]
    others = [kind for kind in kinds if not issubclass(kind, tokviz.TokvizError)]
    # Who cancels has made no mistake, and a warning is none.
    assert others == [tokviz.Cancelled, tokviz.TokvizWarning]
    assert {kind.__name__ for kind in kinds} >= {
        name for name, it in vars(errors).items() if is_error(it)
    }


def is_error(it):
    return isinstance(it, type) and issubclass(it, Exception)


@pytest.mark.parametrize(
    ("kind", "base"),
    [
        (tokviz.OutOfRangeError, IndexError),
        (tokviz.NotFoundError, KeyError),
        (tokviz.HistoryFileError, tokviz.FileError),
        (tokviz.TokenizerFileError, tokviz.FileError),
    ],
)
def test_what_was_caught_before_is_caught(kind, base):
    assert issubclass(kind, base)
    assert issubclass(kind, tokviz.TokvizError)


def test_names_of_errors_stay_where_they_were():
    from tokviz.basics.errors import CorpusError
    from tokviz.trainers import SettingError
    from tokviz.trainers.settings import SettingError as OfSettings

    assert CorpusError is tokviz.CorpusError
    assert SettingError is OfSettings is tokviz.SettingError


# --- what is accepted ------------------------------------------------------------------------


def learned(corpus, **settings):
    history = tokviz.train(corpus, "bpe", 9, "whitespace", **settings)
    return history.words, [step.token for step in history.steps]


COLUMNS = {
    "tuple": tuple(TEXTS),
    "Series": pd.Series(TEXTS),
    "Series of objects": pd.Series(TEXTS, dtype=object),
    "Series of categories": pd.Series(TEXTS, dtype="category"),
    "Series of another index": pd.Series(TEXTS, index=[7, 3]),
    "Index": pd.Index(TEXTS),
    "numpy": np.array(TEXTS),
    "numpy objects": np.array(TEXTS, dtype=object),
    "pyarrow": pa.array(TEXTS),
    "pyarrow chunks": pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
    "column of a Table": pa.table({"text": TEXTS})["text"],
}


@pytest.mark.parametrize("corpus", COLUMNS.values(), ids=COLUMNS)
def test_a_column_of_texts_is_a_list_of_documents(corpus):
    history = tokviz.train(corpus, "bpe", 9, "whitespace")
    assert learned(corpus) == learned(TEXTS)
    assert history.text == "low low\nlower"


@pytest.mark.parametrize(
    "made",
    [
        lambda: iter(TEXTS),
        lambda: (text for text in TEXTS),
        # Batches, as data sets give them.
        lambda: [TEXTS],
        lambda: iter([TEXTS[:1], TEXTS[1:]]),
        lambda: [(TEXTS[0],), TEXTS[1]],
        lambda: [np.array(TEXTS)],
        lambda: (pa.array([text]) for text in TEXTS),
        lambda: [pd.Series(TEXTS)],
        lambda: (row["text"] for row in [{"text": TEXTS}]),
        lambda: dict.fromkeys(TEXTS).keys(),
    ],
)
def test_generators_and_batches_of_documents(made):
    assert learned(made()) == learned(TEXTS)


WORDS = {"low": 2, "lower": 1}
COUNTS = {
    "Series": pd.Series(WORDS),
    "value_counts": pd.Series(["low", "low", "lower"]).value_counts(),
    "nullable": pd.Series(WORDS, dtype="Int64"),
    "of pyarrow": pd.Series(WORDS, dtype="int64[pyarrow]"),
    "numbers of numpy": {word: np.int64(count) for word, count in WORDS.items()},
}


@pytest.mark.parametrize("corpus", COUNTS.values(), ids=COUNTS)
def test_counts_by_word_are_a_table(corpus):
    words, tokens = learned(corpus)
    assert (words, tokens) == learned(WORDS)
    assert {type(count) for count in words.counts} == {int}


def test_lines_end_in_a_text_and_in_a_list_and_not_in_a_table():
    ways = "a\nb", ["a\nb"], {"a\nb": 1}
    cut = [tokviz.train(it, "bpe", 4, "none").words.words for it in ways]
    assert cut == [("a", "b"), ("a", "b"), ("a\nb",)]


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16])
def test_whole_numbers_of_numpy(kind, tmp_path):
    history = tokviz.train(TEXTS, "bpe", kind(9), "whitespace", min_frequency=kind(1))
    plain = tokviz.train(TEXTS, "bpe", 9, "whitespace", min_frequency=1)
    for name, run in (("numpy", history), ("plain", plain)):
        run.save(tmp_path / name)
    assert (tmp_path / "numpy").read_bytes() == (tmp_path / "plain").read_bytes()
    assert history.vocab(kind(2)) == plain.vocab(2)
    assert history.steps[kind(1)] == plain.steps[1]
    assert history.tokenizer().decode(np.array([1, 2], kind)) == plain.tokenizer().decode([1, 2])
    assert tokviz.branch(history, kind(1), ("w", "e")).narrate(2) == (
        tokviz.branch(plain, 1, ("w", "e")).narrate(2)
    )


def test_other_settings_of_numpy():
    history = tokviz.train(
        "low low lower", "unigram", 9, prune_fraction=np.float32(0.5), whole_words=np.bool_(False)
    )
    assert (history.trainer.prune_fraction, history.trainer.whole_words) == (0.5, False)
    assert type(history.trainer.whole_words) is bool


def test_whoever_passes_a_check_decides_about_words():
    seen = []
    history = tokviz.train("", "bpe", 5, counted=seen.append)
    assert (len(history), [words.total for words in seen]) == (0, [0])


# --- the command line ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["train", "e.txt", "--vocab-size", "9"], "the corpus has no words: it is empty, or the"),
        (["train", "s.txt", "--vocab-size", "9"], "the corpus is white space only, in which"),
        (["train", "a.txt", "--vocab-size", "0"], "vocab_size=0 is too small; the least is 1."),
        (["encode", "o.npz", "low"], "o.npz is not a tokviz history, or it is damaged (KeyError)."),
        (["encode", "a.txt", "low"], "'a.txt': The model is not a SentencePiece model, or it is"),
        (["export", "o.npz", "merges"], "o.npz is not a tokviz history, or it is damaged (KeyErr"),
    ],
)
def test_commands_say_the_sentence_and_nothing_else(command, sentence, names, capsys, monkeypatch):
    monkeypatch.chdir(names["folder"])
    Path("s.txt").write_text(" \n\t\n")
    assert main(command) == 1
    assert said(capsys).startswith(f"tokviz: {sentence}")
