"""The limits of a server: one file, changed by another one."""

import subprocess
import sys

import pytest

from tokviz.server.limits import LIMITS, read_limits


def test_a_file_of_ones_own_changes_what_it_names_and_leaves_the_rest():
    own = read_limits("[training]\nseconds = 1.5\nworkers = 3\n", LIMITS)
    assert (own.training.seconds, own.training.workers) == (1.5, 3)
    assert own.training.megabytes == LIMITS.training.megabytes
    assert own.corpus == LIMITS.corpus


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[kept", "no TOML"),
        ("[keep]\nhistories = 8", "not 'keep'"),
        ("kept = 3", "not 'kept'"),
        ("[kept]\nhistory = 8", "not 'history'"),
        ("[kept]\nhistories = -1", "histories is -1; it is a whole number of at least 1"),
        ("[kept]\nhistories = 1.5", "histories is 1.5; it is a whole number"),
        ("[training]\nbegun = 0", "begun is 0; it is a whole number of at least 1"),
        ("[kept]\nhistories = true", "histories is True"),
        ("[training]\nseconds = nan", "seconds is nan; it is a number of at least 0.1"),
    ],
)
def test_a_wrong_limit_is_named(text, said):
    with pytest.raises(ValueError, match=r"limits|kept|training") as error:
        read_limits(text, LIMITS)
    assert said in str(error.value)


def test_all_limits_are_asked_for_where_none_is_given():
    with pytest.raises(ValueError, match=r"\[corpus\] lacks bytes, distinct_words"):
        read_limits(
            "[training]\n"
            + "\n".join(
                f"{name} = 1"
                for name in (
                    "workers",
                    "queue",
                    "each",
                    "begun",
                    "seconds",
                    "megabytes",
                    "turn_seconds",
                    "unwatched_seconds",
                )
            )
        )


def test_the_file_that_the_environment_names_is_read_at_the_start(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("[settings]\nlanes = 2\n", "utf-8")
    program = "from tokviz.server.limits import LIMITS; print(LIMITS.settings.lanes)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"TOKVIZ_LIMITS": str(own), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "2", done.stderr
