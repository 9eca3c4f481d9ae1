"""`compose`: what several releases guarantee together, often less than the sum of their levels."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any, TypeAlias

from dprivacy.errors import BadNumber, NotApplicable, TooLarge, Uncertified, WrongKind
from dprivacy.model import Answer, Channel, about, as_channel, shown
from dprivacy.numbers import Level, as_delta, as_eps, float_up
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike, Number, NumberLike
from dprivacy.verify.composing.grid_law import GridLaw, all_joined, in_billionths
from dprivacy.verify.composing.loss_atoms import (
    LossAtoms,
    atoms_between,
    atoms_of_level,
    atoms_of_profile,
)
from dprivacy.verify.composing.loss_grid import placed, spacing
from dprivacy.verify.metric.delta_profile import PrivacyProfile, privacy_profile

Composed: TypeAlias = ChannelLike | PrivacyProfile | LevelLike | tuple[LevelLike, NumberLike]
Pair: TypeAlias = tuple[Label, Label] | None

_MOST = 10**6  # releases
_MOST_PAIRS = 2000  # pairs of secrets that are compared one by one
_SPARE = 64  # bits of a mass beyond those of δ
_CUT = 34  # at its ends, a law loses 2^(−34) of δ at most, shared by all releases
_UNKNOWN = Fraction(1, 10**30)  # as if for this δ, when δ is asked for


@dataclass(frozen=True)
class Composition(Answer):
    """What several releases guarantee together: (ε, δ), and what adding up their levels would say.

    Parameters
    ----------
    eps, delta
        Together they are (ε, δ)-private; ε is ``inf`` where no ε is enough.
    releases
        How many they are.
    added
        The sum of their levels; ``inf`` where the sum of their own δ exceeds δ.
    pair
        The two values that are told apart best, when all releases are of one value.

    Examples
    --------
    >>> found = compose([[["3/4", "1/4"], ["1/4", "3/4"]]], delta="1e-6", times=100)
    >>> float(found.eps), found.added.exp() == 3**100
    (94.289..., True)
    >>> round(float(found.saved), 2)
    15.57
    """

    eps: Level | float
    delta: Number
    releases: int
    added: Level | float
    pair: Pair = None

    @property
    def exact(self) -> bool:
        """True: every rounding is towards more, so that the bound is proved."""
        return True

    @property
    def saved(self) -> Level | float:
        """How much less it is than the sum."""
        if isinstance(self.eps, Level) and isinstance(self.added, Level):
            return self.added - self.eps
        return self.added if self.eps != math.inf else 0.0

    def explain(self) -> str:
        """The guarantee in words, beside the sum."""
        many = "the release is" if self.releases == 1 else f"the {self.releases:,} releases are"
        if self.eps == math.inf:
            return (
                f"Together {many} not (ε, δ)-private for any ε at δ = {about(self.delta)}: an output "
                "that another value never gives is likelier than that."
            )
        level, slack = in_billionths(self.eps), about(self.delta)
        text = f"Together {many} (ε, δ)-private with ε = {level} and δ = {slack}"
        text += f", between {shown(self.pair[0])} and {shown(self.pair[1])}" if self.pair else ""
        if self.added == math.inf:
            return f"{text}; their own δ add up to more than that."
        if self.eps < self.added:
            return f"{text}; adding levels up says {about(self.added)}."
        return f"{text}, the sum of their levels: nothing tighter was found."


@result("D", "Thm 10")
@result("K", "Thm 3.3")
def compose(
    releases: Iterable[Composed],
    *,
    eps: LevelLike | None = None,
    delta: NumberLike | None = None,
    times: int = 1,
    same_value: bool = False,
) -> Composition:
    """What releases about one person guarantee together, when they were fixed beforehand.

    Parameters
    ----------
    releases
        A list. Each is a channel or a mechanism with one, a `privacy_profile`, a level ε (also as
        text), or a tuple (ε, δ).
    eps, delta
        One of the two: the other is found.
    times
        How often the whole list is released.
    same_value
        Whether all are channels applied to one value of a person (waves of one question), so that one
        pair of values is followed through all of them. Otherwise (several columns, or values that
        change) the worst pair of each is assumed each time.

    Returns
    -------
    Composition
        A proved upper bound, or the sum of the levels where that is smaller.

    Raises
    ------
    Uncertified
        A channel has floats: give fractions, or its certificate's channel (`exactly`).

    Notes
    -----
    1. A release is replaced by a pair of laws that is at least as easy to tell apart, and the pair by
       one whose ratios lie on a grid e^(i·h): an atom between two points is split so that both laws
       keep their masses.
    2. Losses of independent pairs add up, so that polynomials of masses are multiplied, in integers
       that are rounded up; tails are moved up. Whatever is not exact errs towards more.
    3. For levels alone the product of the worst pairs is the best bound there is.
    4. The list must not depend on what came out: choosing the next level after seeing an answer can
       break the bound, and then only sums (or a Rényi filter, `renyi_charge`) hold.

    Examples
    --------
    >>> print(compose(["1/10"] * 46, delta="1e-6"))
    Together the 46 releases are (ε, δ)-private with ε = 2.99639 and δ = 1/1000000; adding levels \
