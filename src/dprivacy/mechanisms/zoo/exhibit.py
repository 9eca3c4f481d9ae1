"""What an exhibit is, and the detectors that look at one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.spaces import FiniteSpace
from dprivacy.typing import ChannelLike, Label, LevelLike
from dprivacy.verify import audit, privacy

WORD_BITS = 16
Sampler = Callable[[Label, int], list[Label]]


@dataclass(frozen=True)
class Finding:
    """What a detector says of one twin."""

    caught: bool
    evidence: str


@dataclass(frozen=True)
class Exhibit:
    """A broken twin and its healthy one.

    `inspect(True)` looks at the broken twin, `inspect(False)` at the healthy one.
    """

    name: str
    wrong: str
    detector: str
    inspect: Callable[[bool], Finding]


def by_verifier(channel: ChannelLike, space: FiniteSpace, eps: LevelLike) -> Finding:
    """The verifier proves or refutes the claimed guarantee from the channel."""
    verdict = privacy(channel, space, eps=eps)
    if verdict:
        return Finding(False, f"the claim of ε = {eps} is {verdict.status}")
    worst = verdict.worst.words() if verdict.worst is not None else "no single output"
    return Finding(True, f"the claim of ε = {eps} is {verdict.status}: {worst}")


def by_law(outputs: NDArray[Any], weights: Sequence[int]) -> Finding:
    """Counting all 2¹⁶ words shows the law of a sampler; −1 marks words left to exact resolution."""
    total, words = sum(weights), 1 << WORD_BITS
    counts = [int((outputs == j).sum()) for j in range(len(weights))]
    due = [weight * words // total for weight in weights]
    for j, (count, floor) in enumerate(zip(counts, due, strict=True)):
        if count != floor:
            share = Fraction(weights[j], total)
            return Finding(
                True, f"outcome {j} has {count} of {words} words where {share} is due {floor}"
            )
    return Finding(False, f"all {words} words counted: every outcome has exactly its share")


def by_repetition(first: Any, second: Any) -> Finding:
    """Two runs that should be independent give the same noise."""
    same = float(np.mean(np.asarray(first) == np.asarray(second)))
    return Finding(same > 0.9, f"two runs agree on {same:.0%} of {len(first)} draws")


def by_audit(sampler: Sampler, inputs: Sequence[Label], eps: LevelLike) -> Finding:
    """Samples of the black box alone; one healthy box in 100,000 would be called broken."""
    found = audit(sampler, inputs, samples=200_000, confidence=1 - 1e-5)
    return Finding(
        found.refutes(eps),
        f"ε is at least {found.eps_lower:.3f} (99.999 % confidence) where {eps} is claimed",
    )
