"""Released curves: the protected ones, the card that says what is guaranteed, and the file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.curves.basis_size import SizeChoice
from dprivacy.curves.coefficient_noise import CurveMechanism
from dprivacy.curves.curve_files import Days
from dprivacy.curves.curve_readings import CurvesLike
from dprivacy.curves.mean_profile import Profile, mean_profile
from dprivacy.errors import WrongShape
from dprivacy.extras import arrow
from dprivacy.model import Answer, Guarantee, Pictured, about, counted, factor_in_words
from dprivacy.numbers import Floats, Sealed, float_up
from dprivacy.release import Card, Receipt, Released, StatedGuarantee, weak_words, write_table
from dprivacy.typing import Label, NumberLike

_DIGITS = 6  # of a reading in the output; rounding what is published costs nothing


@dataclass(frozen=True, eq=False)
class ProtectedCurves(Answer, Sealed, Pictured):
    """Protected curves. Nothing of the true ones is in here.

    Attributes
    ----------
    values
        What may be published: one curve a row, in the unit of the readings.
    coefficients
        What they were made from; equally public.
    mechanism
        How, with the guarantee: ε per unit of the distance that was asked for.
    unit
        The unit of the readings.
    choice
        How the number of basis vectors was chosen, where a rule chose it.
    most
        How many curves one person has at most.
    declared
        Whether that was declared, rather than counted in the data.

    Examples
    --------
    >>> from dprivacy.curves import example_days, protect_curves
    >>> found = protect_curves(example_days(40), eps=5, grid="0.01", unit="kWh").data
    >>> sorted(found.means(["odd", "even"] * 20))
    ['even', 'odd']
    >>> found.guarantee.unit
    'kWh of L2 distance'
    >>> len(found.mean().mean), found.smoothed(example_days(60)).shape
    (48, (40, 48))
    >>> print(found.sentence().split(" in ")[0])
    Anyone who sees the protected curve can multiply their odds between two curves at most 1 kWh apart
    """

    values: Floats
    coefficients: Floats
    mechanism: CurveMechanism
    unit: str = ""
    choice: SizeChoice | None = None
    most: int = 1
    declared: bool = False
    exact: bool = field(default=False, init=False)

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed for true curves."""
        return self.mechanism.guarantee

    def __len__(self) -> int:
        return len(self.values)

    def mean(self, *, confidence: NumberLike = 0.95) -> Profile:
        """The mean curve with a band."""
        return mean_profile(self.coefficients, self.mechanism, confidence)

    def means(
        self, groups: Sequence[Label], *, confidence: NumberLike = 0.95
    ) -> dict[Label, Profile]:
        """The mean curve with a band for each of public groups, such as the month."""
        names = np.asarray(groups)
        if names.shape != (len(self),):
            raise WrongShape(
                f"groups should have one entry for each of {len(self)} curves, not shape {names.shape}"
            )
        return {
            name: mean_profile(self.coefficients[names == name], self.mechanism, confidence)
            for name in dict.fromkeys(names.tolist())
        }

    def smoothed(self, public: CurvesLike, *, non_negative: bool = True) -> Floats:
        """Each curve drawn towards what public curves are like: free, since it sees no secret.

        Notes
        -----
        For every coefficient with public mean m and variance v, and noise of variance s, the noisy
        value c becomes m + v/(v + s)·(c − m), the best linear guess of the true one.
        """
        known = self.mechanism.coefficients(public).astype(np.float64)
        mean, spread, noise = known.mean(axis=0), known.var(axis=0), self.mechanism.variances
        drawn = mean + spread / (spread + noise) * (self.coefficients - mean)
        curves = self.mechanism.curves(drawn)
        return np.maximum(curves, 0.0) if non_negative else curves

    def explain(self) -> str:
        """What is guaranteed, how much noise there is, and how the basis was chosen."""
        made = self.mechanism
        unit = f" {self.unit}" if self.unit else ""
        name = made.basis.name
        what = "reading" if name == "readings" else f"{name} coefficient"
        lines = [
            self.sentence(),
            f"Standard deviation of the noise: {np.sqrt((made.noise**2).mean()):.3g}{unit} on one "
            f"reading of one curve, from {counted(made.basis.size, what)}.",
        ]
        if made.space.slack:
            lines.append(
                f"Readings are rounded to {float(made.step):.3g}{unit} first; that it may put two "
                f"curves farther apart, by {float_up(made.space.slack):.2g} at most, is counted in."
            )
        if made.bounds is not None:
            lines.append(
                f"Readings were clamped to {made.bounds[0]:g} … {made.bounds[1]:g}{unit} first."
            )
        if made.numerics == "idealised":
            lines.append(
                "The noise was computed in doubles; the guarantee does not cover their lowest bits."
            )
        if self.choice is not None:
            lines.append(self.choice.explain())
        return "\n".join(lines)

    def sentence(self) -> str:
        """The guarantee in words."""
        unit, eps, space = self.unit or "unit", self.guarantee.eps, self.mechanism.space
        near = "" if space.grid is not None else "at most "
        apart = {
            "L2": f"{near}1 {unit} apart in L2 distance",
            "sup": f"at most 1 {unit} apart at every moment",
            "readings": f"{near}1 {unit} apart, summed over all readings,",
        }[space.name]
        grid = "" if space.grid is None else f" with readings on the grid of {space.grid} {unit}"
        return (
            f"Anyone who sees the protected curve can multiply their odds between two curves{grid} "
            f"{apart} by at most {factor_in_words(eps)} (ε = {about(eps)}), and between curves farther "
            "apart by at most that to the power of their distance. This is for one curve; the factors "
            f"of several curves of one person multiply.{self._together()}"
        )

    def _together(self) -> str:
        """What all curves of a person come to, where they were counted."""
        if self.most == 1:
            return ""
        total = self.guarantee.eps * self.most
        warning = weak_words(
            total,
            whole=f"Together, {self.most:,} curves of a person are",
            between="two people whose curves are each that far apart",
        )
        known = "" if self.declared else ", which was counted in the data and is now public"
        return (
            f" A person has up to {self.most:,} curves{known}: together the factor is at most "
            f"{factor_in_words(total)}. {warning}"
        ).rstrip()

    def to_dict(self) -> dict[str, Any]:
        """All but the curves, as plain data."""
        return {
            "curves": len(self),
            "guarantee": self.guarantee.to_dict() | {"sentence": self.sentence()},
            "mechanism": self.mechanism.to_dict(),
            "choice": None if self.choice is None else self.choice.to_dict(),
        }

    def __repr__(self) -> str:
        return f"ProtectedCurves({counted(len(self), 'curve')}, {self.mechanism!r})"


def released(
    protected: ProtectedCurves,
    *,
    secure: bool,
    receipt: Receipt | None = None,
    days: Days | None = None,
) -> Released[ProtectedCurves]:
    """Protected curves with their card, ready to be saved with the names and kept columns of `days`."""
    card = Card.of(
        "curves",
        StatedGuarantee.of(protected.guarantee, sentence=protected.explain()),
        count=len(protected),
        secure=secure,
        mechanisms={"": protected.mechanism.to_dict()},
        receipt=receipt,
        pass_through=() if days is None else tuple(days.kept),
    )
    beside = None if days is None else days.published  # a release may be pickled and sent
    return Released(protected, card, partial(write_curves, days=beside), receipt=receipt)


def write_curves(
    protected: ProtectedCurves, file: Any, path: Path, *, days: Days | None = None
) -> None:
    """Write protected curves, and kept columns of the days they came from, as .csv or .parquet."""
    rounded = protected.values.round(_DIGITS)
    names = [f"r{k:02d}" for k in range(rounded.shape[1])] if days is None else days.columns
    kept = {} if days is None else days.kept
    table = arrow().table({**kept, **{name: rounded[:, k] for k, name in enumerate(names)}})
    write_table(table, file, path)
