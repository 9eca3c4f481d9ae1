"""``dprivacy attack``: what a released row betrays of the person behind it."""

from pathlib import Path

import rich_click as click

from dprivacy.cli.shared_options import CARD, JSON, PATH, examples, show
from dprivacy.release import Release, attack as attack_release


@click.command(
    epilog=examples("dprivacy attack released.csv --secret smokes --known region --also health")
)
@click.argument("table", type=PATH)
@click.option("--secret", required=True, help="The protected column that is guessed.")
@click.option("--known", multiple=True, help="A column that the attacker knows; may be repeated.")
@click.option("--also", multiple=True, help="Another column that is read in the person's row.")
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
    """Say how often a secret is guessed right, before and after seeing a person's row of TABLE.

    The table is a released one, with its card; nothing else is needed.
    """
    found = attack_release(
        Release.open(table, card), secret=secret, known=_split(known), also=_split(also)
    )
    show(found, as_json)


def _split(names: tuple[str, ...]) -> list[str]:
    """Columns given one by one, or several with commas between them."""
    return [part.strip() for name in names for part in name.split(",") if part.strip()]
