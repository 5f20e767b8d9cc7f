"""Runs and lines that all tests of exports share: every algorithm and pre-tokenizer, small."""

import random
from functools import cache

from effort import each, some

import tokviz
from tokviz.pretokenizers import BertPretokenizer, SentencePiecePretokenizer
from tokviz.text.corpus import count_words
from tokviz.text.languages import joined
from tokviz.text.samples import SAMPLES

#: What looks like a marker, joins, is invisible, or is of a kind that libraries treat apart.
STRANGE = [
    " ", "  ", "\t", "\u00a0", "\u3000", "\x1c", "\x85", "\x00", "\x7f", "\u200b", "\ufeff",
    "Ġ", "▁", "##", "#", "</w>", "@@", "⟨Ġ⟩", "�", "\u0378", "<unk>", "[UNK]", "<s>", "</s>",
    "<0x41>", "<|endoftext|>", "[CLS]", "<|end", "é", "e\u0301", "a\u0323\u0302", "\u0301", "ﬁ",
    "ß", "İ", "ſ", "👩\u200d👩\u200d👧", "🇩🇪", "👍🏽", "日本", "한국", "ไทย", "हिन्दी", "עברית",
    "العربية", "Ελλάς", "Ж", "'s", "'LL", "don't", "123456", "1", "½", "Ⅷ", "€", "!?", "...",
    "\xad", "\ua7d2", "\U00010d50", "\u1734", "\U00011938", "\U0001e130", "\U0010ffff", "\r",
    "x" * 101,
]  # fmt: skip


@cache
def corpus():
    """Lines of English and of sixteen languages, in which no marker is typed."""
    return [*SAMPLES["alice"].documents[:40], *SAMPLES["udhr"].documents]


#: The sixteen languages, each as a text of its own.
LANGUAGES = joined({name: SAMPLES[name].corpus for name in SAMPLES if name.startswith("udhr-")})
#: How many lines all exports are tried on.
MANY = some(1000)


@cache
def lines(number=MANY, seed=7):
    """Lines of the samples, of the corpus in pieces with strange characters, and of any."""
    draw = random.Random(seed)
    text = " ".join(corpus())

    def part():
        kind = draw.random()
        if kind < 0.6:
            start = draw.randrange(len(text) - 8)
            return text[start : start + draw.randint(1, 8)]
        if kind < 0.9:
            return draw.choice(STRANGE)
        return chr(draw.choice([draw.randrange(1, 0x3000), draw.randrange(0xE000, 0x110000)]))

    made = ["".join(part() for _ in range(draw.randint(1, 7))) for _ in range(number - 60)]
    return ["", " ", *(line[:90] for line in corpus()), *made, *(char for char in STRANGE)]


