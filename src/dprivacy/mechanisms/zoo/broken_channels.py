"""Twins that the verifier catches from their channels."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from dprivacy.mechanisms.families.geometric_line import geometric
from dprivacy.mechanisms.families.response import randomised_response
from dprivacy.mechanisms.zoo.exhibit import Exhibit, Finding, by_verifier
from dprivacy.model import Channel
from dprivacy.numbers import Floats, ln
from dprivacy.spaces import FiniteSpace, discrete, hamming_cube, line, quantised
from dprivacy.typing import LevelLike, TableLike

EPS = ln(2)
HALF = Fraction(1, 2)
JOBS = discrete(["nurse", "pilot", "cook"])
LINE = line(5)
_HALVES = quantised(0, 1, HALF)


def _compare(
    name: str,
    wrong: str,
    broken: Callable[[], Channel],
    healthy: Callable[[], Channel],
    space: FiniteSpace,
    eps: LevelLike = EPS,
) -> Exhibit:
    def inspect(is_broken: bool) -> Finding:
        return by_verifier(broken() if is_broken else healthy(), space, eps)

    return Exhibit(name, wrong, "verifier", inspect)


def _response(keep: Fraction, other: Fraction) -> Channel:
    labels = JOBS.labels
    return Channel(labels, labels, [[keep if x == y else other for y in labels] for x in labels])


def _rows(weight: Callable[[int, int], Fraction]) -> Channel:
    """A channel on 0 … 4 from weights, each row divided by its sum."""
    table = [[weight(x, y) for y in range(5)] for x in range(5)]
    return Channel(range(5), range(5), [[w / sum(row) for w in row] for row in table])


def _good_response() -> Channel:
    return randomised_response(JOBS, eps=EPS).channel


def _good_geometric() -> Channel:
    return geometric(LINE, eps=EPS).channel


def _one_zero() -> Channel:
    third = Fraction(1, 3)
    return Channel(JOBS.labels, JOBS.labels, [[HALF, HALF, 0], [third] * 3, [third] * 3])


def _domain_from_data() -> Channel:
    # Two databases of two people; the noisy answer is uniform on the values seen in the data.
    quarter = Fraction(1, 4)
    pairs = [(a, b) for a in "ab" for b in "ab"]
    rows = [[quarter] * 4, [Fraction(1), *[Fraction(0)] * 3]]
    return Channel(["a and b", "a and a"], pairs, rows)


def _domain_declared() -> Channel:
    parent = randomised_response(["a", "b"], eps=EPS).channel
    return Channel(
        ["a and b", "a and a"],
        [(a, b) for a in "ab" for b in "ab"],
        parent.over_rows(2).restrict([("a", "b"), ("a", "a")]).matrix,
    )


def _float_geometric(eps: float, n: int) -> Floats:
    a = np.exp(-eps)
    size = np.arange(n)
    inside = (1 - a) / (1 + a) * a ** np.abs(size[:, None] - size)
    inside[:, [0, -1]] *= 1 / (1 - a)
    return np.asarray(inside / inside.sum(axis=1, keepdims=True))


def _as_written(table: TableLike) -> Channel:
    """A table of doubles as the binary fractions they are, each row closed on its largest entry."""
    rows = [[Fraction(float(v)) for v in row] for row in table]
    for row in rows:
        row[row.index(max(row))] += 1 - sum(row)
    return Channel(range(len(rows)), range(len(rows)), rows)


def _query_noise(eps: LevelLike) -> Channel:
    """Twice the number of ones in two bits, with noise for its answers 0 … 4."""
    cube = hamming_cube(2)
    noise = geometric(line(5), eps=eps).channel
    rows = [noise.row_position(2 * sum(bits)) for bits in cube.labels]
    return Channel(cube.labels, noise.columns, noise.matrix.take(rows=rows))


def _unfixed_exponential(half: int) -> Channel:
    return _rows(lambda x, y: Fraction(1, half) ** abs(x - y))


_of_jobs = partial(_compare, healthy=_good_response, space=JOBS)
_on_line = partial(_compare, healthy=_good_geometric, space=LINE)

EXHIBITS = [
    _of_jobs(
        "off by one",
        "keeps the truth with e^ε + 1 shares instead of e^ε",
        lambda: _response(Fraction(3, 5), Fraction(1, 5)),
    ),
    _of_jobs("one zero cell", "an output is impossible for one input", _one_zero),
    _compare(
        "domain read from the data",
        "only values that occur in the data can come out",
        _domain_from_data,
        _domain_declared,
        discrete(["a and b", "a and a"]),
    ),
    _on_line(
        "redraw instead of clamp",
        "noise that leaves the range is drawn again, so that rows are rescaled",
        lambda: _rows(lambda x, y: HALF ** abs(x - y)),
    ),
    _on_line(
        "one percent more",
        "the noise is made for 1.01·ε",
        lambda: geometric(LINE, eps=EPS * Fraction(101, 100)).channel,
    ),
    _on_line(
        "bounded noise",
        "noise is cut off at ±2",
        lambda: _rows(lambda x, y: HALF ** abs(x - y) if abs(x - y) <= 2 else Fraction(0)),
    ),
    _on_line(
        "zero drawn twice",
        "a sign times a magnitude doubles the chance of 0",
        lambda: _rows(lambda x, y: HALF ** abs(x - y) * (2 if x == y else 1)),
    ),
    _of_jobs(
        "never the truth",
        "the true answer is never given",
        lambda: _response(Fraction(0), HALF),
    ),
    _on_line(
        "noise that knows the value",
        "the amount of noise depends on the secret",
        lambda: _rows(
            lambda x, y: Fraction(1, 1 + x) ** abs(x - y) if x else Fraction(int(y == 0))
        ),
    ),
    _on_line(
        "scale and rate exchanged",
        "the scale 1/ε is used where the rate ε belongs",
        lambda: geometric(LINE, eps=1 / float(EPS)).channel,
    ),
    _compare(
        "naive doubles",
        "a channel computed in doubles, taken for exact",
        lambda: _as_written(_float_geometric(0.1, 20)),
        lambda: geometric(20, eps="0.1").channel,
        line(20),
        "0.1",
    ),
    _compare(
        "underflow to zero",
        "far probabilities vanish in doubles",
        lambda: _as_written(_float_geometric(20.0, 41)),
        lambda: geometric(41, eps=20).channel,
        line(41),
        20,
    ),
    _compare(
        "sensitivity forgotten",
        "noise for steps of 1 on a query that moves by 2",
        lambda: _query_noise(EPS),
        lambda: _query_noise(EPS / 2),
        hamming_cube(2),
    ),
    _compare(
        "composition forgotten",
        "the same answer is randomised afresh twice, and ε is counted once",
        lambda: _good_response() & _good_response(),
        lambda: (
            randomised_response(JOBS, eps=EPS / 2).channel
            & randomised_response(JOBS, eps=EPS / 2).channel
        ),
        JOBS,
    ),
    _compare(
        "exponential without its half",
        "weights e^(−ε·d) are claimed to give ε, but their sums differ from row to row",
        lambda: _unfixed_exponential(4),
        lambda: _unfixed_exponential(2),
        LINE,
        ln(4),
    ),
    _compare(
        "the wrong metric",
        "noise for categories at distance 1, claimed for points half as far apart",
        lambda: Channel(
            _HALVES.labels, _HALVES.labels, randomised_response(range(3), eps=EPS).channel.matrix
        ),
        lambda: randomised_response(_HALVES, eps=EPS).channel,
        _HALVES,
    ),
]
