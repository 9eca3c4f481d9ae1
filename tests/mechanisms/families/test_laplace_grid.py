"""Numbers on a declared grid: snapped, clamped, noised in integers, given back as doubles."""

import math
import random
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy import integrate, stats

from dprivacy.errors import (
    BadLevel,
    BadNumber,
    DPrivacyError,
    InsecureSeedWarning,
    Malformed,
    WrongKind,
    WrongShape,
)
from dprivacy.mechanisms import geometric, integer_geometric, laplace, laplace_scale
from dprivacy.numbers import Level, ln
from dprivacy.sampling import DiscreteLaplace, KeyedSource
from dprivacy.spaces import quantised
from dprivacy.verify import privacy

KEY = bytes(range(32))


def test_on_few_points_it_is_the_truncated_geometric():
    mechanism = laplace(0, 3, eps="ln 2", grid=1)
    assert mechanism.channel.matrix == geometric(4, eps="ln 2").channel.matrix
    fine = laplace(0, 1, eps=ln(16), grid="1/4")
    assert fine.channel.matrix == geometric(5, eps="ln 2").channel.matrix
    shifted = laplace(-7, "-5", eps="ln 2", grid="1/2")
    assert shifted.channel.rows == (-7, Q(-13, 2), -6, Q(-11, 2), -5)
    assert shifted.guarantee.space == quantised(-7, -5, "1/2")


@pytest.mark.parametrize("eps", ["ln 2", "0.3", "1"])
def test_on_many_points_it_is_clamped_integer_noise(eps):
    """The same keyed words give: snapped + DiscreteLaplace(ε·step), clamped."""
    mechanism = laplace(-10, 2000, eps=eps, grid="1/2")
    assert mechanism.inner is None
    values = np.linspace(-20, 2010, 500)
    noisy = mechanism.using(KeyedSource(KEY)).randomise(values)
    steps = mechanism.snapped(values)
    assert steps.min() == 0
    assert steps.max() == 4020
    drawn = DiscreteLaplace(Level(eps) / 2).draw(500, KeyedSource(KEY))
    assert noisy.tolist() == [float(-10 + Q(int(k), 2)) for k in np.clip(steps + drawn, 0, 4020)]
    assert mechanism.channel is None


def test_outputs_are_the_doubles_nearest_to_the_grid():
    noisy = laplace(0, 1, eps=1, grid="0.1").randomise([0.5] * 2000)
    assert set(noisy) == {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}
    assert math.copysign(1, min(noisy)) == 1  # and no negative zero


def test_values_are_moved_to_the_nearest_point():
    mechanism = laplace(0, 10, eps=1, grid="1/4")
    assert mechanism.snapped([0, 0.1, 0.13, 0.25, 9.9, 10]).tolist() == [0, 0, 1, 1, 40, 40]
    assert mechanism.snapped([-5, 1e308, -1e308, 10.1]).tolist() == [0, 40, 0, 40]
    assert mechanism.snapped([k / 4 for k in range(41)]).tolist() == list(range(41))


@pytest.mark.parametrize("step", ["1", "1/10", "0.001", "1/3", "12345.678"])
def test_every_point_of_the_grid_is_its_own_nearest(step):
    low = Q(-7, 3)
    mechanism = laplace(low, low + 3000 * Q(step), eps=1, grid=step)
    points = [float(low + k * Q(step)) for k in range(3001)]
    assert mechanism.snapped(points).tolist() == list(range(3001))


def test_moving_to_the_grid_adds_at_most_one_step():
    rng = random.Random(5)
    mechanism = integer_geometric(eps=1)
    for _ in range(500):
        x, z = rng.uniform(-50, 50), rng.uniform(-50, 50)
        k, m = mechanism.snapped([x, z]).tolist()
        assert abs(k - m) <= abs(Q(x) - Q(z)) + 1


def test_a_value_far_outside_the_range_is_clamped_not_refused():
    """A refusal would tell everyone that somebody's value is far away."""
    mechanism = laplace(0, 10, eps="ln 2", grid=1)
    assert set(mechanism.randomise([1e300, -1e300, 1.7e308] * 50)) <= set(map(float, range(11)))
    wide = laplace(0, 10**6, eps=1, grid="1/8")
    assert wide.snapped([1e300, -1e300]).tolist() == [8 * 10**6, 0]
    widest = laplace(-(2**52), 2**52 - 1, eps=1, grid=1)
    assert widest.snapped([1e300, -1e300]).tolist() == [2**53 - 1, 0]
    with pytest.raises(BadNumber, match="should be at most 9,007,199,254,740,992 steps"):
        laplace(0, 2**53, eps=1, grid=1)
    with pytest.raises(BadNumber, match="too far"):
        integer_geometric(eps=1).randomise([1e17])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
