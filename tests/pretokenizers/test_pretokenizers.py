"""Words against the libraries that define them, on text chosen to be awkward."""

import dataclasses
import itertools
import random
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
import regex
import tiktoken
import tiktoken_ext.openai_public
from effort import LONG, some
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from tokviz.pretokenizers import (
    BYTE_TO_CHAR,
    CHAR_TO_BYTE,
    PRETOKENIZERS,
    REGEX_PRESETS,
    PatternError,
    Pretokenizer,
    Word,
    byte_level,
    from_byte_level,
    make_pretokenizer,
)
from tokviz.pretokenizers.runs import ALONE

# ---------------------------------------------------------------- text to try

SPACES = "\t\n\v\f\r \x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
INVISIBLE = "\0\x01\x7f\xad\u200b\u200c\u200d\u200e\u2060\ufeff\ufffd\ue000"
MARKS = "\u0301\u0308\u0323\u034f\u0345\u3099\u302e\U0001d165\u05b0\u0e31\u093e"
PIECES = [
    *SPACES,
    *INVISIBLE,
    *MARKS,
    *"aZéÉßſKİıΣςǅøﬁñ한각のパ中文㐀豈𠀀𪜀䷿אבعربहि",
    *"019²½Ⅷ٣५𝟘",
    *"!$+<=>^`|~¿§–—…。、「」€©_-/'’\"\\",
    *["'s", "'S", "'ſ", "'ll", "'re", "'t", "n't", "  ", " \n", "\n\n", "\r\n", "12345"],
    *["Ġ", "▁", "##", "</w>", "the ", " hug", "👩‍👩‍👧‍👦", "🇫🇷", "👍🏽", "e\u0323\u0301"],
]


def assigned(char: str) -> bool:
    return unicodedata.category(char) not in ("Cn", "Cs")


# Unassigned code points are left out where letters matter: `regex` and the engines inside the
# libraries carry different Unicode releases, and only the newer one knows a new letter.
# `test_gpt2_knows_every_assigned_character` makes sure that nothing else is left out.
odd_text = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
known_text = st.text(st.characters().filter(assigned), max_size=40)
texts = odd_text | any_text
known_texts = odd_text | known_text
surrogates = st.characters(categories=["Cs"])
every_text = texts | st.lists(surrogates | st.sampled_from(PIECES), max_size=40).map("".join)

# Ideographs, Hangul syllables, private use, unassigned: so many are alike that some stand for all.
ALIKE = (range(0x3400, 0xA000), range(0xAC00, 0xD7A4), range(0x17000, 0x18D00))
ALIKE += (range(0x20000, 0x2F800), range(0x2FA20, sys.maxunicode + 1))


def stands_for_itself(i: int) -> bool:
    if 0xD800 <= i < 0xE000:
        return False
    alike = any(i in chars for chars in ALIKE) or unicodedata.category(chr(i)) in ("Cn", "Co")
    # Tags and variation selectors are among the unassigned ones.
    return not alike or i % 64 == 0 or 0xE0000 <= i < 0xE0200


@cache
def every_char() -> list[str]:
    """Worked out where it is wanted, not wherever tests are only listed."""
    return [chr(i) for i in filter(stands_for_itself, range(sys.maxunicode + 1))]


thorough = settings(max_examples=some(300))


def every_char_between_letters() -> Iterator[str]:
    """In many short texts: the library's time grows faster than the text."""
    for start in range(0, len(every_char()), 128):
        yield " ".join(f"a{char}b" for char in every_char()[start : start + 128])


def words(name: str, text: str, **options: object) -> list[Word]:
    return list(make_pretokenizer(name, **options).words(text))


def pieces(found: list[Word]) -> list[tuple[str, tuple[int, int]]]:
    return [(word.text, (word.start, word.end)) for word in found]


# ---------------------------------------------------------------- every pre-tokenizer


#: These take words from the text as they are; "sentencepiece" normalizes, and has its own tests.
VERBATIM = [name for name in PRETOKENIZERS if name != "sentencepiece"]


