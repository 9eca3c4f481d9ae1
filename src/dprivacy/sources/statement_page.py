"""The documentation's table of statements: what each says, who implements it, what tests it.

Everything is read from where it is written: the sentences from ``statements.toml``, the functions
from the decorator :func:`~dprivacy.sources.result`, the tests from their ``statement`` markers.
"""

import ast
import html
import importlib
import pkgutil
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from dprivacy.sources.statement_list import Statement, citations, claims, statements

Key = tuple[str, str]

_PACKAGE = "dprivacy"
_CHECKOUT = Path(__file__).resolve().parents[3]  # where the tests and the documentation lie
_OPERATORS = {"__matmul__": "@", "__and__": "&", "__add__": "+", "__rrshift__": ">>"}


def markdown_sources() -> str:
    """The sources and their keys, as a Markdown table."""
    rows = [f"| {key} | {text} |" for key, text in citations().items()]
    return "\n".join(["| key | source |", "|---|---|", *rows])


def markdown_table() -> str:
    """The statements that are implemented or tested, as Markdown, and a list of those still open.

    Notes
    -----
    1. Import every module of the package, so that all decorators have run.
    2. Read the markers of the tests, where the package lies in a checkout that has them.
    3. One row a statement, in the order of the data file.
    """
    import_everything()
    claimed, tested = claims(), marked_tests(folder_of_tests())
    lines = [
        "| statement | what it says | corrected | implemented by | tested in |",
        "|---|---|---|---|---|",
    ]
    waiting: dict[str, list[str]] = {}
    for key, statement in statements().items():
        functions, tests = claimed.get(key, []), tested.get(key, [])
        if functions or tests:
            lines.append(_row(statement, functions, tests))
        else:
            waiting.setdefault(statement.source, []).append(statement.number)
    return "\n".join([*lines, "", *_still_open(waiting)])


def import_everything() -> None:
    """Import every module of the package; a module whose extra is not installed is passed over."""
    package = importlib.import_module(_PACKAGE)
    for found in pkgutil.walk_packages(package.__path__, f"{_PACKAGE}.", onerror=_pass_over):
        if not found.name.endswith("__main__"):
            try:
                importlib.import_module(found.name)
            except ImportError as reason:
                if (reason.name or "").startswith(_PACKAGE):  # a mistake of ours, not an extra
                    raise


def _pass_over(name: str) -> None:
    """What `walk_packages` calls for a package that it cannot import: the loop above judges it."""


# -- the tests --------------------------------------------------------------------------------


def folder_of_tests() -> Path | None:
    """The folder of tests beside the source, in a checkout; None for an installed package."""
    folder = _CHECKOUT / "tests"
    return folder if (_CHECKOUT / "pyproject.toml").is_file() and folder.is_dir() else None


def marked_tests(folder: Path | None) -> dict[Key, list[str]]:
    """The tests that carry each statement's marker, as ``verify/test_profile.py::test_name``."""
    tests: dict[Key, list[str]] = {}
    for file in sorted(folder.rglob("*.py")) if folder is not None else []:
        assert folder is not None
        name = file.relative_to(folder).as_posix()
        for key, owner in markers(file.read_text(encoding="utf-8")):
            tests.setdefault(key, []).append(f"{name}::{owner}" if owner else name)
    return tests


def markers(text: str) -> Iterator[tuple[Key, str]]:
    """Every ``pytest.mark.statement(source, number, …)`` of a file, with what carries it.

    A marker in a decorator belongs to its function or class, one in ``pytestmark`` or in the
    parameters of a test to what encloses it, and to the module ("") outside of any.
    """
    yield from _markers(ast.parse(text), "")


def _markers(node: ast.AST, owner: str) -> Iterator[tuple[Key, str]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        owner = f"{owner}::{node.name}" if owner else node.name
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.statement"):
        texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
        source, *numbers = (str(text) for text in texts)
        yield from (((source, number), owner) for number in numbers)
    for child in ast.iter_child_nodes(node):
        yield from _markers(child, owner)


# -- the Markdown -----------------------------------------------------------------------------


def _row(statement: Statement, functions: list[str], tests: list[str]) -> str:
    erratum = statement.erratum
    files = Counter(test.partition("::")[0] for test in tests)
    cells = [
        _unbroken(statement.key),
        _plain(statement.says),
        f"[{erratum}](errata.md#{erratum.lower()})" if erratum else "",
        "<br>".join(_reference(name) for name in dict.fromkeys(functions)),
        "<br>".join(f"`{file}`" + (f" ×{n}" if n > 1 else "") for file, n in files.items()),
    ]
    return f"| {' | '.join(cells)} |"


def _still_open(waiting: dict[str, list[str]]) -> list[str]:
    count = sum(map(len, waiting.values()))
    if not count:
        return []
    lines = [f'??? note "In the catalogue and not implemented yet: {count} statements"', ""]
    for source, numbers in waiting.items():
        lines += [f"    **{source}**: {' · '.join(map(_unbroken, numbers))}", ""]
    return lines


def _reference(name: str) -> str:
    """A function, linked to its place in the reference where it has one."""
    parts = name.split(".")
    depth = max(k for k in range(1, len(parts)) if ".".join(parts[:k]) in sys.modules)
    room, inside = parts[1], parts[depth:]
    *outer, last = inside
    shown = f"{'.'.join(outer)} {_OPERATORS[last]}" if last in _OPERATORS else ".".join(inside)
    if inside[0] not in _surface(room) or not (_CHECKOUT / f"docs/reference/{room}.md").is_file():
        return f"`{shown}`"
    target = [_PACKAGE, room, *(outer if last.startswith("_") else inside)]
    return f"[`{shown}`](reference/{room}.md#{'.'.join(target)})"


@cache
def _surface(room: str) -> set[str]:
    """The names that a room's door lists above the split, which the reference shows."""
    text = Path(str(sys.modules[f"{_PACKAGE}.{room}"].__file__)).read_text(encoding="utf-8")
    nodes = ast.parse(text.partition("# For other rooms")[0]).body
    return {
        alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    }


def _unbroken(key: str) -> str:
    """A key that no line end tears apart."""
    return key.replace(" ", "\N{NO-BREAK SPACE}")


def _plain(sentence: str) -> str:
    """A sentence inside a table, with nothing in it read as Markdown."""
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", html.escape(sentence, quote=False))
