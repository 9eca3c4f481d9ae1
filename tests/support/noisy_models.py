"""Rows of a model whose columns went through channels: a number, a category, maybe the outcome."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import as_channel

COIN = randomised_response([0, 1], eps="ln 3")
COLOUR = randomised_response(["red", "green", "blue"], eps="ln 4")
AGE = geometric(61, eps="3/10")
JOB = randomised_response(["a", "b", "c"], eps="3/2")
TWO = randomised_response([0, 1], eps="2")
THREE = randomised_response([0, 1, 2], eps="5/2")
NUMBER = geometric(41, eps="1")
SLOPES = {"age": 0.08, "job=b": 0.7, "job=c": -0.4, "z": -0.5}


def drawn(codes: Any, mechanism: Any, rng: np.random.Generator) -> np.ndarray:
    """Values by their positions, sent through a mechanism's channel; seeded."""
    channel = as_channel(mechanism)
    reach = np.cumsum(channel.matrix.floats, axis=1)
    labels = np.array([float(c) if not isinstance(c, str) else c for c in channel.columns])
    if labels.dtype.kind == "f" and (labels == np.round(labels)).all():
        labels = labels.astype(int)
    found = np.empty(len(codes), dtype=int)
    for part in np.array_split(np.arange(len(codes)), 1 + len(codes) // 20_000):
        found[part] = (rng.random(len(part))[:, None] > reach[np.asarray(codes)[part]]).sum(axis=1)
    return labels[np.minimum(found, len(labels) - 1)]


@dataclass(frozen=True)
class ModelRows:
    """A table before and after its noise, and the coefficients it was drawn with."""

    formula: str
    true_columns: dict[str, np.ndarray]
    released: dict[str, np.ndarray]
    channels: dict[str, Any]
    truth: dict[str, float]

    def numbers_only(self) -> dict[str, Any]:
        """Channels that change nothing: what a reader who ignores the noise would take."""
        return {
            name: as_channel(np.eye(len(found.rows)), rows=found.rows, columns=found.columns)
            for name, found in ((k, as_channel(v)) for k, v in self.channels.items())
        }


def model_rows(
    rng: np.random.Generator, n: int, family: str, *, noisy_outcome: bool = False
) -> ModelRows:
    """A noisy number on 61 points, correlated with a clean one, and a noisy category of three."""
    z = rng.normal(size=n).round(1)
    age = np.clip(np.round(30 + 5 * z + rng.normal(0, 9, n)), 0, 60).astype(int)
    job = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    line = 0.08 * (age - 30) - 0.5 * z + 0.7 * (job == 1) - 0.4 * (job == 2)
    y, truth, channel = _outcome(rng, family, line)
    true = {"y": y, "age": age, "job": np.array(list("abc"))[job], "z": z}
    released = dict(true, age=drawn(age, AGE, rng), job=drawn(job, JOB, rng))
    channels = {"age": AGE, "job": JOB}
    if noisy_outcome:
        released["y"] = drawn(y, channel, rng)
        channels["y"] = channel
    return ModelRows("y ~ age + job + z", true, released, channels, truth)


def _outcome(rng: np.random.Generator, family: str, line: np.ndarray) -> Any:
    n, start = len(line), {"intercept": -0.3 - 0.08 * 30}
    if family == "linear":
        y = np.clip(np.round(20 + 4 * (line + rng.normal(size=n))), 0, 40).astype(int)
        slopes = {k: 4 * v for k, v in SLOPES.items()}
        return y, {"intercept": 20 - 4 * 0.08 * 30} | slopes, NUMBER
    if family == "logistic":
        y = (rng.random(n) < 1 / (1 + np.exp(-(line - 0.3)))).astype(int)
        return y, start | SLOPES, TWO
    if family == "poisson":
        half = {k: v / 2 for k, v in SLOPES.items()}
        y = np.minimum(rng.poisson(np.exp(line / 2 - 0.3)), 40)
        return y, {"intercept": -0.3 - 0.04 * 30} | half, NUMBER
    if family == "ordinal":
        latent = line + rng.logistic(size=n)
        cuts = {"0|1": -1 + 0.08 * 30, "1|2": 1 + 0.08 * 30}
        return (latent > -1).astype(int) + (latent > 1), cuts | SLOPES, THREE
    second = 0.2 - 0.5 * line
    raised = np.stack([np.zeros(n), line - 0.3, second], axis=1)
    shares = np.exp(raised) / np.exp(raised).sum(axis=1, keepdims=True)
    y = (rng.random(n)[:, None] > np.cumsum(shares, axis=1)).sum(axis=1)
    truth = {f"1: {k}": v for k, v in (start | SLOPES).items()}
    truth["2: intercept"] = 0.2 + 0.5 * 0.08 * 30
    truth |= {f"2: {k}": -v / 2 for k, v in SLOPES.items()}
    return y, truth, THREE
