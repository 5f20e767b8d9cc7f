"""Other people's trainers, set to learn what ours learns; and how two calls are compared."""

import io
import re
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

#: The GPT-2 pattern, as tiktoken's educational trainer wants it.
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns and the seconds that it took."""
    start = perf_counter()
    return call(), perf_counter() - start


def alternating(rounds: int, *calls: Callable[[], Any]) -> tuple[list[Any], list[float]]:
    """The last results of some calls and their median seconds, one call after the other in each
    round, so that a busy machine is busy for all of them."""
    results: list[Any] = [None] * len(calls)
    seconds: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for i, call in enumerate(calls):
            results[i], taken = timed(call)
            seconds[i].append(taken)
    return results, list(map(median, seconds))


def tokenizers_bpe(text: str, vocab_size: int) -> Any:
    """Hugging Face tokenizers, byte-level BPE, at its default threads. Keeps no history."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(re.split(r"\r\n|\n|\r", text), trainer)
    return tokenizer


def subword_nmt(text: str, merges: int) -> list[str]:
    """subword-nmt's learn_bpe (Sennrich et al. 2016): glued </w>, largest pair, at least twice."""
    from subword_nmt.learn_bpe import learn_bpe

    out = io.StringIO()
    learn_bpe(io.StringIO(text), out, merges)
    return out.getvalue().splitlines()[1:]


def tiktoken_educational(text: str, merges: int) -> Any:
    """tiktoken's educational trainer: first-seen, every word of the text each time."""
    from tiktoken._educational import bpe_train

    return bpe_train(text, 256 + merges, GPT2, visualise=None)


def published_loop(text: str, merges: int) -> list[tuple[str, str, int]]:
    """The training loop of "Byte-Pair Encoding For Beginners" (2024) and Sennrich et al. (2016):
    count all pairs, merge the best by a regular expression, again and again. Keeps no history."""
    vocab: dict[str, int] = defaultdict(int)
    for line in text.split("\n"):
        for word in line.split():
            vocab[" ".join(word) + " </w>"] += 1
    best_pairs = []
    for _ in range(merges):
        pairs: dict[tuple[str, str], int] = defaultdict(int)
        for word, count in vocab.items():
            symbols = word.split()
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] += count
        best = max(pairs, key=pairs.__getitem__)
        best_pairs.append((*best, pairs[best]))
        pattern = re.compile(r"(?<!\S)" + re.escape(" ".join(best)) + r"(?!\S)")
        joined = "".join(best).replace("\\", "\\\\")
        vocab = {pattern.sub(joined, word): count for word, count in vocab.items()}
    return best_pairs