@pytest.mark.parametrize("name", VERBATIM)
@thorough
@given(text=every_text)
def test_words_are_where_they_say(name: str, text: str) -> None:
    previous = 0
    for word in words(name, text):
        assert word.text
        assert previous <= word.start < word.end <= len(text)
        previous = word.end
        source = text[word.start : word.end]
        if word.spans is None:
            assert word.text == source
            assert word.span(1, len(word.text)) == (word.start + 1, word.end)
        else:
            assert name == "metaspace"
            assert word.text == " " + source
            assert len(word.spans) == len(word.text)
        for i, j in itertools.combinations(range(len(word.text) + 1), 2):
            covered = "".join(text[slice(*word.span(k, k + 1))] for k in range(i, j))
            assert text[slice(*word.span(i, j))] == covered


@pytest.mark.parametrize("name", ["gpt2", "regex", "runs", "none"])
@thorough
@given(text=every_text)
def test_nothing_is_lost(name: str, text: str) -> None:
    assert "".join(word.text for word in words(name, text)) == text


@pytest.mark.parametrize("name", VERBATIM)
def test_edges(name: str) -> None:
    tokenizer = make_pretokenizer(name)
    assert list(tokenizer.words("")) == []
    spaces = "".join(word.text for word in tokenizer.words("   "))
    assert spaces == ("   " if name in ("gpt2", "regex", "runs", "none") else "")
    # The other whitespace belongs to nobody's word except where the text is kept whole.
    for text in ("\0", "\ud800", "\udfff\ud800", "Ġ", "▁", "##", "</w>", "a" * 100_000):
        joined = "".join(word.text for word in tokenizer.words(text))
        assert joined.lstrip(" ") == text
    long = list(tokenizer.words("a" * 100_000))
    assert [(word.start, word.end) for word in long] == [(0, 100_000)]
    rtl = "שלום עולם"
    found = [rtl[word.start : word.end].strip() for word in tokenizer.words(rtl)]
    assert found == ([rtl] if name in ("none", "runs") else ["שלום", "עולם"])


@pytest.mark.parametrize("name", PRETOKENIZERS)
def test_a_pretokenizer_describes_itself(name: str) -> None:
    kind = PRETOKENIZERS[name]
    assert kind.name == name
    assert kind.label
    assert kind.help.endswith(".")
    assert kind.source
    assert kind.space_mark in ("Ġ", "▁", " ")
    # The settings of "sentencepiece" belong to the trainer's form.
    for setting in dataclasses.fields(kind) if name in VERBATIM else []:
        assert setting.metadata["label"]
        assert setting.metadata["help"].endswith(".")
    with pytest.raises(dataclasses.FrozenInstanceError):
        make_pretokenizer(name).pattern = "x"  # type: ignore[attr-defined]
    assert make_pretokenizer(name) == kind()
    assert hash(make_pretokenizer(name)) == hash(kind())


def test_space_marks() -> None:
    assert {name: kind.space_mark for name, kind in PRETOKENIZERS.items()} == {
        "gpt2": "Ġ",
        "bert": " ",
        "metaspace": "▁",
        "whitespace": " ",
        "regex": "Ġ",
        "none": "▁",
        "runs": "Ġ",
        "sentencepiece": "▁",
    }


def test_make_pretokenizer() -> None:
    bert = make_pretokenizer("bert")
    assert make_pretokenizer(bert) == bert
    assert make_pretokenizer(bert, normalize=True) == make_pretokenizer("bert", normalize=True)
    *names, last = PRETOKENIZERS
    with pytest.raises(ValueError, match=f"choose {', '.join(names)} or {last}"):
        make_pretokenizer("gpt3")
    with pytest.raises(ValueError, match='no setting "normalise"; it has normalize'):
        make_pretokenizer("bert", normalise=True)
    with pytest.raises(TypeError):
        Pretokenizer()  # type: ignore[abstract]


# ---------------------------------------------------------------- bytes


def test_byte_map_is_the_library_alphabet() -> None:
    assert set(BYTE_TO_CHAR) == set(range(256))
    assert set(CHAR_TO_BYTE) == set(pre_tokenizers.ByteLevel.alphabet())
    assert (BYTE_TO_CHAR[0x20], BYTE_TO_CHAR[0x0A], BYTE_TO_CHAR[0xAD]) == ("Ġ", "Ċ", "Ń")


