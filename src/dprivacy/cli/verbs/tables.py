"""The verbs of tables: inspect, plan and sanitise to release, and attack."""

import json
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.progress_line import counting
from dprivacy.cli.standard_input import Input
from dprivacy.model import counted
from dprivacy.numbers import as_level
from dprivacy.release import (
    Plan,
    attack as attack_release,
    card_path,
    draft_from,
    factor_said,
    forecast,
    needed_eps,
    plan_schema,
    propose,
    read_codebook,
    received,
    require_delta,
    sanitise_file,
    transition_summary,
)


@click.command(
    epilog=shared.examples(
        "dprivacy inspect survey.csv -o first.toml",
        "dprivacy inspect survey.csv --codebook codes.csv --as region=publish",
        "dprivacy inspect --codebook codes.csv --codes region=regions.xml",
    )
)
@click.argument("table", type=Input(secret=True), required=False)
@click.option(
    "--codebook",
    type=Input(),
    help="What the columns may hold: a dictionary (CSV, JSON, sheet), DDI, SPSS or Stata file.",
)
@click.option(
    "--codes",
    multiple=True,
    metavar="NAME=FILE",
    help="List of the codes of a column, SDMX or CSV; repeatable.",
)
@click.option(
    "--as",
    "chosen",
    multiple=True,
    metavar="NAME=CHOICE",
    help="With a codebook: drop, publish, categories, ordered, numbers, tree or LOW:HIGH; repeatable.",
)
@click.option(
    "--missing", is_flag=True, help="With a codebook: count a missing cell as one more answer."
)
@shared.epsilon("Level for every column", default="ln 3")
@click.option("--row", help='Level for the whole row instead, which the columns share: "ln 9".')
@shared.output("Plan to write, a .toml file; standard output by default", dash=True)
@shared.TABLE
@shared.REPLACE
@shared.JSON
def inspect(
    table: Path | None,
    codebook: Path | None,
    codes: tuple[str, ...],
    chosen: tuple[str, ...],
    missing: bool,
    epsilon: str,
    row: str | None,
    output: Path | None,
    replace: bool,
    as_json: bool,
    **written: Any,  # how the table is, under the names of propose
) -> None:
    """Propose a plan for a TABLE (text, sheet, Parquet, or -), as TOML to be read and changed.

    What was taken from the data is marked, and a plan is refused until its marks are confirmed. With a
    codebook nothing is taken from the data; then TABLE may be left out.
    """
    shared.refuse_existing(output, replace=replace)
    answer: dict[str, Any] = {"output": None}
    note = ""
    if codebook is None and not codes:
        if table is None or chosen or missing:
            raise click.UsageError("name a TABLE, or a --codebook, which --as and --missing need")
        text = propose(table, eps=epsilon, row=row, **written)
    else:
        book = read_codebook(codebook, codes=_pairs("--codes", codes))
        choices = _pairs("--as", chosen)
        given = {"row": row, "choices": choices, "missing": missing, **written}
        draft = draft_from(book, table, eps=epsilon, **given)
        text, answer["undecided"] = draft.toml, dict(draft.undecided)
        note = _still_open(draft.undecided)
    answer["toml"] = text
    if output is not None and str(output) != "-":
        shared.write(output, text)
        answer["output"] = str(output)
        text = f"{shared.wrote(str(output))}{note}"
    if as_json:
        answer["plan"] = tomllib.loads(answer["toml"])
    shared.say(answer, as_json, text)


def _pairs(option: str, given: tuple[str, ...]) -> dict[str, str]:
    """What stands behind the first = of each."""
    found: dict[str, str] = {}
    for pair in given:
        name, equals, rest = pair.partition("=")
        if not (name and equals and rest) or name in found:
            raise click.UsageError(f"{option} takes NAME=…, once for each name, unlike {pair!r}")
        found[name] = rest
    return found


def _still_open(undecided: Mapping[str, str]) -> str:
    """The columns that somebody must decide about, a line each."""
    lines = [f"  {name}: {reason}." for name, reason in undecided.items()]
    if not lines:
        return " Every column is decided."
    told = f" {counted(len(lines), 'column')} left to decide (--as NAME=CHOICE, or in the plan):"
    return "\n".join([told, *lines])


