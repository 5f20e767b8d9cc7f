"""The tokviz app: page set-up and navigation, nothing else.

Two scripts draw it, and serve it with what is named in LAYERS and `lifespan`: app.py of a checkout,
and start/app.py, which `tokviz app` starts wherever the package is installed.
"""

import gc

import streamlit as st
from starlette.middleware import Middleware

from tokviz.basics.messages import _
from tokviz.pages import about, compare, encode, learn, open_file, train
from tokviz.pages.form.draft import keep_draft
from tokviz.pages.visit.uploads import Uploads, say_refused
from tokviz.pages.widgets.interface_language import language_switch
from tokviz.pages.widgets.keys import PAGES
from tokviz.pages.widgets.style import apply_style
from tokviz.player.offline import offline_note
from tokviz.player.web_page import MARK
from tokviz.server.draw_queue import in_turn
from tokviz.server.guard import Guard
from tokviz.server.lifecycle import lifespan as lifespan
from tokviz.server.server_log import keep_texts_out_of_the_log
from tokviz.server.visits import Visits
from tokviz.server.waiting import training_pool

#: What every request goes through.
LAYERS = (Middleware(Guard), Middleware(Visits), Middleware(Uploads))

keep_texts_out_of_the_log()
# The first visitor's training then has a process.
training_pool()


@st.cache_resource(show_spinner=False)
def tune_process() -> None:
    """Takes the imported libraries out of every later garbage collection, and makes those rare: an
    answer of the page Encode makes tens of thousands of tuples, none of them in a circle, and would
    wait until all histories are looked through. Sessions that are over are circles: a full
    collection for every hundred or so keeps a server's memory flat."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 4, 2)


@in_turn
def draw() -> None:
    """The page that the address names, under the links to all pages."""
    st.set_page_config(page_title="tokviz", page_icon=MARK, layout="wide")
    apply_style()
    language_switch()
    pages = {
        "train": st.Page(train.page, title=_("Train"), url_path="train", default=True),
        "compare": st.Page(compare.page, title=_("Compare"), url_path="compare"),
        "encode": st.Page(encode.page, title=_("Encode"), url_path="encode"),
        "learn": st.Page(learn.page, title=_("Learn"), url_path="learn"),
        "open": st.Page(open_file.page, title=_("Open"), url_path="open"),
        "about": st.Page(about.page, title=_("How it works"), url_path="how-it-works"),
    }
    # A page that opens a file goes on to the one that shows it.
    st.session_state[PAGES] = pages
    st.navigation(list(pages.values()), position="top").run()
    keep_draft()
    say_refused()
    offline_note()
    # Last: the first visitor does not wait for it.
    tune_process()
