"""Measured utility losses: points, curves and words."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dprivacy.errors import UnknownName
from dprivacy.model import Answer, Pictured, counted, plain
from dprivacy.numbers import Level, as_share
from dprivacy.typing import NumberLike


@dataclass(frozen=True)
class LossPoint:
    """One measured utility loss.

    `mechanism` is "LSH", "LSHRR" or "LapLSH"; `distance` and `xi` say what budget ξ inputs at that
    distance have, and `eps` the parameter of the mechanism that gives it. `error` is the standard error
    over the repetitions.

    Examples
    --------
    >>> LossPoint("LSH", bits=20, k=5, loss=0.02, error=0.001).to_dict()["loss"]
    0.02
    """

    mechanism: str
    bits: int
    k: int
    loss: float
    error: float
    distance: Fraction | None = None
    xi: float | None = None
    eps: Level | None = None

    def to_dict(self) -> dict[str, Any]:
        """The point as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


@dataclass(frozen=True)
class LossExperiment(Answer, Pictured):
    """Utility losses of matching, over several settings.

    Parameters
    ----------
    people, dimension, repetitions
        The size of the experiment.
    points
        What was measured.
    chance
        For each k, the loss of matching everybody with random others.

    Examples
    --------
    >>> point = LossPoint("LSH", bits=20, k=5, loss=0.02, error=0.001)
    >>> LossExperiment(100, 40, 30, (point,), {5: 0.3}).at(mechanism="LSH").k
    5
    >>> noisy = LossPoint("LSHRR", 20, 5, 0.1, 0.01, distance=Fraction(1, 10), xi=0.5)
    >>> LossExperiment(100, 40, 30, (noisy,), {5: 0.3}).curve("LSHRR", bits=20, distance="1/10")
    [(0.5, 0.1)]
    """

    people: int
    dimension: int
    repetitions: int
    points: tuple[LossPoint, ...]
    chance: dict[int, float]
    exact: bool = field(default=False, init=False)

    def at(self, **settings: Any) -> LossPoint:
        """The one point with the given settings."""
        wanted = {
            key: as_share(value, key) if key == "distance" else value
            for key, value in settings.items()
        }
        found = [p for p in self.points if all(getattr(p, key) == v for key, v in wanted.items())]
        if len(found) != 1:
            told = ", ".join(f"{key}={value!r}" for key, value in settings.items())
            raise UnknownName(
                f"name exactly one point; {told or 'no settings'} fit {counted(len(found), 'point')}"
            )
        return found[0]

    def curve(
        self, mechanism: str, *, bits: int, distance: NumberLike
    ) -> list[tuple[float, float]]:
        """(ξ, loss) of a mechanism."""
        d = as_share(distance, "distance")
        return [
            (p.xi, p.loss)
            for p in self.points
            if (p.mechanism, p.bits, p.distance) == (mechanism, bits, d) and p.xi is not None
        ]

    def explain(self) -> str:
        """The losses as a small table in words."""
        lines = [
            f"{self.people} people, vectors of dimension {self.dimension}, "
            f"{self.repetitions} repetitions; utility loss (± standard error):"
        ]
        for p in self.points:
            where = "" if p.xi is None else f", ξ = {p.xi:g} at distance {float(p.distance or 0):g}"
            lines.append(
                f"  {p.mechanism}, {p.bits} bits, k = {p.k}{where}: {p.loss:.4f} ± {p.error:.4f}"
            )
        lines += [f"  random others, k = {k}: {loss:.4f}" for k, loss in self.chance.items()]
        return "\n".join(lines)
