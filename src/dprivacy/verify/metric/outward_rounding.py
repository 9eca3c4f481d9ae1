"""`exactly`: a float or real-ε channel rounded outward to integers, with a certificate."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.errors import Uncertified
from dprivacy.model import Channel, Verdict, about, plain
from dprivacy.numbers import Level, Mat, as_eps, float_down, float_up
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import ChannelLike, LevelLike, SpaceLike
from dprivacy.verify.metric.d_privacy import privacy
from dprivacy.verify.metric.induced_metric import Eps, tightest, with_metric
from dprivacy.verify.metric.privacy_verdict import Triple

_FIRST_SHARE = Fraction(1, 1 << 48)
_LAST_SHARE = Fraction(1, 1 << 16)
_MOST_BITS = 1 << 16


@dataclass(frozen=True)
class Certificate(Verdict):
    """A proof that a channel of integers is private, and the channel it is about.

    `achieved` encloses the channel's own smallest ε, which is never above `eps`; `worst` is the
    triple that needs it. `domain_hash` and `weights_hash` tie the certificate to the labels with their
    distances and to the integers that a sampler draws from. `share` is how much of the channel was
    given up to a fixed distribution to make the rounding safe.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> print(exactly([["2/3", "1/3"], ["1/3", "2/3"]], line(2), eps="ln 2").claim)
    the channel is ε·d-private at ε = ln(2) ≈ 0.6931
    """

    channel: Channel | None = None
    eps: Level | None = None
    achieved: tuple[float, float] = (0.0, 0.0)
    worst: Triple | None = None
    share: Fraction = Fraction(0)
    domain_hash: str = ""
    weights_hash: str = ""

    def explain(self) -> str:
        """The certificate in words."""
        lines = [super().explain()]
        lines.append(f"Its own smallest ε lies in [{self.achieved[0]!r}, {self.achieved[1]!r}].")
        if self.worst is not None:
            lines.append(f"Deciding case: {self.worst.words()}.")
        if self.share:
            lines.append(f"To reach it, {about(self.share)} of the probability was moved.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain data (the channel apart)."""
        answer = super().to_dict()
        del answer["channel"]
        return answer


def exactly(
    C: ChannelLike, space: SpaceLike | None = None, *, eps: LevelLike | None = None
) -> Certificate:
    """A channel of exact integers that is proved ε·d-private, as close to C as rounding allows.

    A float channel is only measured: rounding breaks about half of its tight constraints, and a
    solver's zeros make ε infinite. This rounds it *outward*, so that what is certified (and later
    sampled) is never weaker than what was asked for.

    Parameters
    ----------
    C
        A channel, float or exact.
    space
        The metric on its inputs (an exact one); a mechanism's own when omitted.
    eps
        The level to certify; the channel's measured smallest ε, rounded up, when omitted.

    Returns
    -------
    Certificate
        With the attribute `channel`, so that it can stand wherever a channel is expected.

    Raises
    ------
    Uncertified
        When C is further from private than rounding explains.

    Notes
    -----
    1. Entries become integers over 2^b, with b = 128 + ε·diam/ln 2 so that the smallest keep their
       precision.
    2. A share η of every row is moved to one fixed distribution (the average output). A constant
       column is private for every ε, so this loosens every constraint; it also closes the row sums
       and fills zeros that other rows do not have.
    3. All constraints are checked in integers. η starts at 2⁻⁴⁸ and grows until they hold, at most
       to 2⁻¹⁶.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> found = exactly([[0.6, 0.4], [0.4, 0.6]], line(2), eps="ln 2")
    >>> found.status, found.channel.exact, 0.405 < found.achieved[1] < 0.406
    ('proved', True, True)
    """
    channel, metric = with_metric(C, space)
    if not metric.exact:
        raise Uncertified(
            f"a certificate needs exact distances, and {metric!r} has floats; build the space from "
            "integers, fractions or strings"
        )
    level = as_eps(eps) if eps is not None else _measured_level(channel, metric)
    if channel.exact:
        verdict = privacy(channel, metric, eps=level)
        if not verdict:
            raise Uncertified(
                f"the channel is exact and not {about(level)}·d-private: {verdict.explain()}"
            )
        return _certificate(channel, metric, level, Fraction(0))
    rows = [_normalised(row) for row in channel.matrix.floats.tolist()]
    share = _FIRST_SHARE
    while share <= _LAST_SHARE:
        rounded = round_outward(channel.rows, channel.columns, rows, bits_for(metric, level), share)
        if privacy(rounded, metric, eps=level):
            return _certificate(rounded, metric, level, share)
        share *= 16
    smallest = tightest(channel, metric)[0]
    raise Uncertified(
        f"the channel is further from {about(level)}·d-private than rounding explains: its measured "
        f"smallest ε is {about(smallest)}; ask for that much, or mend the channel"
    )


def _measured_level(channel: Channel, space: FiniteSpace) -> Level:
    smallest, ratio = tightest(channel, space)
    if smallest == math.inf:
        assert ratio is not None
        x, z, y = channel.rows[ratio.x], channel.rows[ratio.z], channel.columns[ratio.y]
        raise Uncertified(
            f"no finite ε is large enough: the output {y!r} can follow {x!r} but never {z!r}; give "
            "the ε that the channel is meant to have"
        )
    if isinstance(smallest, Level):
        return smallest if smallest else Level(Fraction(1, 1 << 40))
    return Level(Fraction(max(smallest, 2.0**-40)) * (1 + Fraction(1, 1 << 40)))