up says 23/5.
    """
    if (eps is None) == (delta is None):
        raise WrongKind("compose needs eps= or delta=, one of the two; the other is what it finds")
    given: Any = releases
    if not isinstance(given, Iterable) or isinstance(given, str) or hasattr(given, "channel"):
        raise WrongKind(
            f"compose takes a list of releases, not {type(releases).__name__}; put one alone in a list"
        )
    listed = list(releases)
    if type(times) is not int or not 1 <= times * max(len(listed), 1) <= _MOST or not listed:
        raise BadNumber(
            f"a composition is of 1 to {_MOST:,} releases; this one is of {len(listed):,} × {times!r}"
        )
    slack = None if delta is None else as_delta(delta)
    level = None if eps is None else as_eps(eps, zero=True)
    objects = {id(release): release for release in listed}
    kinds = [(_read(objects[at]), k * times) for at, k in Counter(map(id, listed)).items()]
    counted: Counter[LossAtoms] = Counter()
    for release, number in kinds:
        counted[_dominating(release)] += number
    added, own = _added(counted)
    cases: dict[Pair, Counter[LossAtoms]]
    cases = _by_pairs(kinds) if same_value else {None: counted}
    number = len(listed) * times
    if slack is None:
        assert level is not None
        told = {pair: all_together(case).delta(level) for pair, case in cases.items()}
        worst = max(told, key=lambda pair: told[pair])
        return Composition(level, float_up(told[worst]), number, added, worst)
    total = added if own <= slack else math.inf
    if not slack:  # then nothing is tighter than the sum
        return Composition(total, slack, number, total)
    found = {pair: all_together(case, slack).eps(slack) for pair, case in cases.items()}
    worst = max(found, key=lambda pair: found[pair])
    if total <= found[worst]:
        return Composition(total, slack, number, total)
    return Composition(found[worst], slack, number, total, worst)


def _read(release: Any) -> LossAtoms | Channel | PrivacyProfile:
    """A release as something that has a dominating pair."""
    if isinstance(release, PrivacyProfile):
        return release
    if isinstance(release, tuple) and len(release) == 2:
        return atoms_of_level(as_eps(release[0], zero=True), as_delta(release[1]))
    if isinstance(release, str | Level | Fraction | int | float):
        return atoms_of_level(as_eps(release, zero=True), Fraction(0))
    channel = as_channel(release)
    if not channel.exact:
        raise Uncertified(
            f"a composition is certified from exact numbers, and {channel!r} has floats; write its "
            "entries as fractions, or take the channel that `exactly` gives"
        )
    return channel


def _dominating(release: LossAtoms | Channel | PrivacyProfile) -> LossAtoms:
    if isinstance(release, LossAtoms):
        return release
    profile = privacy_profile(release) if isinstance(release, Channel) else release
    return atoms_of_profile(profile)


def _by_pairs(
    kinds: list[tuple[LossAtoms | Channel | PrivacyProfile, int]],
) -> dict[Pair, Counter[LossAtoms]]:
    """For each pair of values, how often which loss comes up; pairs that look alike only once."""
    channels = [(release, number) for release, number in kinds if isinstance(release, Channel)]
    inputs = channels[0][0].rows if channels else ()
    if len(channels) < len(kinds) or any(channel.rows != inputs for channel, _ in channels):
        raise NotApplicable(
            "same_value follows one value through channels that all have the same inputs; leave it out "
            "for levels, profiles and channels of other values"
        )
    tables = [(_fractions(channel), number) for channel, number in channels]
    seen: dict[frozenset[tuple[LossAtoms, int]], Pair] = {}
    for (i, x), (j, z) in permutations(enumerate(inputs), 2):
        losses: Counter[LossAtoms] = Counter()
        for table, number in tables:
            losses[atoms_between(table[i], table[j])] += number
        seen.setdefault(frozenset(losses.items()), (x, z))
        if len(seen) > _MOST_PAIRS:
            raise TooLarge(
                f"more than {_MOST_PAIRS:,} pairs of values are told apart in different ways; "
                "without same_value one bound serves for all of them"
            )
    return {pair: Counter(dict(losses)) for losses, pair in seen.items()}


def _fractions(channel: Channel) -> list[list[Fraction]]:
    return [[Fraction(value) for value in row] for row in channel.matrix.rows()]


def _added(releases: Mapping[LossAtoms, int]) -> tuple[Level, Fraction]:
    """The sums of all levels and of all δ."""
    levels = (release.largest * times for release, times in releases.items())
    slacks = (release.escape * times for release, times in releases.items())
    return sum(levels, Level(0)), sum(slacks, Fraction(0))


def all_together(releases: Mapping[LossAtoms, int], delta: Fraction = _UNKNOWN) -> GridLaw:
    """The loss of all releases together, fine enough for this δ."""
    number = sum(releases.values())
    bits = math.ceil(number / delta).bit_length() + _SPARE
    cut = 1 << (_SPARE - _CUT)
    short = Counter[LossAtoms]()
    for release, times in releases.items():
        short[release.shortened(Fraction(cut, 1 << bits))] += times
    step = spacing(short)
    return all_joined([placed(one, step, bits, cut).repeated(k) for one, k in short.items()])
