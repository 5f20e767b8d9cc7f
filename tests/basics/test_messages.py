"""Everything that the engine says is a message, so that every screen can say it in its language."""

import ast
import io
import pickle
from itertools import count

import pytest
from helpers import ROOT

import tokviz
from tokviz.analysis.comparison import PAIR_METRICS
from tokviz.analysis.grid import grid
from tokviz.analysis.metrics import METRICS
from tokviz.basics import progress as progress_module
from tokviz.basics.messages import Message, here, said_by
from tokviz.encoding.round_trip import REASONS
from tokviz.formats.exports import EXPORTS
from tokviz.formats.history_file import read, save
from tokviz.formats.readers.opened import GivenMerges
from tokviz.formats.readers.opened_parts import OpenedPretokenizer
from tokviz.formats.tables import TABLES
from tokviz.history.ties import TIE_BREAKS
from tokviz.pretokenizers import PRETOKENIZERS
from tokviz.text.samples import SAMPLES
from tokviz.trainers import TRAINERS
from tokviz.trainers.presets import PRESETS
from tokviz.trainers.replay import replay

PACKAGE = ROOT / "tokviz"
#: The command line, what only it and scripts use, and what is told to who runs a server are
#: English; screens have tests of their own.
ELSEWHERE = ("cli", "counting", "pages", "player", "server", "__main__.py")
#: Errors that nobody reads: `history_file.read` tells only the name of the first, by the second a
#: lesson finds out that a fact is not there. Of the third the words are the system's.
NEVER_SHOWN = (
    "ValueError(f'{what} do not fit the rest')",
    "ValueError('texts are no ",
    "ValueError('the header ",
    "SystemExit(1)",
    "Absent(",
    "OSError(error.errno, error.strerror, ",
)
SAYING = ("message", "counted", "joined", "sentences", "told_by")


