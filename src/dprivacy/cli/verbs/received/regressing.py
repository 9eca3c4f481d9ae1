"""The verb that fits a model to a released table."""

from pathlib import Path
from typing import Any, Literal

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.estimation import FAMILIES, FamilyName, Survey
from dprivacy.release import received, regress_release


@click.command(
    epilog=shared.examples(
        'dprivacy regress released.csv "smokes ~ region"',
        'dprivacy regress released.csv "health ~ region" --family ordinal',
    )
)
@click.argument("table", type=shared.PATH)
@click.argument("formula")
@shared.CARD
@click.option(
    "--family",
    type=click.Choice(FAMILIES),
    help="Model; by default logistic for an outcome of two classes, linear for numbers.",
)
@click.option(
    "--order", help="Classes of the outcome, from the lowest or reference on, with commas between."
)
@shared.SURVEY
@shared.one_of(
    "--of", "population", "table", help="Errors of drawing and noise, or of noise alone."
)
@shared.one_of(
    "--method", "auto", "score", "likelihood", help="Method of correcting for the noise."
)
@click.option("--confidence", default=0.95, help="Confidence level of the intervals.")
@shared.ANSWER
@shared.JSON
def regress(
    table: Path,
    formula: str,
    card: Path | None,
    order: str | None,
    family: FamilyName | None,
    of: Literal["population", "table"],
    method: Literal["auto", "score", "likelihood"],
    confidence: float,
    output: Path | None,
    replace: bool,
    as_json: bool,
    **drawn: Any,  # what Survey takes
) -> None:
    """Fit a model to a released TABLE, corrected for the noise in its outcome and covariates.

    FORMULA is "outcome ~ column + C(column) + column:column": numbers enter as numbers, words and
    C(column) as categories, and a*b stands for a + b + a:b. The table and its card are all that is
    needed.
    """
    shared.require_answer_file(output, replace=replace)
    found = regress_release(
        received(table, card=card),
        formula,
        family=family,
        order=None if order is None else [part.strip() for part in order.split(",")],
        survey=Survey(**drawn),
        of=of,
        method=method,
        confidence=confidence,
    )
    where = ""
    if output is not None:
        shared.save_answer(found, output, replace=replace)
        where = f"\n\n{shared.wrote(output)}"
    shared.say(found.to_dict(), as_json, f"{found}\n\n{found.explain()}{where}")
