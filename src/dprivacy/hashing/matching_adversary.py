"""What LSHRR's reports tell the adversary of friend matching: exactly, beside what is promised."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dprivacy.errors import TooLarge, WrongKind, WrongShape
from dprivacy.flow import leakage_bound
from dprivacy.hashing.hash_guarantees import Loss, Number, PairGuarantee, distance_guarantees
from dprivacy.hashing.hash_then_flip import HashResponse, bit_response
from dprivacy.hashing.hashes.locality_hash import Inputs
from dprivacy.mechanisms import BitwiseMechanism
from dprivacy.model import Answer, about, as_prior, counted, plain
from dprivacy.numbers import Factor, Whole, as_level, as_share, float_up, read_whole
from dprivacy.sources import result
from dprivacy.spaces import from_table
from dprivacy.typing import LevelLike, NumberLike, PriorLike

_MOST_CELLS = 20_000_000
_FEW_BITS = 24


@dataclass(frozen=True)
class FriendLeakage(Answer):
    """How well the sender of a report is recognised among people whose profiles are known.

    Parameters
    ----------
    people
        How many profiles there are.
    before, after
        The probability that the best guess names the sender, without the report and with it.
    promised
        The largest factor that the guarantee given the hash allows, e^(ε·D), where D is the largest
        number of bits in which the hashes of two of them differ.
    worst
        The factor that the worst case allows, e^(ε·κ).

    Examples
    --------
    >>> from dprivacy.hashing import lshrr, minhash
    >>> m = lshrr(minhash(bits=8, key="demo"), eps="ln 3")
    >>> found = friend_leakage(m, [{"tea"}, {"rum"}])
    >>> print(found.before, found.after, found.leakage <= found.promised)
    1/2 3807/4096 True
    """

    people: int
    before: Fraction
    after: Fraction
    promised: Number
    worst: Number
    exact: ClassVar[bool] = True

    @property
    def leakage(self) -> Fraction:
        """The factor by which the report raises the probability."""
        return self.after / self.before

    def explain(self) -> str:
        """The leakage in words."""
        return (
            "Probability of naming the sender of a report among "
            f"{counted(self.people, 'person', 'people')} with known profiles: {about(self.before)} "
            f"before it, {about(self.after)} after it, {float(self.leakage):.4g} times as much. Given "
            f"this hash, the guarantee allows a factor of {about(self.promised)}; for any hash, "
            f"{about(self.worst)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The leakage as plain data."""
        told = self._told("people", "before", "after", "promised", "worst")
        return {**told, "leakage": plain(self.leakage), "exact": True}


@result("T", "Prop 10.2", "Def 2.2.6")
def friend_leakage(
    mechanism: HashResponse, people: Inputs, *, prior: PriorLike = None
) -> FriendLeakage:
    """How much one report of LSHRR helps to recognise its sender, for the hash at hand; exactly.

    The adversary is whoever matches friends: the hash is public, the profiles of some people are known
    (from another service, say), and the report comes from one of them. The adversary names one person.

    Parameters
    ----------
    mechanism
        What `lshrr` made.
    people
        The profiles, inputs of its hash.
    prior
        How likely each of them is the sender; uniform when omitted.

    Returns
    -------
    FriendLeakage
        The probability of a correct guess before and after, and the factors that are promised.

    Raises
    ------
    TooLarge
        Where the hashes of very many people differ in many ways.

    Notes
    -----
    1. A report b has probability Π over bits of a/(a + 1) or 1/(a + 1) from each person, a = e^ε: it is
       proportional to a^(number of bits in which b agrees with the person's hash). Under a uniform
       prior the best guess is the nearest hash, which is what matching computes.
    2. So for a uniform prior and few bits, the distances of all 2^κ reports from the nearest hash are
       found by one pass a bit, and counted.
    3. Otherwise, bits that all people share tell nothing. Bits that tell the people apart in the same
       way, up to swapping 0 and 1, are alike: only how many of them agree with the first person counts.
       So the reports are summed in groups, with their numbers, over the integers.

    Examples
    --------
    >>> from dprivacy.hashing import lshrr, random_projection
    >>> m = lshrr(random_projection(2, bits=20, key="demo"), eps="ln 2")
    >>> found = friend_leakage(m, [[5, 0], [4, 3], [0, 5]])
    >>> print(f"{float(found.leakage):.4f} of at most {found.promised}")
    2.2029 of at most 16384
    """
    if not isinstance(mechanism, HashResponse):
        raise WrongKind(
            f"mechanism should be what lshrr(…) made, not a value of type {type(mechanism).__name__}"
        )
    hashes = np.asarray(mechanism.function.hash(people), dtype=np.int64)
    if not len(hashes):
        raise WrongShape("people should be at least one profile, not none")
    weights = [Fraction(w) for w in as_prior(prior, range(len(hashes))).weights]
    odds = _odds(mechanism.response)
    if mechanism.bits <= _FEW_BITS and len(set(weights)) == 1:
        after = weights[0] * nearest_sum(hashes, odds)
    else:
        after = grouped_sum(hashes, weights, odds)
    apart = max(int((hashes != one).sum(axis=1).max()) for one in hashes)
    return FriendLeakage(
        len(hashes),
        max(weights),
        after,
        _allowed(mechanism, apart),
        _allowed(mechanism, mechanism.bits),
    )


