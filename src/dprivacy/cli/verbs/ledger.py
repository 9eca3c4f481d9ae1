"""``dprivacy ledger``: set budgets, see what is spent on whom, and check that nothing was changed."""

import sys
from pathlib import Path
from typing import Literal

import rich_click as click

from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.cli.shared_options import (
    JSON,
    PATH,
    examples,
    picture as picture_option,
    show as tell,
)
from dprivacy.release import Ledger

_PLACE = click.option(
    "--ledger",
    "place",
    required=True,
    envvar="DPRIVACY_LEDGER",
    show_envvar=True,
    help="Ledger: a file, or postgresql://user@host/database.",
)
_KEY = click.option(
    "--key",
    type=PATH,
    help="File of the ledger's key; by default beside the ledger, or as DPRIVACY_LEDGER_KEY says.",
)
_SCHEMA = click.option(
    "--schema", default="dprivacy_ledger", show_default=True, help="Schema in PostgreSQL."
)


@click.group(epilog=examples("dprivacy ledger show --ledger ledger.db"))
def ledger() -> None:
    """Keep budgets, see what is spent on whom, and check that the record is whole."""


@ledger.command(epilog=examples('dprivacy ledger budget survey "ln 8" --ledger ledger.db'))
@click.argument("account")
@click.argument("limit")
@_PLACE
@_KEY
@_SCHEMA
@click.option("--column", default="", help="Limit one column, per unit of its distance.")
@click.option("--delta", default="0", show_default=True, help="Limit on δ in total.")
@click.option(
    "--per",
    type=click.Choice(["table", "person"]),
    help="Charge everybody at once (table, the default), or give each person this budget.",
)
@JSON
def budget(
    account: str,
    limit: str,
    place: str,
    key: Path | None,
    schema: str,
    column: str,
    delta: str,
    per: Literal["table", "person"] | None,
    as_json: bool,
) -> None:
    """Set the budget of an ACCOUNT to LIMIT, such as "ln 8" or 2; a missing ledger is created.

    All releases charged to the account together then change the odds between any two records by a
    factor of at most e^LIMIT.
    """
    with Ledger(place, key=key, schema=schema) as found:
        tell(found.budget(account, limit, column=column, delta=delta, per=per), as_json)


@ledger.command(epilog=examples("dprivacy ledger parts survey north south --ledger ledger.db"))
@click.argument("account")
@click.argument("names", metavar="PART...", nargs=-1, required=True)
@_PLACE
@_KEY
@_SCHEMA
@JSON
def parts(
    account: str, names: tuple[str, ...], place: str, key: Path | None, schema: str, as_json: bool
) -> None:
    """Declare groups of people in an ACCOUNT of which no two share a person."""
    with Ledger(place, key=key, schema=schema, create=False) as found:
        tell(found.parts(account, names), as_json)


@ledger.command(epilog=examples("dprivacy ledger show --ledger ledger.db --picture spent.svg"))
@_PLACE
@_KEY
@_SCHEMA
@picture_option("Also draw it")
@JSON
def show(place: str, key: Path | None, schema: str, picture: Path | None, as_json: bool) -> None:
    """Show what is spent on whom, and what is left."""
    with Ledger(place, key=key, schema=schema, create=False) as found:
        report = found.report()
    if picture is not None:
        from dprivacy.viz import plot_spending, save

        save(plot_spending(report.bars()), picture)
    tell(report, as_json)


@ledger.command(epilog=examples("dprivacy ledger verify released/*.card.json --ledger ledger.db"))
@click.argument("cards", nargs=-1, type=PATH)
@_PLACE
@_KEY
@_SCHEMA
@JSON
def verify(
    cards: tuple[Path, ...], place: str, key: Path | None, schema: str, as_json: bool
) -> None:
    """Check that the ledger is as it was written and agrees with release CARDS; exit code 3 if not.

    Cards are *.card.json.
    """
    with Ledger(place, key=key, schema=schema, create=False) as found:
        verdict = found.verify(cards)
    tell(verdict, as_json)
    sys.exit(0 if verdict else GUARANTEE_FAILED)
