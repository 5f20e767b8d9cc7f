"""A page where a run cannot be had, or not all of it."""

from dataclasses import replace

import pytest
from app_test import html, player_data, settle
from helpers import PATIENCE, ROOT, components, visit_of
from streamlit.runtime.scriptrunner import RerunData, RerunException
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.pages.visit import unfinished
from tokviz.pages.visit.moment_file import Moment
from tokviz.server.jobs import Stopped
from tokviz.server.pool import QueueFull
from tokviz.server.runs import run_of_sample

RUN = run_of_sample(tokviz.SAMPLES["course"])
know = unfinished.history_of


@pytest.fixture
def app():
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (QueueFull("64 trainings are at work."), "64 trainings are at work."),
        (tokviz.Cancelled("Training was cancelled."), "Training was cancelled."),
        (MemoryError(), "The corpus is too large for this computer; train on a shorter text."),
    ],
)
def test_a_run_that_cannot_be_had_just_now_is_a_sentence_and_can_be_tried_again(
    app, monkeypatch, error, said
):
    asked = []

    def refused(run):
        asked.append(run)
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(unfinished, "history_of", refused)
        app.run()
        app.run()
        assert said in html(app)
        assert [button.label for button in app.button if button.key == "try_again"] == ["Try again"]
        # Nothing of the page is drawn without it.
        assert visit_of(app).lanes == (RUN,)
        assert not components(app, "player")
        # What was cancelled is not begun again by a click elsewhere.
        assert len(asked) == (1 if isinstance(error, tokviz.Cancelled) else 2)
    app.button(key="try_again").click().run()
    assert said not in html(app)
    assert "try_again" not in [button.key for button in app.button]
    assert components(app, "player")


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_run_that_was_ended_is_not_asked_for_again_while_another_one_is_awaited(
    app, monkeypatch, cancelled
):
    """A click anywhere has the page begin with the first of them again."""
    first, second = (replace(RUN, vocab_size=size) for size in (45, 46))
    reached = replace(RUN, vocab_size=40)
    asked = []

    def ends_the_first(run):
        if run == first:
            asked.append(run)
            if cancelled:
                raise tokviz.Cancelled("Training was cancelled.")
            raise Stopped(reached, know(reached))
        if run == second and not (cancelled or second in asked):
            asked.append(second)
            raise RerunException(RerunData())
        return know(run)

    monkeypatch.setattr(unfinished, "history_of", ends_the_first)
    visit_of(app).wanted_lanes = (first, second)
    app.run()
    if cancelled:
        assert "Training was cancelled." in html(app)
        assert visit_of(app).lanes == (RUN,)
        assert asked == [first]
    else:
        assert visit_of(app).lanes == (reached, second)
        assert asked == [first, second]
    assert not visit_of(app).wanted_lanes
    # Asked for once more it is trained once more.
    asked.clear()
    visit_of(app).wanted_lanes = (first, second)
    app.run()
    assert first in asked


@pytest.mark.parametrize("as_moment", [False, True])
def test_it_is_told_why_a_run_is_shorter_even_if_a_click_came_while_another_one_is_awaited(
    app, monkeypatch, as_moment
):
    first, second = (replace(RUN, vocab_size=size) for size in (47, 48))
    reached = replace(RUN, vocab_size=40)
    asked = []

    def late(run):
        if run == first:
            raise Stopped(reached, know(reached), "It took too long.")
        if run == second and second not in asked:
            asked.append(second)
            raise RerunException(RerunData())
        return know(run)

    monkeypatch.setattr(unfinished, "history_of", late)
    if as_moment:
        app.session_state["opened"] = Moment("train", (first, second), {})
    else:
        visit_of(app).wanted_lanes = (first, second)
    app.run()
    assert visit_of(app).lanes == (reached, second)
    assert html(app).count("It took too long") == 1


@pytest.mark.parametrize("late", ["", "It took too long."])
def test_a_lane_that_is_lost_and_stopped_is_on_the_desk_as_far_as_it_came(app, monkeypatch, late):
    reached = replace(RUN, vocab_size=40)
    settle(app, 20, [20])

    def stopped(run):
        if run == RUN:
            raise Stopped(reached, know(reached), late)
        return know(run)

    monkeypatch.setattr(unfinished, "history_of", stopped)
    app.run()
    assert visit_of(app).lanes == (reached,)
    assert html(app).count("It took too long.") == (1 if late else 0)
    _head, [header] = player_data(app)
    assert header["steps"] == len(know(reached))
    app.run()
    assert not app.exception
    assert html(app).count("It took too long.") == (1 if late else 0)


def test_a_comparison_that_opens_and_is_stopped_is_shown_as_far_as_it_came(monkeypatch):
    def draw():
        from tokviz.pages import compare

        compare.page()

    asked = []

    def stopped(run):
        reached = replace(run, vocab_size=38)
        if run.algorithm == "bpe" and run != reached:
            asked.append(run)
            raise Stopped(reached, know(reached), "It took too long.")
        return know(run)

    monkeypatch.setattr(unfinished, "history_of", stopped)
    app = AppTest.from_function(draw, default_timeout=PATIENCE).run()
    assert html(app).count("It took too long.") == 1
    assert [run.vocab_size for run in visit_of(app).lanes if run.algorithm == "bpe"] == [38]
    assert len(visit_of(app).lanes) == 3
    assert len(asked) == 1
