"""The page that opens files, without a browser: tokenizers, moments, histories, anything else."""

import base64
import io
import json
import zlib
from dataclasses import replace

import pytest
import sentencepiece
from helpers import PATIENCE, visit_of
from here_worker import clicked
from streamlit.runtime.scriptrunner import RerunData, RerunException
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.analysis.side_by_side import side_by_side
from tokviz.formats.exports import export
from tokviz.formats.history_file import save
from tokviz.formats.readers.opened import TokenizerFileError
from tokviz.pages import open_file, opened_text
from tokviz.pages.opened_tokenizer import continued_run, replay_run
from tokviz.pages.visit import unfinished
from tokviz.pages.visit.lanes import facts
from tokviz.pages.visit.link import LinkError, fields_of, run_of, to_link
from tokviz.pages.visit.moment_file import Moment, MomentFileError, from_file, is_moment, to_file
from tokviz.pages.visit.opened_history import lane_of_file
from tokviz.pages.visit.opened_history import run_of as lane_of
from tokviz.server import histories, limits
from tokviz.server.histories import entry_for, put_history
from tokviz.server.jobs import Stopped, history_of
from tokviz.server.limits import LIMITS
from tokviz.server.opened import opened_files
from tokviz.server.opened.opened_files import find, remember
from tokviz.server.pool.apart import Apart
from tokviz.server.pool.process import WorkerProcess
from tokviz.server.runs import Corpus, Run, run_of_sample, trainable
from tokviz.server.shared_cache import SharedCache, history_bytes

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


class File:
    """What the uploader gives."""

    def __init__(self, name, data):
        self.name, self.data = name, data

    def getvalue(self):
        return self.data


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


@pytest.fixture(scope="module")
def merges():
    run = tokviz.train(TEXT, "bpe", 300, "gpt2", unit="byte", initial_alphabet=("bytes",))
    return export(run, "tokenizer.json")["tokenizer.json"]


@pytest.fixture
def opened(monkeypatch):
    """The page with files that somebody chose."""
    shown = []

    def draw():
        from tokviz.pages import open_file

        open_file.page()

    def open_files(*files):
        chosen = [File(*file) for file in files]
        monkeypatch.setattr(open_file.st, "file_uploader", lambda *_args, **_kwargs: chosen)
        monkeypatch.setattr(open_file, "show_moment", shown.append)
        app = AppTest.from_function(draw, default_timeout=PATIENCE)
        app.shown = shown
        return app.run()

    return open_files


def html(app):
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


def test_a_sentencepiece_model_shows_what_it_was_trained_with(opened, model):
    app = opened(("my.model", model))
    said = html(app)
    vocabulary, trainer, normalizer = (frame.value for frame in app.dataframe[1:4])
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
    app = opened(("my.model", model))
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
    app = opened(("mine.tiktoken", ranks))
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


def test_a_chat_template_is_shown_as_it_is(opened, merges):
    template = "{{ '<b>' }} **bold** <script>"
    config = json.dumps({"tokenizer_class": "X", "bos_token": "<s>", "chat_template": template})
    app = opened(("tokenizer.json", merges), ("tokenizer_config.json", config.encode()))
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
    app = opened(("mine.json", merges))
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
    app = opened(("mine.json", merges))
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


# --- what tokviz saved --------------------------------------------------------------------------


def test_a_moment_is_shown_where_it_was_saved(opened):
    lanes = (
        replace(COURSE, corpus=replace(COURSE.corpus, text="a text of my own")),
        replace(WORDPIECE, corpus=replace(WORDPIECE.corpus, text="another")),
    )
    parts = {"step": "3", "lens": "word"}
    app = opened(("moment.tokviz.json", to_file("compare", lanes, parts)))
    html(app)
    assert app.shown == [Moment("compare", lanes, parts)]


def test_lanes_of_a_moment_share_their_text():
    text = "low lower " * 5000
    lanes = tuple(
        replace(COURSE, corpus=replace(COURSE.corpus, text=text), vocab_size=size)
        for size in (40, 41, 42)
    )
    data = to_file("train", lanes, {})
    assert from_file(data).lanes == lanes
    assert len(data) < len(text) / 10