@thorough
@given(every_text)
def test_bytes_come_back(text: str) -> None:
    assert from_byte_level(byte_level(text)) == text.encode("utf-8", "surrogatepass")


def test_a_typed_marker_is_not_the_space() -> None:
    assert byte_level("Ġ ") == "ÄłĠ"
    with pytest.raises(ValueError, match="stand for a byte"):
        from_byte_level("a b")


# ---------------------------------------------------------------- gpt2

LIBRARY_GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False)


@thorough
@given(known_texts)
@example("I'll  see \n\n 2 cats'S!  ")
@example("we're they've I'm he'd she's can't he'lle y're")
@example("a\u3000\u3000b\x85\x1cc")
def test_gpt2_is_the_library(text: str) -> None:
    found = [(byte_level(word.text), (word.start, word.end)) for word in words("gpt2", text)]
    assert found == LIBRARY_GPT2.pre_tokenize_str(text)


def test_gpt2_knows_every_assigned_character() -> None:
    # A letter joins "a", a digit "1", whitespace neither and nor does it join "!".
    # Of letters without case, and those that everybody may use, there are many.
    many = ("Lo", "Co")
    for i, char in enumerate(filter(assigned, every_char())):
        if i % 8 and unicodedata.category(char) in many and not LONG:
            continue
        text = f"a{char}1{char}!{char}"
        ours = [(word.start, word.end) for word in words("gpt2", text)]
        assert ours == [span for _, span in LIBRARY_GPT2.pre_tokenize_str(text)], ascii(char)


# ---------------------------------------------------------------- bert

LIBRARY_BERT = pre_tokenizers.BertPreTokenizer()


@thorough
@given(texts)
def test_bert_is_the_library(text: str) -> None:
    assert pieces(words("bert", text)) == LIBRARY_BERT.pre_tokenize_str(text)


def test_bert_agrees_on_every_character() -> None:
    for text in every_char_between_letters():
        assert pieces(words("bert", text)) == LIBRARY_BERT.pre_tokenize_str(text)


LIBRARY_NORMALIZER = normalizers.BertNormalizer(
    clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True
)
LIBRARY_CLEANER = normalizers.BertNormalizer(
    clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False
)
# Only a whole tokenizer follows offsets through a normalizer; its model is of no interest.
LIBRARY_UNCASED = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
LIBRARY_UNCASED.normalizer = LIBRARY_NORMALIZER
LIBRARY_UNCASED.pre_tokenizer = LIBRARY_BERT

# The library's Unicode tables date from 2015 to 2019, and Python's are newer, so they disagree on
# some characters that were encoded since. What both know is best pinned by Unicode 3.2, which
# Python carries too; three of its characters have changed since: U+1734 was a nonspacing mark until
# Unicode 14, and U+1885 and U+1886 are nonspacing marks from Unicode 9 on.
CHANGED = "\u1734\u1885\u1886"


def long_known(char: str) -> bool:
    return unicodedata.ucd_3_2_0.category(char) not in ("Cn", "Cs") and char not in CHANGED


long_known_text = st.text(st.characters().filter(long_known), max_size=40)


@thorough
@given(odd_text | long_known_text)
@example("Ångström e\u0301\u0323x \u0301a İΣς ΟΔΟΣ")
@example("中文x\u200by\0z \ufffd\u3000\x85豈")
@example("a\u302e\U0001d165\u302e\u034f\U0001d165\u302e한")
def test_uncased_bert_is_the_library(text: str) -> None:
    found = words("bert", text, normalize=True)
    normalized = LIBRARY_NORMALIZER.normalize_str(text)
    expected = LIBRARY_BERT.pre_tokenize_str(normalized)
    assert [word.text for word in found] == [piece for piece, _ in expected]
    for word in found:
        assert word.spans is not None
        assert len(word.spans) == len(word.text)
        assert word.span(0, len(word.text)) == (word.start, word.end)
        # Each character descends from the one it points at.
        for char, (start, end) in zip(word.text, word.spans, strict=True):
            origin = LIBRARY_NORMALIZER.normalize_str(text[start:end])
            assert end == start + 1
            assert char in origin
    # The library does not follow a mark to its place in canonical order: its offsets are those of
    # whatever stood there before. Ours are those of the mark itself, so only texts that are in
    # order already can be compared.
    cleaned = LIBRARY_CLEANER.normalize_str(text)
    decomposed = "".join(unicodedata.normalize("NFD", char) for char in cleaned)
    if decomposed == unicodedata.normalize("NFD", cleaned):
        assert [(word.start, word.end) for word in found] == LIBRARY_UNCASED.encode(text).offsets


