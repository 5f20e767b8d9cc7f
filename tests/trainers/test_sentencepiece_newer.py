"""SentencePiece 0.2.3: the characters that it chooses, and what else is new. What its wheel learned
is compared in test_sentencepiece_versions.py."""

import pickle
import unicodedata
from dataclasses import replace
from functools import cache

import pytest
import sentencepiece
from helpers import anything
from hypothesis import given
from hypothesis import strategies as st
from record_sentencepiece import CHOSEN, NEWER, OLDER, REFUSED, REFUSED_LINES, learned, text

import tokviz
from tokviz.basics.errors import CorpusError
from tokviz.formats.exports import ExportError, export
from tokviz.pretokenizers import SentencePiecePretokenizer
from tokviz.pretokenizers.normalizer import RULE_NAMES, Normalizer, rules
from tokviz.text.corpus import count_words
from tokviz.trainers import SettingError
from tokviz.trainers.merging.character_choice import choose_characters
from tokviz.trainers.sentencepiece_bpe import SentencePieceBPE, character_choice, library_pieces


def train(lines, size, settings):
    settings = {name: value for name, value in settings.items() if name != "hard_vocab_limit"}
    settings |= {"library_version": NEWER, "counted": anything}
    return tokviz.train(lines, "sentencepiece-bpe", size, **settings)


@cache
def on_udhr():
    return train(text("udhr"), 700, CHOSEN)


def test_the_last_line_decides_of_seeds():
    """What only stands at the ends of lines is a seed where what follows these differs, as the end
    of the text does from any line."""

    def seeds(lines, **settings):
        settings |= {"library_version": NEWER, "counted": anything}
        history = tokviz.train(lines, "sentencepiece-unigram", 100, **settings)
        return {piece for piece in history.vocab(0) if len(piece) == 2 or piece == "▁ab"}

    assert seeds(["d ab", "d ab", "e ab"]) == {"ab", "▁ab"}
    assert seeds(["d ab", "d ab", "e ab", "f c"]) == set()
    # Empty lines go, and the last line comes to where the first of them was.
    assert seeds(["d ab", "", " ", "d ab", "e ab", "f c"]) == {"ab", "▁ab"}
    # Lines that begin differently.
    assert seeds(["d ab", "ce ab", "f c"], add_dummy_prefix=False) == {"ab", "▁ab"}
    # What was counted before: nobody knows which line was the last.
    cut = SentencePiecePretokenizer(version=NEWER)
    words = replace(count_words(["d ab", "d ab", "e ab"], cut), borders=None)
    assert seeds(tokviz.CountedWords(words, cut, ("<unk>", "<s>", "</s>"))) == set()


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_it_refuses_is_refused_with_its_sentence(number):
    size, settings = REFUSED[number]
    with pytest.raises(SettingError) as error:
        train(REFUSED_LINES, size, settings)
    assert str(error.value) == learned(NEWER)["refused"][number]


def test_what_cannot_be_together():
    with pytest.raises(SettingError, match=r"^SentencePiece 0\.2\.1 cannot choose the characters"):
        SentencePieceBPE(300, **CHOSEN)
    with pytest.raises(SettingError, match="so none can be told"):
        SentencePieceBPE(300, library_version=NEWER, interventions=[(0, ("a", "b"))], **CHOSEN)
    with pytest.raises(SettingError, match=r"library_version='0\.2\.2' is not known"):
        SentencePieceBPE(300, library_version="0.2.2")


@pytest.mark.parametrize("name", ["samples", "udhr"])
def test_the_curve_has_its_top_where_the_vocabulary_is(name):
    history = train(text(name), 700, CHOSEN)
    curve = character_choice(history)
    [row] = curve[curve.chosen].itertuples()
    assert row.merges == len(history) > 10
    assert row.saved == curve.saved.max() > curve.saved[0]
    assert row.needed + row.alone == sum(not s.unknown for s in history.record.alphabet)
    assert curve.saved_by_merges.tolist()[: row.merges + 1] == [
        sum(step.count for step in history.steps[:k]) for k in range(row.merges + 1)
    ]


@pytest.mark.parametrize(("name", "size"), [("udhr-hi", 319), ("udhr", 700)])
def test_what_is_saved_is_saved_of_the_bytes(name, size):
    """The bytes of the text, a space as ▁, less the saving are the tokens that it is cut into; and
    the special pieces, <unk> among them, the merges and the characters are the vocabulary."""
    history = train(text(name), size, CHOSEN)
    choice = history.trainer.choice(history.words)
    spelled = sum(
        len(word.replace(" ", "▁").encode()) * n
        for word, n in zip(history.words.words, history.words.counts, strict=True)
    )
    tokenizer = history.tokenizer()
    found = [id_ for line in text(name) for id_ in tokenizer.encode(line).ids]
    assert len(found) == spelled - choice.chosen.saved
    special = [piece.piece for piece in history.trainer.meta_pieces.values()]
    assert special == ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    assert size == len(special) + choice.chosen.merges + len(choice.characters)
    assert choice.room == size - len(special)
    assert tokenizer.token_to_id("<unk>") not in found


def test_a_larger_vocabulary_chooses_anew():
    history = on_udhr()
    larger = replace(history.trainer, vocab_size=1_000)
    resumed = larger.resume(history, 5)
    assert library_pieces(resumed) == library_pieces(train(text("udhr"), 1_000, CHOSEN))


