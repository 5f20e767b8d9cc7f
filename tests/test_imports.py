"""Rooms: the packages of tokviz, each of which imports only what stands before it."""

import ast
import re
import subprocess
import sys
from functools import cache

import pytest
from helpers import ROOT

FILES = [*sorted((ROOT / "tokviz").rglob("*.py")), ROOT / "app.py"]

#: A room imports from those above it and from itself. `tokviz` is the package's own `__init__`:
#: what stands below it may ask for everything by its public name.
ROOMS = (
    "basics",
    "pretokenizers",
    "core",
    "text",
    "encoding",
    "history",
    "narration",
    "trainers",
    "analysis",
    "formats",
    "pictures",
    "tokviz",
    "counting",
    "lessons",
    "player",
    "server",
    "cli",
    "__main__",
    "pages",
    "app",
)
#: The same for the rooms in `pages`; its own modules are the pages, and what starts them.
PARTS_OF_PAGES = (
    "widgets",
    "visit",
    "lenses",
    "share",
    "form",
    "comparison",
    "lesson",
    "",
    "start",
)

#: What a history offers as a method and has from a room below it, imported when it is called; and
#: the script for shells, which asks the parser of all commands.
METHODS = {
    "analysis/comparison.py": {"pictures", "player"},
    "history/base.py": {"formats", "narration", "pictures", "player"},
    "cli/completion.py": {"__main__"},
}
SCREENS = {"player", "server", "pages", "app"}
#: Loading Altair takes its time: these modules alone draw with it, one a subject.
CHARTS = {"tokviz/pictures/curves.py", "tokviz/pictures/print_chart.py"}
CHARTS |= {f"tokviz/pages/comparison/{name}.py" for name in ("grid_chart", "language_chart")}

