"""Runs in an address: what goes in comes out, and what anybody may write there harms nobody."""

import base64
import json
import random
import zlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.pages.visit.link import from_link, from_links, to_link, to_links, version_of
from tokviz.pages.visit.written_run import VERSION, LinkError, fields_of
from tokviz.server.runs import Corpus, Run, run_of_sample

COURSE = run_of_sample(tokviz.SAMPLES["course"])
TEXT = st.text(max_size=50)


@pytest.mark.parametrize("name", tokviz.SAMPLES)
def test_a_sample_is_its_name(name):
    run = run_of_sample(tokviz.SAMPLES[name])
    assert to_link(run) == name
    assert from_link(name) == run


@given(
    TEXT,
    TEXT,
    st.sampled_from(["text", "counts", "languages"]),
    st.integers(1, 100_000),
    st.lists(TEXT, max_size=3),
)
def test_every_run_comes_back(title, corpus, read_as, size, special_tokens):
    settings = (("tie_break", "shortest"), ("special_tokens", tuple(special_tokens)))
    run = Run(
        Corpus(title, corpus, read_as), "bpe", size, "regex", (("pattern", corpus),), settings
    )
    link = to_link(run)
    assert link.isascii()
    assert "&" not in link
    assert from_link(link) == run


def test_a_changed_sample_is_short():
    run = replace(COURSE, vocab_size=60)
    assert len(to_link(run)) < 120
    assert from_link(to_link(run)) == run


def test_a_text_of_ones_own_under_the_title_of_a_sample():
    run = replace(
        COURSE, corpus=replace(COURSE.corpus, text="a text of my own"), vocab_size=100_000
    )
    assert from_link(to_link(run)) == run


def test_lanes_of_one_changed_sample_keep_its_title():
    runs = [replace(COURSE, vocab_size=size) for size in (60, 61)]
    assert from_links(to_links(runs)) == (runs, [])


def lanes_of(text):
    """Three lanes with one text."""
    run = replace(COURSE, corpus=replace(COURSE.corpus, title="My own text", text=text))
    return [run, replace(run, algorithm="wordpiece", settings=()), replace(run, vocab_size=60)]


def test_lanes_share_their_text():
    draw = random.Random(0)
    text = "".join(draw.choices("abcdefgh ", k=5000))
    lanes = lanes_of(text)
    links = to_links(lanes)
    assert from_links(links) == (lanes, [])
    assert sum(map(len, links)) < len(to_link(lanes[0])) + 400
    mixed = [
        COURSE,
        lanes[0],
        replace(lanes[1], corpus=replace(lanes[1].corpus, text="another")),
        lanes[2],
    ]
    assert from_links(to_links(mixed)) == (mixed, [])


@given(st.lists(st.tuples(TEXT, st.sampled_from(["", "ab", "abc"])), max_size=3))
def test_lanes_come_back_whatever_they_share(lanes):
    runs = [
        replace(COURSE, corpus=replace(COURSE.corpus, title=title, text=corpus))
        for title, corpus in lanes
    ]
    assert from_links(to_links(runs)) == (runs, [])


def test_lanes_that_carry_their_text_each_still_open():
    """As addresses did once."""
    lanes = lanes_of("low low lower newest")[:2]
    links = [
        "~eNqLzivNydFR8q1UyC_PUyhJrShR0lHKyS9XgOLUIoW81PLUYqBwWmJOcaqOUlJBqpKOqYGOUnpBiZGSTnSsTnS0"
        "UmleJkhjUmVJqlJsbCwA770cOg",
        "~eNqLzivNydFR8q1UyC_PUyhJrShR0lHKyS9XgOLUIoW81PLUYqBwWmJOcaqOUnl-UUpBZmpyqpKOqYGOUnpBiZGS"
        "TnQsEMUCABJZGeU",
    ]
    assert from_links(links) == (lanes, [])


@pytest.mark.parametrize("number", [-1, 1, 2, 10**9])
def test_a_lane_shares_only_the_text_of_one_before_it(number):
    shared = packed([number, *fields()[1:]])
    runs, [why] = from_links([to_link(COURSE), shared])
    assert runs == [COURSE, None]
    assert "does not come before it" in why
    with pytest.raises(LinkError, match="does not come before it"):
        from_link(shared)


def packed(fields):
    data = zlib.compress(json.dumps(fields).encode())
    return "~" + base64.urlsafe_b64encode(data).rstrip(b"=").decode()


FIELDS = (
    *("source", "title", "corpus", "read_as", "algorithm", "vocab_size"),
    *("pretokenizer", "pretokenizer_settings", "settings"),
)