def test_uncased_bert_on_every_character() -> None:
    differing = [
        char
        for char in filter(assigned, every_char())
        if [word.text for word in words("bert", f"a{char}b", normalize=True)]
        != [
            p
            for p, _ in LIBRARY_BERT.pre_tokenize_str(LIBRARY_NORMALIZER.normalize_str(f"a{char}b"))
        ]
    ]
    assert [char for char in differing if long_known(char)] == []
    # The rest are marks and format controls that the library does not know yet, and marks that
    # it decomposes by an older table.
    assert {unicodedata.category(char) for char in differing} <= {"Mn", "Mc", "Cf"}
    assert len(differing) < 600


@thorough
@given(every_text)
def test_uncased_bert_takes_any_text(text: str) -> None:
    for word in words("bert", text, normalize=True):
        assert word.spans is not None
        assert 0 <= word.start < word.end <= len(text)


def test_uncased_bert_spans() -> None:
    (cafe,) = words("bert", "\u200bCafe\u0301\u200bX ", normalize=True)
    assert (cafe.text, cafe.start, cafe.end) == ("cafex", 1, 8)
    assert cafe.span(3, 4) == (4, 5)
    assert cafe.span(3, 5) == (4, 8)
    assert cafe.span(2, 2) == (3, 3)
    assert cafe.span(5, 5) == (8, 8)
    assert [word.text for word in words("bert", "한", normalize=True)] == ["\u1112\u1161\u11ab"]
    # Canonical order puts U+1D165 (class 216) before U+302E (224): the sources cross.
    (marks,) = words("bert", "a\u302e\U0001d165", normalize=True)
    assert marks.spans == ((0, 1), (2, 3), (1, 2))
    assert marks.span(1, 3) == (1, 3)


# ---------------------------------------------------------------- metaspace, whitespace, none

LIBRARY_METASPACE = pre_tokenizers.Sequence(
    [
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always"),
    ]
)


@thorough
@given(texts.filter(lambda text: "▁" not in text))
def test_metaspace_is_the_library(text: str) -> None:
    found = [("▁" + w.text[1:], (w.start, w.end)) for w in words("metaspace", text)]
    assert found == LIBRARY_METASPACE.pre_tokenize_str(text)


def test_metaspace_agrees_on_every_character() -> None:
    for text in every_char_between_letters():
        # The typed ▁ is a known difference; it has its own test.
        text = text.replace("▁", "")
        found = [("▁" + w.text[1:], (w.start, w.end)) for w in words("metaspace", text)]
        assert found == LIBRARY_METASPACE.pre_tokenize_str(text)


def test_metaspace_keeps_a_typed_mark() -> None:
    # The library writes its mark into the text and then cuts before every one it finds, its own
    # or not. Here a mark that somebody typed is text.
    text = "a▁b ▁c"
    assert LIBRARY_METASPACE.pre_tokenize_str(text) == [
        ("▁a", (0, 1)),
        ("▁b", (1, 3)),
        ("▁c", (4, 6)),
    ]
    assert pieces(words("metaspace", text)) == [(" a▁b", (0, 3)), (" ▁c", (4, 6))]
    word = words("metaspace", text)[1]
    assert word.spans == ((4, 4), (4, 5), (5, 6))
    assert (word.span(0, 1), word.span(1, 2), word.span(0, 3)) == ((4, 4), (4, 5), (4, 6))


@thorough
@given(every_text)
def test_whitespace_is_str_split(text: str) -> None:
    assert [word.text for word in words("whitespace", text)] == text.split()


