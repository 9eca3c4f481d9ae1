"""What the doors of the room refuse, of which class, and in which words."""

import pytest

from dprivacy import spaces
from dprivacy.errors import BadLevel, BadNumber, DPrivacyError, TooLarge, WrongKind, WrongShape
from dprivacy.spaces import FiniteSpace, graph, line
from dprivacy.spaces.space_grammar import space_from_text

S = line(3)
FITS = "at most 20,000 fit in a table of distances"


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (
            lambda: spaces.product(S, "line:3"),
            WrongKind,
            "factor 2 .* FiniteSpace, not str; as_space",
        ),
        (lambda: spaces.product([S, S]), WrongKind, "factor 1 .* FiniteSpace, not list"),
        (lambda: S + "line:3", WrongKind, "a FiniteSpace, not str"),
        (lambda: S.maximum(None), WrongKind, "a FiniteSpace, not NoneType"),
        (lambda: S.restrict("012"), WrongKind, "a list of labels is needed, not the single text"),
        (lambda: spaces.bags([[0]], "line:3"), WrongKind, "a FiniteSpace, not str"),
        (lambda: spaces.bags(["01"], S), WrongKind, "a bag: .* not the single text '01'"),
        (lambda: spaces.bags(5, S), WrongKind, "a list of bags is needed, not 5"),
        (lambda: spaces.sensitivity(abs, "line:3", S), WrongKind, "X should be a FiniteSpace"),
        (lambda: spaces.sensitivity(abs, S, "line:3"), WrongKind, "Y should be a FiniteSpace"),
        (lambda: spaces.induced_space(abs, "line:3"), WrongKind, "X should be a FiniteSpace"),
        (lambda: spaces.grid(2.0, 2), BadNumber, "rows of a grid: .* at least 1 .* not 2.0"),
        (lambda: spaces.grid(2, "2"), BadNumber, "columns of a grid: .* at least 1 .* not '2'"),
        (lambda: spaces.grid(True, 2), BadNumber, "rows of a grid: .* not True"),
        (
            lambda: spaces.grid(2, 2, step=-1),
            BadLevel,
            "^the step of a grid must be greater than 0",
        ),
        (
            lambda: spaces.quantised(0, 1, -1),
            BadNumber,
            "^the step of a grid must be greater than 0",
        ),
        (lambda: spaces.curves([[0], [1]], step=-1), BadLevel, "^the step must be greater than 0"),
        (lambda: spaces.hamming(["a", "b"], 2.0), BadNumber, "rows of a database: .* not 2.0"),
        (lambda: spaces.hamming_cube("3"), BadNumber, "bits: .* not '3'"),
        (lambda: spaces.points(None), WrongKind, "points: a list of points is needed, not None"),
        (lambda: spaces.points("abc"), WrongKind, "points is needed, not the single text"),
        (lambda: spaces.curves(3), WrongKind, "a list of points is needed, not 3"),
        (lambda: graph("ab"), WrongKind, "edges: a list of pairs is needed"),
        (lambda: graph(7), WrongKind, "edges: a list of pairs is needed"),
        (lambda: graph({("a", "b", 3): 2}), WrongKind, r"an edge is \(u, v\)"),
        (lambda: graph([("a", "b")], nodes="ab"), WrongKind, "nodes: a list of labels is needed"),
        (lambda: space_from_text("line:9999999"), TooLarge, f"line has 9,999,999 points; {FITS}"),
        (lambda: space_from_text("discrete:9999999"), TooLarge, f"9,999,999 points; {FITS}"),
        (lambda: space_from_text("grid:99999x3"), TooLarge, f"299,997 points; {FITS}"),
        (lambda: space_from_text("cube:30"), TooLarge, f"^the cube of 30 bits has .* {FITS}"),
        (
            lambda: space_from_text("line:1", labels=["a", "b"]),
            WrongShape,
            "^'line:1' has 1 point, but there are 2 labels$",
        ),
        (
            lambda: space_from_text("grid:1x2", labels=["a"]),
            WrongShape,
            "^'grid:1x2' has 2 points, but there is 1 label$",
        ),
        (lambda: spaces.points([[0]], labels=["a", "b"]), WrongShape, "^1 point but 2 labels$"),
        (lambda: FiniteSpace(["a"], S.distances), DPrivacyError, "^1 label but a table of 3×3"),
    ],
)
def test_refusals(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_a_point_is_one_point():
    assert repr(line(1)) == "FiniteSpace(1 point, diameter 0, exact)"
