"""`protect_curves`: days, or other sampled functions, with noise on what they are made of."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from dprivacy.curves.basis_size import choose_size
from dprivacy.curves.coefficient_noise import curve_mechanism
from dprivacy.curves.curve_basis import Basis, make_basis
from dprivacy.curves.curve_distances import Distance
from dprivacy.curves.curve_files import Days
from dprivacy.curves.curve_readings import CurvesLike, read_curves, read_step
from dprivacy.curves.released_curves import ProtectedCurves, released
from dprivacy.errors import NotApplicable
from dprivacy.numbers import as_eps, root
from dprivacy.release import (
    Released,
    charged,
    most_rows,
    origin_of,
    per_unit,
    require_person,
    warn_if_in_order,
)
from dprivacy.sources import result
from dprivacy.typing import LedgerLike, LevelLike, NumberLike

_USUAL_SIZE = 8


@result("M", "Ex 2")
def protect_curves(
    readings: CurvesLike | Days,
    *,
    eps: LevelLike,
    grid: NumberLike,
    distance: Distance = "L2",
    basis: Basis | str | None = None,
    size: int | None = None,
    public: CurvesLike | None = None,
    bounds: Sequence[NumberLike] | None = None,
    step: NumberLike = 1,
    on_grid: bool = False,
    unit: str = "",
    rows_per_person: int | None = None,
    numerics: Literal["exact", "idealised"] = "exact",
    ledger: LedgerLike = None,
    again: str | None = None,
    insecure_seed: int | None = None,
) -> Released[ProtectedCurves]:
    """Protect curves, ε·d-privately for a distance between whole curves.

    Parameters
    ----------
    readings
        One curve a row: an array, nested lists, a data frame of numbers, or what `read_days` gave.
    eps
        ε per unit of distance.
    grid
        The public step of the readings, such as "0.001". Raw readings are rounded to a much finer one
        before noise is added, and what that may add to a distance is taken off ε.
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
    on_grid
        Declare that readings are whole steps of the grid, the meter's resolution: others are refused
        by curve and time, nothing is taken off ε, and the guarantee speaks of readings on the grid.
    unit
        The unit of the readings, for the sentences.
    rows_per_person
        The most curves that one person has, which is public; more are refused. When omitted it is
        counted in the data, and said to be.
    numerics
        "exact": whole numbers with exactly the stated law. "idealised": noise of about 0.7 of the size,
        computed in doubles.
    ledger, again
        As for `sanitise`: what is charged before anything is drawn, and why once more. It is charged
        the level of all curves of a person per unit of distance; of one curve, where nothing says
        whose they are. Days of a file that a card in the output's folder
        speaks of are not saved there again without either.
    insecure_seed
        For tests only; it voids the guarantee and says so.

    Returns
    -------
    Released
        Its `data` has `values`, `mean()`, `means()`, `smoothed()` and `plot()`; `save` writes .csv or
        .parquet.

    Examples
    --------
    >>> from dprivacy.curves import example_days, protect_curves
    >>> protected = protect_curves(example_days(200), eps="1/2", grid="0.01", unit="kWh")
    >>> protected.data.values.shape, protected.card.holds
    ((200, 48), True)
    """
    days = readings if isinstance(readings, Days) else None
    if days is not None:
        require_person(days.person, days.kept)
    curves = read_curves(readings.values if isinstance(readings, Days) else readings)
    warn_if_in_order({"the sum of their readings": curves.sum(axis=1)})
    level, width = as_eps(eps), read_step(step, "step")
    if basis is None:
        basis = "readings" if distance == "readings" else "cosine"
    whole, choice = make_basis(basis, curves.shape[1]), None
    if whole.name == "readings":
        size = whole.size
    elif size is None and public is not None:
        vectors = level * root(width) if distance == "L2" else level
        choice = choose_size(public, whole, eps=vectors, grid=grid, distance=distance)
        size = choice.size
    mechanism = curve_mechanism(
        whole.first(min(_USUAL_SIZE, whole.size) if size is None else size),
        eps=level,
        grid=grid,
        distance=distance,
        bounds=bounds,
        step=width,
        on_grid=on_grid,
        numerics=numerics,
        unit=f"{unit or 'unit'} of {distance} distance",
    )
    least = "" if on_grid else ", at least one"
    charge = per_unit(
        "curves",
        f"{distance} of curves, step {width}, {unit or 'no unit'}",
        f"per unit of {distance} distance{least}",
        level,
    )
    source = curves.tobytes() if days is None else days.source
    people = days.people if days is not None and days.people else None
    if people is None and rows_per_person not in (None, 1):
        raise NotApplicable(
            "rows_per_person needs to know whose each curve is: read_days(…, person=…)"
        )
    most = (
        (1 if people is None else most_rows(people)) if rows_per_person is None else rows_per_person
    )
    with charged(
        ledger,
        charge,
        source,
        people=people,
        rows_per_person=most,
        published=() if days is None else days.kept,
        again=again,
        note="curves",
    ) as receipt:
        noisy = mechanism.noisy(curves, insecure_seed=insecure_seed)
        declared = rows_per_person is not None
        protected = ProtectedCurves(
            mechanism.curves(noisy), noisy, mechanism, unit, choice, most, declared
        )
        made = released(protected, secure=insecure_seed is None, receipt=receipt, days=days)
    if days is None or not days.source.exists():
        return made
    return replace(made, origin=origin_of(days.source, ledger=ledger, again=again))
