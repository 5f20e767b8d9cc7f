"""Opened tokenizers give the ids, tokens and offsets of the libraries that their files are for."""

import json
import random
import unicodedata
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
import sentencepiece
import tokenizers
from effort import LONG, some
from library_tokenizers import (
    KINDS,
    LLAMA3,
    O200K,
    bert,
    byte_level_bpe,
    opened,
    sentencepiece_model,
    split_by,
    unescaped,
)
from opened_texts import DOCUMENTS, lines, mixed
from tokenizers import AddedToken, Regex, models, normalizers, pre_tokenizers

import tokviz
from tokviz.encoding.encoders import MergeEncoder
from tokviz.encoding.word_trace import word_trace
from tokviz.formats.readers.hf_described import MOST_SHOWN, described
from tokviz.formats.readers.library import Split
from tokviz.formats.readers.opened import TokenizerFileError, open_tokenizer
from tokviz.formats.readers.opened_parts import OpenedPretokenizer
from tokviz.pretokenizers import Word

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.checked_against("tokenizers", "encoder", "tokenizer.json")
def test_lines_are_encoded_and_decoded_as_by_the_library(kind, checked):
    made = KINDS[kind]()
    mine = opened(made)
    for line in lines(some(1000)):
        theirs = made.encode(line, add_special_tokens=False)
        ours = mine.tokenizer.encode(line)
        assert ours.ids == theirs.ids, line
        kept = [made.id_to_token(i) for i in theirs.ids]
        assert unescaped(ours.tokens) == kept, line
        if kind != "llama2":  # bytes of one character have offsets of parts of it there
            assert ours.offsets == theirs.offsets, line
        assert mine.tokenizer.decode(ours.ids) == made.decode(theirs.ids, skip_special_tokens=False)
    checked(texts=some(1000))


@pytest.mark.checked_against("tokenizers", "encoder", "vocab.json, merges.txt")
def test_vocab_and_merges_of_gpt2(tmp_path, checked):
    made = byte_level_bpe()
    made.model.save(str(tmp_path))
    theirs = tokenizers.ByteLevelBPETokenizer(
        str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt")
    )
    mine = tokviz.open_tokenizer(tmp_path / "merges.txt", tmp_path / "vocab.json")
    assert (mine.format, mine.model) == ("vocab.json + merges.txt", "BPE")
    for line in lines(some(1000), seed=1):
        encoding = mine.tokenizer.encode(line)
        assert encoding.ids == theirs.encode(line).ids
        assert mine.tokenizer.decode(encoding.ids) == line
    assert any("assumed" in note for note in mine.notes)
    checked(texts=some(1000))


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.checked_against("sentencepiece", "encoder", ".model")
def test_sentencepiece_models(model_type, checked):
    data = sentencepiece_model(
        vocab_size=800, model_type=model_type, byte_fallback=True, character_coverage=0.98
    )
    mine = open_tokenizer({"some.model": data})
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    for line in lines(some(1000), seed=2):
        assert mine.tokenizer.encode(line).ids == theirs.encode(line)
    assert (mine.merges is not None) == (model_type == "bpe")
    checked(texts=some(1000))


BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
NORMALIZERS = {
    **{
        name: getattr(normalizers, name)
        for name in (
            *("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Strip", "Nmt"),
            *("BertNormalizer", "ByteLevel"),
        )
    },
    "none": lambda: None,
    "Replace": lambda: normalizers.Replace("ab", "xé"),
    "Replace regex": lambda: normalizers.Replace(Regex(r"\s+"), "_x"),
    "Prepend": lambda: normalizers.Prepend("▁x"),
    "cased": lambda: normalizers.BertNormalizer(clean_text=False, lowercase=False),
    "Sequence": lambda: normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents()]),
}
PRE_TOKENIZERS = {
    **{
        name: getattr(pre_tokenizers, name)
        for name in ("ByteLevel", "Whitespace", "WhitespaceSplit", "BertPreTokenizer")
    },
    "none": lambda: None,
    "first": lambda: pre_tokenizers.Metaspace(prepend_scheme="first"),
    "unsplit": lambda: pre_tokenizers.Metaspace(split=False),
    "digits": lambda: pre_tokenizers.Digits(True),
    "runs": lambda: pre_tokenizers.Digits(False),
    "delimiter": lambda: pre_tokenizers.CharDelimiterSplit("a"),
    **{f"punctuation {b}": lambda b=b: pre_tokenizers.Punctuation(b) for b in BEHAVIORS},
    **{f"split {b}": lambda b=b: pre_tokenizers.Split(" ", b) for b in BEHAVIORS},
    **{
        f"inverted {b}": lambda b=b: pre_tokenizers.Split(Regex(r"\w+"), b, invert=True)
        for b in BEHAVIORS
    },
    "empty matches": lambda: pre_tokenizers.Split(Regex(r"a*|(?=b)"), "contiguous"),
    "anchors": lambda: pre_tokenizers.Split(Regex(r"^.|\s+$"), "isolated"),
    "sequence": lambda: pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.ByteLevel()]
    ),
}


@cache
def known_characters():
    chars = sorted({char for i in range(400) for char in mixed(random.Random(i))})
    return chars + sorted(set(pre_tokenizers.ByteLevel.alphabet()) - set(chars))


def by_character():
    """A model that shows what the parts before it did: every character and many pairs known."""
    pairs = [("a", "b"), ("▁", "a"), ("Ġ", "a"), ("e", "\u0301"), ("a", "a")]
    vocabulary = {
        token: i for i, token in enumerate(["<unk>", *known_characters(), *map("".join, pairs)])
    }
    return models.BPE(vocabulary, pairs, unk_token="<unk>", fuse_unk=True)


@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_every_normalizer_with_every_pre_tokenizer(normalizer):
    # Otherwise every second one, which are others for the next normalizer.
    first = [*NORMALIZERS].index(normalizer) % 2
    for number, pre_tokenizer in [*enumerate(PRE_TOKENIZERS)][first :: 1 if LONG else 2]:
        made = tokenizers.Tokenizer(by_character())
        if (part := NORMALIZERS[normalizer]()) is not None:
            made.normalizer = part
        if (part := PRE_TOKENIZERS[pre_tokenizer]()) is not None:
            made.pre_tokenizer = part
        made.add_tokens(
            [
                AddedToken("<s>", special=True, lstrip=number % 2 == 0, rstrip=number % 3 == 0),
                AddedToken("[MASK]", single_word=True, normalized=number % 2 == 0),
                AddedToken(" the", lstrip=number % 3 == 0, rstrip=True),
            ]
        )
        mine = opened(made).tokenizer
        for line in lines(some(25), seed=number):
            theirs, ours = made.encode(line, add_special_tokens=False), mine.encode(line)
            assert (ours.ids, ours.offsets) == (theirs.ids, theirs.offsets), (pre_tokenizer, line)


def test_classes_that_are_written_out_may_name_newer_characters():
    """A property knows the characters of one release of Unicode; a list knows what it lists."""
    made = tokenizers.Tokenizer(models.BPE({"a": 0}, [], unk_token="a"))
    line = "ab\u088fd\ua7cee \U00016ebbf\U000323b0"
    for pattern in (r"\w+", r"[a-z\x{88f}\x{a7ce}\x{16ebb}-\x{323b0}]+", r"[^\x{88f} ]+"):
        made.pre_tokenizer = pre_tokenizers.Split(Regex(pattern), "isolated")
        words = [word.text for word in opened(made).tokenizer.pretokenizer.words(line)]
        assert words == [word for word, _ in made.pre_tokenizer.pre_tokenize_str(line)], pattern