@click.command(
    epilog=shared.examples(
        "dprivacy plan plan.toml --rows 1200 --points 3",
        "dprivacy plan plan.toml --transitions hobby",
        "dprivacy plan --schema > plan.schema.json",
        "dprivacy plan plan.toml --rows 1200 --shuffle --delta 1e-7 --group 300",
    )
)
@click.argument("plan_file", metavar="PLAN", type=Input())
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, asked: _print_schema(context) if asked else None,
    help="Print the JSON Schema of plan files, for editors, and nothing else.",
)
@click.option("--rows", default=1000, help="Number of rows that the table will have.")
@click.option(
    "--points",
    type=float,
    help="Precision wanted: 95 % intervals of proportions within ± this many points.",
)
@click.option(
    "--transitions",
    multiple=True,
    help="Column whose changes are shown, value by value; repeatable.",
)
@click.option(
    "--shuffle", is_flag=True, help="Add what the table protects when its rows are released sorted."
)
@click.option("--delta", help="With --shuffle: δ, such as 1e-9; at most 1/n² for n rows.")
@click.option(
    "--group",
    type=int,
    help="With --shuffle: rows of the smallest group that is alike in the columns passed through.",
)
@shared.JSON
def plan(
    plan_file: Path,
    rows: int,
    points: float | None,
    transitions: tuple[str, ...],
    shuffle: bool,
    delta: str | None,
    group: int | None,
    as_json: bool,
) -> None:
    """Show what a PLAN (TOML, stored JSON, or -) guarantees and costs, before any data is touched."""
    found = Plan.read(plan_file)
    require_delta(shuffle=shuffle, delta=delta)
    ahead = forecast(found, rows=rows, delta=delta, group=group)
    lines = [ahead.explain()]
    for name in _split(transitions):
        lines += ["", transition_summary(found.column(name))]
        if len(ahead.alternatives) > 1:
            lines += [told.explain() for told in ahead.alternatives if told.column == name]
    answer = ahead.to_dict()
    if points is not None:
        wanted = {
            column.name: needed_eps(rows, len(column.space), points)
            for column in found.columns
            if column.kind in ("categories", "joint") and column.space is not None
        }
        answer["smallest_epsilon"] = wanted
        lines += ["", *_needed(wanted, points, rows)]
    shared.say(answer, as_json, "\n".join(lines))


def _print_schema(context: click.Context) -> None:
    click.echo(json.dumps(plan_schema(), indent=1, ensure_ascii=False))
    context.exit()


def _needed(wanted: dict[str, float], points: float, rows: int) -> list[str]:
    """What a precision needs, column by column and of the row."""
    if not wanted:
        return ["No column of plain categories, so --points has nothing to answer."]
    each = ", ".join(f"{name} {eps:.3f}" for name, eps in wanted.items())
    all_of_them = factor_said(as_level(sum(wanted.values())))
    together = f" Together that is a row factor of {all_of_them}." if len(wanted) > 1 else ""
    return [
        f"For 95 % intervals of ±{points:g} points (noise alone) with {counted(rows, 'row')}, columns "
        f"need an ε of at least: {each}.{together}"
    ]


@click.command(
    epilog=shared.examples("dprivacy sanitise survey.csv -p plan.toml -o released.parquet")
)
@click.argument("table", type=Input(secret=True))
@click.option(
    "-p", "--plan", "plan_file", type=Input(), required=True, help="Plan (TOML, or stored JSON)."
)
@shared.output("Released table, .csv, .parquet or .jsonl", required=True)
@shared.TABLE
@shared.REPLACE
@click.option("--resume", is_flag=True, help="Continue a job that stopped; no row is drawn again.")
@click.option(
    "--discard",
    is_flag=True,
    help="Discard a job that stopped and start again: this draws new noise and spends again.",
)
@shared.LEDGER
@shared.permanent_key("value")
@click.option(
    "--shuffle",
    is_flag=True,
    help="Sort the rows, so that order is gone; the card adds what that protects, with --delta.",
)
@click.option("--delta", help="With --shuffle: δ, such as 1e-9; at most 1/n² for n rows.")
@shared.one_of(
    "--engine",
    "arrow",
    "spark",
    help="Engine; Spark writes a folder of Parquet files, with the card inside.",
)
@click.option("--master", help="Where Spark runs, such as spark://host:7077 or sc://host:15002.")
@shared.PROGRESS
@shared.JSON
def sanitise(
    table: Path,
    plan_file: Path,
    output: Path,
    place: str | None,
    account: str,
    key_file: Path | None,
    progress: bool,
    as_json: bool,
    **options: Any,  # of sanitise_file, under its own names
) -> None:
    """Write a protected copy of a TABLE (text, sheet, Parquet, or -), and a card of what it protects.

    A released .csv file is UTF-8 with commas and a header, however the table is written. With --json
    the card is printed.
    """
    wanted = Plan.read(plan_file)
    with ExitStack() as stack:
        stack.enter_context(shared.spoken_warnings())
        options["ledger"] = stack.enter_context(shared.open_account(place, account))
        options["permanent_key"] = shared.read_key(key_file)
        if options["engine"] == "arrow":
            options["progress"] = stack.enter_context(counting("rows", asked=progress))
        released = sanitise_file(table, wanted, output, **options)
    where = shared.wrote(output, card_path(output))
    shared.say(released.to_dict(), as_json, f"{released.explain()}\n\n{where}")


@click.command(
    epilog=shared.examples(
        "dprivacy attack released.csv --secret smokes --known region --also health"
    )
)
@click.argument("table", type=shared.PATH)
@click.option("--secret", required=True, help="Protected column to guess.")
@click.option("--known", multiple=True, help="Column that the attacker knows; repeatable.")
@click.option("--also", multiple=True, help="Another column read in the person's row; repeatable.")
@shared.CARD
@shared.JSON
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
    shared.show(found, as_json)


def _split(names: tuple[str, ...]) -> list[str]:
    """Columns given one by one, or several with commas between them."""
    return [part.strip() for name in names for part in name.split(",") if part.strip()]
