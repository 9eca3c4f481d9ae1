"""What private matching costs, measured: plain hashes, hash-then-flip and noise-then-hash."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber
from dprivacy.hashing.friend_matching import nearest_distances
from dprivacy.hashing.hash_guarantees import eps_for
from dprivacy.hashing.hash_then_flip import bit_response
from dprivacy.hashing.hashes.hyperplanes import (
    RandomProjection,
    angular_table,
    random_projection,
    sides,
)
from dprivacy.hashing.hashes.linear_hash import read_dense, scaled_rows
from dprivacy.hashing.hashes.packed_bits import nearest
from dprivacy.hashing.hashes.public_randomness import read_key
from dprivacy.hashing.matching_losses import LossExperiment, LossPoint
from dprivacy.mechanisms import read_doubles, vector_laplace, whole
from dprivacy.numbers import Floats, as_eps, as_share
from dprivacy.sampling import Source, choose_source
from dprivacy.sources import result
from dprivacy.typing import NumberLike, TableLike

KEY = "dprivacy experiment"
BUDGETS = (0.5, 1, 2, 3, 5, 7.5, 10, 15)


@result("T", "Table 10.1")
def hashing_loss(
    vectors: TableLike,
    *,
    bits: Sequence[int] = (10, 20, 30, 50),
    k: Sequence[int] = (1, 5, 10),
    repetitions: int = 30,
    key: str = KEY,
    source: Source | None = None,
) -> LossExperiment:
    """The utility loss of matching by hashes without any noise.

    Parameters
    ----------
    vectors
        One person a row.
    bits
        Lengths κ of the hash.
    k
        Numbers of matches.
    repetitions
        How many hashes are drawn; results are averages.
    key
        The public key; each repetition has its own.
    source
        Where the choice among equally near people comes from.

    Returns
    -------
    LossExperiment
        A point "LSH" for every κ and k.

    Notes
    -----
    The first k of a random choice among the equally near, sorted by distance, are the matches for k:
    one search at the largest k serves all.

    Examples
    --------
    >>> people = [[1, 0], [2, 1], [0, 3], [1, 4], [3, 3]]
    >>> few, many = (hashing_loss(people, bits=[n], k=[1]).at(k=1).loss for n in (1, 200))
    >>> many < few  # more bits, better matches
    True
    """
    trial = _Trial(vectors, k, repetitions, key, source)
    found = []
    for kappa in bits:
        losses = [trial.losses(function.hash(trial.units)) for function in trial.functions(kappa)]
        found += trial.points(losses, mechanism="LSH", bits=kappa)
    return trial.experiment(found)


@result("T", "Fig 10.3", "Fig 10.4", "Fig 10.5")
def utility_loss_experiment(
    vectors: TableLike,
    *,
    bits: Sequence[int] = (10, 20),
    k: int = 10,
    distances: Iterable[NumberLike] = ("0.05", "0.1", "0.25"),
    budgets: Iterable[float] = BUDGETS,
    delta: NumberLike = "0.01",
    repetitions: int = 30,
    key: str = KEY,
    source: Source | None = None,
) -> LossExperiment:
    """The utility loss of LSHRR and LapLSH against the total privacy budget ξ, beside plain hashes.

    Parameters
    ----------
    vectors
        One person a row; they are scaled to length 1, so that angles and Euclidean distances can be
        compared.
    bits, repetitions, key
        As for `hashing_loss`; noise is new in each repetition, too.
    k
        How many matches everybody gets.
    distances
        Angular distances d at which the budget is stated.
    budgets
        Values of ξ.
    delta
        δ of Prop 10.8.
    source
        Where noise, and the choice among equally near people, come from.

    Returns
    -------
    LossExperiment
        Points "LSH", "LSHRR" and "LapLSH".

    Notes
    -----
    1. For LSHRR, ξ = εκ(d + α) with the α of Prop 10.8 at δ: it holds but for probability δ.
    2. For LapLSH, ξ = ε·2 sin(πd/2), the Euclidean distance of unit vectors at that angle.
    3. Both use the same hashes. Noise scales with 1/ε and projections are linear, so that one noise
       vector a person and repetition serves every ε.

    Examples
    --------
    >>> from dprivacy.hashing import utility_loss_experiment
    >>> small = utility_loss_experiment(
    ...     [[1, 0], [2, 1], [0, 3], [1, 4]], bits=[8], k=1, distances=["0.1"], budgets=[2],
    ...     repetitions=2,
    ... )
    >>> sorted({point.mechanism for point in small.points})
    ['LSH', 'LSHRR', 'LapLSH']
    """
    trial = _Trial(vectors, [k], repetitions, key, source)
    apart = [as_share(d, "distance") for d in distances]
    wanted = [float(as_eps(xi)) for xi in budgets]
    found = []
    for kappa in bits:
        settings = [(d, xi) for d in apart for xi in wanted]
        flip = {(d, xi): eps_for(xi=xi, bits=kappa, distance=d, delta=delta) for d, xi in settings}
        responses = {
            setting: bit_response(kappa, eps=eps).using(trial.source)
            for setting, eps in flip.items()
        }
        laplace = {(d, xi): as_eps(xi / _chord(d)) for d, xi in settings}
        plain_losses: list[list[float]] = []
        flipped: dict[Any, list[list[float]]] = {setting: [] for setting in settings}
        noised: dict[Any, list[list[float]]] = {setting: [] for setting in settings}
        for function in trial.functions(kappa):
            projected = function.project(trial.units)
            noise_projected = function.project(trial.noise())
            hashed = sides(projected)
            plain_losses.append(trial.losses(hashed))
            for setting in settings:
                flipped[setting].append(trial.losses(responses[setting].randomise(hashed)))
                shifted = projected + noise_projected / float(laplace[setting])
                noised[setting].append(trial.losses(sides(shifted)))
        found += trial.points(plain_losses, mechanism="LSH", bits=kappa)
        for name, all_losses, levels in (("LSHRR", flipped, flip), ("LapLSH", noised, laplace)):
            for d, xi in settings:
                said = {"distance": d, "xi": xi, "eps": levels[d, xi]}
                found += trial.points(all_losses[d, xi], mechanism=name, bits=kappa, **said)
    return trial.experiment(found)


def _chord(d: Fraction) -> float:
    """The Euclidean distance of unit vectors at angular distance d."""
    if not d:
        raise BadNumber(
            f"vectors at distance {d} are the same: state the budget at a greater distance"
        )
    return 2 * math.sin(math.pi * float(d) / 2)


class _Trial:
    """Vectors, true distances and the choices that all parts of one experiment share."""

    def __init__(
        self,
        vectors: TableLike,
        k: Sequence[int],
        repetitions: int,
        key: str,
        source: Source | None,
    ) -> None:
        array = read_doubles(vectors, "vectors")
        rows = scaled_rows(read_dense(array, array.shape[1] if array.ndim == 2 else 1))
        self.units: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self.k = [whole(each, "k") for each in k]
        self.repetitions, self.key = whole(repetitions, "repetitions"), read_key(key)
        self.source = source or choose_source()
        self.table = angular_table(self.units)
        self.ideal = nearest_distances(self.table, max(self.k))

    def functions(self, bits: int) -> Iterable[RandomProjection]:
        """A hash for each repetition."""
        for r in range(self.repetitions):
            yield random_projection(self.units.shape[1], bits=bits, key=f"{self.key}, {r}")

    def noise(self) -> Floats:
        """Laplace noise at level 1 for every person."""
        people, dimension = self.units.shape
        laplace = vector_laplace(dimension, eps=1, numerics="idealised")
        return laplace.noise(people, self.source)

    def losses(self, strings: Any) -> list[float]:
        """The mean utility loss for every k."""
        places = nearest(strings, k=max(self.k), source=self.source).places
        reached = np.take_along_axis(self.table, places, axis=1)
        return [float((reached[:, :k] - self.ideal[:, :k]).mean()) for k in self.k]

    def points(self, losses: list[list[float]], **said: Any) -> list[LossPoint]:
        """The averages over repetitions."""
        measured = np.array(losses)
        spread = measured.std(axis=0, ddof=1) if len(measured) > 1 else measured[0] * math.nan
        return [
            LossPoint(
                k=k,
                loss=float(measured[:, i].mean()),
                error=float(spread[i]) / math.sqrt(len(measured)),
                **said,
            )
            for i, k in enumerate(self.k)
        ]

    def experiment(self, found: list[LossPoint]) -> LossExperiment:
        """All points, with what random others would cost."""
        people, dimension = self.units.shape
        others = self.table.sum(axis=1) / (people - 1)
        chance = {k: float((others - self.ideal[:, :k].mean(axis=1)).mean()) for k in self.k}
        return LossExperiment(people, dimension, self.repetitions, tuple(found), chance)
