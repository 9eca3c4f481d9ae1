"""Test vectors of places: noise that Python draws, one proposal after the other, as the client does."""

import hashlib
import json
from collections.abc import Iterator
from fractions import Fraction as Q
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.geo import place_mechanism
from dprivacy.numbers import Level, exp_bounds, ln
from dprivacy.sampling import DeviceSource, PlanarNoise
from dprivacy.sampling.geometric_digits import GeometricDigit
from support.client_vectors import CONTEXTS, KEY, Exhausted, Given, stream_of

CENTRE = (40.7, -74.0)
NEAR = [(40.7, -74.0), (40.7484, -73.9857), (40.5, -74.3), (41.2, -73.1)]
OPTIONS: list[dict[str, Any]] = [
    {"eps": "ln 4", "radius": "200 m"},
    {"eps": "1", "radius": "1 km", "cell": "50 m"},
    {"eps": "1/2", "radius": "150", "cell": "10 m", "step": "1/2"},
    {"eps": "ln(7/2)", "radius": "50 m", "step": "5 m"},
    {"eps": "0.01", "radius": "30 km", "cell": "75 m"},
]
ONES = b"\xff" * 8


def mechanism_of(options: dict[str, Any]) -> Any:
    return place_mechanism(region=f"{CENTRE[0]}, {CENTRE[1]}, 100 km", **options)


def one_point(noise: PlanarNoise, source: Any) -> list[int]:
    """The first proposal that is accepted."""
    while True:
        axes = [noise._proposal.draw(1, source) for _ in range(2)]
        if noise.accepts(axes, source.words(1), source)[0]:
            return [int(axis[0]) for axis in axes]


def reported(mechanism: Any, place: tuple[float, float], source: Any) -> list[float]:
    """What is reported for a place."""
    cell = mechanism.cells(*(np.array([side]) for side in place))[0]
    steps = cell * mechanism._steps_per_cell + one_point(mechanism.noise, source)
    return [float(side[0]) for side in mechanism.places(mechanism.points(steps[None]))]


def edge_of(noise: PlanarNoise, point: list[int]) -> int:
    """⌊2^64·e^(−t)⌋ for the t of a proposal: a first word of U that decides nothing."""
    bits = 300
    square = sum(v * v for v in point)
    (low, high), far = noise.level.bounds(bits), Q(isqrt(square << (2 * bits)), 1 << bits)
    near = noise._rate * sum(map(abs, point))
    least, most = low * far - near, high * (far + Q(1, 1 << bits)) - near
    below, above = exp_bounds(-most, -least, bits)
    assert int(below * 2**64) == int(above * 2**64)
    return int(below * 2**64)


def forced(mechanism: Any) -> Iterator[bytes]:
    """Streams whose first words decide nothing, or decide something far away."""
    after = stream_of("after", 4000)
    noise, residual = mechanism.noise, (255 << 56).to_bytes(8, "little")
    digits = len(noise._proposal.digits)
    yield residual + after
    yield residual + bytes(8) + after
    yield residual + ONES * 3 + after
    yield after[:8] + residual + ONES + after
    yield bytes(8) * (4 * digits) + ONES * 2 + after  # (0, 0), and U as close to 1 as it gets
    for name in ("a", "b", "c"):
        proposal = stream_of(name, 4 * digits)
        source = Given(proposal)
        point = [int(noise._proposal.draw(1, source)[0]) for _ in range(2)]
        if source.at != len(proposal) or not any(point):
            continue
        for u in (edge_of(noise, point) + d for d in (-1, 0, 1)):
            for then in (bytes(8), ONES, b""):
                yield proposal + u.to_bytes(8, "little") + then + after


def question_of(mechanism: Any, options: dict[str, Any]) -> str:
    """The hash that stands for what is asked, as the client writes it."""
    eps = options["eps"]
    level = Q(eps.removeprefix("ln").strip("() "))
    lengths = (mechanism.guarantee.radius, mechanism.cell, mechanism.step)
    told: list[Any] = [
        "true" if eps.startswith("ln") else "false",
        level.numerator,
        level.denominator,
    ]
    for length in lengths:
        told += [length.numerator, length.denominator]
    text = ",".join(map(str, [*told, CENTRE[0], int(CENTRE[1])]))
    return hashlib.sha256(f"dprivacy places 1 {text}".encode()).hexdigest()


def enclosed() -> Iterator[tuple[str, str, int, str, str]]:
    """Fractions x > 1 with a number of bits, and ⌊2^bits·e^(−x)⌋ and ⌊2^bits·ln x⌋ from balls."""
    for x in (
        Q(3, 2),
        Q(2),
        Q(10**30 + 1, 10**30),
        Q(7, 3),
        Q(255),
        Q(10**40),
        Q(2**64 - 1, 2**32),
    ):
        for bits in (16, 64, 200, 1000):
            small = min(x, Q(300))
            below, above = (int(side * 2**bits) for side in exp_bounds(-small, -small, bits + 600))
            least, most = (int(side * 2**bits) for side in ln(x).bounds(bits + 600))
            assert (below, least) == (above, most)
            yield hex(x.numerator), hex(x.denominator), bits, hex(below), hex(least)


def digit_twins() -> Iterator[tuple[str, str, bool, str]]:
    """What every 16-bit word gives for some digits of geometric numbers: a hash."""
    words = np.arange(1 << 16, dtype=np.uint64)
    for rate in (Q(538141561, 2**39), Q(1, 4), Q(3, 2), Q(1, 1000), Q(20)):
        for top in (False, True):
            found = GeometricDigit(Level(rate), top=top, bits=16).from_words(words).astype("<i2")
            hashed = hashlib.sha256(found.tobytes()).hexdigest()
            yield hex(rate.numerator), hex(rate.denominator), top, hashed


def write_places(folder: Path, *, words: int) -> None:
    """All vectors, in places.json."""
    found = []
    for options in OPTIONS:
        mechanism = mechanism_of(options)
        stream = stream_of(str(options), words)
        source, reports = Given(stream), []
        try:
            while True:
                reports.append(reported(mechanism, NEAR[len(reports) % len(NEAR)], source))
        except Exhausted:
            pass
        streams = []
        for given in forced(mechanism):
            source = Given(given)
            streams.append([reported(mechanism, CENTRE, source), given[: source.at].hex()])
        permanent = []
        question = question_of(mechanism, options)
        for context in CONTEXTS:
            for place in NEAR:
                cell = mechanism.cells(*(np.array([side]) for side in place))[0].tolist()
                words_of = DeviceSource(KEY, question, context, *cell)
                permanent.append([context, place, reported(mechanism, place, words_of)])
        told = {"options": {**options, "centre": CENTRE}, "stream": stream.hex()}
        told |= {"reports": reports, "forced": streams, "permanent": permanent}
        found.append({**told, "sha256": question})
    told = {"near": NEAR, "key": KEY.hex(), "places": found, "enclosed": list(enclosed())}
    told["twins"] = list(digit_twins())
    (folder / "places.json").write_text(json.dumps(told))
