"""A browser that says of a widget what it cannot be hurts its own page, until that is reloaded."""

from contextlib import suppress

from app_server import Server
from helpers import run
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit_client import Failed, Session


def wrong_states(id):
    """A state of every type, with odd values: at most one of the types is the widget's."""
    values = {
        "trigger_value": True,
        "bool_value": True,
        "double_value": float("nan"),
        "int_value": 2**53,
        "string_value": "{",
        "json_value": "[1",
        "bytes_value": b"\xff",
    }
    for name, value in values.items():
        yield WidgetState(id=id, **{name: value})
    yield WidgetState(id=id, json_value='{"asked": 1, "moment": [], "found": {"form": 1}}')
    for name, value in {"double": float("inf"), "int": 99, "string": "\ud7ff"}.items():
        state = WidgetState(id=id)
        getattr(state, f"{name}_array_value").data.append(value)
        yield state
    state = WidgetState(id=id)
    state.file_uploader_state_value.uploaded_file_info.add().file_id = "none"
    yield state
    yield WidgetState(id=id)


class Odd(Session):
    """A tab that sends any state."""

    def _query(self):
        return ""

    async def send(self, state):
        self._states = {**self._states, state.id: state}
        with suppress(Failed):
            await self._changed(state.id)


async def at(address, kind=Session):
    session = kind(address)
    await session.open()
    return session


async def hurts_nobody_else(address):
    neighbour, first = await at(address), await at(address)
    heads = neighbour.head
    for key in first.ids:
        odd = await at(address, Odd)
        for state in wrong_states(odd.ids[key]):
            await odd.send(state)
        await odd.close()
        # The page of the same browser, loaded anew, and that of somebody else.
        again = await at(address)
        assert again.ids.keys() == first.ids.keys()
        assert again.head["links"] == heads["links"]
        await again.close()
        await neighbour.act("language_switch", neighbour.chosen("language_switch"))
    for session in (neighbour, first):
        await session.close()


def test_a_state_of_a_wrong_type_costs_its_own_visitor_one_reload_at_most(tmp_path):
    with Server(tmp_path / "log") as served:
        run(hurts_nobody_else(served.address))
        assert served.process.poll() is None
    assert len(served.said()) < 1_000_000
