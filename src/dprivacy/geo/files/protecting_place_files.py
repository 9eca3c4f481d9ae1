"""`protect_place_file`: reported places for the true places of a file."""

from collections.abc import Sequence
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, NotApplicable, OutputExists
from dprivacy.geo.files.place_files import read_place_file
from dprivacy.geo.protecting_places import protect_places
from dprivacy.geo.released_places import ProtectedPlaces, require_ending, require_keeping
from dprivacy.model import as_path
from dprivacy.release import (
    Released,
    Written,
    card_path,
    column_list,
    require_person,
    write_released,
)
from dprivacy.typing import LedgerLike, PathArg


def protect_place_file(
    places: PathArg,
    output: PathArg,
    *,
    lat: str | None = None,
    lon: str | None = None,
    person: str | None = None,
    keep: str | Sequence[str] = (),
    ledger: LedgerLike = None,
    again: str | None = None,
    replace: bool = False,
    **options: Any,  # those of protect_places, and how a table is written
) -> Released[ProtectedPlaces]:
    r"""Write reported places for the true places of a file, and the card beside them.

    Parameters
    ----------
    places
        A .csv, .csv.gz, .parquet, .geojson or .gpx file; see `read_place_file`.
    output
        A .csv, .parquet, .geojson or .gpx file. It has the coordinates and what `keep` names, nothing
        else; GeoJSON and GPX keep the shapes that came.
    lat, lon, person, keep
        Columns; see `read_place_file`. Columns that are kept are published as they are, so that
        `person` must say whose a row is: a column, or "row" when every row is a person of its own.
    ledger, again
        As for `sanitise`: what is charged before anything is drawn, and why once more. It is charged
        the level of all reports of a person, per kilometre; a receipt goes onto the card.
    replace
        Replace an existing output. New noise is drawn, which spends the level again.
    **options
        As for `protect_places`; and how a text table is written, as for
        `sanitise_file`: `delimiter`, `encoding` and so on.

    Returns
    -------
    Released
        What was written.

    Raises
    ------
    BadFile, OutputExists
        When the files are not what they should be, or the output is there already.
    BudgetExceeded, AlreadyReleased
        When the ledger refuses or, without one, when a card in the output's folder says that this
        file was released there before.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "p.csv").write_text("lat,lon\n40.7484,-73.9857\n")
    ...     _ = protect_place_file(f"{folder}/p.csv", f"{folder}/out.csv", region="40.7,-74,50 km")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['out.csv', 'out.csv.card.json', 'p.csv']
    """
    target = Path(output)
    require_ending(target)
    require_person(person, column_list(keep))
    if target.exists() and not replace:
        raise OutputExists(
            f"{target} already exists; choose another name, or pass --replace to overwrite it"
        )
    if not target.parent.is_dir():
        raise BadFile(f"{target.parent} is not a folder; choose one that is there")
    _require_own_state(options.get("state"), Path(places), target)
    written = {name: options.pop(name) for name in Written.__optional_keys__ if name in options}
    found = read_place_file(places, lat=lat, lon=lon, person=person, keep=keep, **written)
    require_keeping(found, target)
    made = protect_places(found, ledger=ledger, again=again, **options)
    return changed(made, card=write_released(made, target, replace=replace))


def _require_own_state(state: PathArg | None, places: Path, output: Path) -> None:
    """Refuse a state, which is secret, under the name of what is published or read."""
    if state is None:
        return
    others = {path.resolve() for path in (places, output, card_path(output))}
    if as_path(state, "a state").resolve() in others:
        raise NotApplicable(
            f"a state is secret and has a file of its own, but {state} is the input, the output or its "
            "card; give another name"
        )
