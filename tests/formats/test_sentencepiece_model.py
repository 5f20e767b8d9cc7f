"""Model files of SentencePiece: read in full, and encoded with as the library does."""

import random
from functools import cache

import pytest
import sentencepiece
from effort import each, some
from helpers import ROOT, book
from sentencepiece import sentencepiece_model_pb2
from sentencepiece_models import trained_model

import tokviz
from tokviz.formats.exports import export
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.formats.readers.sentencepiece_model import SentencePieceModelError, read_model
from tokviz.text.given_corpus import documents
from tokviz.text.samples import SAMPLES
from tokviz.text.symbols import Spelling, Symbol
from tokviz.trainers.sentencepiece_bpe import library_pieces

TYPES = sentencepiece_model_pb2.ModelProto.SentencePiece.Type
SPELLING = Spelling(space_mark="▁")
STRANGE = [
    "",
    " ",
    "  two  spaces ",
    "½ ﬁne ＡＢＣ ①",
    "日本語 xyz 日本 ▁▁ <s> </s> <unk> <0x41>",
    "e\u0301 é n\u0303 👩‍👩‍👧 \u200b\ufeff\t\x00\x01z",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "<sep><sep>a<sep> b<sep><cls>the<se>",
]


@cache
def lines(name):
    if name in SAMPLES:
        return SAMPLES[name].documents
    return [line for line in documents(book()) if line]


@cache
def model_of(name, model_type, size, options=()):
    return trained_model(lines(name), model_type=model_type, vocab_size=size, **dict(options))


def assert_encodes_alike(data, texts):
    """The same ids everywhere; the same pieces, offsets and text where nothing is special."""
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    tokenizer = read_model(data).tokenizer()
    for text in texts:
        found, expected = tokenizer.encode(text), library.encode(text, out_type="immutable_proto")
        pieces = list(expected.pieces)
        assert found.ids == [piece.id for piece in pieces], text
        assert len(found) == len(pieces)
        special = {i for i in found.ids if library.is_unknown(i) or library.is_byte(i)}
        for token, i, piece in zip(found.tokens, found.ids, pieces, strict=True):
            if i not in special:
                assert token == SPELLING.show(Symbol(piece.piece.replace("▁", " ")))
        if text not in STRANGE and not any(library.is_byte(i) for i in special):
            # Each of our bytes covers its character, and so does each of several characters that
            # normalization makes of one.
            assert found.offsets == [(piece.begin, piece.end) for piece in pieces]
        assert tokenizer.decode(found.ids) == library.decode(found.ids)
        assert not found.untold


@pytest.mark.parametrize(
    "options",
    [
        (),
        (("byte_fallback", True), ("character_coverage", 0.99)),
        (("user_defined_symbols", ("<sep>", "the", "<cls>", "①")), ("pad_id", 3)),
        (("normalization_rule_name", "identity"), ("add_dummy_prefix", False)),
        (("split_by_whitespace", False), ("remove_extra_whitespaces", False)),
        (("bos_id", 0), ("unk_id", 1)),
    ],
    ids=["plain", "bytes", "user-defined", "identity", "across spaces", "unknown is 1"],
)
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.checked_against("sentencepiece", "encoder", ".model")
def test_encodes_as_the_library(model_type, options, checked):
    data = model_of("alice", model_type, 800, options)
    texts = [*each(lines("alice"), 4), *each(lines("udhr"), 2), *STRANGE]
    assert_encodes_alike(data, texts)
    checked(texts=len(texts))


@pytest.mark.parametrize(
    ("model_type", "size"),
    each([("unigram", 1_000), ("bpe", 1_000), ("unigram", 8_000), ("bpe", 8_000)], 3),
)
@pytest.mark.checked_against("sentencepiece", "encoder", ".model")
def test_lines_of_a_book(model_type, size, checked):
    chosen = random.Random(2).sample(lines("book"), some(1_000))
    assert_encodes_alike(model_of("book", model_type, size), chosen)
    checked(texts=len(chosen))


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_unused_pieces_are_never_made(model_type):
    message = sentencepiece_model_pb2.ModelProto.FromString(model_of("alice", model_type, 800))
    for piece in [piece for piece in message.pieces if len(piece.piece) > 2][::3]:
        if piece.type == TYPES.Value("NORMAL"):
            piece.type = TYPES.Value("UNUSED")
    assert_encodes_alike(message.SerializeToString(), [*lines("alice")[:200], *STRANGE])


