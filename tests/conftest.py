"""Settings of all tests, and the options `--fast` and `--long`."""

import gc
import os
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from app_server import Server
from helpers import Loud, missing
from hypothesis import HealthCheck, settings
from streamlit.components.v2 import manifest_scanner
from visitors import SMALL

from tokviz.basics import messages

HERE = Path(__file__).parent
# Nothing there is a test: see fuzz/run.py and compat/README.md.
collect_ignore_glob = ["fuzz/*", "compat/*"]
#: What `--fast` leaves out: browsers, servers, pages, what starts other processes (Node too), and
#: what is compared at length with trainings of other libraries.
SLOW = [
    HERE / place
    for place in (
        "e2e",
        "pages",
        "server",
        "counting",
        "cli/test_command_count.py",
        "formats/test_exports.py",
        "formats/test_exports_libraries.py",
        "formats/test_opened.py",
        "formats/test_sentencepiece_model.py",
        "player",
        "test_api_pages.py",
        "test_compat.py",
        "test_install.py",
        "test_notebook.py",
        "test_toy_trainer.py",
        "test_tutorial.py",
        "trainers/test_hf_trainers.py",
        "trainers/test_sentencepiece_bpe.py",
        "trainers/test_sentencepiece_unigram.py",
    )
]
MAIN = sys.modules["__main__"]


def pytest_addoption(parser):
    group = parser.getgroup("tokviz")
    said = "no browser, server, page or process, and no long comparison with a library"
    group.addoption("--fast", action="store_true", help=said)
    group.addoption("--long", action="store_true", help="all samples, more random examples")


def pytest_configure(config):
    """Before any test module is imported."""
    # Else each of the processes that tests start would compile the package anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # Nor begin threads that it does not use.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if config.option.long:
        os.environ["TOKVIZ_LONG_TESTS"] = "1"
    # Machines that are busy with other things must not fail a test.
    settings.register_profile(
        "tokviz",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        max_examples=100 if config.option.long else 25,
    )
    settings.load_profile("tokviz")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays to the end; the garbage collector need not look through it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


def pytest_ignore_collect(collection_path, config):
    return True if config.option.fast and collection_path in SLOW else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Unless another way to hand out the tests is asked for."""
    from two_ends import TwoEnds

    return TwoEnds(config, log) if config.getvalue("dist") == "load" else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Streamlit's AppTest leaves its script as the main module, often from a folder that is gone:
    processes that a later test starts would read that script again, and end."""
    sys.modules["__main__"] = MAIN


@pytest.fixture(scope="session", autouse=True)
def installed_components():
    """Each AppTest looks through all installed packages for components of Streamlit: once is enough
    for all."""
    with pytest.MonkeyPatch.context() as patch:
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(scope="session")
def named_server(tmp_path_factory):
    """A server with names of its own, and one trusted origin; tests of several files ask it."""
    names = "tokens.example *.school.example localhost"
    lists = {"ALLOWED_HOSTS": names, "CORS_ALLOWED_ORIGINS": "https://course.example"}
    named = {f"STREAMLIT_SERVER_{name}": lists[name] for name in lists}
    with Server(tmp_path_factory.mktemp("named") / "log", environment=named) as served:
        yield served
    assert "Traceback" not in served.said(), served.said()


@pytest.fixture(scope="session")
def small_server(tmp_path_factory):
    """A server whose limits are soon reached; tests of several files ask it."""
    place = tmp_path_factory.mktemp("small")
    own = place / "own.toml"
    own.write_text(SMALL, "utf-8")
    with Server(place / "log", environment={"TOKVIZ_LIMITS": str(own)}) as served:
        yield served
    assert "Traceback" not in served.said(), served.said()


@pytest.fixture(scope="session")
def node():
    """Where Node is."""
    return shutil.which("node") or missing(
        "Node is missing; install it (Debian: apt install nodejs)."
    )


@pytest.fixture
def loud(monkeypatch):
    """Everything that is said comes in capitals and brackets."""
    monkeypatch.setattr(messages, "catalog", lambda _code: Loud())
    messages.languages.cache_clear()
    yield
    messages.languages.cache_clear()


@pytest.fixture
def checked(request, record_property):
    """Notes what a test has compared with a library, as often as it is called: how many runs
    (trainings, or tokenizers), how many texts that both encoded, and how many of each came out
    differently. The test's mark says with what, of several marks that of the library;
    check_against.py adds it all up."""
    marks = {mark.args[0]: mark.args for mark in request.node.iter_markers("checked_against")}

    def count(runs=1, texts=0, different_runs=0, different_texts=0, library=None):
        [with_what] = [marks[library]] if library else marks.values()
        record_property("checked", (*with_what, runs, texts, different_runs, different_texts))

    return count
