"""The guarantee about curves, checked exactly and on finite projections."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dprivacy.curves import (
    curve_mechanism,
    example_days,
    make_basis,
    principal_basis,
    protect_curves,
)
from dprivacy.curves.curve_basis import SCALE
from dprivacy.curves.curve_distances import rounding_slack
from dprivacy.errors import Malformed, SpaceMismatch
from dprivacy.numbers import Level, ln

pytestmark = pytest.mark.filterwarnings("ignore::dprivacy.errors.InsecureSeedWarning")

BASES = ("cosine", "fourier", "steps")
CURVE = st.lists(st.integers(-2000, 2000), min_size=12, max_size=12)


def _pair_level(mechanism, first, second) -> Level:
    """Σ λ·|u − u'|: the largest log-ratio of the two laws, reached by outputs far away."""
    apart = np.abs(
        mechanism.coefficients([first]).astype(object) - mechanism.coefficients([second])
    )[0]
    total = Level(0)
    for level, units in zip(mechanism.levels, apart.tolist(), strict=True):
        total = total + level * units
    return total


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("times", [2, 3, 7, 24, 48])
def test_bases_are_orthonormal_up_to_rounding_and_the_bound_on_their_stretch_is_one(basis, times):
    made = make_basis(basis, times)
    assert made.rows.shape == (times, times)
    gram = made.rows @ made.rows.T / SCALE**2
    assert np.abs(gram - np.eye(times)).max() < 1e-3
    largest = np.linalg.eigvalsh((made.rows @ made.rows.T).astype(float)).max()
    assert largest <= made.stretch_squared * (1 + 1e-12)
    assert math.sqrt(made.stretch_squared) / SCALE < 1.02


@pytest.mark.statement("M", "Ex 4")
@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("size", [1, 4, 12])
@given(first=CURVE, second=CURVE)
def test_l2_promise_holds_exactly_for_any_two_curves(basis, size, first, second):
    # The largest log-ratio, a multiple q·ln 2 with q rational, against ln 2·‖f − g‖: compare squares.
    mechanism = curve_mechanism(make_basis(basis, 12, size), eps=ln(2), grid=Fraction(1, 10))
    share = _pair_level(mechanism, np.array(first) / 10, np.array(second) / 10) / ln(2)
    square = Fraction(sum((a - b) ** 2 for a, b in zip(first, second, strict=True)), 100)
    assert Fraction(str(share)) ** 2 <= square


@pytest.mark.parametrize("basis", BASES)
def test_l2_promise_is_nearly_used_up(basis):
    mechanism = curve_mechanism(make_basis(basis, 12, 4), eps=ln(2), grid=Fraction(1, 1000))
    direction = mechanism.basis.rows.sum(axis=0) / SCALE  # all four coefficients alike
    apart = float(_pair_level(mechanism, direction * 0, direction)) / math.log(2)
    assert 0.98 * np.linalg.norm(direction) < apart


@given(first=CURVE, second=CURVE)
def test_sup_promise_holds_exactly(first, second):
    mechanism = curve_mechanism(
        make_basis("cosine", 12, 3), eps=ln(3), grid=Fraction(1), distance="sup"
    )
    share = Fraction(str(_pair_level(mechanism, first, second) / ln(3)))
    assert share <= max(abs(a - b) for a, b in zip(first, second, strict=True))


@given(first=CURVE, second=CURVE)
def test_readings_promise_is_exactly_the_sum_of_differences(first, second):
    mechanism = curve_mechanism(
        make_basis("readings", 12), eps=ln(3), grid=1, distance="readings", on_grid=True
    )
    share = Fraction(str(_pair_level(mechanism, first, second) / ln(3)))
    assert share == sum(abs(a - b) for a, b in zip(first, second, strict=True))


TIES = {"readings": ("readings", 4), "sup": ("cosine", 1), "L2": ("cosine", 1)}


