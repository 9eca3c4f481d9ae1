"""The same numbers as R: survey on columns without noise; near simex where noise is mild."""

import numpy as np
import pandas as pd
import pytest

from dprivacy.estimation import Survey, regress
from dprivacy.mechanisms import randomised_response
from dprivacy.release import received, regress_release, sanitise
from support.noisy_models import drawn
from support.r_scripts import in_r

PLAN = {
    "columns": {"q": {"type": "categories", "values": ["no", "yes"], "epsilon": "ln 3"}},
    "pass_through": ["x", "grp", "line", "yes", "count", "mark", "w", "stratum", "psu", "fpc"]
    + [f"r{k}" for k in range(10)],
}  # fmt: skip


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """400 rows in 4 strata of 10 clusters, of which 40 were drawn from."""
    rng = np.random.default_rng(0)
    n = 400
    psu = np.arange(n) // 10
    x, g = rng.normal(size=n).round(3), rng.choice(["a", "b", "c"], n)
    score = 0.6 * x + 0.5 * (g == "b") - 0.4 * (g == "c") + rng.normal(size=40)[psu] / 2
    latent = score + rng.logistic(size=n)
    found = {
        "x": x,
        "grp": g,
        "line": (score + rng.normal(size=n)).round(3),
        "yes": (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int),
        "count": rng.poisson(np.exp(score / 2)),
        "mark": (latent > -0.5).astype(int) + (latent > 1.0),
        "w": rng.integers(1, 60, n) / 8,
        "stratum": psu // 10,
        "psu": psu,
        "fpc": 40,
        "q": rng.choice(["no", "yes"], n),
    }
    group = psu % 10
    return pd.DataFrame(
        found | {f"r{k}": np.where(group == k, 0.0, found["w"] * 10 / 9) for k in range(10)}
    )


@pytest.fixture(scope="module")
def by_r(table, tmp_path_factory) -> dict[str, list[float]]:
    folder = tmp_path_factory.mktemp("survey")
    table.to_csv(folder / "t.csv", index=False)
    return in_r(SURVEY_SCRIPT, folder)


SURVEY_SCRIPT = """
suppressMessages(library(survey))
t <- read.csv("t.csv", stringsAsFactors = TRUE)
d <- svydesign(id = ~psu, strata = ~stratum, weights = ~w, data = t)
f <- svydesign(id = ~psu, strata = ~stratum, weights = ~w, fpc = ~fpc, data = t)
s <- svydesign(id = ~1, weights = ~w, data = t)
j <- svrepdesign(weights = ~w, repweights = "r[0-9]", data = t, type = "other", scale = 0.9,
                 rscales = 1, combined.weights = TRUE, mse = TRUE)
for (k in c("d", "f", "s", "j")) {
  e <- get(k)
  a <- svytotal(~x, e); say(paste0(k, ".total"), c(coef(a), SE(a)))
  a <- svymean(~x, e); say(paste0(k, ".mean"), c(coef(a), SE(a)))
  a <- svyby(~x, ~grp, e, svytotal); say(paste0(k, ".by"), c(coef(a), SE(a)))
  a <- svyglm(line ~ x * grp, e, epsilon = 1e-13)
  say(paste0(k, ".linear"), c(coef(a), SE(a))); say(paste0(k, ".ends"), t(confint(a)))
  a <- svyglm(yes ~ x * grp, e, family = quasibinomial(), epsilon = 1e-13)
  say(paste0(k, ".logistic"), c(coef(a), SE(a)))
  a <- svyglm(count ~ x * grp, e, family = quasipoisson(), epsilon = 1e-13)
  say(paste0(k, ".poisson"), c(coef(a), SE(a)))
}
"""
ORDINAL_SCRIPT = """
suppressMessages(library(survey))
t <- read.csv("t.csv", stringsAsFactors = TRUE); t$mark <- factor(t$mark)
d <- svydesign(id = ~psu, strata = ~stratum, weights = ~w, data = t)
a <- svyolr(mark ~ x + grp, d)
say("slopes", coef(a)); say("errors", SE(a))
"""
DESIGNS = {
    "d": Survey(weights="w", strata="stratum", clusters="psu"),
    "f": Survey(weights="w", strata="stratum", clusters="psu", fraction=10 / 40),
    "s": Survey(weights="w"),
    "j": Survey(weights="w", replicates=tuple(f"r{k}" for k in range(10)), scale=0.9),
}


