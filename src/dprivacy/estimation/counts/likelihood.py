"""How likely what was observed is, given a distribution of the truth."""

from typing import Any

import numpy as np

from dprivacy.estimation.counts.observed_counts import Observed, read_observed
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.estimation.transport.two_distributions import DistLike, weights_on
from dprivacy.numbers import Floats
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, NumberLike


@result("T", "Fig 8.4")
def log_likelihood(
    C: ChannelLike,
    observed: Any,  # labels of any kind, a mapping, or a Dist
    *,
    dist: DistLike,
    n: NumberLike | None = None,
) -> float:
    """Σ_y m_y·ln (pC)_y: how likely the observed counts are if p is the truth.

    Parameters
    ----------
    C
        The channel, or a mechanism with one.
    observed
        Noisy labels, counts by label, or a Dist of frequencies with `n`. For the mean of one answer, as
        T writes it, take n = 1.
    dist
        A distribution p on the channel's inputs: a Dist, a mapping, an Estimate, or numbers in order.

    Returns
    -------
    float
        −inf where something was seen that p and C make impossible.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> round(log_likelihood(coin, {"yes": 1, "no": 1}, dist={"yes": 0.5, "no": 0.5}), 4)
    -1.3863
    """
    known = Known(C)
    weights = np.array(
        [float(weight) for weight in weights_on(dist, known.rows, "the distribution")]
    )
    return total_log_likelihood(known, weights, read_observed(observed, known.columns, n))


def total_log_likelihood(known: Known, p: Floats, seen: Observed) -> float:
    """Σ_y m_y·ln (pC)_y over the outputs that were seen."""
    counts = seen.floats
    r = known.operator.forward(p)
    at = counts > 0
    with np.errstate(divide="ignore"):
        return float(counts[at] @ (np.log(r[at]) + known.operator.column_logs[at]))