def bomb():
    packing = zlib.compressobj(9)
    data = b"".join(packing.compress(bytes(10**7)) for _ in range(7)) + packing.flush()
    return base64.b64encode(data).decode()


def moment(**changes):
    whole = json.loads(to_file("train", [COURSE], {"step": "1"}))
    return json.dumps({**whole, **changes}).encode()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "damaged, or is not a moment"),
        (b"[" * 100_000, "damaged, or is not a moment"),
        (b"[]", "is not a moment that tokviz saved"),
        (b"\xff\xfe", "damaged, or is not a moment"),
        (moment(format="other"), "is not a moment that tokviz saved"),
        (moment(version=99), "a moment of version 99; this tokviz reads versions 1 to 2"),
        (moment(lanes=[]), "damaged"),
        (moment(lanes=[[None]]), "damaged"),
        (moment(lanes=7), "damaged"),
        (
            moment(lanes=[["nothing", *fields_of(COURSE)[1:]]]),
            "The file names the sample 'nothing'",
        ),
        (moment(page="about"), "damaged"),
        (moment(address={"step": 3}), "damaged"),
        (moment(address=[]), "damaged"),
        (
            moment(lanes=[[None, "", COURSE.corpus.text, *fields_of(COURSE)[3:]]]),
            "damaged",
        ),
        (moment(lanes=[[]]), "damaged"),
        (
            moment(lanes=[["course", *fields_of(UNIGRAM)[1:-1], [["prune_fraction", 10**400]]]]),
            "damaged",
        ),
        (
            moment(lanes=[[None, "", bomb(), *fields_of(COURSE)[3:]]]),
            "more than 60,000,000 bytes of text",
        ),
        (b'{"format": "tokviz moment", "x": [' + b"1," * 300_000 + b"1]}", "damaged"),
        (b" " * 80_000_001, "has 80,000,001 bytes; a moment has at most 80,000,000"),
    ],
)
def test_a_damaged_moment_leaves_a_sentence(data, said):
    with pytest.raises(MomentFileError, match=said):
        from_file(data)


def test_a_moment_that_is_cut_short_leaves_a_sentence():
    data = to_file(
        "train", [replace(COURSE, corpus=replace(COURSE.corpus, text="é"))], {"step": "1"}
    )
    assert is_moment(data)
    for end in range(0, len(data), 7):
        with pytest.raises(MomentFileError):
            from_file(data[:end])


def test_a_moment_opens_on_its_page():
    """In the place of what was on the desk."""
    from app_test import APP

    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    app.session_state["opened"] = Moment("train", (WORDPIECE,), {"step": "5", "view": "words"})
    app.run()
    assert not app.exception
    assert visit_of(app).lanes == (WORDPIECE,)
    assert (visit_of(app).start, visit_of(app).look) == (5, {"view": "words"})
    broken = Moment("train", (replace(WORDPIECE, vocab_size=3),), {})
    app.session_state["opened"] = broken
    app.run()
    assert "This file could not be opened: A vocabulary size of 3" in html(app)


def test_a_moment_that_cannot_be_trained_leaves_the_desk_as_it_was():
    from app_test import APP

    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    app.session_state["opened"] = Moment("train", (WORDPIECE,), {})
    app.run()
    app.session_state["opened"] = Moment("train", (replace(WORDPIECE, vocab_size=3),), {})
    app.run()
    assert "This file could not be opened: A vocabulary size of 3" in html(app)
    assert visit_of(app).lanes == (WORDPIECE,)


def test_a_moment_outlives_a_click_while_its_lanes_are_trained(monkeypatch):
    from app_test import APP

    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    train = unfinished.history_of

    def interrupted(_run):
        monkeypatch.setattr(unfinished, "history_of", train)
        open_file.st.stop()

    monkeypatch.setattr(unfinished, "history_of", interrupted)
    app.session_state["opened"] = Moment("train", (WORDPIECE,), {"step": "5"})
    app.run()
    assert visit_of(app).lanes == (COURSE,)
    app.run()
    assert visit_of(app).lanes == (WORDPIECE,)
    assert visit_of(app).start == 5


