"""Exact laws of permanent answers, by trying every value of the random words they are made of."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from dprivacy.release import PermanentAnswers
from dprivacy.sampling import CategoricalSampler
from support.plain_aes import lane_of, tag_of

Asked = tuple[
    PermanentAnswers, Any, Any
]  # who answers what: the answers, the person, the true value


def joint_law(asked: Sequence[Asked], *, bits: int) -> dict[tuple[Any, ...], Fraction]:
    """The joint law of several answers under one key.

    A keyed cipher gives independent words for different blocks and the same word for the same one;
    nothing else is assumed. So every distinct lane is one word, all words of `bits` bits are tried, and
    each answer is drawn from its word by a twin of the sampler. The weights must divide 2^bits.
    """
    codes = [answers.mechanism.channel.row_position(value) for answers, _, value in asked]
    tags = [
        (a._key, lane_of(a._key, tag_of(a._curator, person.encode()), code))
        for (a, person, _), code in zip(asked, codes, strict=True)
    ]
    distinct = list(dict.fromkeys(tags))
    words = np.arange(1 << bits, dtype=np.uint64)
    drawn = []
    for (answers, _, _), code in zip(asked, codes, strict=True):
        channel = answers.mechanism.channel
        twin = CategoricalSampler(channel.matrix.entries.tolist(), bits=bits)
        outcome = twin.from_words(np.full(len(words), code), words)
        assert outcome.min() >= 0  # no residual: the law of the twin is that of one word
        drawn.append([channel.columns[int(j)] for j in outcome])
    at = [distinct.index(tag) for tag in tags]
    seen = Counter(
        tuple(answer[chosen[k]] for answer, k in zip(drawn, at, strict=True))
        for chosen in product(range(len(words)), repeat=len(distinct))
    )
    total = len(words) ** len(distinct)
    return {outcome: Fraction(n, total) for outcome, n in seen.items()}
