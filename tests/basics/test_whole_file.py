"""What cannot be written as a whole is not there, and what was there before still is."""

import os
import resource
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers import ROOT, said

import tokviz
from tokviz.__main__ import main
from tokviz.basics.whole_file import whole_file, write_whole
from tokviz.formats.exports import save_export

HISTORY = tokviz.train("low low lower newest newest widest " * 9, "bpe", 24)


@contextmanager
def full_disk():
    """No file can become larger than 300 bytes meanwhile, pytest's report neither."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


WRITERS = {
    "history": HISTORY.save,
    "page": HISTORY.web_page,
    "export": lambda path: save_export(HISTORY, "tokenizer.json", path.parent),
    "command": lambda path: write_whole(path, b"x" * 301),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("before", [None, b"what was there"])
def test_a_full_disk_leaves_what_was_there(tmp_path, name, before):
    path = tmp_path / "tokenizer.json"
    if before:
        path.write_bytes(before)
    with full_disk(), pytest.raises(OSError, match="too large") as refused:
        WRITERS[name](path)
    assert refused.value.filename == str(path)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == ([before] if before else [])


@pytest.mark.parametrize("option", ["--save", "--web-page"])
def test_a_command_says_that_the_disk_is_full(tmp_path, capsys, option):
    path = tmp_path / "run"
    with full_disk():
        assert main(["train", "--sample", "course", option, str(path)]) == 1
    assert f"{path} cannot be used: File too large" in said(capsys)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_that_is_full_says_so(capsys):
    assert main(["train", "--sample", "course", "--save", "/dev/full"]) == 1
    assert said(capsys) == "tokviz: /dev/full cannot be used: No space left on device.\n"
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_has_no_room_ends_in_a_sentence():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "tokviz", "train", "--sample", "course"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, text=True)
    assert done.returncode == 1
    assert done.stderr == "tokviz: the file cannot be used: No space left on device.\n"


def test_a_link_stays_a_link_and_rights_stay(tmp_path):
    path, link = tmp_path / "run", tmp_path / "link"
    path.write_bytes(b"before")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, b"after")
    assert link.is_symlink()
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    write_whole(pipe, b"through")
    assert reader.communicate()[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_that_takes_no_files_keeps_those_that_it_has(tmp_path, monkeypatch):
    path = tmp_path / "run"
    path.write_bytes(b"before")
    # Whoever runs the tests may write everywhere.
    monkeypatch.setattr(os, "access", lambda place, _mode: Path(place) != tmp_path)
    inode = path.stat().st_ino
    write_whole(path, b"after")
    assert (path.read_bytes(), path.stat().st_ino) == (b"after", inode)


def test_an_interrupt_leaves_no_part_of_a_file(tmp_path):
    def interrupted():
        with whole_file(tmp_path / "run") as file:
            file.write(b"half")
            assert len(list(tmp_path.iterdir())) == 1
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as refused:
        HISTORY.save(tmp_path / "none" / "run.npz")
    assert refused.value.filename == str(tmp_path / "none" / "run.npz")
