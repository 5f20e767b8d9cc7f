"""requirements.lock: what the container installs is what requirements.txt asks for, to the byte."""

import re
from importlib.metadata import requires

import pytest
from helpers import ROOT
from packaging.markers import default_environment
from packaging.requirements import Requirement

from tokviz.pages import about

#: Name, marker if any, and the hashes of each pin.
PINS = [
    (Requirement(re.split(r"\s*\\|\s+--hash", pin)[0]), re.findall(r"--hash=(\S+)", pin))
    for pin in re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text("utf-8").strip())
]
WANTED = [Requirement(line) for line in (ROOT / "requirements.txt").read_text().splitlines()]


def version(name, **environment):
    """The pinned version of a package on a Python."""
    versions = [
        next(iter(pin.specifier)).version
        for pin, _ in PINS
        if pin.name == name and (pin.marker is None or pin.marker.evaluate(environment))
    ]
    assert len(versions) == 1, f"{name} has the pins {versions}"
    return versions[0]


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_every_requirement_is_pinned_within_its_range_on_every_python(python):
    environment = {"python_version": python, "python_full_version": f"{python}.1"}
    for wanted in WANTED:
        found = version(wanted.name, **environment)
        assert found in wanted.specifier, f"{wanted.name} {found} is not {wanted.specifier}"


def test_every_pin_is_one_version_with_hashes():
    for pin, hashes in PINS:
        assert [part.operator for part in pin.specifier] == ["=="], pin
        assert hashes, f"{pin} has no hash"
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", each) for each in hashes)


def test_whatever_the_requirements_require_is_pinned():
    """As far as the packages that are installed here tell."""
    names, seen = {pin.name for pin, _ in PINS}, set()
    left = [wanted.name for wanted in WANTED]
    while left:
        name = left.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        assert name in names, f"{name} is not in requirements.lock"
        needs = [Requirement(line) for line in requires(name) or []]
        environment = {**default_environment(), "extra": ""}
        left += [
            each.name for each in needs if each.marker is None or each.marker.evaluate(environment)
        ]
    assert len(seen) > len(WANTED)


def test_a_container_has_every_file_that_a_page_reads():
    allowed = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert about.TEXT.is_file()
    # All of the package is in it.
    assert about.TEXT.is_relative_to(ROOT / "tokviz")
    assert "!tokviz" in allowed


def test_the_container_begins_with_one_image_by_its_digest():
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    [image] = [line.removeprefix("ARG PYTHON=") for line in lines if line.startswith("ARG ")]
    assert re.fullmatch("python:3[.][0-9.]+-slim-[a-z]+@sha256:[0-9a-f]{64}", image)
    begins = [line.split()[1] for line in lines if line.startswith("FROM ")]
    assert begins
    assert {*begins} == {"$PYTHON"}
    # No other image is copied from.
    copied = [line for line in lines if line.startswith("COPY --from=")]
    assert copied
    assert all(line.startswith("COPY --from=packages ") for line in copied)
