"""The example notebook runs from the first cell to the last, and shows runs as the player."""

import html
import os
import re

import nbformat
import pytest
from helpers import PATIENCE, ROOT
from nbclient import NotebookClient

NOTEBOOK = ROOT / "docs" / "tokviz.ipynb"


@pytest.fixture(scope="module")
def written():
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def results(written, tmp_path_factory):
    """What each code cell that ends in a value shows, by the last line of the cell."""
    notebook = nbformat.from_dict(written)
    place = tmp_path_factory.mktemp("notebook")
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    client = NotebookClient(notebook, timeout=PATIENCE, kernel_name="python3")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", path)
        # What Jupyter keeps belongs to nobody's home, and what a cell writes to no checkout.
        for name in ("TMPDIR", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
            environment.setenv(name, str(place))
        client.execute(cwd=place)
    return {
        cell.source.splitlines()[-1]: output.data
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    }


def test_the_notebook_is_kept_without_its_outputs(written):
    nbformat.validate(written)
    for cell in written.cells:
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


def test_runs_are_shown_as_the_player(results):
    for name, labels in (("history", ["BPE"]), ("comparison", ["BPE", "Unigram"])):
        frame = results[name]["text/html"]
        assert frame.startswith('<iframe sandbox="allow-scripts" title="Training player: ')
        page = html.unescape(re.search('srcdoc="([^"]*)"', frame)[1])
        assert page.startswith("<!doctype html>")
        assert '<div class="tv-player">' in page
        assert all(f"<bdi>{label}</bdi>" in page for label in labels)
        # Where there is no browser, a line of text and no more.
        assert len(results[name]["text/plain"]) < 120


def test_what_the_cells_say(results):
    said = {last: data["text/plain"] for last, data in results.items()}
    assert 'merged "Ġ" + "t" into "Ġt"' in said["[history.narrate(t) for t in range(3)]"]
    assert said["tokenizer.decode(encoding.ids)"] == "'This is not a token.'"
    files = said["sorted(file.name for file in folder.iterdir())"]
    end = said['comparison.end[["lane", "vocab_size", "corpus_tokens", "unused"]]'].splitlines()
    # Trained, not the seeds that Unigram begins with.
    assert [row.split()[1:4] for row in end[1:]] == [["BPE", "50", "133"], ["Unigram", "50", "91"]]
    assert said["encoding.tokens, encoding.ids"].startswith("(['This', 'Ġis', 'Ġ', 'n',")
    assert files == "['course.html', 'course.npz', 'curve.csv']"
    assert said['len(tokviz.load(folder / "course.npz")) == len(history)'] == "True"