@pytest.mark.parametrize("distance", TIES)
@pytest.mark.parametrize("grid", ["1", "1/10", "0.3", "1/1024"])
@pytest.mark.parametrize("bounds", [None, (0, 3)])
def test_rounding_is_charged(distance, grid, bounds):
    # Two curves either side of a tie at every reading are one step apart however near they are.
    name, size = TIES[distance]
    mechanism = curve_mechanism(
        make_basis(name, 4, size), eps=1, grid=grid, distance=distance, bounds=bounds, step="1/2"
    )
    for tie in (mechanism.step / 2, mechanism.grid / 2, mechanism.step * 8191 / 2):
        for near in (0.0, 1e-9, float(mechanism.step) * 0.9):
            first, second = [float(tie) * (1 - 1e-12) - near] * 4, [float(tie) * (1 + 1e-12)] * 4
            real = _pair_level(mechanism, first, second)
            assert real <= mechanism.guarantee.space.distance(first, second)
    assert 0 < mechanism.space.slack < mechanism.grid / 500


@pytest.mark.parametrize("distance", TIES)
@pytest.mark.parametrize(("times", "step"), [(4, Fraction(1)), (48, Fraction(1, 10))])
def test_what_rounding_may_add_is_reached_and_never_passed(distance, times, step):
    width = Fraction(1, 2) if distance == "L2" else Fraction(1)
    slack = float(rounding_slack(distance, times, width, step, 1000))
    norm = {"L2": 2, "sup": np.inf, "readings": 1}[distance]
    rng, unit, most = np.random.default_rng(7), float(step), 0.0
    for _ in range(3000):
        first = rng.uniform(-3, 3, times)
        apart = rng.normal(0, rng.choice([1e-6, 0.01, 0.3, 2]), times)
        if rng.uniform() < 0.5:  # just below ties, the other curve just above them
            first = (np.floor(first / unit) + 0.5) * unit - 1e-9
            apart = np.abs(apart) * 1e-3
        rounded = np.rint((first + apart) / unit) - np.rint(first / unit)
        added = np.linalg.norm(rounded * unit, norm) - np.linalg.norm(apart, norm)
        most = max(most, float(added) * math.sqrt(width) / slack)
    assert 1 - 1e-4 < most <= 1


def test_a_coarse_grid_promises_what_it_does():
    # Rounded to 0 and 1 four times over, these used to differ by e^4 where e was promised.
    first, second = [0.375] * 4, [0.625] * 4
    released = protect_curves([first], eps=1, grid=1, distance="readings", basis="readings")
    mechanism = released.data.mechanism
    assert released.data.guarantee.space.distance(first, second) == 1
    assert Fraction(99, 100) < _pair_level(mechanism, first, second) <= 1
    assert "at most 1 unit apart" in released.card.guarantee.sentence
    assert "counted in" in released.card.guarantee.sentence


def test_the_step_is_the_finest_that_fits():
    basis = make_basis("cosine", 48, 8)
    coarse, tight = (curve_mechanism(basis, eps=e, grid="0.001", bounds=(0, 5)) for e in ("1/2", 9))
    assert tight.step < coarse.step < Fraction(1, 10**6)
    assert all(2**-40 <= float(level) < 2**-39 for level in (*coarse.levels, *tight.levels))
    wide = curve_mechanism(basis, eps=9, grid=100, bounds=(0, 1000))
    assert wide.step == Fraction(100, 2**20)
    none = curve_mechanism(basis, eps=9, grid=100)
    assert none.step == Fraction(100, 2**14)  # 2^31 grid steps in 2^45
    same = [
        float(curve_mechanism(basis, eps=9, grid="0.001", numerics=n).noise.mean())
        for n in ("exact", "idealised")
    ]
    assert 0.65 < same[1] / same[0] < 0.85


def test_readings_on_the_grid_are_charged_nothing_and_others_are_refused():
    first, second = [0.3, 0.1 + 0.2, 1.7, 0], [0.3, 0.3, 1.6, 0]
    options = {"eps": 1, "grid": "0.1", "distance": "readings", "on_grid": True}
    released = protect_curves([first, second], **options)
    mechanism = released.data.mechanism
    assert (mechanism.step, mechanism.space.slack) == (Fraction(1, 10), 0)
    assert _pair_level(mechanism, first, second) == Fraction(1, 10)
    assert Fraction(mechanism.space.distance(first, second)) >= Fraction(1, 10)
    assert mechanism.space.distance([0.3, 0, 0, 0], [0.1 + 0.2, 0, 0, 0]) == 0
    assert "on the grid of 1/10 unit" in released.card.guarantee.sentence
    with pytest.raises(Malformed, match="curve 1, reading 2: off the grid of 1/10") as caught:
        protect_curves([first, [0.3, 0.3, 1.65, 0]], **options)
    assert "1.65" not in str(caught.value)
    within = curve_mechanism(
        make_basis("readings", 2), eps=1, grid="0.1", bounds=("0.15", 1), on_grid=True
    )
    assert within.coefficients([[0.0, 7.0]]).tolist() == [[2 * SCALE, 10 * SCALE]]
    with pytest.raises(Malformed, match="a point of the grid"):
        protect_curves([[0, 0]], eps=1, grid=1, bounds=("0.1", "0.9"), on_grid=True)