def raised():
    """Every error of the engine: its file, the function that raises it, and what it is given."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE)
        if name.parts[0] in ELSEWHERE:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                        yield name.as_posix(), function.name, node.exc


def test_every_error_says_a_message():
    found = list(raised())
    assert len(found) > 200
    plain = [
        (name, function, ast.unparse(error))
        for name, function, error in found
        for said in error.args
        if not (isinstance(said, ast.Constant) and getattr(error.func, "attr", "") == "saying")
        and not isinstance(said, ast.Name)
        and not (
            isinstance(said, ast.Call)
            and isinstance(said.func, ast.Name)
            and said.func.id in SAYING
        )
        and not ast.unparse(error).startswith(NEVER_SHOWN)
    ]
    assert not plain


def about_settings():
    for kind in (*TRAINERS.values(), *PRETOKENIZERS.values(), OpenedPretokenizer):
        yield kind.name, kind.help
        for field in kind.__dataclass_fields__.values():
            if field.metadata:
                yield f"{kind.name}.{field.name}", field.metadata["label"]
                yield f"{kind.name}.{field.name}", field.metadata["help"]


def about_the_rest():
    for sample in SAMPLES.values():
        yield sample.name, sample.title
        yield sample.name, sample.note
    for preset in PRESETS.values():
        yield preset.name, preset.label
        yield preset.name, preset.note
    for metric in (*METRICS, *PAIR_METRICS):
        yield metric.name, metric.label
        yield metric.name, metric.formula
    for entry in (*EXPORTS.values(), *TABLES.values()):
        yield entry.name, entry.label
        yield entry.name, entry.help
    for rule in TIE_BREAKS.values():
        yield rule.name, rule.help
    for name, meaning in REASONS.items():
        yield name, name
        yield name, meaning


@pytest.mark.parametrize("about", [about_settings, about_the_rest])
def test_descriptions_are_messages(about):
    found = list(about())
    assert len(found) > 50
    assert [name for name, said in found if not isinstance(said, Message)] == []


TEXT = "low lower lowest low new newer\nlow a b"
RUNS = {
    "full": ("bpe", 12, {}),
    "nothing left": ("bpe", 500, {}),
    "too rare": ("bpe", 500, {"min_frequency": 3}),
    "wordpiece": ("wordpiece", 500, {}),
    "unigram": ("unigram", 14, {}),
    "overshot": ("unigram", 13, {"trim_last": False, "prune_fraction": 0.4}),
    "no seeds": ("unigram", 400, {}),
    "sentencepiece-bpe": ("sentencepiece-bpe", 500, {}),
    "sentencepiece-unigram": ("sentencepiece-unigram", 14, {"min_expected_count": 0.0}),
    "too few pieces": ("sentencepiece-unigram", 400, {"min_expected_count": 1000.0}),
}


def saved(history):
    file = io.BytesIO()
    save(history, file)
    return file


def shouts(said):
    """Whether a text was said in the pseudo-language; values are what they are."""
    spoken = here(said)
    return spoken.startswith("[") and spoken.endswith("]") and "[" in spoken


@pytest.mark.usefixtures("loud")
@pytest.mark.parametrize("run", RUNS)
def test_why_a_run_ended_is_said_by_whoever_opens_its_file(run):
    algorithm, size, settings = RUNS[run]
    history = tokviz.train(TEXT, algorithm, size, **settings)
    assert shouts(history.stopped)
    loaded = read(saved(history), "run.npz")
    assert loaded.stopped == history.stopped
    assert here(loaded.stopped) == here(history.stopped) != history.stopped
    assert saved(loaded).getvalue() == saved(history).getvalue()
    assert pickle.loads(pickle.dumps(loaded.stopped)).msgid == history.stopped.msgid


@pytest.mark.usefixtures("loud")
@pytest.mark.parametrize("algorithm", TRAINERS)
def test_why_a_run_was_cancelled_is_a_message(algorithm, monkeypatch):
    clock = count()
    monkeypatch.setattr(progress_module, "perf_counter", lambda: next(clock))
    corpus, seen = SAMPLES["course"].corpus, []
    tokviz.train(corpus, algorithm, 70, progress=seen.append)
    stage = seen[-1].stage
    done = sorted({report.done for report in seen if report.stage == stage})

    def enough(report):
        return report.stage != stage or report.done < done[3]

    history = tokviz.train(corpus, algorithm, 70, progress=enough)
    assert history.stopped.startswith("Cancelled after ")
    assert here(read(saved(history), "run.npz").stopped) == here(history.stopped)
    assert shouts(history.stopped)


@pytest.mark.usefixtures("loud")
def test_why_a_replay_ended_is_a_message():
    run = tokviz.train(TEXT, "bpe", 12, "whitespace")
    symbols = dict(zip(run.symbols, run.symbol_ids.tolist(), strict=True))
    strings = tuple(run.vocab(len(run)))
    given = GivenMerges(run.spelling, strings, symbols, rank_of=symbols)
    history = replay("mine", given, run.tokenizer(), "low newest")
    assert "worked out from its ranks" in history.stopped
    assert shouts(history.stopped)


@pytest.mark.usefixtures("loud")
def test_errors_in_errors_are_said_too():
    with pytest.raises(ValueError, match="must hold the alphabet") as caught:
        tokviz.train("abc", "bpe", 2)
    assert "[THE ALPHABET (3 CHARACTER)]" in said_by(caught.value)
    with pytest.raises(ValueError, match="training ends before it") as caught:
        tokviz.train("abc", "bpe", 4, interventions={7: ("a", "b")})
    assert "[THE VOCABULARY HAS THE 4 TOKEN ASKED FOR.]" in said_by(caught.value)


@pytest.mark.usefixtures("loud")
def test_tables_keep_how_their_sentences_are_made():
    algorithms = {"bpe": {"algorithm": "bpe"}}
    table = grid(TEXT, algorithms, [3, 12, 500]).table
    assert all(shouts(error) for error in table["error"] if error)
    assert [shouts(why) for why in table["stopped"] if why] == [True, True]
    assert table["stopped"].iloc[-1].values["asked"] == "500"
