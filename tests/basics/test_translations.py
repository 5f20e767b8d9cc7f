"""Messages and their translations, and that every language knows every message."""

import gettext
import importlib.util
import io
import pickle
import string
from functools import cache

import pytest
from helpers import ROOT

from tokviz.basics import messages
from tokviz.basics.messages import _, _n, closest, counted, here, joined, message, said_by, using
from tokviz.player import assets

_SPEC = importlib.util.spec_from_file_location("catalogs", ROOT / "docs" / "catalogs.py")
catalogs = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(catalogs)
#: All messages of the sources, which are read once.
template = cache(catalogs.template)


@pytest.mark.usefixtures("loud")
def test_a_message_is_english_text_that_can_be_said_again():
    said = message("{n:,} of {what}", n=1200, what=message("all"))
    assert said == "1,200 of all"
    assert here(said) == "[1,200 OF [ALL]]"
    assert here(pickle.loads(pickle.dumps(said))) == "[1,200 OF [ALL]]"
    assert here("plain {braces}") == "plain {braces}"
    assert message("plain {braces}") == "plain {braces}"


@pytest.mark.usefixtures("loud")
def test_plurals_are_chosen_by_the_language():
    assert counted("{n} token", "{n} tokens", 1) == "1 token"
    assert here(counted("{n} token", "{n} tokens", 1)) == "[1 TOKENS]"
    assert _n("{n} token", "{n} tokens", 1200) == "[1,200 TOKEN]"


@pytest.mark.usefixtures("loud")
def test_messages_stay_messages_one_after_another():
    both = joined([message("One."), " ", joined([message("Two."), "{x}"])])
    assert both == "One. Two.{x}"
    assert here(both) == "[ONE.] [TWO.]{x}"
    assert here(pickle.loads(pickle.dumps(both))) == here(both)


@pytest.mark.usefixtures("loud")
def test_an_error_is_said_in_the_language_of_who_reads_it():
    assert said_by(ValueError(message("no"))) == "[NO]"
    assert said_by(ValueError("plain", 3)) == "('plain', 3)"
    assert said_by(KeyError(message("no"))) == "[NO]"


def test_values_are_never_read_as_formats():
    assert message("{what}!", what="{n}") == "{n}!"
    assert _("{what}!", what="{n} {0}") == "{n} {0}!"


def test_languages_go_by_what_browsers_ask_for():
    assert closest("zh-CN") == closest("zh-Hans-CN") == closest("zh") == closest("zh_cn") == "zh_CN"
    assert closest("en-US") == closest("xx") == closest("") == "en"


def test_a_language_holds_for_its_block_only():
    before = messages.current()
    with using("zh_CN"):
        assert _("Train") == "训练"
        assert messages.current() == "zh_CN"
    assert messages.current() == before
    assert messages.languages().items() >= {"en": "English", "zh_CN": "简体中文"}.items()


def fields(text):
    return sorted(name for _said, name, _spec, _conv in string.Formatter().parse(text) if name)


def test_what_is_said_inside_of_f_strings_is_a_message_too():
    said = 'f\'<b>{escape(_("One"))} {_n("{n} a", "{n} b", n)} {len("c")}</b>\'; _(\'Two\')'
    assert {*catalogs.inside_f_strings(said)} == {"One", ("{n} a", "{n} b")}
    assert {"Scaffolding", "Formula"} <= {message.id for message in template()}


@pytest.mark.parametrize("code", catalogs.languages())
def test_every_message_has_its_translation_with_the_same_values(code):
    known = catalogs.read(code)
    wanted = [message for message in template() if message.id]
    missing = [m.id for m in wanted if m.id not in known or not catalogs.all_forms(known[m.id])]
    assert not missing, f"{len(missing)} without a translation: {missing[:20]}"
    assert {m.id for m in known if m.id} == {m.id for m in wanted}
    forms = {m.id: m.string if isinstance(m.string, tuple) else (m.string,) for m in known if m.id}
    for ids, translated in forms.items():
        many = ids[-1] if isinstance(ids, tuple) else ids
        # Without values a message is no format.
        if not fields(many):
            continue
        for text in translated:
            assert fields(text) == fields(many), ids
        assert len(translated) == (known.num_plurals if isinstance(ids, tuple) else 1)


@pytest.mark.parametrize("code", catalogs.languages())
def test_what_gettext_reads_is_the_catalog(code):
    path = catalogs.po_file(code)
    assert path.with_suffix(".mo").read_bytes() == catalogs.compiled(catalogs.read(code))


def test_a_catalog_that_is_begun_says_the_rest_in_english():
    begun = catalogs.Catalog(locale="pl", project="tokviz", charset="utf-8")
    begun.add(("{n} token", "{n} tokens"), ("{n} token", "{n} tokeny", "{n} tokenów"))
    begun.add(("{n} pair", "{n} pairs"), ("", "", ""))
    begun.add("Close", "")
    known = gettext.GNUTranslations(io.BytesIO(catalogs.compiled(begun)))
    said = [known.ngettext("{n} token", "{n} tokens", n) for n in (1, 2, 5, 22, 112)]
    assert [text[len("{n} token") :] for text in said] == ["", "y", "ów", "y", "ów"]
    assert [known.ngettext("{n} pair", "{n} pairs", n) for n in (1, 30)] == [
        "{n} pair",
        "{n} pairs",
    ]
    assert known.gettext("Close") == "Close"


def test_scripts_find_their_messages_as_the_catalogs_do():
    """By a pattern there, by a parser here."""
    found = {}
    for path in sorted(assets.JS.glob("*.js")):
        found |= assets.messages_of(path.read_text("utf-8"))
    parsed = {}
    for message_ in template():
        if any(name.endswith(".js") for name, _line in message_.locations):
            one, many = message_.id if isinstance(message_.id, tuple) else (message_.id, "")
            parsed[one] = many
    assert found == parsed
