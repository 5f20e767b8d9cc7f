"""A size that was not reached is told: as a warning in Python, as a line on the command line."""

import warnings

import pytest

import tokviz
from tokviz.__main__ import main
from tokviz.pretokenizers import make_pretokenizer
from tokviz.server.limits import LIMITS
from tokviz.server.pool import work
from tokviz.trainers.reached import unwarned

COURSE = tokviz.SAMPLES["course"].corpus
#: Trainings that end early, and a part of why.
SHORT = {
    "bpe": (9_999, {}, "No pair is left"),
    "wordpiece": (9_999, {"score": "frequency", "min_frequency": 3}, "The best pair occurs"),
    "unigram": (9_999, {}, "seed tokens, fewer than the 9,999 asked for"),
    "sentencepiece-bpe": (9_999, {}, "No pair is left"),
}


@pytest.mark.parametrize("algorithm", SHORT)
def test_a_size_that_was_not_reached_warns_with_the_reason(algorithm):
    size, settings, why = SHORT[algorithm]
    with pytest.warns(tokviz.TokvizWarning, match="^vocab_size=9999 was not reached. ") as told:
        history = tokviz.train(COURSE, algorithm, size, **settings)
    [warning] = told
    assert str(warning.message).endswith(history.stopped)
    assert why in history.stopped
    assert warning.filename == __file__, "it names the line that asked"


def test_what_was_reached_or_stopped_by_hand_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for algorithm in tokviz.TRAINERS:
            tokviz.train(COURSE, algorithm, 50)
        stopped = tokviz.train(COURSE, "bpe", 60, progress=lambda p: p.stage != "merges")
        assert stopped.stopped.startswith("Cancelled")
        with unwarned():
            tokviz.train("low", "bpe", 60)


def test_a_server_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cut = make_pretokenizer("whitespace")
        asked = ("low low", "text", "bpe", 60, cut, {}, LIMITS.corpus)
        assert len(work.train(*asked, lambda _: None)) == 2


def test_commands_say_it_in_a_line(tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("low low", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["train", str(text), "--vocab-size", "60"]) == 0
        [line] = capsys.readouterr().err.splitlines()
        assert line.startswith("tokviz: vocab_size=60 was not reached. No pair is left")
        lanes = ["--lane", "bpe vocab_size=5", "--lane", "bpe vocab_size=70"]
        assert main(["compare", str(text), *lanes]) == 0
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("tokviz: lane 2 of 2: vocab_size=70 was not reached. ")


@pytest.mark.parametrize("algorithm", tokviz.TRAINERS)
@pytest.mark.parametrize("size", [100_001, 10**7])
def test_no_size_is_too_large_to_ask_for(algorithm, size, capsys, tmp_path):
    """It ends where the words end, and says so."""
    with pytest.warns(tokviz.TokvizWarning, match=f"^vocab_size={size} was not reached"):
        history = tokviz.train("low low lower", algorithm, size)
    assert 5 <= history.vocab_size(len(history)) < 40
    (tmp_path / "low.txt").write_text("low low lower")
    asked = ["--algorithm", algorithm, "--vocab-size", str(size), "--quiet"]
    assert main(["train", str(tmp_path / "low.txt"), *asked]) == 0
    assert f"vocab_size={size} was not reached" in capsys.readouterr().err
    with pytest.raises(tokviz.SettingError, match="the least is 1"):
        tokviz.train("low", algorithm, 0)
