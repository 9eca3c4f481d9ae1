"""Frontiers of refinement: which level of one family makes another safe."""

from collections.abc import Callable, Iterable
from fractions import Fraction

from dprivacy.errors import NotApplicable
from dprivacy.numbers import Level, as_eps, ln
from dprivacy.refine import refines
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, LevelLike
from dprivacy.viz.charts.line_charts import Curves, plot_curves
from dprivacy.viz.style.picture_style import Figure

Family = Callable[[Level], ChannelLike]
_LARGEST = 2**20  # e^ε up to which a refining level is sought


@result("T", "Fig 4.5")
def refinement_frontier(
    first: Family, second: Family, *, eps: Iterable[LevelLike], digits: int = 3
) -> list[tuple[Level, Level]]:
    """For each ε₁, the largest ε₂ at which the second family is a refinement of the first.

    Parameters
    ----------
    first, second
        From a level to a channel or mechanism. The second family must be ordered: safer at smaller
        levels, as the geometric mechanism and randomised response are.
    eps
        The levels ε₁; e^ε rational.
    digits
        e^ε₂ is found to this many binary digits after the point.

    Returns
    -------
    list of (Level, Level)
        Pairs (ε₁, ε₂). Each ε₂ was proved to refine, and ε₂ plus one step of the last digit not to.

    Notes
    -----
    Bisection on e^ε₂ over whole multiples of 2^(−digits); every step is decided exactly.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric, randomised_response
    >>> from dprivacy.spaces import discrete, line
    >>> [(_, found)] = refinement_frontier(
    ...     lambda eps: geometric(line(3), eps=eps),
    ...     lambda eps: randomised_response(discrete(range(3)), eps=eps),
    ...     eps=["ln 4"],
    ... )
    >>> print(found)
    ln(13/4)
    """
    unit = 2**digits
    found = []
    for level in (as_eps(value) for value in eps):
        below = first(level)

        def safe(step: int, below: ChannelLike = below) -> bool:
            return step == unit or bool(refines(below, second(ln(Fraction(step, unit)))))

        low, high = unit, 2 * unit
        while safe(high):
            low, high = high, 2 * high
            if high > _LARGEST * unit:
                raise NotApplicable(
                    f"no frontier: at every level the second family is as safe as the first at {level}"
                )
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if safe(middle) else (low, middle)
        found.append((level, ln(Fraction(low, unit))))
    return found


def plot_refinement_frontier(
    curves: Curves, *, of: str = "the first mechanism", title: str = ""
) -> Figure:
    """Below each curve, the second family is at least as safe as the first against everyone.

    The curves, and the diagonal ε₁ = ε₂ to compare with.

    Parameters
    ----------
    curves
        Names of second families, and pairs (ε₁, ε₂) such as `refinement_frontier` finds.
    of
        What the first family is called.

    Examples
    --------
    >>> figure = plot_refinement_frontier({"response": [(1, 0.8), (2, 1.7)]}, of="the geometric")
    >>> figure.axes[0].get_xlabel()
    'privacy level ε₁ of the geometric'
    """
    return plot_curves(
        curves,
        x=f"privacy level ε₁ of {of}",
        y="largest level ε₂ that is as safe",
        diagonal="equal levels",
        title=title,
    )
