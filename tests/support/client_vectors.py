"""Test vectors that both languages replay: files, words, and what Python draws from them."""

import hashlib
import json
from collections.abc import Iterator
from fractions import Fraction as Q
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.mechanisms import (
    ChannelMechanism,
    LocalMechanism,
    geometric,
    hashed_response,
    projective_response,
    randomised_response,
    subset_response,
    unary_response,
)
from dprivacy.sampling import CategoricalSampler, DeviceSource
from dprivacy.sampling.exact_coins import toss_of_words
from dprivacy.sampling.random_source import Source, uniform_below
from dprivacy.spaces import line
from dprivacy.store.stored_nouns import stored_text

Mechanism = ChannelMechanism | LocalMechanism
KEY = bytes(range(32))
CONTEXTS = ("smokes", "dé 🙂", "with\0nothing", "")
_ALL16 = np.arange(1 << 16, dtype=np.uint64)


class Exhausted(Exception):
    """A stream of given words has come to its end."""


class Given:
    """The words in some bytes, one after the other, for words and uniform numbers alike."""

    secure = False

    def __init__(self, stream: bytes) -> None:
        self._stream, self.at = stream, 0

    def _take(self, size: int) -> bytes:
        if self.at + size > len(self._stream):
            raise Exhausted
        self.at += size
        return self._stream[self.at - size : self.at]

    def words(self, n: int) -> Any:
        return np.frombuffer(self._take(8 * n), "<u8").astype(np.uint64)

    def below(self, bound: int) -> int:
        return uniform_below(bound, self._take)


def stream_of(name: str, words: int) -> bytes:
    """So many words that depend on a name."""
    return hashlib.shake_256(name.encode()).digest(8 * words)


def tables() -> Iterator[ChannelMechanism]:
    """Explicit channels."""
    yield randomised_response(["yes", "no", "ünsicher 🙂"], eps="ln 3")
    yield geometric(line(7), eps=1)
    yield randomised_response(range(20), eps="1/2")
    yield randomised_response([None, "null", Q(1, 3), 0.5, (1, "a"), True], eps="ln 2")
    yield randomised_response([f"item {i}" for i in range(70)], eps=4)


def locals_() -> Iterator[LocalMechanism]:
    """Local mechanisms: every family, with fields of all kinds."""
    for q, k in (
        (2, 7),
        (3, 30),
        (4, 1024),
        (5, 6),
        (8, 60),
        (9, 50),
        (16, 17),
        (25, 26),
        (27, 300),
        (256, 257),
    ):
        yield projective_response([f"item {i}" for i in range(k)], eps=1, q=q)
    yield projective_response(range(3), eps="ln 5", q=3, t=9)
    for q, k in ((2, 4), (3, 9), (4, 100), (7, 20), (9, 60)):
        yield hashed_response(range(k), eps="ln 3", q=q)
    for k, size in ((2, 1), (6, 2), (20, 5), (9, 8), (60, 30)):
        yield subset_response([f"é{i}" for i in range(k)], eps="3/2", size=size)
    yield unary_response(["tea", "coffee"], eps="ln 3")
    yield unary_response(range(20), eps=1)
    yield unary_response(range(8), eps=1, kind="symmetric")
    yield unary_response(range(130), eps="ln 4", kind="symmetric")


def labels_of(mechanism: Mechanism) -> tuple[Any, ...]:
    return mechanism.labels if isinstance(mechanism, LocalMechanism) else mechanism.channel.rows


def drawn(mechanism: Mechanism, code: int, source: Source) -> Any:
    """One report, as the client gives it."""
    codes = np.array([code])
    if isinstance(mechanism, ChannelMechanism):
        return int(sampler_of(mechanism).draw(codes, source)[0])
    report = mechanism.reports.draw(codes, source)[0]
    return report.tobytes().hex() if report.dtype == np.uint8 else report.tolist()


def sampler_of(mechanism: ChannelMechanism) -> CategoricalSampler:
    return mechanism._sampler