def made_of(pieces, model_type="UNIGRAM", **normalization):
    """A model of some pieces, (piece, score, type), after the unknown one."""
    message = sentencepiece_model_pb2.ModelProto()
    message.trainer_spec.model_type = message.trainer_spec.ModelType.Value(model_type)
    for name, value in {"name": "identity", "add_dummy_prefix": False, **normalization}.items():
        setattr(message.normalizer_spec, name, value)
    for piece, score, kind in [("<unk>", 0.0, "UNKNOWN"), *pieces]:
        message.pieces.add(piece=piece, score=score, type=TYPES.Value(kind))
    return message.SerializeToString()


@pytest.mark.parametrize(("score", "ids"), [(-1.05, [3]), (-1.15, [1, 2])])
def test_a_user_defined_symbol_costs_a_tenth(score, ids):
    """a + b is 0.1 + 1."""
    pieces = [("a", 0.0, "USER_DEFINED"), ("b", -1.0, "NORMAL"), ("ab", score, "NORMAL")]
    data = made_of(pieces)
    assert sentencepiece.SentencePieceProcessor(model_proto=data).encode("ab") == ids
    assert read_model(data).tokenizer().encode("ab").ids == ids


@pytest.mark.parametrize(("text", "ids"), [("abcd", [1, 2, 3]), ("abcde", [0, 6])])
def test_an_unknown_character_costs_10_more_than_the_least_probable_piece(text, ids):
    """ab + c + d is 15, unknown + bcd 15.01; ab + c + d + e is 15.02, unknown + bcde 15.01."""
    scores = {"ab": -5.0, "c": -5.0, "d": -5.0, "e": -0.02, "bcd": -0.01, "bcde": -0.01}
    data = made_of([(piece, score, "NORMAL") for piece, score in scores.items()])
    assert sentencepiece.SentencePieceProcessor(model_proto=data).encode(text) == ids
    assert read_model(data).tokenizer().encode(text).ids == ids


def test_user_defined_symbols_are_never_joined():
    learned = [(piece, -float(i), "NORMAL") for i, piece in enumerate(["ab", "ba", "a", "c"])]
    data = made_of([("b", 0.0, "USER_DEFINED"), *learned], "BPE")
    for text, ids in (("ab", [4, 1]), ("ba", [1, 4]), ("cab", [5, 4, 1])):
        assert sentencepiece.SentencePieceProcessor(model_proto=data).encode(text) == ids
        assert read_model(data).tokenizer().encode(text).ids == ids


def test_the_longest_user_defined_symbol_is_cut_out_first():
    data = made_of([(piece, 0.0, "USER_DEFINED") for piece in ("a", "aa", "aab")], "BPE")
    assert sentencepiece.SentencePieceProcessor(model_proto=data).encode("aaaab") == [2, 3]
    assert read_model(data).tokenizer().encode("aaaab").ids == [2, 3]


@pytest.mark.parametrize("model_type", ["UNIGRAM", "BPE"])
@pytest.mark.parametrize("kind", ["NORMAL", "USER_DEFINED", "UNUSED"])
def test_a_literal_space_is_never_found(model_type, kind):
    """Every space of a line has become ▁."""
    learned = [(piece, -1.0 - i, "NORMAL") for i, piece in enumerate(["▁", "a", "b", "▁b"])]
    data = made_of([("a b", -25.0, kind), *learned, ("bx", -30.0, "NORMAL")], model_type)
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    tokenizer = read_model(data).tokenizer()
    for text in ("a b", "ba bx", "b a▁b x", "a b a"):
        assert tokenizer.encode(text).ids == library.encode(text)
        assert 1 not in tokenizer.encode(text).ids
    assert tokenizer.strings[1] == "a b"
    assert tokenizer.decode([1, 3]) == library.decode([1, 3]) == "a ba"
    opened = open_tokenizer({"some.model": data})
    assert opened.tokenizer.encode("a b").ids == library.encode("a b")