def test_random_models_with_every_quirk():
    random_ = random.Random(5)
    for _ in range(some(150)):
        made = tokenizers.Tokenizer(_random_model(random_))
        if random_.random() < 0.5:
            made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        mine = opened(made)
        for _ in range(8):
            line = "".join(random_.choice("aabbe ▁é中😀#") for _ in range(random_.randrange(12)))
            encoding = mine.tokenizer.encode(line)
            assert encoding.ids == made.encode(line).ids, (made.to_str(), line)
            for number in range(len(encoding.words)):
                told = word_trace(mine.tokenizer, encoding, number)
                if told.kind == "merges" and told.rows:
                    i = [k for k, word in enumerate(encoding.word_ids) if word == number]
                    assert [p.id for p in told.rows[-1].pieces] == [encoding.ids[k] for k in i]


def _random_model(random_):
    settings = {}
    if random_.random() < 0.4:
        settings["continuing_subword_prefix"] = "##"
    if random_.random() < 0.4:
        settings["end_of_word_suffix"] = "</w>"
    prefix, suffix = (
        settings.get(k, "") for k in ("continuing_subword_prefix", "end_of_word_suffix")
    )
    tokens = ["<unk>", *(f"<0x{b:02X}>" for b in range(256) if random_.random() < 0.99)]
    for char in random_.sample("abe▁é#", 5):
        tokens += {a + char + b for a in ("", prefix) for b in ("", suffix)}
    tokens = list(dict.fromkeys(sorted(tokens)))
    kind = random_.randrange(3)
    if kind == 0:
        longer = {"".join(random_.choices("abe▁", k=random_.randrange(2, 5))) for _ in range(30)}
        scored = [(token, -float(random_.randrange(1, 9))) for token in [*tokens, *sorted(longer)]]
        return models.Unigram(scored, tokens.index("<unk>"), byte_fallback=random_.random() < 0.5)
    if kind == 1:
        longer = {"".join(random_.choices("abe▁", k=random_.randrange(2, 5))) for _ in range(30)}
        both = dict.fromkeys([*tokens, *sorted(longer), *("##" + t for t in sorted(longer))])
        return models.WordPiece(
            {token: i for i, token in enumerate(both)},
            unk_token="<unk>",
            continuing_subword_prefix="##",
            max_input_chars_per_word=random_.choice([4, 100]),
        )
    vocabulary = {token: i for i, token in enumerate(tokens)}
    merges = []
    for _ in range(some(60)):
        left, right = random_.choice(list(vocabulary)), random_.choice(list(vocabulary))
        if right.startswith(prefix) and len(right) > len(prefix) and len(left + right) < 12:
            vocabulary.setdefault(left + right[len(prefix) :], len(vocabulary))
            merges.append((left, right))
    if random_.random() < 0.6:
        settings["unk_token"] = "<unk>"
    return models.BPE(
        vocabulary,
        merges,
        fuse_unk=random_.random() < 0.5,
        byte_fallback=random_.random() < 0.5,
        ignore_merges=random_.random() < 0.4,
        **settings,
    )


@pytest.mark.parametrize("kind", ["gpt2", "llama2", "clip"])
def test_given_merges_replayed_on_a_word_give_its_tokens(kind):
    mine = opened(KINDS[kind]())
    merges = mine.merges
    symbols = list(merges.ids)
    number = {symbol: i for i, symbol in enumerate(symbols)}
    ranks = {}
    for rank, (left, right) in enumerate(merges.pairs):
        ranks[number[left], number[right]] = (rank, number[left + right])
    replay = MergeEncoder(
        merges.spelling, number, ranks, list(merges.ids.values()), [*map(str, symbols)]
    )
    for line in DOCUMENTS[:20]:
        encoding = mine.tokenizer.encode(line)
        again = [piece.id for word in encoding.words for piece in replay.encode(word.text)]
        assert again == encoding.ids
    assert len(merges.pairs) > 100
    assert merges.spelling.unit == ("byte" if kind == "gpt2" else "char")
    assert not merges.reconstructed


