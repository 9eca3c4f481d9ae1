"""Why a hash alone protects nobody: the lesson of three points in the plane."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from dprivacy.errors import BadNumber, NotApplicable
from dprivacy.model import Answer, Channel, about, mixture, plain, shown
from dprivacy.numbers import Level, as_eps
from dprivacy.sources import result
from dprivacy.spaces import discrete, read_labels
from dprivacy.typing import LevelLike
from dprivacy.verify import smallest_eps, with_shared_randomness

Point = tuple[int, int]
Pattern = tuple[int, ...]

# The eight directions of the compass in order of their angle: 45° apart.
_COMPASS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


@dataclass(frozen=True)
class BareHash(Answer):
    """One random-projection bit of some points, with the line hidden and with the line known.

    Parameters
    ----------
    points
        The secrets.
    functions
        Every hash function there is on them: the bit of each point, and how likely the function is.
    eps
        The level of the response that repairs it, or None.

    Examples
    --------
    >>> lesson = bare_hash([(1, 0), (0, 1)])
    >>> print(lesson.hidden_level, lesson.known_level)
    0 inf
    >>> print(lesson.parting, lesson.singling_out[1, 0], lesson.weights[0], len(lesson.channels))
    1/2 1/2 1/4 4
    >>> print(lesson.hidden[(1, 0), 0], lesson.hidden[(0, 1), 0], len(lesson.known.columns))
    1/2 1/2 8
    """

    points: tuple[Point, ...]
    functions: tuple[tuple[Pattern, Fraction], ...]
    eps: Level | None = None
    exact: bool = field(default=True, init=False)

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """The channel of each function: deterministic, or with the response on its bit."""
        flip = Fraction(0)
        if self.eps is not None:
            factor = self.eps.exp()
            if factor is None:
                raise NotApplicable(
                    f"the lesson is exact: choose ε with a rational e^ε, such as ln 3, not {self.eps}"
                )
            flip = 1 / (1 + factor)
        chance = (flip, 1 - flip)
        return tuple(
            Channel(self.points, (0, 1), [[chance[1 - bit], chance[bit]] for bit in pattern])
            for pattern, _ in self.functions
        )

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """How likely each function is."""
        return tuple(weight for _, weight in self.functions)

    @cached_property
    def hidden(self) -> Channel:
        """The channel from point to bit for someone who does not know the line."""
        return mixture(list(self.weights), list(self.channels))

    @cached_property
    def known(self) -> Channel:
        """The channel from point to (line, bit) for someone who does: outputs are pairs."""
        return with_shared_randomness(self.weights, self.channels)

    @cached_property
    def hidden_level(self) -> Level | float:
        """The smallest ε while the line is hidden."""
        return smallest_eps(self.hidden, discrete(self.points))

    @cached_property
    def known_level(self) -> Level | float:
        """The smallest ε once the line is known; ``inf`` without a response."""
        return smallest_eps(self.known, discrete(self.points))

    @property
    def parting(self) -> Fraction:
        """How likely it is that the line parts the points at all, and so tells something."""
        return sum((w for pattern, w in self.functions if len(set(pattern)) > 1), Fraction(0))

    @property
    def singling_out(self) -> dict[Point, Fraction]:
        """For each point, how likely it is that the line has it alone on one side."""
        return {
            point: sum(
                (w for pattern, w in self.functions if pattern.count(pattern[k]) == 1), Fraction(0)
            )
            for k, point in enumerate(self.points)
        }

    def explain(self) -> str:
        """The lesson in words."""
        alone = ", ".join(
            f"{shown(point)} with probability {about(chance)}"
            for point, chance in self.singling_out.items()
            if chance
        )
        noisy = "" if self.eps is None else f" and a response at ε = {about(self.eps)}"
        lines = [
            f"{len(self.points)} points, one hash bit{noisy}: {len(self.functions)} functions are "
            "possible.",
            f"While nobody knows which one was drawn, the bit has level {about(self.hidden_level)}.",
            f"Once the function is known, as it must be for hashes to be compared, the level is "
            f"{about(self.known_level)}.",
        ]
        if self.eps is None:
            lines.append(
                f"With probability {about(self.parting)} the bit rules somebody out, and it may prove "
                f"a point outright: {alone}."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The lesson as plain data."""
        return {
            **self._told("points", "functions", "eps", "hidden_level", "known_level", "parting"),
            "singling_out": [[plain(p), plain(w)] for p, w in self.singling_out.items()],
        }


@result("T", "Ex 10.1")
def bare_hash(
    points: Iterable[Point] = ((0, 1), (1, 0), (1, 1)), *, eps: LevelLike | None = None
) -> BareHash:
    """What one random-projection bit leaks with the line hidden, known, and with a response.

    Parameters
    ----------
    points
        Distinct points with coordinates −1, 0 or 1, not both 0; the three of the source by default.
    eps
        The level of a randomised response on the bit; none when omitted.

    Returns
    -------
    BareHash
        Exact.

    Notes
    -----
    A line's normal is uniform on the circle. Whether it points towards x changes where it is
    perpendicular to x: for these points at multiples of 45°. The eight arcs in between are equally
    likely, and each gives every point its bit.

    Examples
    --------
    >>> lesson = bare_hash()
    >>> print(lesson.hidden_level, lesson.known_level, lesson.parting)
    0 inf 1/2
    >>> print(bare_hash(eps="ln 3").known_level)
    ln(3)
    """
    given = read_labels(points, "points")
    strange = next((point for point in given if point not in _COMPASS), None)
    if strange is not None:
        raise BadNumber(
            f"points should be pairs of −1, 0 and 1 other than (0, 0), whose angles are exact, not "
            f"{strange!r}"
        )
    secrets = tuple(_COMPASS[_COMPASS.index(point)] for point in given if isinstance(point, tuple))
    level = None if eps is None else as_eps(eps)
    found: dict[Pattern, Fraction] = {}
    for arc in range(8):
        # A direction inside the arc, turned by 22.5°: the point k is on its side if the angle
        # between them, (2·arc + 1 − 2·k) half-steps of 22.5°, is below 90°.
        pattern = tuple(
            int((2 * arc + 1 - 2 * _COMPASS.index(point)) % 16 in (1, 3, 13, 15))
            for point in secrets
        )
        found[pattern] = found.get(pattern, Fraction(0)) + Fraction(1, 8)
    return BareHash(secrets, tuple(sorted(found.items(), reverse=True)), level)
