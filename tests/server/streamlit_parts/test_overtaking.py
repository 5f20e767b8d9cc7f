"""Requests that overtake the run that an earlier one asked for: both are followed."""

from effort import LONG
from served_parts import run
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner_utils import script_requests
from streamlit_client import Session

from tokviz.server.streamlit_parts.overtaking import joining_values


def told(**values):
    states = WidgetStates()
    for id, value in values.items():
        kind = "trigger_value" if value is True else "string_value"
        states.widgets.add(id=id, **{kind: value})
    return states


def test_the_later_of_two_values_counts_and_none_is_forgotten():
    join = joining_values(script_requests._coalesce_widget_states)
    both = join(told(text="low", size="50", pressed=True), told(size="60"))
    values = {each.id: each.string_value or each.trigger_value for each in both.widgets}
    assert values == {"size": "60", "text": "low", "pressed": True}
    assert join(None, told(size="60")) == join(told(size="60"), None) == told(size="60")
    assert join(None, None) is None


def test_two_requests_that_come_at_once_are_both_followed(plain):
    async def visit(address):
        for _ in range(4 if LONG else 2):
            tab = Session(address)
            await tab.open()
            await tab.act_at_once(("corpus_text", "low lower lowest"), ("settings_0", None))
            assert tab.has("close_0")
            await tab.act_at_once(("close_0", None), ("corpus_text", "lower"))
            assert not tab.has("close_0")
            await tab.go_at_once("how-it-works", ("corpus_text", "a rose is a rose"))
            await tab.go("")
            assert tab.value("corpus_text") == "a rose is a rose"
            await tab.close()

    run(visit(plain.address))
