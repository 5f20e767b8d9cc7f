"""The glossary: a list on How it works, and what labels in the player and in tables say."""

import re

import pytest
from helpers import PATIENCE
from streamlit.testing.v1 import AppTest

from tokviz.basics.glossary import GLOSSARY, meaning
from tokviz.basics.markup import text
from tokviz.basics.messages import using
from tokviz.pages.widgets.column_labels import explained_columns
from tokviz.player.assets import JS, script

#: How the scripts name a term: as an argument, or as the name of a column or of a candidate.
NAMED = re.compile(r'term(?:Parts)?\(.*?, "([a-z-]+)"\)|meaning\("([a-z-]+)"\)|\bname: "([a-z-]+)"')
CANDIDATE = re.compile(r'candidate: \[_\("\w+"\), "([a-z-]+)"\]')


def about_page():
    from tokviz.pages.about import page

    page()


def test_how_it_works_lists_every_term_with_an_anchor():
    app = AppTest.from_function(about_page, default_timeout=PATIENCE).run()
    [shown] = [e.proto.body for e in app.get("html") if "tv-glossary" in e.proto.body]
    for name, term in GLOSSARY.items():
        assert (
            f'<dt id="glossary-{name}">{text(term.name)}</dt><dd>{text(term.meaning)}</dd>' in shown
        )
    assert "[Glossary](#glossary)" in app.markdown[0].value


def test_the_player_names_terms_that_are_there():
    named = set()
    for path in JS.glob("*.js"):
        code = path.read_text("utf-8")
        named.update(*(filter(None, found) for found in NAMED.findall(code)))
        named.update(CANDIDATE.findall(code))
    assert len(named) >= 10
    assert named <= GLOSSARY.keys()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_page_with_a_player_has_the_meanings_in_its_language(language):
    with using(language):
        said, code = meaning("special-token"), script("standalone")
    escaped = said.replace("<", "\\u003c")
    assert f'"special-token": "{escaped}"' in code
    assert "GLOSSARY =" not in script("draft")


def test_columns_of_a_table_say_what_their_names_mean():
    columns = explained_columns(["count", "reason"])
    assert columns["count"]["help"] == meaning("count")
    assert columns["reason"] == "reason"


@pytest.mark.parametrize("name", GLOSSARY)
def test_a_meaning_is_a_sentence_or_two(name):
    sentences = re.findall(r"[.](?= [A-Z]|$)", meaning(name))
    assert 1 <= len(sentences) <= 2
    assert meaning(name).endswith(".")