def test_a_moment_waits_for_the_page_that_it_is_of():
    from app_test import APP

    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    app.session_state["opened"] = Moment("compare", (WORDPIECE,), {})
    app.run()
    assert visit_of(app).lanes == (COURSE,)


def test_training_a_moment_can_be_stopped_where_it_is(monkeypatch):
    from app_test import APP

    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    train, shorter = unfinished.history_of, replace(WORDPIECE, vocab_size=58)

    def stopped(_run):
        monkeypatch.setattr(unfinished, "history_of", train)
        raise Stopped(shorter, train(shorter))

    monkeypatch.setattr(unfinished, "history_of", stopped)
    app.session_state["opened"] = Moment("train", (WORDPIECE,), {})
    app.run()
    assert not app.exception
    assert visit_of(app).lanes == (shorter,)


def test_a_moment_opens_on_a_desk_that_had_no_lanes_yet():
    def compare_page():
        from dataclasses import replace

        import streamlit as st

        from tokviz import SAMPLES
        from tokviz.pages import compare
        from tokviz.pages.visit.moment_file import Moment
        from tokviz.pages.visit.visit import lanes_of
        from tokviz.server.runs import run_of_sample

        run = run_of_sample(SAMPLES["course"])
        if not lanes_of("compare"):
            st.session_state["opened"] = Moment("compare", (run, replace(run, vocab_size=60)), {})
        compare.page()

    app = AppTest.from_function(compare_page, default_timeout=PATIENCE).run()
    assert not app.exception
    assert [run.vocab_size for run in visit_of(app).lanes] == [50, 60]


def test_a_history_is_a_lane_with_its_own_steps(opened):
    history = tokviz.train("low low lower", "bpe", 8, "whitespace", tie_break="shortest")
    file = io.BytesIO()
    save(history, file)
    app = opened(("lower.npz", file.getvalue()))
    html(app)
    [shown] = app.shown
    [run] = shown.lanes
    assert facts(run)["Tie-break"] == "shortest"
    assert run.corpus == Corpus("lower", "low\t2\nlower\t1", is_table=True)
    assert [s.token for s in history_of(run).steps] == [s.token for s in history.steps]


def test_a_history_that_was_cancelled_is_in_nobodys_way(opened):
    words = {"newest": 6, "widest": 3, "lowest": 2}
    cancelled = tokviz.train(words, "bpe", 16, "whitespace", lambda told: told.stage != "merges")
    assert cancelled.stopped.startswith("Cancelled")
    file = io.BytesIO()
    save(cancelled, file)
    app = opened(("part.npz", file.getvalue()))
    [run] = app.shown[0].lanes
    assert len(history_of(run)) == len(cancelled)
    assert len(history_of(replace(run, vocab_size=16))) > len(cancelled)


def test_a_history_with_half_a_character_leaves_a_sentence(opened):
    file = io.BytesIO()
    save(tokviz.train({"a\ud800": 2}, "bpe", 5, "whitespace"), file)
    app = opened(("half.npz", file.getvalue()))
    assert "half a surrogate pair" in html(app)
    assert not app.shown


def test_a_history_beyond_a_limit_leaves_a_sentence(opened, monkeypatch):
    few = replace(limits.LIMITS, settings=replace(limits.LIMITS.settings, vocabulary=7))
    monkeypatch.setattr(limits, "LIMITS", few)
    file = io.BytesIO()
    save(tokviz.train("low low lower", "bpe", 8, "whitespace"), file)
    app = opened(("lower.npz", file.getvalue()))
    assert "this server trains up to 7. Open the file in Python with tokviz.load" in html(app)
    assert not app.shown


def test_a_history_is_weighed_by_what_it_takes_and_not_by_its_file():
    history = tokviz.train({"a" * 300_000: 1}, "bpe", 3, "whitespace")
    file = io.BytesIO()
    save(history, file)
    columns, texts = history_bytes(history)
    assert texts > 300_000
    assert columns > 600_000 > 50 * len(file.getvalue())
    histories.HISTORIES.clear()
    lane_of_file("long.npz", file.getvalue())
    opened = histories.HISTORIES.bytes
    assert opened > columns + texts
    # As much as one that is trained here, but for the names of their places.
    histories.HISTORIES.clear()
    put_history(lane_of(history, "long"), history)
    assert abs(opened - histories.HISTORIES.bytes) < 1000


