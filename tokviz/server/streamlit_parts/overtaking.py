"""Requests that overtake the run that an earlier one asked for: both are followed."""

import inspect
from collections.abc import Callable
from functools import wraps
from threading import local
from typing import Any

from tokviz.server.streamlit_parts.parts import expect


class _Run(local):
    """Whether this thread takes over what a browser told, and calls callbacks for it."""

    is_taking = False


_run = _Run()


def joining_values(join: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Wrap the joining of two requests before either has begun: keep the values of widgets that
    only the earlier one tells. Streamlit keeps what was pressed and forgets what was typed, which
    the later one does not tell if it is for another page."""

    def joined(earlier: Any, later: Any) -> Any:
        both = join(earlier, later)
        if earlier and later:
            told = {widget.id for widget in both.widgets}
            both.widgets.extend(each for each in earlier.widgets if each.id not in told)
        return both

    return joined


def follow_both() -> Callable[[], None]:
    """Let no request end a run before its callbacks have ended, and join values where two requests
    wait; return a function that undoes it. Streamlit forgets what a request tells if the next one
    comes before its callbacks have ended."""
    from streamlit.runtime.scriptrunner import ScriptRunner
    from streamlit.runtime.scriptrunner_utils import script_requests
    from streamlit.runtime.state import SafeSessionState

    join = script_requests._coalesce_widget_states
    look = ScriptRunner._maybe_handle_execution_control_request
    take = SafeSessionState.on_script_will_rerun
    expect([*inspect.signature(join).parameters] == ["old_states", "new_states"], "the joining")
    expect([*inspect.signature(look).parameters] == ["self"], "the look for requests")

    @wraps(take)
    def taken(*args: Any, **named: Any) -> None:
        _run.is_taking = True
        try:
            take(*args, **named)
        finally:
            _run.is_taking = False

    def looked(runner: Any) -> None:
        if not _run.is_taking:
            look(runner)

    script_requests._coalesce_widget_states = joining_values(join)  # type: ignore[assignment]
    ScriptRunner._maybe_handle_execution_control_request = looked  # type: ignore[assignment, method-assign]
    SafeSessionState.on_script_will_rerun = taken  # type: ignore[method-assign]

    def put_back() -> None:
        script_requests._coalesce_widget_states = join
        ScriptRunner._maybe_handle_execution_control_request = look  # type: ignore[method-assign]
        SafeSessionState.on_script_will_rerun = take  # type: ignore[method-assign]

    return put_back
