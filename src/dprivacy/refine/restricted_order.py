"""Refinement against a given list of adversaries, where all of them would be too much to ask."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dprivacy.errors import WrongShape
from dprivacy.model import Dist, Gain, about, as_prior
from dprivacy.numbers import Mat
from dprivacy.refine.deciding.channel_pairs import Pair
from dprivacy.refine.deciding.refinement_verdicts import Refinement
from dprivacy.refine.deciding.separating_gains import (
    ULP,
    Number,
    rounding_of,
    uniform_vulnerability,
)
from dprivacy.sources import result
from dprivacy.spaces import require_same_labels
from dprivacy.typing import PriorLike


@dataclass(frozen=True)
class RestrictedRefinement(Refinement):
    """Whether B leaks no more than A to each adversary of a list, under one prior.

    `values` holds the posterior vulnerabilities under A and under B, gain by gain; `failing` are the
    positions of the gains that prefer B.

    Examples
    --------
    >>> from dprivacy.refine import refines
    >>> guess = Gain([0, 1], [0, 1], [[1, 0], [0, 1]])
    >>> coin, fair = [["3/4", "1/4"], ["1/4", "3/4"]], [["1/2", "1/2"], ["1/2", "1/2"]]
    >>> print(refines(fair, coin, gains=[guess]))
    No: a given adversary gains more from B than from A (disproved exactly).
    Adversary 1 of 1 gains 3/4 from B and 1/2 from A.
    """

    order: str = "restricted"
    prior: Dist | None = None
    values: tuple[tuple[Number, Number], ...] = ()
    failing: tuple[int, ...] = ()

    def reasons(self) -> list[str]:
        """The adversaries that prefer B."""
        first, second = self.names
        lines = [
            f"Adversary {k + 1} of {len(self.values)} gains {about(self.values[k][1])} from {second} "
            f"and {about(self.values[k][0])} from {first}."
            for k in self.failing
        ]
        return lines or [f"No given adversary gains more from {second}."]


@result("T", "Def 2.2.5", "Lem 4.10")
def refined_for_gains(
    pair: Pair, gains: Sequence[Gain], prior: PriorLike, names: tuple[str, str]
) -> RestrictedRefinement:
    """Whether V_g[π ▷ A] ≥ V_g[π ▷ B] for each of the given gains g, under one prior π."""
    if not gains:
        raise WrongShape(f"gains should hold at least one gain, not {gains!r}; or leave it out")
    belief = as_prior(prior, pair.secrets)
    values, failing, open_ = [], [], False
    rounding = 0.0 if pair.exact else rounding_of(pair.first.matrix, pair.second.matrix)
    error = 0.0
    for k, gain in enumerate(gains):
        weighted, largest = _weighted(pair, gain, belief)
        before, after = (
            uniform_vulnerability(weighted, pair.a),
            uniform_vulnerability(weighted, pair.b),
        )
        values.append((before, after))
        slack = 0.0 if pair.exact else 8 * (len(pair.secrets) * ULP + rounding) * largest
        error = max(error, slack)
        if after > before + slack if slack else after > before:
            failing.append(k)
        open_ = open_ or bool(slack and before - slack < after <= before + slack)
    holds = False if failing else None if open_ else True
    claim = f"{names[1]} is at least as safe as {names[0]} against the given adversaries"
    denial = f"a given adversary gains more from {names[1]} than from {names[0]}"
    return RestrictedRefinement(
        claim,
        holds,
        pair.exact,
        error,
        names,
        prior=belief,
        values=tuple(values),
        failing=tuple(failing),
        denial=denial,
    )


def _weighted(pair: Pair, gain: Gain, prior: Dist) -> tuple[Mat, float]:
    """g(w, x)·π(x)·n, so that the uniform vulnerability of it is that of g under π; and its size."""
    columns = require_same_labels(pair.secrets, gain.secrets, "an adversary's gain: secrets")
    matrix, weights = gain.matrix.take(columns=columns), prior.matrix
    if not pair.exact:
        scaled = matrix.floats * weights.floats * len(pair.secrets)
        return Mat(scaled), float(np.abs(scaled).max())
    pair.a._require_same(matrix)
    pair.a._require_same(weights)
    entries = matrix.entries * weights.entries * len(pair.secrets)
    return Mat(entries, matrix.den * weights.den), 0.0
