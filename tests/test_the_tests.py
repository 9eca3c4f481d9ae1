"""The rules of the tests: where they lie, what they are called, what they leave alone."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from support.patience import PATIENCE
from support.source_code import SRC

TESTS = Path(__file__).parent
FILES = sorted(path for path in TESTS.rglob("*.py") if "support" not in path.parts)
SUPPORT = sorted((TESTS / "support").glob("*.py"))
CLOCKS = {"time", "timeit"}
LOOK_AT_CLOCKS = {  # and why
    "patience.py": "it is where waiting is",
    "fuzz_files.py": "it counts the processor's seconds, not those that pass",
    "noninterference.py": "it stops them",
    "leaky_exits.py": "an exit that tells the time is what must be caught",
    "spark_frames.py": "it runs in workers of Spark, which have no other sign of each other",
    "spark_standalone.py": "as spark_frames",
    "test_spark_cluster.py": "as spark_frames",
}


@cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def imported(tree):
    """Every module that a file imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_no_clock_outside_support():
    """Waiting and bounds on work are in support.patience; what a test needs else is an event."""
    found = [p.name for p in FILES if CLOCKS & set(imported(parsed(p)))]
    assert found == []


def test_few_clocks_in_support():
    found = {p.name for p in SUPPORT if CLOCKS & set(imported(parsed(p)))}
    assert found <= LOOK_AT_CLOCKS.keys()


def test_no_wait_is_short():
    """A wait for what does come may be long; one that is short fails, or passes, on a busy machine."""
    short = [
        f"{path.name}:{line}"
        for path in (*FILES, *SUPPORT)
        if path.name not in LOOK_AT_CLOCKS
        for line in short_waits(parsed(path))
    ]
    assert short == []


def short_waits(tree):
    """Lines where something waits for a number of seconds, below ten minutes, that is written there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            given = [k.value for k in node.keywords if k.arg == "timeout"]
            given += node.args[:1] if name in ("sleep", "wait", "join") else []
            numbers = [value.value for value in given if isinstance(value, ast.Constant)]
            if any(isinstance(x, int | float) and 0 < x < PATIENCE for x in numbers):
                yield node.lineno


def test_windows_are_patient():
    """A browser gives up after half a minute unless its context is told to wait."""
    own = re.compile(
        r"new_context\(|chromium\.new_page\(|set_default_timeout\(|set_options\(timeout"
    )
    found = [path.name for path in (*FILES, *SUPPORT) if own.search(path.read_text("utf-8"))]
    assert sorted(found) == ["conftest.py", "page_clicks.py"]


def test_the_nets_catch_what_they_should():
    caught = [
        "time.sleep(1)",
        "asyncio.wait([x], timeout=0.2)",
        "thread.join(5)",
        "event.wait(60)",
        "urlopen(page, timeout=60)",
    ]
    assert [len(list(short_waits(ast.parse(text)))) for text in caught] == [1] * len(caught)
    for text in ("asyncio.sleep(0)", "event.wait(PATIENCE)", "f(timeout=600)", "','.join(words)"):
        assert list(short_waits(ast.parse(text))) == []
    assert "time" in set(imported(ast.parse("def f():\n    from time import sleep")))


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
