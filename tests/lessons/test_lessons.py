"""Lessons: every bundled one on its sample and on other texts."""

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.basics.messages import here, message, using
from tokviz.lessons.facts import Chip, plain
from tokviz.lessons.lesson import LessonError, bundled, read_lesson
from tokviz.lessons.sizes import fitting_size
from tokviz.lessons.staging import stage
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.trainers import configured

LESSONS = bundled()
SAMPLES = tokviz.SAMPLES
#: Texts that classes may bring, and those that they should not.
TEXTS = {
    "one letter": "a",
    "aaa": "aaa",
    "no letters": "!? …\n\n1 2 3",
    "chinese": "你好，世界。我喜欢咖啡，你也喜欢咖啡吗？",
    "emoji": "😀😀 😀👩‍👩‍👧 é e\u0301",
    "markup": "<b>{words}</b> {x of y} Ġ ## ▁ </w> [UNK] <unk> & \\ `",
    "odd": "a\ud800b \x00 c\u202eabc",
    "course": SAMPLES["course"].corpus,
    "alice": SAMPLES["alice"].corpus[:3000],
    "hindi": SAMPLES["udhr-hi"].corpus,
    "words": SAMPLES["low-lower"].corpus,
    "two languages": "=== one ===\nlow lower low\n=== two ===\nhug hugs pug",
    "its own": "you are tokenizing, they are tokenizing pugs and mugs",
}


def bounds(corpus, chosen):
    """The least and the greatest size that a run can have on a text."""
    others = {k: v for k, v in chosen.items() if k != "pretokenizer"}
    trainer = tokviz.make_trainer(**others)
    pretokenizer = make_pretokenizer(chosen.get("pretokenizer", trainer.default_pretokenizer))
    pretokenizer = configured(trainer, pretokenizer)
    words = count_words(corpus, pretokenizer, trainer.special_tokens)
    least = trainer.least_vocab_size(words, pretokenizer)
    return least, trainer.greatest_vocab_size(words, pretokenizer)


@cache
def bundled_run(lesson, name):
    """A run of a bundled lesson, by their names."""
    return tokviz.train(LESSONS[lesson].corpus_of(name), **LESSONS[lesson].runs[name])


def own_run(lesson, name):
    """A run of any lesson on the text that it brings."""
    if lesson is LESSONS.get(lesson.name):
        return bundled_run(lesson.name, name)
    return tokviz.train(lesson.corpus_of(name), **lesson.runs[name])


def trained(lesson, corpus=None):
    """The runs of a lesson, on another text if there is one, as the page trains them."""
    runs = {}
    for name, chosen in lesson.runs.items():
        if corpus is None or name in lesson.samples:
            runs[name] = own_run(lesson, name)
            continue
        least, _greatest = bounds(lesson.corpus, chosen)
        size = fitting_size(chosen["vocab_size"], least, *bounds(corpus, chosen))
        runs[name] = tokviz.train(corpus, **{**chosen, "vocab_size": size})
    return runs


def told_on(lesson, corpus=None):
    text = lesson.corpus if corpus is None else corpus
    runs = trained(lesson, corpus)
    return stage(lesson, runs, text, own=corpus is not None), runs


@pytest.fixture(scope="module", params=LESSONS)
def on_sample(request):
    lesson = LESSONS[request.param]
    return (lesson, *told_on(lesson))


def test_every_scene_can_be_told_on_its_sample(on_sample):
    lesson, scenes, _runs = on_sample
    assert [scene.number for scene in scenes] == list(range(len(lesson.scenes)))
    assert 6 <= len(scenes) <= 15
    assert sum(scene.ask is not None for scene in scenes) >= 2
    for scene in scenes:
        assert plain(scene.say)
        assert "{" not in plain(scene.say)


#: Names that have digits in them.
NAMES = re.compile(r"UTF-8|GPT-2|CS336")


def test_numbers_are_facts(on_sample):
    """So they are right on every text. What a scene on the sample alone may say, it may write."""
    lesson, _scenes, _runs = on_sample
    for scene in lesson.scenes:
        said = [scene.title, scene.say]
        if scene.ask:
            said += [scene.ask.question, *scene.ask.options, scene.ask.then]
        for text in said:
            bare = NAMES.sub("", re.sub(r"\{[^{}]*\}", "", text))
            assert scene.sample_only or not re.search(r"\d", bare), bare


def test_each_guess_has_one_right_answer(on_sample):
    _lesson, scenes, runs = on_sample
    check_guesses(scenes, runs)


