"""How a query that cannot be corrected is refused: the reason, and the way out."""

from dprivacy.errors import NotApplicable

_RAW = "or pass --raw (raw=True) for what the noisy rows say"


def refused(reason: str, way_out: str) -> NotApplicable:
    """The error, to be raised.

    Examples
    --------
    >>> print(str(refused("max is not a sum over rows", "ask for a mean"))[:80])
    the query cannot be corrected for the noise: max is not a sum over rows; ask for
    """
    return NotApplicable(
        f"the query cannot be corrected for the noise: {reason}; {way_out}, {_RAW}"
    )
