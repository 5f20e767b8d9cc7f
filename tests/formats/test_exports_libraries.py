"""The formats of lines, ranks and pieces, each judged by the library that reads it."""

import io
import re
import runpy

import pytest
import sentencepiece
from export_cases import encoder, lines, lines_of, run, runs_of, states
from helpers import anything
from subword_nmt.apply_bpe import BPE
from test_exports import assert_encodes_alike, loaded, plain
from tiktoken.load import load_tiktoken_bpe
from tokenizers import BertWordPieceTokenizer, ByteLevelBPETokenizer, models

import tokviz
from tokviz.formats.exporters import model_file
from tokviz.formats.exporters.strings import unknown_of
from tokviz.formats.exports import EXPORTS, ExportError, export
from tokviz.formats.readers.sentencepiece_model import read_model
from tokviz.pretokenizers import BertPretokenizer


@pytest.mark.parametrize("name", runs_of("vocab.txt"))
@pytest.mark.checked_against("tokenizers", "export", "vocab.txt")
def test_vocab_txt(name, tmp_path, checked):
    history = run(name)
    uncased = history.pretokenizer == BertPretokenizer(True)
    for t in states(history):
        [path] = history.export("vocab.txt", tmp_path / str(t), t)
        library = BertWordPieceTokenizer(
            str(path),
            clean_text=uncased,
            handle_chinese_chars=uncased,
            strip_accents=uncased,
            lowercase=uncased,
        )
        # The normalizer of the library knows less of Unicode than that of a tokenizer.json.
        texts = [re.sub("[^\0-\u05ff]", "", line) for line in lines_of(history, t)]
        assert_encodes_alike(history, t, library, texts)
        checked(texts=len(texts))


@pytest.mark.parametrize("name", runs_of("merges"))
@pytest.mark.checked_against("tokenizers", "export", "merges")
def test_merges(name, tmp_path, checked):
    """The model, with the pre-tokenizer that a tokenizer.json has."""
    history = run(name)
    spelling, unknown = history.spelling, unknown_of(history)
    markers = {
        "continuing_subword_prefix": spelling.continuing_subword_prefix,
        "end_of_word_suffix": spelling.end_of_word_suffix,
        "unk_token": unknown and unknown.string,
    }
    for t in (0, len(history)):
        paths = map(str, history.export("merges", tmp_path / str(t), t))
        library = loaded(history, t)
        library.model = models.BPE.from_file(*paths, **{k: v for k, v in markers.items() if v})
        assert_encodes_alike(history, t, library, lines(130, 1))
        checked(texts=len(lines(130, 1)))


def test_merges_are_what_gpt2_reads(tmp_path):
    history = run("bpe bytes gpt2")
    library = ByteLevelBPETokenizer(*map(str, history.export("merges", tmp_path)))
    library.add_special_tokens([*history.special_tokens])
    assert_encodes_alike(
        history, len(history), library, [line for line in lines() if line.isascii()]
    )


@pytest.mark.parametrize("name", runs_of("subword-nmt"))
@pytest.mark.checked_against("subword-nmt", "export", "subword-nmt")
def test_subword_nmt(name, checked):
    history = run(name)
    with pytest.raises(ExportError, match="does not read codes without a merge"):
        export(history, "subword-nmt", 0)
    for t in [1, *states(history)[1:]]:
        data = export(history, "subword-nmt", t)["codes.bpe"]
        library, tokenizer = BPE(io.StringIO(data.decode())), history.tokenizer(t)
        for line in lines_of(history, t):
            encoding = tokenizer.encode(line)
            words = encoding.word_ids
            inside = [word in words[at + 1 : at + 2] for at, word in enumerate(words)]
            ours = [
                line[start:end] + "@@" * more
                for (start, end), more in zip(encoding.offsets, inside, strict=True)
            ]
            theirs = library.segment(" ".join(line.split()))
            assert theirs == " ".join(ours), line
        checked(texts=len(lines_of(history, t)))


@pytest.mark.parametrize("name", runs_of("tiktoken"))
@pytest.mark.checked_against("tiktoken", "export", "tiktoken")
def test_tiktoken(name, tmp_path, checked):
    history = run(name)
    for t in states(history):
        ranks, loader = history.export("tiktoken", tmp_path / str(t), t)
        library = runpy.run_path(str(loader))["encoding"]
        tokenizer, ids_of = history.tokenizer(t), encoder(history, t)
        for line in lines_of(history, t):
            ids = library.encode(line, allowed_special="all")
            assert ids == ids_of(line), line
            if "\ud800" not in line and history.pretokenizer.name != "whitespace":
                assert library.decode(ids) == tokenizer.decode(ids)
        assert len(library._mergeable_ranks) == history.vocab_size(t) - len(history.special_tokens)
        assert load_tiktoken_bpe(str(ranks)) == library._mergeable_ranks
        checked(texts=len(lines_of(history, t)))