def check_guesses(scenes, runs):
    """One option is right; of candidates it is what the engine does, and the others are worse."""
    for staged in scenes:
        ask, scene = staged.ask, staged.scene
        if ask is None:
            continue
        assert (ask.number is None) == bool(ask.options)
        assert len({plain(option) for option in ask.options}) == len(ask.options)
        assert not ask.options or 0 <= ask.right < len(ask.options)
        if scene.ask.of_candidates:
            history = runs[scene.runs[0]]
            step = history.steps[staged.states[0]]
            prunes = step.action == "prune"
            shown = [part.token for part in ask.options[ask.right] if isinstance(part, Chip)]
            assert shown == ([step.removed[0]] if prunes else [step.left, step.right])
            table = history.candidates(staged.states[0])
            best = table[table.chosen]
            for i, option in enumerate(ask.options):
                tokens = [part.token for part in option if isinstance(part, Chip)]
                if i != ask.right and not prunes:
                    row = table[(table.left == tokens[0]) & (table.right == tokens[1])]
                    assert row.score.iloc[0] < best.score.iloc[0]
                if i != ask.right and prunes:
                    assert tokens[0] not in step.removed


def test_numbers_that_are_guessed_are_those_of_the_runs():
    """Worked out from the histories, without the facts."""
    wanted = {}
    for name in LESSONS:
        scenes, runs = told_on(LESSONS[name])
        wanted[name] = [s.ask.number for s in scenes if s.ask and s.ask.number is not None]
        if name == "ties":
            first, largest = runs["first"], runs["largest"]
            merges = [[step.token for step in run.steps] for run in (first, largest)]
            apart = next(i for i in range(20) if merges[0][i] != merges[1][i]) + 1
            same = len(set(first.vocab(20)) & set(largest.vocab(20)))
            ids = len(set(runs["ids"].vocab(20)) & set(runs["shortest"].vocab(20)))
            assert wanted[name] == [sum(s.tied > 1 for s in first.steps), apart, same, ids]
    # Before training 4 bytes of 😀; pun as p u n, pu n, p un; hugs as hug s, h ug s, h u g s.
    assert wanted["bytes"][0] == len("😀".encode())
    assert (wanted["unigram"], wanted["em"]) == ([5 + 12, 3], [3])
    articles = [SAMPLES[f"udhr-{code}"].corpus for code in ("zh", "hi")]
    assert wanted["languages"][0] == len(articles[0].encode())
    assert wanted["languages"][2] == len(articles[1].encode())
    _scenes, runs = told_on(LESSONS["taking-turns"])
    together, turns = (tokens_by_language(runs[name]) for name in ("together", "turns"))
    words = dict(zip(runs["together"].words.words, runs["together"].words.counts, strict=True))
    plain_bpe = tokviz.train(words, "bpe", 124, "gpt2", tie_break="largest-pair")
    assert [s.token for s in plain_bpe.steps] == [s.token for s in runs["together"].steps]
    assert wanted["taking-turns"] == [max(together), sum(turns)]
    _scenes, runs = told_on(LESSONS["across-words"])
    across = runs["super"]
    # The scene before has shown the step at which the border falls.
    first = next(t for t in range(across.border + 1, len(across)) if across.crosses[t])
    sizes = [sum(across.token_counts(t)) for t in (first, first + 1, len(across))]
    assert wanted["across-words"] == [sizes[0] - sizes[1], sizes[2]]
    _scenes, runs = told_on(LESSONS["a-wrong-loss"])
    flawed, wrong = runs["unigram"], 0
    for t in range(len(flawed)):
        if flawed.action(t) == "prune":
            table = flawed.candidates(t)
            wrong += int((table.chosen & ~table.right_goes).sum())
    assert wanted["a-wrong-loss"] == [wrong]


def tokens_by_language(history):
    words, languages = history.words.words, history.words.languages
    cuts = [len(history.segmentation(word, len(history))) for word in words]
    return [sum(map(int.__mul__, cuts, counts)) for counts in languages.counts]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", LESSONS)
def test_on_other_texts_scenes_are_only_left_out(name, text):
    lesson = LESSONS[name]
    scenes, runs = told_on(lesson, TEXTS[text])
    check_guesses(scenes, runs)
    numbers = [scene.number for scene in scenes]
    assert numbers == sorted(set(numbers))
    assert not any(scene.scene.sample_only for scene in scenes)
    # The first scene and what has been learned are told of every text.
    assert len(lesson.scenes) - 1 in numbers
    for scene in scenes:
        assert len(scene.states) == len(scene.scene.runs)


