"""Planar noise: decisions in doubles and exactly, the law, extremes, refusals."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import chisquare

from dprivacy.errors import BadLevel, Malformed
from dprivacy.numbers import Level, ln, root
from dprivacy.sampling import (
    DiscreteLaplace,
    InsecureSource,
    KeyedSource,
    Lanes,
    PlanarNoise,
    SpatialNoise,
    SystemSource,
)
from support.sampling_fakes import Scripted

pytestmark = pytest.mark.filterwarnings("ignore::dprivacy.errors.InsecureSeedWarning")

LEVELS = [Level(1), Level("1/10"), ln(2), root(2), ln(3) / 50, Level("1/1000"), 100 * ln(2)]


def fits(level: Level, points: np.ndarray) -> float:
    """The p-value of counts in square cells against C·e^(−level·‖v‖)."""
    rate = float(level)
    cell = 2 * max(0, int(0.35 / rate)) + 1
    cells = int(6 / rate / cell) + 1
    reach = cells * cell + cell // 2
    g = np.arange(-reach, reach + 1)
    law = np.exp(-rate * np.hypot(g[:, None], g))
    far = np.arange(-int(45 / rate) - 1, int(45 / rate) + 2)
    whole = sum(np.exp(-rate * np.hypot(x, far)).sum() for x in far)
    law = law.reshape(2 * cells + 1, cell, 2 * cells + 1, cell).sum(axis=(1, 3)) / whole
    inside = np.abs(points).max(axis=1) <= reach
    index = (points[inside] + reach) // cell
    counts = np.zeros(law.shape)
    np.add.at(counts, (index[:, 0], index[:, 1]), 1)
    expected = law * len(points)
    big = expected > 5
    seen = np.array([*counts[big], len(points) - counts[big].sum()])
    told = np.array([*expected[big], len(points) - expected[big].sum()])
    return float(chisquare(seen, told * (seen.sum() / told.sum())).pvalue)


@pytest.mark.parametrize("level", [Level(1), ln(2), root(2), Level("1/10"), ln(3) / 20])
def test_the_law_falls_off_with_the_euclidean_distance(level: Level) -> None:
    assert fits(level, PlanarNoise(level).draw(300_000, InsecureSource(21))) > 1e-4


def test_the_law_is_the_same_when_every_comparison_is_exact() -> None:
    level = ln(2)
    assert fits(level, PlanarNoise(level, margin=1.0).draw(8_000, InsecureSource(22))) > 1e-4


@pytest.mark.parametrize("level", LEVELS)
def test_the_proposal_covers_the_law(level: Level) -> None:
    noise = PlanarNoise(level)
    assert root(2) * noise._rate <= level
    assert float(noise._rate) > float(level) / math.sqrt(2) * (1 - 2**-27)
    assert Fraction(float(noise._rate)) == noise._rate


def test_exact_and_double_decisions_agree() -> None:
    rnd = random.Random(4)
    for level in LEVELS:
        spread = 1 + int(8 / float(level))
        i, j = (np.array([rnd.randint(-spread, spread) for _ in range(1500)]) for _ in "ij")
        i[:5], j[:5] = [0, 1, 1, 0, -1], [0, 1, -1, 1, 0]
        words = np.frombuffer(rnd.randbytes(8 * i.size), dtype=np.uint64)
        quick = PlanarNoise(level).accepts((i, j), words, Scripted())
        source = InsecureSource(1)
        assert (quick == PlanarNoise(level, margin=1.0).accepts((i, j), words, source)).all()


def exponent(level: Level, rate: Fraction, i: int, j: int) -> arb:
    """−t, in Arb, written independently of the sampler."""
    values = {
        Level(1): lambda: arb(1),
        ln(2): lambda: arb(2).log(),
        root(2): lambda: arb(2).sqrt(),
        Level("1/1000"): lambda: arb(1) / 1000,
    }
    distance = arb(i * i + j * j).sqrt()
    return arb(rate.numerator) / rate.denominator * (abs(i) + abs(j)) - values[level]() * distance


@pytest.mark.parametrize("level", [Level(1), ln(2), root(2), Level("1/1000")])
def test_words_next_to_the_threshold_are_decided_truly(level: Level) -> None:
    rnd = random.Random(6)
    noise = PlanarNoise(level)
    spread = 1 + int(4 / float(level))
    with ctx.workprec(600):
        for _ in range(40):
            i, j = rnd.randint(-spread, spread), rnd.randint(1, spread)
            chance = exponent(level, noise._rate, i, j).exp() * arb(2) ** 128
            edge = int(chance.floor().unique_fmpz())
            high, low = divmod(edge, 1 << 64)
            for step in (-2, -1, 0, 1, 2):
                word = high + step
                if not 0 <= word < 1 << 64:
                    continue
                for tail in (0, low - 1, low + 1, (1 << 64) - 1):
                    tail = max(0, min(tail, (1 << 64) - 1))
                    drawn = (word << 64) | tail
                    if drawn == edge:
                        continue  # decided by bits beyond these 128
                    found = noise.accepts(
                        (np.array([i]), np.array([j])),
                        np.array([word], dtype=np.uint64),
                        Scripted(below=[tail, 0, 0]),
                    )
                    assert bool(found[0]) == (drawn < edge)


def test_more_bits_are_taken_only_when_64_do_not_decide() -> None:
    noise = PlanarNoise(ln(2))
    with ctx.workprec(400):
        chance = exponent(ln(2), noise._rate, 2, 1).exp() * arb(2) ** 64
        word = int(chance.floor().unique_fmpz())
    one = (np.array([2]), np.array([1]))
    for step, asked in ((-1, 0), (0, 1), (1, 0)):
        source = Scripted(below=[1 << 63])
        noise.accepts(one, np.array([word + step], dtype=np.uint64), source)
        assert len(source.bounds) == asked


def test_the_origin_is_always_accepted() -> None:
    zero = np.zeros(3, dtype=np.int64)
    words = np.array([0, 1 << 63, (1 << 64) - 1], dtype=np.uint64)
    for margin in (2.0**-36, 1.0):
        source = Scripted(below=[5, 5, 5])
        assert PlanarNoise(Level(1), margin=margin).accepts((zero, zero), words, source).all()


def test_points_far_out_are_decided_exactly() -> None:
    level = Level("1/1000")
    noise = PlanarNoise(level)
    places = [(70_000, 0), (0, -80_000), (10**8, 10**8), (-(10**17), 10**17), (2**62, 1)]
    i, j = (np.array(side, dtype=np.int64) for side in zip(*places, strict=True))
    with ctx.workprec(400):
        logs = [exponent(level, noise._rate, *place) for place in places]
        for share in (0.5, 0.99999, 1.00001, 2.0):  # of the chance of acceptance
            words = [
                min(int((t.exp() * share * arb(2) ** 64).floor().unique_fmpz()), 2**64 - 1)
                if t > -40
                else 1
                for t in logs
            ]
            found = noise.accepts((i, j), np.array(words, dtype=np.uint64), Scripted())
            assert found.tolist() == [bool(t > -40) and share < 1 for t in logs]


def test_a_hopeless_chance_is_rejected_by_its_first_one_bit() -> None:
    far = np.array([2**62])
    source = Scripted(below=[0, 0, 1])
    assert not PlanarNoise(Level(1)).accepts((far, far * 0), np.zeros(1, np.uint64), source)[0]
    assert source.bounds == [1 << 64] * 3


def test_sizes_and_repetition() -> None:
    noise = PlanarNoise(ln(2) / 10)
    for n in (0, 1, 40_000):
        drawn = noise.draw(n, SystemSource())
        assert drawn.shape == (n, 2)
        assert drawn.dtype == np.int64
    first, again, other = (
        noise.draw(50, KeyedSource(bytes(16), part)).tolist() for part in (1, 1, 2)
    )
    assert first == again != other
    assert not PlanarNoise(100 * ln(2)).draw(1000, SystemSource()).any()
    smallest = PlanarNoise(Level(Fraction(1, 1 << 38))).draw(2000, SystemSource())
    assert 1.8 < np.hypot(*smallest.T).mean() / 2**38 < 2.2


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (Level(0), "greater than 0"),
        (Level(Fraction(1, 1 << 39)), r"below 2\^-38.*use a coarser grid"),
        (Level(5000), r"above 2\^12.*use a finer grid"),
    ],
)
def test_levels_out_of_range_are_refused(level: Level, text: str) -> None:
    with pytest.raises(BadLevel, match=text):
        PlanarNoise(level)


@pytest.mark.parametrize("margin", [0.0, -1.0, 2.0**-40, math.nan])
def test_a_margin_below_the_proven_one_is_refused(margin: float) -> None:
    with pytest.raises(Malformed, match=r"the margin must be at least 2\^-36"):
        PlanarNoise(Level(1), margin=margin)


def one_by_one(noise, lane):
    """The first proposal of one lane that is accepted."""
    while True:
        axes = [noise._proposal.draw(1, lane) for _ in range(noise.dimension)]
        if noise.accepts(axes, lane.words(1), lane)[0]:
            return [int(axis[0]) for axis in axes]


@pytest.mark.parametrize("kind", [PlanarNoise, SpatialNoise])
@pytest.mark.parametrize("margin", [2.0**-36, 1.0])
def test_lanes_together_draw_what_each_draws_by_itself(kind, margin):
    """Also where every comparison is made exactly; and in whatever company."""
    noise = kind("1/20", margin=margin)
    starts = np.arange(120, dtype="<u8").reshape(-1, 2)
    together = noise.draw_each(Lanes(b"k" * 32, starts)).tolist()
    assert together == [one_by_one(noise, Lanes(b"k" * 32, starts).lane(i)) for i in range(60)]
    assert noise.draw_each(Lanes(b"k" * 32, starts[7:8])).tolist() == together[7:8]
    assert noise.draw_each(Lanes(b"k" * 32, starts[::-1])).tolist() == together[::-1]
    assert len(noise.draw_each(Lanes(b"k" * 32, starts[:0]))) == 0


def test_lanes_resolve_what_their_digits_leave_open():
    """With words of 9 bits digits are often left open: each is resolved in its own lane."""
    noise = PlanarNoise("1/20")
    noise._set(_proposal=DiscreteLaplace(noise._proposal.level, bits=9))
    starts = np.arange(400, dtype="<u8").reshape(-1, 2)
    together = noise.draw_each(Lanes(b"k" * 32, starts)).tolist()
    assert together == [one_by_one(noise, Lanes(b"k" * 32, starts).lane(i)) for i in range(200)]


def test_lanes_beyond_a_chunk_are_drawn_like_the_first():
    noise, n = PlanarNoise("1/300"), (1 << 15) + 5
    starts = np.arange(2 * n, dtype="<u8").reshape(-1, 2)
    drawn = noise.draw_each(Lanes(b"k" * 32, starts))
    assert (noise.draw_each(Lanes(b"k" * 32, starts[-9:])) == drawn[-9:]).all()
