"""Runs the trainer of BoundlessBPE's authors on texts and writes down its merges:
`python tests/record_boundless_bpe.py CHECKOUT` makes tests/data/boundless-bpe.json.xz of a checkout
of https://github.com/kensho-technologies/boundlessbpe (commit COMMIT).

A superword of twice the same stays locked in the program, which its source has as something to work
out, and which later programs of its authors do not do. Here such a word may be joined; which runs
are the same without that is written down, too. Nothing else is changed.
"""

import contextlib
import io
import json
import lzma
import random
import sys
import tempfile
from itertools import count
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
#: More than turns any removal on.
NEVER = 1.1


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
    from boundlessbpe.regexconstants import GPT4O_SPLIT_PATTERN
    from trainers.test_hf_trainers import text

    from tokviz.pretokenizers import BYTE_TO_CHAR

    as_it_is = program.BPEState.merge_and_update

    def unlocked(state, pair):
        if state.is_super:
            state.unlocked[pair[0] + pair[1]] = True
        return as_it_is(state, pair)

    def shown(token):
        return "".join(BYTE_TO_CHAR[byte] for byte in token)

    def trained(lines, size, pattern, checked):
        program.IndexGenerator = SimpleNamespace(get_next_index=count().__next__)
        trainer = program.FasterHalfDirectRegexTokenizer(NEVER, pattern)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = Path(folder, "lines.jsonl")
            path.write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
            trainer.train(str(path), folder, len(lines), size, checked, True)
        merges = [
            (step, f"{mark}{shown(left)} {shown(right)}")
            for mark, state in (("", trainer.words_state), ("+", trainer.superwords_state))
            for step, (left, right) in state.merges.items()
        ]
        return [merge for _, merge in sorted(merges)]

    def merges(lines, size, words, checked):
        """What is merged (with a plus, if across words), and whether it is so anyway."""
        pattern = GPT4O_SPLIT_PATTERN if words.startswith("gpt4o") else None
        program.BPEState.merge_and_update = as_it_is
        try:
            unchanged = trained(lines, size, pattern, 10**9)
        except AssertionError:
            unchanged = None
        program.BPEState.merge_and_update = unlocked
        made = trained(lines, size, pattern, checked)
        return {"merges": made, "unchanged": made == unchanged}

    corpora = []
    for seed in range(CORPORA):
        lines, size = corpus(seed)
        corpora.append(merges(lines, size, ["boundless", "gpt4o (o200k)"][seed % 2], 20))
    print("unchanged:", sum(one["unchanged"] for one in corpora), "of", CORPORA)
    texts = []
    for name in TEXTS:
        for size in SIZES:
            made = merges(text(name), size, WORDS.get(name, "boundless"), 10**9)
            texts.append({"text": name, "size": size, **made})
            across = sum(merge.startswith("+") for merge in made["merges"])
            print(name, size, len(made["merges"]), across, made["unchanged"], flush=True)
    found = json.dumps({"texts": texts, "corpora": corpora}, ensure_ascii=False)
    FILE.write_bytes(lzma.compress(found.encode()))


if __name__ == "__main__":
    main()
