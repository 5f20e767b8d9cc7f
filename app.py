"""The tokviz app: page set-up and navigation, nothing else."""

import gc

import streamlit as st

from tokviz.pages import about, compare, encode, model, train
from tokviz.pages.style import apply_style

st.set_page_config(page_title="tokviz", page_icon=":material/account_tree:", layout="wide")


@st.cache_resource(show_spinner=False)
def freeze_imports() -> None:
    """Takes the imported libraries out of every later garbage collection, and makes those rare: an
    answer of the page Encode makes tens of thousands of tuples, none of them in a circle, and would
    wait until all histories are looked through."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


apply_style()
st.navigation(
    [
        st.Page(train.page, title="Train", url_path="train", default=True),
        st.Page(compare.page, title="Compare", url_path="compare"),
        st.Page(encode.page, title="Encode", url_path="encode"),
        st.Page(model.page, title="Model file", url_path="model"),
        st.Page(about.page, title="How it works", url_path="how-it-works"),
    ],
    position="top",
).run()
# Last: the first visitor does not wait for it.
freeze_imports()
