"""The façade: every name is there, lazily, and typed imports and the table agree."""

import ast
import subprocess
import sys
from pathlib import Path

import dprivacy as dp


def test_every_listed_name_loads() -> None:
    for name in dp.__all__:
        assert getattr(dp, name) is not None
    assert set(dp.__all__) == set(dp._HOME)
    assert set(dp.__all__) <= set(dir(dp))


def test_no_room_bears_the_name_of_a_public_function() -> None:
    rooms = {path.parent.name for path in Path(dp.__file__).parent.glob("*/__init__.py")}
    assert not rooms & set(dp.__all__)


def test_typed_imports_match_the_table() -> None:
    tree = ast.parse(Path(dp.__file__).read_text(encoding="utf-8"))
    typed = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dprivacy.")
        for alias in node.names
    }
    assert typed == dp._HOME


def test_importing_the_package_loads_no_room() -> None:
    program = (
        "import sys, dprivacy; "
        "heavy = [m for m in sys.modules if m.split('.')[0] in "
        "('numpy', 'scipy', 'flint', 'highspy', 'narwhals') or m.startswith('dprivacy.')]; "
        "print(heavy)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_verifying_loads_neither_scipy_nor_a_solver() -> None:
    program = (
        "import sys, dprivacy as dp; dp.privacy([['1/2', '1/2']], dp.line(1)); "
        "print([m for m in ('scipy', 'highspy', 'narwhals', 'rich_click') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
