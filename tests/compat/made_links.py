"""The links and moments of the keepsake, as they were chosen: `make.py` asks for them once."""

import base64
import itertools
import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote_plus

from compat import today

from tokviz import PRESETS, SAMPLES
from tokviz.lessons.lesson import bundled
from tokviz.pages.visit.comparisons import COMPARISONS, fitted
from tokviz.pages.visit.link import fields_of, to_link, to_links
from tokviz.pages.visit.moment_file import to_file
from tokviz.pretokenizers import REGEX_PRESETS
from tokviz.server.pool import work
from tokviz.server.runs import Corpus, Run, run_from, run_of_sample
from tokviz.trainers import configured

#: What people typed: scripts, what looks like a marker or like code, what cannot be seen.
TEXTS = {
    "english": "low low lower newest newest widest, the slow lowest",
    "german": "Die Löwen lieben leise Lieder. Löwe, Löwin, liebe Leute!",
    "turkish": "İstanbul'da ılık ışıklar; iyi işler, ılıman iklim",
    "vietnamese": "tiếng Việt tie\u0302\u0301ng vie\u0323\u0302t nước nước",
    "greek": "ο λόγος του λόγου, Σίσυφος ΣΊΣΥΦΟΣ",
    "russian": "ёлка ель ели ёлки и еще елка",
    "arabic": "السلام عليكم السلام والسلام",
    "hebrew": "שלום שלום לכולם בשלום",
    "hindi": "हिन्दी में हिन्दी की किताबें",
    "thai": "ภาษาไทย ภาษาไทยไม่เว้นวรรค ภาษา",
    "chinese": "东京都的东京，学习学习再学习。",
    "japanese": "東京都の東京タワー、カタカナとひらがな",
    "korean": "한국어 한국의 한국인 한글",
    "emoji": "👩\u200d👩\u200d👧\u200d👦 👩\u200d👩\u200d👧 👩🏽\u200d🚀 🇫🇷🇩🇪🇫🇷 👍🏽👍",
    "markers": "Ġa a Ġ ▁a ▁▁ ##a ## a##b </w> a</w> </w>a ⟨Ġ⟩ ⟨##⟩a <unk> [UNK]",
    "script": "<script>alert(\"1\")</script> & <b>bold</b> 'x' &amp; &amp; <b>",
    "unseen": "a\u202eb \u200ba\u200d a\u00a0b \ufeffa \u2028b \x00a \x1bb \u00adab",
    "line ends": "one\r\ntwo one\rtwo one\n\n\n two\tone \n",
    "code": "for i in range(10):\n    x[i] += 1.5e-3  # i\n    if x[i] >= 0:\n        pass",
    "numbers": "3.14159 2,718,281 10 100 1000 10000 ½ ² Ⅷ ٣",
    "one letter": "aaaa aa a aaa aaaaa",
    "nothing": "",
    "blank lines": "\n \n\t\n",
    "long": " ".join(f"un{a}{b}able re{a}{b}ing" for a in "abcde" for b in ("ck", "tt", "mm")),
}
TABLES = {
    "hug": "hug,10\npug,5\npun,12\nbun,4\nhugs,5",
    "spaces": " the,7\n then,3\n they,3\nthe,2",
    "tabs": "low\t5\nlower\t2\nnewest\t6\nwidest\t3",
    "quoted": '"a,b",3\n"say ""hi""",2\n"=1+1",4\n"a,c",3',
    "large": "hug,9007199254740\npug,900719925474\nhugs,3",
    "scripts": "日本,4\n日本語,3\nकिताब,2\nकिताबें,2\nשלום,5",
    "damaged": "no table at all",
    "empty": "",
}
SPECIAL = ("special_tokens", ("<s>", "</s>", "<|endoftext|>"))


def own(title: str, algorithm: str, pretokenizer: str, *settings: Any, steps: int = 18) -> Run:
    """A run on a text or a table of one's own, of so many merges, or so much more than least."""
    table = title in TABLES and title not in TEXTS
    text = TABLES[title] if table else TEXTS[title]
    run = Run(Corpus(f"My {title}", text, table), algorithm, 10, pretokenizer, (), settings)
    return sized(run, steps)


