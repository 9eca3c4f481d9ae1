"""What no attacker can exceed: the leakage bound of a document mechanism on some documents."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from dprivacy.errors import NotApplicable
from dprivacy.model import Answer, factor_in_words
from dprivacy.numbers import as_level
from dprivacy.sources import result
from dprivacy.text.documents.document_mechanism import TextMechanism
from dprivacy.text.documents.word_noise import read_words


@dataclass(frozen=True)
class LeakageBound(Answer):
    """The most by which an output multiplies any gain of an attacker who knows the candidates.

    Attributes
    ----------
    documents
        How many candidates there are.
    diameter
        The largest distance between two of them: N·E_d, or the sum over places where the order is kept.
    exponent
        ε times that.
    bound
        The smaller of e^exponent and the number of candidates, which no leakage exceeds.
    farthest
        The positions of the two that are farthest apart.

    Examples
    --------
    >>> found = LeakageBound(10, diameter=2.0, exponent=0.5, bound=math.exp(0.5), farthest=(0, 3))
    >>> found.explain().split(", ")[1]
    "an output multiplies any attacker's gain by at most e^0.5 = 1.65."
    """

    documents: int
    diameter: float
    exponent: float
    bound: float
    farthest: tuple[int, int]
    exact: bool = field(default=False, init=False)

    def explain(self) -> str:
        """The bound in words."""
        if self.diameter == math.inf:
            return (
                f"Documents {self.farthest[0]} and {self.farthest[1]} have different numbers of words: "
                "nothing bounds how well an output tells them apart. Declare a length."
            )
        text = (
            f"Among {self.documents} documents at most {self.diameter:.4g} apart, an output multiplies "
            f"any attacker's gain by at most e^{self.exponent:.4g}"
        )
        if self.bound < self.documents:
            return f"{text} = {factor_in_words(as_level(self.exponent))}."
        return (
            f"{text}; with {self.documents} candidates nothing can multiply it by more than "
            f"{self.documents}, so this bound adds nothing here. Lower ε, or compare attacks."
        )


@result("T", "Thm 9.11")
def document_leakage(mechanism: TextMechanism, texts: Sequence[str]) -> LeakageBound:
    """e^(ε·diameter) for some candidate documents: no gain and no prior makes a release leak more.

    Parameters
    ----------
    mechanism
        What documents go through.
    texts
        The documents among which the attacker has to guess.

    Notes
    -----
    Every pair is matched: for k documents of N words k²/2 matchings of O(N³), at worst.

    Examples
    --------
    >>> from dprivacy.text import text_mechanism
    >>> found = document_leakage(text_mechanism(eps="1/10"), ["the king spoke", "the queen spoke"])
    >>> round(found.diameter, 3), round(found.bound, 3)
    (0.472, 1.048)
    """
    listed = read_words(texts)
    if len(listed) < 2:
        raise NotApplicable(
            f"a leakage bound needs at least two candidate documents, not {len(listed)}"
        )
    embedding = mechanism.words.embedding
    bags = [mechanism.policy.read(text, embedding).words for text in listed]
    guarantee = mechanism.guarantee
    largest, farthest = -1.0, (0, 1)
    for i, j in combinations(range(len(bags)), 2):
        apart = float(guarantee.space.distance(bags[i], bags[j]))
        if apart > largest:
            largest, farthest = apart, (i, j)
        if largest == math.inf:
            break
    exponent = float(guarantee.eps) * largest
    bound = math.exp(exponent) if exponent < math.log(len(listed)) else float(len(listed))
    return LeakageBound(len(listed), largest, exponent, bound, farthest)
