"""The vertices of the space of d-private hypers, and which posteriors lie in it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dprivacy.errors import MixedArithmetic
from dprivacy.model import Dist, Verdict, about, shown
from dprivacy.numbers import Mat, extreme_rays
from dprivacy.polytope.cones.lipschitz_vertices import tight_functions
from dprivacy.polytope.cones.private_cone import Column, Cone
from dprivacy.sources import result
from dprivacy.spaces import require_same_labels
from dprivacy.typing import Label, LevelLike, SpaceLike


@result("T", "Lem 6.8", "Lem 6.10", "Ex 6.2")
def vertices(space: SpaceLike, *, eps: LevelLike, force: bool = False) -> Iterator[Dist]:
    """The vertices of the space of ε·d-private hypers: its extreme posteriors, one by one.

    The posteriors (under the uniform prior) of a private channel are the distributions with
    p_x ≤ e^(ε·d(x, z))·p_z. They form a polytope; every private channel is made of points of it.

    Parameters
    ----------
    space
        A finite space with exact, finite distances.
    eps
        The level. e^(ε·d) must be rational on the pairs that imply the others. At ε = 0 all entries
        are equal, and the uniform distribution is the one vertex.
    force
        Go on where the estimate is long (only for distances that are not multiples of one).

    Returns
    -------
    iterator of Dist
        The vertices. Nothing is stored where distances are whole multiples of one distance.

    Notes
    -----
    1. Where all e^(ε·d) are whole powers of one number b, a vertex is b^g for an integer Lipschitz
       function g whose tight pairs connect all points (`tight_functions`): 2^(n−1) of them on a line,
       2^n − 2 on the discrete metric.
    2. Otherwise double description on integers lists the extreme rays (`extreme_rays`).

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> for vertex in vertices(line(3), eps="ln 2"):
    ...     print(*vertex.weights)
    4/7 2/7 1/7
    2/5 1/5 2/5
    1/4 1/2 1/4
    1/7 2/7 4/7
    """
    cone = Cone.of(space, eps)
    found = rays(cone, force=force)
    return (posterior(cone, column) for column in found)


def posterior(cone: Cone, column: Column) -> Dist:
    """A column on classes, scaled to a distribution on the points."""
    values = cone.spread(column)
    return Dist(cone.space.labels, Mat.over(sum(values), [values]))


def rays(cone: Cone, *, force: bool = False) -> Iterator[Column]:
    """The extreme rays of the cone, as primitive integer columns on its classes."""
    if cone.n == 1:
        return iter([(1,)])
    edges, powers = cone.rational, cone.powers
    if powers is None:
        rows = []
        for i, j, p, q in edges:
            for a, b in ((i, j), (j, i)):
                row = [0] * cone.n
                row[a], row[b] = -q, p
                rows.append(row)
        return iter(extreme_rays(rows, cone.n, force=force))
    base, steps = powers
    return (exponential(g, base) for g in tight_functions(cone.n, steps))


def primitive(column: Sequence[int | Fraction]) -> Column:
    """The integer column without common factor on the same ray."""
    values = [Fraction(value) for value in column]
    den = math.lcm(*(value.denominator for value in values))
    whole = [value.numerator * (den // value.denominator) for value in values]
    common = math.gcd(*whole)
    return tuple(value // common for value in whole)


def exponential(g: tuple[int, ...], b: Fraction) -> Column:
    """b^g as a primitive integer column, for g ≥ 0 with smallest value 0."""
    top = max(g)
    return tuple(b.numerator**k * b.denominator ** (top - k) for k in g)


@dataclass(frozen=True)
class PosteriorVerdict(Verdict):
    """Whether a posterior lies in the space of d-private hypers.

    `pair` is the pair of secrets (x, z) whose entries have the `ratio` p_x/p_z where only e^(ε·d) is
    allowed; None when it lies inside. `parts` are the secrets tied together by tight constraints: a
    vertex has one part, an inner point as many as there are secrets.

    Examples
    --------
    >>> found = posterior_privacy(Dist([0, 1], ["1/2", "1/2"]), "line:2", eps="ln 2")
    >>> found.vertex, found.parts
    (False, ((0,), (1,)))
    """

    pair: tuple[Label, Label] | None = None
    ratio: Fraction | float | None = None
    parts: tuple[tuple[Label, ...], ...] = ()

    @property
    def vertex(self) -> bool:
        """Whether it is a vertex: all secrets tied together."""
        return self.holds is True and len(self.parts) == 1

    def explain(self) -> str:
        """The verdict in words, with the pair that decides it."""
        text = super().explain()
        if self.pair is not None and self.ratio is not None:
            x, z = (shown(label) for label in self.pair)
            return f"{text} '{x}' is {about(self.ratio)} times as likely as '{z}'."
        if self.vertex:
            return f"{text} It is a vertex."
        return f"{text} Tight constraints leave {len(self.parts)} parts free of each other."


@result("T", "Lem 6.7")
def posterior_privacy(posterior: Dist, space: SpaceLike, *, eps: LevelLike) -> PosteriorVerdict:
    """Whether p_x ≤ e^(ε·d(x, z))·p_z for all secrets x, z, with the pair that breaks it.

    Parameters
    ----------
    posterior
        An exact distribution on the labels of the space.
    space
        A finite space with exact, finite distances.
    eps
        The level; any level can be decided, rational e^ε or not.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> p = Dist([0, 1, 2], ["3/5", "1/5", "1/5"])
    >>> posterior_privacy(p, line(3), eps="ln 2").pair
    (0, 1)
    """
    if not posterior.exact:
        raise MixedArithmetic(
            f"{posterior!r} has float weights, and vertices are where constraints are equalities; give "
            "them as fractions or text such as '1/3'"
        )
    cone = Cone.of(space, eps)
    space = cone.space
    order = require_same_labels(space.labels, posterior.labels, "posterior and space")
    entries = posterior.matrix.take(columns=order).entries[0].tolist()
    level = f"ε·d-private at ε = {about(cone.eps)}"
    claim, denial = f"the posterior is {level}", f"the posterior is not {level}"
    column, apart = cone.gathered(entries)
    if apart is None:
        edge = cone.violated(column)
        if edge is None:
            parts = tuple(
                tuple(space.labels[i] for k in part for i in cone.classes[k])
                for part in cone.parts(column)
            )
            return PosteriorVerdict(claim, True, True, parts=parts, denial=denial)
        apart = cone.classes[edge.i][0], cone.classes[edge.j][0]
    i, j = apart if entries[apart[0]] > entries[apart[1]] else apart[::-1]
    ratio = Fraction(entries[i], entries[j]) if entries[j] else math.inf
    pair = (space.labels[i], space.labels[j])
    return PosteriorVerdict(claim, False, True, pair=pair, ratio=ratio, denial=denial)
