"""Newton's method for estimating equations, stopped in statistical units.

With t the sum of the scores, J minus its derivative and V the covariance of t, the next step is
δ = J⁻¹t, and coefficients have the covariance J⁻¹VJ⁻ᵀ. Converged means that no δ_j exceeds 10⁻⁶ of its
standard error: to go on would change nothing that the data can tell.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dprivacy.errors import Unidentified
from dprivacy.numbers import Floats

STEPS = 60
ENOUGH = 1e-6  # standard errors
_NEAR = 1e-2  # standard errors, from which on full steps are taken
_SHORTEST = 1e-3
_DEPENDENT = 1e12
_CERTAIN = 30.0  # logits at which an outcome is as good as certain
_ROUNDING = 1e-5  # of the largest coefficient: a standard error that is only rounding


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The equations at some coefficients.

    Parameters
    ----------
    total
        t.
    slope
        J.
    covariance
        V.
    degrees
        Degrees of freedom of V.
    reach
        The largest certainty of an outcome, in logits.
    log_likelihood
        Of maximum likelihood; NaN for corrected scores.
    """

    total: Floats
    slope: Floats
    covariance: Floats
    degrees: float
    reach: float
    log_likelihood: float = float("nan")

    @property
    def finite(self) -> bool:
        """Whether nothing overflowed."""
        return bool(np.isfinite(self.total).all() and np.isfinite(self.slope).all())


