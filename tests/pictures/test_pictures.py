"""Pictures of a word and of candidates for a paper: what they show is what the engine says."""

import random
import re
import sys
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

import tokviz
from tokviz.basics.errors import FileError, OutOfRangeError, SettingError
from tokviz.pictures.files import can_convert, kind_of, made, points
from tokviz.pictures.picture import STRONG, TINT, text_width, token_width
from tokviz.pictures.written_numbers import percent, signed

SVG = "{http://www.w3.org/2000/svg}"
DRAW = random.Random(11)


def random_text(letters, words):
    return " ".join("".join(DRAW.choices(letters, k=DRAW.randint(1, 9))) for _ in range(words))


COURSE = tokviz.SAMPLES["course"].corpus
ACROSS = "in the end\nin the end of it\nthe end of the day\nin the hat"
MERGED = [
    tokviz.train(COURSE, "bpe", 50),
    tokviz.train(random_text("ab", 30), "bpe", 40, "whitespace", end_of_word_suffix="</w>"),
    tokviz.train(random_text("abcd", 40), "wordpiece", 60, "whitespace"),
    tokviz.train(random_text("aé日👩", 20), "bpe", 60, "whitespace", unit="byte"),
    tokviz.train("שלום שלום לשום", "bpe", 12, "whitespace"),
    tokviz.train({"en": COURSE, "日本": "日本語 日本 日日日"}, "parity-bpe", 60),
    # Tokens come apart again.
    tokviz.train(random_text("abc", 30), "picky-bpe", 60, "whitespace", threshold=0.3),
    # And tokens of several words.
    tokviz.train(ACROSS, "super-bpe", 30, transition_size=20),
    tokviz.train(ACROSS, "boundless-bpe", 26, threshold=0.6),
]
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
PRUNED = tokviz.train(HUG, "unigram", 10, "whitespace", whole_words=False)
EM = tokviz.train(COURSE, "sentencepiece-unigram", 50)


def opened(picture):
    return ElementTree.fromstring(picture.svg)


def texts(picture):
    return ["".join(text.itertext()) for text in opened(picture).iter(f"{SVG}text")]


def number(element, name):
    return float(element.get(name))


def boxes(picture):
    """The frames of tokens, each with the texts that stand in it as they are read, from left to
    right."""
    found = []
    root = opened(picture)
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("rx") is None:
            continue
        x, y = number(rect, "x"), number(rect, "y")
        w, h = number(rect, "width"), number(rect, "height")
        inside = [
            "".join(text.itertext())
            for text in root.iter(f"{SVG}text")
            if text.get("text-anchor") == "middle"
            and x < number(text, "x") < x + w
            and y < number(text, "y") < y + h
        ]
        found.append((x, y, w, h, rect.get("stroke"), inside))
    return sorted(found)


def nodes_of(tree):
    todo = [*tree.roots]
    for node in todo:
        todo += node.children
    return todo


def margin(picture):
    """What stands before the rows of a tree, from above."""
    said = [t for t in opened(picture).iter(f"{SVG}text") if t.get("text-anchor") == "end"]
    return [t.text for t in sorted(said, key=lambda text: number(text, "y"))]