def sized(run: Run, steps: int) -> Run:
    """The run with a vocabulary of so many tokens more than the least."""
    trainer = today.tokviz.make_trainer(run.algorithm, **dict(run.settings))
    try:
        chosen = configured(trainer, run.make_pretokenizer())
        words = work.count(*run.corpus.key, chosen, trainer.special_tokens, None)
    except ValueError:
        return replace(run, vocab_size=40)
    return replace(run, vocab_size=max(1, trainer.least_vocab_size(words, chosen)) + steps)


def on(sample: str, algorithm: str, pretokenizer: str, *settings: Any, steps: int = 18) -> Run:
    """A run on a sample."""
    base = replace(run_of_sample(SAMPLES[sample]), algorithm=algorithm, settings=settings)
    return sized(replace(base, pretokenizer=pretokenizer), steps)


def address(page: str, lanes: Any = (), **parts: str) -> str:
    """What the browser's address bar has: as `URLSearchParams` writes it."""
    links = [lane if isinstance(lane, str) else None for lane in lanes]
    runs = [lane for lane in lanes if isinstance(lane, Run)]
    written = iter(to_links(runs))
    said = [("lane", link or next(written)) for link in links]
    pairs = [*said, *((name.replace("_", ""), value) for name, value in parts.items())]
    query = "&".join(f"{quote_plus(n)}={quote_plus(v, safe='*')}" for n, v in pairs)
    path = "/" if page == "train" else f"/{page}"
    return f"{path}?{query.replace('~', '%7E')}" if query else path


def links() -> Iterator[tuple[str, str]]:
    """Names and addresses."""
    for kind in (
        *(samples, bpe, wordpiece, unigram, sentencepiece, texts, tables, side_by_side),
        *(what_ifs, presets, looks, lessons, damaged),
    ):
        for name, made in kind():
            yield f"{kind.__name__} {name}", made


def samples() -> Iterator[tuple[str, str]]:
    ways = itertools.cycle(
        [
            ("wordpiece", "bert"),
            ("unigram", "metaspace"),
            ("sentencepiece-bpe", "sentencepiece"),
            ("bpe", "whitespace"),
            ("sentencepiece-unigram", "sentencepiece"),
        ]
    )
    for number, name in enumerate(SAMPLES):
        yield name, address("train", [run_of_sample(SAMPLES[name])])
        if number > 13:
            continue
        algorithm, cut = next(ways) if name != "alice" else ("bpe", "gpt2")
        yield f"{name} {algorithm}", address("train", [on(name, algorithm, cut)])


def bpe() -> Iterator[tuple[str, str]]:
    affixes = {
        "bare": (),
        "suffix": (("end_of_word_suffix", "</w>"),),
        "glued": (("end_of_word_suffix", "</w>"), ("suffix_glued", True)),
        "prefix": (("continuing_subword_prefix", "##"),),
        "both": (("end_of_word_suffix", "_"), ("continuing_subword_prefix", "@@")),
    }
    cuts = itertools.cycle(["gpt2", "whitespace", "bert", "regex", "metaspace", "none"])
    corpora = itertools.cycle(["course", "udhr-en", "udhr-tr", "udhr-ko", "udhr-hi", "low-lower"])
    grid = itertools.product(
        ("first-seen", "largest-pair", "smallest-ids", "shortest"), ("char", "byte"), affixes
    )
    for tie, unit, affix in grid:
        run = on(
            *(next(corpora), "bpe", next(cuts)),
            *(("unit", unit), ("tie_break", tie), *affixes[affix]),
        )
        yield f"{tie} {unit} {affix}", address("train", [run])
    for name, settings in {
        "least frequency": (("min_frequency", 3),),
        "special tokens": (SPECIAL,),
        "all bytes": (("unit", "byte"), ("initial_alphabet", ("bytes",))),
        "letters more": (("initial_alphabet", ("q", "é", "日")),),
    }.items():
        yield name, address("train", [on("course", "bpe", "gpt2", *settings)])
    for name, pattern in REGEX_PRESETS.items():
        run = on("udhr-fr", "bpe", "regex", ("unit", "byte"))
        run = replace(run, pretokenizer_settings=(("pattern", pattern),))
        yield f"pattern {name}", address("train", [run])
    run = replace(
        on("course", "bpe", "regex"),
        pretokenizer_settings=(("pattern", r"[a-z]+|\s+|."), ("timeout", 2.5)),
    )
    yield "pattern of one's own", address("train", [run])
    yield "until nothing is left", address("train", [on("course", "bpe", "gpt2", steps=5000)])