@given(first=CURVE, second=CURVE, width=st.sampled_from(["1", "1/2", "1/24"]))
def test_the_distance_of_curves_is_rounded_up(first, second, width):
    mechanism = curve_mechanism(
        make_basis("cosine", 12, 3), eps=1, grid="1/10", step=width, on_grid=True
    )
    said = Fraction(mechanism.space.distance(np.array(first) / 10, np.array(second) / 10))
    square = Fraction(width) * sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) / 100
    assert square <= said**2 <= square * (1 + Fraction(1, 2**50))


@pytest.mark.statement("M", "Thm 3")
@pytest.mark.parametrize("times", [(0,), (5,), (2, 9), (0, 4, 11)])
def test_values_at_finitely_many_times_are_as_private(times):
    # Two coefficients with coarse units, so that the whole law fits in a window.
    basis = make_basis("cosine", 12, 2)
    mechanism = curve_mechanism(basis, eps=ln(2) * 3, grid=Fraction(4), on_grid=True)
    first, second = np.zeros((1, 12)), np.array([[0] * 4 + [4] * 4 + [8] * 4])
    unit = 4000  # whole numbers of a coefficient that are told apart here
    q = [math.exp(-float(level) * unit) for level in mechanism.levels]
    window = np.arange(-240, 241)
    laws = []
    for curve in (first, second):
        centre = np.rint(mechanism.coefficients(curve)[0] / unit)
        parts = [
            (1 - r) / (1 + r) * r ** np.abs(window - c) for r, c in zip(q, centre, strict=True)
        ]
        grid = np.stack(np.meshgrid(window, window, indexing="ij"), axis=-1).reshape(-1, 2) * unit
        # what a reader sees, coarsely
        values = np.round(mechanism.curves(grid)[:, list(times)] / 8)
        law: dict[tuple[float, ...], float] = {}
        for seen, p in zip(map(tuple, values), np.outer(*parts).ravel(), strict=True):
            law[seen] = law.get(seen, 0.0) + p
        laws.append((law, centre))
    (one, c1), (two, c2) = laws
    steps = zip(mechanism.levels, np.abs(c1 - c2) * unit, strict=True)
    most = sum(float(level) * step for level, step in steps)
    apart = np.linalg.norm(np.abs(c1 - c2) * unit * 4 / SCALE)
    assert most <= float(mechanism.guarantee.eps) * apart * (1 + 1e-9)
    assert len(one) > 20
    for seen, p in one.items():
        if p > 1e-9:
            assert abs(math.log(p / two[seen])) <= most + 1e-6


@pytest.mark.parametrize(
    ("n", "near"), [(4000, 0.2), pytest.param(400_000, 0.02, marks=pytest.mark.slow)]
)
def test_noise_has_the_stated_spread_and_no_bias(n, near):
    days = np.tile(example_days(1), (n, 1))
    for numerics in ("exact", "idealised"):
        for distance in ("L2", "sup"):
            protected = protect_curves(
                days,
                eps=2,
                grid="0.001",
                distance=distance,
                size=5,
                numerics=numerics,
                insecure_seed=7,
            ).data
            mechanism = protected.mechanism
            noise = protected.coefficients - mechanism.coefficients(days)
            assert np.all(np.abs(noise.mean(axis=0)) < 5 * np.sqrt(mechanism.variances / n))
            assert np.allclose(noise.var(axis=0), mechanism.variances, rtol=near)
            assert np.allclose(protected.values.std(axis=0), mechanism.noise, rtol=near)


def test_idealised_noise_for_l2_is_smaller_and_keeps_its_density_ratio():
    exact = curve_mechanism(make_basis("cosine", 24, 6), eps=ln(2), grid=Fraction(1, 1000))
    ideal = curve_mechanism(
        make_basis("cosine", 24, 6), eps=ln(2), grid=Fraction(1, 1000), numerics="idealised"
    )
    assert 0.65 < ideal.noise.mean() / exact.noise.mean() < 0.85
    assert (
        "doubles"
        in protect_curves(
            example_days(3), eps=1, grid="0.001", numerics="idealised", insecure_seed=1
        ).explain()
    )


