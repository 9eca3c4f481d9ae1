"""Vector noise: radius, direction and density for three norms."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy import integrate, special, stats

from dprivacy.errors import BadNumber, InsecureSeedWarning, Malformed
from dprivacy.mechanisms import vector_laplace
from dprivacy.sampling import InsecureSource

NORMS = [1, 2, math.inf]


def noise(n, dimension, norm=2, eps=1, seed=3):
    mechanism = vector_laplace(dimension, eps=eps, norm=norm, numerics="idealised")
    with pytest.warns(InsecureSeedWarning):
        return mechanism.noise(n, InsecureSource(seed))


def fits(sample, law) -> bool:
    return stats.kstest(sample, law).pvalue > 1e-3


@pytest.mark.statement("T", "Thm 9.7", "Lem 9.6")
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dimension", [1, 2, 3, 10])
@pytest.mark.parametrize("eps", [0.5, 3])
def test_the_radius_is_gamma(norm, dimension, eps):
    """Density ∝ e^(−ε‖v‖) makes the norm Gamma(n, 1/ε), whatever the norm."""
    v = noise(20_000, dimension, norm, eps)
    radius = np.linalg.norm(v, ord=norm, axis=1)
    assert fits(radius, stats.gamma(dimension, scale=1 / eps).cdf)


@pytest.mark.statement("T", "Thm 9.7", "Def 9.4.3")
@pytest.mark.parametrize("dimension", [2, 3, 6])
def test_the_direction_is_uniform_on_the_sphere(dimension):
    v = noise(20_000, dimension)
    u = v / np.linalg.norm(v, axis=1, keepdims=True)
    half = (dimension - 1) / 2
    law = stats.beta(half, half, loc=-1, scale=2).cdf
    tilted = u @ (np.ones(dimension) / math.sqrt(dimension))
    for sample in (*u.T, tilted):
        assert fits(sample, law)
    radius = np.linalg.norm(v, axis=1)
    assert abs(stats.spearmanr(radius, u[:, 0]).statistic) < 0.03  # independent of the radius


def test_the_direction_on_the_cross_polytope():
    v = noise(20_000, 4, norm=1)
    u = v / np.abs(v).sum(axis=1, keepdims=True)
    for k in range(4):
        assert fits(np.abs(u[:, k]), stats.beta(1, 3).cdf)
        assert stats.binomtest(int((u[:, k] > 0).sum()), 20_000).pvalue > 1e-3


def test_the_direction_on_the_cube():
    v = noise(20_000, 3, norm=math.inf)
    u = v / np.abs(v).max(axis=1, keepdims=True)
    top = np.abs(v).argmax(axis=1)
    assert stats.chisquare(np.bincount(top)).pvalue > 1e-3
    others = np.array([np.delete(row, k) for row, k in zip(u, top, strict=True)])
    for k in range(2):
        assert fits(others[:, k], stats.uniform(-1, 2).cdf)


@pytest.mark.statement("T", "Def 9.4.1")
@pytest.mark.parametrize("norm", NORMS)
def test_the_density_is_private(norm):
    """ln f(y − x) − ln f(y − z) = ε(‖y−z‖ − ‖y−x‖) ≤ ε‖x−z‖: met with equality along a line."""
    mechanism = vector_laplace(3, eps="1/2", norm=norm, numerics="idealised")
    rng = np.random.default_rng(1)
    x, z, y = rng.normal(size=(3, 500, 3)) * 4
    of = lambda v: np.linalg.norm(v, ord=norm, axis=1)  # noqa: E731
    loss = 0.5 * (of(y - z) - of(y - x))
    allowed = 0.5 * np.array(
        [mechanism.guarantee.space.distance(a, b) for a, b in zip(x, z, strict=True)]
    )
    assert (loss <= allowed + 1e-12).all()
    beyond = 0.5 * (of(x + 5 * (x - z) - z) - of(5 * (x - z)))
    assert np.allclose(beyond, 0.5 * of(x - z))


@pytest.mark.parametrize("norm", NORMS)
def test_frequencies_of_two_inputs_obey_the_bound(norm):
    """Cells of a coarse grid: P(cell | 0) ≤ e^(ε‖x‖)·P(cell | x), within sampling error."""
    x = np.array([0.7, -0.4])
    here, there = noise(100_000, 2, norm, seed=1), noise(100_000, 2, norm, seed=2) + x
    bins = [np.arange(-3, 3.5, 1)] * 2
    p, _, _ = np.histogram2d(*here.T, bins=bins)
    q, _, _ = np.histogram2d(*there.T, bins=bins)
    bound = math.exp(np.linalg.norm(x, ord=norm))
    assert (p <= bound * q + 5 * np.sqrt(p + bound**2 * q)).all()
    assert (q <= bound * p + 5 * np.sqrt(q + bound**2 * p)).all()


@pytest.mark.statement("T", "Def 9.4.3")
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_the_constant_of_the_sphere(n):
    """Γ(n/2)/(2π^(n/2)) is one over the sphere's area; the printed Γ(n/2)/(nπ^(n/2)) is not."""
    right = special.gamma(n / 2) / (2 * math.pi ** (n / 2))
    printed = special.gamma(n / 2) / (n * math.pi ** (n / 2))
    area = {1: 2, 2: 2 * math.pi, 3: 4 * math.pi, 4: 2 * math.pi**2}.get(n)
    if area is not None:
        assert right == pytest.approx(1 / area)
    # with the radius' Gamma density it must make a density: ∫ right·ε^n/Γ(n)·e^(−εr) dV = 1
    eps = 1.7
    c = right * eps**n / special.gamma(n)
    ball = math.pi ** (n / 2) / special.gamma(n / 2 + 1)  # volume of the unit ball
    shell = lambda r: c * math.exp(-eps * r) * ball * n * r ** (n - 1)  # noqa: E731
    assert integrate.quad(shell, 0, 100)[0] == pytest.approx(1)
    assert (printed == pytest.approx(right)) == (n == 2)
    if n == 1:
        assert c == pytest.approx(eps / 2)
    if n == 2:
        assert c == pytest.approx(eps**2 / (2 * math.pi))


