"""How far noise carries a bag of vectors, and which ε keeps it within a radius."""

from dprivacy.errors import BadNumber
from dprivacy.estimation import read_chance
from dprivacy.mechanisms import whole
from dprivacy.numbers import as_eps
from dprivacy.sources import result
from dprivacy.typing import LevelLike


@result("T", "Thm 9.9")
def chance_within(dimension: int, words: int, *, eps: LevelLike, radius: float) -> float:
    """A lower bound on the chance that a noisy bag stays within a radius of the true one.

    1 − e^(−s)·Σ_{i < nN} s^i/i! with s = ε·N·Δ: the N noise vectors' lengths, each Gamma(n, 1/ε), add
    up to Gamma(nN, 1/ε), and the Earth Mover's distance is at most their mean. For N = 1 it is the
    chance itself.

    Parameters
    ----------
    dimension
        n, of the vectors.
    words
        N, the number of vectors in the bag.
    eps
        The level of privacy per unit of distance.
    radius
        Δ, an Earth Mover's distance: how far a vector travels on average.

    Notes
    -----
    It speaks of the vectors of Algorithm 1. The nearest word w' to a noisy vector z is no farther from
    z than the true word w, so ‖w − w'‖ ≤ 2·‖w − z‖: the bag of *words* stays within 2Δ with the same
    chance. The source's bound has n where nN should be, and a condition that is not needed.

    Examples
    --------
    >>> round(chance_within(3, 2, eps=1, radius=0.5), 6)
    0.000594
    """
    from scipy.special import gammainc

    n, N = whole(dimension, "dimension"), whole(words, "words")
    if not radius >= 0:
        raise BadNumber(f"radius should be at least 0, not {radius}")
    return float(gammainc(n * N, float(as_eps(eps)) * N * radius))


def radius_within(dimension: int, words: int, *, eps: LevelLike, chance: float = 0.95) -> float:
    """The radius within which a noisy bag of vectors stays with some chance.

    The inverse of `chance_within` in its radius; the mean radius is n/ε.

    Parameters
    ----------
    dimension, words, eps
        As for `chance_within`.
    chance
        Between 0 and 1.

    Examples
    --------
    >>> round(radius_within(100, 1000, eps=10), 2)
    10.05
    """
    return _reach(dimension, words, chance) / (float(as_eps(eps)) * words)


def eps_for_radius(dimension: int, words: int, *, radius: float, chance: float = 0.95) -> float:
    """The smallest ε that keeps a noisy bag of vectors within a radius with some chance.

    Parameters
    ----------
    dimension, words, chance
        As for `radius_within`.
    radius
        The Earth Mover's distance that is allowed; compare it with `Embedding.typical`.

    Examples
    --------
    >>> round(eps_for_radius(100, 1000, radius=3.4), 1)
    29.6
    """
    if not 0 < radius < float("inf"):
        raise BadNumber(f"radius should be a positive number, not {radius}")
    return _reach(dimension, words, chance) / (radius * words)


def _reach(dimension: int, words: int, chance: float) -> float:
    """The value of Gamma(nN, 1) that is not exceeded with this chance."""
    from scipy.special import gammaincinv

    share = read_chance(chance, "chance")
    return float(gammaincinv(whole(dimension, "dimension") * whole(words, "words"), share))
