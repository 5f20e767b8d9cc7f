"""Runs are trained once for everybody."""

import pickle
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from here_worker import clicked

import tokviz
from tokviz.basics.messages import ENGLISH, Message, using
from tokviz.pages.visit.visit import Visit
from tokviz.player.packed_lane import packed_lane
from tokviz.pretokenizers import make_pretokenizer
from tokviz.server import before_training, histories, limits
from tokviz.server.before_training import possible_sizes, words_for
from tokviz.server.histories import entry_for, kept
from tokviz.server.jobs import Stopped, draw_next, history_of
from tokviz.server.pool import Job, Pool, work
from tokviz.server.runs import Corpus, Run, run_of_sample
from tokviz.server.waiting import TakesLong, briefly
from tokviz.text.corpus import count_words
from tokviz.text.word_counts import WordCounts


def words_of_form(run):
    trainer = tokviz.make_trainer(run.algorithm)
    return words_for(trainer, run.make_pretokenizer(), run.corpus)


WORDS = " ".join(f"{i * 7919 % 100_003:x}" for i in range(40_000))


def test_several_people_wait_for_the_same_training():
    run = Run(Corpus("Mine", WORDS), "bpe", 3000, "gpt2")
    with ThreadPoolExecutor(4) as people:
        found = list(people.map(history_of, [run] * 4))
    assert len(found[0]) > 1000
    assert all(history is found[0] for history in found)


@pytest.mark.parametrize(("language", "lanes"), [(ENGLISH, 1), (ENGLISH, 3), ("zh_CN", 1)])
def test_a_run_that_is_drawn_next_is_packed_by_the_worker(language, lanes):
    """In the language of its page, as it would be packed here."""
    run = Run(Corpus("Mine", f"low lower lowest {language} {lanes}"), "bpe", 35, "gpt2")
    with using(language):
        draw_next(run, "BPE", lanes)
        history = history_of(run)
        assert "colours" not in vars(history), "what is worked out to pack it is not sent"
        packed = entry_for(run)["packed"].get(("BPE", lanes, language))
        assert packed == packed_lane(history, run.corpus.text, "BPE", lanes)


def test_all_who_wait_hear_why_a_training_cannot_be():
    run = replace(run_of_sample(tokviz.SAMPLES["course"]), vocab_size=2)
    with ThreadPoolExecutor(4) as people:
        waiting = [people.submit(history_of, run) for _ in range(4)]
    for one in waiting:
        with pytest.raises(ValueError, match="size of 2 is too small"):
            one.result()


def merging(report):
    return report.stage == "merges" and report.done > 10


def test_a_stopped_training_is_the_run_up_to_there(monkeypatch):
    """Its history is found under the size that it reached, and is the beginning of the whole."""
    run = Run(Corpus("Mine", WORDS), "bpe", 2000, "gpt2")
    with monkeypatch.context() as patch:
        clicked(patch, "stop", merging)
        with pytest.raises(Stopped, match=r"Cancelled after \d+ merges") as stopped:
            history_of(run)
    part, history = stopped.value.run, stopped.value.history
    assert history_of(part) is history
    assert part == replace(run, vocab_size=history.vocab_size(len(history)))
    assert not entry_for(run)
    whole = history_of(run)
    assert len(whole) > len(history) > 10
    assert whole.steps[: len(history)] == list(history.steps)


def test_who_asks_right_after_a_stop_gets_a_training_of_their_own(monkeypatch):
    """The pool may still be telling others that the stopped one has ended."""
    run = Run(Corpus("Mine", WORDS), "bpe", 1996, "gpt2")
    with monkeypatch.context() as patch:
        patch.setattr(Job, "when_done", lambda _job, _tell: None)
        clicked(patch, "stop", merging)
        with pytest.raises(Stopped):
            history_of(run)
    assert history_of(run).vocab_size(len(history_of(run))) == 1996


def test_who_trains_what_took_too_long_gets_a_training_of_their_own():
    """The one that was given up may still be ending."""
    run = Run(Corpus("Mine", WORDS), "bpe", 9995, "gpt2")
    with pytest.raises(TakesLong):
        history_of(run, briefly(-1))
    assert history_of(run).vocab_size(len(history_of(run))) == 9995


