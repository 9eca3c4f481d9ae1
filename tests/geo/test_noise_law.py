"""Where reports fall: the radius, the angle, and that the two have nothing to do with each other."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

from dprivacy.geo import NoiseLaw, displacement, place_mechanism, protect_places
from dprivacy.sampling import InsecureSource
from support.geo_truth import GEOD, TRICKY

pytestmark = pytest.mark.filterwarnings("ignore::dprivacy.errors.InsecureSeedWarning")


def moved(lat, lon, n, seed, **given):
    found = protect_places(np.full(n, lat), np.full(n, lon), insecure_seed=seed, **given).data
    angle, _, away = GEOD.inv(np.full(n, lon), np.full(n, lat), found.lon, found.lat)
    return np.asarray(away), np.asarray(angle), found


@pytest.mark.statement("T", "Def 9.4.1")
@pytest.mark.parametrize("place", [(40.7, -74.0), *TRICKY[:7]])
def test_the_radius_is_gamma_and_the_direction_uniform_and_independent(place):
    """By pyproj's geodesics, through all of the pipeline, at the date line and the poles too."""
    away, angle, found = moved(*place, 8_000, 3, region=(*place, "50 km"))
    rate = float(found.guarantee.eps)
    assert stats.kstest(away * rate, stats.gamma(2).cdf).pvalue > 1e-4
    assert stats.kstest(angle, stats.uniform(-180, 360).cdf).pvalue > 1e-4
    quarter = np.searchsorted(stats.gamma(2).ppf([0.25, 0.5, 0.75]), away * rate)
    eighth = ((angle + 180) // 45).astype(int) % 8
    table = np.histogram2d(quarter, eighth, bins=(4, 8))[0]
    assert stats.chi2_contingency(table).pvalue > 1e-4


@pytest.mark.parametrize("place", [(40.7, -74.0), (90.0, 0.0), (0.0, 180.0)])
def test_noise_in_space_leaves_this_displacement_along_the_surface(place):
    away, angle, found = moved(*place, 8_000, 4)
    law = found.law
    assert law.axes == 3
    assert (
        stats.kstest(away, lambda t: 1 - np.array([law.beyond(v) for v in np.atleast_1d(t)])).pvalue
        > 1e-4
    )
    assert stats.kstest(angle, stats.uniform(-180, 360).cdf).pvalue > 1e-4


@pytest.mark.parametrize("axes", [2, 3])
def test_mean_and_quantile_agree_with_the_distribution(axes):
    law = NoiseLaw(0.004, axes)
    t = np.linspace(0, 40 / law.rate, 200_001)
    tail = np.array([law.beyond(v) for v in t[::100]])
    assert math.isclose(trapezoid(tail, t[::100]), law.mean, rel_tol=1e-3)
    assert math.isclose(law.beyond(law.quantile(0.95)), 0.05, rel_tol=1e-9)
    assert law.beyond(0) == 1
    told = law.to_dict()
    assert told["mean_m"] == law.mean
    assert ("planar" in law.explain()) == (axes == 2)


def test_against_the_exact_discrete_law_on_a_coarse_lattice():
    """Chi-square of the lattice points themselves against C·e^(−level·‖v‖)."""
    mechanism = place_mechanism(
        radius="200 m", eps="ln 4", cell="100 m", step="100 m", region="0,0,9 km"
    )
    cells = np.zeros((60_000, 2), dtype=np.int64)
    drawn = mechanism.noisy(cells, InsecureSource(9))
    level = float(mechanism.guarantee.eps) * 100
    g = np.arange(-60, 61)
    law = np.exp(-level * np.hypot(g[:, None], g))
    law /= law.sum()
    seen = np.zeros(law.shape)
    np.add.at(seen, tuple((np.clip(drawn, -60, 60) + 60).T), 1)
    big = law * len(drawn) > 5
    observed = [*seen[big], len(drawn) - seen[big].sum()]
    expected = [*(law[big] * len(drawn)), len(drawn) * (1 - law[big].sum())]
    assert stats.chisquare(observed, expected).pvalue > 1e-4


def test_displacement_is_what_the_law_says():
    n = 20_000
    lat, lon = np.full(n, 10.0), np.full(n, 20.0)
    found = protect_places(lat, lon, region="10, 20, 9 km", insecure_seed=2).data
    measured = displacement(lat, lon, found.lat, found.lon)
    assert math.isclose(measured.mean, found.law.mean, rel_tol=0.03)
    assert math.isclose(measured.within_95, found.law.quantile(), rel_tol=0.03)
    assert "from the truth is" in str(measured)
    assert measured.to_dict()["places"] == n
