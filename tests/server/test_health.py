"""The health check: a page that is drawn, and all that is none."""

import os
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from app_server import Server, free_port, healthy
from helpers import PATIENCE, ROOT
from visitors import Page

from tokviz.server import health

#: Starts Streamlit with a page that does what a file says, and sends nothing while it says so.
CHANGED = """
import os
from pathlib import Path
import streamlit.web.cli
import tokviz.pages.train
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
does, flush = Path(os.environ["DOES"]), ForwardMsgQueue.flush
tokviz.pages.train.page = lambda: eval(does.read_text())
ForwardMsgQueue.flush = lambda own: [] if "nothing" in does.read_text() else flush(own)
streamlit.web.cli.main(prog_name="streamlit")
"""
#: The messages of a Streamlit whose names are others.
OTHER_MESSAGES = {
    "streamlit/__init__.py": "",
    "streamlit/proto/__init__.py": "",
    "streamlit/proto/BackMsg_pb2.py": "class BackMsg: rerun_script = ''",
    "streamlit/proto/ForwardMsg_pb2.py": "class ForwardMsg: new_delta = ''",
}


def check(*words, seconds=PATIENCE, **environment):
    """The exit status and the sentence of the program, as a container runs it."""
    command = [sys.executable, "-P", "tokviz/server/health.py", f"--seconds={seconds}", *words]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def metric(address, name):
    with urllib.request.urlopen(f"{address}/_stcore/metrics") as said:
        lines = said.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name))


@pytest.fixture
def server(named_server):
    return named_server.address


def test_a_page_that_is_drawn_is_health_and_no_visit_stays_open(server):
    for _ in range(3):
        status, said = check(server)
        assert (status, said[:18]) == (0, "The page was drawn"), said
    assert metric(server, "active_sessions") == 0


def test_it_comes_in_by_a_name_of_the_server(server):
    address = server.replace("localhost", "127.0.0.1")
    assert check(address)[0] == 1
    assert "--host" in check(address)[1]
    assert check(address, "--host", "tokens.example")[0] == 0
    names = "*.school.example tokens.example"
    assert check(address, STREAMLIT_SERVER_ALLOWED_HOSTS=names)[0] == 0


def test_a_full_server_is_well(small_server):
    address = small_server.address
    with ExitStack() as inside:
        assert check(address)[1].startswith("The page was drawn")
        for _ in range(10):
            inside.enter_context(Page(small_server))
        said = "All places are taken; the server answers, and says so to newcomers.\n"
        assert check(address) == (0, said)
    # Whoever fills it next finds all places free.
    end = time.monotonic() + PATIENCE
    while metric(address, "active_sessions"):
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """A server whose page does what the second one, a file, says."""
    folder = tmp_path_factory.mktemp("changed")
    does = folder / "does"
    does.write_text("None")
    with Server(folder / "log", ("-c", CHANGED), {"DOES": str(does)}) as served:
        yield served, does


def test_a_server_that_draws_nothing_is_not_well_though_it_says_so(changed):
    served, does = changed
    does.write_text("'nothing'")
    assert healthy(served.port)
    status, said = check(served.address, seconds=1)
    assert healthy(served.port)
    assert status == 1
    assert "was not drawn within 1 s, though it says that it is well" in said


@pytest.mark.parametrize(
    ("does_now", "said"),
    [("1 / 0", "shows an error"), ("None", "without its lens and its player")],
)
def test_a_page_with_an_error_or_without_its_parts_is_not_health(does_now, said, changed):
    served, does = changed
    does.write_text(does_now)
    status, heard = check(served.address)
    assert status == 1
    assert said in heard


def test_where_nobody_listens_is_no_health():
    status, said = check(f"http://localhost:{free_port()}")
    assert status == 1
    assert said.startswith("No page can be opened")
    assert check("nowhere")[0] == 1


def test_with_other_messages_it_asks_only_whether_the_port_answers(server, tmp_path):
    for name, code in OTHER_MESSAGES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(code)
    status, said = check(server, PYTHONPATH=str(tmp_path))
    assert (status, "whether it draws its page is not known" in said) == (0, True), said
    assert check(f"http://localhost:{free_port()}", PYTHONPATH=str(tmp_path))[0] == 1


def test_the_container_asks_like_this():
    docker = (ROOT / "Dockerfile").read_text("utf-8")
    assert '["python", "-P", "tokviz/server/health.py"]' in docker
    # This thread may have a loop already, of a browser.
    with ThreadPoolExecutor(1) as other:
        asked = other.submit(health.main, ["--seconds", "1", f"http://localhost:{free_port()}"])
        assert asked.result() == 1
