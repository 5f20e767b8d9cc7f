"""What is no history is refused in a sentence; what is one never runs code."""

import json
import zipfile
from dataclasses import asdict, replace

import numpy as np
import pytest
from helpers import ROOT

import tokviz
from tokviz import HistoryFileError
from tokviz.formats.boundless_checks import check_uses
from tokviz.formats.history_checks import check_words
from tokviz.formats.history_file import VERSION, VERSIONS
from tokviz.pretokenizers import make_pretokenizer

DATA = ROOT / "tests" / "data"
TEXT = "low low lower newest newest widest the löwe\n"
#: What the files of each version hold, by the end of their name (tests/data/README.md).
KEPT = {
    "merges": {
        "algorithm": "bpe",
        "vocab_size": 24,
        "end_of_word_suffix": "</w>",
        "interventions": [(1, ("s", "t"))],
    },
    "unigram": {"algorithm": "unigram", "vocab_size": 20},
    "em": {"algorithm": "sentencepiece-unigram", "vocab_size": 18},
    "picky": {"algorithm": "picky-bpe", "vocab_size": 17, "threshold": 0.5},
    "super": {"algorithm": "super-bpe", "vocab_size": 36},
    "huggingface": {
        "algorithm": "huggingface-unigram",
        "vocab_size": 17,
        "min_expected_count": 0.0,
    },
    "boundless": {"algorithm": "boundless-bpe", "vocab_size": 36},
    "removals": {"algorithm": "boundless-bpe", "vocab_size": 36, "threshold": 0.5},
}


#: Those of today: some families have a version of their own.
TODAY = [
    path
    for version in sorted({VERSION, *VERSIONS.values()})
    for path in DATA.glob(f"history-v{version}-*.npz")
]


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "history.npz"
    tokviz.train({"low": 5, "lower": 2}, vocab_size=8).save(path)
    return path


def rewrite(path, name, data):
    """Replaces one member of the archive."""
    with zipfile.ZipFile(path) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    members[name] = data
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)


def with_header(path, **changes):
    with np.load(path) as archive:
        header = json.loads(json.loads(archive["header"].tobytes())[0])
    text = json.dumps([json.dumps({**header, **changes})])
    buffer = path.with_suffix(".npy")
    np.save(buffer, np.frombuffer(text.encode(), np.uint8))
    rewrite(path, "header.npy", buffer.read_bytes())


def test_settings_of_all_parts_come_back(tmp_path):
    path = tmp_path / "a b.npz"
    history = tokviz.train(
        "Low löwe low",
        "bpe",
        20,
        make_pretokenizer("bert", normalize=True),
        special_tokens=("<s>", "\ud83d\ude00"),
        end_of_word_suffix="</w>",
    )
    history.save(str(path))
    loaded = tokviz.load(str(path))
    assert loaded.trainer == history.trainer
    assert loaded.pretokenizer == history.pretokenizer
    assert loaded.vocab(0) == history.vocab(0)
    assert loaded.spelling == history.spelling


@pytest.mark.parametrize("kind", KEPT)
def test_files_of_this_version_open_as_what_was_saved(kind, tmp_path):
    [path] = [path for path in TODAY if path.stem.endswith(f"-{kind}")]
    loaded, trained = tokviz.load(path), tokviz.train(TEXT, **KEPT[kind])
    assert loaded.trainer == trained.trainer
    assert [asdict(step) for step in loaded.steps] == [asdict(step) for step in trained.steps]
    assert loaded.stopped == trained.stopped
    for t in range(len(trained) + 1):
        assert loaded.vocab(t) == trained.vocab(t)
        assert loaded.candidates(t).equals(trained.candidates(t))
        for word in trained.words.words[:2]:
            assert loaded.segmentation(word, t) == trained.segmentation(word, t)
    # What is written now is what was written then.
    loaded.save(tmp_path / "again.npz")
    with np.load(path) as then, np.load(tmp_path / "again.npz") as now:
        assert sorted(then.files) == sorted(now.files)
        for name in then.files:
            assert then[name].dtype == now[name].dtype, name
            assert then[name].tobytes() == now[name].tobytes(), name


EARLIER = [path for path in DATA.glob("history-v*.npz") if path not in TODAY]


