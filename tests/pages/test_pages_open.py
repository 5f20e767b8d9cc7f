"""The page that opens files, without a browser: tokenizers, and files that it refuses."""

import base64
import io
import json
from dataclasses import replace

import pytest
import sentencepiece
from app_test import File, html
from helpers import PATIENCE, visit_of
from streamlit.runtime.scriptrunner import RerunData, RerunException
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.analysis.side_by_side import side_by_side
from tokviz.formats.exports import export
from tokviz.pages import open_file, opened_text
from tokviz.pages.lenses.text_tokens import EXAMPLES
from tokviz.pages.opened_tokenizer import continued_run, replay_run
from tokviz.pages.visit import unfinished
from tokviz.pages.visit.lanes import facts
from tokviz.pages.visit.moment_file import to_file
from tokviz.server import limits
from tokviz.server.histories import entry_for
from tokviz.server.jobs import Stopped, history_of
from tokviz.server.opened import opened_files
from tokviz.server.opened.opened_files import find, remember
from tokviz.server.pool.apart import Apart
from tokviz.server.pool.process import WorkerProcess
from tokviz.server.runs import run_of_sample
from tokviz.server.shared_cache import SharedCache

HOSTILE = "<img/src=x/onerror=alert(1)>"
COURSE = run_of_sample(tokviz.SAMPLES["course"])
WORDPIECE = replace(COURSE, algorithm="wordpiece", vocab_size=60, pretokenizer="bert", settings=())
UNIGRAM = replace(COURSE, corpus=replace(COURSE.corpus, text=""), algorithm="unigram", settings=())
TEXT = tokviz.SAMPLES["course"].corpus


class DyingWorker(WorkerProcess):
    """A worker that a text kills."""

    LAST = "last words"

    def __init__(self):
        super().__init__(1000, quiet=True)

    def tell(self, value):
        if self.LAST in value.arguments[-1]:
            self.kill()
        return super().tell(value)


@pytest.fixture(scope="module")
def model():
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(tokviz.SAMPLES["course"].documents),
        model_writer=file,
        vocab_size=60,
        hard_vocab_limit=False,
        user_defined_symbols=[HOSTILE],
        minloglevel=2,
    )
    return file.getvalue()


def test_a_sentencepiece_model_shows_what_it_was_trained_with(opened, model):
    tabs = ("Vocabulary", "Trainer specification", "Normalizer specification")
    apps = [opened(("my.model", model), tab=tab) for tab in tabs]
    said = "".join(map(html, apps))
    [vocabulary], [trainer], [normalizer] = ([f.value for f in app.dataframe] for app in apps)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    assert vocabulary["token"].tolist() == [
        processor.id_to_piece(i) for i in range(processor.vocab_size())
    ]
    fields = dict(zip(trainer["field"], trainer["value"], strict=True))
    assert fields["model_type"] == "UNIGRAM"
    assert fields["user_defined_symbols"] == HOSTILE
    fields = dict(zip(normalizer["field"], normalizer["value"], strict=True))
    assert fields["name"] == "nmt_nfkc"
    assert fields["precompiled_charsmap"].endswith(" bytes")
    assert "SentencePiece model" in said
    assert "A Unigram tokenizer has no merges to watch" in said
    assert HOSTILE not in said


def test_a_text_is_encoded_as_the_library_does_beside_the_lanes(opened, model):
    app = opened(("my.model", model), table=True)
    text = f"This is ½ {HOSTILE} token"
    app.text_area(key="opened_text").set_value(text).run()
    table = app.dataframe[0].value
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    assert table["id"].tolist() == processor.encode(text)
    own = tokviz.train(**{"corpus": TEXT, "algorithm": "bpe", "vocab_size": 50, "unit": "byte"})
    said = html(app)
    n = len(own.tokenizer().encode(text))
    assert f"<b>BPE, Four course sentences</b> {n} tokens, {len(text) / n:.2f} characters" in said
    assert [f'<span class="tv-id">{i}</span>' in said for i in table["id"]] == [True] * len(table)
    assert HOSTILE not in said


