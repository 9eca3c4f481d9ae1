"""`protect_curves`: days, or other sampled functions, with noise on what they are made of."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dprivacy.curves.basis_size import SizeChoice, choose_size
from dprivacy.curves.coefficient_noise import CurveMechanism, curve_mechanism
from dprivacy.curves.curve_basis import make_basis
from dprivacy.curves.curve_readings import read_curves, read_step
from dprivacy.curves.mean_profile import Profile, mean_profile
from dprivacy.errors import WrongShape
from dprivacy.model import Pictured, about, factor_in_words
from dprivacy.numbers import Floats, as_eps, as_level, root
from dprivacy.sources import result

_USUAL_SIZE = 8


@dataclass(frozen=True, eq=False)
class ProtectedCurves(Pictured):
    """Protected curves. Nothing of the true ones is in here.

    Attributes
    ----------
    values
        What may be published: one curve a row, in the unit of the readings.
    coefficients
        What they were made from; equally public.
    mechanism
        How, with the guarantee.
    eps
        ε per unit of the distance that was asked for (`mechanism.guarantee` has it per unit of the
        norm of the readings; the two differ by √step).
    time_step
        The time between two readings, for the L2 distance.
    choice
        How the number of basis vectors was chosen, where a rule chose it.
    """

    values: Floats
    coefficients: Floats
    mechanism: CurveMechanism
    eps: Any
    time_step: Any = 1
    unit: str = ""
    secure: bool = True
    choice: SizeChoice | None = field(default=None)

    def __len__(self) -> int:
        return len(self.values)

    def mean(
        self, groups: Any = None, *, confidence: float = 0.95
    ) -> "Profile | dict[Any, Profile]":
        """The mean curve with a band, or one for each of public groups (such as the month)."""
        if groups is None:
            return mean_profile(self.coefficients, self.mechanism, confidence)
        names = np.asarray(groups)
        if names.shape != (len(self),):
            raise WrongShape(
                f"groups should have one entry for each of {len(self)} curves, not shape {names.shape}"
            )
        return {
            name: mean_profile(self.coefficients[names == name], self.mechanism, confidence)
            for name in dict.fromkeys(names.tolist())
        }

    def smoothed(self, public: Any, *, non_negative: bool = True) -> Floats:
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
        """What is promised, how much noise there is, and how the basis was chosen."""
        head = (
            [] if self.secure else ["NO GUARANTEE: the noise came from a seed and can be guessed."]
        )
        made = self.mechanism
        unit = f" {self.unit}" if self.unit else ""
        lines = [
            *head,
            f"{len(self):,} curves of {made.basis.times} readings. {self.promise()}",
            f"Noise: {about(float(np.sqrt((made.noise**2).mean())))}{unit} on a reading of a single "
            f"curve (standard deviation), from {made.basis.size} {made.basis.name} coefficients.",
        ]
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

    def promise(self) -> str:
        """The guarantee in a sentence."""
        unit = self.unit or "unit"
        apart = {
            "L2": f"1 {unit} apart in L2 distance",
            "sup": f"at most 1 {unit} apart at every moment",
            "readings": f"1 {unit} apart, summed over all readings",
        }[self.mechanism.distance]
        return (
            f"Anyone who sees the protected curve can multiply their odds between two curves {apart} "
            f"by at most {factor_in_words(as_eps(self.eps))} (ε = {about(as_eps(self.eps))}), and "
            "between curves twice as far apart by at most its square. This is for one curve; the "
            "factors of several curves of one person multiply."
        )

    def to_dict(self) -> dict[str, Any]:
        """All but the curves, as plain data."""
        made = self.mechanism
        return {
            "curves": len(self),
            "readings": made.basis.times,
            "distance": made.distance,
            "epsilon": str(as_eps(self.eps)),
            "time_step": str(self.time_step),
            "basis": made.basis.name,
            "size": made.basis.size,
            "grid": str(made.step),
            "bounds": None if made.bounds is None else [str(bound) for bound in made.bounds],
            "numerics": made.numerics,
            "noise": [float(value) for value in made.noise],
            "promise": self.promise(),
            "secure": self.secure,
            "choice": None if self.choice is None else self.choice.to_dict(),
        }

    def __repr__(self) -> str:
        return f"ProtectedCurves({len(self):,} curves, {self.mechanism!r})"


@result("M", "Ex 2")
def protect_curves(
    readings: Any,
    *,
    eps: Any,
    grid: Any,
    distance: str = "L2",
    basis: Any = None,
    size: int | None = None,
    public: Any = None,
    bounds: tuple[Any, Any] | None = None,
    step: Any = 1,
    unit: str = "",
    numerics: str = "exact",
    insecure_seed: int | None = None,
) -> ProtectedCurves:
    """Protect curves, ε·d-privately for a distance between whole curves.

    Parameters
    ----------
    readings
        One curve a row: an array, nested lists, or a data frame of numbers.
    eps
        ε per unit of distance.
    grid
        The public step of the readings, such as "0.001": the promise is about readings rounded to it.
    distance
        "L2": √(step·Σ(f − g)²). "sup": the largest difference at any moment. "readings": the sum of
        all differences, each reading with noise of its own.
    basis
        "cosine" (the default), "fourier", "steps", "readings" or a `Basis` such as
        `principal_basis(public)`.
    size
        How many basis vectors; more follow the curves more closely and need more noise. When
        omitted: chosen by `choose_size` on `public` curves, else 8.
    public
        Curves that are already published, for that choice.
    bounds
        Public bounds (low, high) that readings are clamped to.
    step
        The time between two readings, for the L2 distance: "1/2" for half-hours makes a constant
        difference of 1 kW over a day √24.
    unit
        The unit of the readings, for the sentences.
    numerics
        "exact": whole numbers with exactly the stated law. "idealised": noise of about 0.7 of the size,
        computed in doubles.
    insecure_seed
        For tests only; it voids the promise and says so.

    Returns
    -------
    ProtectedCurves
        With `values`, `mean()`, `smoothed()`, `explain()` and `plot()`.

    Examples
    --------
    >>> from dprivacy.curves import example_days, protect_curves
    >>> protected = protect_curves(example_days(200), eps="1/2", grid="0.01", unit="kWh")
    >>> protected.values.shape
    (200, 48)
    """
    curves = read_curves(readings)
    level, width = as_eps(eps), as_level(step)
    times = curves.shape[1]
    if basis is None:
        basis = "readings" if distance == "readings" else "cosine"
    whole_basis = make_basis(basis, times)
    vectors = level * root(str(width)) if distance == "L2" else level
    choice = None
    if whole_basis.name == "readings":
        chosen = whole_basis
    elif size is not None:
        chosen = whole_basis.first(size)
    elif public is not None:
        choice = choose_size(public, whole_basis, eps=vectors, grid=grid, distance=distance)
        chosen = whole_basis.first(choice.size)
    else:
        chosen = whole_basis.first(min(_USUAL_SIZE, whole_basis.size))
    mechanism = curve_mechanism(
        chosen,
        eps=vectors,
        grid=read_step(grid),
        distance=distance,
        bounds=None if bounds is None else (float(as_level(bounds[0])), float(as_level(bounds[1]))),
        numerics=numerics,
    )
    noisy = mechanism.noisy(curves, insecure_seed=insecure_seed)
    return ProtectedCurves(
        mechanism.curves(noisy), noisy, mechanism, level, step, unit, insecure_seed is None, choice
    )