def test_an_unknown_character_costs_more_than_a_piece_that_is_never_found():
    """As above, but 10 more than 7."""
    scores = {"ab": -5.0, "c": -5.0, "d": -5.0, "e": -0.02, "bcde": -0.01, "a b": -7.0}
    data = made_of([(piece, score, "NORMAL") for piece, score in scores.items()])
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    assert read_model(data).tokenizer().encode("abcde").ids == library.encode("abcde")
    assert library.encode("abcde") == [1, 2, 3, 4]


def test_a_literal_space_and_a_mark_are_two_pieces():
    pieces = [("a b", 0.0, "USER_DEFINED"), ("a▁b", 0.0, "USER_DEFINED"), ("c", -1.0, "NORMAL")]
    for order in (pieces, [pieces[1], pieces[0], pieces[2]]):
        data = made_of(order)
        library = sentencepiece.SentencePieceProcessor(model_proto=data)
        assert read_model(data).tokenizer().encode("ca b").ids == library.encode("ca b")


@pytest.mark.parametrize("seed", range(some(60)))
@pytest.mark.checked_against("sentencepiece", "encoder", ".model")
def test_random_user_defined_symbols_with_spaces(seed, checked):
    """Models of the library, and exports of our own runs with the same symbols."""
    draw = random.Random(seed)

    def some(characters, most):
        return "".join(draw.choices(characters, k=draw.randint(0, most)))

    symbols = sorted({some("ab c▁", 3) + draw.choice("a c▁") for _ in range(draw.randint(1, 3))})
    corpus = [some("aabbc ", 13) for _ in range(30)]
    settings = {
        "vocab_size": 22,
        "user_defined_symbols": tuple(symbols),
        "add_dummy_prefix": draw.random() < 0.7,
        "remove_extra_whitespaces": draw.random() < 0.7,
        "split_by_whitespace": draw.random() < 0.7,
        "normalization_rule_name": draw.choice(["nmt_nfkc", "identity"]),
    }
    texts = [some("aabbc  ▁xé\t", 13) for _ in range(40)]
    for model_type in ("unigram", "bpe"):
        data = trained_model(corpus, model_type=model_type, hard_vocab_limit=False, **settings)
        library = sentencepiece.SentencePieceProcessor(model_proto=data)
        tokenizer = read_model(data).tokenizer()
        assert [tokenizer.encode(text).ids for text in texts] == library.encode(texts)
        checked(texts=len(texts))
    history = tokviz.train("\n".join(corpus), "sentencepiece-unigram", **settings)
    data = export(history, "sentencepiece")["tokenizer.model"]
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    tokenizer, run = read_model(data).tokenizer(), history.tokenizer()
    for text in texts:
        theirs, ours = library.encode(text), run.encode(text).ids
        assert tokenizer.encode(text).ids == theirs
        scores = [sum(map(library.get_score, ids)) for ids in (theirs, ours)]
        # Sums over a line and over its words are rounded apart.
        assert theirs == ours or scores[0] == pytest.approx(scores[1], rel=1e-6), text


def test_an_unused_character_was_joined_of_nothing():
    data = made_of([("a", -1.0, "UNUSED"), ("b", -2.0, "NORMAL"), ("ab", 0.0, "UNUSED")], "BPE")
    assert sentencepiece.SentencePieceProcessor(model_proto=data).encode("aab") == [1, 1, 2]
    assert read_model(data).tokenizer().encode("aab").ids == [1, 1, 2]


def test_unused_pieces_are_decoded():
    data = made_of([("a", -1.0, "NORMAL"), ("▁a", -1.0, "UNUSED")])
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    assert read_model(data).tokenizer().decode([1, 2]) == library.decode([1, 2]) == "a a"


def test_brackets_of_the_text_are_shown_as_everywhere():
    tokenizer = read_model(made_of([("⟨", -1.0, "NORMAL")])).tokenizer()
    assert tokenizer.encode("⟨").tokens == tokenizer.strings[1:] == ["⟨⟨⟩"]


def test_a_model_without_rules_normalizes_nothing():
    """Whatever it calls them."""
    data = made_of([("ﬁ", -1.0, "NORMAL"), ("fi", -1.0, "NORMAL")], name="nmt_nfkc")
    assert sentencepiece.SentencePieceProcessor(model_proto=data).encode("ﬁfi") == [1, 2]
    assert read_model(data).tokenizer().encode("ﬁfi").ids == [1, 2]