def test_merges_are_watched_on_the_text_of_the_train_page(opened, merges):
    app = opened(("mine.json", merges))
    assert "Vocabulary size" in html(app)
    app.button(key="watch_alone").click().run()
    assert not app.exception
    [moment] = app.shown
    [run] = moment.lanes
    assert (moment.page, moment.parts) == ("train", {})
    assert (run.corpus, run.of_tokenizer) == (COURSE.corpus, True)
    assert facts(run) == {
        "Algorithm": "Merges of mine.json",
        "Vocabulary": f"{run.vocab_size}",
        "Pre-tokenizer": "from the file",
    }
    history = history_of(run)
    own = tokviz.train(TEXT, "bpe", 300, "gpt2", unit="byte", initial_alphabet=("bytes",))
    assert [step.token for step in history.steps] == [step.token for step in own.steps]
    assert history.stopped == f"The text can use {len(own)} of the {len(own)} merges of mine.json."


def test_training_goes_on_from_a_file_in_a_lane(opened, merges):
    app = opened(("mine.json", merges))
    app.number_input(key="go_on_tokens").set_value(30)
    app.button(key="go_on").click().run()
    assert not app.exception
    [moment] = app.shown
    [run] = moment.lanes
    assert (moment.page, run.corpus) == ("train", COURSE.corpus)
    assert (run.of_tokenizer, run.goes_on) == (True, True)
    file = find(run.source.digest)
    assert run.vocab_size == file.next_id + 30
    assert facts(run)["Algorithm"] == "BPE from mine.json"
    history = history_of(run)
    own = tokviz.train(TEXT, vocab_size=run.vocab_size, continue_from=file)
    assert (history, history.text) == (own, own.text)
    line = "This is the first token of that."
    ids = history.tokenizer().encode(line).ids
    assert ids == own.tokenizer().encode(line).ids
    assert history.tokenizer().decode(ids) == line
    assert export(history, "tokenizer.json") == export(own, "tokenizer.json")


def test_what_no_training_can_go_on_from_is_told_in_a_sentence(opened, model):
    app = opened(("my.model", model))
    assert "It has no merges that new ones could follow" in html(app)
    assert "go_on" not in [button.key for button in app.button]


def test_a_model_of_sentencepiece_has_merges_to_watch_and_none_to_go_on_from(opened):
    run = tokviz.train(TEXT, "sentencepiece-bpe", 60)
    app = opened(("my.model", export(run, "sentencepiece")["tokenizer.model"]))
    assert "Convert it to a tokenizer.json" in html(app)
    buttons = [button.key for button in app.button]
    assert ("watch_alone" in buttons, "go_on" in buttons) == (True, False)


def test_the_vocabulary_of_a_lane_that_goes_on_begins_with_what_it_learned(merges):
    def lens():
        import streamlit as st

        from tokviz.pages.lenses.stepper import draw_lens
        from tokviz.server.jobs import history_of

        run = st.session_state["run"]
        history = history_of(run)
        draw_lens("vocabulary", [history], [run], 0, len(history), None, 0)

    app = AppTest.from_function(lens, default_timeout=PATIENCE)
    app.session_state["run"] = run = continued_run(COURSE.corpus, remember({"a.json": merges}), 3)
    [table] = app.run().dataframe
    first = find(run.source.digest).next_id
    assert table.value["id"].tolist()[:5] == [first + 2, first + 1, first, 0, 1]
    assert table.value["made by step"].tolist()[:5] == [3, 2, 1, 0, 0]


def test_more_new_tokens_than_the_server_allows_are_refused(merges, monkeypatch):
    run = continued_run(COURSE.corpus, remember({"mine.json": merges}), 11)
    settings = replace(limits.LIMITS.settings, vocabulary=10)
    monkeypatch.setattr(limits, "LIMITS", replace(limits.LIMITS, settings=settings))
    with pytest.raises(ValueError, match=r"11 new tokens are asked for; .* to 10"):
        history_of(run)


def test_tokens_and_characters_of_a_text_are_counted_in_words(opened, merges):
    app = opened(("merges.json", merges))
    for text, said in (("l", "1 token, 1 character<"), ("lx", "2 tokens, 2 characters<")):
        app.text_area(key="opened_text").set_value(text).run()
        assert said in html(app)


