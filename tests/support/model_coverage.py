"""How often intervals of regressions hold the truth: many tables drawn from one model, and released."""

from dataclasses import dataclass

import numpy as np

from dprivacy.errors import Unidentified
from dprivacy.estimation import regress
from support.noisy_models import model_rows


@dataclass(frozen=True)
class Coverage:
    """Of one coefficient: how often its interval held the truth, and how far off it was.

    `error` is the mean standard error; `bias` is the mean distance from the truth and `spread` the
    standard deviation of the estimates, both in units of `error`.
    """

    name: str
    runs: int
    truth: float
    error: float
    covered: float
    bias: float
    spread: float


def coverage(
    family: str, runs: int, *, rows: int = 4000, noisy_outcome: bool = False, seed: int = 0
) -> list[Coverage]:
    """For every coefficient of a model with a noisy number, a noisy category and a clean number."""
    off, errors, held = [], [], []
    for k in range(runs):
        rng = np.random.default_rng([seed, k])
        case = model_rows(rng, rows, family, noisy_outcome=noisy_outcome)
        fit = regress(case.formula, case.released, channels=case.channels, family=family)
        truth = np.array([case.truth[name] for name in fit.names])
        ends = np.array(list(fit.intervals.values()))
        off.append(fit.values - truth)
        errors.append(np.sqrt(np.diagonal(fit.covariance)))
        held.append((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
    size = np.mean(errors, axis=0)
    found = np.stack(
        [
            truth,
            size,
            np.mean(held, axis=0),
            np.mean(off, axis=0) / size,
            np.std(off, axis=0) / size,
        ],
        axis=1,
    )
    return [Coverage(k, runs, *row) for k, row in zip(fit.names, found.tolist(), strict=True)]


def alarms(runs: int, rows: int) -> list[str]:
    """What a logistic model with a noisy outcome alone was refused for, over many tables."""
    told = []
    for k in range(runs):
        case = model_rows(np.random.default_rng([99, k]), rows, "logistic", noisy_outcome=True)
        data = {name: case.true_columns[name] for name in ("age", "job", "z")}
        data["y"] = case.released["y"]
        try:
            fit = regress(case.formula, data, channels={"y": case.channels["y"]})
        except Unidentified as error:
            told.append(str(error))
        else:
            if not fit.decrement <= 1e-6:
                told.append(f"run {k}: decrement {fit.decrement}")
    return told
