"""The rules of the tests: where they lie, what they are called, what they leave alone."""

import ast
import re
from collections import Counter
from pathlib import Path

from support.source_code import SRC

TESTS = Path(__file__).parent
FILES = sorted(path for path in TESTS.rglob("*.py") if "support" not in path.parts)
CLOCKS = {"time", "timeit"}


def imported(tree):
    """Every module that a file imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_no_clock_outside_support():
    """Waiting and bounds on work are in support.patience; what a test needs else is an event."""
    found = [p.name for p in FILES if CLOCKS & set(imported(ast.parse(p.read_text("utf-8"))))]
    assert found == []


def test_the_profile_sets_the_deadline():
    own = [path.name for path in FILES if re.search(r"\bdeadline=", path.read_text("utf-8"))]
    assert own == ["conftest.py"]


def test_no_two_files_share_a_name():
    """Pytest imports a test file by its name alone."""
    names = Counter(path.name for path in FILES if path.name != "conftest.py")
    assert [name for name, n in names.items() if n > 1] == []


def test_tests_lie_where_what_they_test_lies():
    """A test of several files, such as the laws of a room, may lie beside its shelves."""
    stray = [
        str(path.relative_to(TESTS))
        for path in FILES
        if (SRC / path.relative_to(TESTS).parts[0]).is_dir()
        and len(path.relative_to(TESTS).parts) > 2
        and not (SRC / path.relative_to(TESTS).parent / path.name.removeprefix("test_")).exists()
    ]
    assert stray == []


def test_helpers_are_in_support():
    helpers = [p.name for p in FILES if not p.name.startswith("test_") and p.name != "conftest.py"]
    assert helpers == []
