"""How probably asking in rounds finds a word that this many people have, and which share suffices."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from dprivacy.errors import BadNumber, NotApplicable
from dprivacy.mechanisms.groundwork.label_codes import whole
from dprivacy.mechanisms.groundwork.stray_counts import at_least, at_most, least_surprise
from dprivacy.mechanisms.local.local_families import best_geometry, telling
from dprivacy.mechanisms.rounds.word_prefixes import branches
from dprivacy.numbers import Level, float_up

_LEAST = 1e-300
_TRIED = 30  # values of c, of τ and of smaller shares


@dataclass(frozen=True)
class FindingChances:
    """What rounds of a shape find, before anybody is asked.

    Parameters
    ----------
    letters
        How many characters the alphabet has.
    depths
        How many letters are known after each round.
    keep
        How many beginnings go on to the next round.
    eps
        The level of each person's one report.
    alarm
        How probable it may be that a word is found which nobody has who was asked last.

    Examples
    --------
    >>> from dprivacy.numbers import as_eps
    >>> rounds = FindingChances(26, (3, 5, 6), 200, as_eps(2), 0.05)
    >>> rounds.of(0.02, 10_000_000) > 0.95
    True
    """

    letters: int
    depths: tuple[int, ...]
    keep: int
    eps: Level
    alarm: float

    def of(self, share: float, n: int) -> float:
        """At least so probably a word is found that this share of n people have.

        Notes
        -----
        In a round before the last, let a beginning have the share s ≥ τ. At most 1/τ beginnings have
        as much as τ. If its reports reach a number c, and of the others not more than
        keep − 1/τ reach c by chance, it goes on. Both are bounded as in Theorem 6, with the best of
        some c and τ.
        """
        if not 0 < share <= 1:
            raise BadNumber(f"a share should be above 0 and at most 1, not {share}")
        people = whole(n, "n", len(self.depths)) // len(self.depths)
        lost = (self._lost(share, people, number) for number in range(len(self.depths)))
        return max(0.0, 1 - sum(lost))

    @cached_property
    def _offers(self) -> tuple[tuple[int, float, float], ...]:
        """For each round how many words it offers at the most, and p − q and q of its mechanism."""
        found, start, known = [], 0, 1
        for depth in self.depths:
            words = known * branches(self.letters, depth - start)
            law = best_geometry(words + 1, telling(self.eps))
            found.append((words, float(law.inside - law.outside), as_double(law.outside)))
            start, known = depth, self.keep
        return tuple(found)

    def _lost(self, share: float, people: int, number: int) -> float:
        """A bound of the probability that a word gets lost in a round of this many people."""
        words, apart, q = self._offers[number]
        mean = q + share * apart
        if mean == q:  # to doubles, at a level next to nothing
            return 1.0
        if number == len(self.depths) - 1:
            needed = least_surprise(people, q, math.log(self.alarm / words))
            return float(at_most(people, mean, needed - 1))
        many = np.unique(np.geomspace(1, self.keep, _TRIED).astype(int))
        many = many[many * share > 1][:, None, None]  # τ = 1/many is below the share
        if not many.size:
            return 1.0
        most = q + apart / many
        reached = np.ceil(people * (most + (mean - most) * np.linspace(0, 1, _TRIED)[:, None]))
        noise = math.sqrt(q * (1 - q) / people) / apart
        shares = np.geomspace(np.minimum(noise / 10, 1 / many), 1 / many, _TRIED, axis=-1)[
            ..., 0, :
        ]
        above = at_least(people, q + apart * shares, reached)
        strangers = words * above[..., 0] + (above[..., 1:] / shares[..., :-1]).max(axis=-1)
        lost = at_most(people, mean, reached[..., 0] - 1)
        return float((strangers / (self.keep - many[..., 0] + 1) + lost).min())

    def smallest_share(self, n: int, chance: float) -> float:
        """The smallest share, to a millionth, from which words are found with this probability."""
        if not 0 < chance < 1:
            raise BadNumber(f"a chance should be between 0 and 1, not {chance}")
        if self.of(1.0, n) < chance:
            raise NotApplicable(
                f"of {n:,} people not even a word that all have is found with probability {chance}; "
                "more people or a larger ε are needed"
            )
        low, high = 0.0, 1.0
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (low, middle) if self.of(middle, n) >= chance else (middle, high)
        return high


def as_double(chance: Fraction) -> float:
    """A chance that is not 0 as a double that is not 0 either, nor smaller than it."""
    return max(float_up(chance), _LEAST)
