"""What the referee looks at: every family of mechanisms on raw inputs, and workflows."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction as Q
from functools import partial
from typing import Any

import numpy as np

from dprivacy.design import optimal
from dprivacy.mechanisms import (
    FAMILIES,
    LocalMechanism,
    bitwise_response,
    integer_geometric,
    laplace,
    oblivious,
    over_rows,
    planar_laplace,
    randomised_response,
    sequential,
    vector_laplace,
)
from support.enumerated_draws import local_laws
from support.raw_laws import Law, Path, promise_of, watched

LEVELS = ("ln 2", "1", "ln 3", "sqrt(2)", "1/50", *(f"{k}/7" for k in range(1, 40) if k % 7))
ENOUGH = 200


def either_side(*numbers: float) -> list[float]:
    """Numbers with the doubles just below and just above them."""
    return [
        float(n) for x in numbers for n in (np.nextafter(x, -np.inf), x, np.nextafter(x, np.inf))
    ]


def drawn(mechanism: Any) -> Callable[[Sequence[Any]], list[Law]]:
    """The laws of a mechanism that draws from rows of weights."""

    def laws(values: Sequence[Any]) -> list[Law]:
        with watched() as seen:
            mechanism.randomise(list(values))
        return seen.laws(len(values))

    return laws


def finite(name: str, mechanism: Any, covers: set[str]) -> Path:
    guarantee = mechanism.guarantee
    return Path(
        name,
        mechanism.channel.rows,
        partial(local_laws, mechanism)
        if isinstance(mechanism, LocalMechanism)
        else drawn(mechanism),
        promise_of(guarantee),
        Q(guarantee.delta),
        frozenset(covers | {type(mechanism).__name__}),
        guarantee,
    )


def families() -> Iterator[Path]:
    """Every family with listed values, at as many levels as give enough pairs."""
    for family in FAMILIES:
        pairs = 0
        for level, case in itertools.product(LEVELS, family.cases):
            if pairs >= ENOUGH:
                break
            mechanism = family.build(eps=level, **case)
            if mechanism.channel is not None:
                found = finite(family.name, mechanism, {family.name})
                pairs += len(found.values) * (len(found.values) + 1) // 2
                yield found


RAW = [
    *either_side(0, 0.5, 1, 1.5, 2.5, 3, 9.5, 10, 7.35),
    -0.0, 1e300, -1e300, 5e-324, 0.1 + 0.2, -7, 12, 10.4999, 4.75,
]  # fmt: skip


def grids() -> Iterator[Path]:
    """Numbers, pairs of numbers and vectors, off the grid as people have them."""
    listed = laplace(0, 10, eps="ln 2", grid=1)
    yield Path(
        "laplace, listed",
        RAW,
        drawn(listed),
        promise_of(listed.guarantee, space=listed.grid),
        covers=frozenset({"laplace", "GridNoise"}),
    )
    for name, mechanism, values in (
        ("laplace, a wide range", laplace(-5, 10**6, eps=1, grid="1/10"), [*RAW, 0.05, 999999.95]),
        ("laplace, a third", laplace(0, 1000, eps="1/3", grid="1/3"), [*RAW, 1 / 6, 5 / 6, 1 / 3]),
        ("integer_geometric", integer_geometric(eps="ln 3"), [x for x in RAW if abs(x) < 1e9]),
    ):  # fmt: skip
        yield Path(
            name,
            values,
            lambda values, made=mechanism: around_steps(made, values),
            promise_of(mechanism.guarantee, space=mechanism.grid),
            covers=frozenset({mechanism.family, "GridNoise"}),
        )
    slack = laplace(0, 1, eps=1, grid="1/10", delta="1/10")
    yield Path(
        "laplace, with slack",
        [*either_side(0, 0.05, 0.15, 0.5, 0.95, 1), 0.3, 0.1 + 0.2, -3, 1e300],
        drawn(slack),
        promise_of(slack.guarantee, space=slack.grid),
        Q(slack.guarantee.delta),
    )
    points = [
        *itertools.product(either_side(0.125, 0.5), (0.125, -0.375)),
        (0, 0), (1e6, -1e6), (0.12, 0.13), (3, 4), (-0.0, 0.1), (0.1 + 0.2, 0.3), (2.5, 2.5), (7, 0),
    ]  # fmt: skip
    for grid in ("1/4", "1/3"):
        planar = planar_laplace(eps="ln 2", grid=grid)
        yield Path(
            f"planar_laplace, grid {grid}",
            points,
            lambda values, made=planar: around_points(made, values),
            promise_of(planar.guarantee),
            covers=frozenset({"planar_laplace", "PlanarMechanism"}),
        )
    for norm in (1, 2, np.inf):
        ideal = vector_laplace(2, eps="1/3", norm=norm, numerics="idealised")
        yield Path(
            f"vector_laplace, norm {norm}",
            points,
            lambda values, made=ideal: _around_vectors(made, values),
            promise_of(ideal.guarantee),
            covers=frozenset({"vector_laplace", "VectorMechanism"}),
        )
    bits = list(itertools.product((0, 1), repeat=12))[::170]
    yield Path(
        "bitwise_response",
        bits,
        drawn(bitwise_response(12, eps=1)),
        promise_of(bitwise_response(12, eps=1).guarantee),
        covers=frozenset({"bitwise_response", "BitwiseMechanism"}),
    )


def around_steps(mechanism: Any, values: Sequence[float]) -> list[Law]:
    with watched() as seen:
        points = mechanism.randomise(list(values))
    low, step = mechanism.grid.low or 0, mechanism.grid.step
    return seen.around([[round((Q(point) - low) / step)] for point in points])


def around_points(mechanism: Any, values: Sequence[Any]) -> list[Law]:
    with watched() as seen:
        points = mechanism.randomise(list(values))
    return seen.around([[round(Q(v) / mechanism.step) for v in p] for p in points.tolist()], 2)


def _around_vectors(mechanism: Any, values: Sequence[Any]) -> list[Law]:
    with watched() as seen:
        points = mechanism.randomise(list(values))
    return seen.around(points.tolist(), mechanism.norm)


def workflows() -> Iterator[Path]:
    labels = [f"v{k}" for k in range(20)]
    coin, line = randomised_response(labels, eps="ln 3"), laplace(0, 19, eps=1, grid=1).inner
    yield finite("sequential", sequential(coin, coin), {"sequential"})
    yield finite("oblivious", oblivious(line, sum, "cube:5"), {"oblivious"})
    yield finite("over_rows", over_rows(randomised_response("discrete:5", eps=1), 2), {"over_rows"})
    yield finite("optimal", optimal("line:20", eps="ln 2").mechanism(), {"optimal"})
