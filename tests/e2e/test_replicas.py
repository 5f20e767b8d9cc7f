"""Two servers behind a proxy that keeps each visitor with one: what the visitors of both see, also
of the end of one server."""

import pytest
from app_page import App, slow
from app_server import Server
from playwright.sync_api import expect
from sticky_proxy import COOKIE, StickyProxy

#: The session that a tab was told of.
TOLD = "() => JSON.parse(sessionStorage['tokviz-draft'] ?? '{}').session"


@pytest.fixture(scope="module")
def replicas(tmp_path_factory):
    place = tmp_path_factory.mktemp("replicas")
    with Server(place / "a") as a, Server(place / "b") as b:
        yield {"a": a, "b": b}
    for each in (a, b):
        assert "Traceback" not in each.said(), each.said()


@pytest.fixture
def proxy(replicas):
    with StickyProxy(replicas) as proxy:
        yield proxy


class Visitor(App):
    """A tab of a browser of its own: cookies and all."""

    def __init__(self, context, address):
        self.context = context
        super().__init__(context.new_page(), address)

    @property
    def replica(self):
        [named] = [each for each in self.context.cookies() if each["name"] == COOKIE]
        return named["value"]

    @property
    def session(self):
        return self.page.wait_for_function(TOLD).json_value()

    def has_another_session(self, before):
        """Waits until it has, and the page rests."""
        self.page.wait_for_function(f"before => ({TOLD})() !== before", arg=before)
        self.settle()

    @property
    def corpus(self):
        return self.page.get_by_role("textbox", name="Your text", exact=True)


@pytest.fixture
def visitor(browser, browser_context_args, proxy):
    """Has a visitor come in a browser of their own, or in another tab of somebody's."""
    contexts = []

    def come(path="", beside=None):
        if beside is None:
            contexts.append(browser.new_context(**browser_context_args))
        context = beside.context if beside else contexts[-1]
        return Visitor(context, f"{proxy.address}/{path}")

    yield come
    for each in contexts:
        each.close()


def newcomer(playwright, address):
    """The replica of somebody who has asked for the page once."""
    asking = playwright.request.new_context()
    assert asking.get(address).ok
    [named] = [each for each in asking.storage_state()["cookies"] if each["name"] == COOKIE]
    asking.dispose()
    return named["value"]


def test_each_visitor_stays_with_one_replica_and_loses_nothing_when_it_ends(
    visitor, proxy, replicas, playwright
):
    first, second = visitor(), visitor()
    assert {first.replica, second.replica} == {"a", "b"}
    home, other = first.replica, second.replica
    # Trained, read, loaded anew, opened from a file: what a session knows is where it is asked for.
    first.train("the cat sat on the mat", "WordPiece", 22)
    second.train("a rose is a rose", "BPE", 12)
    for each, text in ((first, "the cat sat on the mat"), (second, "a rose is a rose")):
        each.go(3)
        each.wait_settled()
        words = each.words()
        each.reload()
        assert (each.step, each.words()) == (3, words)
        expect(each.corpus).to_have_value(text)
    first.leave()
    first.come_back()
    assert (first.replica, second.replica) == (home, other)
    # A training under way, and a text that no server was told of.
    third = visitor(f"?{slow()}", beside=first)
    assert third.replica == home
    assert third.session != first.session
    long = " ".join(f"{i * 7919 % 1_000_003:x}" for i in range(16_000))
    third.type_text(long)
    third.button("Train").click()
    third.button("Cancel").wait_for()
    assert not proxy.strayed

    sessions = [each.session for each in (first, second, third)]
    first.corpus.fill("an iris is an iris")
    replicas[home].kill()
    # They come back by themselves, at the other one.
    first.has_another_session(sessions[0])
    third.has_another_session(sessions[2])
    assert first.replica == third.replica == other
    expect(first.corpus).to_have_value("an iris is an iris")
    expect(third.corpus).to_have_value(long)
    assert "".join(first.words()[1]).replace("##", "") == "iris"
    # The others do not notice.
    second.go(5)
    second.wait_settled()
    assert (second.step, second.session) == (5, sessions[1])

    # Once the first one is back, they stay where their session is, files and all.
    replicas[home].start()
    proxy.strayed.clear()
    first.reload()
    expect(first.corpus).to_have_value("an iris is an iris")
    first.click("Open a file")
    file = {"name": "mine.txt", "mimeType": "text/plain", "buffer": b"a lily is a lily"}
    first.page.locator("input[type=file]").set_input_files(file)
    expect(first.corpus).to_have_value("a lily is a lily")
    assert first.replica == second.replica == other
    assert not proxy.strayed
    # Whoever is new comes to either: the cookie of a first answer says so.
    newcomers = {newcomer(playwright, proxy.address) for _ in range(2)}
    assert newcomers == {home, other}
