"""The verb that asks a released table in SQL."""

import sys
from pathlib import Path
from typing import Any, Literal

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.estimation import Survey
from dprivacy.release import query as ask, received


@click.command(
    epilog=shared.examples(
        'dprivacy query released.csv "SELECT hobby, count(*) FROM data GROUP BY hobby"',
        'dprivacy query released.csv "SELECT hobby, smokes FROM data LIMIT 9" --raw',
    )
)
@click.argument("table", type=shared.PATH)
@click.argument("sql")
@click.option(
    "--with", "joined", multiple=True, metavar="NAME=FILE", help="Exact table to join; repeatable."
)
@click.option(
    "--raw", is_flag=True, help="What the noisy rows say, uncorrected; every row says so."
)
@click.option(
    "--of",
    type=click.Choice(["table", "population"]),
    help="What the errors are of: the table, unless options say how its rows were drawn.",
)
@shared.SURVEY
@shared.one_of(
    "--method",
    "auto",
    "score",
    "likelihood",
    help="Estimator of one count or share; auto errs least.",
)
@click.option("--confidence", default=0.95, help="Confidence level of the intervals.")
@shared.CARD
@shared.ANSWER
@shared.JSON
def query(
    table: Path,
    sql: str,
    joined: tuple[str, ...],
    raw: bool,
    of: Literal["table", "population"] | None,
    method: Literal["auto", "score", "likelihood"],
    confidence: float,
    card: Path | None,
    output: Path | None,
    replace: bool,
    as_json: bool,
    **design: Any,  # of Survey, under its own names
) -> None:
    """Ask a released TABLE, called data in the query, in SQL (- reads standard input).

    Aggregates over protected columns are corrected for the noise, with standard errors and intervals.
    Queries without protected columns are answered exactly; what cannot be corrected is refused.
    """
    shared.require_answer_file(output, replace=replace)
    asked = sys.stdin.read() if sql == "-" else sql
    found = ask(
        received(table, card=card),
        asked,
        tables=_named_files(joined),
        raw=raw,
        of=of,
        survey=Survey(**design),
        method=method,
        confidence=confidence,
    )
    told = found.explain()
    if output is not None:
        shared.save_answer(found.long_form(), output, replace=replace)
        told += f"\n{shared.wrote(output)}"
    shared.say(found.to_dict(), as_json, told)


def _named_files(given: tuple[str, ...]) -> dict[str, str]:
    """NAME=FILE as a mapping."""
    pairs = [text.partition("=") for text in given]
    for text, (name, _, file) in zip(given, pairs, strict=True):
        if not name or not file:
            raise click.UsageError(f"--with should be NAME=FILE, not {text!r}")
    return {name: file for name, _, file in pairs}
