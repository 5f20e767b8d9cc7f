"""What each merge saves is what its text has fewer tokens for it."""

import pytest
from library_tokenizers import KINDS, opened
from opened_texts import DOCUMENTS

import tokviz
from tokviz.analysis.tokens_saved import tokens_saved

TEXT, OTHER = "\n".join(DOCUMENTS[:40]), "\n".join(DOCUMENTS[40:70])


def runs():
    file = opened(KINDS["llama3"]())
    yield "characters", tokviz.train(TEXT, "bpe", 150)
    yield "bytes", tokviz.train(TEXT, "bpe", 400, unit="byte", initial_alphabet="bytes")
    yield "sentencepiece", tokviz.train(TEXT, "sentencepiece-bpe", 400, byte_fallback=True)
    yield "from a file", tokviz.train(TEXT, vocab_size=file.next_id + 40, continue_from=file)
    yield "replay", tokviz.replay(file, TEXT)


@pytest.mark.parametrize(("name", "history"), runs())
def test_every_merge_saves_what_its_state_has_fewer_tokens(name, history):
    saved = tokens_saved(history, OTHER)
    counts = history.curve().corpus_tokens
    assert (-counts.diff()[1:]).tolist() == saved.saved.tolist()
    assert saved.token.tolist() == [step.token for step in history.steps]
    assert saved.id.tolist() == [step.token_id for step in history.steps]
    for t in range(0, len(history) + 1, max(1, len(history) // 5)):
        by_hand = [
            sum(_pieces(history, word, t) for word in _words(history, OTHER)) for t in (0, t)
        ]
        assert saved.saved_held_out[:t].sum() == by_hand[0] - by_hand[1], name


def _words(history, text):
    return [word.text for line in text.split("\n") for word in history.pretokenizer.words(line)]


def _pieces(history, word, t):
    return sum(gap >= t for gap in history.gaps(word))


def test_what_the_tokenizer_of_a_run_that_goes_on_says_of_other_text():
    file = opened(KINDS["gpt2"]())
    history = tokviz.train(TEXT, vocab_size=file.next_id + 40, continue_from=file)
    saved = tokens_saved(history, OTHER)
    lines = OTHER.split("\n")
    for t in (10, 40):
        before = sum(len(file.tokenizer.encode(line)) for line in lines)
        after = sum(len(history.tokenizer(t).encode(line)) for line in lines)
        assert saved.saved_held_out[:t].sum() == before - after
    assert saved.saved_held_out.sum() > 0
    assert "saved_held_out" not in tokens_saved(history)


@pytest.mark.parametrize("algorithm", ["wordpiece", "unigram"])
def test_runs_that_do_not_encode_by_merges_are_refused(algorithm):
    history = tokviz.train("low low lower lowest", algorithm, 14)
    with pytest.raises(tokviz.SettingError, match=f"one of {algorithm}; train bpe"):
        tokens_saved(history)