def within(n, N, eps, delta) -> float:
    """P(the N radii add up to at most N·Δ): Gamma(nN, 1/ε) at NΔ."""
    return stats.gamma(n * N, scale=1 / eps).cdf(N * delta)


@pytest.mark.statement("T", "Thm 9.9")
def test_how_often_a_noisy_bag_stays_close():
    """n = 3, N = 2, ε = 1, Δ = ½: 0.000594, where the printed tail e_(n−1) gives 0.0803."""
    chance = within(3, 2, 1, 0.5)
    assert chance == pytest.approx(0.000594, abs=5e-7)
    s = 1.0  # ε·N·Δ
    series = 1 - math.exp(-s) * sum(s**i / math.factorial(i) for i in range(3 * 2))
    assert chance == pytest.approx(series)
    printed = 1 - math.exp(-s) * sum(s**i / math.factorial(i) for i in range(3))
    assert printed == pytest.approx(0.0803, abs=5e-5)
    bags = 300_000
    radii = np.linalg.norm(noise(2 * bags, 3, seed=9), axis=1).reshape(bags, 2)
    close = int((radii.sum(axis=1) <= 2 * 0.5).sum())
    assert stats.binomtest(close, bags, chance).pvalue > 1e-3
    assert close < bags * printed / 50


@pytest.mark.parametrize("given", [{}, {"numerics": None}, {"numerics": "exact"}])
def test_it_must_be_asked_for_by_name(given):
    with pytest.raises(Malformed, match="idealised"):
        vector_laplace(3, eps=1, **given)


@pytest.mark.parametrize("norm", [0, 3, -1, True, "2", None, math.nan, [1]])
def test_norms_that_are_refused(norm):
    with pytest.raises(Malformed, match="norm"):
        vector_laplace(3, eps=1, norm=norm, numerics="idealised")


@pytest.mark.parametrize("dimension", [0, -1, 2.5, "3", True, None, Q(2)])
def test_dimensions_that_are_refused(dimension):
    with pytest.raises(Malformed, match="dimension"):
        vector_laplace(dimension, eps=1, numerics="idealised")


def test_values_that_are_refused():
    mechanism = vector_laplace(2, eps=1, numerics="idealised")
    assert mechanism.randomise([[1, 2], [3, 4]]).shape == (2, 2)
    assert mechanism.randomise(np.zeros((0, 2))).shape == (0, 2)
    for wrong in ([1, 2], [[1, 2, 3]], [["x", 1]], [[10**400, 0]], np.array([[1j, 0]]), None):
        with pytest.raises(Malformed):
            mechanism.randomise(wrong)
    with pytest.raises(BadNumber, match="row 1 holds a number that is not finite"):
        mechanism.randomise([[0, 0], [math.nan, 0]])
