"""Every text that people read on the pages is said in their language: here in one of capitals and
brackets, so that what is not in brackets was not translated."""

import json
import re
from html.parser import HTMLParser

import pytest
import streamlit as st
from helpers import PATIENCE
from streamlit.testing.v1 import AppTest
from test_app import APP

from tokviz import TRAINERS
from tokviz.pages import open_file

#: Fields of Streamlit's elements that people read.
SHOWN = ("label", "help", "placeholder", "alt", "content", "caption", "title", "options", "text")


class Texts(HTMLParser):
    """The text of some HTML in one piece, without tokens, and the texts of its attributes."""

    def __init__(self, html):
        super().__init__()
        self.text, self.attributes, self.skipping = "", [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        names = ("title", "aria-label", "alt")
        self.attributes += [known[name] for name in names if known.get(name)]
        if self.skipping or "chip" in (known.get("class") or "").split():
            self.skipping += tag not in ("br", "img", "i")

    def handle_endtag(self, tag):
        if self.skipping:
            self.skipping -= tag not in ("br", "img", "i")

    def handle_data(self, data):
        if not self.skipping:
            self.text += data + " "


def outside(text):
    """What of a text is in no brackets.

    >>> outside("[A [b] C] d")
    ' d'
    """
    while (less := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = less
    return text


def texts_of(app):
    """Every text that the app shows, as (where it is, text)."""
    found = []
    for node in app._tree:
        proto = getattr(node, "proto", None)
        if proto is not None:
            found += texts_in(proto, type(proto).__name__)
    return found


def texts_in(proto, where):
    found = []
    for field, value in proto.ListFields():
        name = f"{where}.{field.name}"
        values = value if field.is_repeated else [value]
        for one in values if not hasattr(values, "items") else ():
            if hasattr(one, "ListFields"):
                found += texts_in(one, name)
            elif isinstance(one, str) and one:
                if field.name == "body" and "<style" not in one:
                    html = Texts(one)
                    found += [(name, text) for text in (html.text, *html.attributes)]
                elif field.name == "columns":
                    found += [(name, text) for text in said_in(json.loads(one), ("label", "help"))]
                elif field.name == "spec":
                    found += [(name, text) for text in said_in(json.loads(one), ("title", "text"))]
                elif field.name in SHOWN:
                    found.append((name, one))
    return found


def said_in(written, keys):
    """The strings under some keys, at any depth."""
    found = []
    if isinstance(written, dict):
        found += [value for key, value in written.items() if key in keys and isinstance(value, str)]
        written = list(written.values())
    if isinstance(written, list):
        found += [text for part in written for text in said_in(part, keys)]
    return found


def unsaid(app):
    assert not app.exception
    return [
        (where, text) for where, text in texts_of(app) if re.search(r"[A-Za-z]{2}", outside(text))
    ]


if __name__ == "__main__":
    import sys
    from helpers import Loud
    from tokviz import language

    language.catalog = lambda _code: Loud()

    def show(name, app):
        print("=====", name, len(texts_of(app)))
        for where, text in sorted(set(unsaid(app))):
            print("  ", where, "|", repr(outside(text))[:300], "|", repr(text)[:200])

    app = AppTest.from_file(APP, default_timeout=600).run()
    show("train", app)
    for lens in ["Score table", "Steps", "A word", "A token", "Encode"]:
        app.session_state["lens"] = lens
        app.run()
        show("lens " + lens, app)
    app.button(key="change").click().run()
    show("form", app)
    for alg in TRAINERS:
        app.session_state["algorithm"] = alg
        app.run()
        show("form " + alg, app)