@settings(max_examples=12)
@given(text=st.text(min_size=1, max_size=40).filter(str.strip))
@pytest.mark.parametrize("name", LESSONS)
def test_no_text_makes_a_lesson_fail(name, text):
    try:
        told_on(LESSONS[name], text)
    except tokviz.CorpusError:
        # A normalizer may leave nothing of signs and invisible characters; the page says so.
        assert not any(map(str.isalnum, text))


def test_a_run_with_its_own_sample_keeps_it():
    lesson = LESSONS["languages"]
    scenes, runs = told_on(lesson, "a b c")
    assert runs["many"].words.total > runs["one"].words.total == 3
    many = next(scene for scene in scenes if scene.scene.runs == ("many",))
    assert f"{runs['many'].words.total} words in all" in plain(many.say)


def test_sizes_fit_other_texts():
    assert fitting_size(50, 30, 40, 1000) == 60
    assert fitting_size(50, 30, 40, 45) == 45
    assert fitting_size(20, 30, 40, 1000) == 40


def staged(lesson):
    runs = trained(lesson)
    return stage(lesson, runs, lesson.corpus, own=False), runs


def asked(options, text="low lower lowest", run='algorithm = "bpe"\nvocab_size = 12', at="start"):
    """The question of a lesson with one scene."""
    file = f"""format = 1\ntitle = "t"\nabout = "a"\nminutes = 1\ncorpus.text = "{text}"
[runs.a]\n{run}\n[[scenes]]\nruns = ["a"]\nsay = "s"\nat = "{at}"
ask = {{ question = "q", then = "t", {options} }}"""
    scenes, _runs = staged(read_lesson(file.encode(), "mine"))
    return scenes[0].ask if scenes else None


def test_the_first_of_equal_options_stays_the_right_one():
    ask = asked('options = ["A", "B", "A"]')
    assert [plain(option) for option in ask.options] in (["A", "B"], ["B", "A"])
    assert plain(ask.options[ask.right]) == "A"


@pytest.mark.parametrize("name", LESSONS)
def test_options_stand_in_one_order_in_every_language(name):
    english, _runs = staged(LESSONS[name])
    with using("zh_CN"):
        chinese, _runs = staged(LESSONS[name])
    assert [s.ask.right for s in english if s.ask] == [s.ask.right for s in chinese if s.ask]


@pytest.mark.parametrize("language", ["", "zh_CN"])
@pytest.mark.parametrize(
    ("name", "i", "named"), [("bytes", 4, "Shown as"), ("new-words", 8, "Sampling")]
)
def test_what_a_scene_names_is_so_called_on_the_page_and_is_in_what_it_shows(
    name, i, named, language
):
    with using(language):
        scenes, _runs = staged(LESSONS[name])
        assert here(message(named)) in plain(scenes[i].say)
    assert scenes[i].scene.show == "encode"


def test_a_last_scene_on_rules_or_algorithms_has_them_before_it():
    scenes, runs = told_on(LESSONS["ties"])
    last, word = scenes[-1], " tokenization"
    cuts = [
        runs[run].segmentation(word, t) for run, t in zip(last.scene.runs, last.states, strict=True)
    ]
    assert cuts[0] != cuts[1]
    [*_, last], runs = told_on(LESSONS["new-words"])
    algorithms = [LESSONS["new-words"].runs[run]["algorithm"] for run in last.scene.runs]
    assert algorithms == ["bpe", "wordpiece", "unigram"]


def test_an_answer_is_a_whole_number_or_nothing_is_asked():
    assert asked('answer = "{steps}"').number == 4
    assert asked('answer = "{next times}"', at="end") is None
    assert asked('answer = "{tokens per character of low}"') is None
    once = asked('answer = "{merged times}"', "ab", 'algorithm = "bpe"\nvocab_size = 3', "end")
    assert once.number == 1


def test_steps_without_candidates_ask_for_none():
    run = 'algorithm = "sentencepiece-unigram"\nvocab_size = 12\nmin_expected_count = 0.0'
    assert asked('options = "candidates"', "low lower lowest low slow", run) is None


@pytest.mark.parametrize("setting", ['algorithm = ["bpe"]', "algorithm = { a = 1 }"])
def test_an_algorithm_that_is_no_name_is_refused(setting):
    with pytest.raises(LessonError, match="needs an algorithm"):
        asked('options = "candidates"', run=f"{setting}\nvocab_size = 9")


def test_a_lesson_tells_no_run_what_to_choose():
    run = 'algorithm = "bpe"\nvocab_size = 12\ninterventions = [[0, ["l", "o"]]]'
    with pytest.raises(LessonError, match="cannot tell a run what to choose"):
        asked('options = "candidates"', run=run)
