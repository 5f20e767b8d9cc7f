"""In which step a token is learned: against histories, place by place, and trained to the end."""

import random

import library_tokenizers
import pytest

import tokviz
from tokviz.analysis.learned_token import learned_token, parts_of, tokens_meant
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.text.symbols import Symbol

SETTINGS = [
    {"unit": "byte"},
    {},
    {"end_of_word_suffix": "</w>"},
    {"end_of_word_suffix": "</w>", "suffix_glued": True},
    {"continuing_subword_prefix": "##"},
]


def places(history, symbol):
    """How often a symbol's parts stand in the words, and in how many of these places merges leave
    both of its ends open, word by word."""
    wanted, occurs, free = parts_of(history.spelling, symbol), 0, 0
    for word, (text, count) in enumerate(
        zip(history.words.words, history.words.counts, strict=True)
    ):
        symbols = history.spelling.split(text)
        cuts = {*history.cuts(word, len(history)).tolist(), len(symbols)}
        for at in range(len(symbols) - len(wanted) + 1):
            if symbols[at : at + len(wanted)] == wanted:
                occurs += count
                free += count * ({at, at + len(wanted)} <= cuts)
    return occurs, free


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_every_stretch_of_every_word_is_told_as_the_history_has_it(settings):
    random_ = random.Random(f"{settings}")
    for _ in range(12):
        words = {"".join(random_.choices("abé", k=random_.randrange(1, 6))): 1 for _ in range(6)}
        words = {word: random_.randrange(1, 9) for word in words}
        whole = tokviz.train(words, "bpe", 999, **settings)
        size = random_.randrange(len(whole.vocab(0)), len(whole.vocab(len(whole))) + 1)
        history = tokviz.train(words, "bpe", size, **settings)
        makings = {}
        for number, symbol in enumerate(history.symbols):
            step = max(0, number - len(history.record.alphabet) + 1)
            makings.setdefault(symbol, step)
        stretches = set()
        for word in words:
            symbols = history.spelling.split(word)
            for at in range(len(symbols)):
                for end in range(at + 1, len(symbols) + 1):
                    made = symbols[at]
                    for symbol in symbols[at + 1 : end]:
                        made += symbol
                    stretches.add(made)
        for symbol in [*stretches, Symbol("zz"), Symbol("bbbbbbbbbbb")]:
            found = learned_token(history, symbol)
            assert found.step == makings.get(symbol)
            assert (found.occurs, found.left_over) == places(history, symbol)
            assert found.steps == len(history)
            if found.step:
                step = history.steps[found.step - 1]
                shown = history.spelling.show
                assert (shown(found.left), shown(found.right)) == (step.left, step.right)
                assert found.pair_count == step.count
            elif found.step is None and symbol in whole.symbols:
                # What is learned later has places left, and its pair is counted in no more of them.
                later = learned_token(whole, symbol)
                assert found.steps < later.step
                assert later.pair_count <= found.left_over
                assert later.pair_count <= found.last_count or not found.steps
            elif found.step is None and found.left_over == 0:
                assert symbol not in whole.symbols


def test_a_run_without_a_step_and_one_without_words():
    history = tokviz.train({"ab": 2}, "bpe", 2)
    assert learned_token(history, Symbol("ab"))[-4:] == (2, 2, 0, 0)
    assert learned_token(history, Symbol("")).occurs == 0


def test_tokens_are_meant_by_their_text_what_is_shown_or_their_id():
    file = library_tokenizers.bert().to_str().encode()
    tokenizer = open_tokenizer({"tokenizer.json": file}).tokenizer
    alone, inside = tokenizer.token_to_id("e"), tokenizer.token_to_id("##e")
    assert [*tokens_meant(tokenizer, "##e")] == [inside]
    assert [*tokens_meant(tokenizer, "e")] == [alone, inside]
    assert [*tokens_meant(tokenizer, f"#{inside}")] == [inside]
    assert [*tokens_meant(tokenizer, "[MASK]")] == [tokenizer.token_to_id("[MASK]")]
    for typed in ("", "#", "#99999999", "#-1", "##", "nowhere", "\ud800"):
        assert [*tokens_meant(tokenizer, typed)] == [], typed
    bytes_of = open_tokenizer(
        {"tokenizer.json": library_tokenizers.byte_level_bpe().to_str().encode()}
    ).tokenizer
    [found] = tokens_meant(bytes_of, "é")
    assert bytes_of.text_bytes(found) == "é".encode()
