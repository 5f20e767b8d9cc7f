"""What Python has set stays where a browser tells what it had before."""

from served_parts import moment, run
from streamlit_client import Session

from tokviz import SAMPLES


def test_a_typed_size_stays_where_the_browser_tells_that_of_the_slider_before(plain):
    async def visit(address):
        tab = Session(f"{address}/")
        await tab.open()
        await tab.act("vocab_size", 40)
        await tab.act_before_drawing(("vocab_size", 60), ("settings_0", None))
        assert tab.run["asked"] == 60
        await tab.close()

    run(visit(plain.address))


def test_a_lens_that_python_opened_stays_where_the_browser_tells_the_old_one(plain):
    """The player tells its step before the page has drawn the token that was looked into."""

    def look(token, lane):
        said = {"id": token, "what": "token", "token": token, "lane": lane, "number": None}
        return "player", {"look": said}

    async def visit(address):
        tab = Session(f"{address}/")
        await tab.open()
        await tab.act("add")
        assert tab.chosen("lens") == ["Vocabulary"]
        first = tab.chosen("lens_lane_2")
        await tab.act_before_hearing(look("Ġto", 1), moment(tab, 1), moment(tab, 2))
        assert tab.drew("lens_token")
        assert tab.chosen("lens-1") == ["A token"]
        assert tab.chosen("lens_lane_2-1") != first
        await tab.act_before_hearing(look("in", 0), moment(tab, 3))
        assert tab.value("lens_token-1") == "in"
        assert tab.chosen("lens_lane_2-2") == first
        # What is chosen on the page before it has heard is a choice, and the last one stays.
        word = "player", {"look": {"id": "word", "what": "word", "typed": "in", "lane": 0}}
        await tab.act_before_hearing(word, ("lens-1", ["Steps"]), moment(tab, 4))
        assert not tab.drew("word_lens")
        assert tab.chosen("lens-3") == ["Steps"]
        await tab.close()

    run(visit(plain.address))


def test_a_choice_stays_where_another_follows_before_the_page_has_drawn_it(plain):
    """The second message has what the page had before in the fields that Python has set."""

    async def visit(address):
        tab = Session(f"{address}/")
        await tab.open()
        # The slider sets the number, whose old value comes with a step of the player.
        await tab.act_before_hearing((slider(tab), [40.0]), moment(tab, 1))
        assert tab.run["asked"] == 40
        await tab.act("vocab_size", 45)
        await tab.act("vocab_size", 40)
        assert tab.run["asked"] == 40
        await tab.act_before_hearing(("more_sentencepiece-unigram", None), ("settings_0", None))
        assert tab.chosen("algorithm") == ["SentencePiece Unigram"]
        assert tab.drew("sentencepiece-unigram.shrinking_factor")
        before, other = tab.value("corpus_text"), SAMPLES["aaabdaaabac"]
        [sample] = (key for key in tab.ids if key.startswith("sample_"))
        await tab.act_before_hearing((sample, other.title), ("close_0", None))
        assert tab.value("corpus_text") == other.corpus != before
        # What is chosen again is a choice, though the page told the same the last time.
        await tab.act("algorithm", ["BPE"])
        assert tab.chosen("algorithm") == ["BPE"]
        await tab.close()

    run(visit(plain.address))


def test_what_back_leads_to_stays_where_the_page_tells_a_step_before_it_has_drawn_that(plain):
    async def visit(address):
        tab = Session(f"{address}/")
        await tab.open()
        await tab.act("algorithm", ["WordPiece"])
        await tab.act("vocab_size", 40)
        await tab.go_back("lane=course&v=2&went=1", moment(tab, 1))
        assert tab.chosen("algorithm") == ["BPE"]
        assert tab.run["asked"] == 50
        await tab.close()

    run(visit(plain.address))


def slider(tab):
    """The key of the slider of sizes, as it is now."""
    [key] = (key for key in tab.ids if key.startswith("size_slider"))
    return key
