"""Reading a released table: ``dprivacy estimate``, ``query`` and ``attack``."""

import sys
from pathlib import Path
from typing import Any, Literal

import rich_click as click

from dprivacy.cli.shared_options import CARD, JSON, PATH, examples, one_of, say, show
from dprivacy.release import attack as attack_release, query as ask, received, regress_release


@click.command(
    epilog=examples(
        "dprivacy estimate released.csv --column hobby --by region",
        'dprivacy estimate released.csv --regress "smokes ~ region"',
    )
)
@click.argument("table", type=PATH)
@CARD
@click.option("--column", "columns", multiple=True, help="Column; all protected ones by default.")
@click.option("--by", help="Columns to tabulate against, separated by commas.")
@click.option("--mean", "means", is_flag=True, help="Means of numeric columns instead of counts.")
@click.option("--regress", "model", help='Regression instead: "outcome ~ column + column".')
@one_of("--family", "logistic", "linear", help="Regression model.")
@one_of("--estimator", "ibu", "inverse", "projected", help="Method of correcting for the noise.")
@click.option(
    "--confidence", default=0.95, show_default=True, help="Confidence level of the intervals."
)
@JSON
def estimate(
    table: Path,
    card: Path | None,
    columns: tuple[str, ...],
    by: str | None,
    means: bool,
    model: str | None,
    family: Literal["logistic", "linear"],
    estimator: Literal["ibu", "inverse", "projected"],
    confidence: float,
    as_json: bool,
) -> None:
    """Correct counts, cross-tables, means or regressions of a released TABLE for its noise.

    The table and its card are all that is needed.
    """
    release = received(table, card=card)
    if model is not None:
        if columns or by or means:
            raise click.UsageError("--regress cannot be combined with --column, --by or --mean")
        outcome, covariates = _formula(model)
        fitted = regress_release(release, outcome, covariates, family=family, confidence=confidence)
        say(fitted.to_dict(), as_json, f"{fitted}\n\n{fitted.explain()}")
        return
    chosen = columns or tuple(
        name for name, entry in release.card.mechanisms.items() if entry["channel"] is not None
    )
    answer: dict[str, Any] = {}
    lines: list[str] = []
    for name in chosen:
        found: Any
        if means:
            found = release.mean(name, confidence=confidence)
        elif by:
            axes = [name, *(part.strip() for part in by.split(","))]
            found = release.cross_table(axes, estimator=estimator, confidence=confidence)
        else:
            found = release.estimate(name, estimator=estimator, confidence=confidence)
        answer[name] = found.to_dict()
        lines += [f"{name} by {by}" if by else name, str(found), ""]
    say(answer, as_json, "\n".join(lines).rstrip())


def _formula(text: str) -> tuple[str, list[str]]:
    """The outcome and the covariates of "outcome ~ column + column"."""
    outcome, tilde, right = text.partition("~")
    covariates = [part.strip() for part in right.split("+")]
    if not tilde or not outcome.strip() or not all(covariates):
        raise click.UsageError(f'--regress should be "outcome ~ column + column", not {text!r}')
    return outcome.strip(), covariates


@click.command(
    epilog=examples(
        'dprivacy query released.csv "SELECT hobby, count(*) FROM data GROUP BY hobby"',
    )
)
@click.argument("table", type=PATH)
@click.argument("sql")
@CARD
@JSON
def query(table: Path, sql: str, card: Path | None, as_json: bool) -> None:
    """Ask a released TABLE, called data in the query, anything in SQL (- reads standard input).

    Every answer is private, since the table is. Counts by protected columns come with the corrected
    count and its standard error beside them.
    """
    asked = sys.stdin.read() if sql == "-" else sql
    show(ask(received(table, card=card), asked), as_json)


@click.command(
    epilog=examples("dprivacy attack released.csv --secret smokes --known region --also health")
)
@click.argument("table", type=PATH)
@click.option("--secret", required=True, help="Protected column to guess.")
@click.option("--known", multiple=True, help="Column that the attacker knows; repeatable.")
@click.option("--also", multiple=True, help="Another column read in the person's row; repeatable.")
@CARD
@JSON
def attack(
    table: Path,
    secret: str,
    known: tuple[str, ...],
    also: tuple[str, ...],
    card: Path | None,
    as_json: bool,
) -> None:
    """Find how often a secret is guessed correctly, before and after seeing a person's row of TABLE.

    TABLE is a released one; it and its card are all that is needed.
    """
    found = attack_release(
        received(table, card=card), secret=secret, known=_split(known), also=_split(also)
    )
    show(found, as_json)


def _split(names: tuple[str, ...]) -> list[str]:
    """Columns given one by one, or several with commas between them."""
    return [part.strip() for name in names for part in name.split(",") if part.strip()]