def test_principal_components_of_public_curves_follow_them_best():
    public = example_days(300)
    principal, cosine = principal_basis(public), make_basis("cosine", 48)

    def left(basis):
        part = basis.first(5)
        return ((public - public @ part.rows.T @ part.back.T) ** 2).sum()

    assert left(principal) < left(cosine)


def test_an_insecure_seed_voids_the_promise_and_repeats():
    one, two = (
        protect_curves(example_days(5), eps=1, grid="0.001", insecure_seed=3) for _ in range(2)
    )
    assert np.array_equal(one.data.values, two.data.values)
    assert not one.card.holds
    assert "NO GUARANTEE" in one.explain()
    fresh = [protect_curves(example_days(5), eps=1, grid="0.001").data.values for _ in range(2)]
    assert not np.array_equal(*fresh)


@pytest.mark.parametrize(
    ("readings", "options", "words"),
    [
        ([[1.0, float("nan")]], {}, "curve 0, reading 1: missing"),
        ([[1.0, 2.0], [1.0]], {}, "same number of readings"),
        ([[1.0]], {}, "at least two readings"),
        ([], {}, "one curve per row"),
        ([["a", "b"]], {}, "numbers"),
        ([[1.0, 2.0]], {"grid": 0}, "above 0"),
        ([[1.0, 2.0]], {"distance": "L3"}, "distance should be"),
        ([[1.0, 2.0]], {"basis": "sines"}, "basis .* should be"),
        ([[1.0, 2.0]], {"size": 3}, "at most 2"),
        ([[1.0, 2.0]], {"grid": "-1/10"}, "grid should be a rational step above 0"),
        ([[1.0, 2.0]], {"grid": "fine"}, "grid: 'fine' is not a number"),
        ([[1.0, 2.0]], {"step": 0}, "step should be a rational step above 0"),
        ([[1.0, 2.0]], {"step": "-1/2"}, "step should be a rational step above 0"),
        ([[1.0, 2.0]], {"grid": "1e-300"}, "within the range of doubles"),
        ([[1.0, 2.0]], {"bounds": (2, 1)}, "low < high"),
        ([[1.0, 2.0]], {"bounds": "05"}, "a pair .* not '05'"),
        ([[1.0, 2.0]], {"bounds": (0, 1, 5)}, "a pair"),
        ([[1.0, 2.0]], {"bounds": 5}, "a pair"),
        ([[1.0, 2.0]], {"bounds": ("low", "high")}, "bounds: 'low' is not a number"),
        ([[1e300, 2.0]], {}, "curve 0, reading 0: beyond"),
        ([[1.0, 2.0]], {"numerics": "float"}, "'exact', 'idealised'"),
        ([[1.0, 2.0]], {"distance": "readings", "basis": "cosine"}, "goes with"),
    ],
)
def test_what_is_refused(readings, options, words):
    with pytest.raises(Malformed, match=words) as caught:
        protect_curves(readings, **{"eps": 1, "grid": "0.01", **options})
    assert "1e+300" not in str(caught.value)


def test_numbers_may_be_written_as_everywhere():
    basis = make_basis("cosine", 24, 6)
    exact = curve_mechanism(basis, eps=ln(2), grid=Fraction(1, 10), bounds=(0, Fraction(5)))
    for eps, grid, bounds in (("ln 2", "1/10", ("0", "5")), ("ln 2", 0.1, [0.0, 5.0])):
        made = curve_mechanism(basis, eps=eps, grid=grid, bounds=bounds)
        assert (made.levels, made.step, made.bounds) == (exact.levels, exact.step, exact.bounds)
    for grid in (0, Fraction(-1, 10)):
        with pytest.raises(Malformed, match="grid should be a rational step above 0"):
            curve_mechanism(basis, eps=1, grid=grid)


def test_a_mechanism_refuses_curves_of_another_width():
    mechanism = curve_mechanism(make_basis("cosine", 24, 6), eps=ln(2), grid=Fraction(1, 1000))
    with pytest.raises(SpaceMismatch, match="24 readings"):
        mechanism.randomise(example_days(2, 48))