def test_everything_in_the_file_is_read(tmp_path):
    data = model_of("alice", "unigram", 800, (("user_defined_symbols", ("<sep>",)), ("pad_id", 4)))
    path = tmp_path / "alice.model"
    path.write_bytes(data)
    model, message = read_model(path), sentencepiece_model_pb2.ModelProto.FromString(data)
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    assert model == read_model(data)
    assert [(p.piece, p.score) for p in model.pieces] == [
        (library.id_to_piece(i), library.get_score(i)) for i in range(800)
    ]
    assert [p.type for p in model.pieces[:6]] == [
        *("UNKNOWN", "CONTROL", "CONTROL", "USER_DEFINED", "CONTROL", "NORMAL")
    ]
    assert model.model_type == "UNIGRAM"
    for spec, read in (
        (message.trainer_spec, model.trainer_spec),
        (message.normalizer_spec, model.normalizer_spec),
    ):
        assert set(read) == {field.name for field in spec.DESCRIPTOR.fields}
    assert model.trainer_spec["vocab_size"] == 800
    assert model.trainer_spec["user_defined_symbols"] == ["<sep>"]
    assert model.trainer_spec["character_coverage"] == pytest.approx(0.9995)
    assert model.normalizer_spec["name"] == "nmt_nfkc"
    assert isinstance(model.normalizer_spec["precompiled_charsmap"], bytes)


def test_unigram_models_have_n_best_samples_and_a_lattice():
    data = model_of("alice", "unigram", 800)
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    tokenizer = read_model(data).tokenizer()
    text = "Alice thought"
    theirs = library.nbest_encode(text, nbest_size=8, out_type="immutable_proto")
    ours = tokenizer.nbest(text, 8)
    assert [encoding.ids for encoding, _ in ours] == [
        [piece.id for piece in best.pieces] for best in theirs.nbests
    ]
    for (_, log_prob), best in zip(ours, theirs.nbests, strict=True):
        assert log_prob == pytest.approx(best.score, abs=1e-4)
    entropy = library.calculate_entropy(text, alpha=0.5)
    assert tokenizer.lattice(" Alice thought").entropy(0.5) == pytest.approx(entropy, abs=1e-4)
    assert tokenizer.sample(text, 0.1, seed=1).ids != tokenizer.sample(text, 0.1, seed=2).ids


def test_a_trained_history_and_the_model_of_the_library_encode_alike():
    corpus = lines("alice")
    history = tokviz.train(corpus, "sentencepiece-bpe", 800)
    model = read_model(model_of("alice", "bpe", 800))
    assert [(p.piece, p.score) for p in model.pieces] == library_pieces(history)
    ours, theirs = history.tokenizer(), model.tokenizer()
    for line in [*corpus, "日本 ½ Ω"]:
        a, b = ours.encode(line), theirs.encode(line)
        assert (a.tokens, a.offsets) == (b.tokens, b.offsets)


def test_what_is_no_model_is_refused_in_a_sentence(tmp_path):
    data = model_of("alice", "bpe", 800)
    path = tmp_path / "cut.model"
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(
        SentencePieceModelError, match=r"cut\.model is not a SentencePiece model, or"
    ):
        read_model(path)
    for junk in (b"", b"\xff" * 50, b"not a model at all", random.Random(1).randbytes(500)):
        with pytest.raises(SentencePieceModelError, match=r"not a SentencePiece model|damaged"):
            read_model(junk)
    with pytest.raises(OSError, match="no such"):
        read_model(tmp_path / "no such.model")

    def changed(change):
        message = sentencepiece_model_pb2.ModelProto.FromString(data)
        change(message)
        return message.SerializeToString()

    def twice(message):
        message.pieces.add().CopyFrom(message.pieces[5])

    def bytes_missing(message):
        message.pieces[5].type = TYPES.Value("BYTE")

    def word(message):
        message.trainer_spec.model_type = sentencepiece_model_pb2.TrainerSpec.WORD

    def suffixed(message):
        message.trainer_spec.treat_whitespace_as_suffix = True

    def unescaped(message):
        message.normalizer_spec.escape_whitespaces = False

    for change, sentence in (
        (twice, "holds a piece twice"),
        (bytes_missing, "a piece for every byte"),
        (lambda m: m.pieces[5].ClearField("piece"), "one of its pieces is empty"),
        (lambda m: m.pieces[0].ClearField("type"), "exactly one unknown piece"),
    ):
        with pytest.raises(SentencePieceModelError, match=sentence):
            read_model(changed(change))
    for change, sentence in (
        (word, "of type WORD; only UNIGRAM and BPE"),
        (suffixed, "treat_whitespace_as_suffix"),
        (unescaped, "escape_whitespaces is off"),
    ):
        with pytest.raises(SentencePieceModelError, match=sentence):
            read_model(changed(change)).tokenizer()


