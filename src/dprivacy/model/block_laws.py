"""Reports that are sets of labels: weight a for a secret inside, 1 for one outside.

Let sets B be given with weights, so that every label lies in sets of total weight r, of b in all, and
every two labels in sets of total weight λ. Then Z = a·r + b − r normalises every row, and all that is
needed of the mechanism follows from (k, a, b, r, λ).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dprivacy.errors import BadNumber, UnknownName


@dataclass(frozen=True)
class BlockLaw:
    """What the sets of a local mechanism weigh.

    Parameters
    ----------
    labels
        k, how many labels there are.
    factor
        a, the odds between a label inside a reported set and one outside.
    total, single, pair
        b, r and λ: what all sets weigh, those that hold a given label, and those that hold two.

    Examples
    --------
    >>> law = BlockLaw(13, Fraction(3), Fraction(13), Fraction(4), Fraction(1))
    >>> print(law.inside, law.outside, law.variance())
    4/7 2/7 5/2
    """

    labels: int
    factor: Fraction
    total: Fraction
    single: Fraction
    pair: Fraction

    @cached_property
    def normaliser(self) -> Fraction:
        """Z = a·r + b − r."""
        return self.factor * self.single + self.total - self.single

    @cached_property
    def inside(self) -> Fraction:
        """p = P(x ∈ B | x): how often a report holds the truth."""
        return self.factor * self.single / self.normaliser

    @cached_property
    def outside(self) -> Fraction:
        """q = P(z ∈ B | x) for z ≠ x: how often it holds a given other label."""
        return (self.factor * self.pair + self.single - self.pair) / self.normaliser

    def variance(self, share: Fraction | float = Fraction(0), *, of: str = "table") -> Fraction:
        """The variance of one estimated count, per report; times n it is exact for every n.

        Parameters
        ----------
        share
            The share of people whose value is this label.
        of
            "table": the true counts of these people; "population": of those they were drawn from.
        """
        UnknownName.require("of", of, ("table", "population"))
        p, q, held = self.inside, self.outside, Fraction(share)
        if not 0 <= held <= 1:
            raise BadNumber(f"a share should be between 0 and 1, not {share}")
        if of == "table":
            noise = held * p * (1 - p) + (1 - held) * q * (1 - q)
        else:
            mean = q + held * (p - q)
            noise = mean * (1 - mean)
        return noise / (p - q) ** 2

    def total_variance(self) -> Fraction:
        """The sum of the variances of all k counts, per report, whatever the table."""
        p, q = self.inside, self.outside
        return (p * (1 - p) + (self.labels - 1) * q * (1 - q)) / (p - q) ** 2

    def covariance(self, triple: Fraction | None = None) -> Fraction:
        """The covariance of two counts, per person, for a fixed table.

        Parameters
        ----------
        triple
            λ₃, the weight of the sets that hold the person's value and both labels; None where the
            person's value is one of the two.
        """
        p, q, a = self.inside, self.outside, self.factor
        if triple is None:
            both = a * self.pair / self.normaliser - p * q
        else:
            both = (a * triple + self.pair - triple) / self.normaliser - q * q
        return both / (p - q) ** 2

    def sizes(self) -> Sequence[int] | None:
        """Where all sets of a size weigh the same: the sizes that there are."""
        return None

    def one_set(self, size: int) -> Fraction | None:
        """Where all sets of a size weigh the same: what one of them weighs."""
        return None

    def blocks(self) -> Mapping[frozenset[int], Fraction] | None:
        """Where they can be listed: what each set of positions weighs."""
        return None

    def at_every_level(self) -> Mapping[frozenset[int], tuple[Fraction, ...]] | None:
        """Where they can be listed: what each set weighs as ε varies, up to a common factor.

        The coefficients of powers of √a, that of 1 first; here nothing depends on a.
        """
        blocks = self.blocks()
        return None if blocks is None else {block: (w,) for block, w in blocks.items()}

    def chance(self, size: int) -> Fraction:
        """How probable a report of weight 1 with this many labels is under the uniform prior."""
        a, k = self.factor, self.labels
        return (a * size + k - size) / (k * self.normaliser)
