"""The tab "In my text" of the page Open: in which step the visitor's text teaches a token."""

from itertools import islice

import streamlit as st

from tokviz import Cancelled
from tokviz.analysis.learned_token import LearnedToken, learned_token, tokens_meant
from tokviz.basics.messages import _, counted, here, said_by, sentences
from tokviz.encoding.faces import readable
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.encoding.viterbi_encoder import ViterbiEncoder
from tokviz.history.merges import MergeHistory
from tokviz.pages.widgets.keys import LEARNED_TOKEN, LEARNED_WANTED
from tokviz.pages.widgets.markup import text, visible
from tokviz.pages.widgets.style import note, sentence
from tokviz.server import page_limits
from tokviz.server.draw_queue import in_turn
from tokviz.server.opened.opened_files import find
from tokviz.server.opened.own_trainings import is_trained, training_of
from tokviz.server.runs import Corpus, Run, title_of
from tokviz.text.symbols import Spelling
from tokviz.trainers.alike import is_wordpiece

#: Most characters of a token that is typed, and most tokens that are told of at a time.
MOST_TYPED, MOST_TOLD = 200, 4


@st.fragment
@in_turn
def learned_view(key: str, run: Run) -> None:
    """Draw the question and its answer, for the tokenizer with the digest `key` and the corpus of a
    run of the page Train."""
    opened, corpus = find(key), run.corpus
    merges = min(opened.next_id, page_limits.vocabulary())
    note(_what_is_trained(opened, run, merges))
    typed = st.text_input(
        _("Token: as it is shown, its text, or # and its id"),
        key=LEARNED_TOKEN,
        max_chars=MOST_TYPED,
        persist_state="session",
    )
    asked = st.session_state.get(LEARNED_WANTED) == (key, corpus.key)
    if not (asked or is_trained(key, corpus, merges)):
        if not st.button(_("Train on my text"), key="learned"):
            return
        st.session_state[LEARNED_WANTED] = key, corpus.key
    history = _trained(key, corpus, merges)
    if history is None:
        return
    if not typed:
        merged = here(counted("{n} merge", "{n} merges", len(history)))
        note(_("Trained: {merges}. Write a token above.", merges=merged))
        return
    found = list(islice(tokens_meant(opened.tokenizer, typed), MOST_TOLD))
    if not found:
        sentence(
            _(
                "The file has no token “{token}”; its spaces are written ␣ or as in its chips.",
                token=visible(typed),
            )
        )
    for token_id in found:
        st.html(f'<p role="status">{text(_answer(opened, history, token_id))}</p>')


def _what_is_trained(opened: OpenedTokenizer, run: Run, merges: int) -> str:
    asked = _("In which step would your text teach a token of the file?")
    if is_wordpiece(opened):
        trained = _(
            "WordPiece is trained on the text of the page Train, {title}, for up to {n:,} merges, "
            "with the words of the file, by the score of Hugging Face’s trainer: the most frequent "
            "pair is merged, of several that of the smallest ids.",
            title=title_of(run),
            n=merges,
        )
    elif opened.piece_rules is not None:
        trained = _(
            "BPE is trained on the text of the page Train, {title}, for up to {n:,} merges, as "
            "SentencePiece trains it, by the rules that the file has for its pieces: the most "
            "frequent pair is merged, of several the shortest.",
            title=title_of(run),
            n=merges,
        )
    else:
        trained = _(
            "BPE is trained on the text of the page Train, {title}, for up to {n:,} merges, with "
            "the words and the symbols of the file: the most frequent pair is merged, of several "
            "the one that is seen first.",
            title=title_of(run),
            n=merges,
        )
    beside = _(
        "“Compare with the lanes trained here”, above, shows the merges of the file on that text "
        "beside trainings of your own."
    )
    if opened.model == "BPE":
        return here(sentences(asked, trained, beside))
    if is_wordpiece(opened):
        return here(sentences(asked, trained))
    if isinstance(opened.tokenizer.encoder, ViterbiEncoder):
        other = _(
            "The file is Unigram, which has no order of learning: its training begins with many "
            "tokens and drops the least useful ones, so that no step makes a token. BPE is shown "
            "in its place, which makes one in each step."
        )
    else:
        other = _(
            "The file is of another kind, {model}, which this does not train; its words and its "
            "spelling are taken.",
            model=opened.model,
        )
    return here(sentences(asked, other, trained))


def _trained(key: str, corpus: Corpus, merges: int) -> MergeHistory | None:
    try:
        return training_of(key, corpus, merges)
    except (ValueError, Cancelled, MemoryError) as error:
        st.session_state.pop(LEARNED_WANTED, None)
        sentence(said_by(error) or _("This text is too large for this computer."))
        return None


def _answer(opened: OpenedTokenizer, history: MergeHistory, token_id: int) -> str:
    """Say in which step a run made a token, or why it did not."""
    tokenizer, symbol = opened.tokenizer, opened.tokenizer.symbols[token_id]
    token = tokenizer.strings[token_id] if symbol is None else readable(tokenizer.spelling, symbol)
    if symbol is None:
        said = _("it is special, or stands for a byte; no training makes it.")
    else:
        said = learned_said(learned_token(history, symbol), tokenizer.spelling)
    return _("{token}, id {token_id}: {said}", token=visible(token), token_id=token_id, said=said)


def learned_said(found: LearnedToken, spelling: Spelling) -> str:
    """Return the answer in sentences.

    >>> from tokviz.text.symbols import Symbol
    >>> never = LearnedToken(None, Symbol(""), Symbol(""), 0, 0, 0, 40, 2)
    >>> learned_said(never, Spelling())
    'never: its text does not occur within a word of yours.'
    >>> learned_said(never._replace(occurs=3), Spelling())
    'never: its text occurs 3 times, and in each place other merges have joined a part of it with \
what is beside it, so that no later merge can make it.'
    >>> learned_said(never._replace(occurs=3, left_over=1), Spelling())
    'not in 40 merges: its text occurs 3 times, and in 1 of these places it could still be made, \
so that no pair that makes it is counted more often. The last merge joined a pair that was counted \
2 times.'
    """
    occurs = _times(found.occurs)
    if found.step == 0:
        return _("before the first step: training starts from it.")
    if found.step is not None:
        return _(
            "in step {step:,}, of {left} + {right}, counted {times}. Its text occurs {occurs}.",
            step=found.step,
            left=visible(readable(spelling, found.left)),
            right=visible(readable(spelling, found.right)),
            times=_times(found.pair_count),
            occurs=occurs,
        )
    if not found.occurs:
        return _("never: its text does not occur within a word of yours.")
    if not found.left_over:
        return _(
            "never: its text occurs {occurs}, and in each place other merges have joined a part of "
            "it with what is beside it, so that no later merge can make it.",
            occurs=occurs,
        )
    steps = here(counted("{n} merge", "{n} merges", found.steps))
    return _(
        "not in {steps}: its text occurs {occurs}, and in {left:,} of these places it could still "
        "be made, so that no pair that makes it is counted more often. The last merge joined a "
        "pair that was counted {last}.",
        steps=steps,
        occurs=occurs,
        left=found.left_over,
        last=_times(found.last_count),
    )


def _times(n: int) -> str:
    return here(counted("{n} time", "{n} times", n))