@pytest.mark.service("r-survey")
@pytest.mark.parametrize("design", DESIGNS)
class TestSurvey:
    """Totals, means, ratios and models on columns that were passed through."""

    def test_totals_and_means(self, table, by_r, design):
        asked = {"survey": DESIGNS[design], "of": "population"}
        release = received(sanitise(table, PLAN))
        for name, found in (
            ("total", release.total("x", **asked)),
            ("mean", release.mean("x", **asked)),
            ("by", release.total("x", by="grp", **asked)),
        ):
            ours = [e.value for e in found.entries] + [e.standard_error for e in found.entries]
            assert ours == pytest.approx(by_r[f"{design}.{name}"], rel=1e-9), name

    @pytest.mark.parametrize("family", ["linear", "logistic", "poisson"])
    def test_models(self, table, by_r, design, family):
        y = {"linear": "line", "logistic": "yes", "poisson": "count"}[family]
        released = sanitise(table, PLAN)
        found = regress_release(released, f"{y} ~ x*grp", family=family, survey=DESIGNS[design])
        ours = [*found.values, *found.standard_errors.values()]
        assert ours == pytest.approx(by_r[f"{design}.{family}"], rel=2e-6)
        if family == "linear":
            ends = [end for both in found.intervals.values() for end in both]
            assert ends == pytest.approx(by_r[f"{design}.ends"], rel=1e-5)


@pytest.mark.service("r-survey", "r-mass")
def test_an_ordinal_model(table, tmp_path):
    table.to_csv(tmp_path / "t.csv", index=False)
    by_r = in_r(ORDINAL_SCRIPT, tmp_path)
    found = regress("mark ~ x + grp", table, family="ordinal", survey=DESIGNS["d"])
    slopes = found.names[2:]
    assert [found.coefficients[k] for k in slopes] == pytest.approx(by_r["slopes"][:3], rel=2e-3)
    assert [found.standard_errors[k] for k in slopes] == pytest.approx(by_r["errors"][:3], rel=2e-2)


SIMEX_SCRIPT = """
suppressMessages(library(simex))
set.seed(1)
t <- read.csv("t.csv"); t$job <- factor(t$job, levels = c("a", "b"))
naive <- glm(y ~ job + z, binomial, data = t, x = TRUE, y = TRUE)
M <- matrix(c(0.9, 0.1, 0.1, 0.9), 2, dimnames = list(c("a", "b"), c("a", "b")))
fit <- mcsimex(naive, SIMEXvariable = "job", mc.matrix = M, B = 200, asymptotic = FALSE)
say("fit", coef(fit)); say("naive", coef(naive))
"""


def mild_noise() -> tuple[dict[str, np.ndarray], object]:
    """A covariate of two classes, one in ten of which was turned over."""
    rng = np.random.default_rng(3)
    job, z = rng.integers(0, 2, 20_000), rng.normal(size=20_000).round(1)
    y = (rng.random(20_000) < 1 / (1 + np.exp(0.3 - 1.0 * job - 0.5 * z))).astype(int)
    turned = randomised_response(["a", "b"], eps="ln 9")
    return {"y": y, "job": drawn(job, turned, rng), "z": z}, turned


@pytest.mark.service("r-simex")
def test_mild_noise_as_simex_extrapolates_it(tmp_path):
    """MC-SIMEX is approximate: near ours, and much nearer than the naive fit."""
    data, turned = mild_noise()
    pd.DataFrame(data).to_csv(tmp_path / "t.csv", index=False)
    theirs = in_r(SIMEX_SCRIPT, tmp_path)
    ours = regress("y ~ job + z", data, channels={"job": turned})
    assert theirs["fit"] == pytest.approx(ours.values, abs=0.06)
    assert abs(theirs["naive"][1] - ours.values[1]) > 0.12


def test_mild_noise_as_mc_simex_is_defined():
    """Add noise Π^λ to the noise, fit as if there were none, and extrapolate a parabola to λ = −1."""
    data, turned = mild_noise()
    rng, at = np.random.default_rng(4), (data["job"] == "b").astype(int)
    levels, fits = (0.0, 0.5, 1.0, 1.5, 2.0), []
    for level in levels:
        flip = (1 - 0.8**level) / 2  # the chance that Π^λ turns a class over, with 1 − 2/10 = 0.8
        runs = []
        for _ in range(5 if level else 1):
            worse = np.where(rng.random(20_000) < flip, 1 - at, at)
            seen = {**data, "job": np.array(["a", "b"])[worse]}
            runs.append(regress("y ~ job + z", seen).values)
        fits.append(np.mean(runs, axis=0))
    simex = np.array([np.polyval(np.polyfit(levels, line, 2), -1) for line in np.transpose(fits)])
    ours = regress("y ~ job + z", data, channels={"job": turned})
    assert simex == pytest.approx(ours.values, abs=0.06)
    assert abs(fits[0][1] - ours.values[1]) > 0.12
    assert abs(ours.coefficients["job=b"] - 1.0) < 4 * ours.standard_errors["job=b"]
