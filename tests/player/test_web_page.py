"""The page that needs no server: what is in the file, what is not, and how notebooks show it."""

import base64
import gzip
import hashlib
import html
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers import ROOT, needs_node
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.basics.messages import catalog, using
from tokviz.player import web_page as module
from tokviz.player.pack import pack
from tokviz.player.web_page import notebook_frame, web_page
from tokviz.text.given_corpus import documents
from tokviz.text.pieces import opening

COURSE = tokviz.SAMPLES["course"].corpus
HOSTILE = '</script><img src=x onerror="alert(1)"> \u202eabc\u0000 "q" & <!-- שלום'
KINDS = [("bpe", 50), ("wordpiece", 50), ("unigram", 100)]


@pytest.fixture(scope="module")
def runs():
    return [tokviz.train(COURSE, *kind) for kind in KINDS]


class Parts(HTMLParser):
    """The elements of a page with their attributes, and the text in each kind of element."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.text, self._open = [], {}, []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "link"):
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        if self._open:
            self.text.setdefault(self._open[-1], []).append(data)


def data_of(page):
    [packed] = re.findall('<script type="text/plain" id="tokviz-runs">([^<]*)</script>', page)
    return unpacked(packed), len(packed)


def code_of(parts):
    """The script of a page, which its loader runs."""
    return unpacked(parts.text["script"][-2]).decode()


def unpacked(packed):
    return gzip.decompress(base64.b85decode(packed.replace(",", "<")))


def digest(code):
    """A script as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


def header(blob, magic):
    assert blob[:4] == magic
    return json.loads(blob[8 : 8 + int.from_bytes(blob[4:8], "little")])


def lanes_of(page):
    """What the page tells the player, and the header of each run."""
    data, _ = data_of(page)
    head = header(data, b"TVZB")
    first = 8 + int.from_bytes(data[4:8], "little")
    return head, [header(data[first + at : first + at + n], b"TVZ1") for at, n in head["lanes"]]


def test_the_page_holds_the_packed_runs(runs):
    page = web_page(runs, align="size", position=7)
    head, lanes = lanes_of(page)
    assert (head["links"], head["start"], head["align"]) == (None, 7, "size")
    assert [lane["label"] for lane in lanes] == ["BPE", "WordPiece", "Unigram"]
    assert all(lane["has_text"] for lane in lanes)
    text = page.split('<footer class="tv-page-foot">')[1]
    for fact in ("GPT-2", "BERT", "Metaspace", "Made with tokviz"):
        assert fact in text


def test_its_policy_lets_nothing_run_but_its_own_script(runs):
    parts = Parts(web_page(runs[:1]))
    [policy] = [a["content"] for _, a in parts.elements if "http-equiv" in a]
    data, look, packed, loader = parts.text["script"]
    assert not re.search(r"""[<"'/\\\s]""", data + look + packed)
    digests = [digest(loader), digest(code_of(parts))]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["script-src"] == f"{digests[0]} {digests[1]} 'wasm-unsafe-eval'"
    assert rules["img-src"] == "data:"
    assert rules["worker-src"] == "blob:", "only that which the script makes, under the same policy"
    # Nothing is loaded, whatever the policy says.
    asked = [a[name] for _, a in parts.elements for name in ("src", "href") if name in a]
    assert [address[:15] for address in asked] == ["data:image/svg+"]


def test_lanes_that_no_browser_trains_are_named(runs):
    """One lane of such settings offers the other algorithms instead."""
    told = tokviz.train("low lower", "bpe", 9, "regex")
    pieces = tokviz.train("low lower", "sentencepiece-bpe", 9)
    for lane in (told, pieces):
        own = lanes_of(web_page([runs[0], lane], labels=["Mine", "Yours"]))[0]["own"]
        assert own["kits"] == []
        assert own["said"].startswith("No browser trains Yours: other algorithms, typed patterns")
        own = lanes_of(web_page([lane]))[0]["own"]
        assert [kit["label"] for kit in own["kits"]] == ["BPE", "WordPiece", "Unigram"]
        assert (own["text"], "said" in own) == ("", False)


@pytest.mark.parametrize("language", ["xx", 7])
def test_a_language_that_there_is_not_is_refused(runs, language):
    with pytest.raises(tokviz.SettingError, match=rf"language={language!r} is not known; .* zh_CN"):
        web_page(runs[:1], language=language)


