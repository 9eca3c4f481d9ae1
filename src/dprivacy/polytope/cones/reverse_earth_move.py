"""The reverse Earth Move: a private column as a sum of vertices of the cone, exactly."""

from collections.abc import Sequence
from fractions import Fraction

from dprivacy.polytope.cones.cone_vertices import primitive
from dprivacy.polytope.cones.private_cone import Column, Cone, Number

Weighted = list[tuple[Column, Fraction]]


def as_vertices(cone: Cone, column: Sequence[Number]) -> Weighted:
    """A private column c as Σ_k t_k·v_k with t_k > 0 and vertices v_k, at most n of them.

    Parameters
    ----------
    cone
        The cone, with rational factors.
    column
        A private column on its classes, with positive entries.

    Notes
    -----
    1. Find a vertex v of the smallest face around c: while the tight constraints leave the inputs in
       several parts, scale one part up until one more constraint is tight.
    2. Take off as much of it as the cone allows: the largest t with c − t·v in the cone. One more
       constraint is tight afterwards, so that the face shrinks.
    3. Go on until nothing is left. No list of all vertices is needed; the cost is O(n²·edges).
    """
    limits = cone.rational
    rest = [Fraction(value) for value in column]
    found: Weighted = []
    while any(rest):
        vertex = vertex_above(cone, rest)
        share = min(
            (
                (p * rest[b] - q * rest[a]) / (p * vertex[b] - q * vertex[a])
                for i, j, p, q in limits
                for a, b in ((i, j), (j, i))
                if p * vertex[b] > q * vertex[a]
            ),
            default=rest[0] / vertex[0],
        )
        found.append((vertex, share))
        rest = [r - share * v for r, v in zip(rest, vertex, strict=True)]
    return found


def vertex_above(cone: Cone, column: Sequence[Number]) -> Column:
    """A vertex that meets with equality all the constraints that a private column meets so."""
    values = [Fraction(value) for value in column]
    parts = cone.parts(values)
    while len(parts) > 1:
        inside = set(parts[-1])
        growth = min(
            Fraction(p, q) * values[b] / values[a]
            for i, j, p, q in cone.rational
            for a, b in ((i, j), (j, i))
            if a in inside and b not in inside
        )
        values = [v * growth if i in inside else v for i, v in enumerate(values)]
        parts = cone.parts(values)
    return primitive(values)
