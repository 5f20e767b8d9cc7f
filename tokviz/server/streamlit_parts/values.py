"""What a browser tells of its widgets, and which of it the visitor has chosen."""

import inspect
from collections.abc import Callable
from typing import Any

from tokviz.server.streamlit_parts.parts import expect

#: Kinds of values that are no choice in a field: files, and what components tell.
_NO_FIELDS = ("file_uploader_state_value", "json_value")
#: How the id of a widget without a key ends.
_NO_KEY = "-None"
#: Session key: what its browser told last, by widget.
_TOLD = "told_last"


def differs(widget: Any, metadata: Any, state: Any) -> bool:
    """Return whether a session has another value of a widget than a browser tells, or none."""
    told = type(state._new_widget_state)()
    told.set_widget_from_proto(widget)
    told.set_widget_metadata(metadata)
    try:
        return bool(told[widget.id] != state[widget.id])
    except KeyError:
        return True


def keeping_what_was_set(take: Callable[..., None]) -> Callable[..., None]:
    """Wrap `set_widgets_from_proto`: in a message that has a choice of the visitor, fields that it
    tells as the message before did keep what Python has set since, and the browser is told so.
    Nobody makes two choices at once; Streamlit would take the old values for choices, too."""

    from streamlit.runtime.state.common import user_key_from_element_id

    def taken(state: Any, widget_states: Any) -> None:
        before = dict[str, int]()
        if _TOLD in state:
            before = state[_TOLD]
        told = {each.id: hash(each.SerializeToString()) for each in widget_states.widgets}
        # After Back and Forward, a browser tells nothing of fields that it still has.
        state[_TOLD] = before | told
        new = [each for each in widget_states.widgets if before.get(each.id) != told[each.id]]
        stale = dict[str, Any]()
        if any(_is_choice(each, state) for each in new):
            same = (each for each in widget_states.widgets if before.get(each.id) == told[each.id])
            fields = (each for each in same if _is_field(each) and _is_other(each, state))
            stale = {each.id: state[each.id] for each in fields}
        if stale:
            all_told, widget_states = widget_states, type(widget_states)()
            widget_states.widgets.extend(each for each in all_told.widgets if each.id not in stale)
        take(state, widget_states)
        for id, value in stale.items():
            # Streamlit tells a browser what was set by a key.
            state.reset_state_value(user_key_from_element_id(id), value)

    return taken


def _is_choice(widget: Any, state: Any) -> bool:
    """Return whether what a browser tells anew of a widget comes from the visitor: it is pressed,
    is a component, has files, or has another value than in the session."""
    if widget.HasField("file_uploader_state_value"):
        return bool(widget.file_uploader_state_value.uploaded_file_info)
    return _is_other(widget, state) if _is_field(widget) else bool(widget.WhichOneof("value"))


def _is_field(widget: Any) -> bool:
    """Return whether a widget is a field with a key: no button, no files and no component."""
    kind = widget.WhichOneof("value") or ""
    is_other = "trigger" in kind or kind in ("", *_NO_FIELDS)
    return not is_other and not widget.id.endswith(_NO_KEY)


def _is_other(widget: Any, state: Any) -> bool:
    """Return whether a session has a field, and another value of it than a browser tells."""
    metadata = state.get_widget_metadata(widget.id) if widget.id in state else None
    return metadata is not None and differs(widget, metadata, state)


def keep_what_was_set() -> Callable[[], None]:
    """Replace `set_widgets_from_proto`; return a function that undoes it."""
    from streamlit.runtime.state import SessionState

    take = SessionState.set_widgets_from_proto
    expect([*inspect.signature(take).parameters] == ["self", "widget_states"], "the taking")
    expect(callable(SessionState.get_widget_metadata), "get_widget_metadata")
    SessionState.set_widgets_from_proto = keeping_what_was_set(take)  # type: ignore[method-assign]
    return lambda: setattr(SessionState, "set_widgets_from_proto", take)