def wordpiece() -> Iterator[tuple[str, str]]:
    cuts = ("bert", "gpt2", "whitespace", "metaspace", "none", "regex")
    for score, cut in itertools.product(("likelihood", "frequency"), cuts):
        run = on("udhr-es", "wordpiece", cut, ("score", score), steps=12)
        yield f"{score} {cut}", address("train", [run])
    for name, settings in {
        "special tokens": (("special_tokens", ("[UNK]", "[CLS]")),),
        "least frequency": (("score", "frequency"), ("min_frequency", 2)),
        "letters more": (("initial_alphabet", ("q", "z")),),
    }.items():
        yield name, address("train", [on("course", "wordpiece", "bert", *settings)])
    normal = on("udhr-vi", "wordpiece", "bert")
    normal = replace(normal, pretokenizer_settings=(("normalize", True),))
    yield "normalized", address("train", [sized(normal, 15)])


def unigram() -> Iterator[tuple[str, str]]:
    for name, settings in {
        "usual": (),
        "few seeds": (("seed_size", 80),),
        "large steps": (("prune_fraction", 0.3),),
        "small steps": (("prune_fraction", 0.07), ("seed_size", 90)),
        "overshoots": (("trim_last", False),),
        "no whole words": (("whole_words", False),),
        "short tokens": (("max_token_length", 4),),
        "unknown words": (("unknown", "word"), ("special_tokens", ("<unk>",))),
        "special tokens": (SPECIAL,),
    }.items():
        yield name, address("train", [on("udhr-sw", "unigram", "metaspace", *settings)])
    for cut in ("gpt2", "bert", "whitespace", "none"):
        sample = "hug-pug" if cut == "none" else "course"
        yield cut, address("train", [on(sample, "unigram", cut)])


def sentencepiece() -> Iterator[tuple[str, str]]:
    shared = {
        "usual": (),
        "byte fallback": (("byte_fallback", True), ("character_coverage", 0.98)),
        "digits": (("split_digits", True), ("split_by_number", False)),
        "across spaces": (("split_by_whitespace", False), ("remove_extra_whitespaces", False)),
        "no prefix": (("add_dummy_prefix", False),),
        "identity": (("normalization_rule_name", "identity"),),
        "folded": (("normalization_rule_name", "nmt_nfkc_cf"),),
        "own symbols": (("user_defined_symbols", ("[CLS]", "human")),),
        "ids": (("pad_id", 3), ("unk_id", 1), ("bos_id", 0), ("eos_id", -1)),
        "scripts": (("split_by_unicode_script", False), ("max_sentencepiece_length", 5)),
        "short lines": (("max_sentence_length", 60),),
    }
    own_settings = {
        "eager": (("shrinking_factor", 0.6), ("num_sub_iterations", 1)),
        "few seeds": (("seed_sentencepiece_size", 60),),
        "exact": (("exact_deltas", True), ("shrinking_factor", 0.9)),
    }
    for algorithm in ("sentencepiece-bpe", "sentencepiece-unigram"):
        more = own_settings if algorithm == "sentencepiece-unigram" else {}
        for name, settings in (shared | more).items():
            run = on("udhr-de", algorithm, "sentencepiece", *settings, steps=30)
            yield f"{algorithm} {name}", address("train", [run])
        if more:
            pruned = (("seed_sentencepiece_size", 400), ("exact_deltas", True))
            run = on("alice", algorithm, "sentencepiece", *pruned, steps=60)
            yield f"{algorithm} pruned", address("train", [run])
        yield f"{algorithm} metaspace", address("train", [on("course", algorithm, "metaspace")])


