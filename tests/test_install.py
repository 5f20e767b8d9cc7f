"""The package as somebody installs it: from a git address, in an environment of its own, used from
any folder."""

import json
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
import zipfile
from pathlib import Path

import pytest
from app_server import free_port, healthy
from effort import LONG
from helpers import PATIENCE, ROOT

import tokviz
from tokviz.__main__ import main

USES = f"""
import pathlib, sys
import tokviz
assert not pathlib.Path(tokviz.__file__).is_relative_to({str(ROOT)!r}), tokviz.__file__
history = tokviz.train("low low lower", "bpe", vocab_size=7, pretokenizer="whitespace")
assert [step.token for step in history.steps] == ["lo", "low"], history.steps
history.web_page("page.html")
assert "<!doctype html>" in pathlib.Path("page.html").read_text("utf-8")[:20].lower()
"""


def run(*words, place):
    """What a command prints; its folder is not the one of the package."""
    done = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=PATIENCE * 5)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files():
    """What a checkout of the repository holds, and what is new in it."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", place=ROOT)
    return [name for name in listed.splitlines() if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A git repository with these files as its last commit."""
    folder = tmp_path_factory.mktemp("repository")
    for name in files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "all")):
        run(*git, *words, place=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(repository, tmp_path_factory):
    """What pip makes of a git address and installs."""
    place, address = tmp_path_factory.mktemp("wheel"), f"git+file://{repository}"
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", address, place=place)
    [made] = place.glob("tokviz-*.whl")
    return made


def test_a_wheel_holds_every_file_of_the_package(wheel):
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if name.startswith("tokviz/")}
    assert held == {name for name in files() if name.startswith("tokviz/")}
    assert wheel.name == f"tokviz-{tokviz.__version__}-py3-none-any.whl"


def test_the_package_is_used_from_any_folder(wheel, tmp_path, capsys):
    notebook = tmp_path / "a notebook"
    notebook.mkdir()
    shutil.copy(ROOT / "docs" / "tokviz.ipynb", notebook)
    run(sys.executable, "-m", "venv", "--without-pip", "own", place=tmp_path)
    python, command = (str(tmp_path / "own" / "bin" / name) for name in ("python", "tokviz"))
    pip = (sys.executable, "-m", "pip", "--python", python)
    words = ["install", "-q", "--no-compile", str(wheel)]
    if not LONG:
        # What else it needs comes from the environment of the tests.
        words.append("--no-deps")
        [found] = (tmp_path / "own" / "lib").glob("python*/site-packages")
        (found / "tests.pth").write_text(f"{sysconfig.get_path('purelib')}\n", "utf-8")
    run(*pip, *words, place=tmp_path)
    assert run(command, "--version", place=notebook) == f"tokviz {tokviz.__version__}\n"
    words = ["train", "--sample", "course", "--vocab-size", "50"]
    assert main(words) == 0
    assert run(command, *words, place=notebook) == capsys.readouterr().out
    # Jupyter runs a notebook in its own folder.
    cells = json.loads((notebook / "tokviz.ipynb").read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    run(python, "-c", "\n".join([*code, USES]), place=notebook)
    port = free_port()
    with open(tmp_path / "log", "w+") as log:
        served = subprocess.Popen(
            [command, "app", "--headless", "--port", str(port)],
            cwd=notebook,
            stdout=log,
            stderr=log,
        )
        try:
            end = time.monotonic() + PATIENCE
            while not healthy(port) and time.monotonic() < end:
                time.sleep(0.1)
            run(*(python, "-m", "tokviz.server.health", f"http://localhost:{port}"), place=notebook)
        finally:
            served.terminate()
            served.wait()
        log.seek(0)
        assert "Traceback" not in (said := log.read()), said


def test_a_version_is_told_by_the_changelog():
    told = [
        line.split()[1].strip(",")
        for line in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()
        if line.startswith("## ")
    ]
    assert tokviz.__version__ in told


def test_extras_allow_what_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = (ROOT / "tests" / "requirements.txt").read_text("utf-8").splitlines()
    assert {"dask[distributed]>=2026.8,<2027", "fsspec>=2026.1,<2027"} <= {*asked}
    assert project["optional-dependencies"]["cluster"] == [
        line for line in asked if line.startswith(("dask", "fsspec"))
    ]
    assert project["optional-dependencies"]["rooms"] == [
        line for line in asked if line.startswith("redis")
    ]
    assert Path(ROOT / "tokviz" / "py.typed").is_file()