def odds_of(mechanism: Mechanism) -> Q:
    """The largest factor by which a report changes the odds between two labels."""
    if isinstance(mechanism, LocalMechanism):
        return mechanism.factor
    columns = zip(*mechanism.channel.matrix.entries.tolist(), strict=True)
    return max(Q(max(column), min(column)) for column in columns)


def replay(mechanism: Mechanism, words: int) -> dict[str, Any]:
    """A file, a stream of words, and what is drawn from it for one label after the other."""
    text, k = stored_text(mechanism), len(labels_of(mechanism))
    stream = stream_of(text, words)
    source, reports = Given(stream), []
    if isinstance(mechanism, ChannelMechanism):
        found = sampler_of(mechanism).from_words(
            np.arange(words) % k, np.frombuffer(stream, "<u8").astype(np.uint64)
        )
        assert (found >= 0).all()
        reports = found.tolist()
    try:
        while isinstance(mechanism, LocalMechanism):
            reports.append(drawn(mechanism, len(reports) % k, source))
    except Exhausted:
        pass
    odds = str(odds_of(mechanism))
    return {"file": text, "odds": odds, "stream": stream.hex(), "reports": reports}


def residuals(mechanism: Mechanism) -> Iterator[tuple[int, str, Any]]:
    """Draws whose first word decides nothing: a label, the words, the report."""
    after = stream_of("after", 2000)
    for x in range(min(len(labels_of(mechanism)), 20)):
        if isinstance(mechanism, ChannelMechanism):
            k = len(mechanism.channel.columns)  # the residual outcome, whose own column holds it
            weights = sampler_of(mechanism).weights(x)
            if sum(weights) == 1 << 64:
                continue
            first = k << (64 - k.bit_length())
        else:
            chance = mechanism.q if mechanism.family == "unary_response" else mechanism.p
            first = (chance.numerator << 64) // chance.denominator
        stream = first.to_bytes(8, "little") + after
        source = Given(stream)
        report = drawn(mechanism, x, source)
        yield x, stream[: source.at].hex(), report


def twins(mechanism: Mechanism) -> Any:
    """What every 16-bit word gives: the rows of a table, or the coin of a local mechanism."""
    if isinstance(mechanism, ChannelMechanism):
        small = CategoricalSampler(mechanism.channel.matrix.entries.tolist(), bits=16)
        rows = range(len(mechanism.channel.rows))
        found = [small.from_words(np.full(1 << 16, x), _ALL16).astype("<i2") for x in rows]
        return [hashlib.sha256(row.tobytes()).hexdigest() for row in found]
    coins = []
    for chance in (mechanism.p, mechanism.q):
        heads, unsure = toss_of_words(chance, _ALL16, 16)
        sides = np.where(unsure, -1, heads.astype(np.int8)).astype("<i2")
        told = [hex(chance.numerator), hex(chance.denominator)]
        coins.append([*told, hashlib.sha256(sides.tobytes()).hexdigest()])
    return coins


def permanent(mechanism: Mechanism, question: str) -> Iterator[tuple[str, int, Any]]:
    """Permanent answers: a context, a label, the report."""
    for context in CONTEXTS:
        for x in range(min(len(labels_of(mechanism)), 20)):
            yield context, x, drawn(mechanism, x, DeviceSource(KEY, question, context, x))


def write_vectors(folder: Path, *, words: int, one_in: int = 1) -> None:
    """The vectors of all tables and of one in so many local mechanisms, in vectors.json."""
    found = []
    for mechanism in (*tables(), *[*locals_()][::one_in]):
        told = replay(mechanism, words)
        told |= {"twins": twins(mechanism), "residuals": list(residuals(mechanism))}
        question = json.loads(told["file"])["sha256"]
        found.append({**told, "permanent": list(permanent(mechanism, question))})
    text = json.dumps({"key": KEY.hex(), "mechanisms": found}, ensure_ascii=False)
    (folder / "vectors.json").write_text(text, encoding="utf-8")
