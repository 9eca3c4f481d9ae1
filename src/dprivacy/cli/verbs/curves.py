"""``dprivacy curves``: protected days of a meter, and what a reader still learns from them."""

from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.standard_input import Input
from dprivacy.curves import (
    Days,
    ProtectedCurves,
    linkage,
    principal_basis,
    protect_curves,
    read_days,
)
from dprivacy.release import Released, card_path

_EPILOG = shared.examples(
    "dprivacy curves days.csv --epsilon 1 --grid 0.01 --columns h00:h47 -o out.csv",
    "dprivacy curves meter.csv --long home,time,kwh --epsilon 1 --grid .1 -o b.csv",
)


@click.command(epilog=_EPILOG)
@click.argument("readings", type=Input(secret=True))
@shared.output("Protected curves: .csv or .parquet", required=True)
@shared.epsilon("Level per unit of distance", required=True)
@click.option("--grid", required=True, help="Public step of the readings, such as 0.001.")
@shared.one_of(
    "--distance",
    "L2",
    "sup",
    "readings",
    help="Distance between two curves: L2, the largest difference, or reading by reading.",
)
@click.option("--basis", help="Basis: cosine (default), fourier, steps, readings or principal.")
@click.option(
    "--size", type=int, help="Number of basis vectors; 8 by default, or chosen on --public."
)
@click.option("--public", type=shared.PATH, help="Published curves of the same kind, one per row.")
@click.option("--bounds", help="Public bounds to clamp readings to, such as 0,5.")
@click.option("--step", default="1", help="Time between two readings.")
@click.option("--on-grid", is_flag=True, help="Refuse readings that are not whole steps of --grid.")
@click.option("--unit", help="Unit of the readings, for the sentences.")
@click.option("--columns", help="Columns of readings, FIRST:LAST.")
@shared.KEEP
@shared.person("curves")
@click.option(
    "--rows-per-person", type=int, help="Maximum number of curves per person, whose levels add up."
)
@click.option("--long", help="One reading per row: columns HOUSEHOLD,TIME,READING.")
@click.option("--per-day", default=48, help="Readings in a day, with --long.")
@shared.one_of("--incomplete", "refuse", "drop", help="What to do with days that lack readings.")
@click.option(
    "--idealised", is_flag=True, help="Less noise, drawn in doubles: see the documentation."
)
@click.option("--attack", is_flag=True, help="Also count the curves that are recognised.")
@shared.picture("Draw before and after; the picture is as SECRET as the readings")
@shared.TABLE
@shared.REPLACE_NOISE
@shared.LEDGER
@shared.JSON
def curves(readings: Path, output: Path, **given: Any) -> None:
    """Protect curves, such as the days of electricity meters, as wholes.

    READINGS is a CSV or Parquet file, or - for standard input. The output has the curves and the
    columns named by --keep; its card is written beside it.
    """
    shared.refuse_existing(output, replace=given["replace"])
    shared.require_picture(given["picture"])
    days = read_days(
        readings,
        columns=given["columns"] or "",
        keep=given["keep"],
        person=given["person"],
        long=given["long"].split(",") if given["long"] else (),
        per_day=given["per_day"],
        incomplete=given["incomplete"],
        **shared.written(given),
    )
    with shared.spoken_warnings(), shared.open_account(given["place"], given["account"]) as account:
        protected = _protected(days, account, given)
    protected.save(output, replace=given["replace"])
    answer = {**protected.to_dict(), "output": str(output)}
    lines = [protected.explain()]
    if given["long"] and given["incomplete"] == "drop":
        lines.append("Days that lack readings are left out.")
    if given["attack"]:
        found = linkage(protected.data, days.values)
        answer["linkage"] = found.to_dict()
        lines.append(found.explain())
    if given["picture"] is not None:
        from dprivacy.viz import plot_days, save

        save(plot_days(protected.data, truth=days.values), given["picture"])
        lines.append(f"{shared.wrote(given['picture'])} It shows TRUE curves: keep it to yourself.")
    lines.append(shared.wrote(output, card_path(output)))
    shared.say(answer, given["as_json"], "\n".join(lines))


def _protected(days: Days, account: Any, given: dict[str, Any]) -> Released[ProtectedCurves]:
    with shared.another_table():
        public = None if given["public"] is None else read_days(given["public"]).values
    basis: Any = given["basis"]
    if basis == "principal":
        if public is None:
            raise click.UsageError("--basis principal needs --public curves")
        basis = principal_basis(public)
    return protect_curves(
        days,
        eps=given["epsilon"],
        grid=given["grid"],
        distance=given["distance"],
        basis=basis,
        size=given["size"],
        public=public,
        bounds=_bounds(given["bounds"]),
        step=given["step"],
        on_grid=given["on_grid"],
        unit=given["unit"] or "",
        rows_per_person=given["rows_per_person"],
        numerics="idealised" if given["idealised"] else "exact",
        ledger=account,
        again=given["again"],
    )


def _bounds(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    low, comma, high = text.partition(",")
    if not comma:
        raise click.UsageError(f"--bounds should be LOW,HIGH, such as 0,5, not {text!r}")
    return low.strip(), high.strip()
