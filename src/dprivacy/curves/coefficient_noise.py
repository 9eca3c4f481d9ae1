"""A mechanism on curves: coefficients in a public basis, and noise on them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dprivacy.curves.curve_basis import SCALE, Basis
from dprivacy.curves.curve_distances import NORMS, CurveDistances, Distance, rounding_slack
from dprivacy.curves.curve_readings import (
    CurvesLike,
    Ints,
    farthest,
    in_steps,
    on_grid as on_the_grid,
    read_bounds,
    read_curves,
    read_step,
)
from dprivacy.errors import NotApplicable, SpaceMismatch, UnknownName
from dprivacy.mechanisms import vector_laplace
from dprivacy.model import Guarantee, Sourced, about
from dprivacy.numbers import Floats, Level, as_eps, float_up, root
from dprivacy.sampling import DiscreteLaplace, Source
from dprivacy.sources import result
from dprivacy.typing import LevelLike, NumberLike

_DIGITS = 1 << 40
_MOST_HALVINGS = 20
_MOST_STEPS = 1 << 45  # of a reading, so that doubles put two of them apart by 2^-5 steps at most
_LEAST_LEVEL = Fraction(1, 1 << 40)  # per whole number, that exact noise is drawn for


@dataclass(frozen=True, eq=False)
class CurveMechanism(Sourced):
    """Noisy coefficients of curves, ε·d-private for a distance between whole raw curves.

    Attributes
    ----------
    basis
        What the curves are made of.
    grid
        The public grid of readings, exact.
    step
        What readings are rounded to before noise is added: the grid, halved as often as fits.
    bounds
        Public bounds that readings are clamped to, or None.
    guarantee
        ε per unit of the distance between raw curves, `CurveDistances`.
    numerics
        "exact", or "idealised": noise in doubles.
    levels
        Exact numerics: the level per whole number of each coefficient.
    source
        The random source; the system's when None.

    Examples
    --------
    >>> from dprivacy.curves import example_days, make_basis
    >>> mechanism = curve_mechanism(make_basis("cosine", 48, 6), eps="ln 2", grid="1/100")
    >>> mechanism.randomise(example_days(3)).shape
    (3, 48)
    >>> mechanism.distance, mechanism.space.name, mechanism.rate < mechanism.guarantee.eps
    ('L2', 'L2', True)
    >>> mechanism.noise.shape, mechanism.variances.shape  # of each reading, and of each coefficient
    ((48,), (6,))
    >>> days = example_days(3)
    >>> mechanism.coefficients(days).shape == mechanism.noisy(days).shape
    True
    """

    basis: Basis
    grid: Fraction
    step: Fraction
    bounds: tuple[float, float] | None
    guarantee: Guarantee
    numerics: str
    levels: tuple[Level, ...] = ()
    source: Source | None = None
    family: str = "curves"
    channel: ClassVar[None] = None

    @property
    def space(self) -> CurveDistances:
        """The distance between raw curves that the guarantee speaks of."""
        assert isinstance(self.guarantee.space, CurveDistances)
        return self.guarantee.space

    @property
    def distance(self) -> str:
        """The name of the distance: "L2", "sup" or "readings" (the sum over readings)."""
        return self.space.name

    @property
    def rate(self) -> Level:
        """The level per unit of the norm of rounded readings: what rounding may add is taken off ε."""
        return self.guarantee.eps * root(self.space.width) / (1 + self.space.slack)

    def coefficients(self, readings: CurvesLike) -> Ints:
        """The true coefficients in whole numbers; secret, and for tests and attacks only."""
        curves = read_curves(readings)
        if curves.shape[1] != self.basis.times:
            raise SpaceMismatch(
                f"the mechanism is for curves of {self.basis.times} readings, and these have "
                f"{curves.shape[1]}"
            )
        if self.space.grid is not None:
            return self.basis.coefficients(on_the_grid(curves, self.grid, self.bounds))
        most = farthest(self.grid, self.bounds) * int(self.grid / self.step)
        return self.basis.coefficients(in_steps(curves, self.step, most, self.bounds))

    def randomise(self, values: CurvesLike, *, insecure_seed: int | None = None) -> Floats:
        """Protected curves, an array of the same shape: the nearest to the noisy coefficients."""
        return self.curves(self.noisy(values, insecure_seed=insecure_seed))

    def noisy(self, readings: CurvesLike, *, insecure_seed: int | None = None) -> Floats:
        """Noisy coefficients, in whole numbers when the numerics are exact."""
        true = self.coefficients(readings)
        source = self._source(insecure_seed)
        if self.numerics == "idealised":
            unit = float(self.step) / SCALE
            level = self.rate * Fraction(1.0 / self._stretch()) * (1 - Fraction(1, _DIGITS))
            size, norm = self.basis.size, NORMS[self.distance]
            ideal = vector_laplace(size, eps=level, norm=norm, numerics="idealised")
            return np.asarray(true + ideal.noise(len(true), source) / unit)
        noisy = np.empty(true.shape)
        for k, level in enumerate(self.levels):
            noisy[:, k] = true[:, k] + DiscreteLaplace(level).draw(len(true), source)
        return noisy

    def curves(self, coefficients: Floats) -> Floats:
        """Curves from coefficients, in the unit of the readings."""
        return np.asarray(coefficients @ self.basis.back.T * float(self.step))

    @property
    def variances(self) -> Floats:
        """The variance of the noise on every coefficient, in whole numbers."""
        if self.numerics == "idealised":
            k, eps = self.basis.size, float(self.rate) * float(self.step) / SCALE
            eps /= self._stretch()
            if self.distance == "L2":
                return np.full(k, (k + 1) / eps**2)
            return np.full(k, (k + 1) * (k + 2) / (3 * eps**2))
        q = np.exp(-np.array([float(level) for level in self.levels]))
        return np.asarray(2 * q / (1 - q) ** 2)

    def _stretch(self) -> float:
        """By how much the basis may lengthen the distance between two curves."""
        if self.distance == "L2":
            return math.sqrt(self.basis.stretch_squared) / SCALE
        return float(np.abs(self.basis.rows).sum(axis=1).max()) / SCALE

    @property
    def noise(self) -> Floats:
        """The standard deviation of the noise on every reading of a protected curve."""
        unit = self.basis.back * float(self.step)
        return np.asarray(np.sqrt((unit**2) @ self.variances))

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data."""
        return super().to_dict() | {
            "readings": self.basis.times,
            "distance": self.distance,
            "basis": self.basis.name,
            "size": self.basis.size,
            "grid": str(self.grid),
            "on_grid": self.space.grid is not None,
            "rounded_to": str(self.step),
            "slack": float_up(self.space.slack),
            "bounds": None if self.bounds is None else [str(bound) for bound in self.bounds],
            "numerics": self.numerics,
            "noise": [float(value) for value in self.noise],
        }

    def __repr__(self) -> str:
        return (
            f"CurveMechanism({self.basis.times} readings, {self.basis.size} of {self.basis.name}, "
            f"{self.distance} distance, ε = {about(self.guarantee.eps)}, {self.numerics})"
        )


