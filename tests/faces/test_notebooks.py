"""The notebooks of the documentation run from top to bottom, and are kept without outputs."""

import ast
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path):
    """The source of the code, without the notebook's own commands."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ("".join(cell["source"]) for cell in found if cell["cell_type"] == "code")
    return [text.replace("%matplotlib inline\n", "") for text in code]


def last_value(text, names):
    """What a notebook would show below the cell: the value of an expression that ends it."""
    tree = ast.parse(text)
    ending = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return (
        None if ending is None else eval(compile(ast.unparse(ending.value), "cell", "eval"), names)
    )


def test_every_notebook_is_listed_on_the_page_of_persons():
    page = (DOCS / "how-to" / "by-person.md").read_text(encoding="utf-8")
    assert {path.stem for path in NOTEBOOKS} == {"analyst", "statistician", "student"}
    for path in NOTEBOOKS:
        assert f"../notebooks/{path.name}" in page


@EACH
def test_it_has_no_outputs(path):
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["nbformat"], data["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in data["cells"]}) == len(data["cells"])
    for cell in data["cells"]:
        assert cell["cell_type"] == "markdown" or not (cell["outputs"] or cell["execution_count"])


@pytest.mark.slow
@EACH
def test_it_runs_and_shows_its_results(path, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names = {}
    for text in cells(path):
        found = last_value(text, names)
        views = ("_repr_html_", "_repr_latex_", "savefig")
        plain = type(found).__module__.startswith("pandas")
        assert found is None or plain or any(hasattr(found, view) for view in views), text