def texts() -> Iterator[tuple[str, str]]:
    ways = itertools.cycle(
        [
            ("bpe", "gpt2", ("unit", "byte")),
            ("unigram", "metaspace"),
            ("bpe", "whitespace", ("tie_break", "shortest")),
            ("wordpiece", "bert"),
            ("sentencepiece-bpe", "sentencepiece"),
            ("bpe", "none", ("end_of_word_suffix", "</w>")),
            ("sentencepiece-unigram", "sentencepiece"),
        ]
    )
    for name in TEXTS:
        yield name, address("train", [own(name, *next(ways))])


def tables() -> Iterator[tuple[str, str]]:
    ways = itertools.cycle([("bpe", "none"), ("wordpiece", "whitespace"), ("unigram", "none")])
    for name in TABLES:
        yield name, address("train", [own(name, *next(ways), steps=6)])
    run = own("spaces", "sentencepiece-unigram", "sentencepiece", steps=6)
    yield "sentencepiece", address("train", [run])


def side_by_side() -> Iterator[tuple[str, str]]:
    aligns = itertools.cycle(["step", "size", "share"])
    for sample, page in (("course", "compare"), ("udhr-el", "train")):
        base = run_of_sample(SAMPLES[sample])
        for name, comparison in COMPARISONS.items():
            made = fitted([run_from(base.corpus, 60, s) for s in comparison.settings])
            yield f"{name} {sample}", address(page, made, align=next(aligns), step="9")
    mine = own("english", "bpe", "gpt2")
    lanes = [
        mine,
        replace(mine, algorithm="wordpiece", pretokenizer="bert", settings=()),
        replace(mine, vocab_size=mine.vocab_size + 4),
        own("german", "unigram", "metaspace"),
    ]
    for n in range(2, 5):
        yield f"{n} lanes that share a text", address("compare", lanes[:n], step="5")
        yield f"{n} lanes, train", address("train", lanes[:n], align="size", step="3")
    alike = [mine, mine]
    yield "the same lane twice", address("compare", alike, align="share", step="50")
    mixed = [run_of_sample(SAMPLES["udhr-ar"]), own("arabic", "bpe", "gpt2")]
    yield "other texts", address("compare", mixed)


def what_ifs() -> Iterator[tuple[str, str]]:
    for name, run, steps in (
        ("bpe first", on("course", "bpe", "gpt2"), [0]),
        ("bpe later", on("udhr-es", "bpe", "gpt2"), [7]),
        ("bpe three", on("udhr-en", "bpe", "whitespace", ("tie_break", "shortest")), [0, 3, 9]),
        ("bpe suffix", on("udhr-de", "bpe", "bert", ("end_of_word_suffix", "</w>")), [2, 4]),
        ("wordpiece", on("course", "wordpiece", "bert"), [1]),
        ("wordpiece frequency", on("udhr-tr", "wordpiece", "bert", ("score", "frequency")), [2]),
        ("own text", own("japanese", "bpe", "none"), [1]),
        ("table", own("tabs", "bpe", "none", steps=6), [2]),
    ):
        told: tuple[Any, ...] = ()
        for step in steps:
            rows = today.trained(replace(run, interventions=told)).candidates(step, 4)
            row = rows[~rows.chosen].iloc[-1]
            told = (*told, (step, (row.left, row.right)))
        yield name, address("train", [replace(run, interventions=told)], step=str(steps[0]))
        yield (
            f"{name} beside",
            address("compare", [run, replace(run, interventions=told)], align="step"),
        )
    for name, action, run in (
        ("keep", "keep", on("course", "unigram", "metaspace")),
        ("drop", "drop", on("udhr-fr", "unigram", "metaspace")),
    ):
        rows = today.trained(run).candidates(1)
        some = rows[rows.chosen] if action == "keep" else rows[~rows.chosen & (rows.loss_delta > 0)]
        tokens = tuple(some.token.iloc[:2])
        yield (
            name,
            address("train", [replace(run, interventions=((1, (action, *tokens)),))], step="2"),
        )
    yield (
        "keep and drop",
        address("train", [replace(run, interventions=((0, ("drop", *tokens)),)), run]),
    )


