"""Pairs of laws that tell at least as much as a release does, as atoms of privacy loss."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from dprivacy.errors import Uncertified
from dprivacy.numbers import Level, exp_bounds, ln
from dprivacy.sources import result
from dprivacy.verify.metric.delta_profile import PrivacyProfile

_BITS = 256  # of what is irrational


@dataclass(frozen=True)
class LossAtoms:
    """A pair (P, Q): how much of P lies at each loss ln(P/Q), and how much where Q has nothing.

    Masses of P are exact, or rounded up. A pair *dominates* a release when no two secrets can be told
    apart better by the release than P from Q: Σ(P − a·Q)⁺ is at least the release's δ at every a = e^ε.
    """

    atoms: tuple[tuple[Level, Fraction], ...]  # (loss, mass), smallest loss first, no mass 0
    escape: Fraction = Fraction(0)

    @property
    def largest(self) -> Level:
        """The largest finite loss, 0 where none is above 0: with `escape` as δ, a level of the pair."""
        return max([Level(0), *(loss for loss, _ in self.atoms)])

    def shortened(self, negligible: Fraction) -> "LossAtoms":
        """Without the rarest losses: the large become infinite, and the small rise."""
        atoms, escape = list(self.atoms), self.escape
        while len(atoms) > 1 and escape - self.escape + atoms[-1][1] <= negligible:
            escape += atoms.pop()[1]
        moved = Fraction(0)
        while len(atoms) > 1 and moved + atoms[0][1] <= negligible:
            moved += atoms.pop(0)[1]
        if atoms:
            atoms[0] = atoms[0][0], atoms[0][1] + moved
        return LossAtoms(tuple(atoms), escape)


def atoms_between(p: Iterable[Fraction], q: Iterable[Fraction]) -> LossAtoms:
    """The pair of two exact rows themselves."""
    masses: dict[Fraction, Fraction] = {}
    escape = Fraction(0)
    for a, b in zip(p, q, strict=True):
        if a and b:
            masses[a / b] = masses.get(a / b, Fraction(0)) + a
        elif a:
            escape += a
    return LossAtoms(tuple((ln(ratio), mass) for ratio, mass in sorted(masses.items())), escape)


@result("K", "Thm 3.3")
def atoms_of_level(eps: Level, delta: Fraction) -> LossAtoms:
    """The pair that dominates everything (ε, δ)-private.

    With probability δ, P gives itself away; otherwise it answers truly with odds of e^ε. Q is its
    mirror image.
    """
    exact = eps.exp()
    low, high = exp_bounds(*eps.bounds(_BITS), _BITS) if exact is None else (exact, exact)
    true, false = (1 - delta) * high / (1 + high), (1 - delta) / (1 + low)
    atoms = ((-eps, false), (eps, true)) if eps else ((eps, 1 - delta),)
    return LossAtoms(tuple((loss, mass) for loss, mass in atoms if mass), delta)


def atoms_of_profile(profile: PrivacyProfile) -> LossAtoms:
    """The pair that dominates a release whose curve δ(ε), for both orders of each pair, is known."""
    if not profile.exact:
        raise Uncertified(
            "a certified composition needs exact profiles; give channels as fractions"
        )
    lines = [(Fraction(p), Fraction(q)) for p, q in profile.lines]
    steepest, flattest = lines[0], lines[-1]
    points = [(Fraction(1), steepest[0] - steepest[1])]
    for (p, q), (r, s) in pairwise(lines):
        a = (p - r) / (q - s)
        points.append((a, p - q * a))
    if flattest[1]:
        raise Uncertified("the profile ends with a line that falls for ever; add its floor (δ, 0)")
    return atoms_of_curve(points)


@result("D", "Thm 10")
def atoms_of_curve(points: Iterable[tuple[Fraction, Fraction]]) -> LossAtoms:
    """The pair that dominates a release that is (ln a, δ)-private at some points (a, δ), a ≥ 1.

    Notes
    -----
    1. The true δ is a convex function of a = e^ε, 1 at a = 0. Both orders of each pair are meant, so
       that δ(1/a) = 1 − 1/a + δ(a)/a. Between known points it is below the line that joins them, and
       after the last one it does not rise.
    2. The lower hull of the points is such a function, and every convex function that falls from 1 and
       not faster than 1 − a is the curve of one pair: where its slope rises by q at a, Q has the mass q
       and P the mass a·q; what is left at the end is the mass that Q never gives.
    """
    least: dict[Fraction, Fraction] = {}
    for a, d in points:
        least[a] = min(d, least.get(a, d))
    known = sorted(least.items())
    mirrored = [(1 / a, 1 - 1 / a + d / a) for a, d in reversed(known) if a > 1]
    hull: list[tuple[Fraction, Fraction]] = []
    for point in [(Fraction(0), Fraction(1)), *mirrored, *known]:
        while len(hull) > 1 and lies_above(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    while len(hull) > 1 and hull[-1][1] >= hull[-2][1]:
        hull.pop()
    slopes = [(d - c) / (b - a) for (a, c), (b, d) in pairwise(hull)]
    rises = [after - before for before, after in pairwise([*slopes, Fraction(0)])]
    atoms = [(ln(a), a * q) for (a, _), q in zip(hull[1:], rises, strict=True) if q]
    return LossAtoms(tuple(atoms), hull[-1][1])


def lies_above(
    first: Sequence[Fraction], middle: Sequence[Fraction], last: Sequence[Fraction]
) -> bool:
    """Whether the middle point lies on or above the line from the first to the last."""
    rise = (middle[1] - first[1]) * (last[0] - first[0])
    return rise >= (last[1] - first[1]) * (middle[0] - first[0])
