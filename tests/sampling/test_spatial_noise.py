"""Spatial noise: decisions in doubles and exactly, and the law."""

import math
import random

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import chisquare

from dprivacy.errors import BadLevel
from dprivacy.numbers import Level, ln, root
from dprivacy.sampling import InsecureSource, KeyedSource, SpatialNoise, SystemSource
from support.sampling_fakes import Scripted

pytestmark = pytest.mark.filterwarnings("ignore::dprivacy.errors.InsecureSeedWarning")


def law(rate: float, near: int) -> tuple[np.ndarray, float]:
    """P(v) for |v| ≤ near on every axis, by summing over all of space that matters."""
    far = np.arange(-int(40 / rate), int(40 / rate) + 1)
    whole = sum(
        float(np.exp(-rate * np.sqrt(x * x + far[:, None] ** 2 + far**2)).sum()) for x in far
    )
    g = np.arange(-near, near + 1)
    inside = np.exp(-rate * np.sqrt(g[:, None, None] ** 2 + g[:, None] ** 2 + g**2))
    return inside / whole, whole


@pytest.mark.statement("T", "Def 9.4.1")
@pytest.mark.parametrize("level", [Level(1), ln(2), root(2)])
def test_the_law_falls_off_with_the_distance_in_space(level: Level) -> None:
    points = SpatialNoise(level).draw(200_000, InsecureSource(31))
    told, _ = law(float(level), 3)
    inside = np.abs(points).max(axis=1) <= 3
    seen = np.zeros(told.shape)
    np.add.at(seen, tuple((points[inside] + 3).T), 1)
    big = told * len(points) > 5
    observed = [*seen[big], len(points) - seen[big].sum()]
    expected = [*(told[big] * len(points)), len(points) * (1 - told[big].sum())]
    assert chisquare(observed, expected).pvalue > 1e-4


def test_exact_and_double_decisions_agree() -> None:
    rng = random.Random(4)
    for level in (Level(1), ln(2), ln(3) / 50, Level("1/1000")):
        spread = 1 + int(8 / float(level))
        points = np.array([[rng.randint(-spread, spread) for _ in "xyz"] for _ in range(400)])
        words = np.frombuffer(rng.randbytes(8 * len(points)), dtype=np.uint64)
        quick = SpatialNoise(level).accepts(points.T, words, Scripted())
        exact = SpatialNoise(level, margin=1.0).accepts(points.T, words, InsecureSource(1))
        assert (quick == exact).all()
        assert quick.any()
        assert not quick.all()


def test_words_next_to_the_threshold_are_decided_truly() -> None:
    rng = random.Random(6)
    noise = SpatialNoise(ln(2))
    rate = noise._rate
    with ctx.workprec(600):
        for _ in range(30):
            v = [rng.randint(-6, 6), rng.randint(1, 6), rng.randint(-6, 6)]
            length = arb(sum(x * x for x in v)).sqrt()
            taxicab = arb(rate.numerator) / rate.denominator * sum(map(abs, v))
            edge = int(
                ((taxicab - arb(2).log() * length).exp() * arb(2) ** 128).floor().unique_fmpz()
            )
            high, low = divmod(edge, 1 << 64)
            for step, tail in ((-1, 0), (0, low - 1), (0, low + 1), (1, 0)):
                word, tail = high + step, max(0, min(tail, (1 << 64) - 1))
                drawn = (word << 64) | tail
                if not 0 <= word < 1 << 64 or drawn == edge:
                    continue
                script = Scripted(below=[tail, 0, 0])
                found = noise.accepts(np.array([v]).T, np.array([word], dtype=np.uint64), script)
                assert bool(found[0]) == (drawn < edge)


def test_the_proposal_covers_the_law_and_far_points_are_decided() -> None:
    for level in (Level(1), ln(2), root(2), Level("1/1000")):
        noise = SpatialNoise(level)
        assert root(3) * noise._rate <= level
        assert float(noise._rate) > float(level) / math.sqrt(3) * (1 - 2**-27)
    far = np.array([[2**60, 0, 0]])
    source = Scripted(below=[0, 1])
    assert not SpatialNoise(Level(1)).accepts(far.T, np.zeros(1, np.uint64), source)[0]


def test_sizes_repetition_and_refusals() -> None:
    noise = SpatialNoise(ln(2) / 10)
    for n in (0, 1, 40_000):
        assert noise.draw(n, SystemSource()).shape == (n, 3)
    first, again = (noise.draw(20, KeyedSource(bytes(16), 1)).tolist() for _ in range(2))
    assert first == again
    assert noise.level == ln(2) / 10
    with pytest.raises(BadLevel, match="greater than 0"):
        SpatialNoise(Level(0))