def fields(**changes):
    written = [None, COURSE.corpus.title, COURSE.corpus.text, *fields_of(COURSE)[3:]]
    return [changes.get(name, value) for name, value in zip(FIELDS, written, strict=True)]


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("~", "cut off"),
        ("~é", "damaged"),
        ("~" + "A" * 99, "damaged"),
        ("no such sample", "which does not exist here"),
        (packed([1, 2]), "damaged"),
        (packed({"a": 1}), "damaged"),
        (packed("text"), "damaged"),
        (packed(fields(corpus=5)), "damaged"),
        (packed(fields(corpus="a \ud800")), "damaged"),
        (packed(fields(read_as=0)), "damaged"),
        (packed(fields(read_as="counts")), "damaged"),
        (packed(fields(read_as=["languages"])), "damaged"),
        (packed(fields(title="\ud800")), "damaged"),
        (packed(fields(algorithm="gpt")), "algorithm or pre-tokenizer"),
        (packed(fields(algorithm=["bpe"])), "damaged"),
        (packed(fields(vocab_size=0)), "vocabulary size"),
        (packed(fields(vocab_size=100_001)), "vocabulary size"),
        (packed(fields(vocab_size="9")), "vocabulary size"),
        (packed(fields(settings=[["no_such", 1]])), "an unknown setting"),
        (packed(fields(settings=[["min_frequency", {"a": 1}]])), "damaged"),
        (packed(fields(settings=[["special_tokens", [[1]]]])), "damaged"),
        (packed(fields(settings=[["min_frequency", "2"]])), "damaged"),
        (packed(fields(settings=[["min_frequency", True]])), "damaged"),
        (packed(fields(pretokenizer="regex", pretokenizer_settings=[["pattern", 5]])), "damaged"),
        (packed(fields(pretokenizer="regex", pretokenizer_settings=[["timeout", "x"]])), "damaged"),
        (packed(["no such sample", *fields()[1:]]), "which does not exist here"),
        (packed([["course"], *fields()[1:]]), "damaged"),
        (packed([0, *fields()[1:]]), "does not come before it"),
        (packed([True, *fields()[1:]]), "which does not exist here"),
    ],
)
def test_a_damaged_link_leaves_a_sentence(link, said):
    with pytest.raises(LinkError, match=said):
        from_link(link)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "1" + "0" * 400])
def test_a_number_that_is_none_is_refused(value):
    text = json.dumps(fields(algorithm="unigram", settings=[["prune_fraction", 0]]))
    data = zlib.compress(text.replace('"prune_fraction", 0', f'"prune_fraction", {value}').encode())
    link = "~" + base64.urlsafe_b64encode(data).decode()
    with pytest.raises(LinkError, match="damaged"):
        from_link(link)


def test_a_link_that_nests_without_end_is_refused():
    data = zlib.compress(b"[" * 200_000)
    with pytest.raises(LinkError, match="damaged"):
        from_link("~" + base64.urlsafe_b64encode(data).decode())


def test_a_small_link_cannot_hold_an_endless_text():
    with pytest.raises(LinkError, match="too long a text"):
        from_link(packed(fields(corpus="a" * 50_000_000)))


@given(st.binary(max_size=60))
def test_no_bytes_make_anything_but_a_run_or_a_sentence(data):
    for link in ("~" + base64.urlsafe_b64encode(data).decode(), data.decode("latin-1")):
        with suppress(LinkError):
            assert isinstance(from_link(link), Run)


def test_lanes_that_can_be_read_come_back_without_the_others():
    lanes = lanes_of("low low lower newest")
    first, second, third = to_links(lanes)
    assert from_links([first, "~AAAA", third]) == (
        [lanes[0], None, lanes[2]],
        ["the link is damaged; copy all of it."],
    )
    runs, why = from_links(["~AAAA", second, third])
    assert runs == [None, None, None]
    assert (
        why[1:]
        == ["the link has a lane that shares the text of one that does not come before it."] * 2
    )


@pytest.mark.parametrize(
    "settings", [[["special_tokens", ["\ud800"]]], [["end_of_word_suffix", "\ud800"]]]
)
def test_settings_with_half_a_surrogate_pair_are_refused(settings):
    """JSON may hold one; no cache and no field of the page can."""
    fields = ["course", "", "", False, "bpe", 60, "gpt2", [], settings]
    with pytest.raises(LinkError, match="damaged"):
        from_link(packed(fields))


# --- versions -------------------------------------------------------------------------------------

UNIGRAM = Run(Corpus("Mine", "low lower"), "unigram", 4000, "metaspace")
OF_300 = replace(UNIGRAM, settings=(("seed_size", 300),))


def test_what_a_run_leaves_out_is_as_it_was_usual_in_its_day():
    link = to_link(UNIGRAM)
    assert from_link(link) == UNIGRAM
    assert from_link(link, version=1) == OF_300
    assert from_links([link, link], 1) == ([OF_300, OF_300], [])
    for same in (replace(UNIGRAM, vocab_size=100), OF_300, COURSE):
        assert from_link(to_link(same), version=1) == same
    branch = replace(UNIGRAM, interventions=((0, ("keep", "ug")),))
    of_300 = replace(branch, settings=OF_300.settings)
    assert from_link(to_link(branch), version=1) == of_300


def test_a_version_is_one_that_is_known():
    assert [version_of(said) for said in (None, "", "1", "2")] == [1, 1, 1, VERSION]
    for said in ("3", "0", "-1", "x", "²", "1.0", "9" * 5000):
        with pytest.raises(LinkError, match=r"^the link has version .{1,20}; this tokviz reads"):
            version_of(said)


def test_the_browser_writes_the_version_that_is_read():
    script = (Path(tokviz.__file__).parent / "player" / "js" / "dom.js").read_text("utf-8")
    assert f'const VERSION = "{VERSION}";' in script
    assert 'query.set("v", VERSION)' in script
