"""Everything that a corpus brings is text on the page."""

import html
import re
from html.parser import HTMLParser

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.pages import markup
from tokviz.symbols import Spelling, Symbol

HOSTILE = st.text(
    st.sampled_from("<>&\"'`Ġ▁#/w\x00\ud800\u202eaé日") | st.characters(), max_size=12
)


class Reader(HTMLParser):
    """The tags and the text of a piece of HTML, as a browser would see them."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.text, self.tokens = [], "", []
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        names = dict(attributes)
        assert set(names) <= {"class", "data-token", "title", "style", "scope", "aria-label"}
        if "data-token" in names:
            self.tokens.append(names["data-token"])

    def handle_data(self, data):
        self.text += data


@given(HOSTILE, st.booleans(), st.booleans())
def test_a_chip_is_its_token_and_nothing_else(text, continuing, ends_word):
    spelling = Spelling(end_of_word_suffix="</w>", continuing_subword_prefix="##", space_mark="▁")
    symbol = Symbol(text, continuing, ends_word)
    seen = Reader(markup.chip(spelling, symbol, title=text))
    assert set(seen.tags) == {"span"}
    assert seen.tokens == [markup.visible(spelling.show(symbol))]
    assert seen.text == markup.visible(spelling.show(symbol))


@given(st.dictionaries(HOSTILE.filter(len), st.integers(1, 9), min_size=1, max_size=6))
def test_tables_hold_only_their_own_tags(words):
    for algorithm in ("bpe", "wordpiece", "unigram"):
        history = tokviz.train(words, algorithm, 400)
        rows = history.candidates(0)
        make = markup.prune_rows if algorithm == "unigram" else markup.merge_rows
        seen = Reader(make(rows) if algorithm == "unigram" else make(rows, "BPE"))
        assert set(seen.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "span", "small"}


@given(HOSTILE)
def test_visible_text_can_be_sent_to_a_browser(text):
    shown = markup.visible(text)
    shown.encode("utf-8")
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", shown)
    assert html.unescape(markup.text(text)) == shown


def test_the_fraction_is_spelled_out():
    rows = tokviz.train({"hug": 10, "hugs": 5}, "wordpiece", 10).candidates(0)
    assert "15/(15×15) =" in markup.merge_rows(rows, "WordPiece")


def test_the_cut_line_is_after_the_last_doomed_token():
    rows = pd.DataFrame(
        {
            "token": ["ab", "bc", "cd", "a"],
            "count": [1, 2, 3, 9],
            "log_prob": [-1.0] * 4,
            "loss_delta": [0.0, 0.0, 2.5, float("nan")],
            "tied": [True, True, False, False],
            "chosen": [True, False, False, False],
        }
    )
    lines = markup.prune_rows(rows).split("<tr")
    assert 'class="chosen"' in lines[2]
    assert 'class="cut"' in lines[3]
    assert 'class="cut"' not in lines[4] + lines[5]
    notes = re.findall(r'class="note">([^<]*)<', markup.prune_rows(rows))
    assert notes == ["goes", "tied", "", "never"]


def test_colours_are_the_same_in_every_process():
    assert [markup.colour(token) for token in ("a", "the", "Ġt", "##s")] == [3, 6, 2, 4]
