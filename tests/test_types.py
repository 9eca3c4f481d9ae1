"""The types of the surface: named inputs, and a bare Any only where a comment says why."""

import ast
import inspect
import textwrap

import pytest

import dprivacy as dp
from support import typed_surface

MOST_BARE = 29  # parameters of the façade that may be typed Any


def functions():
    """Every function of the façade, and the methods that people call on its nouns."""
    for name in dp.__all__:
        thing = getattr(dp, name)
        if inspect.isfunction(thing):
            yield name, thing


def bare(function):
    """(parameter, the comment on its line) for parameters typed Any."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    lines = source.splitlines()
    node = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef))
    for each in (*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs):
        if each.annotation is not None and ast.unparse(each.annotation) in ("Any", "Any | None"):
            yield each.arg, lines[each.lineno - 1].partition("#")[2].strip()


def test_every_parameter_is_typed():
    untyped = [
        f"{name}({parameter.name})"
        for name, function in functions()
        for parameter in inspect.signature(function).parameters.values()
        if parameter.annotation is inspect.Parameter.empty
    ]
    assert not untyped


def test_few_parameters_are_anything():
    found = [f"{name}({each})" for name, function in functions() for each, _ in bare(function)]
    assert len(found) <= MOST_BARE, found


@pytest.mark.parametrize(("name", "function"), list(functions()))
def test_whatever_is_typed_any_says_why(name, function):
    assert not [each for each, reason in bare(function) if not reason]


def test_options_are_keywords_in_one_order():
    """eps, delta, prior, then gain or loss; what comes before them is what is studied."""
    order = {"eps": 0, "delta": 1, "prior": 2, "gain": 3, "loss": 3}
    wrong = []
    for name, function in functions():
        given = inspect.signature(function).parameters.values()
        if name == "vulnerability":  # the prior is what it studies
            given = list(given)[1:]
        late = [p for p in given if p.name in order]
        ranks = [order[p.name] for p in late]
        if ranks != sorted(ranks) or any(p.kind is not p.KEYWORD_ONLY for p in late):
            wrong.append(f"{name}{inspect.signature(function)}")
    assert not wrong


def test_what_the_type_checker_reads_also_runs(tmp_path):
    """`mypy` reads the same file under --strict (see pyproject.toml)."""
    typed_surface.spaces_and_distributions()
    assert {type(each.guarantee).__name__ for each in typed_surface.mechanisms()} == {"Guarantee"}
    typed_surface.guarantees()
    typed_surface.adversaries()
    typed_surface.design_and_estimation()
    typed_surface.releases(tmp_path)