def test_what_the_file_says_and_what_is_left_out():
    made = bert()
    made.post_processor = tokenizers.processors.BertProcessing(("[MASK]", 1), ("[MASK]", 1))
    made.enable_truncation(10)
    mine = opened(made)
    assert mine.facts["Vocabulary size"] == f"{made.get_vocab_size():,}"
    assert mine.facts["Pre-tokenizer"] == "BertPreTokenizer"
    assert mine.facts["Special tokens"] == "[UNK], [MASK]"
    assert "Left out: the post-processor and truncation." in mine.notes


@pytest.mark.parametrize(
    ("part", "value", "named"),
    [
        ("normalizer", {"type": "Mine"}, "The library tokenizers fails here"),
        ("decoder", {"type": "Mine"}, "The library tokenizers fails here"),
        ("model", {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}, "WordLevel"),
        ("pre_tokenizer", split_by("(a"), "unmatched parenthesis"),
    ],
)
def test_what_the_library_does_not_read_is_refused_in_a_sentence(part, value, named):
    file = json.loads(tokenizers.Tokenizer(models.BPE({"a": 0}, [])).to_str())
    with pytest.raises(TokenizerFileError, match=named):
        open_tokenizer({"tokenizer.json": json.dumps({**file, part: value}).encode()})


@pytest.mark.parametrize(
    "value",
    [
        {"type": "UnicodeScripts"},
        {"type": "FixedLength", "length": 2},
        *map(split_by, [r"(?i:ss)", r"\X", r"[a&&b]", r"(?<n>a)", r"\p{Alpha}", r"a{2}?"]),
    ],
)
def test_whatever_the_library_cuts_by_is_opened(value):
    file = json.loads(tokenizers.Tokenizer(by_character()).to_str())
    file["pre_tokenizer"] = value
    made = tokenizers.Tokenizer.from_str(json.dumps(file))
    mine = open_tokenizer({"tokenizer.json": json.dumps(file).encode()})
    for line in ["aabbß中国SS", *lines(100, seed=4)]:
        theirs, ours = made.encode(line), mine.tokenizer.encode(line)
        assert (ours.ids, ours.offsets) == (theirs.ids, theirs.offsets), line
        words = [word.text for word in mine.tokenizer.pretokenizer.words(line)]
        assert words == [word for word, _ in made.pre_tokenizer.pre_tokenize_str(line)]
    assert mine.facts["Pre-tokenizer"].startswith(value["type"])


@pytest.mark.parametrize("pattern", ["b*", "(?=b)", "^"])
def test_replacements_of_nothing_are_the_library_s(pattern):
    made = tokenizers.Tokenizer(models.BPE({"a": 0}, []))
    made.normalizer = normalizers.Replace(Regex(pattern), "a")
    for text in ("ab", "ba", "xx", ""):
        assert opened(made).tokenizer.encode(text).ids == made.encode(text).ids


def test_a_pattern_that_explodes_leaves_a_sentence():
    made = tokenizers.Tokenizer(models.BPE({"a": 0}, []))
    made.pre_tokenizer = pre_tokenizers.Split(Regex("(a|aa)+(?=b)"), "isolated")
    with pytest.raises(TokenizerFileError, match="Regex search error: retry-limit-in-match over"):
        opened(made).tokenizer.encode("a" * 60)


def encoded_or_panic(made, line):
    """What the library encodes; None where its native code panics, which is no Exception."""
    try:
        return made.encode(line)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


