"""A page in each of the three browser engines; what it complains of fails its test."""

import os
from glob import glob
from pathlib import Path

import pytest
from helpers import missing
from playwright_tab import FIREFOX, PlaywrightTab, start_firefox
from webkit_tab import DRIVER, WebKitTab, screen

#: A program for Debian's own Python.
collect_ignore = ["webkit_browser.py"]
ENGINES = ("chromium", "firefox", "webkit")
#: Debian's packages for WebKitGTK, and where each has put something.
WEBKIT_NEEDS = {
    "webkit2gtk-driver": DRIVER,
    "xvfb": "/usr/bin/Xvfb",
    "python3-gi": "/usr/lib/python3/dist-packages/gi",
    "gir1.2-webkit2-4.1": "/usr/lib/*/girepository-1.0/WebKit2-4.1.typelib",
    "gir1.2-gtk-3.0": "/usr/lib/*/girepository-1.0/Gtk-3.0.typelib",
}
#: How complaints begin that are of Streamlit's own, whatever tokviz does.
NOT_OURS = (
    # WebKit makes an error of a notice: in 1 of 8 visits, with tokviz's observers and without them.
    "uncaught: ResizeObserver loop completed with undelivered notifications.",
    # Streamlit's script asks for itself beforehand where a page shows code, which fails in Firefox.
    'uncaught: <link rel="modulepreload"',
    # Streamlit asks for one fragment of two then; the server draws the page instead.
    "warn: Unexpected state: Multiple different fragmentIds detected in a single batch",
)


@pytest.fixture(scope="session")
def firefox(playwright):
    """Profiles of one Firefox, one for each kind of visitor. All of them are dark: what is light is
    seen in the other two engines."""
    if FIREFOX is None:
        missing("Firefox is missing; install it (Debian: apt install firefox-esr).")
    browser, profiles = start_firefox(playwright, dark=True), {}

    def profile(finger, **options):
        kind = str((finger, options))
        if kind not in profiles:
            profiles[kind] = browser.new_context(**options)
        return profiles[kind]

    yield profile
    browser.close()


@pytest.fixture(scope="session")
def display():
    """A screen for WebKitGTK."""
    lacking = [package for package, place in WEBKIT_NEEDS.items() if not glob(place)]
    if lacking:
        missing(f"WebKitGTK cannot be driven; install (Debian): apt install {' '.join(lacking)}.")
    with screen() as name:
        yield name


@pytest.fixture(params=ENGINES)
def engine(request):
    """The name of an engine."""
    return request.param


@pytest.fixture
def visit(engine, request, tmp_path):
    """Opens a tab in the engine of this test: dark or light (Firefox is dark), with a finger or
    without, with a network or without one. No tab may complain of anything until it is closed. What
    each shows at its end is saved in the folder that the environment names in TOKVIZ_PICTURES."""
    tabs = []

    def open_tab(dark=False, finger=False, network=True):
        if engine == "webkit":
            folder = tmp_path / f"webkit{len(tabs)}"
            folder.mkdir()
            tab = WebKitTab(request.getfixturevalue("display"), folder, dark, network=network)
        else:
            context = {"viewport": {"width": 1366, "height": 768}, "offline": not network}
            if engine == "chromium":
                if finger:
                    profile = request.getfixturevalue("pocket")()
                elif network:
                    profile = request.getfixturevalue("visits")
                else:
                    profile = request.getfixturevalue("browser").new_context(
                        **context, reduced_motion="reduce"
                    )
                tab = PlaywrightTab(profile, "finger")
                tab.page.emulate_media(color_scheme="dark" if dark else "light")
            else:
                profile = request.getfixturevalue("firefox")(finger, **context)
                tab = PlaywrightTab(profile, "made-up")
        tabs.append(tab)
        return tab

    yield open_tab
    try:
        said = {complaint for tab in tabs for complaint in [*tab.earlier, *tab.complaints()]}
        complaints = [complaint for complaint in said if not complaint.startswith(NOT_OURS)]
        if folder := os.environ.get("TOKVIZ_PICTURES"):
            name = request.node.name.replace("/", "-")
            for i, tab in enumerate(tabs):
                tab.picture(Path(folder) / f"{name}-{i}.png")
    finally:
        for tab in tabs:
            tab.close()
    assert not complaints


@pytest.fixture
def tab(visit):
    """A light page with a mouse."""
    return visit()
