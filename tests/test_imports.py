"""Imports run one way, and the engine knows nothing of screens."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Loading Altair takes its time: pages import these only when they draw a chart.
FILES = [*sorted((ROOT / "tokviz").rglob("*.py")), ROOT / "app.py"]

#: Later layers may import earlier ones, and modules of their own layer where that makes no circle.
LAYERS = [
    {"sentencepiece", "language", "limits", "quiet_log", "errors", "arguments"}
    | {"checked_against"},
    {"blocks", "pretokenizers", "word_counter", "progress", "samples", "exact", "lattice"}
    | {"markup", "paragraphs", "record", "short_repr", "token_ids", "whole_file"}
    | {"given_corpus"},
    {"em_lattice", "ranks"},
    {"corpus", "symbols", "word_lattice", "white_space"},
    {"given_merges"},
    {"ties", "encoders", "longest_token", "viterbi_encoder", "history", "token_life", "cut_uses"},
    {
        "tokenizer",
        "word_trace",
        "dropout",
        "sampling",
        "merge_record",
        "em_record",
        "em_history",
        "sentencepiece_encoders",
    },
    {"first_places", "score_tables", "merge_tokenizer", "merge_provenance", "merge_tree"}
    | {"bytes_view", "round_trip", "longest_matches", "piece_removal"},
    {"merge_history", "unigram_history", "sentencepiece_history", "replay_history"},
    {"narration", "presets", "trainers", "views", "formats", "metrics"}
    | {"axis", "stretches", "alignment", "boundaries", "overlap", "merge_parting", "parting"}
    | {"held_out", "languages", "faces", "figures", "pictures"},
    {"comparison", "lane_names", "what_if", "within_limits", "word_table", "reached"},
    {"counting"},
    {"__init__"},
    {"__main__", "player", "sizes", "grid", "site", "commands", "lessons"} | {"pool"},
    {"server"},
    {"pages"},
    {"app"},
]

#: The one part of the player that the engine may ask for once it is needed: a history shows itself
#: in a notebook and is written as a page. It imports no Streamlit (see the last test).
WEB_PAGE = "tokviz.player.web_page"
#: The modules that draw charts with Altair, one a subject.
CHARTS = {"tokviz/figures.py", "tokviz/pictures/print_chart.py"}
CHARTS |= {f"tokviz/pages/{name}.py" for name in ("grid_chart", "language_chart")}


def part_of(path):
    """The name of a module's layer member: its package below tokviz, or its own name."""
    inside = path.relative_to(ROOT)
    return inside.parts[1].removesuffix(".py") if inside.parts[0] == "tokviz" else "app"


def imports(path, deferred=False):
    """Every imported module; those inside functions and `if TYPE_CHECKING` only if `deferred`."""
    tree = ast.parse(path.read_text("utf-8"))
    nodes = list(ast.walk(tree)) if deferred else tree.body
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own(name):
    """The layer member that an imported name of tokviz belongs to."""
    parts = name.split(".")
    if parts[0] != "tokviz":
        return None
    members = set().union(*LAYERS)
    return parts[1] if len(parts) > 1 and parts[1] in members else "__init__"


def name_of(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_module_has_its_layer_and_imports_none_above(path):
    layer = {member: i for i, layer in enumerate(LAYERS) for member in layer}
    member = part_of(path)
    assert member in layer, f"{member} has no layer yet; put it where it belongs"
    for name in imports(path):
        other = own(name)
        if other is None or other == member:
            continue
        if other == "__init__" and "." in name:
            assert layer[member] > layer["__init__"], f"{path} imports {name}"
        assert layer[other] <= layer[member], f"{member} imports {name}, which is above it"
    if member not in ("pages", "app", "player", "server", "site", "commands"):
        names = [name for name in imports(path, deferred=True) if not name.startswith(WEB_PAGE)]
        assert not {own(name) for name in names} & {"pages", "app", "player"}


def test_no_circles_within_a_layer():
    """Top-level imports between modules form no circle."""
    members = {str(p.relative_to(ROOT)).removesuffix(".py").replace("/", "."): p for p in FILES}
    graph = {
        module: {name for name in imports(path) if name in members and name != module}
        for module, path in members.items()
    }
    done = set()

    def visit(module, way):
        assert module not in way, " → ".join([*way, module])
        if module not in done:
            for other in graph[module]:
                visit(other, [*way, module])
            done.add(module)

    for module in graph:
        visit(module, [])


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_only_screens_import_streamlit_and_only_charts_altair(path):
    top = {name.split(".")[0] for name in imports(path, deferred=True)}
    if part_of(path) not in ("pages", "server", "player", "app"):
        assert "streamlit" not in top
    if name_of(path) not in CHARTS:
        assert "altair" not in top


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_only_the_command_line_prints(path):
    calls = [
        node.func.id
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    assert "print" not in calls or part_of(path) == "commands"


@pytest.mark.parametrize("module", ["tokviz", WEB_PAGE, "tokviz.site"])
def test_the_engine_and_its_pages_import_without_a_screen(module):
    import subprocess
    import sys

    script = (
        f"import sys, {module}; sys.exit('streamlit' in sys.modules or 'altair' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)
