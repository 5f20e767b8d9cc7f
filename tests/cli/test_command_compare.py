"""`tokviz compare`: lanes from settings and from saved runs."""

import io
import json
import re

import pandas as pd
import pytest
from helpers import said

import tokviz
from tokviz.__main__ import main
from tokviz.analysis.metrics import METRICS, metrics_of
from tokviz.cli.compare import lane_parting_at
from tokviz.cli.inputs import lane_settings
from tokviz.formats.table_files import table_bytes

COURSE = tokviz.SAMPLES["course"].corpus
RULES = ("first-seen", "largest-pair")
LANES = [f"bpe vocab_size=60 tie_break={rule}" for rule in RULES]


@pytest.fixture(scope="module")
def comparison():
    return tokviz.compare([tokviz.train(COURSE, "bpe", 60, tie_break=r) for r in RULES], COURSE)


def compare(*lanes, options=("--sample", "course")):
    return main(["compare", *options, *(word for lane in lanes for word in ("--lane", lane))])


def test_it_says_where_two_lanes_part_and_why(comparison, capsys):
    assert compare(*LANES) == 0
    out = capsys.readouterr().out
    names, parting = comparison.names, comparison.parting()
    for name, lane in zip(names, LANES, strict=True):
        assert f"{name}  60 tokens  30 steps  {lane}\n" in out
    x = comparison.axis.values[parting.position]
    assert f"{names[0]} and {names[1]} part at {x:g} % of training: “{parting.word}” (" in out
    assert f"is {' | '.join(parting.left)} for {names[0]}" in out
    assert f"\n{parting.why}\n" in out
    assert f"  {names[0]}: {parting.left_said}\n  {names[1]}: {parting.right_said}\n" in out


def test_it_measures_the_lanes_at_the_end(comparison, capsys):
    assert compare(*LANES) == 0
    lines = capsys.readouterr().out.splitlines()
    last = comparison.end
    for metric in METRICS:
        [line] = [line for line in lines if line.startswith(metric.label)]
        shown = line.removeprefix(metric.label).replace(",", "").split()
        assert [float(value) for value in shown] == pytest.approx(last[metric.name], rel=1e-3)
    pair = comparison.pairs_at(comparison.positions[-1:]).iloc[0]
    assert lines[-1].endswith(
        f"Vocabulary overlap {pair['jaccard']:.4g}, Boundary F1 {pair['boundary_f1']:.4g}"
    )


def test_fertility_divides_by_the_same_words_or_by_each_lanes_own(capsys):
    lanes = [f"bpe vocab_size=60 pretokenizer={name}" for name in ("gpt2", "bert")]
    runs = [tokviz.train(COURSE, "bpe", 60, name) for name in ("gpt2", "bert")]
    for per_word in ("whitespace", "pretokens"):
        assert compare(*lanes, options=["--sample", "course", "--per-word", per_word]) == 0
        out = capsys.readouterr().out
        end = tokviz.compare(runs, COURSE, per_word=per_word).end
        label = metrics_of(per_word)[2].label
        [line] = [line for line in out.splitlines() if line.startswith(label)]
        assert line.split()[-2:] == [f"{value:.4g}" for value in end["fertility"]]
        assert "does not know" not in out
    [line] = [line for line in out.splitlines() if line.startswith("Each lane’s own pre-tokens")]
    assert line.split()[-2:] == [str(run.words.total) for run in runs]


def test_a_table_has_no_white_space_words_and_says_so(tmp_path, capsys):
    table = tmp_path / "words.csv"
    table.write_text("low,5\nlower,2\n", encoding="utf-8")
    assert compare("bpe vocab_size=6", "wordpiece vocab_size=9", options=[str(table)]) == 0
    out = capsys.readouterr().out
    assert "so figures per word divide by each lane's own pre-tokens.\n" in out
    assert "Each lane’s own pre-tokens            7" in out


