"""What is drawn for a message of a browser: a fragment, the page, or the page that was clicked."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from tokviz.server.streamlit_parts.parts import expect
from tokviz.server.streamlit_parts.values import differs


def drawing_the_page(ask: Callable[..., None]) -> Callable[..., None]:
    """Wrap `request_rerun`: rerun the whole page if the request has news of a widget outside its
    fragment. A busy browser puts simultaneous events into one message with one fragment: a click,
    and the player's step. Streamlit would redraw only that fragment, or nothing if it is gone.

    A request with news of the page that was left reruns the new page instead: until the browser
    has heard of that, it names the old one, and Streamlit would go back there."""
    known = WeakKeyDictionary[Any, dict[str, int]]()
    places = WeakKeyDictionary[Any, _Place]()

    def asked(session: Any, client_state: Any) -> None:
        if client_state is not None:
            place = places.setdefault(session, _Place())
            # A browser does not name the page that it opens.
            place.page = place.page or session._client_state.page_script_hash
            if place.is_left(client_state):
                client_state = _redirected(client_state, place)
            else:
                place.note(client_state)
            widgets = client_state.widget_states.widgets
            now = {widget.id: hash(widget.SerializeToString()) for widget in widgets}
            before = known.get(session, {})
            known[session] = now
            if (fragment := client_state.fragment_id) and any(
                _is_news(widget, before.get(widget.id) == now[widget.id], session, fragment)
                for widget in widgets
            ):
                whole = type(client_state)()
                whole.CopyFrom(client_state)
                whole.ClearField("fragment_id")
                client_state = whole
        ask(session, client_state)

    return asked


@dataclass
class _Place:
    """The page that a browser asked for last, by its hash, with its query; the page that it left
    for that one, None as soon as it has heard of the new one; and which widgets it told of then,
    which are no page's own."""

    page: str = ""
    query: str = ""
    left: str | None = None
    on_all_pages: frozenset[str] = frozenset()

    def is_left(self, client_state: Any) -> bool:
        """Return whether a request has news of the page that was left, and is no way back to it."""
        page, widgets = client_state.page_script_hash, client_state.widget_states.widgets
        has_own = any(widget.id not in self.on_all_pages for widget in widgets)
        return page == self.left != self.page and bool(client_state.fragment_id or has_own)

    def note(self, client_state: Any) -> None:
        """Take over what a request says."""
        page = client_state.page_script_hash
        moves = page != self.page and not client_state.fragment_id
        self.left = self.page if moves else None
        if moves:
            self.on_all_pages = frozenset(w.id for w in client_state.widget_states.widgets)
        self.page, self.query = page, client_state.query_string


def _redirected(client_state: Any, place: _Place) -> Any:
    """Return the request for the whole page at this place, with the widgets that it tells of."""
    other = type(client_state)()
    other.CopyFrom(client_state)
    other.ClearField("fragment_id")
    other.page_script_hash, other.query_string = place.page, place.query
    return other


def _is_news(widget: Any, is_known: bool, session: Any, fragment: str) -> bool:
    """Return whether a request has news of a widget outside the fragment: it is pressed, has files,
    or has another value than in the session."""
    metadata = session.session_state.get_widget_metadata(widget.id)
    if metadata is None or metadata.fragment_id == fragment:
        return False
    # An empty widget state has no kind.
    kind = widget.WhichOneof("value") or ""
    if "trigger" in kind or is_known:
        return "trigger" in kind
    if kind == "file_uploader_state_value":
        # Only a rerun finds the files.
        return bool(widget.file_uploader_state_value.uploaded_file_info)
    return differs(widget, metadata, session.session_state)


def draw_the_page() -> Callable[[], None]:
    """Replace `request_rerun`; return a function that undoes it."""
    from streamlit.runtime.app_session import AppSession
    from streamlit.runtime.state import SessionState
    from streamlit.runtime.state.common import WidgetMetadata

    ask = AppSession.request_rerun
    expect([*inspect.signature(ask).parameters] == ["self", "client_state"], "request_rerun")
    expect(isinstance(AppSession.session_state, property), "session_state")
    expect(callable(SessionState.get_widget_metadata), "get_widget_metadata")
    expect("fragment_id" in WidgetMetadata.__dataclass_fields__, "fragment_id")
    AppSession.request_rerun = drawing_the_page(ask)  # type: ignore[method-assign]
    return lambda: setattr(AppSession, "request_rerun", ask)
