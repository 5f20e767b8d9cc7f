"""The set-up of a run: corpus, algorithm, vocabulary size and every setting, as a form made from
the trainers' own fields."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import streamlit as st

from tokviz import PRETOKENIZERS, SAMPLES, TRAINERS, make_trainer
from tokviz.corpus import WordCounts
from tokviz.pages.markup import text
from tokviz.pages.preset_field import forget_preset, preset_field
from tokviz.pages.run import LARGEST_SIZE, Run, run_of_sample, sample_text, words_of
from tokviz.pages.style import sentence
from tokviz.pretokenizers import Pretokenizer, make_pretokenizer
from tokviz.trainers import Setting, Trainer, configured, settings_of

OWN_TEXT = "My own text"
#: A larger file stays on the server; its text would have to travel with every click.
LARGEST_EDITED = 200_000

_CORPUS, _TABLE = "corpus_text", "corpus_is_table"


@dataclasses.dataclass
class Own:
    """One's own text as it was left; a large file is not shown for editing."""

    read_as: str = "Text"
    title: str = OWN_TEXT
    text: str = ""
    file: str = ""


def fill_form(run: Run) -> None:
    """Fills the form with a run, as if a person had set everything in it."""
    state = st.session_state
    names = (name for name, s in SAMPLES.items() if sample_text(s) == run.corpus)
    state["sample"] = next(names, OWN_TEXT)
    read_as = "Word counts" if run.is_table else "Text"
    if state["sample"] == OWN_TEXT:
        own = Own(read_as, run.title)
        if len(run.corpus) > LARGEST_EDITED:
            own.file = run.corpus
        else:
            own.text = run.corpus
        state["own"] = own
    _fill(run)


def _fill(run: Run) -> None:
    state = st.session_state
    state.pop("upload_error", None)
    state[_CORPUS] = run.corpus if len(run.corpus) <= LARGEST_EDITED else ""
    state[_TABLE] = "Word counts" if run.is_table else "Text"
    state["algorithm"], state["vocab_size"] = run.algorithm, run.vocab_size
    state["pretokenizer"] = run.pretokenizer
    changed = dict(run.pretokenizer_settings)
    for field in dataclasses.fields(PRETOKENIZERS[run.pretokenizer]):
        if "label" in field.metadata:
            state[f"{run.pretokenizer}.{field.name}"] = changed.get(field.name, field.default)
    for algorithm, kind in TRAINERS.items():
        chosen = dict(run.settings) if algorithm == run.algorithm else {}
        for setting in settings_of(kind):
            value = chosen.get(setting.name, setting.default)
            state[f"{algorithm}.{setting.name}"] = _shown(value)


def another_algorithm(lanes: Sequence[Run]) -> None:
    """Fills the form with the last lane's run, by the first algorithm that no lane uses yet."""
    fill_form(lanes[-1])
    used = {run.algorithm for run in lanes}
    unused = [name for name in TRAINERS if name not in used]
    if unused:
        st.session_state["algorithm"] = unused[0]
        _algorithm_changed()


def _take_sample() -> None:
    """Fills the form with the sample that was picked, or with one's own text as it was left."""
    state, name = st.session_state, st.session_state["sample"]
    if name == OWN_TEXT:
        state.pop("upload_error", None)
        own: Own = state.get("own", Own())
        state[_CORPUS], state[_TABLE] = own.text, own.read_as
        return
    _fill(run_of_sample(SAMPLES[name]))