def presets() -> Iterator[tuple[str, str]]:
    base = run_of_sample(SAMPLES["course"])
    for name, preset in PRESETS.items():
        run = run_from(base.corpus, 60, preset.settings)
        yield name, address("train", [sized(run, 20)])


def looks() -> Iterator[tuple[str, str]]:
    course, pieces = run_of_sample(SAMPLES["course"]), on("course", "wordpiece", "bert")
    pruned = on("course", "unigram", "metaspace")
    for name, parts in {
        "nothing": {},
        "step": {"step": "7"},
        "last step": {"step": "20"},
        "words": {"view": "words", "step": "3"},
        "fast": {"speed": "60", "step": "1"},
        "slow": {"speed": "0.5"},
        "ties": {"stop": "tie"},
        "birth": {"stop": "birth", "token": "0..Ġto"},
        "size": {"stop": "size.44"},
        "present": {"present": "1", "keys": "1"},
        "quiz": {"quiz": "1", "step": "4"},
        "token": {"token": "0.3.is", "step": "7"},
        "scores": {"lens": "scores"},
        "vocabulary": {"lens": "vocabulary"},
        "steps": {"lens": "steps", "step": "11"},
        "word": {"lens": "word", "word": "tokens"},
        "find": {"lens": "token", "find": "Ġt", "step": "2"},
        "encode": {"lens": "encode"},
        "everything": {
            "step": "13", "view": "words", "speed": "15", "stop": "tie", "present": "1",
            "keys": "1", "token": "0..is", "lens": "token", "find": "is",
        },
    }.items():  # fmt: skip
        yield name, address("train", [course], **parts)
    two = [course, pieces]
    yield "lens of a lane", address("train", two, lens="word", of="1", word="tokens")
    yield "token of a lane", address("train", two, token="1..##o", align="size", step="4")
    yield "end of a token", address("train", [pruned], stop="end", token="0..▁the")
    yield "share", address("train", [course, pruned], align="share", step="40")
    yield "curves", address("compare", two, lens="metrics", curves="fertility.entropy")
    yield "held out", address("compare", two, lens="held-out", align="size", step="12")
    yield "languages", address("compare", two, side="languages")
    yield "grid", address("compare", [course], side="grid")
    yield (
        "page encode",
        address("encode", [course], step="9", text="Tokenizers tokenize", pins="3.7.20"),
    )
    yield "page encode, lanes", address("encode", two, align="size", step="5", text="<b>é日\n</b>")
    yield "page encode, no text", address("encode", [pruned])


def lessons() -> Iterator[tuple[str, str]]:
    for number, name in enumerate(bundled(), 1):
        yield name, address("learn", lesson=name, scene=str(number % 4 + 1))
    mine = own("english", "bpe", "gpt2")
    yield "own text", address("learn", [mine], lesson="why-subwords", scene="2")
    yield "own words", address("learn", [own("german", "unigram", "metaspace")], lesson="unigram")
    yield "no such lesson", address("learn", lesson="<b>none</b>")
    yield "no number", address("learn", lesson="ties", scene="x")
    yield "list", address("learn")


