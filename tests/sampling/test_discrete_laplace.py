"""Discrete Laplace noise: sanity of the whole draw, extremes, refusals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare, kstest

from dprivacy.errors import BadLevel, Malformed
from dprivacy.numbers import Level, ln, root
from dprivacy.sampling import DiscreteLaplace, InsecureSource, KeyedSource, SystemSource
from dprivacy.sampling.geometric_digits import GeometricDigit
from support.sampling_fakes import Scripted

pytestmark = pytest.mark.filterwarnings("ignore::dprivacy.errors.InsecureSeedWarning")


def fit(values: NDArray[np.int64], low: int, high: int, law: NDArray[np.float64]) -> float:
    """The p-value of the counts on low … high, with the two tails as cells of their own."""
    inside = np.bincount(values[(values >= low) & (values <= high)] - low, minlength=high - low + 1)
    outside = [(values < low).sum(), (values > high).sum()]
    observed = np.array([*inside, sum(outside)], dtype=float)
    expected = np.array([*law, 1 - law.sum()]) * values.size
    big = expected > 5
    observed = np.array([*observed[big], observed[~big].sum()])
    expected = np.array([*expected[big], expected[~big].sum()])
    if expected[-1] < 1e-6:
        assert observed[-1] == 0
        observed, expected = observed[:-1], expected[:-1]
    return float(chisquare(observed, expected * (observed.sum() / expected.sum())).pvalue)


@pytest.mark.statement("T", "Eq 7.4")
@pytest.mark.parametrize(
    "level", [Level(1), ln(2), ln(2) / 10, root(2) * ln(3), Level("1/20"), ln(Fraction(33, 32))]
)
def test_the_discrete_laplace_fits_its_formula(level: Level) -> None:
    q = math.exp(-float(level))
    reach = int(9 / float(level)) + 2
    z = np.arange(-reach, reach + 1)
    values = DiscreteLaplace(level).draw(400_000, InsecureSource(11))
    assert fit(values, -reach, reach, (1 - q) / (1 + q) * q ** np.abs(z)) > 1e-4


@pytest.mark.parametrize("level", [ln(2), Level("1/20")])
def test_the_geometric_fits_its_formula(level: Level) -> None:
    q = math.exp(-float(level))
    reach = int(9 / float(level)) + 2
    values = DiscreteLaplace(level).geometric(400_000, InsecureSource(12))
    assert values.min() == 0
    assert fit(values, 0, reach, (1 - q) * q ** np.arange(reach + 1)) > 1e-4


@pytest.mark.parametrize("level", [Level(1), Level("1/8"), ln(2), ln(3) / 40])
def test_the_law_does_not_depend_on_the_word_size(level: Level) -> None:
    # With 9 bits most of the law is left to the resolver.
    q = math.exp(-float(level))
    reach = int(8 / float(level)) + 2
    z = np.arange(-reach, reach + 1)
    values = DiscreteLaplace(level, bits=9).draw(6_000, InsecureSource(13))
    assert fit(values, -reach, reach, (1 - q) / (1 + q) * q ** np.abs(z)) > 1e-4


@pytest.mark.parametrize("level", [Level("1/1000"), Level(Fraction(1, 1 << 40))])
def test_small_levels_fit_their_distribution_function(level: Level) -> None:
    rate = float(level)
    values = DiscreteLaplace(level).geometric(200_000, InsecureSource(14)).astype(float)
    # continuous: e^(−rate) exactly?
    jittered = values + np.random.default_rng(1).random(values.size)

    def distribution(x: NDArray[np.float64]) -> NDArray[np.float64]:
        floor = np.floor(x)
        step = -np.expm1(-rate)
        return -np.expm1(-rate * floor) + np.exp(-rate * floor) * step * (x - floor)

    assert kstest(jittered, distribution).pvalue > 1e-4


def test_large_levels_give_zero_and_still_have_every_integer() -> None:
    noise = DiscreteLaplace(100 * ln(2))
    assert not noise.draw(100_000, SystemSource()).any()
    (digit,) = noise.digits
    assert digit.weights[:2] == [(1 << 64) - 1, 0]
    residual = 255 << 56  # the one word of 2^64 that is left over
    assert digit.from_words(np.array([residual], np.uint64)).tolist() == [-1]
    # P(D > 0 | residual) = 2^-36: all ones in the first 36 bits of V.
    found = noise.geometric(1, Scripted([residual], [((1 << 37) - 1) << 27]))
    assert found.tolist() == [1]
    found = noise.geometric(1, Scripted([residual], [((1 << 35) - 1) << 29]))
    assert found.tolist() == [0]


def test_one_digit_is_enough_where_its_tail_is_small() -> None:
    counts = [len(DiscreteLaplace(Level(x)).digits) for x in (1, "1/10", "1/1000", "1/1000000")]
    assert counts == [1, 1, 2, 3]
    assert len(DiscreteLaplace(Level(Fraction(1, 1 << 40))).digits) == 6


def test_draws_are_independent_of_earlier_ones_in_sign_and_size() -> None:
    z = DiscreteLaplace(ln(2)).draw(200_000, InsecureSource(15)).astype(float)
    assert abs(np.corrcoef(z[1:], z[:-1])[0, 1]) < 0.015
    assert abs(z.mean()) < 6 * 2 / math.sqrt(z.size)


def test_sizes_and_repetition() -> None:
    noise = DiscreteLaplace(ln(2) / 100)
    for n in (0, 1, (1 << 15) - 1, 1 << 15, (1 << 15) + 1):
        drawn = noise.draw(n, SystemSource())
        assert drawn.shape == (n,)
        assert drawn.dtype == np.int64
    first, again, other = (
        noise.draw(100, KeyedSource(bytes(16), part)).tolist() for part in ("a", "a", "b")
    )
    assert first == again != other
    with pytest.raises(Malformed, match="at least 0, not -1"):
        noise.draw(-1, SystemSource())


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (Level(0), "ε must be greater than 0"),
        (Level(-1), "ε must be greater than 0"),
        (Level(Fraction(1, 1 << 41)), r"below 2\^-40.*use a coarser grid"),
        (Level(4097), r"above 2\^12.*use a finer grid"),
    ],
)
def test_levels_out_of_range_are_refused(level: Level, text: str) -> None:
    with pytest.raises(BadLevel, match=text):
        DiscreteLaplace(level)


@pytest.mark.parametrize("bits", [8, 65])
def test_word_sizes_out_of_range_are_refused(bits: int) -> None:
    with pytest.raises(Malformed, match=f"words of 9 to 64 bits, not {bits}"):
        DiscreteLaplace(Level(1), bits=bits)


def test_a_number_beyond_64_bits_is_never_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GeometricDigit, "resolve", lambda self, source: 1 << 63)
    with pytest.raises(OverflowError):
        DiscreteLaplace(100 * ln(2)).geometric(1, Scripted([255 << 56]))
