"""The privacy-loss distribution: how much an output tells x from z, when x is true."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dprivacy.errors import BadNumber, MixedArithmetic, TooLarge
from dprivacy.model import Answer, Channel, about, as_channel, mixture, shown
from dprivacy.numbers import Factor, Level, as_eps, as_level, ln
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike, Number, NumberLike
from dprivacy.verify.metric.delta_profile import largest_line

Loss = Level | float

_MOST_PRODUCTS = 5_000_000


@dataclass(frozen=True)
class PrivacyLoss(Answer):
    """The distribution of the privacy loss ln(C[x,y]/C[z,y]) with y drawn on input x.

    Parameters
    ----------
    x, z
        The true input and the one it is compared with.
    cells
        Pairs (key, probability), smallest loss first. The key is e^loss, a Fraction, for an exact
        channel and the loss itself for a float one; an infinite loss has the key ``inf``.
    exact
        Whether keys and probabilities are exact.

    Examples
    --------
    >>> loss = privacy_loss([["3/4", "1/4"], ["1/4", "3/4"]], 0, 1)
    >>> print(loss)
    When 0 is true, an output speaks for 0 against 1 by 1/2*ln(3) ≈ 0.5493 on average and by at \
most ln(3) ≈ 1.099 (2 possible losses, exact).
    >>> print(loss.mean, loss.minimum, loss.maximum, loss.escape, loss.is_nothing, len(loss.atoms))
    1/2*ln(3) -ln(3) ln(3) 0 False 2
    >>> print(loss.tail("ln 2"), loss.delta("ln 2"), loss.repeated(2).maximum)
    3/4 1/4 ln(9)
    >>> round(loss.mean_estimate()[0], 4)
    0.5493
    """

    x: Label
    z: Label
    cells: tuple[tuple[Number, Number], ...]
    exact: bool

    @cached_property
    def atoms(self) -> tuple[tuple[Loss, Number], ...]:
        """The possible losses and their probabilities, smallest loss first."""
        return tuple((self._loss(key), p) for key, p in self.cells)

    def _loss(self, key: Number) -> Loss:
        return ln(key) if isinstance(key, Fraction) else key

    @property
    def is_nothing(self) -> bool:
        """Whether no output tells x from z: the two rows are equal."""
        return len(self.cells) == 1 and self.cells[0][0] == (1 if self.exact else 0.0)

    @property
    def escape(self) -> Number:
        """The probability of an infinite loss: of outputs that z cannot give."""
        key, p = self.cells[-1]
        return p if key == math.inf else p * 0

    @property
    def maximum(self) -> Loss:
        """The largest loss, ``inf`` if some output is impossible for z."""
        return self._loss(self.cells[-1][0])

    @property
    def minimum(self) -> Loss:
        """The smallest loss that has positive probability."""
        return self._loss(self.cells[0][0])

    @cached_property
    def mean(self) -> Loss:
        """The mean loss, which is the Kullback–Leibler divergence of row x from row z."""
        if self.escape:
            return math.inf
        if not self.exact:
            return math.fsum(float(p) * key for key, p in self.cells)
        parts = [as_level(loss) * p for loss, p in self.atoms]
        while len(parts) > 1:  # in pairs, so that no long sum is copied often
            parts = [sum(parts[k : k + 2], Level(0)) for k in range(0, len(parts), 2)]
        return parts[0]

    def mean_estimate(self) -> tuple[float, float]:
        """The mean loss as a float, and a bound on its error: quick, for putting pairs in order."""
        if self.escape:
            return math.inf, 0.0
        parts = [
            float(p) * (log_of(key) if isinstance(key, Fraction) else key) for key, p in self.cells
        ]
        return math.fsum(parts), 1e-11 * (1 + math.fsum(map(abs, parts)))

    def tail(self, eps: LevelLike) -> Number:
        """The probability that the loss exceeds ε (strictly); exact for an exact channel."""
        level = as_level(eps)
        if not self.exact:
            return math.fsum(float(p) for key, p in self.cells if key > float(level))
        return sum((Fraction(p) for key, p in self.cells if _exceeds(key, level)), Fraction(0))

    def delta(self, eps: LevelLike) -> Number:
        """The smallest δ for which this ordered pair is (ε, δ)-private: E[(1 − e^(ε−loss))⁺].

        Exact for an exact channel and rational e^ε, rounded up for irrational e^ε.
        """
        level = as_eps(eps, zero=True)
        if not self.exact:
            return math.fsum(
                float(p) * -math.expm1(float(level) - key)
                for key, p in self.cells
                if key > float(level)
            )
        total = Fraction(self.escape)
        finite = [(Fraction(key), Fraction(p)) for key, p in self.cells if key != math.inf]
        if not finite or ln(finite[-1][0]) <= level:
            return total
        factor = Factor(level)
        told = [(key, p) for key, p in finite if not factor.admits(key, 1)]
        line = total + sum(p for _, p in told), sum((p / key for key, p in told), Fraction(0))
        return largest_line([line], factor)

    @result("T", "Def 10.3.3")
    def __and__(self, other: "PrivacyLoss") -> "PrivacyLoss":
        """The loss of observing both, independently: losses add up, by convolution."""
        if not isinstance(other, PrivacyLoss):
            return NotImplemented
        if self.exact != other.exact:
            float_ = f"({other.x!r}, {other.z!r})" if self.exact else f"({self.x!r}, {self.z!r})"
            raise MixedArithmetic(
                f"the privacy loss of the pair {float_} is float and the other exact; give both "
                "channels as fractions, or both as floats"
            )
        products = len(self.cells) * len(other.cells)
        if products > _MOST_PRODUCTS:
            raise TooLarge(
                f"the convolution would take {products:,} products, more than {_MOST_PRODUCTS:,}"
            )
        sums: dict[Number, Number] = {}
        for a, p in self.cells:
            for b, q in other.cells:
                key = _joined(a, b, self.exact)
                sums[key] = sums.get(key, 0) + p * q
        x, z = (
            (self.x, self.z)
            if (self.x, self.z) == (other.x, other.z)
            else ((self.x, other.x), (self.z, other.z))
        )
        return PrivacyLoss(x, z, tuple(sorted(sums.items())), self.exact)

    def repeated(self, n: int) -> "PrivacyLoss":
        """The loss of n independent observations of the same secret."""
        if n < 1:
            raise BadNumber(f"a loss is repeated at least once, not {n} times")
        if n == 1:
            return self
        half = self.repeated(n // 2)
        return half & half if n % 2 == 0 else half & half & self

    def explain(self) -> str:
        """The distribution in words."""
        how = "exact" if self.exact else "float"
        text = (
            f"When {shown(self.x)} is true, an output speaks for {shown(self.x)} against "
            f"{shown(self.z)} by {about(self.mean)} on average and by at most {about(self.maximum)} "
            f"({len(self.cells)} possible losses, {how})."
        )
        if self.escape:
            text += f" With probability {about(self.escape)} the output rules {shown(self.z)} out."
        return text

    def to_dict(self) -> dict[str, Any]:
        """The distribution as plain data."""
        return self._told("x", "z", "atoms", "mean", "maximum", "exact")


def log_of(ratio: Fraction) -> float:
    """ln of a positive rational, to a few units in the last place."""
    if Fraction(1, 2) < ratio < 2:
        return math.log1p(float(ratio - 1))
    bits = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    if abs(bits) < 1000:
        return math.log(float(ratio))
    return math.log(ratio / Fraction(2) ** bits) + bits * math.log(2)


def _exceeds(key: Number, level: Level) -> bool:
    """Whether ln(key) > level, for an exact key: by floats where they are sure.

    Both floats are right to a few units in the last place, which is far less than the margin.
    """
    if not isinstance(key, Fraction):
        return True
    size, bound = log_of(key), float(level)
    if abs(size - bound) > 1e-12 * (1 + abs(size) + abs(bound)):
        return size > bound
    return ln(key) > level


def _joined(a: Number, b: Number, exact: bool) -> Number:
    if math.inf in (a, b):
        return math.inf
    return a * b if exact else a + b


@result("T", "Def 10.3.3")
def privacy_loss(C: ChannelLike, x: Label, z: Label) -> PrivacyLoss:
    """The privacy-loss distribution of x over z: ω(ℓ) = Σ of C[x,y] over y with ln(C[x,y]/C[z,y]) = ℓ.

    Parameters
    ----------
    C
        A channel, or anything `as_channel` reads. For a mechanism with shared randomness give
        `with_shared_randomness`.
    x, z
        The true input and the one it is compared with.

    Returns
    -------
    PrivacyLoss
        Losses are Levels and probabilities Fractions for an exact channel. Outputs that x cannot
        give (a loss of −inf) have probability 0 and are left out.

    Notes
    -----
    Outputs with equal ratios are merged, by their exact ratio. O(m log m).

    Examples
    --------
    >>> loss = privacy_loss([["3/4", "1/4"], ["1/4", "3/4"]], 0, 1)
    >>> [(str(value), str(p)) for value, p in loss.atoms]
    [('-ln(3)', '1/4'), ('ln(3)', '3/4')]
    >>> print(loss.mean, loss.tail("ln 2"), loss.delta("ln 2"))
    1/2*ln(3) 3/4 1/4
    """
    channel = as_channel(C)
    p, q = (channel.matrix.row(channel.row_position(label)) for label in (x, z))
    sums: dict[Number, Number] = {}
    for a, b in zip(p, q, strict=True):
        if a:
            key = _key(a, b)
            sums[key] = sums.get(key, 0) + a
    return PrivacyLoss(x, z, tuple(sorted(sums.items())), channel.exact)


def _key(a: Number, b: Number) -> Number:
    if not b:
        return math.inf
    return a / b if isinstance(a, Fraction) else math.log(a) - math.log(b)


@result("T", "Def 10.4.1")
def with_shared_randomness(
    weights: Iterable[NumberLike], channels: Iterable[ChannelLike]
) -> Channel:
    """The channel of a mechanism whose random seed r is public: outputs are pairs (r, y).

    The loss at (r, y) is ln(λ_r·A_r(x)(y)) − ln(λ_r·A_r(z)(y)) = ln(A_r(x)(y)/A_r(z)(y)): the privacy
    loss with shared randomness is the plain privacy loss of this channel. Without sharing, r is
    forgotten: ``mixture(weights, channels)``, a post-processing, which loses no more.

    Parameters
    ----------
    weights
        The distribution λ of the seed.
    channels
        One channel A_r a seed, on the same inputs.

    Examples
    --------
    >>> tell, swap = [[1, 0], [0, 1]], [[0, 1], [1, 0]]
    >>> C = with_shared_randomness(["1/2", "1/2"], [tell, swap])
    >>> privacy_loss(C, 0, 1).maximum
    inf
    """
    return mixture(list(weights), [as_channel(A) for A in channels], visible=True)
