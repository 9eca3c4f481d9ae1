"""The package's own source, read as trees: its texts, its raises and the surfaces of its rooms."""

import ast
from functools import cache
from pathlib import Path

import dprivacy

SRC = Path(dprivacy.__file__).parent


@cache
def trees():
    """Every file's tree, by its path below the package."""
    return {
        path.relative_to(SRC).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SRC.rglob("*.py"))
    }


def text_of(node):
    """A string literal's text, with {} for what an f-string fills in; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or "{}" for part in node.values)
    return None


def texts(tree):
    """(line, text) of every string literal that is neither a docstring nor a part of another."""
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            skipped.update(ast.walk(node))
            skipped.discard(node)
        if node not in skipped and (text := text_of(node)) is not None:
            yield node.lineno, text


def raises(tree):
    """(line, name of the class, arguments) of every `raise Class(…)` or `raise Class.made(…)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            called = node.exc.func
            owner = called.value if isinstance(called, ast.Attribute) else called
            if isinstance(owner, ast.Name):
                yield node.lineno, owner.id, [*node.exc.args, *(k.value for k in node.exc.keywords)]


def surface(room):
    """The names that a room offers to users: those that stand above the split of its door."""
    source = (SRC / room / "__init__.py").read_text(encoding="utf-8").partition("# isort: split")[0]
    return [
        alias.asname or alias.name
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


ROOMS = sorted(path.parent.name for path in SRC.glob("*/__init__.py"))
