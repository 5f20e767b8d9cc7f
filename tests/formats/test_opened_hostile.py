"""Files from anybody: each is refused in one sentence, or gives a tokenizer that works."""

import io
import json
import zipfile

import numpy as np
import pytest
from effort import some
from hostile_files import ALL, BPE, asked, bytes_of, refused_or_works
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece_models import trained_model

import tokviz
from tokviz import HistoryFileError
from tokviz.formats.history_file import read, save
from tokviz.formats.packed_texts import pack, packed_strings, unpack
from tokviz.formats.readers import bounded_json, opened, sentencepiece_model
from tokviz.formats.readers.bounded_json import MOST_ID, Fields
from tokviz.formats.readers.hf_model import check_vocabulary
from tokviz.formats.readers.opened import TokenizerFileError
from tokviz.history.merges import MergeHistory, MergeRecord
from tokviz.history.stop import Stop
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.symbols import Symbol
from tokviz.text.word_counts import WordCounts


@pytest.mark.parametrize("file", ALL)
def test_the_files_themselves_work(file):
    assert refused_or_works({"tokenizer.json": bytes_of(file)}) is None


@pytest.mark.parametrize("file", ALL)
def test_every_place_to_cut_a_file_short(file):
    data = bytes_of(file)
    for size in range(len(data)):
        assert refused_or_works({"tokenizer.json": data[:size]})


def places(value, way=()):
    """Every place in nested lists and objects."""
    yield way
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from places(inner, (*way, key))


def changed(value, way, new):
    """A copy with something else at a place, or without the place."""
    if not way:
        return new
    copy = value.copy()
    if len(way) == 1 and new is ...:
        copy.pop(way[0])
    else:
        copy[way[0]] = changed(copy[way[0]], way[1:], new)
    return copy


STRANGE = [
    ..., None, True, -1, 1.5, 10**30, 10**400, 1e308, "", "a", "\ud800", "(", "\0", [], {}, [[]],
    [1], {"type": "x"}, {"type": "Sequence"}, {"": 0}, {"a": 10**9}, ["a b c"], [["a", "b"]],
    {"a": 0, "b": 0}, {"String": ""}, {"Regex": "(?"}, [["a"]], [["a", True]], "x" * 1000,
]  # fmt: skip


@pytest.mark.parametrize("file", ALL)
def test_every_value_replaced_by_strange_ones(file):
    refused = sum(
        refused_or_works({"tokenizer.json": bytes_of(changed(file, way, new))}) is not None
        for way in places(file)
        if way
        for new in STRANGE
    )
    assert refused > 300


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b'{"model": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"model": ' + b'{"a":' * 100_000, "nested too deeply"),
        (b'{"model": NaN}', "NaN"),
        (b'{"model": ' + b"9" * 10_000 + b"}", "too many digits"),
        (b'{"model": "\xff"}', "UTF-8"),
        (b'\xef\xbb\xbf{"model": 1}', ""),
        ('{"model": 1}'.encode("utf-16"), ""),
        (b'[{"model": 1}]', "no tokenizer"),
        (b"", "is empty"),
        (b"\0" * 100, ""),
        (b'{"a": 1}', "merges.txt"),
        (b"#version: 0.2\na b\n", "vocab.json"),
        (b"GIF89a" * 100, "SentencePiece"),
    ],
)
def test_other_files_are_refused(data, named):
    message = refused_or_works({"some file": data})
    assert message
    assert named in message


def test_normalizers_and_regexes_that_never_end():
    nested = {"type": "NFC"}
    for _ in range(300):
        nested = {"type": "Sequence", "normalizers": [nested]}
    refused = refused_or_works({"t": bytes_of({**BPE, "normalizer": nested})})
    assert "recursion limit exceeded" in refused
    many = {"type": "Sequence", "normalizers": [{"type": "NFC"}] * 101}
    assert "more than 100" in refused_or_works({"t": bytes_of({**BPE, "normalizer": many})})
    deep = changed(BPE, ("pre_tokenizer", "pattern", "Regex"), "(" * 2400 + "a" + ")" * 2400)
    assert refused_or_works({"t": bytes_of(deep)})


def test_names_that_are_no_names_stay_on_one_line():
    assert refused_or_works({"a\nb" * 1000: b'{"model": 1'})
    assert "Two" in refused_or_works({"t": bytes_of(changed(BPE, ("model", "vocab", "b"), 0))})


