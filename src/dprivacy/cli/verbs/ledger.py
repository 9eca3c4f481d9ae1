"""``dprivacy ledger``: set budgets, see what is spent on whom, and check that nothing was changed."""

import sys
from pathlib import Path
from typing import Any, Literal

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.release import Ledger

# Where the ledger is, under the names that Ledger has for it.
_WHERE = shared.together(
    click.option(
        "--ledger",
        "place",
        required=True,
        envvar="DPRIVACY_LEDGER",
        show_envvar=True,
        help="Ledger: a file, or postgresql://user@host/database.",
    ),
    click.option(
        "--key",
        type=shared.PATH,
        help="File of the ledger's key; by default beside the ledger, or as DPRIVACY_LEDGER_KEY says.",
    ),
    click.option("--schema", default="dprivacy_ledger", help="Schema in PostgreSQL."),
)

_PER = click.option(
    "--per",
    type=click.Choice(["table", "person"]),
    help="Charge everybody at once (table, the default), or give each person this budget.",
)
_UNIT = click.option(
    "--unit",
    help="What is protected: row, or a word for those whose rows add up: person, household.",
)


@click.group(epilog=shared.examples("dprivacy ledger show --ledger ledger.db"))
def ledger() -> None:
    """Keep budgets, see what is spent on whom, and check that the record is whole."""


@ledger.command(epilog=shared.examples('dprivacy ledger budget survey "ln 8" --ledger ledger.db'))
@click.argument("account")
@click.argument("limit")
@_WHERE
@click.option("--column", help="Limit one column, per unit of its distance.")
@click.option("--delta", default="0", help="Limit on δ in total.")
@_PER
@_UNIT
@click.option(
    "--open",
    "open_",
    is_flag=True,
    help="Of a ledger that is created: take charges on accounts without a budget, too.",
)
@shared.JSON
def budget(
    account: str,
    limit: str,
    column: str | None,
    delta: str,
    per: Literal["table", "person"] | None,
    unit: str | None,
    open_: bool,
    as_json: bool,
    **where: Any,
) -> None:
    """Set the budget of an ACCOUNT to LIMIT, such as "ln 8" or 2; a missing ledger is created.

    All releases charged to the account together then change the odds between any two records by a
    factor of at most e^LIMIT. Accounts without a budget cannot be charged.
    """
    with Ledger(**where, open=open_) as found:
        shared.show(
            found.budget(account, limit, column=column or "", delta=delta, per=per, unit=unit),
            as_json,
        )


@ledger.command(
    "open",
    epilog=shared.examples(
        "dprivacy ledger open wave 3 --delta 1e-6 --by renyi --order 16 --ledger l.db"
    ),
)
@click.argument("account")
@click.argument("limit")
@_WHERE
@click.option("--delta", default="0", help="Limit on δ in total.")
@click.option(
    "--by",
    type=click.Choice(["sum", "renyi", "schedule"]),
    default="sum",
    help="Add up levels (sum), or Rényi charges, or only take releases that were declared beforehand.",
)
@click.option("--order", type=int, help="Order of the Rényi charges, from 2 on.")
@click.option(
    "--unordered",
    is_flag=True,
    help="Kept against those who see released tables alone: shuffled ones cost less.",
)
@_PER
@_UNIT
@shared.JSON
def open_account(account: str, limit: str, as_json: bool, **options: Any) -> None:
    """Open an ACCOUNT that adds up in a way of its own; `budget` changes its LIMIT later on.

    With a δ, many weak releases cost less than the sum of their levels. How an account adds up is
    fixed when it is opened.
    """
    where = {name: options.pop(name) for name in ("place", "key", "schema")}
    with Ledger(**where) as found:
        shared.show(found.open_account(account, limit, **options), as_json)


@ledger.command(
    epilog=shared.examples(
        "dprivacy ledger schedule panel --plan plan.toml --times 12 --ledger ledger.db"
    )
)
@click.argument("account")
@_WHERE
@click.option("-p", "--plan", required=True, type=shared.PATH, help="Plan of the releases.")
@click.option("--times", type=int, default=1, help="How many releases there will be.")
@click.option("--delta", help="How much of the account's δ it takes; by default all that is left.")
@click.option("--rows", type=int, help="Without order: how many rows each table has at least.")
@shared.JSON
def schedule(
    account: str,
    plan: Path,
    times: int,
    delta: str | None,
    rows: int | None,
    as_json: bool,
    **where: Any,
) -> None:
    """Declare releases of a plan on an ACCOUNT by schedule, and pay for all of them at once."""
    with Ledger(**where, create=False) as found:
        shared.show(found.schedule(account, plan, delta=delta, times=times, rows=rows), as_json)


@ledger.command(
    epilog=shared.examples("dprivacy ledger parts survey north south --ledger ledger.db")
)
@click.argument("account")
@click.argument("names", metavar="PART...", nargs=-1, required=True)
@_WHERE
@shared.JSON
def parts(account: str, names: tuple[str, ...], as_json: bool, **where: Any) -> None:
    """Declare groups of people in an ACCOUNT of which no two share a person."""
    with Ledger(**where, create=False) as found:
        shared.show(found.parts(account, names), as_json)


@ledger.command(
    epilog=shared.examples("dprivacy ledger show --ledger ledger.db --picture spent.svg")
)
@_WHERE
@shared.picture("Also draw it")
@shared.JSON
def show(picture: Path | None, as_json: bool, **where: Any) -> None:
    """Show what is spent on whom, and what is left."""
    with Ledger(**where, create=False) as found:
        report = found.report()
    if picture is not None:
        from dprivacy.viz import plot_spending, save

        save(plot_spending(report.bars()), picture)
    shared.show(report, as_json)


@ledger.command(
    epilog=shared.examples("dprivacy ledger verify released/*.card.json --ledger ledger.db")
)
@click.argument("cards", nargs=-1, type=shared.PATH)
@_WHERE
@shared.JSON
def verify(cards: tuple[Path, ...], as_json: bool, **where: Any) -> None:
    """Check that the ledger is as it was written and agrees with release CARDS; exit code 3 if not.

    Cards are *.card.json.
    """
    with Ledger(**where, create=False) as found:
        verdict = found.verify(cards)
    shared.show(verdict, as_json)
    sys.exit(0 if verdict else GUARANTEE_FAILED)
