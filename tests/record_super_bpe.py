"""Runs the trainer of SuperBPE's authors on texts and writes down its merges:
`python tests/record_super_bpe.py CHECKOUT` makes tests/data/super-bpe.json.xz of a checkout of
https://github.com/alisawuffles/tokenizers-superbpe (commit COMMIT), and needs `rustc`.

The files with its merges are compiled as they are, with small stand-ins for what they use besides
(progress, parallel loops, serialization), which change no merge. Runs and words are cut by Hugging
Face `tokenizers` with the patterns of the authors' scripts.
"""

import json
import lzma
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import regex as re

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

COMMIT = "757f2a5"
FILE = Path(__file__).parent / "data" / "super-bpe.json.xz"
TEXTS = ["generated", "alice", "udhr", "book"]
SIZES = [1_000, 4_000]
#: At which part of the size the borders fall.
TRANSITIONS = {"generated": 0.8, "alice": 0.6, "udhr": 0.7, "book": 0.5}
#: Combining marks, and white space of several kinds in a row, are cut by each of the program's two
#: patterns in a way of its own. Where a text has them, words are cut within runs here.
WITHIN = re.compile(r"\p{M}|\t")
CORPORA = 300

_MAIN = r"""
#![allow(dead_code, unused)]
use std::{iter, mem};
use std::collections::HashMap;
use std::io::{Read, Write};
pub type Pair = (u32, u32);
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedToken { pub content: String }
pub struct ProgressBar;
pub struct ProgressStyle;
impl ProgressBar {
    pub fn new(_: u64) -> Self { ProgressBar }
    pub fn set_length(&self, _: u64) {}
    pub fn set_message(&self, _: &'static str) {}
    pub fn finish(&self) {}
    pub fn reset(&self) {}
    pub fn inc(&self, _: u64) {}
    pub fn set_style(&self, _: ProgressStyle) {}
}
impl ProgressStyle {
    pub fn default_bar() -> Self { ProgressStyle }
    pub fn template(self, _: &str) -> Result<Self> { Ok(self) }
}
#[derive(Default)]
pub struct BPE {
    pub vocab: HashMap<String, u32>,
    pub vocab_r: HashMap<u32, String>,
    pub merges: HashMap<Pair, (u32, u32)>,
    pub continuing_subword_prefix: Option<String>,
    pub end_of_word_suffix: Option<String>,
}
FIRST_AND_LAST
mod word;
mod trainer;
use word::Word;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut lines = text.split('\n');
    let size: usize = lines.next().unwrap().parse().unwrap();
    let words = lines.map(|line| {
        let (count, word) = line.split_once(' ').unwrap();
        (word.to_string(), count.parse().unwrap())
    });
    let words: HashMap<String, u64> = words.collect();
    let mut model = BPE::default();
    let trainer = trainer::BpeTrainer::builder().show_progress(false).vocab_size(size).build();
    trainer.do_train(&words, &mut model).unwrap();
    let mut merges: Vec<_> = model.merges.iter().collect();
    merges.sort_by_key(|merge| merge.1.0);
    let mut out = std::fs::File::create("merges.txt").unwrap();
    writeln!(out, "#version: 0.2").unwrap();
    for (pair, _) in merges {
        writeln!(out, "{} {}", model.vocab_r[&pair.0], model.vocab_r[&pair.1]).unwrap();
    }
}
"""


def program(checkout, folder):
    """Compiles the trainer."""
    source = Path(checkout, "tokenizers", "src", "models", "bpe")
    trainer, word, module = (
        Path(source, name).read_text() for name in ("trainer.rs", "word.rs", "mod.rs")
    )
    trainer = trainer[trainer.index("#[derive(Debug, Eq)]") : trainer.index("impl Trainer for")]
    trainer = (
        "use super::*;\nuse std::cmp::Ordering;\n"
        "use std::collections::{BinaryHeap, HashMap, HashSet};\n" + trainer
    )
    trainer = trainer.replace("Serialize, Deserialize, ", "").replace(
        ".maybe_par_iter()", ".iter()"
    )
    trainer = trainer.replace(
        ".reduce(\n                || (HashMap::new(), HashMap::new()),",
        ".fold(\n                (HashMap::new(), HashMap::new()),",
    )
    word = word[: word.index("#[cfg(test)]")].replace("use rand::{thread_rng, Rng};\n", "")
    # What encodes, which nobody asks here.
    word = (
        word[: word.index("    pub(super) fn merge_all")]
        + word[word.index("    pub(super) fn get_chars") :]
    )
    first = module[module.index("pub(crate) trait WithFirst") : module.index("// Re-export")]
    for name, text in (
        ("main.rs", _MAIN.strip().replace("FIRST_AND_LAST", first)),
        ("trainer.rs", trainer),
        ("word.rs", word),
    ):
        Path(folder, name).write_text(text)
    made = Path(folder, "program")
    command = ["rustc", "-O", "--edition", "2021", "main.rs", "-o", str(made)]
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    return made


def corpus(seed):
    """A random text of a few lines, a size, and the size at which borders fall."""
    chosen = random.Random(seed)
    letters = chosen.choice(["ab", "abcd", "abAB", "aàb日", "etaoin"])
    signs = chosen.choice(["", ".", ":=", "-.:(", "1 \t", "/'"])
    made = ["".join(chosen.choices(letters, k=chosen.randint(1, 4))) for _ in range(8)]
    lines = []
    for _ in range(chosen.randint(1, 12)):
        line = ""
        for word in chosen.choices(made, k=chosen.randint(1, 12)):
            line += word + chosen.choice(
                [" ", " ", " ", "", *signs, *(f"{sign} " for sign in signs)]
            )
        lines.append(line)
    size = chosen.randint(20, 90)
    return lines, size, chosen.randint(1, size)


def counted(lines, *patterns):
    """The words of lines, written in bytes, as the library cuts them by one pattern after the
    other."""
    from tokenizers import Regex, pre_tokenizers

    parts = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in patterns]
    cut = pre_tokenizers.Sequence(
        [*parts, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    return Counter(word for line in lines for word, _ in cut.pre_tokenize_str(line))


def main():
    from trainers.test_hf_trainers import text

    from tokviz.pretokenizers.runs import ALONE
    from tokviz.trainers.super_bpe import WORDS

    with tempfile.TemporaryDirectory() as folder:
        run = program(sys.argv[1], folder)

        def trained(words, size, place):
            lines = "\n".join([str(size), *(f"{count} {word}" for word, count in words.items())])
            subprocess.run(
                [run], input=lines.encode(), cwd=place, check=True, stdout=subprocess.DEVNULL
            )
            return Path(place, "merges.txt").read_text().splitlines()[1:]

        def merges(lines, size, transition):
            """What stage 1 merges, and what stage 2 does after it did that again."""
            within = [ALONE] if any(map(WITHIN.search, lines)) else []
            words = counted(lines, *within, WORDS["superbpe"])
            with tempfile.TemporaryDirectory() as place:
                first = trained(words, transition, place)
                return first, trained(counted(lines, ALONE), size, place)

        texts = []
        for name in TEXTS:
            for size in SIZES:
                transition = int(TRANSITIONS[name] * size)
                made = merges(text(name), size, transition)
                texts.append({"text": name, "size": size, "merges": made})
                print(name, size, len(made[0]), len(made[1]))
        corpora = [merges(*corpus(seed)) for seed in range(CORPORA)]
    found = json.dumps({"texts": texts, "corpora": corpora}, ensure_ascii=False)
    FILE.write_bytes(lzma.compress(found.encode()))


if __name__ == "__main__":
    main()