@pytest.mark.parametrize(
    "merges", [b"a", b"a b c", b"a  b", b"a b\n\na b", b"x y", b"\xff", b"", b"a b\n", b" "]
)
def test_merges_of_any_kind(merges):
    refused_or_works({"vocab.json": bytes_of(BPE["model"]["vocab"]), "merges.txt": merges})


def test_sizes_are_limited(monkeypatch, tmp_path):
    monkeypatch.setattr(bounded_json, "MOST_BYTES", 100)
    assert "no file of this kind" in refused_or_works({"t": bytes_of(BPE)})
    monkeypatch.setattr(opened, "MOST_BYTES", 50)
    path = tmp_path / "tokenizer.json"
    path.write_bytes(bytes_of(BPE))
    with pytest.raises(TokenizerFileError, match="no file of more than 50"):
        tokviz.open_tokenizer(path)
    monkeypatch.undo()
    monkeypatch.setattr(bounded_json, "MOST_VALUES", 5)
    assert "more than 5 values" in refused_or_works({"t": bytes_of(BPE)})


@pytest.fixture(scope="module")
def model():
    settings = {"vocab_size": 20, "model_type": "bpe", "normalization_rule_name": "identity"}
    return trained_model(["low lower lowest newest"] * 3, **settings)


def test_every_place_to_cut_a_model_short(model):
    assert sum(bool(refused_or_works({"m.model": model[:i]})) for i in range(len(model))) > 50


def test_models_of_too_many_pieces_are_refused(model, monkeypatch):
    assert "too large" in refused_or_works({"m.model": b"\x0a\x00" * 1_000_001})
    monkeypatch.setattr(sentencepiece_model, "MOST_BYTES", 100)
    assert "too large" in refused_or_works({"m.model": model})


@given(data=st.data())
@settings(max_examples=some(300))
def test_flipped_bytes(model, data):
    kind = data.draw(st.sampled_from(["json", "model"]))
    whole = bytearray(model if kind == "model" else bytes_of(data.draw(st.sampled_from(ALL))))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    refused_or_works({"file": bytes(whole)})


# --- history files ----------------------------------------------------------------------------


SAVED = {}


def saved(algorithm, tmp_path_factory):
    """The members of a history file."""
    if algorithm not in SAVED:
        path = tmp_path_factory.mktemp("saved") / "history.npz"
        text = "low lower lowest newest widest wider new\nsold old bold"
        size = {"unigram": 30}.get(algorithm, 22)
        if algorithm == "sentencepiece-unigram":
            # Enough seeds that some are pruned.
            text, size = tokviz.SAMPLES["course"].corpus, 40
        tokviz.train(text, algorithm, size).save(path)
        with zipfile.ZipFile(path) as archive:
            SAVED[algorithm] = {name: archive.read(name) for name in archive.namelist()}
    return SAVED[algorithm]


def loaded(members, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return tokviz.load(path)


ALGORITHMS = ["bpe", "wordpiece", "unigram", "sentencepiece-bpe", "sentencepiece-unigram"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_columns_that_do_not_fit_are_refused_or_do_no_harm(algorithm, tmp_path, tmp_path_factory):
    members = saved(algorithm, tmp_path_factory)
    asked(loaded(members, tmp_path / "a.npz"))
    refused = 0
    for name in members:
        column = np.load(io.BytesIO(members[name]))
        if name in ("header.npy", "words.npy", "tokens.npy"):
            continue
        ways = [column[:-1], np.concatenate([column, column[-1:]]), column.astype(np.complex128)]
        if column.size and column.dtype.kind in "iu":
            wide = column.astype(np.int64)
            ways += [
                np.where(np.arange(wide.size).reshape(wide.shape) == 0, 10**9, wide),
                -1 - wide,
            ]
        for way in ways:
            if way.size == column.size == 0 and way.dtype == column.dtype:
                continue
            buffer = io.BytesIO()
            np.save(buffer, way)
            try:
                history = loaded({**members, name: buffer.getvalue()}, tmp_path / "b.npz")
            except HistoryFileError:
                refused += 1
            else:
                asked(history)
    assert refused > 2 * len(members)


def test_an_archive_that_unpacks_to_far_more_is_refused_before_it_is(tmp_path):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": "|u1", "fortran_order": False, "shape": (200_000_000,)}
    )
    path = tmp_path / "bomb.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("header.npy", "w") as file,
    ):
        file.write(buffer.getvalue())
        for _ in range(200):
            file.write(bytes(1_000_000))
    with pytest.raises(HistoryFileError, match="would unpack to 200,000,128 bytes"):
        tokviz.load(path)


