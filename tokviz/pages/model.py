"""The page that opens a SentencePiece model: how it was trained, its pieces, and what it makes of a
text."""

from collections import Counter
from typing import Any

import pandas as pd
import streamlit as st

from tokviz.formats.sentencepiece_model import (
    SentencePieceModel,
    SentencePieceModelError,
    check_packages,
    read_model,
)
from tokviz.pages.markup import visible
from tokviz.pages.style import fact_line, sentence

#: How much of a text is encoded while it is typed.
MOST_CHARACTERS = 20_000


def page() -> None:
    """Draws the page."""
    st.html(
        '<h1 class="tv-title">A SentencePiece model</h1><p class="tv-note">Open a .model file to '
        "see how it was trained, and to encode with it as SentencePiece does.</p>"
    )
    try:
        check_packages()
    except SentencePieceModelError as error:
        sentence(str(error))
        return
    file = st.file_uploader("Model file (.model)", type=["model"], key="model_file")
    if file is None:
        return
    try:
        model = _read(file.getvalue())
    except SentencePieceModelError as error:
        sentence(str(error).replace("The model", file.name, 1))
        return
    _summary(model)
    encode, pieces, trainer, normalizer = st.tabs(
        ["Encode", "Pieces", "Trainer specification", "Normalizer specification"]
    )
    with encode:
        _encode(model)
    with pieces:
        table = pd.DataFrame(model.pieces)
        table["piece"] = table["piece"].map(visible)
        table.insert(0, "id", range(len(table)))
        st.dataframe(table, hide_index=True, height=480)
    with trainer:
        _specification(model.trainer_spec)
    with normalizer:
        _specification(model.normalizer_spec)


@st.cache_resource(max_entries=4, show_spinner=False)
def _read(data: bytes) -> SentencePieceModel:
    return read_model(data)


def _summary(model: SentencePieceModel) -> None:
    kinds = Counter(piece.type for piece in model.pieces)
    rows = {
        "Type": model.model_type,
        "Pieces": ", ".join(f"{n:,} {kind}" for kind, n in kinds.most_common()),
        "Normalization": model.normalizer_spec["name"] or "none",
    }
    fact_line(rows)


def _encode(model: SentencePieceModel) -> None:
    typed = st.text_area("Text", key="model_text", max_chars=MOST_CHARACTERS, height=120)
    try:
        encoding = model.tokenizer().encode(typed)
    except SentencePieceModelError as error:
        sentence(str(error))
        return
    st.html(f'<p class="tv-note">{len(encoding):,} tokens, {len(typed):,} characters</p>')
    table = pd.DataFrame(
        {
            "token": [visible(token) for token in encoding.tokens],
            "id": pd.array(encoding.ids, dtype="Int64"),
            "text": [visible(typed[start:end]) for start, end in encoding.offsets],
            "from": [start for start, _ in encoding.offsets],
            "to": [end for _, end in encoding.offsets],
        }
    )
    st.dataframe(table, hide_index=True, height=360)


def _specification(fields: dict[str, Any]) -> None:
    """Every field under the library's own name."""
    rows = [(name, _shown(value)) for name, value in fields.items()]
    st.dataframe(pd.DataFrame(rows, columns=["field", "value"]), hide_index=True, height=480)


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    return visible(", ".join(map(str, value)) if isinstance(value, list) else str(value))
