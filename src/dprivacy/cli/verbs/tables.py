"""Releasing a table: ``dprivacy inspect``, ``plan`` and ``sanitise``."""

import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import rich_click as click

from dprivacy.cli.progress_line import counted
from dprivacy.cli.shared_options import (
    JSON,
    LEDGER,
    PROGRESS,
    REPLACE,
    epsilon as epsilon_option,
    examples,
    one_of,
    open_account,
    output as output_option,
    permanent_key,
    read_key,
    refuse_existing,
    say,
    spoken_warnings,
    wrote,
)
from dprivacy.cli.standard_input import Input
from dprivacy.release import (
    Plan,
    card_path,
    forecast,
    needed_eps,
    propose,
    sanitise_file,
    transition_summary,
)


@click.command(epilog=examples("dprivacy inspect survey.csv -o first.toml"))
@click.argument("table", type=Input(secret=True))
@epsilon_option("Level for every column", default="ln 3")
@output_option("Plan to write, a .toml file; standard output by default", dash=True)
@REPLACE
@JSON
def inspect(table: Path, epsilon: str, output: Path | None, replace: bool, as_json: bool) -> None:
    """Propose a plan for a TABLE (CSV, Parquet, or -), as TOML to be read and changed.

    What was taken from the data is marked, and a plan is refused until its marks are confirmed.
    """
    refuse_existing(output, replace=replace)
    text = propose(table, eps=epsilon)
    named = output is not None and str(output) != "-"
    if named:
        assert output is not None
        output.write_text(text, encoding="utf-8")
    answer = {"output": str(output) if named else None, "toml": text, "plan": tomllib.loads(text)}
    say(answer, as_json, wrote(str(output)) if named else text)


@click.command(epilog=examples("dprivacy plan plan.toml --rows 1200 --points 3"))
@click.argument("plan_file", metavar="PLAN", type=Input())
@click.option(
    "--rows", default=1000, show_default=True, help="Number of rows that the table will have."
)
@click.option(
    "--points",
    type=float,
    help="Precision wanted: 95 % intervals of proportions within ± this many points.",
)
@JSON
def plan(plan_file: Path, rows: int, points: float | None, as_json: bool) -> None:
    """Show what a PLAN (TOML, or -) guarantees and costs, before any data is touched."""
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
            f"For 95 % intervals of ±{points:g} points with {rows:,} rows, {name} "
            f"({len(found.column(name).space or ())} categories) needs an ε of at least {eps:.3f}."
            for name, eps in wanted.items()
        ]
    say(answer, as_json, "\n".join(lines))


@click.command(epilog=examples("dprivacy sanitise survey.csv -p plan.toml -o released.parquet"))
@click.argument("table", type=Input(secret=True))
@click.option("-p", "--plan", "plan_file", type=Input(), required=True, help="Plan (TOML).")
@output_option("Released table, .csv or .parquet", required=True)
@REPLACE
@click.option("--resume", is_flag=True, help="Continue a job that stopped; no row is drawn again.")
@click.option(
    "--discard",
    is_flag=True,
    help="Discard a job that stopped and start again: this draws new noise and spends again.",
)
@LEDGER
@permanent_key("value")
@one_of(
    "--engine",
    "arrow",
    "spark",
    help="Engine; Spark writes a folder of Parquet files, with the card inside.",
)
@click.option("--master", help="Where Spark runs, such as spark://host:7077.")
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
    engine: Literal["arrow", "spark"],
    master: str | None,
    progress: bool,
    as_json: bool,
) -> None:
    """Write a protected copy of a TABLE (CSV, Parquet, or -), and a card that says what it protects.

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
            "resume": resume,
            "discard": discard,
        }
        if engine == "arrow":
            options["progress"] = stack.enter_context(counted("rows", asked=progress))
        released = sanitise_file(table, wanted, output, engine=engine, master=master, **options)
    where = wrote(output, card_path(output))
    say(released.to_dict(), as_json, f"{released.explain()}\n\n{where}")
