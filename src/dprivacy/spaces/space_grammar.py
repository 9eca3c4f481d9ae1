"""The one grammar of spaces, for Python, plans, options and the page.

space  = kind [":" size] [":" metric]
kind   = "discrete" | "line" | "order" | "grid" | "cube" | "hamming"
size   = a whole number, or ROWSxCOLUMNS for a grid; left out where labels are known
metric = "euclidean" | "manhattan" | "chebyshev"        (grids only; euclidean by default)
"""

import re
from collections.abc import Sequence
from typing import cast

from dprivacy.errors import BadNumber, Malformed, NotApplicable, UnknownName, WrongShape, counted
from dprivacy.numbers import read_whole
from dprivacy.spaces.cubes_and_products import hamming_cube
from dprivacy.spaces.distance_matrix import require_fits
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.point_clouds import points
from dprivacy.spaces.standard_spaces import Norm, discrete, grid, line
from dprivacy.typing import Label

GRAMMAR = (
    "discrete[:N], line[:N], order[:N], grid:RxC[:manhattan|:chebyshev], cube:BITS, hamming, "
    "or a .csv or .json file"
)
_METRICS = {
    "discrete": "any two at distance 1",
    "line": "numbers at their difference",
    "order": "neighbours at distance 1",
    "hamming": "differing characters count",
}
_KIND = re.compile(r"\s*(discrete|line|order|grid|cube|hamming)(:|\s*$)")
_TEXT = re.compile(
    r"(?:(discrete|line|order|cube)(?::([0-9]{1,18}))?|(hamming)"
    r"|grid:([0-9]{1,18})x([0-9]{1,18})(?::(euclidean|manhattan|chebyshev))?)"
)


def names_space(text: str) -> bool:
    """Whether a text begins as the grammar says; otherwise it may be the path of a file."""
    return _KIND.match(text) is not None


def space_from_text(text: str, *, labels: Sequence[Label] | None = None) -> FiniteSpace:
    """A space by the grammar.

    Parameters
    ----------
    text
        "discrete" (all distances 1), "line" (labels are numbers), "order" (labels are classes in
        order, neighbours at distance 1), "hamming" (labels are texts of one length; the distance
        counts characters that differ), "grid:3x4" (cells, row by row), with ":manhattan" or
        ":chebyshev" for another distance, "cube:3" (bit strings).
    labels
        What the points are called, in order. Without labels a size must be named.

    Examples
    --------
    >>> space_from_text("grid:2x2").distance((0, 0), (1, 1))
    Level('sqrt(2)')
    >>> space_from_text("order", labels=["bad", "fair", "good"]).distance("bad", "good")
    Fraction(2, 1)
    """
    found = _TEXT.fullmatch(text.strip())
    if found is None:
        raise UnknownName(f"{text!r} does not name a space; write {GRAMMAR}")
    kind, size, hamming, rows, columns, metric = found.groups()
    if rows:
        cells = grid(int(rows), int(columns), metric=cast(Norm, metric or "euclidean"))
        return cells if labels is None else _renamed(text, cells, labels)
    if hamming:
        return _hamming(labels)
    if labels is None:
        if not size:
            raise WrongShape(f"{kind!r} needs a size here, such as {kind}:4")
        return _sized(kind, int(size))
    if kind == "cube":
        raise NotApplicable(
            f"{text!r} brings labels of its own, tuples of bits; for texts such as 010 use 'hamming'"
        )
    if size and int(size) != len(labels):
        raise WrongShape(_unequal(text, int(size), labels))
    if kind == "discrete":
        return discrete(labels)
    if kind == "order":
        return _renamed(text, line(len(labels)), labels)
    try:
        return line(labels)
    except Malformed as reason:
        raise BadNumber(f"{reason}. For classes in order use 'order'") from None


def space_in_words(text: str) -> str:
    """What a text of the grammar means, with its metric; for people who read an answer.

    Examples
    --------
    >>> space_in_words("grid:2x2"), space_in_words("grid:2x2:manhattan")
    ('grid of 2×2, Euclidean', 'grid of 2×2, Manhattan')
    >>> space_in_words("order"), space_in_words("cube:3")
    ('order, neighbours at distance 1', 'cube of 3 bits, Hamming')
    """
    found = _TEXT.fullmatch(text.strip())
    if found is None:  # a file
        return text
    kind, size, hamming, rows, columns, metric = found.groups()
    if rows:
        return f"grid of {int(rows)}×{int(columns)}, {(metric or 'euclidean').capitalize()}"
    if kind == "cube":
        return f"cube of {counted(int(size or 0), 'bit')}, Hamming"
    return f"{hamming or kind}, {_METRICS[hamming or kind]}"


def _sized(kind: str, n: int) -> FiniteSpace:
    if kind == "cube":
        return hamming_cube(n)
    if kind != "discrete":
        return line(n)
    require_fits("the space", read_whole(n, "points of a space"))
    return discrete(range(n))


def _renamed(text: str, space: FiniteSpace, labels: Sequence[Label]) -> FiniteSpace:
    if len(space) != len(labels):
        raise WrongShape(_unequal(text, len(space), labels))
    return FiniteSpace(labels, space.distances, edges=space.known_edges)


def _unequal(text: str, points: int, labels: Sequence[Label]) -> str:
    are = "is" if len(labels) == 1 else "are"
    return (
        f"{text!r} has {counted(points, 'point')}, but there {are} {counted(len(labels), 'label')}"
    )


def _hamming(labels: Sequence[Label] | None) -> FiniteSpace:
    if labels is None:
        raise NotApplicable("'hamming' compares labels, and there are none here; use cube:3")
    texts = [str(label) for label in labels]
    for text in texts:
        if len(text) != len(texts[0]):
            raise WrongShape(
                f"'hamming' needs labels of one length, such as 010 and 110, not {texts[0]!r} and "
                f"{text!r}"
            )
    return points([[ord(c) for c in text] for text in texts], metric="hamming", labels=labels)
