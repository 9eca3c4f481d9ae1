"""diffprivlib's ExponentialCategorical, from its utilities, with the ε it really has."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadNumber, NotApplicable, WrongShape
from dprivacy.mechanisms import ChannelMechanism, exponential
from dprivacy.model import shown
from dprivacy.numbers import as_eps
from dprivacy.sources import result
from dprivacy.spaces import discrete
from dprivacy.typing import LevelLike


@result("C", "Def 4")
def from_utility_list(utility_list: Iterable[Sequence[Any]], *, eps: LevelLike) -> ChannelMechanism:
    """diffprivlib's ExponentialCategorical: value y for x with weight e^(−ε·u(x,y)/(2Δ)), Δ = max u.

    Parameters
    ----------
    utility_list
        ``(value, value, utility)`` for every pair, in either order; utilities say how far apart two
        values are. ExponentialCategorical and ExponentialHierarchical have one as an attribute.
    eps
        The level that was asked for.

    Returns
    -------
    ChannelMechanism
        The same mechanism, drawn exactly; its guarantee has the ε it really has, often a smaller one.

    Raises
    ------
    WrongShape, NotApplicable
        A pair that is missing or given twice with different utilities.

    Notes
    -----
    Where every value has the same utilities in some order, the normalisers are equal and the 2 is left
    out, as diffprivlib does. It compares normalisers with a tolerance of 10⁻⁵, so that it may leave
    the 2 out where they differ, and exceed its ε; here they are compared exactly.

    Floats are read as the decimal they print as.

    Examples
    --------
    >>> towns = [("Oslo", "Rome", 4), ("Oslo", "Bonn", 2), ("Rome", "Bonn", 2)]
    >>> print(from_utility_list(towns, eps="ln 16").guarantee.eps)
    ln(4)
    """
    nominal = as_eps(eps)
    apart = _pairs(utility_list)
    values = list(dict.fromkeys(value for pair in apart for value in pair))
    missing = [(x, z) for k, x in enumerate(values) for z in values[:k] if (x, z) not in apart]
    if missing:
        x, z = missing[0]
        raise WrongShape(
            f"the utility of {shown(z)!r} and {shown(x)!r} is missing ({len(missing)} in all); every "
            "pair needs one"
        )
    largest = max(apart.values())
    if not largest:
        raise NotApplicable(
            f"all utilities between {len(values)} values are 0, so that there is nothing to tell apart"
        )
    lines = {tuple(sorted(apart.get((x, z), Fraction(0)) for z in values)) for x in values}
    scale = (1 if len(lines) > 1 else 2) / largest
    return exponential(
        discrete(values), eps=nominal, utility=lambda x, y: -scale * apart.get((x, y), Fraction(0))
    )


def _pairs(utility_list: Iterable[Sequence[Any]]) -> dict[tuple[Any, Any], Fraction]:
    """Both orders of every pair of different values."""
    apart: dict[tuple[Any, Any], Fraction] = {}
    for entry in utility_list:
        if isinstance(entry, str) or len(entry) != 3:
            raise WrongShape(f"a utility list reads [(value, value, utility), …], not {entry!r}")
        x, z, given = entry
        utility = _exact(given, f"the pair {shown(x)!r}, {shown(z)!r}")
        if utility < 0 or (x == z and utility):
            raise BadNumber(
                f"the utility of {shown(x)!r} and {shown(z)!r} is {utility}; it is a distance: 0 from "
                "a value to itself, and never negative"
            )
        if x == z:
            continue
        if apart.get((x, z), utility) != utility:
            raise NotApplicable(f"the pair {shown(x)!r}, {shown(z)!r} is given twice, differently")
        apart[x, z] = apart[z, x] = utility
    if not apart:
        raise WrongShape(
            "the utility list is empty; it needs (value, value, utility) for every pair"
        )
    return apart


def _exact(number: Any, where: str) -> Fraction:
    """A number as people wrote it: 0.1 is one tenth."""
    try:
        return Fraction(repr(float(number)) if isinstance(number, float) else number)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise BadNumber(f"{where}: a utility is a finite number, not {number!r}") from None
