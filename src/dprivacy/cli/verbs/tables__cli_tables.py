"""The commands of a release: inspect, plan, sanitise, estimate, query."""

import sys
import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import rich_click as click

from dprivacy.cli.progress_line import counted
from dprivacy.cli.shared_options import (
    CARD,
    JSON,
    PATH,
    PROGRESS,
    REPLACE,
    epsilon as epsilon_option,
    examples,
    ledger_options,
    open_account,
    output as output_option,
    read_key,
    refuse_existing,
    say,
    show,
    spoken_warnings,
)
from dprivacy.cli.standard_input import Input
from dprivacy.errors import Malformed
from dprivacy.release import (
    Plan,
    Release,
    card_path,
    forecast,
    needed_eps,
    propose,
    query as ask,
    regress_release,
    sanitise_file,
    sanitise_spark_file,
    transition_summary,
)


@click.command(epilog=examples("dprivacy inspect survey.csv -o first.toml"))
@click.argument("table", type=Input(secret=True))
@epsilon_option("The level to write down", default="ln 3")
@output_option("The plan, a .toml file instead of standard output", dash=True)
@REPLACE
@JSON
def inspect(table: Path, epsilon: str, output: Path | None, replace: bool, as_json: bool) -> None:
    """Propose a plan for a TABLE (CSV, Parquet, or -), as TOML to be read and changed.

    What came from the data is marked, and a plan with such marks is refused until they are confirmed.
    """
    refuse_existing(output, replace=replace)
    text = propose(table, epsilon=epsilon)
    named = output is not None and str(output) != "-"
    if named:
        assert output is not None
        output.write_text(text, encoding="utf-8")
    answer = {"output": str(output) if named else None, "toml": text, "plan": tomllib.loads(text)}
    say(answer, as_json, f"{output} is written." if named else text)


@click.command(epilog=examples("dprivacy plan plan.toml --rows 1200 --points 3"))
@click.argument("plan_file", metavar="PLAN", type=Input())
@click.option("--rows", default=1000, show_default=True, help="How many rows the table will have.")
@click.option(
    "--points", type=float, help="A wanted precision: proportions within ± this many points."
)
@JSON
def plan(plan_file: Path, rows: int, points: float | None, as_json: bool) -> None:
    """Say what a PLAN (TOML, or -) guarantees and costs, before any data is touched."""
    found = Plan.read(plan_file)
    ahead = forecast(found, rows=rows)
    lines = [ahead.explain(), "", *(transition_summary(column) for column in found.columns)]
    answer = ahead.to_dict()
    if points is not None:
        wanted = {
            column.name: needed_eps(rows, len(column.space), points)
            for column in found.columns
            if column.kind == "categories" and column.space is not None
        }
        answer["smallest_epsilon"] = wanted
        lines += [
            f"{rows:,} people, {len(found.column(name).space or ())} categories, ±{points:g} points: "
            f"smallest ε for {name} is {eps:.3f}"
            for name, eps in wanted.items()
        ]
    say(answer, as_json, "\n".join(lines))