@result("M", "Ex 4", "Thm 3")
def curve_mechanism(
    basis: Basis,
    *,
    eps: LevelLike,
    grid: NumberLike,
    distance: Distance = "L2",
    bounds: Sequence[NumberLike] | None = None,
    step: NumberLike = 1,
    on_grid: bool = False,
    numerics: str = "exact",
    unit: str = "",
) -> CurveMechanism:
    """The mechanism for a basis, a level and a distance; parameters as for `protect_curves`.

    Notes
    -----
    Let z be a curve in whole steps s, u = rows·z its coefficients, and |u − u'| the difference of two
    curves' coefficients. Exact numerics add to coefficient k a whole number of law ∝ e^(−λ_k·|v|),
    so that no output changes the odds of two curves by more than e^(Σ λ_k·|u_k − u'_k|).

    1. Distance L2: by Cauchy–Schwarz, Σ|u_k − u'_k| ≤ √K·‖rows·(z − z')‖ ≤ √(K·G)·‖z − z'‖ with the
       bound G of `Basis.stretch_squared`. So λ = ρ·s/√(K·G), rounded down to a fraction of ρ, suffices.
    2. Distance sup: |u_k − u'_k| ≤ ‖row_k‖₁·max|z − z'|, so λ_k = ρ·s/(K·‖row_k‖₁).
    3. Readings: the basis of readings themselves, λ = ρ·s/SCALE: the odds change by ρ times the sum
       of all differences.
    4. Rounding raw readings to steps may put two curves farther apart by the slack of
       `rounding_slack`. So ρ = ε·√width/(1 + slack), and raw curves at distance D have their odds
       changed by at most e^(ε·(D + slack)/(1 + slack)): e^ε for D ≤ 1, and e^(ε·D) beyond.
       The step is the grid divided by 2^k with the largest k ≤ 20 for which whole numbers and the
       noise fit 64 bits, so that there is hardly any slack. With `on_grid` there is none: readings off
       the grid are refused, and the guarantee speaks of readings on it.

    What is released is a function of the noisy coefficients: the curve at any finitely many times, and
    by M Thm 3 (Ex 4) the curve as a whole, is as private as they are. Idealised numerics draw the
    noise of the norm itself (T Thm 9.7), which has about 0.7 of the standard deviation, in doubles.

    Examples
    --------
    >>> from dprivacy.curves import make_basis
    >>> quiet, loud = (
    ...     curve_mechanism(make_basis("cosine", 24, size), eps="ln 2", grid="1/100")
    ...     for size in (4, 16)
    ... )
    >>> bool((quiet.noise < loud.noise).all())  # more coefficients need more noise
    True
    """
    UnknownName.require("distance", distance, NORMS)
    UnknownName.require("numerics", numerics, ("exact", "idealised"))
    if distance == "readings" and basis.name != "readings":
        raise NotApplicable(
            f"the distance 'readings' goes with the basis 'readings', not with {basis.name!r}"
        )
    if distance == "readings" and numerics == "idealised":
        raise NotApplicable(
            f"readings one by one have exact noise, not {numerics!r}; leave numerics out"
        )
    level, side, width = as_eps(eps), read_step(grid), read_step(step, "step")
    within = None if bounds is None else read_bounds(bounds)

    width = width if distance == "L2" else Fraction(1)

    def halved(k: int) -> CurveMechanism:
        fine, most = side / 2**k, farthest(side, within) * 2**k
        slack = rounding_slack(distance, basis.times, width, fine, most)
        if on_grid:
            space = CurveDistances(distance, width, grid=side)
        else:
            space = CurveDistances(distance, width, slack)
        guarantee = Guarantee(level, space, because="M Ex 4", unit=unit)
        made = CurveMechanism(basis, side, fine, within, guarantee, numerics)
        return made if numerics == "idealised" else replace(made, levels=_levels(made))

    halvings = 0 if on_grid else _MOST_HALVINGS
    while halvings and not _fits(halved(halvings)):
        halvings -= 1
    return halved(halvings)


def _fits(mechanism: CurveMechanism) -> bool:
    """Whether coefficients fit 62 bits, and there is an exact sampler for their noise."""
    most = farthest(mechanism.grid, mechanism.bounds) * int(mechanism.grid / mechanism.step)
    return (
        most <= _MOST_STEPS
        and most * mechanism.basis.widest < 1 << 62
        and all(level >= _LEAST_LEVEL for level in mechanism.levels)
    )


def _levels(mechanism: CurveMechanism) -> tuple[Level, ...]:
    basis, step = mechanism.basis, mechanism.step
    rate, size = mechanism.rate, basis.size
    if mechanism.distance == "readings":
        return (rate * (step / SCALE),) * size
    if mechanism.distance == "sup":
        norms = np.abs(basis.rows).sum(axis=1).tolist()
        return tuple(rate * (step / (size * norm)) for norm in norms)
    square = size * basis.stretch_squared
    share = Fraction(_DIGITS, math.isqrt(square * _DIGITS**2) + 1)  # a little below 1/√square
    return (rate * (step * share),) * size