def test_whitespace_on_every_character() -> None:
    text = "b".join(map(chr, range(sys.maxunicode + 1)))
    assert [word.text for word in words("whitespace", text)] == text.split()
    # The four that Python counts as whitespace and Rust does not.
    assert text.split() != [word.text[1:] for word in words("metaspace", text)]


def test_none_keeps_the_line() -> None:
    assert words("none", " the\thug \n") == [Word(" the\thug \n", 0, 10)]


# ---------------------------------------------------------------- regex


def tiktoken_pieces(pattern: str, text: str) -> list[str]:
    """What tiktoken's own engine cuts, seen by making every piece of the text a token."""
    data = text.encode()
    cuts = itertools.combinations(range(len(data) + 1), 2)
    tokens = {bytes([i]) for i in range(256)} | {data[i:j] for i, j in cuts}
    ranks = {token: rank for rank, token in enumerate(sorted(tokens, key=lambda t: (len(t), t)))}
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    ids = encoding.encode_ordinary(text)
    return [encoding.decode_single_token_bytes(i).decode() for i in ids]


@pytest.mark.parametrize("preset", REGEX_PRESETS)
@settings(max_examples=some(150))
@given(
    text=st.lists(st.sampled_from(PIECES), max_size=15).map("".join)
    | known_text.map(lambda t: t[:12])
)
@example(text="Hello  world's 12345 \n\n x\n")
@example(text="CamelCASE'S don'T 'ſ a/b//\n/ \r\n ")
def test_presets_cut_as_tiktoken(preset: str, text: str) -> None:
    pattern = REGEX_PRESETS[preset]
    assert [w.text for w in words("regex", text, pattern=pattern)] == tiktoken_pieces(pattern, text)


def test_presets_are_tiktokens(monkeypatch: pytest.MonkeyPatch) -> None:
    source = tiktoken_ext.openai_public
    monkeypatch.setattr(source, "load_tiktoken_bpe", lambda *_args, **_kwargs: {})
    assert REGEX_PRESETS["gpt4 (cl100k)"] == source.cl100k_base()["pat_str"]
    assert REGEX_PRESETS["gpt4o (o200k)"] == source.o200k_base()["pat_str"]


def test_regex_takes_whole_matches_only() -> None:
    found = words("regex", "in 2024, x", pattern=r"(\d)(\d)|[a-z]*")
    assert pieces(found) == [("in", (0, 2)), ("20", (3, 5)), ("24", (5, 7)), ("x", (9, 10))]
    assert words("regex", "abc", pattern=r"(?=b)|\d") == []
    assert [w.text for w in words("regex", "a\ud800b", pattern=".")] == ["a", "\ud800", "b"]


@pytest.mark.parametrize(
    "pattern", ["", "(", "[a", "*", r"\p{Foo}", "(?P<a", "\\", "(" * 9_999 + ")" * 9_999]
)
def test_a_bad_pattern_is_refused_at_once(pattern: str) -> None:
    with pytest.raises(PatternError, match=r"^The pattern .{5,200}\.$"):
        make_pretokenizer("regex", pattern=pattern)


@pytest.mark.parametrize("timeout", [0, -1, 60.1, 1e9, float("nan"), float("inf")])
def test_a_bad_time_limit_is_refused(timeout: float) -> None:
    with pytest.raises(PatternError, match="above 0"):
        make_pretokenizer("regex", timeout=timeout)


def test_a_catastrophic_pattern_is_stopped() -> None:
    # (a+)+$ would not do: the package sees that the text must end in "a" and gives up at once.
    pattern, text = r"(a|aa)+$", "a" * 60 + "!"
    tokenizer = make_pretokenizer("regex", pattern=pattern, timeout=0.2)
    # Like the limit, in time that this process had: other work on the machine does not count.
    start = time.process_time()
    with pytest.raises(PatternError, match=r'"\(a\|aa\)\+\$" was stopped after 0.2 s .* 61 char'):
        next(tokenizer.words(text))
    assert time.process_time() - start < 5
    # The advice in the message works.
    assert words("regex", text, pattern=r"(a|aa)++$", timeout=0.2) == []