def test_a_cancelled_training_leaves_nothing(monkeypatch):
    run = Run(Corpus("Mine", WORDS), "bpe", 1999, "gpt2")
    with monkeypatch.context() as patch:
        clicked(patch, "cancel", merging)
        with pytest.raises(tokviz.Cancelled, match="Training was cancelled") as cancelled:
            history_of(run)
    assert not isinstance(cancelled.value, Stopped)
    assert not entry_for(run)
    assert history_of(run).vocab_size(len(history_of(run))) == 1999


def test_a_training_stopped_before_its_first_step_is_cancelled(monkeypatch):
    run = Run(Corpus("Mine", WORDS), "bpe", 1998, "gpt2")
    clicked(monkeypatch, "stop", lambda report: report.stage == "merges")
    with pytest.raises(tokviz.Cancelled, match="Training was cancelled") as cancelled:
        history_of(run)
    assert not isinstance(cancelled.value, Stopped)


def test_the_title_does_not_decide_a_history():
    run = run_of_sample(tokviz.SAMPLES["course"])
    assert history_of(run) is history_of(replace(run, corpus=replace(run.corpus, title="Mine")))


def test_a_training_whose_time_is_over_is_shown_as_far_as_it_came(monkeypatch):
    run = Run(Corpus("Mine", WORDS), "bpe", 1997, "gpt2")
    clicked(monkeypatch, "late", merging)
    with pytest.raises(Stopped) as stopped:
        history_of(run)
    assert len(stopped.value.history) > 10
    assert "more than the 900 seconds that this server allows" in stopped.value.late


def test_what_a_page_shows_is_there_when_the_shelf_has_let_it_go(monkeypatch):
    held = OrderedDict()
    monkeypatch.setattr(histories, "kept_histories", lambda: held)
    run = run_of_sample(tokviz.SAMPLES["course"])
    history = history_of(run)
    histories.HISTORIES.clear()
    assert history_of(run) is history
    for size in range(20, 20 + histories.MOST_HELD):
        history_of(replace(run, vocab_size=size + 40))
    assert len(held) == histories.MOST_HELD
    assert run.key not in held


def test_a_session_holds_on_to_so_many_bytes_and_always_to_what_it_shows(monkeypatch):
    held, shown = OrderedDict(), []
    monkeypatch.setattr(histories, "kept_histories", lambda: held)
    monkeypatch.setattr(histories, "needed_keys", lambda: {run.key for run in shown})
    few = replace(limits.LIMITS.kept, session_megabytes=10)
    monkeypatch.setattr(limits, "LIMITS", replace(limits.LIMITS, kept=few))
    runs = [replace(run_of_sample(tokviz.SAMPLES["course"]), vocab_size=90 + n) for n in range(5)]
    megabytes = dict(zip(map(id, map(history_of, runs)), (4, 3, 3, 1, 20), strict=True))
    held.clear()
    monkeypatch.setattr(histories, "bytes_of", lambda history: megabytes[id(history)] * 1e6)

    def numbers():
        return [runs.index(run) for run in runs if run.key in held]

    for run in runs[:3]:
        history_of(run)
    assert numbers() == [0, 1, 2], "ten megabytes"
    shown.append(runs[0])
    history_of(runs[3])
    assert numbers() == [0, 2, 3], "the first is shown"
    shown.append(runs[4])
    history_of(runs[4])
    assert numbers() == [0, 4], "both are shown"
    shown.clear()
    history_of(runs[0])
    assert numbers() == [0]


def test_a_session_needs_the_lanes_that_it_shows_and_those_that_it_waits_for(monkeypatch):
    one, two, three = (
        replace(run_of_sample(tokviz.SAMPLES["course"]), vocab_size=n) for n in (44, 45, 46)
    )
    state = {}
    monkeypatch.setattr(histories.st, "session_state", state)
    monkeypatch.setattr(histories, "session", lambda: "a page")
    Visit("train", (one, two), wanted_lanes=(three,)).hold()
    assert histories.needed_keys() == {run.key for run in (one, two, three)}
    state.clear()
    assert histories.needed_keys() == set()


def test_what_is_kept_of_a_run_is_weighed():
    run = replace(run_of_sample(tokviz.SAMPLES["course"]), vocab_size=81)
    # In a full cache another entry would make room for this one.
    histories.HISTORIES.clear()
    before = histories.HISTORIES.bytes
    history_of(run)
    trained = histories.HISTORIES.bytes
    assert trained - before > len(pickle.dumps(history_of(run)))
    kept(run, "packed", 2, "a", lambda: bytes(1000))
    kept(run, "packed", 2, "b", lambda: bytes(500))
    assert histories.HISTORIES.bytes - trained == 1500
    kept(run, "packed", 2, "c", lambda: bytes(10))
    assert histories.HISTORIES.bytes - trained == 510