def packed(fields: Any) -> str:
    """A link that somebody wrote by hand."""
    data = zlib.compress(json.dumps(fields).encode())
    return "~" + base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def damaged() -> Iterator[tuple[str, str]]:
    course = run_of_sample(SAMPLES["course"])
    good, long = to_link(replace(course, vocab_size=44)), to_link(own("long", "bpe", "gpt2"))
    fields = fields_of(
        replace(course, corpus=replace(course.corpus, title="By hand", text="low low lower"))
    )

    def by_hand(place: int, value: Any) -> str:
        return packed([*fields[:place], value, *fields[place + 1 :]])

    alone = {
        "cut off": long[:-9],
        "no code": "~é",
        "no sample": "nothing",
        "surrogate": by_hand(2, "a \ud800"),
        "algorithm": by_hand(4, "gpt"),
        "size": by_hand(5, 0),
        "huge size": by_hand(5, 100_001),
        "too small": by_hand(5, 2),
        "pre-tokenizer": by_hand(6, "words"),
        "setting": by_hand(8, [["no_such", 1]]),
        "kind": by_hand(8, [["min_frequency", "2"]]),
        "value": by_hand(8, [["min_frequency", 0]]),
        "told": by_hand(8, [["interventions", [[0, ["no", "pair"]]]]]),
        "too many fields": packed([*fields, 1]),
        "shares nothing": packed([0, *fields[1:]]),
        "bad pattern": packed([*fields[:6], "regex", [["pattern", "("]], []]),
        "as once: true": packed([True, *fields[1:]]),
    }
    for name, link in alone.items():
        yield name, address("train", [link])
        if len(name) < 8:
            yield f"{name} beside", address("compare", [link, good], step="900")
    # As addresses were before lanes shared their text.
    old = [packed(fields), packed([*fields[:4], "wordpiece", 30, "bert", [], []])]
    yield "each with its text", address("train", old, step="2")
    five = [to_link(replace(course, vocab_size=40 + i)) for i in range(5)]
    yield "five lanes", address("train", five, align="size")
    for name, value in {
        "step": "-1<b>", "align": "diagonal", "view": "<i>", "speed": "1e9", "stop": "end",
        "present": "yes", "token": "0..none", "lens": "numbers", "of": "7",
    }.items():  # fmt: skip
        yield f"part {name}", address("train", [good], **{name: value})
    yield "parts of compare", address("compare", [good], side="<i>", curves="entropy.beauty")
    yield "a part twice", address("train", [good], step="4") + "&step=5"


def moments() -> Iterator[tuple[str, bytes]]:
    """Names and files."""
    course, long = run_of_sample(SAMPLES["course"]), TEXTS["long"] * 3
    mine = own("markers", "bpe", "whitespace")
    large = Run(Corpus("Long", long), "bpe", 90, "gpt2", (), (("unit", "byte"),))
    large = sized(large, 25)
    told = replace(course, interventions=((13, ("i", "n")),))
    for name, page, lanes, parts in (
        ("sample", "train", [course], {}),
        ("step and look", "train", [course], {"step": "7", "view": "words", "speed": "4"}),
        ("long text", "train", [large], {"step": "11", "lens": "word", "word": "unackable"}),
        ("shared text", "compare", [large, replace(large, vocab_size=60)], {"align": "size"}),
        ("what if", "train", [course, told], {"step": "13"}),
        ("hostile", "train", [mine], {"token": "0..Ġ", "text": "<b>"}),
        ("table", "train", [own("quoted", "wordpiece", "none", steps=5)], {}),
        ("four", "compare", [course, mine, own("thai", "unigram", "metaspace"), told],
         {"align": "share", "step": "60", "lens": "metrics", "curves": "fertility"}),
        ("sentencepiece", "train", [on("udhr-de", "sentencepiece-unigram", "sentencepiece")], {}),
        ("lost parts", "train", [course], {"step": "x", "view": "none", "new": "part"}),
        ("empty text", "train", [own("nothing", "bpe", "gpt2")], {}),
        ("crlf", "train", [own("line ends", "sentencepiece-bpe", "sentencepiece")], {}),
    ):  # fmt: skip
        yield f"{name}.tokviz.json", to_file(page, lanes, parts)