def test_a_model_is_written_where_the_rules_are_known():
    lines = ["low lower lowest 日本"] * 3
    settings = CHOSEN | {"normalization_rule_name": "identity"}
    data = export(train(lines, 270, settings), "sentencepiece")["tokenizer.model"]
    model = sentencepiece.SentencePieceProcessor(model_proto=data)
    assert model.encode("lowest 日本x", out_type=str)[-3:] == ["日", "本", "<0x78>"]
    with pytest.raises(ExportError, match=r"which is 0\.2\.1, and this run follows 0\.2\.3"):
        export(train(lines, 270, CHOSEN), "sentencepiece")


@given(
    st.lists(st.tuples(st.text("abé日я", min_size=2, max_size=4), st.integers(0, 9)), max_size=8),
    st.integers(1, 12),
    st.integers(0, 3),
)
def test_the_choice_is_the_best_of_all(merges, room, more):
    """As defined: of all numbers of merges, each with its characters and the best others."""
    pieces, counts = [piece for piece, _ in merges], [count for _, count in merges]
    found = {char: 1 + more * i for i, char in enumerate("abé日я")}
    choice = choose_characters(pieces, counts, found, room)
    for k, saved in enumerate(choice.saved.tolist()):
        needed = set("".join(pieces[:k]))
        gains = [(len(char.encode()) - 1) * found[char] for char in needed]
        others = [(len(c.encode()) - 1) * n for c, n in found.items() if c not in needed]
        others = sorted((gain for gain in others if gain), reverse=True)
        others = others[: room - k - len(needed)]
        assert saved == sum(counts[:k]) + sum(gains) + sum(others)
        assert (choice.needed[k], choice.alone[k]) == (len(needed), len(others))
        assert choice.by_characters[k] == sum(gains) + sum(others)
    after = len(choice.saved)
    assert after > len(merges) or after + len(set("".join(pieces[:after]))) > room
    assert choice.saved[choice.merges] == choice.saved.max() >= 0
    assert (choice.saved[choice.merges + 1 :] < choice.saved.max()).all()


@pytest.mark.parametrize("name", RULE_NAMES)
def test_the_rules_that_are_new(name):
    """A letter of Unicode 17 is a capital S; folding case knows the newest capitals; the Arabic
    letter mark is a space."""
    old, new = rules(name), rules(name, NEWER)
    expected = {}
    if name != "identity":
        tails = [source[1:] for source in old if source.startswith("Ｓ")]
        expected = {
            "\ua7f1" + tail: unicodedata.normalize("NFC", ("s" if "cf" in name else "S") + tail)
            for tail in tails
        }
        assert len(tails) == 13
    if "cf" in name:
        capitals = (0xA7CE, 0xA7D2, 0xA7D4, *range(0x16EA0, 0x16EB9))
        expected |= {chr(c): chr(c + (1 if c < 0x10000 else 0x1B)) for c in capitals}
    if "nmt" in name:
        expected["\u061c"] = " "
    assert {source: new[source] for source in new if old.get(source) != new[source]} == expected
    assert old.keys() <= new.keys()


@pytest.mark.parametrize("version", [OLDER, NEWER])
def test_a_text_of_lines_that_are_too_long_is_refused(version):
    with pytest.raises(CorpusError, match="the corpus has no words"):
        tokviz.train("a" * 9000, "sentencepiece-bpe", 20, library_version=version)


def test_a_choice_is_worked_out_once_for_the_same_words():
    history = on_udhr()
    choice = history.trainer.choice(history.words)
    assert history.trainer.choice(history.words) is choice
    # As between processes.
    copied = pickle.loads(pickle.dumps(history))
    assert copied.trainer == history.trainer
    known = copied.trainer.choice(copied.words)
    assert known is copied.trainer.choice(copied.words)
    assert known.characters == choice.characters
    other = replace(copied.words, counts=tuple(count + 1 for count in copied.words.counts))
    assert copied.trainer.choice(other) is not known


def test_a_choice_is_reported_and_can_be_stopped():
    seen = []
    words = on_udhr().words
    trainer = SentencePieceBPE(700, library_version=NEWER, **CHOSEN)
    trainer.choice(words, seen.append)
    assert {report.stage for report in seen} == {"words", "merges"}
    with pytest.raises(tokviz.Cancelled):
        replace(trainer).choice(words, lambda _: False)
    until_merges = {"progress": lambda report: report.stage != "merges"}
    with pytest.raises(tokviz.Cancelled):
        train(text("udhr"), 700, CHOSEN | until_merges)


def test_what_was_chosen_is_told_before_the_first_step():
    history = on_udhr()
    [row] = character_choice(history)[lambda curve: curve.chosen].itertuples()
    known = sum(not symbol.unknown for symbol in history.record.alphabet)
    said = f"Characters chosen: {known} of {len(history.record.alphabet)}, which together with "
    said += f"{len(history)} merges save most: {row.saved:,} tokens "
    said += "fewer than if all were spelled in bytes."
    assert history.narrate(0).endswith(said)
    assert "Characters chosen" not in history.narrate(1)
    plain = train(text("udhr"), 700, {})
    assert "Characters chosen" not in plain.narrate(0)


def test_a_tab_is_a_character():
    """With rules that leave it; 0.2.3 keeps U+001F for its own borders instead."""
    history = train(["a\tb a\tb \x1fc"], 14, {"normalization_rule_name": "identity"})
    assert "\t" in history.vocab(0)
    assert "\x1f" not in history.vocab(0)
    old = tokviz.train(
        ["a\tb a\tb \x1fc"], "sentencepiece-bpe", 9, normalization_rule_name="identity"
    )
    assert "\t" not in old.vocab(0)
    assert "\x1f" in old.vocab(0)
    assert Normalizer("nmt_nfkc", version=NEWER).normalize("a\u061cb") == "▁a▁b"
