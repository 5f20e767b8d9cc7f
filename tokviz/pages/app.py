"""The tokviz app: set-up and navigation of the pages.

Two scripts run it with LAYERS: app.py of a checkout, and start/app.py, which `tokviz app` starts
where the package is installed.
"""

import streamlit as st
from starlette.middleware import Middleware

from tokviz.basics.messages import _
from tokviz.pages import about, compare, encode, learn, open_file, train
from tokviz.pages.form.draft import keep_draft
from tokviz.pages.share.class_room import class_room
from tokviz.pages.widgets.interface_language import language_switch
from tokviz.pages.widgets.keys import PAGES
from tokviz.pages.widgets.style import apply_style
from tokviz.player.offline import offline_note
from tokviz.player.web_page import MARK
from tokviz.server.compressed import Compressed, FirstFiles, PlayerScript
from tokviz.server.draw_queue import in_turn
from tokviz.server.guard import Guard
from tokviz.server.rooms.routes import Rooms
from tokviz.server.server_log import keep_texts_out_of_the_log
from tokviz.server.slow_transfers import SlowSenders
from tokviz.server.uploads import Uploads, say_refused
from tokviz.server.visits import Visits
from tokviz.server.waiting import training_pool

#: The ASGI middleware of the server.
LAYERS = (
    *(Middleware(Guard), Middleware(SlowSenders), Middleware(Rooms)),
    *(Middleware(Visits), Middleware(Uploads)),
    *(Middleware(FirstFiles), Middleware(Compressed), Middleware(PlayerScript)),
)

keep_texts_out_of_the_log()
# Starts a worker process for the first visitor.
training_pool()


@in_turn
def draw() -> None:
    """Draw the page that the address names, below the links to all pages."""
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
    # The page Open switches to the page that shows the file.
    st.session_state[PAGES] = pages
    st.navigation(list(pages.values()), position="top").run()
    keep_draft()
    say_refused()
    offline_note()
    class_room()
