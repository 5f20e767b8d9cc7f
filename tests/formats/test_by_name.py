"""Tokenizers are opened by name through huggingface_hub and tiktoken, from a mirror of the hub."""

import json
import os
import subprocess
import sys
from base64 import b64encode
from hashlib import sha1, sha256
from pathlib import Path

import pytest
from hub_mirror import COMMIT, Mirror
from huggingface_hub import constants
from library_tokenizers import byte_level_bpe
from opened_texts import lines

import tokviz
from tokviz.basics.errors import FileError
from tokviz.formats.named import tiktoken_names
from tokviz.formats.named.by_name import fetch_files, is_name
from tokviz.formats.named.gallery import GALLERY
from tokviz.formats.named.hub import FILES, fetch_from_hub
from tokviz.formats.readers.opened import TokenizerFileError

FILE = byte_level_bpe().to_str().encode()
CONFIG = json.dumps({"bos_token": "<s>"}).encode()
RANKS = b"".join(b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256)) + b"bG8= 256\n"
MODELS = {
    "acme/plain": {"tokenizer.json": FILE},
    "acme/config": {"tokenizer.json": FILE, "tokenizer_config.json": CONFIG, "model.bin": b"0"},
    "acme/merges": {"vocab.json": b'{"a": 0, "b": 1, "ab": 2}', "merges.txt": b"a b"},
    "acme/half": {"vocab.json": b'{"a": 0}'},
    "acme/weights": {"model.safetensors": b"0"},
    "acme/gated": None,
}


@pytest.fixture
def mirror(monkeypatch, tmp_path):
    """What HF_ENDPOINT, HF_HOME and TIKTOKEN_CACHE_DIR do to a process that begins with them."""
    with Mirror(MODELS) as mirror:
        template = f"{mirror.address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "ENDPOINT", mirror.address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "tiktoken"))
        url = f"{mirror.address}/small.tiktoken"
        mirror.other_files["/small.tiktoken"] = RANKS
        small = tiktoken_names.RankFile(url, sha256(RANKS).hexdigest(), len(RANKS))
        monkeypatch.setitem(tiktoken_names.ENCODINGS, "small", small)
        yield mirror


def test_a_model_of_the_hub_opens_as_its_file_does_and_again_without_the_hub(mirror, tmp_path):
    (tmp_path / "tokenizer.json").write_bytes(FILE)
    known = tokviz.open_tokenizer(tmp_path / "tokenizer.json").tokenizer
    opened = tokviz.open_tokenizer("acme/config@main")
    assert (opened.name, opened.format) == ("acme/config@main", "tokenizer.json")
    assert opened.facts["Special tokens by use"] == "bos_token: <s>"
    for line in lines(50, seed=3):
        assert opened.tokenizer.encode(line).ids == known.encode(line).ids
    asked = {path.rpartition("/")[2] for _, path in mirror.asked}
    assert asked == {"tokenizer.json", "tokenizer_config.json"}, "and nothing else of the model"
    before = len(mirror.asked)
    tokviz.open_tokenizer("acme/config")
    assert {method for method, _ in mirror.asked[before:]} == {"HEAD"}, "its cache has the rest"
    before = len(mirror.asked)
    assert fetch_files(f"acme/config@{COMMIT}").keys() == {
        "tokenizer.json",
        "tokenizer_config.json",
    }
    assert mirror.asked[before:] == [], "a commit never changes"
    mirror.status = 503
    assert (
        tokviz.open_tokenizer("acme/config").tokenizer.encode("low").ids == known.encode("low").ids
    )


@pytest.mark.usefixtures("mirror")
def test_the_first_of_a_models_files_is_taken_with_what_belongs_to_it():
    assert fetch_from_hub("acme/plain") == {"tokenizer.json": FILE}
    merges = tokviz.open_tokenizer("acme/merges")
    assert (merges.format, merges.tokenizer.encode("aab").ids) == (
        "vocab.json + merges.txt",
        [0, 2],
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("acme/gated", r"^The owner of acme/gated lets people in one by one: ask on the hub"),
        ("acme/missing", r"^The hub knows no model acme/missing, or it is private; .* HF_TOKEN"),
        ("acme/plain@v9", r"^acme/plain has no branch, tag or commit 'v9'\.$"),
        ("acme/weights", r"^acme/weights has no tokenizer that can be opened; .* tekken\.json"),
        ("a--b/..", r"^'a--b/\.\.' cannot be a model of the hub"),
        ("acme/half", r"^acme/half has no tokenizer that can be opened"),
    ],
)
@pytest.mark.usefixtures("mirror")
def test_what_the_hub_does_not_give_is_a_sentence(name, said):
    with pytest.raises(TokenizerFileError, match=said):
        tokviz.open_tokenizer(name)


def test_a_hub_that_refuses_or_cannot_be_reached_is_a_sentence(mirror, monkeypatch):
    mirror.status = 418
    with pytest.raises(TokenizerFileError, match=r"not in the cache .* cannot be reached"):
        tokviz.open_tokenizer("acme/plain")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    before = len(mirror.asked)
    with pytest.raises(TokenizerFileError, match=r"not in the cache .* cannot be reached"):
        tokviz.open_tokenizer("acme/plain")
    assert len(mirror.asked) == before


