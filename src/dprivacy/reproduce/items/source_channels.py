"""Channels and hypers of the sources, built once for several items."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from dprivacy.mechanisms import exponential, geometric, randomised_response
from dprivacy.model import Channel, Gain, Hyper, as_channel, push, uniform
from dprivacy.numbers import Level, ln
from dprivacy.spaces import line
from dprivacy.verify import smallest_eps

Q = Fraction


def table(text: str) -> list[list[Fraction]]:
    """A matrix from rows of fractions, one a line or parted by semicolons."""
    rows = text.replace(";", "\n").strip().splitlines()
    return [[Q(entry) for entry in row.split()] for row in rows]


def channel(text: str, rows: Sequence[Hashable] | None = None) -> Channel:
    """A channel from such text."""
    return as_channel(table(text), rows=rows)


def truncated(n: int, a: Any) -> Channel:
    """TG on 0 … n − 1 with e^ε = a."""
    return geometric(n, eps=ln(a)).channel


def response(n: int, a: Any) -> Channel:
    """RR on 0 … n − 1 with e^ε = a."""
    return randomised_response(range(n), eps=ln(a)).channel


def exponent(n: int, base: Any) -> Channel:
    """E on 0 … n − 1 with e^(ε/2) = base; its true level is `true_factor`."""
    return exponential(line(n), eps=2 * ln(base)).channel


def true_factor(C: Channel) -> Fraction:
    """e^ε for the smallest ε on the line."""
    level = smallest_eps(C, line(len(C.rows)))
    assert isinstance(level, Level)
    factor = level.exp()
    assert factor is not None  # families are built at rational factors only
    return factor


def deterministic(f: Callable[[Any], Hashable], inputs: Iterable[Any]) -> Channel:
    """A function as a channel."""
    listed = list(inputs)
    outputs = list(dict.fromkeys(f(x) for x in listed))
    return Channel(listed, outputs, [[int(f(x) == y) for y in outputs] for x in listed])


def hyper(rows: Sequence[Hashable], inners: str, outer: str) -> Hyper:
    """A hyper from the sources' bracketed array: inners as columns, the outer underneath."""
    chances = [Q(w) for w in outer.split()]
    columns = table(inners)
    entries = [[len(columns) * v * w for v, w in zip(row, chances, strict=True)] for row in columns]
    return push(Channel(rows, range(len(chances)), entries), prior=uniform(rows))


def best_response(a: Any, rows: Sequence[Hashable]) -> Channel:
    """T, the best response on two secrets [T Thm 6.14]."""
    high, low = Q(a) / (1 + Q(a)), 1 / (1 + Q(a))
    return Channel(rows, ["same", "other"], [[high, low], [low, high]])


def worth(gain: Gain, C: Channel) -> Any:
    """V_g[ν ▷ C] from its definition, independently of the room that computes leakage."""
    pushed = push(C, prior=uniform(C.rows))
    return sum(
        chance * max(sum(gain[w, x] * inner[x] for x in pushed.secrets) for w in gain.actions)
        for (_, chance), inner in zip(pushed.outer.items(), pushed.inners, strict=True)
    )


G = Channel(range(3), ["y0", "y1", "y2"], table("2/3 1/6 1/6; 1/3 1/3 1/3; 1/6 1/6 2/3"))
R = Channel(range(3), ["y0", "y1", "y2"], table("3/5 1/5 1/5; 1/5 3/5 1/5; 1/5 1/5 3/5"))