def _odds(response: BitwiseMechanism) -> Fraction:
    """a, which is e^ε or the rational number just below it that the response draws with."""
    return Fraction(response.flip[0, 0]) / Fraction(response.flip[0, 1])


def _allowed(mechanism: HashResponse, bits: int) -> Number:
    """e^(ε·bits), exact or rounded up."""
    if not bits:
        return Fraction(1)
    return leakage_bound(from_table([0, 1], [[0, bits], [bits, 0]]), eps=mechanism.eps)


def nearest_sum(hashes: Whole, a: Fraction) -> Fraction:
    """Σ_b max_x P(b | x), by the distance of every string b from the nearest hash."""
    bits = hashes.shape[1]
    away = np.full(1 << bits, bits + 1, dtype=np.int8)
    away[hashes @ (1 << np.arange(bits))] = 0
    for bit in range(bits):  # after it, `away` counts steps in the bits so far
        pairs = away.reshape(-1, 2, 1 << bit)
        np.minimum(pairs, pairs[:, ::-1] + 1, out=pairs)
    counts = np.bincount(away, minlength=bits + 1).tolist()
    total: Fraction = sum((n * a ** (bits - j) for j, n in enumerate(counts)), Fraction(0))
    return Fraction(total / (1 + a) ** bits)


def grouped_sum(hashes: Whole, weights: list[Fraction], a: Fraction) -> Fraction:
    """Σ_b max_x π_x·P(b | x), by groups of bits that are alike."""
    relative = hashes ^ hashes[:1]
    patterns, many = np.unique(relative, axis=1, return_counts=True)
    kept = patterns.any(axis=0)
    patterns, many = patterns[:, kept], many[kept]
    bits = int(many.sum())
    cells = math.prod(int(k) + 1 for k in many) * len(hashes)
    if cells > _MOST_CELLS:
        raise TooLarge(
            f"the hashes of these {len(hashes)} people differ in {len(many)} ways, and the reports "
            f"that differ for them are too many to sum; take fewer people, or a uniform prior and at "
            f"most {_FEW_BITS} bits"
        )
    agree = np.zeros((1, len(hashes)), dtype=np.int64)
    count = np.array([1], dtype=object)
    for pattern, k in zip(patterns.T, many.tolist(), strict=True):
        steps = np.arange(k + 1)[:, None]
        more = np.where(pattern[None, :] == 0, steps, k - steps)
        ways = np.array([math.comb(k, i) for i in range(k + 1)], dtype=object)
        agree = (agree[:, None, :] + more[None, :, :]).reshape(-1, len(hashes))
        count = (count[:, None] * ways[None, :]).ravel()
    powers = [a**k for k in range(bits + 1)]
    values = sorted({w * power for w in weights for power in powers})
    rank = {value: k for k, value in enumerate(values)}
    ranks = np.array([[rank[w * power] for power in powers] for w in weights])
    best = ranks[np.arange(len(weights))[None, :], agree].max(axis=1)
    total = Fraction(0)
    for k in np.unique(best):
        total += values[k] * int(count[best == k].sum())
    return total / (1 + a) ** bits


