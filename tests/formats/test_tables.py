"""Tables of a history, and their files."""

import csv
import io
import json
import sys

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.analysis.grid import grid
from tokviz.analysis.language_costs import language_costs
from tokviz.analysis.metrics import METRICS
from tokviz.formats.table_files import defused
from tokviz.formats.tables import TABLE_FORMATS, TABLES, table_bytes

COURSE = tokviz.SAMPLES["course"].corpus
RUNS = {
    "bpe": {"vocab_size": 50, "unit": "byte", "special_tokens": ("=<s>",)},
    "wordpiece": {"vocab_size": 70},
    "unigram": {"vocab_size": 90},
    "sentencepiece-bpe": {"vocab_size": 50},
    "sentencepiece-unigram": {"vocab_size": 40, "exact_deltas": True},
}
TEXT = st.text(
    st.sampled_from("=+-@＝'\t\r\n\0 \ud800\ufeff\u200b\",aé日") | st.characters(), max_size=8
)


@pytest.fixture(scope="module")
def histories():
    return {name: tokviz.train(COURSE, name, **settings) for name, settings in RUNS.items()}


def rows_of(data):
    """A CSV file as the standard library reads it."""
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))


def plain(value):
    """What a file holds for a value of a table."""
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if value is pd.NA or value != value else value


def records(frame):
    return [{name: plain(value) for name, value in row.items()} for row in frame.to_dict("records")]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("run", RUNS)
def test_every_table_reads_back_the_same_from_every_format(histories, run, name):
    history = histories[run]
    frame = TABLES[name].frame(history, len(history) // 2)
    wanted = records(frame)
    assert wanted
    assert json.loads(table_bytes(frame, "json")) == wanted
    read = pyarrow.parquet.read_table(io.BytesIO(table_bytes(frame, "parquet")))
    assert read.to_pylist() == wanted
    header, *rows = rows_of(table_bytes(frame, "csv"))
    assert header == list(frame.columns)
    for row, record in zip(rows, wanted, strict=True):
        for cell, value in zip(row, record.values(), strict=True):
            if isinstance(value, list):
                assert json.loads(cell) == value
            elif isinstance(value, str):
                assert cell == defused(value)
            elif value is None:
                assert cell == ""
            else:
                assert type(value)(cell) == value or cell == str(value)


def test_numbers_keep_their_kind(histories):
    frame = TABLES["steps"].frame(histories["sentencepiece-unigram"])
    first, *_ = json.loads(table_bytes(frame, "json"))
    assert type(first["size_before"]) is int
    assert type(first["sub_iteration"]) is int
    assert type(first["loss_after"]) is float
    read = pd.read_parquet(io.BytesIO(table_bytes(frame, "parquet")))
    assert {name: read[name].dtype for name in ("step", "sub_iteration", "score", "removed")} == {
        "step": np.int64,
        "sub_iteration": pd.Int64Dtype(),
        "score": np.float64,
        "removed": np.dtype(object),
    }
    # 2**53 + 1 is no float.
    big = pd.DataFrame({"count": [2**53 + 1, 1], "some": pd.array([2**53 + 1, None], "Int64")})
    assert json.loads(table_bytes(big, "json"))[0] == {"count": 2**53 + 1, "some": 2**53 + 1}
    assert rows_of(table_bytes(big, "csv"))[1:] == [[str(2**53 + 1)] * 2, ["1", ""]]
    assert pd.read_parquet(io.BytesIO(table_bytes(big, "parquet")))["count"][0] == 2**53 + 1


def test_the_vocabulary_agrees_with_the_history(histories):
    for run, history in histories.items():
        t = len(history) - 1
        frame = TABLES["vocabulary"].frame(history, t)
        assert frame["token"].tolist() == history.vocab(t)
        assert frame["count"].tolist() == history.token_counts(t).tolist()
        assert frame["born"].tolist() == history.births(t).tolist()
        assert frame["special"].sum() == len(history.special_tokens)
        if run.endswith("unigram"):
            of = history.candidates(t).set_index("token")["log_prob"].to_dict()
            assert {r.token: r.log_prob for r in frame[~frame["special"]].itertuples()} == of
            assert frame["log_prob"][frame["special"]].isna().all()
        else:
            merged = frame[frame["born"] > 0]
            assert merged["left"].tolist() == [s.left for s in history.steps[:t]]
            assert merged["right"].tolist() == [s.right for s in history.steps[:t]]
            assert frame["left"][frame["born"] == 0].isna().all()
    bytes_only = TABLES["vocabulary"].frame(tokviz.train(["é\ud800"], "bpe", 5, unit="byte"), 0)
    assert bytes_only["text"].isna().all()
    assert sorted(bytes_only["bytes"]) == ["80", "a0", "a9", "c3", "ed"]


def test_the_other_tables_agree_with_the_history(histories):
    history = histories["bpe"]
    cut = TABLES["segmentations"].frame(history, 7)
    for row in cut.itertuples():
        assert row.tokens == history.segmentation(row.word, 7)
        assert row.pieces == len(row.tokens)
        assert row.count == history.count_of(row.word)
    assert len(cut) == len(history.words)
    steps = TABLES["steps"].frame(history)
    assert steps["narration"].tolist() == [history.narrate(t) for t in range(1, len(history) + 1)]
    assert steps["token"].tolist() == [step.token for step in history.steps]
    assert steps["vocab_size"].iloc[-1] == history.vocab_size(len(history))
    assert len(TABLES["candidates"].frame(history, 3)) == history.candidate_count(3) > 20
    assert list(TABLES["metrics"].frame(history)["step"]) == list(range(len(history) + 1))
    at_state = {name for name, table in TABLES.items() if table.at_state}
    assert at_state == {"candidates", "vocabulary", "segmentations"}
    for name in TABLES:
        early, late = (TABLES[name].frame(history, t) for t in (2, None))
        assert early.equals(late) == (name not in at_state)
    with pytest.raises(IndexError, match="is not a state of this run; it has states 0 to"):
        TABLES["curve"].frame(history, len(history) + 1)


@pytest.mark.parametrize(
    "sign", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "﹦"]
)
@pytest.mark.parametrize("before", ["", " ", "\u00a0", "\ufeff", "\u200b", "\u3000", "'", "\0"])
def test_no_cell_begins_as_a_formula_does(sign, before):
    text = f"{before}{sign}cmd|' /C calc'!A0"
    frame = pd.DataFrame({"=name": [text], "-objects": pd.Series([text], dtype=object)})
    header, row = rows_of(table_bytes(frame, "csv"))
    assert header == ["'=name", "'-objects"]
    if before == "\0":
        assert row == [f"⟨0000⟩{text[1:]}"] * 2
    else:
        skipped = sign in "\t\r\n" and before not in ("", "'")
        assert row == [text if skipped else f"'{text}"] * 2
    for format in ("json", "parquet"):
        read = pd.read_parquet if format == "parquet" else pd.read_json
        data = io.BytesIO(table_bytes(frame, format))
        assert read(data)["=name"].tolist() == [text]