def test_the_page_is_small(runs):
    page = web_page(runs[:1])
    assert len(page.encode()) - data_of(page)[1] <= 210_000


def test_the_page_is_in_the_language_of_whoever_makes_it(runs):
    english = web_page(runs[:1])
    with using("zh_CN"):
        page = web_page(runs[:1])
    assert page == web_page(runs[:1], language="zh_CN") != english
    parts = Parts(page)
    [root] = [attributes for tag, attributes in parts.elements if tag == "html"]
    assert root["lang"] == "zh-CN"
    code = code_of(parts)
    assert code.startswith('const CATALOG = {"language": "zh_CN"')
    assert json.dumps(catalog("zh_CN").gettext("Play"), ensure_ascii=False) in code
    [policy] = [a["content"] for _, a in parts.elements if "http-equiv" in a]
    assert all(digest(script) in policy for script in (code, parts.text["script"][-1]))
    with using("zh_CN"):
        assert web_page(runs[:1], language="en") == english
    assert "const CATALOG" not in english + code_of(Parts(english))
    assert len(page.encode()) - data_of(page)[1] <= 210_000


@needs_node
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_script_of_the_page_can_be_read(runs, language, tmp_path):
    parts = Parts(web_page(runs[:1], language=language))
    for code in (code_of(parts), parts.text["script"][-1]):
        (tmp_path / "page.mjs").write_text(code, "utf-8")
        done = subprocess.run(["node", "--check", tmp_path / "page.mjs"], capture_output=True)
        assert done.returncode == 0, done.stderr.decode()


def test_a_hostile_corpus_stays_text():
    history = tokviz.train(HOSTILE, "bpe", 80)
    about = {"Corpus <b>": HOSTILE}
    page = web_page([history], labels=[HOSTILE], title=HOSTILE, about=about)
    parts = Parts(page)
    tags = [tag for tag, _ in parts.elements]
    assert (tags.count("script"), tags.count("img")) == (4, 0)
    assert not any(name.startswith("on") for _, attributes in parts.elements for name in attributes)
    shown = HOSTILE.replace("\0", "⟨U+0000⟩").replace("\u202e", "⟨U+202E⟩")
    assert "".join(parts.text["h1"]) == shown
    assert "".join(parts.text["title"]) == f"{shown} · tokviz"
    assert parts.text["bdi"][-1] == shown
    assert HOSTILE[:9] not in page.replace("</script>\n", "")


