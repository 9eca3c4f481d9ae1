"""The commands of a release: inspect, plan, sanitise, estimate, query, demo."""

import json
import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.errors import Malformed, PrivacyLeakWarning
from dprivacy.release import (
    Plan,
    Release,
    card_path,
    forecast,
    needed_eps,
    propose,
    query as ask,
    sanitise_file,
    transition_summary,
)
from dprivacy.release.ledger import Ledger

PATH = click.Path(path_type=Path)


def _show(answer: Any, as_json: bool, text: str) -> None:
    click.echo(json.dumps(answer, ensure_ascii=False, indent=2) if as_json else text)


@click.command(epilog="Example:\n\ndprivacy inspect survey.csv > plan.toml")
@click.argument("table", type=PATH)
@click.option("--epsilon", default="ln 3", show_default=True, help="The level to write down.")
def inspect(table: Path, epsilon: str) -> None:
    """Propose a plan for a TABLE (CSV or Parquet), as TOML to be read and changed.

    What came from the data is marked, and a plan with such marks is refused until they are confirmed.
    """
    click.echo(propose(table, epsilon=epsilon))


@click.command(epilog="Example:\n\ndprivacy plan plan.toml --rows 1200 --points 3")
@click.argument("plan_file", metavar="PLAN", type=PATH)
@click.option("--rows", default=1000, show_default=True, help="How many rows the table will have.")
@click.option(
    "--points", type=float, help="A wanted precision: proportions within ± this many points."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def plan(plan_file: Path, rows: int, points: float | None, as_json: bool) -> None:
    """Say what a PLAN guarantees and costs, before any data is touched."""
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
    _show(answer, as_json, "\n".join(lines))


@click.command(epilog="Example:\n\ndprivacy sanitise survey.csv -p plan.toml -o released.parquet")
@click.argument("table", type=PATH)
@click.option("-p", "--plan", "plan_file", type=PATH, required=True, help="The plan (TOML).")
@click.option(
    "-o", "--output", type=PATH, required=True, help="The released table, .csv or .parquet."
)
@click.option("--replace", is_flag=True, help="Replace an existing output.")
@click.option(
    "--resume", is_flag=True, help="Go on with a job that stopped: no row is drawn again."
)
@click.option(
    "--discard",
    is_flag=True,
    help="Throw away a job that stopped, and start anew: this draws new noise, and spends again.",
)
@click.option(
    "--ledger",
    "place",
    envvar="DPRIVACY_LEDGER",
    show_envvar=True,
    help="Charge it here before anything is drawn: a file, or postgresql://user@host/database.",
)
@click.option("--account", default="everyone", show_default=True, help="What is charged there.")
@click.option("--again", metavar="REASON", help="Why a table is released that was released before.")
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
@click.option("--json", "as_json", is_flag=True, help="Print the release card as JSON.")
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
    as_json: bool,
) -> None:
    """Write a protected copy of a TABLE, and the card that says what it protects."""
    wanted, key = Plan.read(plan_file), _read_key(key_file)
    with ExitStack() as stack:
        heard = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always", PrivacyLeakWarning)
        if engine == "spark":
            if resume or discard or place or again:
                raise Malformed(
                    "resume, discard, ledger and again are for the engine arrow: Spark repeats what is "
                    "lost by itself, and is charged with `spend_release`"
                )
            from dprivacy.release.spark import sanitise_spark_file

            card = sanitise_spark_file(
                table, wanted, output, replace=replace, master=master, permanent_key=key
            )
            where = f"{output} is written, with its card inside."
        else:
            ledger = None if place is None else stack.enter_context(Ledger(place, create=False))
            card = _with_progress(
                table,
                wanted,
                output,
                replace=replace,
                resume=resume,
                discard=discard,
                ledger=None if ledger is None else ledger.account(account),
                again=again,
                permanent_key=key,
            )
            where = f"{output} and {card_path(output)} are written."
    for warning in heard:
        click.echo(f"warning: {warning.message}", err=True)
    _show(card.to_dict(), as_json, f"{card.explain()}\n\n{where}")


def _read_key(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError as reason:
        raise Malformed(f"{path}: cannot be read ({reason.strerror})") from None


def _with_progress(table: Path, wanted: Plan, output: Path, **options: Any) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.completed:,.0f} rows"), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("rows", total=None)

        def moved(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        return sanitise_file(table, wanted, output, progress=moved, **options)


@click.command(epilog="Example:\n\ndprivacy estimate released.parquet --column hobby --by region")
@click.argument("table", type=PATH)
@click.option("--card", type=PATH, help="The release card; the one beside the table by default.")
@click.option("--column", "columns", multiple=True, help="A column; all protected ones by default.")
@click.option("--by", help="Columns to tabulate against, separated by commas.")
@click.option("--mean", "means", is_flag=True, help="Means of numeric columns instead of tables.")
@click.option(
    "--estimator",
    type=click.Choice(["ibu", "inverse", "projected"]),
    default="ibu",
    show_default=True,
    help="How the noise is taken out.",
)
@click.option("--confidence", default=0.95, show_default=True, help="Of the intervals.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def estimate(
    table: Path,
    card: Path | None,
    columns: tuple[str, ...],
    by: str | None,
    means: bool,
    estimator: str,
    confidence: float,
    as_json: bool,
) -> None:
    """Corrected frequencies, cross-tables or means from a released TABLE and its card alone."""
    release = Release.open(table, card)
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
        lines += [name, str(found), ""]
    _show(answer, as_json, "\n".join(lines).rstrip())


@click.command(
    epilog='Example:\n\ndprivacy query out.parquet "SELECT hobby, count(*) FROM data GROUP BY hobby"'
)
@click.argument("table", type=PATH)
@click.argument("sql")
@click.option("--card", type=PATH, help="The release card; the one beside the table by default.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def query(table: Path, sql: str, card: Path | None, as_json: bool) -> None:
    """Ask a released TABLE, under the name data, anything in SQL.

    Every answer is private, since the table is. Counts by protected columns come with the corrected
    count and its standard error beside them.
    """
    found = ask(Release.open(table, card), sql)
    _show(found.to_dict(), as_json, found.explain())


@click.command(epilog="Example:\n\ndprivacy demo --folder demo")
@click.option(
    "--folder", type=PATH, default=Path("dprivacy-demo"), show_default=True, help="Where to."
)
def demo(folder: Path) -> None:
    """Sanitise a built-in survey of invented people, and estimate from the result."""
    from dprivacy.release.demo import survey, write_demo

    table, plan_file = write_demo(folder)
    output = folder / "released.csv"
    card = sanitise_file(table, Plan.read(plan_file), output, replace=True, discard=True, again="the demo")
    click.echo(card.explain())
    truth = survey()
    release = Release.open(output)
    click.echo("\nFrom the released table alone, beside the truth that it hides:")
    for name in card.columns:
        found = release.estimate(name)
        click.echo(f"\n{name:20s} {'noisy':>8s} {'corrected':>10s} {'± error':>8s} {'truth':>8s}")
        noisy = release.counts([name])
        for label, count in found.counts.items():
            click.echo(
                f"  {label!s:18s} {noisy.get((label,), 0):8d} {float(count):10.0f} "
                f"{found.standard_errors[label]:8.0f} {truth[name].count(label):8d}"
            )
    click.echo(f"\n{table}\n{plan_file}\n{output}\n{card_path(output)}")
    sys.exit(0)