def test_a_history_that_was_changed_is_nobody_elses(opened):
    """Only the shape of its numbers can be checked."""
    history = tokviz.train("low low lower", "bpe", 8, "whitespace")
    history.record.top_count.setflags(write=True)
    history.record.top_count[0, 0] = 999
    file = io.BytesIO()
    save(history, file)
    html(opened(("lower.npz", file.getvalue())))
    [run] = opened(("lower.npz", file.getvalue())).shown[-1].lanes
    assert history_of(run).steps[0].count == 999, "as the file says"
    honest = lane_of(history, "lower")
    assert history_of(honest).steps[0].count == 3
    assert facts(run) == facts(honest)
    assert run_of(json.loads(json.dumps(fields_of(run)))) == honest
    assert trainable(run) == honest


def test_words_in_quotes_come_back_and_others_are_refused():
    words = {'"a"': 2, 'a"b': 1, "\t": 3, " x ": 4, ",": 5}
    run = lane_of(tokviz.train(words, "bpe", 12), "quotes")
    again = history_of(run)
    assert dict(zip(again.words.words, again.words.counts, strict=True)) == words
    with pytest.raises(tokviz.CorpusError, match="line break"):
        lane_of(tokviz.train({"a\nb": 2}, "bpe", 12), "lines")


# --- lanes that replay --------------------------------------------------------------------------


def test_a_replay_is_in_no_link_and_has_a_training_in_its_place(merges):
    run = replay_run(COURSE.corpus, remember({"mine.json": merges}))
    with pytest.raises(LinkError, match="which no link can hold"):
        run_of(json.loads(json.dumps(fields_of(run))))
    assert to_link(run).startswith("~")
    assert trainable(run) == Run(COURSE.corpus, "bpe", 50, "gpt2")
    assert trainable(COURSE) == COURSE


@pytest.mark.parametrize("enough", ["stop", "cancel"])
def test_a_replay_that_is_stopped_shows_what_it_has(merges, enough, monkeypatch):
    run = replay_run(COURSE.corpus, remember({"mine.json": merges}))
    entry_for(run).clear()
    with monkeypatch.context() as patch:
        clicked(patch, enough, lambda report: report.stage == "merges" and report.done)
        with pytest.raises(tokviz.Cancelled) as caught:
            history_of(run)
    assert isinstance(caught.value, Stopped) == (enough == "stop")
    if enough == "stop":
        assert 0 < len(caught.value.history) < len(history_of(run))
        assert facts(caught.value.run) == facts(run)
        assert caught.value.run != run


def test_a_tokenizer_that_is_not_kept_any_more_leaves_a_sentence():
    with pytest.raises(ValueError, match="open its file again"):
        find("nothing")


def test_asking_for_those_that_are_gone_takes_nobodys_room(merges):
    key = remember({"kept.json": merges})
    for number in range(LIMITS.kept.histories + 1):
        with pytest.raises(ValueError, match="open its file again"):
            find(f"gone {number}")
        with pytest.raises(TokenizerFileError):
            remember({"none.json": f"[{number}]".encode()})
    assert find(key).name == "kept.json"


def test_opened_tokenizers_are_kept_by_what_they_take(merges, monkeypatch):
    monkeypatch.setattr(opened_files, "OPENED", SharedCache(9, 40 * len(merges) / 1e6))
    first, second = (remember({f"{name}.json": merges}) for name in "ab")
    assert find(first).name == "a.json"
    third = remember({"c.json": merges})
    assert (find(first).name, find(third).name) == ("a.json", "c.json")
    with pytest.raises(ValueError, match="open its file again"):
        find(second)


def test_the_same_files_are_opened_once(merges):
    key = remember({"mine.json": merges})
    assert remember({"mine.json": merges}) == key
    assert find(key) is find(key)
    assert remember({"other.json": merges}) != key
