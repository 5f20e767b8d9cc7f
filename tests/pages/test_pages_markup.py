"""Everything that a corpus brings is text on the page."""

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from tokviz.pages.widgets import markup

HOSTILE = st.text(
    st.sampled_from("<>&\"'`Ġ▁#/w\x00\ud800\u202eaé日") | st.characters(), max_size=12
)


@given(HOSTILE)
def test_visible_text_can_be_sent_to_a_browser(text):
    shown = markup.visible(text)
    shown.encode("utf-8")
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", shown)
    assert html.unescape(markup.text(text)) == shown
