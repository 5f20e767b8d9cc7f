"""The app as a person uses it in Chromium: by the names on the page."""

import re
from dataclasses import replace
from pathlib import Path

from player_page import Player
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tokviz import SAMPLES
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import run_of_sample

#: The messages that tell what a page is owed (owed.js).
MESSAGES = [
    BackMsg.DESCRIPTOR.fields_by_name["rerun_script"].number,
    ForwardMsg.DESCRIPTOR.fields_by_name["new_session"].number,
    ForwardMsg.DESCRIPTOR.fields_by_name["script_finished"].number,
    ForwardMsg.FINISHED_EARLY_FOR_RERUN,
]
OWED = f"({Path(__file__).with_name('owed.js').read_text('utf-8')})({MESSAGES})"
#: Nothing is owed, drawn or on the move, for some frames: components are drawn after the page.
#: Streamlit fades new elements in; until then their colours are paler. Requests that it answers
#: together may seem unanswered: where nothing was said for long, and nothing runs, nothing comes.
QUIET = """() => {
    const moves = a => a.playState === 'running'
        && a.effect.getComputedTiming().endTime !== Infinity;
    const rests = !window.owed.beginning && !window.owed.end
        && !document.querySelector('[data-stale=true]')
        && !document.getAnimations().some(moves);
    const quiet = document.querySelector('[data-test-script-state=notRunning]')
        && (rests || performance.now() - window.owed.heard > 15000);
    window.quietFrames = quiet ? (window.quietFrames ?? 0) + 1 : 0;
    if (window.quietFrames < 4) return false;
    window.quietFrames = 0;
    return true;
}"""

#: Has Streamlit draw another address of the page, as Back and Forward do (entries.js).
GOES_ON = """query => {
    const asked = new URLSearchParams(query);
    asked.set('went', `${performance.now()}`);
    history.replaceState(history.state, '', `${location.pathname}?${asked}`);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}"""
ARRIVED = "() => !new URLSearchParams(location.search).has('went')"


def slow(vocab_size=100):
    """The query of a training whose settings make it take minutes on a long text, and which the
    browser leaves to the server, for it does not normalize."""
    run = replace(
        run_of_sample(SAMPLES["course"]),
        algorithm="unigram",
        vocab_size=vocab_size,
        pretokenizer="bert",
        pretokenizer_settings=(("normalize", True),),
        settings=(("seed_size", 5000), ("prune_fraction", 0.001)),
    )
    return f"lane={to_link(run)}"


class App(Player):
    """The page as a person uses it: by the names on it."""

    def __init__(self, page, address):
        super().__init__(page)
        page.add_init_script(OWED)
        page.goto(address)
        self.opened()

    def opened(self):
        """Waits for the player."""
        self.page.locator(".tv-transport").wait_for()
        # A presentation may show another picture than the corpus.
        self.page.locator(".tv-corpus .chip").first.wait_for(state="attached")
        self.settle()

    def go_on(self, query):
        """Goes to another address of the page, which loads no script anew."""
        self.page.evaluate(GOES_ON, query)
        self.page.wait_for_function(ARRIVED)
        self.opened()

    def reload(self):
        self.page.reload()
        self.opened()

    def leave(self):
        """Goes to another page."""
        self.page.get_by_role("link", name="How it works").click()
        self.page.get_by_role("heading", name="How tokviz works").wait_for()

    def come_back(self):
        self.page.get_by_role("link", name="Train", exact=True).click()
        self.opened()

    def settle(self):
        """Waits until the script has run for all that was done, and the page rests."""
        self.page.wait_for_function(QUIET)

    def charts(self):
        """Waits for the three curves of the player, drawn if they are seen, or of Compare."""
        self.page.wait_for_function(
            "() => { const all = [...document.querySelectorAll('.tv-curve, .stVegaLiteChart')];"
            " return all.length === 3 && all.every(e =>"
            " !e.checkVisibility() || e.querySelector('.tv-line, .mark-line')); }"
        )

    def press_train(self):
        """Trains what takes long; waits until that is done, or a sentence says what is wrong. The
        browser may have trained it by then: its player stays."""
        before = self.page.locator(".tv-transport").element_handle()
        self.click("Train")
        self.page.wait_for_function(
            "old => !old.isConnected || document.querySelector('[role=alert]')"
            " || !document.querySelector('.st-key-train button')",
            arg=before,
        )

    def add_lane(self, algorithm, size=None):
        """Adds a lane, and sets it up in its panel."""
        self.page.locator(".st-key-add button").filter(visible=True).click()
        self.page.locator(".st-key-panel_lane").wait_for()
        self.settle()
        self.algorithm(algorithm)
        if size:
            self.size(size)
        self.click("Close")

    def type_text(self, text):
        """Types into the text area of the set-up, and waits until the page has heard of it."""
        self.fill("textbox", "Your text", text)

    def size(self, size):
        self.fill("spinbutton", "Vocabulary size", str(size))

    def open_file(self, file, until):
        """Opens a file as the text."""
        self.click("Open a file")
        self.upload(file, until)
        self.page.keyboard.press("Escape")

    def upload(self, file, until):
        """Uploads a file and waits until the page says so."""
        self.page.locator("input[type=file]").set_input_files(file)
        self.page.get_by_text(re.compile(until)).first.wait_for()
        self.settle()

    def fill(self, role, name, value):
        field = self.page.get_by_role(role, name=name, exact=True)
        field.fill(value)
        field.press("Control+Enter" if role == "textbox" else "Enter")
        self.settle()

    def pick(self, name, value):
        """Opens a select box and picks an option."""
        field = self.page.get_by_role("combobox", name=name)
        # The page closes its options when it is scrolled.
        field.scroll_into_view_if_needed()
        self.settle()
        field.click()
        self.page.get_by_role("option", name=value, exact=True).click()
        self.settle()

    def algorithm(self, label):
        choices = self.page.get_by_role("radiogroup", name="Algorithm")
        choice = choices.get_by_role("radio", name=label, exact=True)
        if not choice.count():
            self.click("More")
            choice = self.button(label)
        choice.click()
        self.settle()

    def train(self, text, algorithm, size):
        """Pastes a text, picks an algorithm and a size; trains where that waits for a button."""
        self.type_text(text)
        self.algorithm(algorithm)
        self.size(size)
        self.train_long()

    def train_long(self):
        """Presses the button of a training that takes long, if there is one."""
        if self.button("Train").count():
            self.press_train()

    def wait_settled(self):
        """Waits until Python has heard of the step on which the player rests; the address has it
        at the same time."""
        self.page.wait_for_function(
            "() => document.querySelector('[data-steps]').dataset.step"
            " === new URLSearchParams(location.search).get('step')"
        )
        self.settle()


def as_said(history, t):
    """A narration with its tokens unquoted, as the page shows them."""
    said = history.narrate(t)
    step = history.steps[t - 1] if t else None
    if step is None or step.action != "merge":
        return said
    # The word that a pair was met in stays in quotes.
    said, comma, word = said.partition(", met first in ")
    met = comma + word
    rows = history.candidates(t - 1, 2)
    for token in {step.left, step.right, step.token, *rows["left"], *rows["right"]}:
        said = said.replace(f'"{token}"', token)
    return said + met