def test_a_column_that_claims_to_be_larger_than_it_is(tmp_path, tmp_path_factory):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": "<i8", "fortran_order": False, "shape": (10**15,)}
    )
    members = {**saved("bpe", tmp_path_factory), "left.npy": buffer.getvalue()}
    with pytest.raises(HistoryFileError, match="is no column"):
        loaded(members, tmp_path / "a.npz")


@pytest.mark.parametrize("count", [0, -1, 2**62])
def test_tokens_that_no_probability_can_be_given_are_refused(count, tmp_path, tmp_path_factory):
    members = saved("unigram", tmp_path_factory)
    counts = np.load(io.BytesIO(members["counts.npy"])).astype(np.int64)
    counts[:3] = count
    buffer = io.BytesIO()
    np.save(buffer, counts)
    with pytest.raises(HistoryFileError, match="is damaged"):
        loaded({**members, "counts.npy": buffer.getvalue()}, tmp_path / "a.npz")


def with_column(members, name, column):
    buffer = io.BytesIO()
    np.save(buffer, column)
    return {**members, f"{name}.npy": buffer.getvalue()}


def with_text(members, name, text):
    return with_column(members, name, np.frombuffer(text.encode(), np.uint8))


def with_trainer(members, **changes):
    [header] = json.loads(np.load(io.BytesIO(members["header.npy"])).tobytes())
    known = json.loads(header)
    known["trainer"] |= changes
    return with_text(members, "header", json.dumps([json.dumps(known)], ensure_ascii=False))


def test_rounds_that_remove_nothing_are_refused(tmp_path, tmp_path_factory):
    """Else a small file would have as many states as it likes, each at the cost of all tokens."""
    members, states = saved("unigram", tmp_path_factory), 1000
    columns = {name: np.load(io.BytesIO(members[f"{name}.npy"])) for name in ("counts", "cuts")}
    tokens, width = len(columns["counts"]), columns["cuts"].shape[1]
    for name, column in {
        "removed_at": np.full(tokens, np.iinfo(np.int32).max),
        "loss": np.zeros(states),
        "delta": np.zeros(states * tokens),
        "delta_starts": np.arange(states + 1) * tokens,
        "cuts": np.zeros((states, width), np.uint8),
    }.items():
        members = with_column(members, name, column)
    with pytest.raises(HistoryFileError, match="is damaged"):
        loaded(members, tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("algorithm", "fewer"),
    [("unigram", {"seed_size": 29}), ("sentencepiece-unigram", {"num_sub_iterations": 1})],
)
def test_more_than_was_asked_for_is_refused(algorithm, fewer, tmp_path, tmp_path_factory):
    members = saved(algorithm, tmp_path_factory)
    assert len(loaded(with_trainer(members), tmp_path / "a.npz"))
    with pytest.raises(HistoryFileError, match="is damaged"):
        loaded(with_trainer(members, **fewer), tmp_path / "a.npz")


def test_places_that_go_back_and_forth_are_refused(tmp_path, tmp_path_factory):
    """Though they begin and end as they must, words would have the symbols of others."""
    members = saved("bpe", tmp_path_factory)
    starts = np.load(io.BytesIO(members["starts.npy"])).astype(np.int64)
    starts[1:3] = starts[2:0:-1]
    with pytest.raises(HistoryFileError, match="is damaged"):
        loaded(with_column(members, "starts", starts), tmp_path / "a.npz")


def doubling(steps):
    """A history whose every merge is of the last symbol with itself."""
    every, none = np.arange(steps), np.empty(0, np.int64)
    top = np.full((steps + 1, 20), -1)
    top[:-1, 0] = every
    record = MergeRecord(
        alphabet=[Symbol("a")],
        left=every,
        right=every,
        tied=np.ones(steps + 1, np.int64),
        pair_left=every,
        pair_right=every,
        log_pair=every,
        log_count=np.ones(steps, np.int64),
        log_starts=np.arange(steps + 1),
        known=np.full(steps + 1, steps),
        keyframe_states=np.zeros(1, np.int64),
        keyframe_starts=np.zeros(2, np.int64),
        keyframe_pair=none,
        keyframe_count=none,
        top_pair=top,
        top_count=np.ones((steps + 1, 20), np.int64),
        symbols=np.zeros(1, np.int64),
        starts=np.array([0, 1]),
        gaps=np.array([steps]),
    )
    trainer = tokviz.TRAINERS["bpe"](vocab_size=100)
    words = WordCounts(("a",), (1,))
    return MergeHistory(trainer, make_pretokenizer("whitespace"), words, Stop("no_pair"), record)


