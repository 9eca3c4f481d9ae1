"""diffprivlib's exponential mechanisms, from their utilities, with the ε they really have."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadNumber, NotApplicable, NotPrivate, WrongShape
from dprivacy.mechanisms import ChannelMechanism, exponential
from dprivacy.model import as_space, shown
from dprivacy.numbers import as_eps
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace, discrete
from dprivacy.typing import Label, LevelLike, NumberLike, SpaceLike


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


@result("C", "Def 4")
def from_utilities(
    utilities: Mapping[Label, Sequence[NumberLike]],
    *,
    eps: LevelLike,
    sensitivity: NumberLike,
    candidates: Sequence[Label] | None = None,
    monotonic: bool = False,
    space: SpaceLike | None = None,
) -> ChannelMechanism:
    """diffprivlib's Exponential: candidate y for input x with weight e^(ε·u(x,y)/(2Δ)).

    Parameters
    ----------
    utilities, candidates
        For each input the utilities of all candidates (one list is not enough: ε compares two inputs),
        and the labels of the outputs; 0 … n−1 when omitted.
    eps, sensitivity
        The level that was asked for, and Δ.
    monotonic
        Whether the 2 is left out, as diffprivlib does for monotonic utilities.
    space
        How far apart inputs are; 1 between any two when omitted.

    Raises
    ------
    NotPrivate
        Utilities that change by more than Δ·d between two inputs: the level that was asked for does not
        hold.

    Examples
    --------
    >>> votes = {"without Ann": [3, 2], "with Ann": [3, 3]}
    >>> found = from_utilities(votes, eps="ln 4", sensitivity=1, candidates=["tea", "cake"])
    >>> print(found.guarantee.eps)
    ln(3/2)
    """
    nominal = as_eps(eps)
    if len(utilities) < 2:
        raise WrongShape(
            f"ε compares inputs: give the utilities of two or more, not of {len(utilities)}"
        )
    table = {x: [_exact(u, f"input {shown(x)!r}") for u in line] for x, line in utilities.items()}
    count = len(next(iter(table.values())))
    outputs = list(range(count)) if candidates is None else list(candidates)
    for x, line in table.items():
        if len(line) != len(outputs):
            raise WrongShape(
                f"input {shown(x)!r} has {len(line)} utilities for {len(outputs)} candidates"
            )
    delta = _exact(sensitivity, "the sensitivity")
    if delta <= 0:
        raise BadNumber(f"the sensitivity is a positive number, not {delta}")
    metric = discrete(list(table)) if space is None else as_space(space, labels=list(table))
    _require_sensitivity(table, outputs, delta, metric)
    place = {y: k for k, y in enumerate(outputs)}
    scale = (2 if monotonic else 1) / delta
    return exponential(
        metric, eps=nominal, outputs=outputs, utility=lambda x, y: scale * table[x][place[y]]
    )


def _require_sensitivity(
    table: Mapping[Any, Sequence[Fraction]],
    outputs: Sequence[Any],
    delta: Fraction,
    space: FiniteSpace,
) -> None:
    """Refuse utilities that change by more than the sensitivity allows."""
    for x in table:
        for z in table:
            for y, u, v in zip(outputs, table[x], table[z], strict=True):
                if u - v > delta * space.distance(x, z):
                    raise NotPrivate(
                        f"the utility of candidate {shown(y)!r} differs by {u - v} between inputs "
                        f"{shown(x)!r} and {shown(z)!r}, more than the sensitivity {delta} allows; "
                        "give a larger sensitivity, or a space in which they are farther apart"
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
