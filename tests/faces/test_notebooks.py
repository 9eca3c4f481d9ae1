"""The notebooks run from top to bottom, are pages, and are kept without outputs."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
KINDS = {
    "analyst", "curator", "developer", "engineer", "interviewer", "researcher", "statistician",
    "student",
}  # fmt: skip
EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def pages():
    """What makes pages of notebooks when the documentation is built."""
    spec = importlib.util.spec_from_file_location("pages", ROOT / ".ci" / "notebook_pages.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_every_notebook_is_a_page_that_the_page_of_persons_links():
    page = (DOCS / "how-to" / "by-person.md").read_text(encoding="utf-8")
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert {path.stem for path in NOTEBOOKS} == KINDS
    for kind in KINDS:
        assert f"../notebooks/{kind}.md" in page
        assert f": notebooks/{kind}.md" in menu
        assert f'page("{kind}")' in (DOCS / "notebooks" / f"{kind}.md").read_text(encoding="utf-8")


@EACH
def test_it_has_no_outputs_and_is_short(path):
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["nbformat"], data["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in data["cells"]}) == len(data["cells"]) <= 17
    for cell in data["cells"]:
        assert cell["cell_type"] == "markdown" or not (cell["outputs"] or cell["execution_count"])


def test_a_page_shows_code_and_what_it_gave(pages, tmp_path, monkeypatch):
    cells = [
        ("markdown", "# A title"),
        ("code", "%matplotlib inline\nimport dprivacy as dp\nprint(7)"),
    ]
    cells += [("code", "dp.line(3)"), ("code", "dp.randomised_response(range(3), eps=1)")]
    cells = [{"cell_type": kind, "source": [text]} for kind, text in cells]
    (tmp_path / "short.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    monkeypatch.setattr(pages, "NOTEBOOKS", tmp_path)
    found = pages.page("short")
    assert found.startswith("# A title\n\n[Download this notebook](short.ipynb)")
    assert "```python\nimport dprivacy as dp\nprint(7)\n```\n\n```text\n7\n```" in found
    assert "```text\nFiniteSpace(3 points, diameter 2, exact)\n```" in found
    assert "<caption" in found


@pytest.mark.slow
@EACH
def test_it_runs_and_shows_its_results(path, pages):
    cells = pages.cells(path)
    names = {}
    for kind, text in cells:
        found = pages.last_value(text, names) if kind == "code" else None
        views = ("_repr_html_", "_repr_latex_", "savefig")
        plain = type(found).__module__.startswith("pandas")
        assert found is None or plain or any(hasattr(found, view) for view in views), text
