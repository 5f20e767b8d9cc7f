"""Runs the trainer of BoundlessBPE's authors on texts and writes down its steps:
`python tests/record_boundless_bpe.py CHECKOUT` makes tests/data/boundless-bpe.json.xz of a checkout
of https://github.com/kensho-technologies/boundlessbpe (commit COMMIT).

A superword of twice the same stays locked in the program, which its source has as something to work
out, and which later programs of its authors do not do. Here such a word may be joined. And a word
that is taken back is unlocked for ever in the program, which goes on to join it where its own
encoder finds single bytes; here it is locked then. Which runs are the same without these two is
written down, too. Nothing else is changed.
"""

import contextlib
import io
import json
import lzma
import random
import sys
import tempfile
from collections import Counter
from itertools import count, product
from pathlib import Path
from types import SimpleNamespace

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1]), *sys.argv[1:2]]

COMMIT = "9c7ef2e"
FILE = Path(__file__).parent / "data" / "boundless-bpe.json.xz"
TEXTS = ["generated", "alice", "udhr", "book"]
SIZES = [1_000, 4_000]
#: By which pattern each text is cut: that of the program, or GPT-4o's.
WORDS = {"generated": "gpt4o (o200k)", "alice": "boundless", "udhr": "gpt4o (o200k)"}
CORPORA = 300
#: Takes nothing back.
NEVER = 1.1
#: The threshold of texts, which is that of the paper, and those of the random corpora.
THRESHOLD, THRESHOLDS = 0.9, [0.9, 0.7, 0.5, 1.0, 0.3]


def threshold(seed):
    """That of a random corpus."""
    return THRESHOLDS[seed // 2 % len(THRESHOLDS)]


def corpus(seed):
    """A random text of a few lines, and a size."""
    chosen = random.Random(seed)
    letters = chosen.choice(["ab", "abcd", "abAB", "aàb日", "etaoin", "aBΣσ"])
    signs = chosen.choice(["", ".", "_'", "-.", "1 \t", "’'s"])
    longest = chosen.randint(2, 5)
    made = ["".join(chosen.choices(letters, k=chosen.randint(1, longest))) for _ in range(8)]
    # The program shows ten different words before it begins.
    lines = ["0 . 1 , 2 ; 3 : 4 ! 5 ? 6"]
    for _ in range(chosen.randint(1, 12)):
        line = ""
        for word in chosen.choices(made, k=chosen.randint(1, 12)):
            line += word + chosen.choice(
                [" ", " ", " ", "", *signs, *(f"{sign} " for sign in signs)]
            )
        lines.append(line)
    return lines, chosen.randint(260, 380)


def main():
    from boundlessbpe import boundlessbpetrain as program
    from boundlessbpe.boundlessbpeinference import FasterRegexInference
    from boundlessbpe.regexconstants import GPT4O_SPLIT_PATTERN
    from trainers.test_hf_trainers import text

    from tokviz.pretokenizers import BYTE_TO_CHAR

    bytes_of = {char: byte for byte, char in BYTE_TO_CHAR.items()}
    state_of = program.BPEState
    as_it_is = {name: getattr(state_of, name) for name in ("merge_and_update", "delete_and_update")}

    def shown(token):
        return "".join(BYTE_TO_CHAR[byte] for byte in token)

    def raw(token):
        return bytes(map(bytes_of.__getitem__, token))

    def trained(lines, size, pattern, checked, least, changed):
        """The steps: what is merged (with a plus, if across words) and how often, and what is taken
        back of how many uses."""
        program.IndexGenerator = SimpleNamespace(get_next_index=count().__next__)
        trainer = program.FasterHalfDirectRegexTokenizer(least, pattern)
        steps, uses = {}, {}

        def merge(state, pair):
            left, right = pair
            uses.update((side, state.single_counts[side]) for side in pair)
            kind = "+" * state.is_super
            steps[kind, left + right] = (
                f"{kind}{shown(left)} {shown(right)} {state.pair_counts[pair]}"
            )
            if state.is_super and changed:
                state.unlocked[left + right] = True
            return as_it_is["merge_and_update"](state, pair)

        def delete(state, token, blowup):
            as_it_is["delete_and_update"](state, token, blowup)
            # What is merged with itself may be taken back twice.
            steps.setdefault(("-", token), f"-{shown(token)} {uses[token]}")
            words = trainer.superwords_state
            if words.unlocked[token] and changed:
                words.unlocked[token] = False
                words.initial_pair_counts()

        state_of.merge_and_update, state_of.delete_and_update = merge, delete
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = Path(folder, "lines.jsonl")
            path.write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
            trainer.train(str(path), folder, len(lines), size, checked, True)
        return steps

    def encoded(steps, pattern, lines):
        """Lines as the program's encoder cuts them by what was merged and taken back."""
        encoder = FasterRegexInference(pattern)
        for index, (key, step) in enumerate(steps.items()):
            if key[0] == "-":
                encoder.deletions[key[1]] = index
                continue
            pair = tuple(map(raw, step.removeprefix("+" * (key[0] == "+")).split()[:2]))
            (encoder.supermerges if key[0] == "+" else encoder.merges)[pair] = index
        return [" ".join(map(shown, encoder.encode_ordinary_chunks(line))) for line in lines]

    def run(lines, size, words, checked, least=NEVER, others=()):
        """The steps, whether they are so anyway, and how other lines are cut by them."""
        pattern = GPT4O_SPLIT_PATTERN if words.startswith("gpt4o") else None
        try:
            unchanged = [*trained(lines, size, pattern, 10**9, least, False).values()]
        except AssertionError:
            unchanged = None
        made = trained(lines, size, pattern, checked, least, True)
        cut = {"encoded": encoded(made, pattern, others)} if others else {}
        steps = [*made.values()]
        return {"steps": steps, "unchanged": steps == unchanged, **cut}

    corpora, picky = [], []
    for seed in range(CORPORA):
        lines, size = corpus(seed)
        words = ["boundless", "gpt4o (o200k)"][seed % 2]
        corpora.append(run(lines, size, words, 20))
        picky.append(run(lines, size, words, 20, threshold(seed), corpus(seed + 2)[0]))
    for runs in (corpora, picky):
        print("unchanged:", sum(one["unchanged"] for one in runs), "of", CORPORA)
    texts = []
    for name, size, least in product(TEXTS, SIZES, (NEVER, THRESHOLD)):
        made = run(text(name), size, WORDS.get(name, "boundless"), 10**9, least)
        texts.append({"text": name, "size": size, "threshold": least, **made})
        first = Counter(step[0] for step in made["steps"])
        print(name, size, len(made["steps"]), first["+"], first["-"], made["unchanged"], flush=True)
    found = json.dumps({"texts": texts, "corpora": corpora, "picky": picky}, ensure_ascii=False)
    FILE.write_bytes(lzma.compress(found.encode()))


if __name__ == "__main__":
    main()
