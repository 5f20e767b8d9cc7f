"""The gallery: every sample has its page and its card, and nothing in it needs a server."""

import re
from html import escape

import pytest
from effort import LONG, each

import tokviz
from tokviz.player import site as pages
from tokviz.player.site import SIDE_BY_SIDE, write_site
from tokviz.text.samples import SAMPLES


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    directory = tmp_path_factory.mktemp("site") / "public"
    return directory, write_site(directory)


def test_every_sample_and_comparison_has_a_page(site):
    directory, paths = site
    names = [*SAMPLES, *(f"compare-{page.name}" for page in SIDE_BY_SIDE)]
    assert [path.name for path in paths] == ["index.html", *(f"{name}.html" for name in names)]
    assert sorted(paths) == sorted(directory.iterdir())


def test_the_index_names_what_each_page_is(site):
    directory, _ = site
    index = (directory / "index.html").read_text("utf-8")
    linked = re.findall('<a href="([^"]+)">', index)
    # Before the cards, the page that opens with the fields for a text of one's own.
    assert linked.pop(0) == "course.html#own"
    assert sorted(linked) == sorted(p.name for p in directory.iterdir() if p.name != "index.html")
    for sample in SAMPLES.values():
        for said in (sample.title, sample.note, sample.source, sample.licence):
            assert escape(said) in index
    for page in SIDE_BY_SIDE:
        assert escape(page.title) in index
        assert escape(page.note) in index
    assert "<script" not in index
    assert "default-src 'none'; style-src 'unsafe-inline'" in index
    assert index.count("<li>") == index.count("</li>") == len(linked)


def test_a_card_shows_the_corpus_as_the_finished_tokenizer_cuts_it(site):
    directory, _ = site
    index = (directory / "index.html").read_text("utf-8")
    [card] = re.findall(r'href="low-lower.html".*', index)
    shown = re.findall('<span class="tv-word">(.*?)</span></span>', card)
    tokens = [re.findall('data-token="([^"]+)"', word + "</span>") for word in shown]
    sample = SAMPLES["low-lower"]
    tokenizer = tokviz.train(sample.corpus, **sample.settings).tokenizer()
    assert tokens == [tokenizer.encode(word).tokens for word in sample.corpus]


def test_the_same_bytes_again(site, tmp_path, monkeypatch):
    """Of some pages without `--long`, with their cards."""
    directory, _ = site
    compared = SIDE_BY_SIDE if LONG else SIDE_BY_SIDE[:1]
    names = {*each([*SAMPLES], 4), *(page.sample for page in compared)}
    samples = {name: sample for name, sample in SAMPLES.items() if name in names}
    monkeypatch.setattr(pages, "SAMPLES", samples)
    monkeypatch.setattr(pages, "SIDE_BY_SIDE", compared)
    index, *others = write_site(tmp_path)
    assert len(others) > 5
    assert [p.read_bytes() for p in others] == [(directory / p.name).read_bytes() for p in others]
    lines = (directory / "index.html").read_text("utf-8").splitlines()
    assert set(index.read_text("utf-8").splitlines()) <= {*lines}


def test_it_can_be_stopped(tmp_path):
    seen = []

    def enough(progress):
        seen.append((progress.stage, progress.done, progress.total))
        return False

    with pytest.raises(tokviz.Cancelled, match=r"Cancelled after 0 pages\."):
        write_site(tmp_path, enough)
    assert seen == [("pages", 0, len(SAMPLES) + len(SIDE_BY_SIDE))]
    assert [*tmp_path.iterdir()] == []