def test_what_text_is_shown(runs, tmp_path):
    [history] = runs[:1]
    history.save(tmp_path / "run.npz")
    loaded = tokviz.load(tmp_path / "run.npz")
    table = tokviz.train({"ab": 3}, "bpe", 3)
    listed = tokviz.train(COURSE.split("\n"), "bpe", 50)
    assert (history.text, listed.text, loaded.text, table.text) == (COURSE, COURSE, None, None)
    said = [lanes_of(h.web_page())[1][0]["has_text"] for h in (history, listed, loaded, table)]
    assert said == [True, True, False, False]
    assert loaded.web_page(text=COURSE) == history.web_page()
    # Lanes share the room.
    long = tokviz.train("ab cd " * 5000, "bpe", 8)
    pages = [web_page([long] * n) for n in (1, 4)]
    words = [lanes_of(page)[1][0]["arrays"]["order"][2] for page in pages]
    assert words == [module.MOST_WORDS + 1, module.MOST_WORDS // 4 + 1]
    most = module.MOST_CHARACTERS // 4
    wide = tokviz.train(["a" * (most // 8)] * 20, "bpe", 5)
    shown = module.excerpt_of(wide, wide.text, 4)
    assert sum(len(piece.word.text) for line in shown for piece in line) <= most


@given(st.lists(st.text("ab \n\r", max_size=12), max_size=6), st.integers(0, 40))
def test_the_opening_of_a_text(given, most):
    joined = "\n".join(given)
    # A list has as many documents as its texts have lines.
    for corpus, text in ((joined, joined), (given, "\n".join(documents(given)))):
        kept = opening(corpus, most)
        assert text.startswith(kept)
        assert len(kept) <= most
        if len(text) <= most:
            assert kept == text
        elif kept and len(kept) < most:
            assert text[len(kept)] in " \n\r", "only whole words, but for one that has no end"
    assert opening(iter(given), most) is None


def test_the_same_runs_give_the_same_bytes(tmp_path):
    program = (
        "import sys, tokviz; text = tokviz.SAMPLES['course'].corpus;"
        "tokviz.train(text, 'unigram', 100).web_page(sys.argv[1], title='é')"
    )
    pages = []
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.html"
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program, str(path)]
        subprocess.run(command, check=True, env=environment, cwd=ROOT)
        pages.append(path.read_bytes())
    assert pages[0] == pages[1] == tokviz.train(COURSE, "unigram", 100).web_page(title="é").encode()


@pytest.mark.parametrize(
    ("n", "more", "said"),
    [
        (0, {}, "A page shows 1 to 4 runs, but was given 0."),
        (5, {}, "A page shows 1 to 4 runs, but was given 5."),
        (2, {"labels": ["a"]}, "1 label for 2 runs; give one for each."),
        (2, {"texts": ["a"]}, "1 text for 2 runs; give one, or None, for each."),
        (1, {"align": "x"}, "align='x' is not known; choose one of step, size, share."),
    ],
)
def test_what_cannot_be_a_page(runs, n, more, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        web_page(runs[:1] * n, **more)


def test_a_page_that_is_written_is_not_returned_as_well(runs, tmp_path):
    """Where it is the last line of a cell, a notebook would print all of it."""
    for path in (tmp_path / "a.html", str(tmp_path / "b.html")):
        assert runs[0].web_page(path, title="One") is None
        assert web_page(runs[:1], path=path, title="One") is None
        assert Path(path).read_text("utf-8") == runs[0].web_page(title="One")


def test_a_notebook_shows_the_page_in_a_frame(runs):
    [history] = runs[:1]
    parts = Parts(history._repr_html_())
    [(tag, frame)] = parts.elements
    assert (tag, frame["sandbox"]) == ("iframe", "allow-scripts")
    assert frame["title"] == "Training player: BPE"
    assert frame["srcdoc"] == history.web_page()


def test_a_comparison_is_shown_as_lanes(runs, tmp_path):
    comparison = tokviz.compare(runs, align="share", names=["a", "b", "c"])
    page = comparison.web_page(title="Three")
    assert comparison.web_page(tmp_path / "page.html", title="Three") is None
    assert (tmp_path / "page.html").read_text("utf-8") == page
    head, lanes = lanes_of(page)
    assert (head["align"], [lane["label"] for lane in lanes]) == ("share", ["a", "b", "c"])
    assert "Training player: a, b, c" in comparison._repr_html_()
    many = tokviz.compare([runs[0]] * 5)
    assert many._repr_html_().endswith("<p>The first 4 of 5 runs.</p>")
    # The text of the comparison serves runs that keep none.
    tables = [tokviz.train({"ab": 3}, "bpe", size) for size in (2, 3)]
    _, lanes = lanes_of(tokviz.compare(tables, "ab ab").web_page())
    assert all(lane["has_text"] for lane in lanes)


def test_a_notebook_is_told_how_large_a_page_is(runs, monkeypatch):
    size = len(web_page(runs[:1]))
    monkeypatch.setattr(module, "LARGE", size - 1)
    frame = notebook_frame(runs[:1])
    assert frame.endswith("</p>")
    assert f"adds {size / 1e6:.1f} MB to the notebook" in frame
    monkeypatch.setattr(module, "TOO_LARGE", size - 1)
    said = notebook_frame(runs[:1])
    assert "iframe" not in said
    assert html.unescape(said).startswith(f"<p>The player of this run is {size / 1e6:.1f} MB")


def test_a_history_is_short_in_words(runs):
    long = tokviz.train({f"a{i}": 1 for i in range(5000)}, "bpe", 20)
    comparison = tokviz.compare(runs, COURSE)
    for shown in (*map(repr, runs), repr(long), repr(comparison)):
        assert len(shown) < 120
    em = tokviz.train(COURSE, "sentencepiece-unigram", 40)
    assert repr(em).startswith("<SentencePieceUnigramHistory of sentencepiece-unigram: ")


def test_a_lane_of_the_page_is_a_lane_of_the_app(runs):
    """To the byte: the excerpt, the labels, the words by count."""
    [history] = runs[:1]
    data, _ = data_of(web_page([history], texts=[COURSE], labels=["BPE"]))
    kept = pack(history, "BPE", module.excerpt_of(history, COURSE, 1), module.MOST_FREQUENT)
    assert data.endswith(kept)