def near_tie(library, ids, others):
    """Whether two segmentations are equally probable to six digits."""
    one, other = (sum(map(library.get_score, some)) for some in (ids, others))
    return ids == others or one == pytest.approx(other, rel=1e-6)


@pytest.mark.parametrize("name", runs_of("sentencepiece"))
@pytest.mark.checked_against("sentencepiece", "export", "sentencepiece")
def test_sentencepiece(name, checked):
    history = run(name)
    merges = history.algorithm == "sentencepiece-bpe"
    for t in states(history):
        found = export(history, "sentencepiece", t)
        model = found["tokenizer.model"]
        library = sentencepiece.SentencePieceProcessor(model_proto=model)
        tokenizer, again = history.tokenizer(t), read_model(model).tokenizer()
        strings = [library.id_to_piece(i) for i in range(library.get_piece_size())]
        assert strings == plain(tokenizer)
        listed = [line.split("\t") for line in found["tokenizer.vocab"].decode().split("\n")[:-1]]
        assert [piece for piece, _ in listed] == strings
        scores = [library.get_score(i) for i in range(len(strings))]
        assert [float(score) for _, score in listed] == pytest.approx(scores, rel=1e-5)
        compared = tied = 0
        for line in lines_of(history, t):
            ids = library.encode(line)
            assert ids == again.encode(line).ids, line
            # See test_which_special_pieces_stay_whole.
            if not (merges and any(special in line for special in history.special_tokens)):
                compared += 1
                ours = encoder(history, t)(line)
                if merges or ids != ours:
                    # Sums over a line and over its words are rounded apart.
                    assert near_tie(library, ids, ours), line
                    tied += ids != ours
        assert compared > 60
        assert tied < (1 if merges else compared / 20)
        assert library.unk_id() == tokenizer.strings.index("<unk>")
        assert library.bos_id() == (tokenizer.strings.index("<s>") if "<s>" in strings else -1)
        checked(texts=compared, different_texts=tied)


@pytest.mark.parametrize("corpus", ["", " \n "])
@pytest.mark.parametrize(
    "settings", [{}, {"byte_fallback": True}, {"user_defined_symbols": ("x",)}], ids=str
)
def test_a_unigram_model_without_a_piece(corpus, settings):
    """The library loads one that can look anything up, and no other."""
    history = tokviz.train(corpus, "sentencepiece-unigram", 300, counted=anything, **settings)
    why = EXPORTS["sentencepiece"].why_not(history)
    library = sentencepiece.SentencePieceProcessor()
    for t in range(len(history) + 1):
        if "user_defined_symbols" in settings:
            assert why is None
            model = export(history, "sentencepiece", t)["tokenizer.model"]
            assert library.LoadFromSerializedProto(model)
            assert library.encode("x x") == history.tokenizer(t).encode("x x").ids
            continue
        assert why.startswith("The run has no piece besides special ones")
        with pytest.raises(ExportError, match="train on a text with at least one word"):
            export(history, "sentencepiece", t)
        # It is as the sentence says.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(model_file, "check_learned", list)
            model = export(history, "sentencepiece", t)["tokenizer.model"]
        with pytest.raises(RuntimeError, match="no pieces are loaded"):
            library.LoadFromSerializedProto(model)


def test_a_course_unigram_without_a_piece():
    why = EXPORTS["tokenizer.json"].why_not(tokviz.train("", "unigram", 10, counted=anything))
    assert why.startswith("The run has no piece besides special ones")


@pytest.mark.parametrize("algorithm", ["sentencepiece-bpe", "sentencepiece-unigram"])
def test_which_special_pieces_stay_whole(algorithm):
    """What the format's help and the trainers say: the library keeps user-defined symbols whole,
    no control symbol and no <unk>; the tokenizer of a sentencepiece-bpe run keeps all of them."""
    merges = algorithm == "sentencepiece-bpe"
    kinds = {"<unk>": "unknown", "<s>": "control", "</s>": "control", "<pad>": "control"}
    symbols = {} if merges else {"user_defined_symbols": ("[X]", "</s>")}
    if symbols:
        kinds |= dict.fromkeys(symbols["user_defined_symbols"], "user_defined")
    corpus = "low lower lowest slow < s > / [X] k n u p a d"
    history = tokviz.train(corpus, algorithm, 40, pad_id=3, **symbols)
    assert {meta.piece: meta.kind for meta in history.trainer.meta_pieces.values()} == kinds
    model = export(history, "sentencepiece")["tokenizer.model"]
    library = sentencepiece.SentencePieceProcessor(model_proto=model)
    for piece, kind in kinds.items():
        text = f"low{piece}low"
        whole = piece in library.encode(text, out_type=str)
        assert whole == (kind == "user_defined"), piece
        assert (piece in history.tokenizer().encode(text).tokens) == (whole or merges), piece