@pytest.mark.parametrize("path", EARLIER, ids=lambda path: path.stem)
def test_files_of_earlier_versions_open_as_what_was_trained(path, tmp_path):
    loaded = tokviz.load(path)
    trained = loaded.trainer.train(loaded.words, loaded.pretokenizer)
    assert (loaded, loaded.stop) == (trained, trained.stop)
    assert list(loaded.steps) == list(trained.steps)
    # Saved again it is a file of today.
    loaded.save(tmp_path / "loaded.npz")
    trained.save(tmp_path / "trained.npz")
    assert (tmp_path / "loaded.npz").read_bytes() == (tmp_path / "trained.npz").read_bytes()


def test_a_newer_version_says_so(saved):
    with_header(saved, version=99)
    said = "of version 99; this tokviz reads version 7. A newer tokviz wrote it: update this one"
    with pytest.raises(HistoryFileError, match=said):
        tokviz.load(saved)
    # Whatever its columns are.
    column = saved.with_suffix(".other")
    with column.open("wb") as file:
        np.save(file, np.array([["text"]]))
    rewrite(saved, "left.npy", column.read_bytes())
    with pytest.raises(HistoryFileError, match=said):
        tokviz.load(saved)


def test_a_header_beside_the_header_is_not_read(saved):
    column = saved.with_suffix(".other")
    with column.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "|u1", "fortran_order": False, "shape": (10**12,)}
        )
    rewrite(saved, "header", column.read_bytes())
    with pytest.raises(HistoryFileError, match="header is no column"):
        tokviz.load(saved)


def test_another_format_is_no_history(saved):
    with_header(saved, format="something else")
    with pytest.raises(HistoryFileError, match="is not a tokviz history"):
        tokviz.load(saved)


@pytest.mark.parametrize(
    "changes",
    [
        *({"version": version} for version in ("2", None, 2.0, [2], True, 0, -1)),
        {"stop": None},
        {"stop": ["why"]},
        {"stop": {}},
        {"stop": {"kind": "late"}},
        {"stop": {"kind": ["size"]}},
        {"stop": {"kind": "size", "asked": "60"}},
        {"stop": {"kind": "size", "asked": None}},
        {"stop": {"kind": "size", "reached": True}},
        {"stop": {"kind": "size", "values": None}},
        {"stop": {"kind": "size", "values": {"least": [1]}}},
        {"stop": {"kind": "size", "other": 1}},
        {"stop": {"kind": "min_frequency"}},
        {"stop": {"kind": "cancelled"}},
        {"version": 2, "stopped": None},
        {"version": 2, "stopped": ["why"]},
        {"version": 2},
        {"pretokenizer": {"name": "bert", "normalize": {"a": 1}}},
        {"pretokenizer": {"name": "bert", "normalize": 1}},
        {"pretokenizer": {"name": "sentencepiece", "kept": [5]}},
        {"pretokenizer": {"name": "sentencepiece", "normalization_rule_name": 5}},
        {"white_space_words": "many"},
        {"white_space_words": -1},
        {"white_space_words": 2**60},
    ],
)
def test_settings_of_another_kind_are_refused(saved, changes):
    with_header(saved, **changes)
    with pytest.raises(HistoryFileError, match="or it is damaged"):
        tokviz.load(saved)


def with_alone(path, alone):
    column = path.with_suffix(".npy")
    np.save(column, np.asarray(alone))
    rewrite(path, "alone.npy", column.read_bytes())


@pytest.mark.parametrize(
    "alone", [[2, -1], [4, 0], [3, 2], [1], [[1, 1]], [1.0, 1.0], [1, 1, 1], [True, True]]
)
def test_words_that_are_alone_too_often_are_refused(tmp_path, alone):
    """low occurs three times and lower twice, and of four words between white space."""
    path = tmp_path / "history.npz"
    tokviz.train("low low low lower lower", "bpe", 8, "whitespace").save(path)
    with_header(path, white_space_words=4)
    with_alone(path, [3, 1])
    assert tokviz.load(path).words.alone == (3, 1)
    with_alone(path, alone)
    with pytest.raises(HistoryFileError, match="or it is damaged"):
        tokviz.load(path)