@pytest.mark.parametrize("model_type", ["UNIGRAM", "BPE"])
def test_decoding_writes_what_is_unknown_as_the_library_does(model_type):
    """Of two marks in front one is the space that the model puts there, and ⁇ stands between
    spaces."""
    pieces = [("▁", -1.0, "NORMAL"), ("▁a", -2.0, "NORMAL"), ("<s>", 0.0, "CONTROL")]
    data = made_of(pieces, model_type, add_dummy_prefix=True, remove_extra_whitespaces=False)
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    tokenizer = read_model(data).tokenizer()
    assert tokenizer.decode([1, 2]) == library.decode([1, 2]) == " a"
    assert tokenizer.decode([2, 0, 2]) == library.decode([2, 0, 2]) == "a ⁇  a"
    draw = random.Random(3)
    for _ in range(some(300)):
        ids = draw.choices(range(4), k=draw.randrange(8))
        assert tokenizer.decode(ids) == library.decode(ids)
    for text in (" a", "  a", "x a", "a x ", "<s>"):
        encoding = tokenizer.encode(text)
        assert encoding.ids == library.encode(text)
        assert tokenizer.decode(encoding.ids) == library.decode(encoding.ids)
    for wrong, error in (([4], tokviz.OutOfRangeError), ([None], tokviz.SettingError)):
        with pytest.raises(error):
            tokenizer.decode(wrong)


def test_a_normalization_of_its_own_is_the_library_s():
    """A table of rules that no release has."""
    own = (("normalization_rule_tsv", str(ROOT / "tests" / "data" / "own_rules.tsv")),)
    data = model_of("alice", "bpe", 300, own)
    message = sentencepiece_model_pb2.ModelProto.FromString(data)
    message.normalizer_spec.name = "my own"
    library = sentencepiece.SentencePieceProcessor(model_proto=message.SerializeToString())
    assert library.normalize("Alice") == "▁Bob"
    tokenizer = read_model(message.SerializeToString()).tokenizer()
    for text in ["Alice", "Alice, Bob", *lines("alice"), *STRANGE]:
        encoding = tokenizer.encode(text)
        assert encoding.ids == library.encode(text)
        assert not encoding.untold


#: Where the library's offsets of a model are not those of the text (docs/opened.md): a text, the
#: library's offsets and the true ones.
DRIFTING = {
    "bytes of a character": ("a中", [(0, 1), (1, 1), (1, 1), (1, 2)], [(0, 1), *[(1, 2)] * 3]),
    "one character, several pieces": ("½", [(0, 0), (0, 0), (0, 1)], [(0, 1)] * 3),
}


@pytest.mark.parametrize("name", DRIFTING)
def test_offsets_are_true_where_the_library_s_drift(name):
    text, theirs, true = DRIFTING[name]
    rules = sentencepiece_model_pb2.ModelProto.FromString(model_of("alice", "bpe", 800))
    pieces = [(f"<0x{byte:02X}>", 0.0, "BYTE") for byte in range(256)]
    pieces += [(piece, -1.0, "NORMAL") for piece in "a12⁄"]
    charsmap = rules.normalizer_spec.precompiled_charsmap
    data = made_of(pieces, name="nmt_nfkc", precompiled_charsmap=charsmap)
    message = sentencepiece_model_pb2.ModelProto.FromString(data)
    message.trainer_spec.byte_fallback = True
    data = message.SerializeToString()
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    found = library.encode(text, out_type="immutable_proto").pieces
    encoding = read_model(data).tokenizer().encode(text)
    assert encoding.ids == [piece.id for piece in found]
    assert encoding.offsets == true
    assert [(piece.begin, piece.end) for piece in found] == theirs != true