class Equations(Protocol):
    """What the solver needs to know of a model."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        ...

    @property
    def noisy(self) -> bool:
        """Whether any of the columns is."""
        ...

    def at(self, beta: Floats) -> Evaluation:
        """The equations at some coefficients."""
        ...

    def allowed(self, beta: Floats) -> bool:
        """Whether these may be coefficients at all."""
        ...


@dataclass(frozen=True, eq=False)
class Root:
    """Where the equations vanish.

    Parameters
    ----------
    values, covariance
        The coefficients.
    decrement
        The largest next step, in standard errors.
    steps
        How many were taken.
    last
        The equations there.
    """

    values: Floats
    covariance: Floats
    decrement: float
    steps: int
    last: Evaluation


def find_root(equations: Equations, start: Floats) -> Root:
    """The root of estimating equations; Unidentified, with the reason, if there is none.

    Notes
    -----
    1. A step is halved while tᵀV⁻¹t does not fall, unless it is below 10⁻² standard errors: there the
       equations are as good as linear, and comparing values would compare their rounding.
    2. A root at which J is not positive is not an estimate: the noise outweighs the signal.
    """
    beta = np.array(start, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        here = equations.at(beta)
    if not here.finite:
        raise Unidentified(
            "sums of squares of the columns are too large to be computed; divide large numbers by a "
            "power of ten first"
        )
    _refuse_dependent(here.slope, equations.names)
    certain = 0
    for taken in range(STEPS + 1):
        try:
            inverse = np.linalg.inv(here.slope)
        except np.linalg.LinAlgError:
            break
        with np.errstate(over="ignore", invalid="ignore"):
            step = inverse @ here.total
            covariance = inverse @ here.covariance @ inverse.T
        if not (np.isfinite(step).all() and np.isfinite(covariance).all()):
            break
        decrement = _in_errors(step, covariance, beta, here.slope)
        if decrement <= ENOUGH:
            if here.reach > _CERTAIN or _weakest(here.slope, equations.names)[0] <= 0:
                break
            return Root(beta, covariance, decrement, taken, here)
        if taken == STEPS:
            break
        moved = _moved(equations, beta, step, here, damped=decrement > _NEAR)
        if moved is None:
            break
        beta, here = moved
        certain = certain + 1 if here.reach > _CERTAIN else 0
        if certain >= 3:
            break
    if here.reach > _CERTAIN:
        raise _separated(equations, beta, here.slope)
    raise _no_solution(equations, here.slope)


def settled(equations: Equations, start: Root) -> Floats:
    """The root of slightly different equations, from that of the first ones by full steps."""
    beta, errors = start.values, np.sqrt(np.maximum(np.diagonal(start.covariance), 1e-300))
    for _ in range(STEPS):
        here = equations.at(beta)
        step = np.linalg.solve(here.slope, here.total)
        beta = beta + step
        if not np.isfinite(beta).all():
            break
        if (np.abs(step) <= ENOUGH * errors).all():
            return beta
    raise Unidentified(
        "the equations have no solution under one of the replicate weights; leave out a column, or "
        "give strata and clusters instead"
    )


def _moved(
    equations: Equations, beta: Floats, step: Floats, here: Evaluation, *, damped: bool
) -> tuple[Floats, Evaluation] | None:
    """The next coefficients, and the equations there; None where nothing finite is found."""
    weigh = np.linalg.pinv(here.covariance, hermitian=True)
    merit = float(here.total @ weigh @ here.total)
    share, found = 1.0, None
    while share >= _SHORTEST:
        new = beta + share * step
        if equations.allowed(new):
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                there = equations.at(new)
                there_merit = float(there.total @ weigh @ there.total)
            if there.finite:
                found = new, there
                if not damped or there_merit <= (1 - 1e-4 * share) * merit:
                    return found
        share /= 2
    return found


def _in_errors(step: Floats, covariance: Floats, beta: Floats, slope: Floats) -> float:
    """The largest entry of a step, in standard errors (or in rounding errors, where they are 0)."""
    errors = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    size = _sizes(slope)
    floor = _ROUNDING * float(np.abs(beta * size).max()) / size
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(step) / np.maximum(errors, floor)
    return float(np.where(step == 0, 0.0, ratios).max())


def _sizes(slope: Floats) -> Floats:
    return np.sqrt(np.maximum(np.abs(np.diagonal(slope)), 1e-300))


def _scaled(slope: Floats) -> Floats:
    """J with ones along its diagonal, and symmetric."""
    size = _sizes(slope)
    scaled = slope / size / size[:, None]
    return np.asarray((scaled + scaled.T) / 2)


def _weakest(slope: Floats, names: tuple[str, ...]) -> tuple[float, str]:
    """The smallest eigenvalue of the scaled J, and the coefficient that it is most about."""
    values, vectors = np.linalg.eigh(_scaled(slope))
    along = np.abs(vectors[:, 0])
    slopes = [k for k, name in enumerate(names) if not name.endswith("intercept")]
    chosen = slopes or list(range(len(names)))
    return float(values[0]), names[max(chosen, key=lambda k: float(along[k]))]


def _refuse_dependent(slope: Floats, names: tuple[str, ...]) -> None:
    values, vectors = np.linalg.eigh(_scaled(slope))
    sizes = np.abs(values)
    if not np.isfinite(sizes).all() or sizes.min() * _DEPENDENT <= sizes.max():
        along = np.abs(vectors[:, int(sizes.argmin())])
        culprits = [name for name, part in zip(names, along, strict=True) if part > 0.1]
        slopes = [name for name in culprits if not name.endswith("intercept")] or list(names)
        raise Unidentified(
            f"the columns do not determine the {len(names)} coefficients: {slopes[-1]} is constant, or "
            "a combination of others; leave it out"
        )


def _no_solution(equations: Equations, slope: Floats) -> Unidentified:
    _, name = _weakest(slope, equations.names)
    reason = (
        "the corrected equations have no solution: the noise outweighs the signal, most of all for "
        f"{name}. Leave it out, take more rows, or ask for a release with a larger ε"
    )
    plain = f"the model's equations have no solution, most of all because of {name}; leave it out"
    return Unidentified(reason if equations.noisy else plain)


def _separated(equations: Equations, beta: Floats, slope: Floats) -> Unidentified:
    names, pull = equations.names, np.abs(beta) * _sizes(slope)
    slopes = [k for k, name in enumerate(names) if not name.endswith("intercept")]
    name = names[max(slopes or range(len(names)), key=lambda k: float(pull[k]))]
    noise = " once the noise is taken out" if equations.noisy else ""
    more = ", or take more rows" if equations.noisy else ""
    return Unidentified(
        f"no finite coefficients fit best{noise}: for some rows the model wants an outcome that is "
        f"certain (separation), most of all through {name}. Leave it out, or merge its categories{more}"
    )
