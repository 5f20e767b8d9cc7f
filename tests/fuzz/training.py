"""Trainers with random settings on random corpora, and the files of what they made."""

import io
import zipfile

import atheris
from contract_runs import joined, some_states
from helpers import ALPHABETS
from hostile_files import asked

import tokviz
from tokviz import PRETOKENIZERS, TRAINERS, CorpusError, HistoryFileError, SettingError
from tokviz.formats.history_file import read, save
from tokviz.text.symbols import UNKNOWN
from tokviz.trainers import settings_of

#: Letters that stand beside each other in words, lines and marks of tokens.
LETTERS = [*ALPHABETS, "abc ", "e\u0301👩\u200d \n"]
REFUSED = (ValueError, SettingError, CorpusError, tokviz.Cancelled)


def trainer(data):
    """A run is refused with a sentence, or answers everything about every state, and its file reads
    back as the same file."""
    given = atheris.FuzzedDataProvider(data)
    algorithm = chosen(given, sorted(TRAINERS))
    pretokenizer = chosen(given, [None, None, *sorted(PRETOKENIZERS)])
    size = given.ConsumeIntInRange(-1, 300)
    settings = {
        setting.name: value_of(given, setting)
        for setting in settings_of(TRAINERS[algorithm])
        if given.ConsumeIntInRange(0, 3) == 0
    }
    corpus = corpus_of(given)
    stop = given.ConsumeIntInRange(0, 20)
    calls = 0

    def progress(_told):
        nonlocal calls
        calls += 1
        return stop == 0 or calls < stop * 5

    try:
        history = tokviz.train(corpus, algorithm, size, pretokenizer, progress, **settings)
    except REFUSED as error:
        assert str(error)
        return
    check(history)
    if given.ConsumeBool():
        told(history, given)


def told(history, given):
    """What if: the run goes on with another of its candidates, or refuses to."""
    step = given.ConsumeIntInRange(0, len(history))
    rows = history.candidates(step).to_dict("records")
    if not rows:
        return
    row = chosen(given, rows)
    choice = (row["left"], row["right"]) if "left" in row else ("keep", row["token"])
    try:
        other = tokviz.branch(history, step, choice)
    except REFUSED as error:
        assert str(error)
        return
    check(other)


def check(history, honest=True):
    words = history.words.words[:: max(1, len(history.words) // 8)]
    curve = history.curve()
    for t in some_states(history):
        assert len(history.vocab(t)) == history.vocab_size(t) == curve.vocab_size[t]
        assert history.token_counts(t).sum() == curve.corpus_tokens[t]
        for word in words:
            # A file may tell of words that are made of others; nothing fails of it.
            if UNKNOWN not in history.segmentation(word, t) and honest:
                text = joined(history, t)(history.segmentation(word, t))
                assert text == word.encode("utf-8", "surrogatepass")
        assert len(history.candidates(t)) == history.candidate_count(t)
        history.narrate(t).encode("utf-8")
        tokenizer = history.tokenizer(t)
        for text in ("low ab</w> ##é\ud800", "".join(words)[:200]):
            encoding = tokenizer.encode(text)
            assert encoding.trace is not None
            tokenizer.decode(i for i in encoding.ids if i is not None)
    first, second = io.BytesIO(), io.BytesIO()
    save(history, first)
    first.seek(0)
    save(read(first, "it"), second)
    assert first.getvalue() == second.getvalue()


def chosen(given, options):
    return options[given.ConsumeIntInRange(0, len(options) - 1)]


def value_of(given, setting):
    default = setting.default
    if setting.choices:
        return chosen(given, [*setting.choices, "", 3])
    if isinstance(default, bool):
        return given.ConsumeBool()
    if isinstance(default, tuple):
        return [given.ConsumeUnicode(4) for _ in range(given.ConsumeIntInRange(0, 3))] + (
            ["bytes"] * given.ConsumeBool()
        )
    if isinstance(default, str):
        return chosen(given, ["##", "</w>", "_", given.ConsumeUnicode(3)])
    if given.ConsumeIntInRange(0, 9) == 0:
        return chosen(given, [None, -1, 0, 10**9, 1e300, float("nan"), float("inf"), "1"])
    least = 0 if setting.least is None else setting.least
    most = 300 if setting.greatest is None else min(setting.greatest, 300)
    if isinstance(default, int):
        return given.ConsumeIntInRange(int(least), int(max(least, most)))
    return given.ConsumeFloatInRange(float(least), float(max(least, most)))


def corpus_of(given):
    alphabet = chosen(given, LETTERS)

    def text(most):
        numbers = given.ConsumeIntListInRange(most, 0, len(alphabet) - 1)
        return "".join(alphabet[i] for i in numbers)

    kind = given.ConsumeIntInRange(0, 3)
    if kind == 0:
        return {
            text(9): given.ConsumeIntInRange(0, 5) for _ in range(given.ConsumeIntInRange(0, 9))
        }
    if kind == 1:
        return [text(30) for _ in range(given.ConsumeIntInRange(0, 5))]
    if kind == 2:
        return given.ConsumeUnicode(400)
    return text(given.ConsumeIntInRange(0, 400))


def settings():
    return [bytes((i * 37 + k * k) % 256 for k in range(300)) for i in range(20)]


def saved(algorithm):
    size = {"unigram": 30, "sentencepiece-unigram": 26}.get(algorithm, 22)
    file = io.BytesIO()
    text = "low lower lowest newest widest wider new\nsold old bold"
    save(tokviz.train(text, algorithm, size), file)
    return file.getvalue()


SAVED = {}


def history_file(data):
    """A file is refused with a sentence, or its history answers whatever a page asks. Most inputs
    change a file that was saved: its parts, and not the archive's check sums."""
    if data[:2] != b"PK":
        data = changed(data)
    try:
        history = read(io.BytesIO(data), "it", 300_000_000)
    except HistoryFileError as error:
        assert str(error)
        return
    asked(history)
    check(history, honest=False)


def changed(data):
    given = atheris.FuzzedDataProvider(data)
    algorithm = chosen(given, sorted(TRAINERS))
    if algorithm not in SAVED:
        with zipfile.ZipFile(io.BytesIO(saved(algorithm))) as archive:
            SAVED[algorithm] = {name: archive.read(name) for name in archive.namelist()}
    parts = dict(SAVED[algorithm])
    for _ in range(given.ConsumeIntInRange(1, 4)):
        name = chosen(given, sorted(parts))
        part = bytearray(parts[name])
        at = given.ConsumeIntInRange(0, len(part))
        new = given.ConsumeBytes(given.ConsumeIntInRange(0, 8))
        part[at : at + given.ConsumeIntInRange(0, 8)] = new
        parts[name] = bytes(part)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def history_files():
    return [*map(saved, TRAINERS), *settings()]