def test_numbers_are_never_defused():
    frame = pd.DataFrame(
        {
            "integer": [-3, 4],
            "float": [-0.1, 1e-300],
            "nullable": pd.array([-5, None], "Int64"),
            "object": pd.Series([-7, -0.5], dtype=object),
            "bool": [True, False],
            "numpy": pd.Series([np.int64(-2), np.float64(-0.25)], dtype=object),
        }
    )
    header, first, second = rows_of(table_bytes(frame, "csv"))
    assert first == ["-3", "-0.1", "-5", "-7", "True", "-2"]
    assert second == ["4", "1e-300", "", "-0.5", "False", "-0.25"]
    assert header == list(frame.columns)


@given(st.lists(TEXT, min_size=1, max_size=4))
def test_hostile_text_comes_back(texts):
    frame = pd.DataFrame({"n": range(len(texts)), "text": pd.Series(texts, dtype=object)})
    spelled = [
        "".join(f"⟨{ord(c):X}⟩" if "\ud800" <= c <= "\udfff" else c for c in text) for text in texts
    ]
    assert [row["text"] for row in json.loads(table_bytes(frame, "json"))] == spelled
    read = pyarrow.parquet.read_table(io.BytesIO(table_bytes(frame, "parquet")))
    assert read.to_pylist() == [{"n": i, "text": text} for i, text in enumerate(spelled)]
    cells = [row[1] for row in rows_of(table_bytes(frame, "csv"))[1:]]
    # What `defused` would change has been changed, so the way back is certain.
    back = [cell[1:] if defused(cell) != cell else cell for cell in cells]
    assert back == [text.replace("\0", "⟨0000⟩") for text in spelled]
    for cell in cells:
        assert cell.strip()[:1] not in set("=+-@＝＋－＠")


def test_a_hostile_corpus_has_all_tables():
    words = {"=1+1": 3, " @\ud800": 2, "a\0\r\nb": 4, '"",': 1, "\ud83d": 2}
    for name in ("bpe", "unigram"):
        history = tokviz.train(words, name, 30, special_tokens=("\udfff",))
        for table in TABLES.values():
            frame = table.frame(history)
            read = json.loads(table_bytes(frame, "json"))
            parquet = io.BytesIO(table_bytes(frame, "parquet"))
            assert pyarrow.parquet.read_table(parquet).to_pylist() == read
            assert len(rows_of(table_bytes(frame, "csv"))) == len(frame) + 1
        cut = json.loads(table_bytes(TABLES["segmentations"].frame(history), "json"))
        assert [row["word"] for row in cut][1:3] == [" @⟨D800⟩", "a\0\r\nb"]


def test_comparisons_grids_and_languages_are_tables_too():
    runs = [tokviz.train(COURSE, name, 60) for name in ("bpe", "wordpiece")]
    comparison = tokviz.compare(runs, COURSE, names=["=bpe", "b"])
    costs = language_costs(runs[0].tokenizer(), {"English": "This is", "Course": "course"})
    frames = [
        comparison.metrics,
        comparison.pairs,
        comparison.partings,
        comparison.words(5),
        comparison.held_out("This is a course"),
        grid(COURSE, ["bpe"], [3, 60]).table,
        costs,
    ]
    for frame in frames:
        wanted = records(frame)
        assert wanted
        assert json.loads(table_bytes(frame, "json")) == wanted
        read = pyarrow.parquet.read_table(io.BytesIO(table_bytes(frame, "parquet")))
        assert read.to_pylist() == wanted
    assert rows_of(table_bytes(comparison.metrics, "csv"))[1][0] == "'=bpe"
    names = [metric.name for metric in METRICS]
    assert [*comparison.metrics][5:] == [*names, "words", "per_word"]


def test_an_empty_table_has_its_header():
    frame = TABLES["steps"].frame(tokviz.train({"ab": 1}, "bpe", 2))
    for format in TABLE_FORMATS:
        assert b"narration" in table_bytes(frame, format) or format == "json"
    assert json.loads(table_bytes(frame, "json")) == []


def test_what_cannot_be_written_is_said_in_a_sentence(monkeypatch):
    frame = pd.DataFrame({"a": [1]})
    with pytest.raises(ValueError, match="format='xlsx' is not known; choose one of csv, parquet"):
        table_bytes(frame, "xlsx")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match="Parquet needs the package pyarrow; install it with"):
        table_bytes(frame, "parquet")