def _shown(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _take_file() -> None:
    """Reads an uploaded file; it becomes one's own text."""
    file = st.session_state["upload"]
    if file is None:
        return
    try:
        decoded = file.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        st.session_state["upload_error"] = (
            f"{file.name} is not UTF-8 (byte {error.start}); save it as UTF-8 and try again."
        )
        return
    is_table = file.name.lower().endswith((".csv", ".tsv"))
    own = Own("Word counts" if is_table else "Text", file.name)
    if len(decoded) > LARGEST_EDITED:
        own.file = decoded
    else:
        own.text = decoded
    st.session_state["own"] = own
    st.session_state["sample"] = OWN_TEXT
    _take_sample()


def _edited() -> None:
    """What is typed, or read another way, is one's own from then on."""
    state = st.session_state
    title = state["own"].title if state["sample"] == OWN_TEXT and "own" in state else OWN_TEXT
    state["own"] = Own(state[_TABLE], title, state.get(_CORPUS) or "")
    state["sample"] = OWN_TEXT


def _drop_file() -> None:
    st.session_state["own"] = Own()
    _take_sample()


def _algorithm_changed() -> None:
    """What an algorithm is usually used with comes with it, and a size that it can train."""
    forget_preset()
    state = st.session_state
    kind = TRAINERS[state["algorithm"]]
    state["pretokenizer"] = kind.default_pretokenizer
    _fit_size(kind(), make_pretokenizer(kind.default_pretokenizer))
    if "seed_size" in kind.__dataclass_fields__:
        # Room to prune: three times what is to be left, and never less than the course's 300.
        state[f"{kind.name}.seed_size"] = max(300, 3 * state["vocab_size"])


def _fit_size(trainer: Trainer, pretokenizer: Pretokenizer) -> None:
    """Raises the vocabulary size in the form if the corpus leaves no room for training."""
    state = st.session_state
    own: Own = state.get("own", Own())
    corpus = own.file if state["sample"] == OWN_TEXT and own.file else state.get(_CORPUS) or ""
    try:
        words = _words(corpus, state[_TABLE] == "Word counts", trainer, pretokenizer)
        least = trainer.least_vocab_size(words, pretokenizer)
    except ValueError:
        return  # The form says what is wrong with the corpus.
    if state["vocab_size"] <= least:
        state["vocab_size"] = min(LARGEST_SIZE, 2 * least)


def _words(corpus: str, is_table: bool, trainer: Trainer, pretokenizer: Pretokenizer) -> WordCounts:
    """The words that the trainer will see. Raises ValueError if the corpus cannot be read."""
    chosen = configured(trainer, pretokenizer)
    decided = tuple((f.name, getattr(chosen, f.name)) for f in dataclasses.fields(chosen))
    return words_of(corpus, is_table, chosen.name, decided, trainer.special_tokens)


def form() -> Run | None:
    """Draws the form. Returns the run that it describes, not checked yet, once Train is pressed."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        title, corpus, is_table = _corpus_fields()
    with right:
        preset_field(_fit_size)
        st.segmented_control(
            "Algorithm",
            list(TRAINERS),
            format_func=lambda name: TRAINERS[name].label,
            key="algorithm",
            required=True,
            on_change=_algorithm_changed,
            persist_state="session",
            help="\n\n".join(f"{kind.label}: {kind.help}" for kind in TRAINERS.values()),
        )
        algorithm: str = st.session_state["algorithm"]
        pretokenizer = st.selectbox(
            "Pre-tokenizer",
            list(PRETOKENIZERS),
            format_func=lambda name: f"{PRETOKENIZERS[name].label}",
            key="pretokenizer",
            persist_state="session",
            help="\n\n".join(f"{kind.label}: {kind.help}" for kind in PRETOKENIZERS.values()),
        )
        pre_settings = _pretokenizer_fields(pretokenizer)
        settings = _settings_fields(algorithm)
        size_help = "How many tokens the finished vocabulary holds, special tokens included."
        vocab_size = st.number_input(
            "Vocabulary size",
            min_value=1,
            max_value=LARGEST_SIZE,
            key="vocab_size",
            persist_state="session",
            help=size_help,
        )
        run = Run(
            title,
            corpus,
            is_table,
            algorithm,
            int(vocab_size),
            pretokenizer,
            pre_settings,
            settings,
        )
        _size_hint(run)
        pressed = st.button("Train", type="primary", key="train", width="stretch")
    return run if pressed else None


def _corpus_fields() -> tuple[str, str, bool]:
    st.selectbox(
        "Sample",
        [*SAMPLES, OWN_TEXT],
        format_func=lambda name: SAMPLES[name].title if name in SAMPLES else name,
        key="sample",
        on_change=_take_sample,
        persist_state="session",
    )
    name = st.session_state["sample"]
    own: Own = st.session_state.get("own", Own())
    title = SAMPLES[name].title if name in SAMPLES else own.title
    if name == OWN_TEXT and own.file:
        corpus = own.file
        st.html(
            f'<p class="tv-note">The corpus is the file {text(own.title)} ({len(corpus):,} '
            f"characters). It starts: {text(' '.join(corpus[:300].split()))} …</p>"
        )
        st.button("Type a text instead", on_click=_drop_file)
    else:
        corpus = st.text_area(
            "Corpus",
            key=_CORPUS,
            height=190,
            on_change=_edited,
            persist_state="session",
            placeholder="Paste a text. Each line is a document.",
        )
    reading, upload = st.columns([1, 2], gap="medium")
    with reading:
        is_table = (
            st.segmented_control(
                "Read as",
                ["Text", "Word counts"],
                key=_TABLE,
                required=True,
                on_change=_edited,
                persist_state="session",
                help="Word counts: one word and its count a line, split by a comma or a tab.",
            )
            == "Word counts"
        )
    if "upload_error" in st.session_state:
        sentence(st.session_state["upload_error"])
    with upload:
        st.file_uploader(
            "File (.txt, or .csv/.tsv with words and counts)",
            type=["txt", "csv", "tsv"],
            key="upload",
            on_change=_take_file,
        )
    if name in SAMPLES:
        sample = SAMPLES[name]
        st.html(
            f'<p class="tv-note">{text(sample.note)}<br>Source: {text(sample.source)} '
            f"Licence: {text(sample.licence)}</p>"
        )
    return title, corpus or "", is_table


def _pretokenizer_fields(name: str) -> tuple[tuple[str, Any], ...]:
    """Only the fields that were changed, so that the same run is the same run."""
    chosen = []
    for field in dataclasses.fields(PRETOKENIZERS[name]):
        notes, key = field.metadata, f"{name}.{field.name}"
        if "label" not in notes:
            continue
        presets = notes.get("presets")
        if presets:
            _preset_field(key, presets)
        if isinstance(field.default, bool):
            value: Any = st.toggle(
                notes["label"], key=key, help=notes["help"], persist_state="session"
            )
        elif isinstance(field.default, int | float):
            value = st.number_input(
                notes["label"],
                value=field.default,
                min_value=0.1,
                max_value=20.0,
                key=key,
                help=notes["help"],
                persist_state="session",
            )
        else:
            st.session_state.setdefault(key, field.default)
            value = st.text_input(
                notes["label"], key=key, help=notes["help"], persist_state="session"
            )
        if value != field.default:
            chosen.append((field.name, value))
    return tuple(chosen)


def _preset_field(key: str, presets: dict[str, str]) -> None:
    def take() -> None:
        if picked := st.session_state[f"{key}.preset"]:
            st.session_state[key] = presets[picked]

    st.pills("Presets", list(presets), key=f"{key}.preset", on_change=take)


def _settings_fields(algorithm: str) -> tuple[tuple[str, Any], ...]:
    """The trainer's settings; the rarer ones folded away. Only changed ones are returned."""
    settings = settings_of(TRAINERS[algorithm])
    values = {s.name: _field(algorithm, s) for s in settings if not s.advanced}
    with st.expander("More settings"):
        values |= {s.name: _field(algorithm, s) for s in settings if s.advanced}
    return tuple((s.name, values[s.name]) for s in settings if values[s.name] != s.default)


def _field(algorithm: str, setting: Setting) -> Any:
    key = f"{algorithm}.{setting.name}"
    st.session_state.setdefault(key, _shown(setting.default))
    common: dict[str, Any] = {"key": key, "help": setting.help, "persist_state": "session"}
    if setting.choices:
        return st.selectbox(setting.label, setting.choices, **common)
    if isinstance(setting.default, bool):
        return st.toggle(setting.label, **common)
    if isinstance(setting.default, tuple):
        picked = st.multiselect(
            setting.label,
            st.session_state[key],
            accept_new_options=True,
            placeholder="Type one, then Enter",
            **common,
        )
        return tuple(picked)
    if isinstance(setting.default, str):
        return st.text_input(setting.label, **common)
    kind = type(setting.default)
    decimals = max(3, len(str(setting.default).partition(".")[2])) if kind is float else 0
    return st.number_input(
        setting.label,
        step=1 if kind is int else 0.01 if decimals == 3 else 10.0**-decimals,
        format=f"%.{decimals}f" if kind is float else "%d",
        min_value=None if setting.least is None else kind(setting.least),
        max_value=None if setting.greatest is None else kind(setting.greatest),
        **common,
    )


def _size_hint(run: Run) -> None:
    """The sizes that make sense for this corpus, or why it cannot be trained on."""
    try:
        trainer = make_trainer(run.algorithm, run.vocab_size, **dict(run.settings))
        chosen = run.make_pretokenizer()
        words = _words(run.corpus, run.is_table, trainer, chosen)
        least = trainer.least_vocab_size(words, chosen)
        greatest = trainer.greatest_vocab_size(words, chosen)
    except ValueError as error:
        st.html(f'<p class="tv-note">{text(str(error))}</p>')
        return
    ends = f"{least:,} (only the alphabet) to at most {min(greatest, LARGEST_SIZE):,}"
    if run.algorithm == "unigram":
        ends = f"{least:,} (only the characters) to {greatest:,} (all seeds, nothing removed)"
    st.html(
        f'<p class="tv-note">For this corpus: {ends}. '
        f"It has {words.total:,} words, {len(words):,} different ones.</p>"
    )