def test_ranks_that_nobody_knows_get_the_pattern_that_is_chosen(opened):
    lines = [base64.b64encode(token) for token in [*(bytes([n]) for n in range(256)), b"ab"]]
    ranks = b"\n".join(b"%b %d" % (line, rank) for rank, line in enumerate(lines))
    app = opened(("mine.tiktoken", ranks), table=True)
    assert "does not say how a text is cut into words" in html(app)
    assert app.selectbox(key="opened_pattern").value is None
    app.selectbox(key="opened_pattern").select("cl100k_base").run()
    assert "does not say" not in html(app)
    assert "257" in html(app)
    app.selectbox(key="opened_pattern").select("Another pattern").run()
    assert not app.text_area
    for pattern, ids in ((r"\w|\W", [97, 98]), (r"\w+|\W", [256])):
        app.text_input(key="opened_own_pattern").set_value(pattern).run()
        app.text_area(key="opened_text").set_value("ab").run()
        assert app.dataframe[0].value["id"].tolist() == ids
    app.text_input(key="opened_own_pattern").set_value("(").run()
    assert "cannot be used" in html(app)
    beside = opened(("mine.tiktoken", ranks), ("pattern.txt", rb"\w|\W"))
    assert "does not say" not in html(beside)


def test_what_nobody_looks_at_is_not_drawn_and_the_text_stays(opened, merges):
    app = opened(("mine.json", merges))
    app.text_area(key="opened_text").set_value("low lower").run()
    for tab, said, frames in (
        ("Languages", "Universal Declaration", 0),
        ("In my text", "In which step", 0),
        ("Vocabulary", "", 1),
        ("Autopsy", "Every token is examined", 0),
    ):
        assert said == "" or said not in html(app)
        app.session_state["opened_tab"] = tab
        app.run()
        assert said in html(app)
        assert len(app.dataframe) == frames
        assert "9 characters<" in html(app)


def test_the_library_is_asked_once_for_what_everybody_begins_with(opened, merges, monkeypatch):
    monkeypatch.setattr(opened_files, "OPENED", SharedCache(10, 10))
    asked, ask = [], Apart.ask

    def noted(self, key, reads, what, arguments):
        asked.append((what, *arguments))
        return ask(self, key, reads, what, arguments)

    monkeypatch.setattr(Apart, "ask", noted)
    first = html(opened(("mine.json", merges)))
    app = opened(("mine.json", merges))
    assert html(app) == first
    app.text_area(key="opened_text").set_value("low").run()
    assert asked == [("about",), ("splits", EXAMPLES[-1]), ("splits", "low")]


def test_a_chat_template_is_shown_as_it_is(opened, merges):
    template = "{{ '<b>' }} **bold** <script>"
    config = json.dumps({"tokenizer_class": "X", "bos_token": "<s>", "chat_template": template})
    files = ("tokenizer.json", merges), ("tokenizer_config.json", config.encode())
    app = opened(*files, tab="Chat template")
    assert [each.value for each in app.code] == [template]
    assert "bos_token: &lt;s&gt;" in html(app)


def test_several_tokenizers_stand_beside_one_another_on_one_text(opened, merges, model):
    app = opened(("my.model", model), ("mine.json", merges), ("mine.json", merges + b" "))
    assert app.segmented_control[0].options == [
        r"my\.model",
        r"mine\.json \(1\)",
        r"mine\.json \(2\)",
    ]
    text = f"This is {HOSTILE} 日本"
    app.text_area(key="opened_text").set_value(text).run()
    said = html(app)
    keys = [remember({"my.model": model}), remember({"mine.json": merges})]
    tokenizers = [find(key).tokenizer for key in (*keys, keys[1])]
    cut = side_by_side(text, [(each, each.encode(text)) for each in tokenizers])
    for name, each in zip(("my.model", "mine.json (1)", "mine.json (2)"), cut, strict=True):
        lit = f"{len(each.apart)} of its {each.cuts} cuts "
        assert f"<b>{name}</b> {len(each.encoding)} tokens" in said
        assert lit in said
    assert said.count("tv-cell apart") == sum(len(each.apart) for each in cut)
    assert "a bar: a cut that not all of these tokenizers make" in said
    # The last one is told of, until another is chosen.
    assert "has no merges to watch" not in said
    app.segmented_control[0].set_value(keys[0]).run()
    assert "has no merges to watch" in html(app)
    assert HOSTILE not in html(app)


def test_only_so_many_are_shown_and_one_that_cannot_be_opened_spoils_none(
    opened, merges, model, monkeypatch
):
    settings = replace(limits.LIMITS.settings, lanes=2)
    monkeypatch.setattr(limits, "LIMITS", replace(limits.LIMITS, settings=settings))
    files = [(f"{n}.json", merges + b" " * n) for n in range(3)]
    app = opened(*files, ("no.json", b"nothing"))
    assert app.segmented_control[0].options == [r"1\.json", r"2\.json"]
    assert "The last 2 tokenizers are shown." in html(app)
    assert "no.json" in html(app)
    # The files of one tokenizer belong together wherever they stand.
    pair = ("vocab.json", b'{"a": 0, "b": 1, "ab": 2}'), ("merges.txt", b"a b")
    app = opened(*pair, ("my.model", model))
    assert app.segmented_control[0].options[1] == r"my\.model"