def test_symbols_that_double_at_each_step_are_refused(tmp_path):
    doubling(9).save(tmp_path / "a.npz")
    assert tokviz.load(tmp_path / "a.npz").vocab(9)[-1] == "a" * 512
    doubling(45).save(tmp_path / "a.npz")
    with pytest.raises(HistoryFileError, match="would unpack to 2,147,483,646 bytes; at most"):
        tokviz.load(tmp_path / "a.npz")


def test_a_step_that_does_not_take_the_best_was_told_so(tmp_path, tmp_path_factory):
    """Each such step costs a whole score table."""
    members = saved("bpe", tmp_path_factory)
    top = np.load(io.BytesIO(members["top_pair.npy"])).copy()
    top[0, :2] = top[0, 1::-1]
    members = with_column(members, "top_pair", top)
    with pytest.raises(HistoryFileError, match="is damaged"):
        loaded(members, tmp_path / "a.npz")


@pytest.fixture
def parsed(monkeypatch):
    """The texts that were made into objects."""
    texts, loads = [], json.loads
    monkeypatch.setattr(json, "loads", lambda given: texts.append(given) or loads(given))
    return texts


@pytest.mark.parametrize(
    "text", ["[[],[]]", '["a",["b"]]', "[1, 2]", '["a" "b"]', '{"a": "b"}', '["a\\"]', '"', '[""']
)
@pytest.mark.parametrize("column", ["words", "header"])
def test_what_is_no_list_of_strings_is_refused_before_it_is_made(
    column, text, tmp_path, tmp_path_factory, parsed
):
    members = with_text(saved("bpe", tmp_path_factory), column, text)
    with pytest.raises(HistoryFileError, match="is damaged"):
        loaded(members, tmp_path / "a.npz")
    assert text not in parsed


@pytest.mark.parametrize(
    "strings", [[], [""], ['"'], ['", "', ", "], ["\\", "\\\\", '\\"'], ["\ud800"]]
)
def test_strings_of_every_kind_come_back(strings):
    assert unpack(pack(strings)) == strings
    assert packed_strings(pack(strings)) == len(strings)


def test_a_header_of_many_lists_is_refused_before_they_are_made(tmp_path, tmp_path_factory, parsed):
    text = json.dumps({"format": "tokviz history", "alphabet": [[]] * 1_600_000})
    members = with_text(saved("bpe", tmp_path_factory), "header", json.dumps([text]))
    with pytest.raises(HistoryFileError, match="is damaged"):
        loaded(members, tmp_path / "a.npz")
    assert text not in parsed


def test_words_are_counted_in_whole_numbers_one_each(tmp_path, tmp_path_factory):
    members = saved("bpe", tmp_path_factory)
    counts = np.load(io.BytesIO(members["word_counts.npy"]))
    for other in (counts.astype(np.float64), counts.astype(bool), np.stack([counts, counts])):
        with pytest.raises(HistoryFileError, match="is damaged"):
            loaded(with_column(members, "word_counts", other), tmp_path / "a.npz")


def test_short_strings_count_as_what_they_take():
    words = {f"{n:04}": 1 for n in range(5000)}
    file = io.BytesIO()
    save(tokviz.train(words, "bpe", 11), file)
    columns = sum(member.file_size for member in zipfile.ZipFile(file).infolist())
    assert columns < 250_000
    assert len(read(file, "it", 5000 * 60).words) == 5000
    with pytest.raises(HistoryFileError, match="to 300,000 bytes; at most 299,999 are opened"):
        read(file, "it", 5000 * 60 - 1)


@pytest.mark.parametrize("number", [-1, MOST_ID + 1, True, 1.0, "1"])
def test_a_number_is_whole_and_within_its_bounds(number):
    for ask in (
        lambda: Fields("the model", {"n": number}).number("n", MOST_ID),
        lambda: check_vocabulary({"a": number}),
    ):
        with pytest.raises(TokenizerFileError, match="whole number"):
            ask()
