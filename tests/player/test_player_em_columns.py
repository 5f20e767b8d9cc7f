"""What the player is told of a training of SentencePiece's Unigram, number by number.

test_player_run.py asks the player; this asks the columns of tokens that no word there shows.
"""

import numpy as np
import pytest

import tokviz
from tokviz.player import em_columns as module
from tokviz.player.columns import AFTER_CUT
from tokviz.player.em_columns import em_columns

ALGORITHM = "sentencepiece-unigram"
COURSE = tokviz.SAMPLES["course"].corpus


@pytest.mark.parametrize(
    ("corpus", "size", "settings", "lost"),
    [
        (COURSE, 40, {"min_expected_count": 0.0, "shrinking_factor": 0.9}, ["H", "n"]),
        ("ab " * 400 + "日", 7, {"character_coverage": 0.98, "bos_id": 0, "unk_id": 1}, ["日"]),
    ],
)
def test_ids_uses_and_ends_of_every_token(corpus, size, settings, lost):
    history = tokviz.train(corpus, ALGORITHM, size, **settings)
    header = {}
    columns = em_columns(history, list(range(len(history.words.words))), header)
    n, last = len(header["tokens"]), len(history)
    ids, uses = (np.reshape(columns[name], (last + 1, n)) for name in ("id_at", "use_at"))
    shown = ["".join(parts) for parts in header["tokens"]]
    known = [header["raw"].get(k, text) for k, text in enumerate(shown) if text != "<unk>"]
    unknown = shown.count("<unk>")
    assert [header["raw"][k] for k in range(n - unknown, n)] == lost
    seeds = history.record.tokens
    number = {text: i for i, text in enumerate(seeds)}
    final = {seeds[i] for i in history.alive(last)}
    assert final <= set(known)
    assert known == sorted(known, key=number.get)
    for t in range(last + 1):
        alive = {seeds[i]: own for i, own in zip(history.alive(t), history.ids(t), strict=True)}
        assert (
            ids[t].tolist()
            == [alive.get(text, -1) for text in known] + [history.trainer.unk_id] * unknown
        )
        counts = history.token_counts(t)
        assert uses[t].tolist() == [counts[i] if i >= 0 else 0 for i in ids[t]]
        # A character that training lost and took back has not ended.
        ended = [text not in alive and text not in final for text in known]
        assert (columns["removed_at"] < t).tolist() == ended + [False] * unknown


@pytest.mark.parametrize(("version", "unit"), [("0.2.1", "per word"), ("0.2.3", "per token")])
def test_losses_say_of_what_they_are_a_share(version, unit):
    settings = {"min_expected_count": 0.0, "library_version": version}
    history = tokviz.train(COURSE, ALGORITHM, 40, **settings)
    header = {}
    em_columns(history, [0], header)
    assert header["heads"][1]["unit"] == unit


def test_rows_are_those_that_go_and_some_more(monkeypatch):
    """At least 20; of those that go no more than there is room for, and a few that stay."""
    history = tokviz.train(COURSE, ALGORITHM, 40, min_expected_count=0.0, shrinking_factor=0.5)
    gone = [len(step.removed) for step in history.steps] + [0]
    assert max(gone) > 20
    for most in (3, max(gone) - 1, 1000):
        monkeypatch.setattr(module, "MOST_DOOMED", most)
        header = {}
        columns = em_columns(history, [], header)
        shown = {"".join(parts) for parts in header["tokens"]}
        assert {history.strings[i] for i in history.alive(len(history))} <= shown
        starts = columns["row_starts"].tolist()
        reasons = [header["reasons"][number] for number in columns["row_reason"]]
        for t, doomed in enumerate(gone):
            size = min(max(20, min(doomed, most) + AFTER_CUT), history.candidate_count(t))
            assert starts[t + 1] - starts[t] == size
            table = history.candidates(t, size)
            rows = slice(starts[t], starts[t + 1])
            assert reasons[rows] == table.reason.tolist()
            assert columns["row_chosen"][rows].tolist() == table.chosen.tolist()
            assert columns["row_tied"][rows].tolist() == table.tied.tolist()