BYTES = {"unit": "byte", "initial_alphabet": ("bytes",)}
SPECIAL = {"special_tokens": ("<|endoftext|>", "<s>", "<s><s>")}
FEWER = {"special_tokens": ("<|endoftext|>", "<s>")}
GPT4 = {"pretokenizer": "regex"}
IDENTITY = {"normalization_rule_name": "identity"}
SENNRICH = {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>", "suffix_glued": True}

#: name → letters of the formats that it can be written in (see `_LETTERS`), algorithm and settings,
#: the pre-tokenizer among them.
RUNS = {
    "bpe bytes gpt2": ("JMT", "bpe", BYTES | FEWER | {"pretokenizer": "gpt2"}),
    "bpe bytes, not all": ("JM", "bpe", {"unit": "byte", "tie_break": "shortest"}),
    "bpe bytes gpt4": ("JMT", "bpe", BYTES | GPT4 | {"tie_break": "largest-pair"}),
    "bpe bytes bert": ("JM", "bpe", BYTES | {"pretokenizer": "bert"}),
    "bpe bytes whitespace": ("JMT", "bpe", BYTES | FEWER | {"pretokenizer": "whitespace"}),
    "bpe bytes metaspace": ("JM", "bpe", BYTES | {"pretokenizer": "metaspace"}),
    "bpe bytes none": ("JMT", "bpe", BYTES | FEWER | {"pretokenizer": "none"}),
    "bpe bytes suffix": ("JM", "bpe", {"unit": "byte", **SENNRICH}),
    "bpe bytes prefix": ("JM", "bpe", {"unit": "byte", "continuing_subword_prefix": "@"}),
    "bpe bytes sentencepiece": (
        "JM",
        "bpe",
        BYTES | {"pretokenizer": SentencePiecePretokenizer("identity")},
    ),
    "bpe gpt2": ("JM", "bpe", {"pretokenizer": "gpt2", "special_tokens": ("<s>", "[UNK]")}),
    "bpe gpt4": ("JM", "bpe", GPT4 | SPECIAL | {"tie_break": "smallest-ids"}),
    "bpe bert": ("JM", "bpe", {"pretokenizer": "bert"}),
    "bpe sennrich": ("JMN", "bpe", SENNRICH | {"tie_break": "largest-pair"}),
    "bpe both markers": (
        "JM",
        "bpe",
        SENNRICH | {"continuing_subword_prefix": "##", "special_tokens": ("<unk>", "[CLS]")},
    ),
    "bpe metaspace": ("JM", "bpe", {"pretokenizer": "metaspace", "special_tokens": ("<s>",)}),
    "bpe none": ("JM", "bpe", {"pretokenizer": "none"}),
    "bpe sentencepiece": ("JM", "bpe", {"pretokenizer": SentencePiecePretokenizer("identity")}),
    "wordpiece bert": ("JV", "wordpiece", {"special_tokens": ("[PAD]", "[UNK]", "[CLS]", "[SEP]")}),
    "wordpiece uncased": (
        "JV",
        "wordpiece",
        {
            "pretokenizer": BertPretokenizer(True),
            "score": "frequency",
            "special_tokens": ("[UNK]", "[CLS]", "[SEP]"),
        },
    ),
    "wordpiece gpt2": ("J", "wordpiece", {"pretokenizer": "gpt2", "score": "frequency"}),
    "wordpiece whitespace": ("J", "wordpiece", {"pretokenizer": "whitespace", **SPECIAL}),
    "wordpiece metaspace": ("J", "wordpiece", {"pretokenizer": "metaspace"}),
    "wordpiece none": ("J", "wordpiece", {"pretokenizer": "none"}),
    "unigram": ("J", "unigram", SPECIAL),
    "unigram <unk>": ("J", "unigram", {"special_tokens": ("<s>", "<unk>")}),
    "unigram whole word": ("J", "unigram", {"special_tokens": ("<unk>",), "unknown": "word"}),
    "unigram whole word, no <unk>": ("J", "unigram", {"unknown": "word"}),
    "sp-bpe identity": ("JS", "sentencepiece-bpe", IDENTITY),
    "sp-bpe bytes": (
        "JS",
        "sentencepiece-bpe",
        IDENTITY | {"byte_fallback": True, "character_coverage": 0.98, "pad_id": 3},
    ),
    "sp-bpe lines": (
        "J",
        "sentencepiece-bpe",
        IDENTITY
        | {"split_by_whitespace": False, "user_defined_symbols": ("[CLS]", "@@")}
        | {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
    ),
    "sp-bpe metaspace": ("J", "sentencepiece-bpe", {"pretokenizer": "metaspace"}),
    "sp-bpe uncased": ("J", "sentencepiece-bpe", {"pretokenizer": BertPretokenizer(True)}),
    "sp-bpe": ("S", "sentencepiece-bpe", {"character_coverage": 0.99}),
    "picky metaspace": ("P", "picky-bpe", {"pretokenizer": "metaspace", "threshold": 0.6}),
    "picky gpt2": ("", "picky-bpe", {"threshold": 0.6, "special_tokens": ("<s>",)}),
    "parity": ("J", "parity-bpe", {"variant": "window", "special_tokens": ("<s>", "[UNK]")}),
    "parity bytes": ("J", "parity-bpe", BYTES | FEWER | {"tie_break": "shortest"}),
    "super": ("J", "super-bpe", {"special_tokens": ("<s>",)}),
    "super bytes": ("J", "super-bpe", BYTES | {"words": "gpt2", "longest": 2}),
    "hf-unigram": ("J", "huggingface-unigram", {"special_tokens": ("<s>", "<unk>")}),
    "hf-unigram alphabet": ("J", "huggingface-unigram", {"initial_alphabet": ("ü", "日")}),
    "boundless": ("", "boundless-bpe", {"special_tokens": ("<s>",)}),
    "sp-unigram": ("S", "sentencepiece-unigram", {}),
    "sp-unigram bytes": (
        "S",
        "sentencepiece-unigram",
        {"byte_fallback": True, "character_coverage": 0.98, "bos_id": -1, "pad_id": 5},
    ),
    "sp-unigram symbols": (
        "S",
        "sentencepiece-unigram",
        IDENTITY | {"user_defined_symbols": ("[CLS]", "@@"), "unk_id": 1, "bos_id": 0},
    ),
}  # fmt: skip


@cache
def run(name):
    """A run of at most 120 merges, or to some 100 tokens more than it needs."""
    _letters, algorithm, settings = RUNS[name]
    settings = dict(settings)
    text = LANGUAGES if algorithm == "parity-bpe" else corpus()
    pretokenizer = settings.pop("pretokenizer", None)
    trainer = tokviz.make_trainer(algorithm, 100_000, **settings)
    chosen = tokviz.pretokenizers.make_pretokenizer(pretokenizer or trainer.default_pretokenizer)
    words = count_words(text, tokviz.trainers.configured(trainer, chosen), trainer.special_tokens)
    size = trainer.least_vocab_size(words, chosen) + 120
    return tokviz.train(text, algorithm, size, pretokenizer, **settings)


def lines_of(history, t):
    """All lines for the last state, others for those on the way there."""
    return lines() if t == len(history) else each(lines(130, 1), 2)


@cache
def encoder(history, t):
    """What gives the ids of a line in a state; tests of several formats ask for the same lines."""
    tokenizer = history.tokenizer(t)
    return cache(lambda line: tokenizer.encode(line).ids)


def states(history):
    """The first, the middle and the last one."""
    return [0, len(history) // 2, len(history)]


_LETTERS = {
    "J": "tokenizer.json",
    "M": "merges",
    "V": "vocab.txt",
    "T": "tiktoken",
    "N": "subword-nmt",
    "S": "sentencepiece",
    "P": "picky-bpe",
}
#: The formats that each run can be written in.
FORMATS = {
    name: {_LETTERS[letter] for letter in letters}
    for name, (letters, _algorithm, _settings) in RUNS.items()
}


def runs_of(name):
    """The runs that can be written in a format."""
    return [one for one, formats in FORMATS.items() if name in formats]