def test_missing_and_infinite_values_are_refused_by_row(bad):
    for mechanism in (laplace(0, 10, eps=1, grid=1), integer_geometric(eps=1)):
        with pytest.raises(BadNumber, match="row 2 holds a number that is not finite"):
            mechanism.randomise([1, 2, bad, bad])


@pytest.mark.parametrize(
    "values",
    [[10**400], ["x"], [1j], np.array([1j]), np.array(["2020"], dtype="datetime64[Y]"), 1j],
)
def test_what_is_no_number_is_refused(values):
    with pytest.raises(Malformed):
        laplace(0, 10, eps=1, grid=1).randomise(values)


def test_containers():
    mechanism = laplace(0, 10, eps=1, grid=1)
    assert isinstance(mechanism.randomise([1, 2]), list)
    assert mechanism.randomise(np.zeros((2, 3))).shape == (2, 3)
    assert mechanism.randomise(np.zeros((0, 3))).shape == (0, 3)
    assert mechanism.randomise(np.array(4.0)).shape == ()
    assert mechanism.randomise([]) == []
    assert mechanism.randomise(np.arange(3, dtype=np.int8)).dtype == np.float64


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [
        (0, 10, 3),
        (0, 1, 0.1),  # a double is its exact binary value
        (5, 5, 1),
        (5, 4, 1),
        (0, 1, 0),
        (0, 1, -1),
        (0, "ln 2", 1),
        (0, 10**400, 10**399),
        (0, Q(1, 10**399), Q(1, 10**400)),
        (math.nan, 1, 1),
        (0, math.inf, 1),
        (0, 1, None),
    ],
)
def test_ranges_that_are_refused(low, high, step):
    with pytest.raises(DPrivacyError):
        laplace(low, high, eps=1, grid=step)


def test_a_range_of_reals_without_a_grid_is_refused():
    with pytest.raises(TypeError, match="grid"):
        laplace(0.0, 1.0, eps=1)


def test_levels_that_no_noise_has():
    with pytest.raises(BadLevel):
        integer_geometric(eps=Q(1, 10**20)).randomise([0])
    with pytest.raises(BadLevel):
        integer_geometric(eps=10**5).randomise([0])


@pytest.mark.statement("T", "Def 3.4.1")
@pytest.mark.parametrize("eps", [ln(2), Level(Q(1, 4))])
def test_integer_noise_has_the_geometric_law(eps):
    alpha = math.exp(-float(eps))
    with pytest.warns(InsecureSeedWarning):
        noisy = integer_geometric(eps=eps).randomise(np.full(200_000, 3.0), insecure_seed=12)
    z = (noisy - 3).astype(int)
    edges = np.arange(-12, 13)
    observed = np.array([(z == k).sum() for k in edges] + [(abs(z) > 12).sum()])
    chances = np.array([(1 - alpha) / (1 + alpha) * alpha ** abs(k) for k in edges])
    expected = np.append(chances, 1 - chances.sum()) * z.size
    assert stats.chisquare(observed, expected).pvalue > 1e-3


# -- slack ----------------------------------------------------------------------------------------


def delta_of(b: float, width: float, eps: float) -> float:
    """δ of Laplace noise of scale b between two points, by integrating the positive part."""

    def gap(y: float) -> float:
        return (math.exp(-abs(y) / b) - math.exp(eps - abs(y - width) / b)) / (2 * b)

    top = (width - eps * b) / 2  # where the two densities meet
    if width / b <= eps:
        return 0.0
    return integrate.quad(gap, -60 * b, top, points=[0], limit=400)[0]


@pytest.mark.statement("M", "Ex 5")
@pytest.mark.parametrize("eps", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.001, 0.05, 0.4])
@pytest.mark.parametrize("width", [1, 7])
def test_the_scale_is_necessary_and_sufficient(eps, delta, width):
    b = laplace_scale(width, eps=eps, delta=delta)
    assert b == pytest.approx(width / (eps - 2 * math.log(1 - delta)))
    assert delta_of(b, width, eps) == pytest.approx(delta, rel=1e-6)
    assert delta_of(b * 1.001, width, eps) < delta < delta_of(b * 0.999, width, eps)
    printed = width / (eps - math.log(1 - delta))  # sufficient only
    assert printed > b
    assert delta_of(printed, width, eps) < delta * 0.999