@pytest.mark.parametrize("asks", [possible_sizes, words_of_form])
def test_too_little_memory_to_count_is_a_sentence(monkeypatch, asks):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(before_training, "compute_once", full)
    with pytest.raises(ValueError, match="The corpus is too large for this computer; train on a"):
        asks(
            replace(
                run_of_sample(tokviz.SAMPLES["course"]),
                corpus=replace(run_of_sample(tokviz.SAMPLES["course"]).corpus, text="too large"),
            )
        )


def test_too_little_memory_for_the_sizes_is_a_sentence(monkeypatch):
    run = replace(
        run_of_sample(tokviz.SAMPLES["course"]),
        corpus=replace(
            run_of_sample(tokviz.SAMPLES["course"]).corpus, text="the sizes are too large"
        ),
    )
    words_of_form(run)
    full = MemoryError()

    def compute_once(entry, *_):
        if "made" in entry and isinstance(entry["made"], WordCounts):
            return entry["made"]
        raise full

    monkeypatch.setattr(before_training, "compute_once", compute_once)
    with pytest.raises(ValueError, match="The corpus is too large for this computer; train on a"):
        possible_sizes(run)


def test_words_whose_counting_was_cancelled_are_counted_again(monkeypatch):
    know, tries = before_training.compute_once, []

    def cancelled_once(*asked):
        tries.append(asked)
        if len(tries) == 1:
            raise tokviz.Cancelled("Training was cancelled.")
        return know(*asked)

    monkeypatch.setattr(before_training, "compute_once", cancelled_once)
    assert possible_sizes(run_of_sample(tokviz.SAMPLES["course"]))[0].total == 36
    assert len(tries) == 3


def test_words_of_a_long_text_are_counted_by_a_worker():
    run = Run(Corpus("Mine", WORDS), "bpe", 1996, "whitespace")
    assert len(WORDS) > before_training.MOST_COUNTED
    words, _least, _greatest = possible_sizes(run)
    assert words == count_words(WORDS, make_pretokenizer("whitespace"))
    assert possible_sizes(run)[0] is words


@pytest.mark.parametrize(
    ("run", "asked"),
    [
        (Run(Corpus("Mine", "ab abc"), "bpe", 5, "whitespace"), []),
        # A preset is nobody's own pattern.
        (Run(Corpus("Mine", "ab abc"), "bpe", 5, "regex"), []),
        (
            Run(Corpus("Mine", "ab abd"), "bpe", 5, "regex", (("pattern", r"\w+"),)),
            [work.count],
        ),
        (Run(Corpus("Mine", "abcd" * 1000), "unigram", 5, "whitespace"), []),
        (
            Run(
                Corpus("Mine", "abcd" * 1000),
                "unigram",
                5,
                "whitespace",
                (),
                (("max_token_length", 900),),
            ),
            [work.sizes],
        ),
    ],
)
def test_what_may_take_long_is_asked_of_a_worker(monkeypatch, run, asked):
    called = []
    submit = Pool.submit

    def noted(pool, call, *more):
        called.append(call.function)
        return submit(pool, call, *more)

    monkeypatch.setattr(Pool, "submit", noted)
    _, least, greatest = possible_sizes(run)
    assert least < greatest
    assert called == asked


def test_a_form_does_not_wait_long_for_what_it_only_wants_to_know(monkeypatch):
    monkeypatch.setattr(before_training, "MOST_SECONDS", 0)
    submitted = []
    submit = Pool.submit

    def noted(pool, call, *more):
        submitted.append(submit(pool, call, *more))
        return submitted[-1]

    monkeypatch.setattr(Pool, "submit", noted)
    # A machine that counts fast is looked at in time.
    wait = Job.wait
    monkeypatch.setattr(Job, "wait", lambda job, _seconds, who: wait(job, 0.01, who))
    slow = (("pattern", r"(?:\w\B)*\w|\s"),)
    run = Run(Corpus("Mine", "some words to count\n" * 15_000), "bpe", 60, "regex", slow)
    for _ in range(2):
        with pytest.raises(ValueError, match="take more than 0 seconds to count") as error:
            possible_sizes(run)
        assert isinstance(error.value.args[0], Message)
    [job] = submitted
    with pytest.raises(tokviz.Cancelled):
        job.result()
    assert len(history_of(run)) > 10
