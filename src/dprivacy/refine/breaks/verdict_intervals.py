"""For which ε one local mechanism is at least as safe as another: exactly, for all levels at once."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from dprivacy.errors import BadNumber, NotApplicable, SpaceMismatch, TooLarge
from dprivacy.model import Answer, BlockLaw, Pictured
from dprivacy.numbers import (
    Coefficients,
    Root,
    as_rational,
    irreducible_factors,
    roots_above,
    samples,
)
from dprivacy.sources import result

Polynomial = Any  # flint's fmpz_poly


@dataclass(frozen=True, eq=False, repr=False)
class RefinementBreaks(Answer, Pictured):
    """The levels at which A ⊑ B holds, for two local mechanisms, as values of a = e^ε.

    `breaks` are the numbers a > 1 at which the verdict changes, in order. `verdicts` are one more than
    twice as many: between 1 and the first, at it, between it and the next, and so on.

    Examples
    --------
    >>> from dprivacy.mechanisms import unary_response
    >>> symmetric = unary_response(range(3), eps="ln 4", kind="symmetric")
    >>> found = refinement_breaks(symmetric, unary_response(range(3), eps="ln 4"))
    >>> found.verdicts, found.breaks[0].equation
    ((False, True, True), 'x³ − 6x² − 7x − 4')
    >>> found.always, found.never, found.holds_at(7), found.holds_at(8)
    (False, False, False, True)
    >>> [(float(low), high) for low, high in found.intervals]
    [(7.0701059427181745, None)]
    """

    names: tuple[str, str]
    labels: int
    breaks: tuple[Root, ...]
    verdicts: tuple[bool, ...]
    exact: ClassVar[bool] = True

    @property
    def always(self) -> bool:
        """Whether it holds at every ε > 0."""
        return all(self.verdicts)

    @property
    def never(self) -> bool:
        """Whether it holds at no ε > 0."""
        return not any(self.verdicts)

    def holds_at(self, base: Any) -> bool:
        """The verdict at a rational a = e^ε > 1."""
        value = as_rational(base, "e^ε")
        if value <= 1:
            raise BadNumber(f"e^ε should be more than 1, since ε > 0, not {value}")
        at = 0
        for root in self.breaks:
            side = root.above(value)
            if side > 0:
                break
            at += 1 if side == 0 else 2
        return self.verdicts[at]

    @property
    def intervals(self) -> tuple[tuple[Root | None, Root | None], ...]:
        """Where it holds, as pairs (from, to): None for 1 and infinity, a single level twice.

        An end belongs to its interval, since the weights are continuous; 1 does not.
        """
        found: list[tuple[Root | None, Root | None]] = []
        edges: list[Root | None] = [None, *self.breaks, None]
        for k, holds in enumerate(self.verdicts):
            start = edges[(k + 1) // 2] if k % 2 else edges[k // 2]
            end = start if k % 2 else edges[k // 2 + 1]
            if not holds:
                continue
            if found and k and self.verdicts[k - 1]:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        return tuple(found)

    def explain(self) -> str:
        """The verdict in words."""
        first, second = self.names
        text = f"{first} ⊑ {second} on {self.labels} labels, {second} being the safer one: "
        if self.always:
            return f"{text}at every ε > 0."
        if self.never:
            return f"{text}at no ε > 0."
        parts = []
        for low, high in self.intervals:
            if low is not None and low is high:
                parts.append(f"e^ε = {low}")
            elif low is None:
                parts.append(f"e^ε ≤ {high}")
            elif high is None:
                parts.append(f"e^ε ≥ {low}")
            else:
                parts.append(f"{low} ≤ e^ε ≤ {high}")
        return f"{text}exactly when {' or '.join(parts)}."

    def to_dict(self) -> dict[str, Any]:
        """The verdicts as plain data."""
        told = self._told("names", "labels", "verdicts")
        return {**told, "breaks": [root.to_dict() for root in self.breaks], "exact": True}


@result("L", "Thm 3")
def refinement_breaks(A: Any, B: Any, *, names: tuple[str, str] = ("A", "B")) -> RefinementBreaks:
    """For which ε a local mechanism B is at least as safe as A: the verdict of `refines` at every ε.

    Parameters
    ----------
    A, B
        Local mechanisms on the same labels, at any level. Each stands for its family with the same
        parameters (size, q, t, kind) at all levels.
    names
        What the two are called in the answer.

    Returns
    -------
    RefinementBreaks
        The levels at which the verdict changes, as algebraic numbers, and the verdicts around them.

    Raises
    ------
    NotApplicable
        For anything but local mechanisms.
    TooLarge
        For very many labels.

    Notes
    -----
    1. A ⊑ B at a = e^ε exactly when every informative set weighs at least as much in A as in B. A set
       s weighs w_s·(|s|·a + k − |s|)/(k·Z), where w_s and Z = a·r + b − r are polynomials in √a.
    2. So the differences w_s·Z′ − w′_s·Z decide, which are integer polynomials in √a. Their real roots
       above 1 are isolated; between neighbouring roots the verdict is that of one rational √a.
    3. At a root the differences that it makes 0 are dropped, and the others have the signs beside it.
    4. A root r of an irreducible f is written as a = r² with its own minimal polynomial: g where
       f(r) = g(r²), and otherwise f(r)·f(−r) as a polynomial in r².

    Examples
    --------
    >>> from dprivacy.mechanisms import unary_response
    >>> symmetric = unary_response(range(3), eps="ln 4", kind="symmetric")
    >>> optimised = unary_response(range(3), eps="ln 4")
    >>> print(refinement_breaks(symmetric, optimised).breaks[0])
    7.070106 (x³ − 6x² − 7x − 4)
    """
    first, second, k = _read(A, B)
    differences = _differences(first, second, k)
    within: dict[Coefficients, set[int]] = {}
    for number, p in enumerate(differences):
        for factor, _ in irreducible_factors(p)[1]:
            within.setdefault(factor, set()).add(number)
    roots = roots_above(factor for factor in within if len(factor) > 1)
    places = samples(roots)
    changes, verdicts = [], [_none_negative(differences, places[0])]
    for root, (before, after) in zip(roots, pairwise(places), strict=True):
        zero = within[root.polynomial]
        others = [p for number, p in enumerate(differences) if number not in zero]
        here, behind = _none_negative(others, before), _none_negative(differences, after)
        if not verdicts[-1] == here == behind:
            changes.append(_squared(root))
            verdicts += [here, behind]
    return RefinementBreaks((names[0], names[1]), k, tuple(changes), tuple(verdicts))


def _read(A: Any, B: Any) -> tuple[BlockLaw, BlockLaw, int]:
    first, second = getattr(A, "reports", None), getattr(B, "reports", None)
    if not isinstance(first, BlockLaw) or not isinstance(second, BlockLaw):
        raise NotApplicable(
            "A and B should be local mechanisms, such as unary_response or subset_response, which say "
            "what their sets weigh at every level; use refines for two channels at one level"
        )
    if A.labels != B.labels:
        raise SpaceMismatch(
            f"A and B should have the same labels in the same order, but have {len(A.labels)} and "
            f"{len(B.labels)}"
            if len(A.labels) != len(B.labels)
            else "A and B should have the same labels in the same order"
        )
    return first, second, first.labels


def _differences(first: BlockLaw, second: BlockLaw, k: int) -> list[Polynomial]:
    """Polynomials in √a, none of which may be negative for A ⊑ B, and each but once; without 0."""
    ours, total = _weights(first)
    theirs, their_total = _weights(second)
    nothing: Polynomial = 0 * total
    found: dict[Coefficients, Polynomial] = {}
    for block in {**ours, **theirs}:
        if 0 < len(block) < k:
            p = ours.get(block, nothing) * their_total - theirs.get(block, nothing) * total
            found[tuple(int(c) for c in p.coeffs())] = p
    found.pop((), None)
    return list(found.values())


def _weights(law: BlockLaw) -> tuple[Mapping[frozenset[int], Polynomial], Polynomial]:
    """The weights of sets and Z, as integer polynomials in √a, up to one positive factor."""
    from flint import fmpz_poly

    listed = law.at_every_level()
    if listed is None:
        raise TooLarge(
            "sets of labels are listed to be compared, and these are too many; compare the same "
            "families on fewer labels"
        )
    common = math.lcm(*(c.denominator for row in listed.values() for c in row))
    weights = {block: fmpz_poly([int(c * common) for c in row]) for block, row in listed.items()}
    total, single = fmpz_poly([0]), fmpz_poly([0])
    for block, weight in weights.items():
        total += weight
        if 0 in block:
            single += weight
    return weights, fmpz_poly([-1, 0, 1]) * single + total


def _none_negative(polynomials: Sequence[Polynomial], at: Fraction) -> bool:
    from flint import fmpq

    return all(p(fmpq(at.numerator, at.denominator)) >= 0 for p in polynomials)


def _squared(root: Root) -> Root:
    """The square of a root > 1, with its own minimal polynomial."""
    c = root.polynomial
    if not any(c[1::2]):
        minimal = c[::2]
    else:
        from flint import fmpz_poly

        mirrored = [-v if power % 2 else v for power, v in enumerate(c)]
        product = fmpz_poly(list(c)) * fmpz_poly(mirrored)
        minimal = irreducible_factors(fmpz_poly(product.coeffs()[::2]))[1][0][0]
    low, high = root.low**2, root.high**2
    (found,) = (a for a in roots_above([minimal]) if a.low <= high and a.high >= low)
    return found