def _normalised(row: Sequence[float]) -> list[Fraction]:
    """Doubles as exact numbers that sum to 1 (doubles may miss it on either side)."""
    exact = [Fraction(value) for value in row]
    total = sum(exact, Fraction(0))
    return [value / total for value in exact]


def bits_for(space: FiniteSpace, eps: Level, *, reach: Any = 0) -> int:
    """How many bits keep full precision down to probabilities of e^(−ε·diam).

    `reach` is a longer distance than the diameter, where probabilities fall off that far. Close points
    (or a small ε) cost twice the bits of 1/(ε·d): once because the slack there is that small, once
    because the probabilities may be.
    """
    rate, distances = float(eps), space.distances
    apart = distances.floats[~distances.zeros & (distances.floats < math.inf)]
    far = rate * max(float(apart.max(initial=0.0)), float(reach))
    near = rate * float(apart.min()) if apart.size else math.inf
    if not near > 0:
        raise Uncertified(
            "ε times the shortest distance is below the smallest double, which needs integers of too "
            "many bits; use a larger ε or a space with longer distances"
        )
    if not far <= _MOST_BITS:
        raise Uncertified(
            f"ε times the diameter is {far:.3g}, which needs integers of more than {_MOST_BITS} bits; "
            "use a smaller ε or a smaller space"
        )
    fine = max(0, math.ceil(-math.log2(near))) if near < 1 else 0
    needed = 128 + math.ceil(far / math.log(2)) + 2 * fine
    if needed > _MOST_BITS:
        raise Uncertified(
            f"ε times the diameter is {far:.3g}, which needs integers of {needed} bits; "
            "use a smaller ε or a smaller space"
        )
    return needed


def round_outward(
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    rows: Sequence[Sequence[Fraction]],
    bits: int,
    share: Fraction,
) -> Channel:
    """Integers over 2^bits, with at least `share` of each row moved to the average output.

    Each row becomes floor(2^bits·(1 − share)·p); what is missing to 2^bits is dealt out in the
    proportions of the average row, the same for every input.
    """
    scale = (1 << bits) * (1 - share)
    # By identity: builders use the same object for equal entries.
    objects = {id(value): value for row in rows for value in row}
    floors = {at: int(value * scale) for at, value in objects.items()}
    table = [[floors[id(value)] for value in row] for row in rows]
    average = [sum(column) for column in zip(*table, strict=True)]
    total, largest = sum(average), average.index(max(average))
    for row in table:
        missing = (1 << bits) - sum(row)
        dealt = [missing * weight // total for weight in average]
        row[largest] += missing - sum(dealt)
        for j, extra in enumerate(dealt):
            if extra:
                row[j] += extra
    return Channel(inputs, outputs, Mat.over(1 << bits, table))


def _certificate(
    channel: Channel, space: FiniteSpace, level: Level, share: Fraction
) -> Certificate:
    verdict = privacy(channel, space, eps=level)
    return Certificate(
        f"the channel is ε·d-private at ε = {about(level)}",
        True,
        True,
        0.0,
        channel,
        level,
        enclosure(verdict.smallest),
        verdict.worst,
        share,
        domain_hash(channel, space),
        weights_hash(channel),
        denial=f"the channel is not ε·d-private at ε = {about(level)}",
    )


def enclosure(eps: Eps) -> tuple[float, float]:
    """Doubles below and above a level: the same, or next to each other.

    A level that is a double was rounded up, for want of an exact form.
    """
    if not isinstance(eps, Level):
        return (eps if math.isinf(eps) else math.nextafter(eps, 0.0)), eps
    if not eps:
        return 0.0, 0.0
    bits = 96
    while True:
        low, high = eps.bounds(bits)
        least, most = float_down(low), float_up(high)
        if most <= math.nextafter(least, math.inf) or bits >= _MOST_BITS:
            return least, most
        bits *= 2


def domain_hash(channel: Channel, space: FiniteSpace) -> str:
    """A hash of the inputs, the outputs and the distances."""
    n = range(len(channel.rows))
    return _hash(
        {
            "inputs": [_named(x) for x in channel.rows],
            "outputs": [_named(y) for y in channel.columns],
            "distances": [[plain(space.distances[i, j]) for j in n] for i in n],
        }
    )


def _named(label: Any) -> list[Any]:
    """A label with its type, so that 1 and "1" differ."""
    parts = [str(label)]
    if isinstance(label, tuple):
        parts = [json.dumps(_named(part)) for part in label]
    elif isinstance(label, frozenset):
        parts = sorted(json.dumps(_named(part)) for part in label)
    return [type(label).__name__, *parts]


def weights_hash(channel: Channel) -> str:
    """A hash of the integers that a sampler draws from."""
    weights = [[hex(v) for v in row] for row in channel.matrix.entries.tolist()]
    return _hash({"denominator": hex(channel.matrix.den), "weights": weights})


def _hash(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