def test_added_tokens_that_match_white_space():
    """One may take the spaces before or after it, and other added tokens with them."""
    compared = 0
    for flags in product([False, True], repeat=4):
        made = tokenizers.Tokenizer(by_character())
        left, right, normalized, special = flags
        made.add_tokens(
            [
                AddedToken(" ", lstrip=left, rstrip=right, normalized=normalized, special=special),
                AddedToken("\n", lstrip=right, normalized=normalized),
                AddedToken("  \t", rstrip=left),
            ]
        )
        mine = opened(made)
        assert mine.facts["Added tokens"] == "3"
        for line in ["   ", " ", "a \n b", "\n \n", "  \t ", "\t\n", *lines(40, seed=7)]:
            if (theirs := encoded_or_panic(made, line)) is None:
                with pytest.raises(TokenizerFileError, match="AddedVocabulary bad split"):
                    mine.tokenizer.encode(line)
                continue
            ours = mine.tokenizer.encode(line)
            assert (ours.ids, ours.offsets) == (theirs.ids, theirs.offsets), (flags, line)
            assert [i is None for i in ours.word_ids].count(True) == sum(
                i in made.get_added_tokens_decoder() for i in theirs.ids
            )
            compared += 1
    assert compared > 500


def test_an_added_token_may_be_called_as_a_byte_is():
    made = tokenizers.Tokenizer(by_character())
    made.add_tokens([AddedToken("<0x41>"), AddedToken("<0x61>", lstrip=True)])
    mine = opened(made).tokenizer
    for line in ("<0x41>Aa<0x61>", "A a", "<0x41>", "  <0x61> <0x62>", "a <0x61>a"):
        theirs, ours = made.encode(line), mine.encode(line)
        assert (ours.ids, ours.offsets) == (theirs.ids, theirs.offsets)
        added = [i for i, word in zip(ours.ids, ours.word_ids, strict=True) if word is None]
        assert added == [i for i in theirs.ids if i in made.get_added_tokens_decoder()]


def test_two_added_tokens_that_the_library_takes_by_chance_are_refused():
    made = tokenizers.Tokenizer(by_character())
    made.normalizer = normalizers.Lowercase()
    made.add_tokens([AddedToken("[A]", normalized=True), AddedToken("[a]", normalized=True)])
    with pytest.raises(TokenizerFileError, match=r"are '\[a\]' after normalizing"):
        opened(made)
    made.normalizer = normalizers.Replace("[A]", "")
    with pytest.raises(TokenizerFileError, match="is nothing after normalizing"):
        opened(made)


def test_scores_are_those_that_the_library_has_read():
    """It reads the last digits of a number otherwise than Python: of two ways that are written with
    the same sum of scores, each takes what is better for it."""
    draw, differs, compared = random.Random(11), 0, 0
    for _ in range(some(150)):
        a, b, c = (-round(draw.uniform(1, 9), 14) for _ in range(3))
        pieces = [("<unk>", -20.0), ("a", a), ("b", b), ("c", c), ("ab", a + b), ("bc", b + c)]
        vocabulary = [list(item) for item in [*pieces, ("abc", a + b + c)]]
        model = {"type": "Unigram", "unk_id": 0, "vocab": vocabulary, "byte_fallback": False}
        file = json.dumps({"version": "1.0", "added_tokens": [], "model": model}).encode()
        made, mine = tokenizers.Tokenizer.from_str(file.decode()), open_tokenizer({"t.json": file})
        for text in ("ab", "bc", "abc", "abcabc", "cabbc"):
            encoding = mine.tokenizer.encode(text)
            assert encoding.ids == made.encode(text).ids
            assert not encoding.untold
            compared += 1
        read = [score for _, score in json.loads(made.to_str())["model"]["vocab"]]
        differs += read != [score for _, score in vocabulary]
    assert differs > 3
    assert compared == 5 * some(150)


def bytes_and(*tokens):
    return {token: i for i, token in enumerate([*(f"<0x{b:02X}>" for b in range(256)), *tokens])}