def test_words_are_alone_among_a_number_of_words(saved):
    with_alone(saved, [0, 0])
    with pytest.raises(HistoryFileError, match="or it is damaged"):
        tokviz.load(saved)


@pytest.mark.parametrize("keep", [0, 10, 0.5, -30])
def test_a_file_cut_short(saved, keep):
    data = saved.read_bytes()
    saved.write_bytes(data[: int(len(data) * keep) if isinstance(keep, float) else keep])
    with pytest.raises(HistoryFileError, match="is not a tokviz history, or it is damaged"):
        tokviz.load(saved)


@pytest.mark.parametrize("content", [b"hello", b"{}", b"\x80\x04K\x01.", b"PK\x03\x04rest"])
def test_other_files(tmp_path, content):
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    with pytest.raises(HistoryFileError, match="is not a tokviz history"):
        tokviz.load(path)


def test_a_plain_array_and_a_pickle(tmp_path, saved):
    array = tmp_path / "array.npy"
    np.save(array, np.arange(3))
    with pytest.raises(HistoryFileError):
        tokviz.load(array)
    pickled = tmp_path / "pickled.npy"
    np.save(pickled, np.array([print], object), allow_pickle=True)
    rewrite(saved, "left.npy", pickled.read_bytes())
    with pytest.raises(HistoryFileError, match="is no column"):
        tokviz.load(saved)


def test_a_missing_file_stays_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        tokviz.load(tmp_path / "none.npz")


@pytest.mark.parametrize("algorithm", ["sentencepiece-unigram", "sentencepiece-bpe"])
def test_words_that_are_trained_as_one_come_back(algorithm, tmp_path):
    """A space, and the sign that SentencePiece writes for one: fewer characters are trained on."""
    history = tokviz.train({" aa": 1, "▁aa": 2, " " * 69: 1, "▁" * 69: 1}, algorithm, 12)
    history.save(tmp_path / "history.npz")
    loaded = tokviz.load(tmp_path / "history.npz")
    for t in range(len(history) + 1):
        for word in history.words.words:
            assert loaded.segmentation(word, t) == history.segmentation(word, t)


@pytest.mark.parametrize(("counts", "ends"), [([1, 0], None), ([1], None), ([1, 2], [0, -1])])
def test_counts_of_words_are_positive_and_one_for_each(counts, ends):
    check_words(2, [1, 2], [0, 1])
    with pytest.raises(ValueError, match=r"the counts of words|the line ends"):
        check_words(2, counts, ends)


#: A column of a file of PickyBPE, a place in it, and what would not do there.
NOT_PICKY = [
    ("right", 0, -1),
    ("right", 0, -2),
    ("right", -1, 99),
    ("left", 0, -1),
    ("left", 0, 14),
    ("made", 0, 3),
    ("made", 1, 10),
    ("made", -1, 99),
    ("change_state", 0, 0),
    ("change_state", -1, 99),
    ("change_gap", 0, 0),
    ("change_gap", 0, -1),
    ("change_gap", 0, 9999),
    ("change_code", 0, 99),
    ("change_code", 0, -1),
    ("log_place", 0, -1),
    ("log_place", 0, 9999),
    ("keyframe_place", 0, 9999),
    ("known", 0, 9999),
    ("gaps", 0, 0),
]


@pytest.mark.parametrize(("name", "at", "value"), NOT_PICKY)
def test_a_picky_file_that_does_not_fit_is_refused(tmp_path, name, at, value):
    path = tmp_path / "history.npz"
    path.write_bytes((DATA / "history-v4-picky.npz").read_bytes())
    with np.load(path) as archive:
        column = archive[name].copy()
    assert column[at] != value
    column[at] = value
    np.save(path.with_suffix(".npy"), column)
    rewrite(path, f"{name}.npy", path.with_suffix(".npy").read_bytes())
    with pytest.raises(HistoryFileError, match="or it is damaged"):
        tokviz.load(path)


