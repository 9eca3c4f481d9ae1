"""Black boxes with a known ε, for the audit."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Sampler = Callable[[Any, int], Any]


def response(eps: float, generator: np.random.Generator) -> Sampler:
    keep = math.exp(eps) / (1 + math.exp(eps))
    return lambda value, n: np.where(generator.random(n) < keep, value, 1 - value).tolist()


def laplace(eps: float, generator: np.random.Generator) -> Sampler:
    return lambda value, n: value + generator.laplace(0.0, 1 / eps, n)


def geometric(eps: float, generator: np.random.Generator) -> Sampler:
    def sample(value: int, n: int) -> Any:
        p = 1 - math.exp(-eps)
        return value + generator.geometric(p, n) - generator.geometric(p, n)

    return sample


def halves(table: dict[str, dict[int, int]]) -> dict[str, dict[int, int]]:
    return {x: {y: count // 2 for y, count in row.items()} for x, row in table.items()}