#: Where the library's offsets are not those of the text (docs/opened.md): its models, a text, the
#: library's offsets and the true ones.
DRIFTING = {
    "no unknown token": (
        models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]),
        "xaxbxa",
        [(0, 2), (2, 3)],
        [(1, 4), (5, 6)],
    ),
    "no unknown token and a prefix": (
        models.BPE({"a": 0, "##b": 1}, [], continuing_subword_prefix="##"),
        "中ab",
        [(0, 1)],
        [(2, 3)],
    ),
    "bytes of a prefix": (
        models.BPE(bytes_and("a", "##a"), [], byte_fallback=True, continuing_subword_prefix="##"),
        "aea",
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
        [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)],
    ),
    "bytes of a suffix": (
        models.BPE(bytes_and("a"), [], byte_fallback=True, end_of_word_suffix="</w>"),
        "aé",
        [(0, 1), (1, 2), (1, 2), (3, 4), (4, 5), (5, 6), (6, 7)],
        [(0, 1), *[(1, 2)] * 6],
    ),
}


@pytest.mark.parametrize("name", DRIFTING)
def test_offsets_are_true_where_the_library_s_drift(name):
    model, text, theirs, true = DRIFTING[name]
    made = tokenizers.Tokenizer(model)
    library, encoding = made.encode(text), opened(made).tokenizer.encode(text)
    assert encoding.ids == library.ids
    assert encoding.offsets == true
    assert library.offsets == theirs != true


def test_a_word_that_the_library_cuts_otherwise_is_not_told():
    """Its ids and offsets are the library's; how it was cut is a sentence."""

    class Other:
        def splits(self, _text):
            spans = ((0, 1), (1, 2))
            return [Split(Word("ab", 0, 2), False, (0, 1), spans)]

    mine = open_tokenizer(
        {"vocab.json": b'{"a": 0, "b": 1, "ab": 2}', "merges.txt": b"a b"}
    ).tokenizer
    assert word_trace(mine, mine.encode("ab"), 0).rows
    other = replace(mine, pretokenizer=OpenedPretokenizer(Other()))
    encoding = other.encode("ab")
    assert (encoding.ids, encoding.offsets) == ([0, 1], [(0, 1), (1, 2)])
    assert encoding.trace == [(Word("ab", 0, 2), [])]
    told = word_trace(other, encoding, 0)
    assert (told.rows, told.pieces) == ([], [])
    assert told.reason.startswith("How this word was cut is not shown")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_shown_of_a_text_is_all_of_it(kind):
    """Words and added tokens lie one after the other, and between them is what was left out: white
    space, what the normalizer removes, and what no offset of the library reaches: where T5's
    removes a character, those behind it may be one too small."""
    theirs = KINDS[kind]()
    mine = opened(theirs).tokenizer
    left_out = set()
    for line in lines(some(500), seed=9):
        encoding, covered = mine.encode(line), set()
        assert not encoding.untold
        for piece in mine.cut(line):
            assert 0 <= piece.word.start <= piece.word.end <= len(line)
            covered.update(range(piece.word.start, piece.word.end))
        reached = {i for start, end in theirs.encode(line).offsets for i in range(start, end)}
        left_out.update(line[i] for i in range(len(line)) if i in reached - covered)
        for (start, end), number in zip(encoding.offsets, encoding.word_ids, strict=True):
            assert 0 <= start <= end <= len(line)
            if number is not None:
                assert encoding.words[number].start <= start <= end <= encoding.words[number].end
    removed = {char for char in left_out if not char.isspace()}
    assert all(unicodedata.category(char)[0] in "CM" for char in removed - {*"▁\ufffd"}), removed


@pytest.mark.parametrize("pattern", [LLAMA3, O200K])
def test_a_published_pattern_is_shown_whole(pattern):
    assert len(repr(pattern)) < len(pattern_shown(pattern))


def test_a_pattern_that_fills_the_screen_is_shown_as_its_first_characters():
    shown = pattern_shown("[ab]" * 1000)
    assert shown.startswith("Split ('[ab][ab]")
    assert "…" in shown
    assert len(shown) < MOST_SHOWN + 40


def pattern_shown(pattern):
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    (step,) = described("pre-tokenizer", "pretokenizers", {**split, "invert": False})
    return step.shown