@pytest.mark.parametrize(
    ("name", "at", "value"), [("uses", 0, 1), ("uses", -1, 0), ("across", -1, 1), ("across", 0, 1)]
)
def test_removals_of_boundless_bpe_that_do_not_fit_are_refused(tmp_path, name, at, value):
    path = tmp_path / "history.npz"
    path.write_bytes((DATA / "history-v7-removals.npz").read_bytes())
    with np.load(path) as archive:
        column, removals = archive[name].copy(), np.flatnonzero(archive["right"] < 0)
    at = 0 if at == 0 else removals[-1]
    assert column[at] != value
    column[at] = value
    np.save(path.with_suffix(".npy"), column)
    rewrite(path, f"{name}.npy", path.with_suffix(".npy").read_bytes())
    with pytest.raises(HistoryFileError, match="or it is damaged"):
        tokviz.load(path)


def test_a_token_across_words_that_is_taken_back_is_refused():
    history = tokviz.train("ab cd\nab cd\nab cd", "boundless-bpe", 12, threshold=1.0)
    record = history.record
    assert record.across.any()
    check_uses(record)
    forged = replace(record, across=np.where(record.right < 0, 0, 1).astype(np.int8))
    with pytest.raises(ValueError, match="the uses"):
        check_uses(forged)


@pytest.mark.parametrize("name", ["made", "log_place", "change_code", "keyframe_place"])
def test_a_picky_file_without_a_column_is_refused(tmp_path, name):
    path = tmp_path / "history.npz"
    path.write_bytes((DATA / "history-v4-picky.npz").read_bytes())
    np.save(path.with_suffix(".npy"), np.zeros(0, np.int32))
    rewrite(path, f"{name}.npy", path.with_suffix(".npy").read_bytes())
    with pytest.raises(HistoryFileError, match="or it is damaged"):
        tokviz.load(path)


@pytest.mark.parametrize("border", [-2, 99, True, None, "1", 1.0])
def test_a_border_that_cannot_be_is_refused(tmp_path, border):
    path = tmp_path / "history.npz"
    path.write_bytes((DATA / "history-v5-super.npz").read_bytes())
    with_header(path, border=border)
    with pytest.raises(HistoryFileError, match="or it is damaged"):
        tokviz.load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("across", 2), ("across", -1), ("pair_across", 2), ("across", 1), ("across", 0.5)],
)
def test_kinds_of_merges_that_cannot_be_are_refused(tmp_path, name, value):
    path = tmp_path / "history.npz"
    path.write_bytes((DATA / "history-v6-boundless.npz").read_bytes())
    with np.load(path) as archive:
        column = archive[name].astype(type(value))
    column[0] = value
    np.save(path.with_suffix(".npy"), column)
    rewrite(path, f"{name}.npy", path.with_suffix(".npy").read_bytes())
    with pytest.raises(HistoryFileError, match="or it is damaged"):
        tokviz.load(path)


def test_older_programs_read_all_but_files_of_families_that_they_do_not_know(tmp_path):
    families = [("bpe", VERSION), ("picky-bpe", 4), ("super-bpe", 5), ("boundless-bpe", 6)]
    settings = {7: {"threshold": 1.0}}
    for algorithm, version in [*families, ("boundless-bpe", 7)]:
        path = tmp_path / "history.npz"
        tokviz.train("low low lower", algorithm, 8, **settings.get(version, {})).save(path)
        with np.load(path) as archive:
            header = json.loads(json.loads(archive["header"].tobytes())[0])
        assert header["version"] == version


CHOSEN = {"library_version": "0.2.3", "byte_fallback": True, "auto_character_coverage": True}


def test_characters_that_nobody_chose_are_refused(tmp_path):
    path = tmp_path / "history.npz"
    history = tokviz.train("日本 日本 ab ab ab", "sentencepiece-bpe", 259 + 6, **CHOSEN)
    history.save(path)
    opened = tokviz.load(path)
    assert opened == history
    assert opened.narrate(0) == history.narrate(0)
    alphabet = [[symbol.text] for symbol in history.record.alphabet]
    with_header(path, alphabet=alphabet[::-1])
    with pytest.raises(HistoryFileError, match="not those that its settings choose"):
        tokviz.load(path)
    # A size that the library refuses.
    history.save(path)
    with np.load(path) as archive:
        header = json.loads(json.loads(archive["header"].tobytes())[0])
    with_header(path, trainer={**header["trainer"], "vocab_size": 264})
    with pytest.raises(HistoryFileError, match="not those that its settings choose"):
        tokviz.load(path)
