"""The tokviz app: page set-up and navigation, nothing else."""

import gc

import streamlit as st

from tokviz.language import _
from tokviz.pages import about, compare, encode, learn, open_file, train
from tokviz.pages.draft import keep_draft
from tokviz.pages.language import language_switch
from tokviz.pages.quiet_log import keep_texts_out_of_the_log
from tokviz.pages.style import apply_style
from tokviz.pages.waiting import training_pool
from tokviz.player.offline import offline_note

keep_texts_out_of_the_log()
st.set_page_config(page_title="tokviz", page_icon=":material/account_tree:", layout="wide")


@st.cache_resource(show_spinner=False)
def freeze_imports() -> None:
    """Takes the imported libraries out of every later garbage collection, and makes those rare: an
    answer of the page Encode makes tens of thousands of tuples, none of them in a circle, and would
    wait until all histories are looked through."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


# First: the first visitor's training then has a process.
training_pool()
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
st.session_state["pages"] = pages
st.navigation(list(pages.values()), position="top").run()
keep_draft()
offline_note()
# Last: the first visitor does not wait for it.
freeze_imports()
