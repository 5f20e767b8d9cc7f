"""In each engine the page's own scripts train what published programs recorded, to the bit."""

import json
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from effort import LONG
from helpers import ROOT
from recorded_runs import golden_runs, kept_runs, write

PAGE = """<!doctype html><meta charset="utf-8"><title>Trained</title><script type="module">
import { Core } from "./tokviz/player/js/core.js";
import { differences } from "./tests/player/same_run.mjs";
const part = async (name) => (await fetch(name)).arrayBuffer();
const core = await Core.of(await WebAssembly.compile(await part("tokviz/core/core.wasm")));
const found = {};
for (const name of await (await fetch("names.json")).json()) {
  const told = await (await fetch(`${name}.json`)).json();
  found[name] = differences(core, told, new Uint8Array(await part(`${name}.blob`)));
}
window.found = found;
</script>"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and says nothing."""

    protocol_version = "HTTP/1.1"
    # Else each answer waits 40 ms for the one before to be heard of.
    disable_nagle_algorithm = True

    def log_message(self, *_values):
        pass


@contextmanager
def served(folder):
    """The address of a folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The address of a page that trains everything, and the numbers of the runs."""
    folder = tmp_path_factory.mktemp("recorded")
    runs = [*golden_runs(), *(kept_runs()[0] if LONG else ())]
    names = [*map(str, range(len(runs)))]
    for name, run in zip(names, runs, strict=True):
        write(folder, name, run.history, run.text, golden=run.golden)
    (folder / "names.json").write_text(json.dumps(names), "utf-8")
    (folder / "page.html").write_text(PAGE, "utf-8")
    for room in ("tokviz", "tests"):
        (folder / room).symlink_to(ROOT / room)
    with served(folder) as address:
        yield f"{address}/page.html", names


def test_recorded_trainings_are_the_same_in_each_engine(tab, recorded):
    address, names = recorded
    tab.go(address)
    assert tab.wait("() => window.found") == {name: [] for name in names}