@dataclass(frozen=True)
class PairLeakage(Answer):
    """How well the reports of two profiles are told apart, before the hash is drawn.

    Parameters
    ----------
    after
        The probability of a correct guess between the two, equally likely, from the hash and a report.
    guarantees
        What is promised for two such profiles.
    allowed
        The probability that each guarantee allows, in the same order; None for an average.

    Examples
    --------
    >>> found = pair_leakage("ln 3", 1, "1/2")
    >>> print(found.after)
    5/8
    """

    after: Fraction
    guarantees: tuple[PairGuarantee, ...]
    allowed: tuple[Number | None, ...]
    exact: ClassVar[bool] = True

    def explain(self) -> str:
        """The probabilities in words."""
        lines = [
            "Probability of telling from a report which of two equally likely profiles it is from: "
            f"{float(self.after):.4f}. What is promised allows:"
        ]
        for one, most in zip(self.guarantees, self.allowed, strict=True):
            if most is not None:
                lines.append(f"- {one.name}: {float(most):.4f}")
        return "\n".join(lines)


@result("T", "Thm 10.7", "Prop 10.8")
def pair_leakage(
    eps: LevelLike, bits: int, differing: NumberLike, *, delta: NumberLike = "0.01"
) -> PairLeakage:
    """How well two profiles are told apart by a report of LSHRR, over the draw of the hash; exactly.

    Parameters
    ----------
    eps, bits, differing, delta
        As for `distance_guarantees`.

    Returns
    -------
    PairLeakage
        The exact probability of a correct guess, and the largest that each guarantee allows.

    Notes
    -----
    1. The number of bits in which the hashes differ is binomial, and the adversary sees the hash. Of j
       bits that differ the report agrees with one profile in i and with the other in j − i, so that the
       best guess is right with probability V_j = Σ_i C(j, i)·max(a^i, a^(j−i))/(2(1 + a)^j).
    2. V_2i = V_2i−1: an even number of bits is worth no more than one fewer, since the last of them can
       make a tie, but no other majority.
    3. A guarantee (ξ, δ) allows (e^ξ + δ)/(e^ξ + 1), which is the largest probability of a correct
       guess under (ξ, δ)-privacy.

    Examples
    --------
    >>> found = pair_leakage(1, 20, "0.05")
    >>> print(f"{float(found.after):.4f} of at most {float(found.allowed[-1]):.4f}")
    0.6552 of at most 0.9822
    """
    kappa, p = read_whole(bits, "bits"), as_share(differing, "distance")
    guarantees = distance_guarantees(eps, kappa, p, delta=delta)
    a = _odds(bit_response(kappa, eps=eps))
    after = sum(
        (math.comb(kappa, j) * p**j * (1 - p) ** (kappa - j) * _told_apart(j, a))
        for j in range(kappa + 1)
    )
    allowed = tuple(
        None if one.delta is None else _most(one.level, one.delta) for one in guarantees
    )
    return PairLeakage(Fraction(after), guarantees, allowed)


def _told_apart(j: int, a: Fraction) -> Fraction:
    """V_j: the probability of a correct guess from j bits that differ."""
    total = sum((math.comb(j, i) * a ** max(i, j - i) for i in range(j + 1)), Fraction(0))
    return total / (2 * (1 + a) ** j)


def _most(level: Loss, delta: Number) -> Number:
    """(e^ξ + δ)/(e^ξ + 1), exact or rounded up."""
    factor = Factor(as_level(level))
    high = factor.exact if factor.exact is not None else factor.high
    value = (high + Fraction(delta)) / (high + 1)
    return value if factor.exact is not None else float_up(value)