@pytest.mark.parametrize("history", MERGED, ids=lambda history: history.algorithm)
def test_in_a_tree_a_row_is_a_step_and_a_token_spans_its_letters(history):
    for word in [*history.words.words[:6], "b" + history.words.words[0]]:
        for t in (0, len(history) // 2, len(history)):
            picture = history.word_chart(word, t, width=900)
            tree = history.merge_tree(word, t)
            nodes = nodes_of(tree)
            counts = {node.step: node.count for node in nodes if node.step is not None}
            steps = sorted(counts)
            said = [f"step {step + 1} · {counts[step]:,}×" for step in steps]
            assert margin(picture) == ["start", *said]
            in_turn = "in the language that had the turn" in " ".join(texts(picture))
            assert in_turn == (history.algorithm == "parity-bpe" and bool(steps))
            found = boxes(picture)
            heights = sorted({y for _x, y, *_rest in found})
            n_rows = 1 + len(steps) + (history.algorithm == "wordpiece")
            assert len(heights) == n_rows
            columns = [(x, x + w) for x, y, w, *_rest in found if y == heights[0]]
            if word in ("שלום", "לשום"):
                columns.reverse()
            assert len(columns) == len(tree.symbols)
            strong = {(x, y) for x, y, _w, _h, stroke, _inside in found if stroke == STRONG}
            places = {}
            for node in nodes:
                ends = columns[node.start], columns[node.end - 1]
                left, right = min(ends)[0], max(ends)[1]
                y = heights[0 if node.step is None else 1 + steps.index(node.step)]
                [box] = [box for box in found if (box[0], box[1]) == (left, y)]
                assert box[0] + box[2] == pytest.approx(right, abs=0.02)
                known = node.children or tree.symbols[node.start] in history.symbol_numbers
                assert ((left, y) in strong) == bool(node in tree.roots and known)
                places[id(node)] = box
            # Below all steps, encoding has a row of its own.
            assert len([box for box in found if box[1] <= heights[len(steps)]]) == len(nodes)
            check_lines(picture, nodes, places, found)
            for i, (x, y, w, h, *_rest) in enumerate(found):
                for u, v, a, b, *_other in found[i + 1 :]:
                    apart = x + w <= u + 0.02 or u + a <= x + 0.02 or y + h <= v or v + b <= y
                    assert apart, (word, t)


def check_lines(picture, nodes, places, found):
    """A line leads straight down from each token to what it became, past all others."""
    lines = [re.fullmatch(r"M([\d.]+) ([\d.]+)V([\d.]+)", path.get("d"))
             for path in opened(picture).iter(f"{SVG}path")]  # fmt: skip
    drawn = [tuple(map(float, line.groups())) for line in lines if line]
    wanted = []
    for node in nodes:
        for child in node.children:
            x, y, w, h, *_rest = places[id(child)]
            wanted.append((x + w / 2, y + h, places[id(node)][1]))
            assert x >= places[id(node)][0] - 0.02
    assert len(wanted) == len(drawn)
    for line in wanted:
        assert any(pytest.approx(line, abs=0.03) == other for other in drawn)
    for x, top, low in drawn:
        assert not [
            box
            for box in found
            if box[0] < x < box[0] + box[2] and top + 0.1 < box[1] + box[3] and box[1] < low - 0.1
        ]


def test_a_letter_keeps_its_column_in_every_token():
    for history, word in ((MERGED[0], " tokenization"), (MERGED[2], "abcab"), (MERGED[4], "שלום")):
        picture = history.word_chart(word)
        middles = {}
        for element in opened(picture).iter(f"{SVG}text"):
            if "Mono" in element.get("font-family"):
                letter = "".join(element.itertext()).removeprefix("##")
                middles.setdefault(element.get("x"), set()).add(letter)
        assert len(middles) == len(word)
        in_order = [middles[x] for x in sorted(middles, key=float)]
        letters = [{"Ġ" if letter == " " else letter} for letter in word]
        assert in_order == (letters[::-1] if word == "שלום" else letters)


def test_characters_stand_over_their_bytes():
    history = tokviz.train("日本 日本 日 a", "bpe", 40, "whitespace", unit="byte")
    picture = history.word_chart("a日本", 0)
    found = boxes(picture)
    assert [box[5] for box in found] == [
        [byte] for byte in ("a", "E6", "97", "A5", "E6", "9C", "AC")
    ]
    over = [
        (number(t, "x"), t.text or "".join(t.itertext()))
        for t in opened(picture).iter(f"{SVG}text")
        if number(t, "y") < found[0][1]
    ]
    assert [char for _x, char in over] == ["日", "本"]
    for (x, _char), first in zip(over, (1, 4), strict=True):
        assert x == pytest.approx(found[first + 1][0] + found[first + 1][2] / 2, abs=0.02)
    # As soon as its bytes are one token, it is in that, too.
    assert ["日", "本"] in [box[5] for box in boxes(history.word_chart("日本"))]
    # What is drawn by its code point is wider than the bytes that it is.
    history = tokviz.train("a\x85\x85", "bpe", 9, "none", unit="byte")
    picture = history.word_chart("a\x85\x85", 0, width=120)
    signs = [t for t in opened(picture).iter(f"{SVG}text") if "".join(t.itertext()) == "⟨U+0085⟩"]
    first, second = (number(sign, "x") for sign in signs)
    assert second - first > token_width([("", "\x85")], number(signs[0], "font-size"))


@pytest.mark.parametrize("width", [120, 240, 500])
def test_rows_of_a_tree_have_room_for_what_is_said_of_them(width):
    word = " tokeniz"
    picture = MERGED[0].word_chart(word, width=width)
    rows = sorted({y for _x, y, *_rest in boxes(picture)})
    apart = [below - above for above, below in pairwise(rows)]
    assert apart == pytest.approx([apart[0]] * 7, abs=0.02)
    # What is said before a row has room beside it, and below the one of the row before.
    assert 9 < apart[0] <= 20
    labels = [t for t in opened(picture).iter(f"{SVG}text") if t.get("text-anchor") == "end"]
    left = min(box[0] for box in boxes(picture))
    for label in labels:
        assert 3 <= number(label, "x") - text_width(label.text) < number(label, "x") < left
    assert max(x + w for x, _y, w, *_rest in boxes(picture)) <= width - 2.9


def test_the_tokens_of_a_tree_stand_in_the_order_in_which_they_are_read():
    found = boxes(MERGED[0].word_chart(" tokenization"))
    strong = ["".join(box[5]) for box in found if box[4] == STRONG]
    assert strong == MERGED[0].segmentation(" tokenization", len(MERGED[0]))
    hebrew = MERGED[4]
    first, last = (hebrew.segmentation("שלום", 0)[i] for i in (0, -1))
    row = [box[5][0] for box in boxes(hebrew.word_chart("שלום", 0))]
    assert (row[0], row[-1]) == (last, first)


def test_wordpiece_has_a_row_with_what_encoding_makes_of_the_word():
    history = tokviz.train({"xbc": 5, "abd": 3, "abc": 1}, "wordpiece", 11, score="frequency")
    picture = history.word_chart("abc", 3)
    low = max(box[1] for box in boxes(picture))
    assert [box[5] for box in boxes(picture) if box[1] == low] == [["a", "b"], ["##c"]]
    # Each is as wide as what it covers.
    leaves = min(box[1] for box in boxes(picture))
    (a, b, c), (ab, end) = (
        [(x, x + w) for x, y, w, *_ in boxes(picture) if y == row] for row in (leaves, low)
    )
    assert ab == pytest.approx((a[0], b[1]), abs=0.02)
    assert end == pytest.approx(c, abs=0.02)
    assert any(
        "Last row: encoding, longest match first: a different" in text for text in texts(picture)
    )
    assert any("the same cut" in text for text in texts(history.word_chart("abd", 0)))
    # A word that encoding does not know is one box around all of it.
    *_letters, whole = sorted(boxes(history.word_chart("zz", 3)), key=lambda box: box[2])
    assert whole[5] == ["[UNK]"]


def test_a_lattice_shows_each_piece_with_its_numbers_and_the_path():
    for t in range(len(PRUNED) + 1):
        for word in HUG:
            lattice = PRUNED.lattice(word, t)
            picture = PRUNED.word_chart(word, t)
            lines = [*opened(picture).iter(f"{SVG}path")]
            assert len(lines) == len(lattice.edges)
            best = [line for line in lines if line.get("stroke") == STRONG]
            assert len(best) == len(lattice.chosen().edges)
            # In grey the path is the only line that is not dashed, and the thickest.
            assert {line.get("stroke-dasharray") for line in best} == {None}
            assert all(line.get("stroke-dasharray") for line in lines if line not in best)
            said = texts(picture)
            for edge, posterior in zip(lattice.edges, lattice.posteriors(), strict=True):
                if edge.end - edge.start == 1 or len(word) == 3:
                    assert f"{signed(edge.log_prob, 2)} · {percent(posterior)}" in said


def test_numbers_of_a_lattice_never_cover_each_other():
    history = tokviz.train(COURSE, "unigram", 70)
    picture = history.word_chart(" tokenization", 0)
    said = [t for t in opened(picture).iter(f"{SVG}text") if t.get("paint-order")]
    assert len(said) > 10
    areas = []
    for element in said:
        shown, size = "".join(element.itertext()), number(element, "font-size")
        w = size * 0.5 * len(shown)
        areas.append(
            (number(element, "x") - w / 2, number(element, "y") - 0.7 * size, w, 0.7 * size)
        )
    for i, (x, y, w, h) in enumerate(areas):
        assert 0 <= x < x + w <= 240
        for u, v, a, b in areas[i + 1 :]:
            assert x + w <= u or u + a <= x or y + h <= v or v + b <= y


def test_a_word_that_no_pieces_spell_is_said_to_be_one():
    history = tokviz.train(HUG, "unigram", 15, "whitespace", unknown="word")
    assert "No pieces spell this word." in texts(history.word_chart("xyz"))


@pytest.mark.parametrize("history", [*MERGED, PRUNED, EM], ids=lambda history: history.algorithm)
def test_segmentations_are_those_of_training_in_every_state_that_changes_them(history):
    for word in history.words.words[:5]:
        picture = history.segmentation_chart(word, width=600)
        cuts = [history.segmentation(word, t) for t in range(len(history) + 1)]
        changes = [t for t in range(len(cuts)) if t == 0 or cuts[t] != cuts[t - 1]]
        said = texts(picture)
        rows = {}
        for box in boxes(picture):
            rows.setdefault(box[1], []).append(box)
        assert len(rows) == len(changes)
        for t, y in zip(changes, sorted(rows), strict=True):
            assert len(rows[y]) == len(cuts[t])
            assert f"{t:,}" in said
            if t == 0:
                assert not any(box[4] == STRONG for box in rows[y])
            else:
                assert any(box[4] == STRONG for box in rows[y])


def test_segmentations_of_some_states():
    history = MERGED[0]
    picture = history.segmentation_chart(" tokenization", 2, 7)
    counts = [text for text in texts(picture) if text.isdigit()]
    changes = [t for t in (5, 6) if history.segmentation(" tokenization", t)]
    assert counts[::2] == ["2", *map(str, changes)]
    with pytest.raises(SettingError, match="State 7 comes after state 2"):
        history.segmentation_chart(" tokenization", 7, 2)
    with pytest.raises(OutOfRangeError, match="t=99 is not a state"):
        history.segmentation_chart(" tokenization", 0, 99)


# --- candidates -----------------------------------------------------------------------------------


def tinted(picture):
    return [r for r in opened(picture).iter(f"{SVG}rect") if r.get("fill") == TINT]


def bracket(picture):
    lines = [p.get("d") for p in opened(picture).iter(f"{SVG}path") if p.get("fill") == "none"]
    assert len(lines) <= 1
    return lines[0] if lines else ""


@pytest.mark.parametrize("t", [0, 1, 20])
def test_candidates_are_the_rows_of_the_table(t):
    history = MERGED[0]
    picture, table = history.candidates_chart(t, 6), history.candidates(t, 6)
    said = texts(picture)
    at = said.index("Count") + 1
    counts = [text for text in said[at:] if text.isdigit()]
    assert counts[:6] == [str(count) for count in table["count"]]
    tokens = [
        "".join(text.itertext())
        for text in opened(picture).iter(f"{SVG}text")
        if "Mono" in text.get("font-family")
    ]
    assert tokens == [side for row in table.itertuples() for side in (row.left, row.right)]
    assert len(tinted(picture)) == table["chosen"].sum() == (t < len(history))
    assert bool(bracket(picture)) == table["tied"].any()
    if line := bracket(picture):
        shown = opened(picture)
        ends = [float(rule.get("x2")) for rule in shown.iter(f"{SVG}line")]
        assert float(re.match(r"M([\d.]+)", line)[1]) + 3 <= min(ends), "it is below the heading"
    assert f"6 of {history.candidate_count(t)} candidates of state {t}." in said


def test_a_bracket_is_open_where_more_ties_than_is_shown():
    history = MERGED[0]
    tied = int(history.candidates(20)["tied"].sum())
    assert tied > 2
    assert bracket(history.candidates_chart(20, tied)).endswith("h-3")
    assert not bracket(history.candidates_chart(20, tied - 1)).endswith("h-3")


def test_the_score_of_wordpiece_is_a_fraction_and_its_value():
    said = texts(tokviz.train(COURSE, "wordpiece", 50).candidates_chart(0, 4))
    assert "2/(5×2) = 0.2" in said
    assert "1/(1×7) ≈ 0.1429" in said
    assert "3/(3×8) = 0.125" in said


def test_a_forced_merge_is_shown_however_far_down_it_stands():
    history = tokviz.branch(MERGED[0], 0, ("n", "i"))
    history = getattr(history, "history", history)
    rank = history.merged_rank(0)
    assert rank > 5
    said = texts(history.candidates_chart(0, 3))
    assert str(rank) in said
    assert len(tinted(history.candidates_chart(0, 3))) == 1


def test_a_pair_across_words_has_the_border_of_two():
    history = tokviz.train("in the end in the end in the", "boundless-bpe", 14)
    table, picture = history.candidates(5, 5), history.candidates_chart(5, 5)
    assert table["across"].any()
    assert not table["across"].all()
    assert picture.svg.count("v-8.5") == table["across"].sum()
    assert "Behind a plus: the border of two words." in texts(picture)
    assert "v-8.5" not in history.candidates_chart(0, 5).svg


def test_candidates_of_pruning_have_units():
    said = texts(PRUNED.candidates_chart(0, 5))
    assert {"ln P (nats)", "Loss delta (nats)", "removed by step 1"} <= {*said}
    table = PRUNED.candidates(0, 5)
    assert {f"{value:.6g}".replace("-", "−") for value in table["log_prob"]} <= {*said}
    assert {"Expected count", "Loss (nats per word)"} <= {*texts(EM.candidates_chart(0, 5))}
    newer = replace(EM.trainer, library_version="0.2.3").train(EM.words, EM.pretokenizer)
    assert "Loss (nats/token)" in texts(newer.candidates_chart(2, 5))


@pytest.mark.parametrize(
    ("k", "match"), [(0, "too small"), (61, "60 rows at most"), ("5", "whole")]
)
def test_a_number_of_rows_that_cannot_be(k, match):
    with pytest.raises(SettingError, match=match):
        MERGED[0].candidates_chart(0, k)


def test_a_state_without_candidates_and_one_that_is_not_there():
    history = tokviz.train({"a": 3}, "bpe", 9)
    with pytest.raises(SettingError, match="State 0 has no candidates"):
        history.candidates_chart(0)
    with pytest.raises(OutOfRangeError, match="t=7 is not a state"):
        history.candidates_chart(7)


# --- words that cannot be drawn, and hostile ones -------------------------------------------------


@pytest.mark.parametrize("history", [MERGED[0], PRUNED], ids=["tree", "lattice"])
def test_words_that_no_picture_has_room_for(history):
    for draw in (history.word_chart, history.segmentation_chart):
        with pytest.raises(SettingError, match="no word to draw"):
            draw("")
        with pytest.raises(SettingError, match="61 characters; words of up to 60"):
            draw("u" * 61)
        with pytest.raises(SettingError, match="word=5 must be text"):
            draw(5)
        with pytest.raises(
            SettingError, match=r"no room for this word in 60 .* give width=(\d+)"
        ) as e:
            draw("hugpugbun" * 4, width=60)
        least = int(re.search(r"width=(\d+)", str(e.value))[1])
        assert draw("hugpugbun" * 4, width=least).width == least


@pytest.mark.parametrize("algorithm", ["bpe", "unigram"])
def test_a_hostile_word_is_text_and_nothing_else(algorithm):
    hostile = "<b>&\"'\x00\u202e\ud800\ufffe"
    history = tokviz.train({hostile: 4, "<b>": 3}, algorithm, 14, "whitespace")
    for picture in (
        history.word_chart(hostile, width=500),
        history.segmentation_chart(hostile, width=500),
        history.candidates_chart(0, width=500),
    ):
        root = opened(picture)
        assert not [*root.iter(f"{SVG}b")]
        assert "\u202e" not in picture.svg
        assert not any(ord(char) < 32 and char != "\n" for char in picture.svg)
        picture.svg.encode("utf-8")


def test_pictures_speak_the_language_of_whoever_asks():
    with tokviz.basics.messages.using("zh_CN"):
        said = texts(MERGED[0].segmentation_chart(" tokenization"))
    assert "State" not in said


# --- files ----------------------------------------------------------------------------------------


def test_a_picture_has_the_size_that_was_asked_for(tmp_path):
    picture = MERGED[0].word_chart(" tokenization", width="85mm")
    for name in ("p.svg", "p.pdf", "p.PNG"):
        picture.save(tmp_path / name)
    svg = (tmp_path / "p.svg").read_text("utf-8")
    assert re.search(r'<svg [^>]*width="240\.945pt" height="[\d.]+pt" viewBox="0 0 240\.945 ', svg)
    pdf = (tmp_path / "p.pdf").read_bytes()
    assert re.search(rb"/MediaBox \[0 0 240\.94", pdf)
    png = (tmp_path / "p.PNG").read_bytes()
    # 85 mm at 300 dots to the inch.
    assert abs(int.from_bytes(png[16:20], "big") - 1004) <= 1
    assert abs(int.from_bytes(picture.file("png", 150)[16:20], "big") - 502) <= 1


def test_without_the_package_there_is_svg_and_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert not can_convert()
    picture, chart = MERGED[0].word_chart(" to"), MERGED[0].chart()
    picture.save(tmp_path / "p.svg")
    for save in (picture.save, chart.save):
        with pytest.raises(FileError, match=r'pip install "tokviz\[figures\]"'):
            save(tmp_path / "p.pdf")
    assert [file.name for file in tmp_path.iterdir()] == ["p.svg"]


def test_a_text_that_the_package_cannot_draw_is_a_sentence(monkeypatch):
    class Panics:
        @staticmethod
        def svg_to_pdf(_svg):
            raise RuntimeError("Err(Any { .. })")

    monkeypatch.setitem(sys.modules, "vl_convert", Panics)
    with pytest.raises(FileError, match=r"no PDF of it; save it as \.svg"):
        made("<svg/>", "pdf")


@pytest.mark.parametrize("path", ["p", "p.jpg", "p.svg.gz"])
def test_other_endings_are_refused(path):
    with pytest.raises(FileError, match=r"\.svg, \.pdf or \.png"):
        kind_of(path)
    with pytest.raises(FileError, match=r"\.svg, \.pdf or \.png"):
        MERGED[0].word_chart(" to").save(path)


@pytest.mark.parametrize("length", ["85", "mm", "8 5mm", "-3in", None, True, float("nan"), "1e3pt"])
def test_what_is_no_length(length):
    with pytest.raises(SettingError, match="is no length; give points"):
        points(length)


@pytest.mark.parametrize("length", [0, 59.9, 2001, "3mm", "2m m"])
def test_lengths_that_no_figure_has(length):
    with pytest.raises(SettingError, match=r"a figure has 60 to 2000|is no length"):
        MERGED[0].chart(width=length)


@pytest.mark.parametrize(("ppi", "match"), [(0, "too small"), (2401, "too much"), (1.5, "whole")])
def test_dots_to_the_inch_that_cannot_be(ppi, match):
    with pytest.raises(SettingError, match=match):
        MERGED[0].word_chart(" to").file("png", ppi)


def test_a_notebook_shows_the_picture_and_one_line_about_it():
    picture = MERGED[0].word_chart(" tokenization")
    shown_as = picture._repr_mimebundle_()
    assert shown_as["image/svg+xml"] == picture.file("svg").decode("utf-8")
    assert len(repr(MERGED[0].word_chart("x" * 60, width=900))) <= 200