def test_the_scale_is_never_rounded_below_what_is_needed():
    for width in range(1, 60):
        found = Q(laplace_scale(width, eps="1/7", delta="1/10"))
        assert found * (Level("1/7") - 2 * ln(Q(9, 10))) >= width


def test_without_slack_the_scale_is_width_over_level():
    assert laplace_scale(3, eps="1/2") == 6
    for wrong in (1, "1", -1, math.nan, 2):
        with pytest.raises(BadLevel):
            laplace_scale(1, eps=1, delta=wrong)
    for wrong in (0, -1, None, "x"):
        with pytest.raises(BadNumber, match="width should be"):
            laplace_scale(wrong, eps=1)


@pytest.mark.statement("M", "Ex 5")
@pytest.mark.parametrize("eps", ["ln 2", "ln(5/4)", "1/5"])
@pytest.mark.parametrize("delta", ["1/100", "1/4"])
def test_slack_buys_less_noise_and_is_proved(eps, delta):
    mechanism = laplace(0, 4, eps=eps, grid=1, delta=delta)
    assert mechanism.guarantee.delta == Q(delta)
    assert mechanism.guarantee.because == "M Ex 5"
    assert privacy(mechanism.channel, mechanism.guarantee.space, eps=eps, delta=delta)
    assert not privacy(mechanism.channel, mechanism.guarantee.space, eps=eps)
    gain = ln(1 / (1 - Q(delta))) * 2 / 4
    assert Level(eps) < mechanism.rate <= Level(eps) + gain
    finer = mechanism.rate + gain / 64
    if finer <= Level(eps) + gain:  # the next step towards less noise would break the promise
        less = geometric(mechanism.guarantee.space, eps=finer)
        assert not privacy(less.channel, mechanism.guarantee.space, eps=eps, delta=delta)
    plain = laplace(0, 4, eps=eps, grid=1)
    assert mechanism.channel[2, 2] > plain.channel[2, 2]
    noisy = mechanism.randomise([0, 2, 4] * 10)
    assert set(noisy) <= {0.0, 1.0, 2.0, 3.0, 4.0}


def test_slack_has_its_limits():
    with pytest.raises(BadLevel, match="less than 1"):
        laplace(0, 4, eps=1, grid=1, delta=1)
    with pytest.raises(Malformed, match="at most 1024"):
        laplace(0, 5000, eps=1, grid=1, delta="1/100")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (
            {"low": 10, "high": 0},
            BadNumber,
            "less than high, but low is 10 and high is 0",
        ),
        ({"low": None}, BadNumber, "low should be a rational number such as '1/2', not None"),
        ({"high": "ln 2"}, BadNumber, "high should be a rational number such as '1/2', not 'ln 2'"),
        ({"grid": 0}, BadNumber, "grid should be greater than 0, not 0"),
        ({"grid": -1}, BadNumber, "grid should be greater than 0, not -1"),
        ({"grid": "x"}, BadNumber, "grid should be a rational number such as '1/2', not 'x'"),
        (
            {"grid": 3},
            BadNumber,
            "from 0 to 10 should be a whole number of steps .* 10/3 steps of 3",
        ),
        ({"delta": "x"}, BadLevel, "δ should be a rational number from 0 to 1, not 'x'"),
        ({"delta": 2}, BadLevel, "δ should be a rational number from 0 to 1, not 2"),
    ],
)
def test_what_is_wrong_is_named(given, error, words):
    with pytest.raises(error, match=words):
        laplace(**{"low": 0, "high": 10, "eps": 1, "grid": 1, **given})


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ("55", WrongKind, "a list or an array, or a number, not another single text"),
        (None, WrongKind, "or a number, not another single NoneType"),
        (["5"], WrongKind, "values should be numbers, not text"),
        ([Q(1, 2), "5"], WrongKind, "values should be numbers, not text"),
        ({1: 2}, WrongKind, "not a mapping"),
        ([[1, 2], [3, 4]], WrongShape, r"a list of numbers, not of shape \(2, 2\)"),
    ],
)
def test_what_is_no_list_of_numbers(values, error, words):
    with pytest.raises(error, match=words) as caught:
        laplace(0, 10, eps=1, grid=1).randomise(values)
    assert "55" not in str(caught.value)


def test_an_array_keeps_its_shape():
    assert laplace(0, 10, eps=1, grid=1).randomise(np.ones((2, 3))).shape == (2, 3)
