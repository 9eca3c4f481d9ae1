"""The notebooks as pages: every cell is run when they are built, and shown with what it gave."""

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"


def page(name: str) -> str:
    """A notebook as Markdown, with its results; what raises in a cell fails the build."""
    shown: list[str] = []
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, _temporary(folder):
        for kind, text in cells(NOTEBOOKS / f"{name}.ipynb"):
            shown.append(text if kind == "markdown" else f"```python\n{text}\n```")
            if kind == "code":
                with contextlib.redirect_stdout(io.StringIO()) as said:
                    value = last_value(text, names)
                shown += [f"```text\n{said.getvalue().rstrip()}\n```"] if said.getvalue() else []
                shown += [] if value is None else [view(value)]
    shown.insert(1, f"[Download this notebook]({name}.ipynb){{ download }}")
    return "\n\n".join(shown)


def cells(path: Path) -> list[tuple[str, str]]:
    """The kind and the text of every cell, without the notebook's own commands."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [
        (cell["cell_type"], "".join(cell["source"]).replace("%matplotlib inline\n", ""))
        for cell in found
    ]


def last_value(text: str, names: dict[str, Any]) -> Any:
    """What a notebook would show below the cell: the value of an expression that ends it."""
    tree = ast.parse(text)
    ending = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if ending is None:
        return None
    return eval(compile(ast.Expression(ending.value), "cell", "eval"), names)


def view(value: Any) -> str:
    """A value as a notebook shows it: a picture, HTML, or its text."""
    if hasattr(value, "savefig"):
        from dprivacy.viz import svg

        return f"<div>{svg(value, words='a picture of the result above')}</div>"
    if hasattr(value, "_repr_html_"):
        return f"<div>{value._repr_html_()}</div>"
    return f"```text\n{value!r}\n```"


@contextlib.contextmanager
def _temporary(folder: str) -> Any:
    """Files that cells write go into the folder, and the folder goes with the page."""
    before, tempfile.tempdir = tempfile.tempdir, os.fspath(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before