def test_no_more_bytes_come_than_are_allowed(mirror):
    with pytest.raises(TokenizerFileError, match=r"acme/plain has more than 100 bytes, and no lar"):
        fetch_files("acme/plain", most_bytes=100)
    assert {method for method, _ in mirror.asked} == {"HEAD"}, "its size is known before"
    fetch_files("acme/plain", most_bytes=len(FILE))
    with pytest.raises(TokenizerFileError, match="has more than"):
        fetch_files("acme/config", most_bytes=len(FILE))


@pytest.mark.usefixtures("mirror")
def test_progress_tells_bytes_and_cancels():
    seen = []
    fetch_files("acme/plain", lambda progress: seen.append(progress))
    assert {progress.stage for progress in seen} == {"bytes"}
    assert (len(FILE), len(FILE)) in {(progress.done, progress.total) for progress in seen}
    for name in ("acme/config", "small"):
        with pytest.raises(tokviz.Cancelled, match=f"^Cancelled while {name} was downloaded"):
            fetch_files(name, lambda _: False)
    with pytest.raises(tokviz.Cancelled):
        fetch_files("acme/config", lambda progress: progress.done == 0)
    cached = Path(constants.HF_HUB_CACHE, "models--acme--config")
    assert not [*cached.rglob("tokenizer.json")], "it ends before the file is whole"


def test_an_encoding_of_tiktoken_is_downloaded_once_and_must_be_what_is_known(mirror, tmp_path):
    assert fetch_files("small") == {"small.tiktoken": RANKS} == fetch_files("small")
    assert mirror.asked == [("GET", "/small.tiktoken")]
    opened = tokviz.open_tokenizer("small", pattern="gpt2")
    assert (opened.name, opened.tokenizer.encode("low").ids) == ("small", [256, 119])
    [cached] = (tmp_path / "tiktoken").iterdir()
    assert cached.name == sha1(f"{mirror.address}/small.tiktoken".encode()).hexdigest()
    cached.unlink()
    mirror.other_files["/small.tiktoken"] = RANKS[:-20]
    with pytest.raises(TokenizerFileError, match="is not the file that is known as small"):
        fetch_files("small")
    mirror.status = 500
    with pytest.raises(TokenizerFileError, match="small could not be downloaded from http"):
        fetch_files("small")


def test_addresses_and_digests_are_those_of_tiktoken(monkeypatch):
    """tiktoken's own constructors ask for the same files, and end when they have asked."""
    from tiktoken_ext import openai_public

    def asked(url, expected_hash):
        raise LookupError(url, expected_hash)

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", asked)
    known = openai_public.ENCODING_CONSTRUCTORS
    assert known.keys() == tiktoken_names.ENCODINGS.keys()
    for name in known.keys() - {"gpt2"}:  # it is put together from two older files, to equal ranks
        with pytest.raises(LookupError) as told:
            known[name]()
        file = tiktoken_names.ENCODINGS[name]
        assert told.value.args == (file.url, file.digest)


def test_names_and_paths_are_told_apart(tmp_path, monkeypatch):
    assert all(map(is_name, GALLERY))
    assert all(not is_name(f"acme/{file.name}") for file in FILES)
    monkeypatch.chdir(tmp_path)
    assert is_name("acme/plain")
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "plain").write_bytes(FILE)
    assert not is_name("acme/plain"), "a file that is there is meant"
    assert tokviz.open_tokenizer("acme/plain").format == "tokenizer.json"
    with pytest.raises(FileError, match=r"'no name' is no name of a tokenizer; give .*o200k_base"):
        fetch_files("no name")


def test_the_command_line_asks_the_hub_and_with_the_token_that_the_system_has(mirror, tmp_path):
    settings = {"HF_ENDPOINT": mirror.address, "HF_HOME": str(tmp_path), "HF_TOKEN": "secret"}
    command = [sys.executable, "-m", "tokviz", "encode", "acme/merges", "--ids", "aab"]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("0 2\n", 0), done.stderr
    assert mirror.tokens == {"Bearer secret"}
    command[4] = "acme/missing"
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True)
    assert done.returncode == 1
    assert "knows no model acme/missing" in done.stderr


def test_the_same_files_one_time_after_the_other_are_opened_once(tmp_path):
    path, other = tmp_path / "tokenizer.json", tmp_path / "x.tiktoken"
    path.write_bytes(byte_level_bpe().to_str().encode())
    other.write_bytes(RANKS)
    first = tokviz.open_tokenizer(path)
    assert tokviz.open_tokenizer(path) is first
    ranks = tokviz.open_tokenizer(other, pattern=".|\n")
    assert tokviz.open_tokenizer(other, pattern=".|\n") is ranks
    assert tokviz.open_tokenizer(other, pattern="(?s:.)").pattern == "(?s:.)"
    # Only the last ones are kept.
    again = tokviz.open_tokenizer(path)
    assert again is not first
    path.write_bytes(path.read_bytes().replace(b'"version"', b' "version"'))
    assert tokviz.open_tokenizer(path) is not again
    with pytest.raises(TokenizerFileError):
        tokviz.open_tokenizer(other)
