"""How the rows of a table were drawn: weights, strata, clusters, sampled shares, replicates."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprivacy.errors import BadNumber, NotApplicable, WrongKind, WrongShape, counted
from dprivacy.numbers import Floats, Sealed


@dataclass(frozen=True)
class Survey:
    """The design of a survey, by the names of the columns that hold it.

    Parameters
    ----------
    weights
        The column of weights; all 1 when empty.
    strata, clusters
        The columns of the strata and of the clusters (primary sampling units) that were drawn.
    fraction
        The share of clusters that was drawn: a number from 0 to 1, or one for each stratum. 1 says that
        the table is all there is, so that only the noise errs.
    replicates
        Columns of replicate weights, instead of strata and clusters.
    scale
        A in the variance A·Σ_r (θ_r − θ)²: (R−1)/R for a delete-one jackknife, 1/R for balanced
        repeated replication, 1/(R(1−k)²) for Fay's, 4/R for successive differences.

    Examples
    --------
    >>> Survey(weights="w", strata="region", clusters="household").columns
    ('w', 'region', 'household')
    >>> Survey(weights="w").draws, Survey(strata="region").draws
    (False, True)
    """

    weights: str = ""
    strata: str = ""
    clusters: str = ""
    fraction: float | Mapping[Any, float] = 0.0
    replicates: tuple[str, ...] = ()
    scale: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "replicates", tuple(self.replicates))
        shares = self.fraction.values() if isinstance(self.fraction, Mapping) else [self.fraction]
        for share in shares:
            if isinstance(share, bool) or not 0 <= share <= 1:
                raise BadNumber(f"fraction should be a share from 0 to 1, not {share!r}")
        if self.replicates and (self.strata or self.clusters):
            raise NotApplicable(
                "replicate weights already hold the strata and clusters; give either these or those"
            )
        if bool(self.replicates) != bool(self.scale) or not 0 <= self.scale < math.inf:
            raise BadNumber(
                "replicates and scale belong together: scale is the A of A·Σ(θ_r − θ)², such as 4/80 "
                f"for 80 weights of successive differences, not {self.scale!r}"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the design names."""
        listed = (self.weights, self.strata, self.clusters, *self.replicates)
        return tuple(dict.fromkeys(name for name in listed if name))

    @property
    def draws(self) -> bool:
        """Whether it says how the rows were drawn, and not only their weights."""
        return bool(self.strata or self.clusters or self.replicates or self.fraction)


@dataclass(frozen=True, eq=False)
class Records(Sealed):
    """The design of rows that are at hand, alike rows taken together as one record.

    Parameters
    ----------
    rows
        How many rows each record stands for.
    weights, squares
        The sums of w and of w² over them.
    strata
        The number of the stratum of each record.
    clusters
        The number of its cluster, clusters of different strata being different; None where every row is
        a cluster of its own.
    fractions
        The sampled share of each stratum.
    replicates
        Sums of the replicate weights, a column each; None where there are none.
    scale
        See `Survey`.
    notes
        What was assumed.
    """

    rows: Floats
    weights: Floats
    squares: Floats
    strata: NDArray[np.intp]
    clusters: NDArray[np.intp] | None
    fractions: Floats
    replicates: Floats | None = None
    scale: float = 0.0
    notes: tuple[str, ...] = field(default=())

    @property
    def whole(self) -> bool:
        """Whether the table is all there is: only the noise errs."""
        return self.replicates is None and bool((self.fractions == 1).all())


def records(
    weights: ArrayLike,
    *,
    strata: Sequence[Any] | NDArray[Any] | None = None,
    clusters: Sequence[Any] | NDArray[Any] | None = None,
    fraction: float | Mapping[Any, float] = 0.0,
    replicates: ArrayLike | None = None,
    scale: float = 0.0,
    rows: ArrayLike | None = None,
    squares: ArrayLike | None = None,
) -> Records:
    """The design of rows, read and checked.

    Parameters
    ----------
    weights
        One for each row; or their sum for each record.
    strata, clusters
        Labels of any kind, one for each row or record.
    fraction, replicates, scale
        See `Survey`.
    rows, squares
        For records of several rows: how many, and the sum of the squared weights.

    Examples
    --------
    >>> records([1, 1, 2], strata=["a", "a", "b"]).strata.tolist()
    [0, 0, 1]
    """
    first = read_weights(weights)
    each = np.ones(len(first)) if rows is None else np.asarray(rows, dtype=np.float64)
    second = first**2 if squares is None else np.asarray(squares, dtype=np.float64)
    if not len(first) == len(each) == len(second):
        raise WrongShape(f"there are {len(first):,} weights for {len(each):,} records")
    names, stratum = _numbered(strata, len(first), "strata")
    notes: list[str] = []
    cluster = None
    if clusters is not None:
        labels, code = _numbered(clusters, len(first), "clusters")
        pairs, cluster = np.unique(stratum * len(labels) + code, return_inverse=True)
        if len(pairs) > len(labels):
            crossing = len(pairs) - len(labels)
            notes.append(
                f"{counted(crossing, 'cluster')} shared a name with one in another stratum: each is "
                "taken as a cluster of its own in its stratum"
            )
    return Records(
        each,
        first,
        second,
        stratum.astype(np.intp),
        None if cluster is None else cluster.astype(np.intp),
        _fractions(fraction, names),
        None if replicates is None else np.asarray(replicates, dtype=np.float64),
        scale,
        tuple(notes),
    )


def read_weights(weights: ArrayLike, what: str = "weights", *, some: bool = True) -> Floats:
    """Weights as doubles: at least 0, and `some` above it; refused by how many rows are not so."""
    try:
        read = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise WrongKind(f"{what} should be numbers, and some are text or missing") from None
    strange = int((~np.isfinite(read)).sum())
    if strange:
        raise BadNumber(
            f"{what} should be numbers, and are missing or text in {counted(strange, 'row')}"
        )
    negative = int((read < 0).sum())
    if negative:
        raise BadNumber(
            f"{what} should be at least 0, and are negative in {negative:,} of "
            f"{counted(len(read), 'row')}"
        )
    if some and not read.sum() > 0:
        raise BadNumber(f"{what} should not all be 0, as they are in {counted(len(read), 'row')}")
    return read


def _numbered(
    labels: Sequence[Any] | NDArray[Any] | None, size: int, what: str
) -> tuple[list[Any], NDArray[np.intp]]:
    """The distinct labels in the order of their first row, and the number of each row's."""
    if labels is None:
        return [None], np.zeros(size, dtype=np.intp)
    if len(labels) != size:
        raise WrongShape(f"there are {len(labels):,} {what} for {size:,} weights")
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iufU":
        distinct, codes = np.unique(labels, return_inverse=True)
        return distinct.tolist(), codes.astype(np.intp)
    place: dict[Any, int] = {}
    codes = np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.intp)
    return list(place), codes


def _fractions(fraction: float | Mapping[Any, float], names: Sequence[Any]) -> Floats:
    if not isinstance(fraction, Mapping):
        return np.full(len(names), float(fraction))
    missing = [name for name in names if name not in fraction]
    if missing:
        raise NotApplicable(
            f"fraction should have a share for every stratum, but {missing[0]!r} has none"
        )
    return np.array([float(fraction[name]) for name in names])