def test_held_out_text_is_measured_too(comparison, tmp_path, capsys):
    held = tmp_path / "held.txt"
    held.write_text("This zebra 漢 does not\nknow ภาษาไทย", encoding="utf-8")
    options = ["--sample", "course", "--held-out", str(held)]
    wanted = comparison.held_out(held.read_text("utf-8"))
    assert compare(*LANES, options=options) == 0
    lines = capsys.readouterr().out.splitlines()
    lines = lines[lines.index("") :]
    at = next(i for i, line in enumerate(lines) if line.startswith("held-out text"))
    shown = {line.split("  ")[0]: line for line in lines[at:]}
    assert [*shown][1:4] == [metric.label for metric in METRICS[:3]]
    assert [*shown][4] == "White-space words kept whole (share)"
    for name, label in (("tokens", "Tokens"), ("words", "White-space words"), ("bytes", "Bytes")):
        assert shown[label].split()[-2:] == [str(value) for value in wanted[name]]
    assert wanted["words"].tolist() == [7, 7]
    for row in wanted.to_dict("records"):
        numbers = (row["fertility"], row["fertility_low"], row["fertility_high"])
        value, low, high = (f"{number:.4g}" for number in numbers)
        assert f"{value} ({low} to {high})" in shown[METRICS[2].label]
        assert f"{row['whole_words']:.4g} (" in shown["White-space words kept whole (share)"]
    assert compare(*LANES, options=[*options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["held_out"] == json.loads(table_bytes(wanted, "json"))
    assert compare(*LANES, options=[*options, "--csv"]) == 2
    assert "take --json for held-out text." in said(capsys)
    assert compare(*LANES, options=["-", "--held-out", "-"]) == 2
    assert "standard input is one text" in said(capsys)


def test_the_end_is_the_trained_state_of_every_lane(capsys):
    """Not the seeds of Unigram, of which most are unused."""
    lanes = ("bpe vocab_size=50", "unigram vocab_size=50")
    for options in ([], ["--align", "size"], ["--align", "step"]):
        assert compare(*lanes, options=["--sample", "course", *options]) == 0
        out = capsys.readouterr().out
        for label, ends in (("Corpus tokens", ["133", "91"]), ("Unused", ["0.16", "0.16"])):
            [line] = [line for line in out.splitlines() if line.startswith(label)]
            assert line.split()[2:] == ends


def test_it_says_which_place_is_beyond_all_sizes():
    comparison = tokviz.compare(
        [tokviz.train(COURSE, name, 50) for name in ("bpe", "unigram")], COURSE, "size"
    )
    last = len(comparison.axis.values) - 1
    assert lane_parting_at(comparison, last) == "the end of every lane"
    assert (
        lane_parting_at(comparison, last - 1) == f"a vocabulary of {comparison.axis.values[-2]:g}"
    )


def test_large_counts_are_whole(tmp_path, capsys):
    table = tmp_path / "words.csv"
    table.write_text("abc,1234567\n", encoding="utf-8")
    assert compare("bpe vocab_size=3", "bpe vocab_size=4", options=[str(table)]) == 0
    out = capsys.readouterr().out
    assert "3,703,701  2,469,134" in out
    assert "(1,234,567 times)" in out


def test_lanes_that_never_part_and_other_axes(capsys):
    assert compare("bpe vocab_size=50", "bpe vocab_size=50") == 0
    assert "cut every word alike all the time." in capsys.readouterr().out
    assert compare(*LANES, options=["--sample", "course", "--align", "step"]) == 0
    assert "part at step 2: " in capsys.readouterr().out
    assert compare(*LANES, options=["--sample", "course", "--align", "size"]) == 0
    assert "part at a vocabulary of " in capsys.readouterr().out


def test_the_tables_as_csv_and_json(comparison, capsysbinary):
    assert compare(*LANES, options=["--sample", "course", "--csv"]) == 0
    out = capsysbinary.readouterr().out
    assert out == table_bytes(comparison.metrics, "csv")
    read = pd.read_csv(io.BytesIO(out))
    assert read["fertility"].tolist() == comparison.metrics["fertility"].tolist()
    assert compare(*LANES, options=["--sample", "course", "--json"]) == 0
    found = json.loads(capsysbinary.readouterr().out)
    assert found["lanes"] == [
        {"name": name, "lane": lane} for name, lane in zip(comparison.names, LANES, strict=True)
    ]
    assert found["align"] == "share"
    for name in ("partings", "end", "metrics", "pairs"):
        assert found[name] == json.loads(table_bytes(getattr(comparison, name), "json"))
    assert found["partings"][0]["kind"] == "tie"


def test_saved_runs_are_lanes_and_need_no_text_if_their_words_are_the_same(
    comparison, tmp_path, capsys
):
    paths = [str(tmp_path / f"{rule} run.npz") for rule in RULES]
    for history, path in zip(comparison.histories, paths, strict=True):
        history.save(path)
    assert compare(*paths, options=["--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["partings"][0]["why"] == comparison.parting().why
    assert compare(paths[0], LANES[1], options=["--sample", "course", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"] == found["metrics"]
    other = str(tmp_path / "other.npz")
    tokviz.train(COURSE, "wordpiece", 60).save(other)
    assert compare(paths[0], other, options=[]) == 1
    assert "pass the text that all were trained on" in said(capsys)
    assert compare(paths[0], other, options=["--sample", "course"]) == 0


def test_lanes_are_written_as_settings():
    assert lane_settings("preset=minbpe vocab_size=300 initial-alphabet=")["initial_alphabet"] == ()
    assert lane_settings("unigram vocab_size=9 prune_fraction=0.5 trim_last=no") == {
        "algorithm": "unigram",
        "vocab_size": 9,
        "prune_fraction": 0.5,
        "trim_last": False,
    }
    spaced = lane_settings("bpe vocab_size=9 'special_tokens=<a b>,</s>' pretokenizer=bert")
    assert spaced["special_tokens"] == ("<a b>", "</s>")
    assert spaced["pretokenizer"] == "bert"
    pattern = lane_settings("bpe vocab_size=9 'pattern=\\p{L}+'")
    assert pattern["pretokenizer"].pattern == r"\p{L}+"


@pytest.mark.parametrize(
    ("lane", "sentence"),
    [
        ("", "does not begin with an algorithm (bpe, wordpiece"),
        ("bqe vocab_size=9", "does not begin with an algorithm"),
        ("vocab_size=9 bpe", "does not begin with an algorithm"),
        ("no/file.npz", "and it is no file either."),
        ("bpe", "needs a size; add vocab_size=NUMBER."),
        ("bpe vocab_size=many", "vocab_size=many is no whole number."),
        ("unigram vocab_size=9 prune_fraction=x", "prune_fraction=x is no number."),
        ("bpe vocab_size=9 score=frequency", "'score=frequency' is no setting of bpe; write name="),
        ("bpe vocab_size", "'vocab_size' is no setting of bpe; write name=value"),
        ("bpe vocab_size=9 suffix_glued=perhaps", "suffix_glued=perhaps is neither yes nor no."),
        ("bpe vocab_size='9", "cannot be read: No closing quotation."),
        ("preset=none vocab_size=9", "preset=none is not known; choose hf-bpe"),
        ("bpe vocab_size=9 tie_break=none", "tie_break='none' is not known; choose one of"),
        ("bpe vocab_size=9 pattern=a pretokenizer=bert", "needs --pretokenizer regex"),
        ("bpe vocab_size=3\x1b", "vocab_size=3\\x1b is no whole number."),
    ],
)
def test_a_lane_that_cannot_be_is_one_sentence(lane, sentence, capsys):
    assert compare("bpe vocab_size=50", lane) == 1
    assert sentence in said(capsys)


def test_texts_by_language_say_who_pays(tmp_path, capsys):
    corpus, held = tmp_path / "texts.txt", tmp_path / "held.txt"
    corpus.write_text("=== en ===\nab ab\n=== el ===\nαβ αβ", encoding="utf-8")
    held.write_text("=== en ===\nab\n=== el ===\nαβ", encoding="utf-8")
    settings = "vocab_size=257 pretokenizer=gpt2 unit=byte initial_alphabet=bytes"
    lanes = [f"{name} {settings}" for name in ("bpe", "parity-bpe")]
    options = [str(corpus), "--languages", "--held-out", str(held)]
    assert compare(*lanes, options=options) == 0
    lines = [re.sub(" +", " ", line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-3:] == [
        "held-out tokens (times the cheapest) bpe parity-bpe",
        "el 4 (4.00) 3 (1.50)",
        "en 1 (1.00) 2 (1.00)",
    ]
    assert compare(*lanes, options=[*options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["held_out_languages"]
    assert [row["ratio"] for row in found] == [4.0, 1.5, 1.0, 1.0]
    assert compare(*lanes, options=["table.csv", "--languages"]) == 1
    assert "--languages needs a text" in said(capsys)


def test_a_sample_by_language_brings_its_held_out_texts(capsys):
    settings = "vocab_size=300 unit=byte initial_alphabet=bytes"
    lanes = f"bpe {settings}", f"parity-bpe {settings}"
    assert compare(*lanes, options=["--sample", "ten-languages", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["held_out_languages"]
    assert {row["language"] for row in found} == {*tokviz.SAMPLES["ten-languages"].held_out}


def test_a_table_of_words_is_held_out_text_of_a_sample_by_language(tmp_path, capsys):
    held = tmp_path / "words.csv"
    held.write_text("the,3\nand,2", encoding="utf-8")
    lanes = [f"bpe vocab_size={size} unit=byte" for size in (300, 310)]
    options = ["--sample", "ten-languages", "--held-out", str(held), "--json"]
    assert compare(*lanes, options=options) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["words"] for row in found["held_out"]] == [5, 5]
    assert "held_out_languages" not in found
    assert compare(*lanes, options=[*options, "--languages"]) == 1
    assert "--languages needs a text" in said(capsys)


def test_options_that_do_not_go_together(tmp_path, capsys):
    assert compare(LANES[0]) == 2
    assert "give --lane twice or more" in said(capsys)
    assert compare(*LANES, options=[]) == 2
    assert "is trained here, so give the text: FILE or --sample." in said(capsys)
    assert compare(*LANES, options=["x.txt", "--sample", "course"]) == 2
    assert "give FILE or --sample NAME, not both." in said(capsys)
    text = tmp_path / "text.txt"
    text.write_text(COURSE, encoding="utf-8")
    assert compare(LANES[0], str(text), options=[str(text)]) == 1
    assert "text.txt is not a tokviz history" in said(capsys)