@click.command(epilog=examples("dprivacy sanitise survey.csv -p plan.toml -o released.parquet"))
@click.argument("table", type=Input(secret=True))
@click.option("-p", "--plan", "plan_file", type=Input(), required=True, help="The plan (TOML).")
@output_option("The released table, .csv or .parquet", required=True)
@REPLACE
@click.option(
    "--resume", is_flag=True, help="Go on with a job that stopped: no row is drawn again."
)
@click.option(
    "--discard",
    is_flag=True,
    help="Throw away a job that stopped, and start anew: this draws new noise, and spends again.",
)
@ledger_options
@click.option(
    "--permanent-key",
    "key_file",
    type=PATH,
    help="A file of at least 16 secret bytes: the same person's same value gets the same answer.",
)
@click.option(
    "--engine",
    type=click.Choice(["arrow", "spark"]),
    default="arrow",
    show_default=True,
    help="Spark writes a folder of Parquet files, with the card inside.",
)
@click.option("--master", help="For Spark: where it runs, such as spark://host:7077.")
@PROGRESS
@JSON
def sanitise(
    table: Path,
    plan_file: Path,
    output: Path,
    replace: bool,
    resume: bool,
    discard: bool,
    place: str | None,
    account: str,
    again: str | None,
    key_file: Path | None,
    engine: str,
    master: str | None,
    progress: bool,
    as_json: bool,
) -> None:
    """Write a protected copy of a TABLE (CSV, Parquet, or -), and the card that says what it protects.

    With --json the card is printed.
    """
    wanted, key = Plan.read(plan_file), read_key(key_file)
    with ExitStack() as stack:
        stack.enter_context(spoken_warnings())
        options: dict[str, Any] = {
            "replace": replace,
            "ledger": stack.enter_context(open_account(place, account)),
            "again": again,
            "permanent_key": key,
        }
        if engine == "spark":
            if resume or discard:
                raise Malformed(
                    "--resume and --discard are for the engine arrow: Spark repeats by itself what "
                    "was lost, and leaves nothing to go on with"
                )
            card = sanitise_spark_file(table, wanted, output, master=master, **options)
            where = f"{output} is written, with its card inside."
        else:
            options |= {"resume": resume, "discard": discard}
            moved = stack.enter_context(counted("rows", asked=progress))
            card = sanitise_file(table, wanted, output, progress=moved, **options)
            where = f"{output} and {card_path(output)} are written."
    say(card.to_dict(), as_json, f"{card.explain()}\n\n{where}")


@click.command(
    epilog=examples(
        "dprivacy estimate released.csv --column hobby --by region",
        'dprivacy estimate released.csv --regress "smokes ~ region"',
    )
)
@click.argument("table", type=PATH)
@CARD
@click.option("--column", "columns", multiple=True, help="A column; all protected ones by default.")
@click.option("--by", help="Columns to tabulate against, separated by commas.")
@click.option("--mean", "means", is_flag=True, help="Means of numeric columns instead of tables.")
@click.option("--regress", "model", help='A regression instead: "outcome ~ column + column".')
@click.option(
    "--family",
    type=click.Choice(["logistic", "linear"]),
    default="logistic",
    show_default=True,
    help="Of the regression.",
)
@click.option(
    "--estimator",
    type=click.Choice(["ibu", "inverse", "projected"]),
    default="ibu",
    show_default=True,
    help="How the noise is taken out.",
)
@click.option("--confidence", default=0.95, show_default=True, help="Of the intervals.")
@JSON
def estimate(
    table: Path,
    card: Path | None,
    columns: tuple[str, ...],
    by: str | None,
    means: bool,
    model: str | None,
    family: Literal["logistic", "linear"],
    estimator: str,
    confidence: float,
    as_json: bool,
) -> None:
    """Corrected counts, cross-tables, means or regressions from a released TABLE and its card alone."""
    release = Release.open(table, card)
    if model is not None:
        if columns or by or means:
            raise click.UsageError("--regress goes without --column, --by and --mean")
        outcome, covariates = _formula(model)
        fitted = regress_release(release, outcome, covariates, family=family, confidence=confidence)
        say(fitted.to_dict(), as_json, f"{fitted}\n\n{fitted.explain()}")
        return
    chosen = columns or tuple(
        name for name, entry in release.card.columns.items() if entry["channel"] is not None
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
        raise Malformed(f'--regress is written "outcome ~ column + column", not {text!r}')
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
    """Ask a released TABLE, under the name data, anything in SQL (or -: on standard input).

    Every answer is private, since the table is. Counts by protected columns come with the corrected
    count and its standard error beside them.
    """
    asked = sys.stdin.read() if sql == "-" else sql
    show(ask(Release.open(table, card), asked), as_json)
