"""Laplace noise for vectors of any dimension, in idealised numerics."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.groundwork.label_codes import read_vectors, whole
from dprivacy.model import Guarantee, Sourced, about
from dprivacy.numbers import as_eps
from dprivacy.sampling import Source
from dprivacy.sources import result
from dprivacy.spaces import Vectors
from dprivacy.typing import LevelLike

_NORMS = (1, 2, np.inf)


@dataclass(frozen=True)
class VectorMechanism(Sourced):
    """Noise with density ∝ e^(−ε·‖v‖), computed in doubles.

    The guarantee is that of the ideal mechanism on real numbers. Doubles are not real numbers: their
    low bits can betray an input, so this is offered only to those who ask for it by name, for uses
    (such as the nearest word) where the doubles themselves are never released.

    Examples
    --------
    >>> noise = vector_laplace(3, eps=2, norm=1, numerics="idealised")
    >>> noise.numerics, noise.guarantee.space
    ('idealised', Vectors(dimension=3, norm=1))
    >>> from dprivacy.sampling import SystemSource
    >>> noise.noise(5, SystemSource()).shape
    (5, 3)
    """

    dimension: int
    norm: float
    guarantee: Guarantee
    source: Source | None = None
    family: str = "vector_laplace"
    numerics: Literal["idealised"] = "idealised"
    channel: ClassVar[None] = None

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> NDArray[np.float64]:
        """Noisy vectors for true ones: an array of shape (n, dimension)."""
        array = read_vectors(values, "vectors", self.dimension)
        noisy: NDArray[np.float64] = array + self.noise(len(array), self._source(insecure_seed))
        return noisy

    def noise(self, n: int, source: Source) -> NDArray[np.float64]:
        """n noise vectors.

        Notes
        -----
        1. Norm 1: independent Laplace coordinates have density ∝ e^(−ε·‖v‖₁).
        2. Norm 2: a radius of Gamma(n, 1/ε) and a uniform direction (normals, normalised).
        3. Norm ∞: a radius of Gamma(n+1, 1/ε) times a uniform point of the cube; the extra factor makes
           up for points inside it.
        """
        eps, k = float(self.guarantee.eps), self.dimension
        if self.norm == 1:
            signs = np.where(source.words(n * k) >> np.uint64(63), 1.0, -1.0)
            sizes: NDArray[np.float64] = -np.log(_open_unit(n * k, source)) / eps
            return (signs * sizes).reshape(n, k)
        if self.norm == 2:
            normals = _normals(n * k, source).reshape(n, k)
            directions = normals / np.linalg.norm(normals, axis=1, keepdims=True)
            return np.asarray(directions * (_gamma(n, k, source) / eps)[:, None])
        cube = 2 * _open_unit(n * k, source).reshape(n, k) - 1
        return cube * (_gamma(n, k + 1, source) / eps)[:, None]

    def __repr__(self) -> str:
        eps = about(self.guarantee.eps)
        return (
            f"vector_laplace({self.dimension} dimensions, norm {self.norm}, ε = {eps}, idealised)"
        )


def _open_unit(n: int, source: Source) -> NDArray[np.float64]:
    """Uniform doubles strictly between 0 and 1."""
    return ((source.words(n) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def _gamma(n: int, shape: int, source: Source) -> NDArray[np.float64]:
    """Gamma(shape, 1): the sum of `shape` exponentials."""
    total = np.zeros(n)
    for _ in range(shape):
        total -= np.log(_open_unit(n, source))
    return total


def _normals(n: int, source: Source) -> NDArray[np.float64]:
    """Standard normals by the Box–Muller transform."""
    half = (n + 1) // 2
    radius = np.sqrt(-2 * np.log(_open_unit(half, source)))
    angle = 2 * np.pi * _open_unit(half, source)
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:n]


@result("T", "Thm 9.7", "Def 9.4.1")
def vector_laplace(
    dimension: int,
    *,
    eps: LevelLike,
    norm: float = 2,
    numerics: Literal["idealised"] | None = None,
) -> VectorMechanism:
    """n-dimensional Laplace noise, ε·‖·‖-private for the norm 2, 1 or infinity.

    Parameters
    ----------
    dimension
        The dimension of the vectors.
    eps
        The level of privacy per unit of distance.
    norm
        2, 1 or ``inf``.
    numerics
        Must be "idealised": the guarantee is for exact real arithmetic, and the noise is computed in
        doubles. For one dimension use `laplace`, for two `planar_laplace`, which are exact.

    Examples
    --------
    >>> noise = vector_laplace(50, eps=10, numerics="idealised")
    >>> noise.randomise([[0.0] * 50]).shape
    (1, 50)
    """
    dimension = whole(dimension, "dimension")
    if isinstance(norm, bool) or norm not in _NORMS:
        raise UnknownName(f"norm should be 1, 2 or inf, not {norm!r}")
    if numerics != "idealised":
        raise NotApplicable(
            f"vector noise is computed in doubles, whose low bits can betray an input, and numerics is "
            f"{numerics!r}; pass numerics='idealised' if the vectors themselves are not released, or "
            "use laplace or planar_laplace, which are exact"
        )
    space = Vectors(dimension, norm)
    return VectorMechanism(dimension, norm, Guarantee(as_eps(eps), space, because="T Thm 9.7"))


FAMILY = Family(
    "vector_laplace",
    vector_laplace,
    because="T Thm 9.7",
    cases=tuple({"dimension": 2, "norm": norm, "numerics": "idealised"} for norm in _NORMS),
)
