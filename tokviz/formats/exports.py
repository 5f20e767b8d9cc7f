"""Trained tokenizers as files that other programs load: one entry of `EXPORTS` a format.

What is written encodes as `history.tokenizer(t)` does, for every text, judged by the library that
reads it. Where a library cannot do that, `why_not` says so and the format is refused.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tokviz.basics.arguments import Shown, check_path
from tokviz.basics.messages import message, told_by
from tokviz.basics.short_repr import short_repr
from tokviz.basics.whole_file import write_whole
from tokviz.formats.endings import check_ending
from tokviz.formats.exporters import (
    merge_files,
    model_file,
    picky_model,
    ranks,
    tokenizer_json,
)
from tokviz.formats.exporters.strings import ExportError
from tokviz.history.base import History

__all__ = ["EXPORTS", "Export", "ExportError", "export", "save_export"]


@dataclass(frozen=True)
class Export:
    """A format: what it is called, what it holds and how to load it, who reads it, and the ending
    of its file ("zip" where there are several, which belong together).

    >>> import tokviz
    >>> history = tokviz.train("low low lower", "bpe", 9)
    >>> list(EXPORTS["merges"].files(history, 1))
    ['vocab.json', 'merges.txt']
    >>> EXPORTS["vocab.txt"].why_not(history)
    'vocab.txt is the vocabulary of WordPiece, and this run is one of bpe; train with the \
algorithm wordpiece.'
    """

    __repr__ = short_repr

    name: str
    label: str
    help: str
    source: str
    ending: str
    _check: Callable[[History], object]
    _files: Callable[[History, int | None], dict[str, bytes]]

    def why_not(self, history: History) -> str | None:
        """Why the run cannot be written exactly in this format, and what to change; None if it
        can, in every state."""
        try:
            self._check(history)
        except ExportError as error:
            return told_by(error)
        return None

    def files(self, history: History, t: int | None = None) -> dict[str, bytes]:
        """The contents of each file by its name, as of state t (the last one if None).

        Raises ExportError with the sentence of `why_not`, and IndexError for a state that the run
        does not have.
        """
        return self._files(history, t)


EXPORTS: dict[str, Export] = {
    export.name: export
    for export in (
        Export(
            "tokenizer.json",
            message("Hugging Face tokenizer.json"),
            message(
                "The whole tokenizer in one file: tokenizers.Tokenizer.from_file, or "
                "transformers.PreTrainedTokenizerFast(tokenizer_file=...). What has no id in "
                "tokviz is the unknown token: <unk> or [UNK] among the special tokens, or else one "
                "more token after the last."
            ),
            "huggingface/tokenizers, tokenizer/serialization.rs",
            "json",
            tokenizer_json.check,
            tokenizer_json.files,
        ),
        Export(
            "vocab.txt",
            message("BERT vocab.txt"),
            message(
                "One token per line, for BertWordPieceTokenizer and BertTokenizer. Load it "
                "without lower-casing, accent stripping, cleaning and handling of Chinese "
                "characters unless the pre-tokenizer has normalize=True."
            ),
            "google-research/bert, tokenization.py (load_vocab)",
            "txt",
            merge_files.check_vocab_txt,
            merge_files.vocab_txt,
        ),
        Export(
            "merges",
            message("GPT-2 vocab.json and merges.txt"),
            message(
                "The model without its pre-tokenizer: tokenizers.models.BPE.from_file(vocab, "
                "merges), with unk_token, continuing_subword_prefix and end_of_word_suffix as "
                "trained. Byte-level runs with the pre-tokenizer gpt2 are also what GPT2Tokenizer "
                "reads."
            ),
            "openai/gpt-2, src/encoder.py; huggingface/tokenizers, models/bpe/model.rs (read_file)",
            "zip",
            merge_files.check_merges,
            merge_files.merges,
        ),
        Export(
            "subword-nmt",
            message("subword-nmt codes"),
            message(
                "The merges for subword-nmt apply-bpe -c codes.bpe. It takes only spaces as "
                "borders of words, so other white space in a text must become spaces first."
            ),
            "rsennrich/subword-nmt, apply_bpe.py",
            "bpe",
            merge_files.check_subword_nmt,
            merge_files.subword_nmt,
        ),
        Export(
            "tiktoken",
            message("tiktoken ranks"),
            message(
                "The rank of every token in bytes, and encoding.py, which loads them with the "
                "pattern and the special tokens of the run: tiktoken.Encoding(name, pat_str=..., "
                "mergeable_ranks=..., special_tokens=...)."
            ),
            "openai/tiktoken, tiktoken/load.py and core.py",
            "zip",
            ranks.check,
            ranks.files,
        ),
        Export(
            "sentencepiece",
            message("SentencePiece .model and .vocab"),
            message(
                "sentencepiece.SentencePieceProcessor(model_file=...). The library adds scores up "
                "over the whole line, tokviz over each word, so of segmentations that are equally "
                "probable to six digits it may choose another. Of the special pieces that a text "
                "spells it keeps user-defined symbols whole, and takes <unk> and control symbols "
                "such as <s> for text, where sentencepiece-bpe keeps all of them whole."
            ),
            "google/sentencepiece 0.2.1, sentencepiece_model.proto",
            "zip",
            model_file.check,
            model_file.files,
        ),
        Export(
            "picky-bpe",
            message("PickyBPE model.json"),
            message(
                "The tokens, merges and removals for picky_tokenize.py of the authors' program. It "
                "takes a word that is a token at once, whatever the steps would make of it, and a "
                "character that it does not know for <UNK>."
            ),
            "pchizhov/picky_bpe, bpe_trainer.py (_dump) and picky_tokenize.py",
            "json",
            picky_model.check,
            picky_model.files,
        ),
    )
}


def export(history: History, name: str, t: int | None = None) -> dict[str, bytes]:
    """The files of a format, as of state t (the last one if None).

    Raises ExportError for a format that there is not, or that cannot hold the run exactly (see
    `Export.why_not`), and IndexError for a state that the run does not have.

    >>> import tokviz
    >>> history = tokviz.train("low low lower", "bpe", 9)
    >>> export(history, "merges", 1)["merges.txt"]
    b'#version: 0.2\\nl o\\n'
    """
    if not isinstance(name, str) or name not in EXPORTS:
        raise ExportError.saying(
            'There is no format "{name}"; choose {choices}.',
            name=name if isinstance(name, str) else Shown(name),
            choices=", ".join(EXPORTS),
        )
    return EXPORTS[name].files(history, t)


def save_export(
    history: History, name: str, directory: str | Path, t: int | None = None
) -> list[Path]:
    """Writes the files of a format into a directory, which is made if it is not there, and gives
    their paths. Raises as `export` does, ExportError for a directory that is called like a file
    ("out.json"), and OSError if a file cannot be written."""
    check_path(directory)
    found = export(history, name, t)
    check_ending(directory, name, [])
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for file, data in found.items():
        write_whole(folder / file, data)
        paths.append(folder / file)
    return paths