def test_a_moment_among_tokenizers_is_shown(opened, merges):
    app = opened(("a.tokviz.json", to_file("train", [COURSE], {})), ("mine.json", merges))
    assert [moment.lanes for moment in app.shown] == [(COURSE,)]
    assert not app.tabs


def endless(merges):
    """The tokenizer with a pattern that matches some texts in very many ways."""
    file = json.loads(merges)
    by_bytes = file["pre_tokenizer"]["pretokenizers"][-1]
    slow = {"type": "Split", "pattern": {"Regex": "(?:a|aa|aaa)+$"}}
    slow |= {"behavior": "Isolated", "invert": False}
    file["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [slow, by_bytes]}
    return json.dumps(file).encode()


def test_a_pattern_that_takes_too_long_leaves_a_sentence(opened, merges):
    app = opened(("slow.json", endless(merges)))
    app.text_area(key="opened_text").set_value("a" * 60 + "b").run()
    assert "retry-limit-in-match over" in html(app)
    app.text_area(key="opened_text").set_value("low").run()
    assert "retry-limit-in-match over" not in html(app)


def test_a_library_that_is_gone_leaves_a_sentence_and_comes_back(opened, merges, monkeypatch):
    monkeypatch.setattr(opened_files, "APART", apart := Apart(start=DyingWorker))
    monkeypatch.setattr(opened_files, "OPENED", SharedCache(10, 10))
    app = opened(("mine.json", merges), table=True)
    app.text_area(key="opened_text").set_value(DyingWorker.LAST).run()
    assert "The library of this file crashed, or took more memory" in html(app)
    app.text_area(key="opened_text").set_value("low").run()
    assert "crashed" not in html(app)
    ids = app.dataframe[0].value["id"].tolist()
    assert ids == find(remember({"mine.json": merges})).tokenizer.encode("low").ids
    apart.close()


def test_a_lane_that_cannot_encode_leaves_a_sentence(opened, merges, monkeypatch):
    def cancelled(_run):
        raise tokviz.Cancelled("Training was cancelled.")

    monkeypatch.setattr(opened_text, "history_of", cancelled)
    app = opened(("mine.json", merges), table=True)
    assert "Training was cancelled." in html(app)
    assert app.dataframe[0].value["token"].tolist()
    assert "BPE, Four course sentences" not in html(app)


def test_merges_are_set_beside_the_lanes(opened, merges):
    app = opened(("mine.json", merges))
    app.button(key="watch_beside").click().run()
    [moment] = app.shown
    assert moment.page == "compare"
    assert [run.of_tokenizer for run in moment.lanes] == [True, False]
    assert moment.lanes[1] == COURSE


@pytest.fixture
def open_and_desk(monkeypatch, merges):
    """The page with a file, and the desk that it goes to, on one page."""

    def draw():
        import streamlit as st

        from tokviz.pages import compare, open_file, train

        if "went" in st.session_state:
            {"train": train, "compare": compare}[st.session_state["went"]].page()
        else:
            open_file.page()

    def go(moment):
        open_file.st.session_state["opened"] = moment
        open_file.st.session_state["went"] = moment.page
        open_file.st.rerun()

    chosen = [File("mine.json", merges)]
    monkeypatch.setattr(open_file.st, "file_uploader", lambda *_args, **_kwargs: chosen)
    monkeypatch.setattr(open_file, "show_moment", go)
    app = AppTest.from_function(draw, default_timeout=PATIENCE)
    app.chosen = chosen
    return app.run()


def test_the_panel_of_a_lane_that_goes_on_says_how_many_tokens_it_learns(open_and_desk):
    app = open_and_desk
    app.number_input(key="go_on_tokens").set_value(5)
    app.button(key="go_on").click().run()
    [before] = visit_of(app).lanes
    assert len(history_of(before)) == 5
    assert "One lane begins with a tokenizer’s file" in html(app)
    app.button(key="settings_0").click().run()
    assert "The file’s ids and merges stay as they are" in html(app)
    [field] = [each for each in app.number_input if each.key.startswith("new_tokens_0")]
    assert field.value == 5
    field.set_value(9).run()
    assert visit_of(app).lanes == (replace(before, vocab_size=before.vocab_size + 4),)
    app.button(key="train_on_text").click().run()
    assert not app.exception
    [run] = visit_of(app).lanes
    assert (run.corpus, run.of_tokenizer, run.algorithm) == (COURSE.corpus, False, "bpe")


def clicks(monkeypatch, ends, asked):
    """While a run is trained: `ends` tells for the name of its algorithm what comes of it, each
    time that it is asked for; None is a click elsewhere."""
    know = unfinished.history_of

    def history(run):
        asked.append(run.algorithm)
        if not ends.get(run.algorithm):
            return know(run)
        if (end := ends[run.algorithm].pop(0)) is None:
            raise RerunException(RerunData())
        raise end

    monkeypatch.setattr(unfinished, "history_of", history)


def test_merges_that_are_stopped_are_shown_as_far_as_they_came(open_and_desk, merges, monkeypatch):
    """Whatever is clicked meanwhile, and it is told if their time was over."""
    app, asked = open_and_desk, []
    run = replay_run(COURSE.corpus, remember({"mine.json": merges}))
    shorter = replace(run, source=replace(run.source, steps=3))
    history = history_of(replace(COURSE, vocab_size=35))
    entry_for(shorter)["made"] = history
    late = Stopped(shorter, history, "It took too long.")
    clicks(monkeypatch, {"replay": [None, late], "bpe": [None]}, asked)
    app.button(key="watch_beside").click().run()
    assert not app.exception
    assert asked[:4] == ["replay", "replay", "bpe", "bpe"], "the rest is asked for by the desk"
    assert visit_of(app).lanes == (shorter, COURSE)
    assert html(app).count("It took too long") == 1


def test_merges_that_are_cancelled_leave_a_sentence_and_can_be_asked_for_again(
    open_and_desk, monkeypatch
):
    app, asked = open_and_desk, []
    cancelled = tokviz.Cancelled("Training was cancelled.")
    clicks(monkeypatch, {"replay": [None, cancelled, cancelled]}, asked)
    app.button(key="watch_beside").click().run()
    assert "Training was cancelled." in html(app)
    app.run()
    assert asked == ["replay", "replay"]
    assert "went" not in app.session_state
    app.button(key="watch_beside").click().run()
    assert asked == ["replay"] * 3
    app.button(key="watch_beside").click().run()
    assert "went" in app.session_state
    assert len(visit_of(app).lanes) == 2


@pytest.mark.parametrize(
    "other", [[], [File("other.tiktoken", b"YQ== 0\n")], [File("no.json", b"nothing")]]
)
def test_merges_of_a_file_that_was_taken_away_are_not_awaited(open_and_desk, monkeypatch, other):
    app, asked = open_and_desk, []
    first, app.chosen[:] = app.chosen[:], app.chosen
    clicks(monkeypatch, {"replay": [None]}, asked)

    def left(_run):
        app.chosen[:] = other
        raise RerunException(RerunData())

    with monkeypatch.context() as patch:
        patch.setattr(unfinished, "history_of", left)
        app.button(key="watch_alone").click().run()
    app.chosen[:] = first
    app.run()
    assert not app.exception
    assert "went" not in app.session_state
    assert not asked


def test_a_vocabulary_comes_with_its_merges(opened):
    files = export(tokviz.train(TEXT, "bpe", 60), "merges")
    [vocab, pairs] = files.items()
    assert "vocab.json + merges.txt" in html(opened(("other.model", b"x"), vocab, pairs))
    assert "is a list of merges; give its vocab.json too." in html(opened(pairs))


def test_the_last_file_counts(opened, model):
    assert "my.model" in html(opened(("a.npz", b"nothing"), ("my.model", model)))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("my.model", b"", "&#x27;my.model&#x27; is empty"),
        ("my.model", bytes(range(256)), "my.model"),
        ("<b>.json", b"[1, 2]", "&lt;b&gt;.json"),
        ("a.json", b'{"format": "tokviz moment", "version": 1}', "The file is damaged"),
        ("a.npz", b"PK\3\4", "a.npz is not a tokviz history, or it is damaged"),
        ("a.npz", b"no archive", "a.npz is not a tokviz history, or it is damaged"),
        ("a.tiktoken", b"AAAA x\n", "a.tiktoken"),
    ],
)
def test_other_files_leave_a_sentence(opened, name, data, said):
    app = opened((name, data))
    shown = html(app)
    assert said in shown
    assert shown.count('role="alert"') == 1
    assert not app.shown