def test_a_slow_consumer_is_not_a_slow_pattern() -> None:
    found = make_pretokenizer("regex", pattern="a", timeout=0.2).words("ab" * 500)
    next(found)
    busy = time.process_time() + 0.4
    while time.process_time() < busy:
        pass
    assert sum(1 for _ in found) == 499


def test_the_time_limit_grows_with_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer, limits = make_pretokenizer("regex", timeout=0.5), []

    class Compiled:
        def finditer(self, _text: str, timeout: float) -> Iterator[object]:
            limits.append(timeout)
            return iter(())

    monkeypatch.setattr(regex, "compile", lambda _pattern: Compiled())
    for length in (10, 999_999, 1_000_000, 2_500_000):
        assert list(tokenizer.words("a" * length)) == []
    assert limits == [0.5, 0.5, 1.0, 1.5]


# ---------------------------------------------------------------- published runs

#: Lines of the course with a bar wherever GPT-2's words are cut, and wherever BERT's are; what BERT
#: leaves out is a piece of its own.
COURSE_GPT2 = [
    "This|Ġis|Ġthe|ĠHugging|ĠFace|ĠCourse|.",
    "This|Ġchapter|Ġis|Ġabout|Ġtokenization|.",
    "This|Ġsection|Ġshows|Ġseveral|Ġtokenizer|Ġalgorithms|.",
    "Hopefully|,|Ġyou|Ġwill|Ġbe|Ġable|Ġto|Ġunderstand|Ġhow|Ġthey|Ġare|Ġtrained|Ġand|Ġgenerate"
    "|Ġtokens|.",
]
COURSE_BERT = [
    "This| |is| |the| |Hugging| |Face| |Course|.",
    "This| |chapter| |is| |about| |tokenization|.",
    "This| |section| |shows| |several| |tokenizer| |algorithms|.",
    "Hopefully|,| |you| |will| |be| |able| |to| |understand| |how| |they| |are| |trained| |and| "
    "|generate| |tokens|.",
]
COURSE = [line.replace("|", "").replace("Ġ", " ") for line in COURSE_GPT2]
# Distinct words in first-seen order: those that come once, and the others with their counts.
_WORDS = (
    "This is the Hugging Face Course. chapter about tokenization. section shows several tokenizer "
    "algorithms. Hopefully, you will be able to understand how they are trained and generate "
    "tokens."
)
COURSE_METASPACE = dict.fromkeys(_WORDS.split(), 1) | {"This": 3, "is": 2}


def cut_at_bars(line: str) -> list[tuple[str, tuple[int, int]]]:
    """The pieces between bars, and where they are in the line without bars; no spaces."""
    parts = line.split("|")
    ends = list(itertools.accumulate(map(len, parts)))
    found = zip(parts, zip([0, *ends], ends, strict=False), strict=True)
    return [(part, span) for part, span in found if part != " "]


def test_course_corpus() -> None:
    gpt2 = [[(byte_level(w.text), (w.start, w.end)) for w in words("gpt2", t)] for t in COURSE]
    assert gpt2 == list(map(cut_at_bars, COURSE_GPT2))
    assert [pieces(words("bert", text)) for text in COURSE] == list(map(cut_at_bars, COURSE_BERT))
    counts = Counter(word.text for text in COURSE for word in words("metaspace", text))
    assert list(counts.items()) == [(f" {word}", n) for word, n in COURSE_METASPACE.items()]


# ---------------------------------------------------------------- runs


def test_runs_are_what_the_library_makes_of_the_pattern() -> None:
    split = pre_tokenizers.Split(Regex(ALONE), "isolated")
    draw = random.Random(3)
    texts = ["By the way, 1234 -- it's   fun.", "a.b ..c  d:e//f 12 3"]
    texts += ["".join(draw.choices("ab .-:/1é日\t ", k=draw.randint(1, 30))) for _ in range(500)]
    for text in texts:
        ours = [(word.text, (word.start, word.end)) for word in words("runs", text)]
        assert ours == split.pre_tokenize_str(text)
        assert "".join(word for word, _ in ours) == text