MOST_ENTRIES, MOST_MODULES = 20, 24


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def module_of(path):
    """The dotted name of a module.

    >>> module_of(ROOT / "tokviz" / "text" / "corpus.py")
    'tokviz.text.corpus'
    """
    return name_of(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__")


MODULES = {module_of(path): path for path in FILES}


@cache
def tree_of(path):
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(path, deferred=False):
    """Every imported module; those inside functions and `if TYPE_CHECKING` only if `deferred`."""
    tree, found = tree_of(path), []
    for node in ast.walk(tree) if deferred else tree.body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def own_imports(path, deferred=False):
    """The modules of tokviz among them."""
    for name in imports(path, deferred):
        while name not in MODULES and "." in name:
            name = name.rpartition(".")[0]
        if name in MODULES and MODULES[name] != path:
            yield name


def room_of(module):
    """The room in which a module stands.

    >>> room_of("tokviz.text.corpus"), room_of("tokviz"), room_of("app")
    ('text', 'tokviz', 'app')
    """
    return module.split(".")[1] if "." in module else module


def part_of_pages(module):
    """The part of `pages` in which a module stands; None for those of other rooms."""
    if room_of(module) != "pages":
        return None
    below = module.split(".")[2:]
    is_package = MODULES[module].name == "__init__.py"
    return below[0] if below and (len(below) > 1 or is_package) else ""


def test_every_room_imports_only_what_stands_before_it():
    for path in FILES:
        module = module_of(path)
        assert room_of(module) in ROOMS, "a new room needs its place in ROOMS, and in the map"
        for name in own_imports(path):
            assert ROOMS.index(room_of(name)) <= ROOMS.index(room_of(module)), (module, name)
            if (part := part_of_pages(module)) is not None and room_of(name) == "pages":
                before = PARTS_OF_PAGES.index(part_of_pages(name))
                assert before <= PARTS_OF_PAGES.index(part), (module, name)


def test_methods_alone_import_what_stands_behind_them():
    for path in FILES:
        room = room_of(module_of(path))
        behind = {
            other
            for name in own_imports(path, deferred=True)
            if ROOMS.index(other := room_of(name)) > ROOMS.index(room)
        }
        allowed = METHODS.get(name_of(path).removeprefix("tokviz/"), set())
        assert behind <= allowed, path


def test_the_map_of_rooms_is_this_table():
    rows = re.findall(r"(?m)^\| `(\w+)`", (ROOT / "docs" / "how-it-works.md").read_text("utf-8"))
    assert tuple(rows) == ROOMS


def test_no_circles():
    """Top-level imports between modules form no circle."""
    graph = {module: set(own_imports(path)) for module, path in MODULES.items()}
    done = set()

    def visit(module, way):
        assert module not in way, " → ".join([*way, module])
        if module not in done:
            for other in graph[module]:
                visit(other, [*way, module])
            done.add(module)

    for module in graph:
        visit(module, [])


def test_a_newcomer_can_look_over_every_room():
    folders = {path.parent for path in FILES if path.parent != ROOT}
    for folder in folders:
        assert len(list(folder.glob("*.py"))) <= MOST_MODULES, folder
    # A folder that an older checkout left behind holds no module.
    inside = [path for path in (ROOT / "tokviz").iterdir() if path.name != "__pycache__"]
    entries = [path for path in inside if path.is_file() or any(path.rglob("*.py"))]
    assert len(entries) <= MOST_ENTRIES


def test_no_module_has_the_name_of_a_library():
    libraries = {name.split(".")[0] for path in FILES for name in imports(path, deferred=True)}
    libraries.remove("tokviz")
    # `queue.py` in a package hides nothing; to a reader it would still be the library.
    names = {module.rpartition(".")[2] for module in MODULES if "." in module}
    assert not libraries & names


def test_only_screens_import_streamlit_and_only_charts_altair():
    for path in FILES:
        top = {name.split(".")[0] for name in imports(path, deferred=True)}
        if room_of(module_of(path)) not in SCREENS:
            assert "streamlit" not in top, path
        if name_of(path) not in CHARTS:
            assert "altair" not in top, path


def test_only_the_command_line_prints():
    for path in FILES:
        calls = [
            node.func.id
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
        assert "print" not in calls or room_of(module_of(path)) == "cli", path


def families_asked_for(tree):
    """The classes of histories that a module tells apart by hand.

    >>> families_asked_for(ast.parse("isinstance(h, A); isinstance(h, UnigramHistory | MHistory)"))
    ['UnigramHistory | MHistory']
    """
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [ast.unparse(call.args[1]) for call in calls if name_called(call.func) == "isinstance"]
    return [classes for classes in named if re.search("History\\b", classes)]


def test_few_modules_ask_of_what_family_a_history_is():
    # Families register what they add; a new one would have to be looked for in each of these.
    asked = [(str(path), found) for path in FILES for found in families_asked_for(tree_of(path))]
    assert len(asked) <= 15, asked


@pytest.mark.parametrize("module", ["tokviz", "tokviz.cli.app", "tokviz.player.site"])
def test_the_engine_and_its_pages_import_without_a_screen_and_without_tables(module):
    # Each is slow to import: 0.2 s for pandas, at each command and in each process of the server.
    unwanted = {"streamlit", "altair", "pandas"}
    script = f"import sys, {module}; print(*{unwanted} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT, capture_output=True)
    assert not done.stdout.split()


#: Private names of other packages that tests use, and what begins like one in the standard library.
OF_OTHERS = {
    *("_actions", "_asdict", "_exit", "_fields", "_replace", "_repr_html_", "_repr_mimebundle_"),
    *(
        "_coalesce_widget_states",
        "_make_blocking_http_get",
        "_queue",
        "_rolled",
        "_script_event_loop",
        "_tree",
    ),
    *("_mergeable_ranks", "_pat_str"),
    *("_initialize_vocab", "_encode_words", "_initialize_pairs", "_merge_pair", "_dump"),
    *("_encode_word_by_events", "_encode_word_by_event_sequence"),
}


def private_names(tree):
    """What a test takes of others that begins with one underscore.

    >>> private_names(ast.parse("from tokviz.a import _B, _\\nself._own; module._C; x._replace()"))
    ['_B', '_C']
    >>> private_names(ast.parse("monkeypatch.setattr(module, '_D', 1)"))
    ['_D']
    """
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("tokviz"):
            found += [alias.name for alias in node.names if alias.name not in ("_", "_n")]
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            if ast.unparse(node.value) not in ("self", "super()"):
                found.append(node.attr)
        elif isinstance(node, ast.Call) and name_called(node.func) == "setattr":
            found += [str(named.value) for named in node.args[1:2] if type(named) is ast.Constant]
    return [name for name in found if re.match("_[^_]", name) and name not in OF_OTHERS]


def name_called(function):
    """The last name of what is called; None if it has none."""
    return getattr(function, "attr", getattr(function, "id", None))


def test_tests_use_no_private_names():
    for path in sorted((ROOT / "tests").rglob("*.py")):
        assert private_names(tree_of(path)) == [], path
