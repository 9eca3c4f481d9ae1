"""Twins whose channel is right and whose sampler is not: laws, streams, doubles, black boxes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.mechanisms.families.laplace_grid import laplace
from dprivacy.mechanisms.families.response import randomised_response
from dprivacy.mechanisms.zoo.broken_channels import EXHIBITS as CHANNEL_EXHIBITS
from dprivacy.mechanisms.zoo.broken_shuffles import SHUFFLE_EXHIBITS
from dprivacy.mechanisms.zoo.exhibit import (
    WORD_BITS,
    Exhibit,
    Finding,
    Sampler,
    by_audit,
    by_law,
    by_repetition,
)
from dprivacy.numbers import ln
from dprivacy.sampling import CategoricalSampler, KeyedSource, Source, SystemSource
from dprivacy.typing import Label, LevelLike

WEIGHTS = [5, 3, 1, 1, 3]  # of 13, which no power of two divides
WORDS = np.arange(1 << WORD_BITS, dtype=np.uint64)
Law = Callable[[NDArray[np.uint64]], NDArray[Any]]


def _law(name: str, wrong: str, broken: Law) -> Exhibit:
    def inspect(is_broken: bool) -> Finding:
        return by_law(broken(WORDS) if is_broken else _exact(WORDS), WEIGHTS)

    return Exhibit(name, wrong, "law of all words", inspect)


def _exact(words: NDArray[np.uint64]) -> NDArray[Any]:
    sampler = CategoricalSampler([WEIGHTS], bits=WORD_BITS)
    return sampler.from_words(np.zeros(len(words), dtype=np.intp), words)


def _residual_to(outcome: int) -> Law:
    def law(words: NDArray[np.uint64]) -> NDArray[Any]:
        drawn = _exact(words)
        return np.where(drawn < 0, outcome, drawn)

    return law


def _modulo(words: NDArray[np.uint64]) -> NDArray[Any]:
    return np.repeat(np.arange(len(WEIGHTS)), WEIGHTS)[(words % np.uint64(13)).astype(np.intp)]


def _few_bits(words: NDArray[np.uint64]) -> NDArray[Any]:
    coarse = (words >> np.uint64(8)).astype(np.float64) / 255
    return np.searchsorted(np.cumsum(WEIGHTS) / 13, coarse, side="right").clip(0, 4)


def _one_word_late(words: NDArray[np.uint64]) -> NDArray[Any]:
    thresholds = np.array([int(w) * (1 << WORD_BITS) // 13 for w in np.cumsum(WEIGHTS)])
    return np.searchsorted(thresholds, words.astype(np.int64), side="left").clip(0, 4)


def _repetition(name: str, wrong: str, broken: Callable[[], Source]) -> Exhibit:
    def inspect(is_broken: bool) -> Finding:
        response = randomised_response(range(64), eps="ln 2")
        truth = np.zeros(4000, dtype=np.int64)
        make = broken if is_broken else SystemSource
        first, second = (response.using(make()).randomise(truth) for _ in range(2))
        return by_repetition(first, second)

    return Exhibit(name, wrong, "two runs compared", inspect)


def _shared_key() -> Source:
    return KeyedSource(b"one key for every column", 0)


def _default_seed() -> Source:
    # The same stream that a default seed gives, without the warning that InsecureSource owes.
    return KeyedSource((42).to_bytes(16, "big"), 0)


def _float_laplace(x: float, n: int) -> NDArray[np.float64]:
    words = SystemSource().words(2 * n)
    uniform = ((words[:n] >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
    signs = np.where(words[n:] >> np.uint64(63), 1.0, -1.0)
    return x + signs * -np.log(uniform)


def _grid_laplace(x: float, n: int) -> NDArray[np.float64]:
    mechanism = laplace(-64, 64, eps=1, grid="1/8")
    return np.asarray(mechanism.randomise(np.full(n, x)))


def _precision(is_broken: bool) -> Finding:
    """Outputs near 0 that no double near 1 plus noise could give prove that the input was 0."""
    outputs = (_float_laplace if is_broken else _grid_laplace)(0.0, 100_000)
    # With input 1 an output below 1/2 is 1 + noise with |noise| ≥ 1/2: a multiple of 2⁻⁵³.
    near = outputs[np.abs(outputs) < 0.5]
    proofs = int((np.ldexp(near, 53) % 1 != 0).sum())
    return Finding(
        proofs > 0, f"{proofs} of {len(outputs)} outputs prove that the input was 0, not 1"
    )


def _snooping(leak: float) -> Sampler:
    """Randomised response that now and then marks its answer as true."""

    def sample(value: Label, n: int) -> list[Label]:
        answers = randomised_response(["yes", "no"], eps=1).randomise([value] * n)
        caught = SystemSource().words(n) < np.uint64(int(leak * 2**64))
        return [
            f"{value}!" if leaks else a for a, leaks in zip(answers, caught.tolist(), strict=True)
        ]

    return sample


def _black_box(name: str, wrong: str, broken: Sampler, claimed: LevelLike) -> Exhibit:
    def inspect(is_broken: bool) -> Finding:
        honest = randomised_response(["yes", "no"], eps=claimed)

        def healthy(value: Label, n: int) -> list[Label]:
            return list(honest.randomise([value] * n))

        return by_audit(broken if is_broken else healthy, ["yes", "no"], claimed)

    return Exhibit(name, wrong, "auditor", inspect)


def _too_loud(value: Label, n: int) -> list[Label]:
    return list(randomised_response(["yes", "no"], eps=ln(3)).randomise([value] * n))


EXHIBITS = [
    _law(
        "residual to the truth",
        "the mass that 16 bits cannot express goes to the first outcome",
        _residual_to(0),
    ),
    _law("residual to the last", "the same mass goes to the last outcome", _residual_to(4)),
    _law("modulo bias", "a word modulo 13 picks the outcome", _modulo),
    _law("too few bits", "only eight bits of each word are used", _few_bits),
    _law(
        "threshold off by one", "a word equal to its threshold counts as below it", _one_word_late
    ),
    _repetition("default seed", "every run starts from the seed 42", _default_seed),
    _repetition("one stream for two columns", "two columns draw the same noise", _shared_key),
    Exhibit(
        "Laplace in doubles",
        "the low bits of a noisy double tell which input it came from",
        "precision attack",
        _precision,
    ),
    _black_box("a rare slip", "once in 100 answers the truth is marked", _snooping(0.01), 1),
    _black_box("a louder box", "a black box with ε = ln 3 claims 1", _too_loud, 1),
]


def exhibits() -> list[Exhibit]:
    """Every exhibit of the zoo, in the order of a visit.

    Each is a mistake that was made somewhere. Its detector catches the broken twin and leaves the
    healthy one alone; `dprivacy zoo` shows it.

    Examples
    --------
    >>> seen = exhibits()[0]
    >>> seen.name, seen.inspect(True).caught, seen.inspect(False).caught
    ('off by one', True, False)
    """
    return [*CHANNEL_EXHIBITS, *EXHIBITS, *SHUFFLE_EXHIBITS]
