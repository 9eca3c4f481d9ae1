"""``dprivacy compare``: which of two transition matrices is the safer, in every order at once."""

import json
import sys
from pathlib import Path

import rich_click as click

from dprivacy.model import Channel, read_channel, read_space
from dprivacy.refine import Refinement, refines, refines_max, refines_private
from dprivacy.spaces import FiniteSpace, named_space

GUARANTEE_FAILED = 3
ORDERS = ["average", "max", "private", "metric"]
_WORDS = {
    "average": "on average, against every adversary",
    "max": "in the max case, for every observation",
    "private": "for privacy on every metric",
    "metric": "for privacy on this metric",
}
PATH = click.Path(path_type=Path)

_EPILOG = """
Examples:

dprivacy compare old.csv new.csv

dprivacy compare old.csv new.csv --metric line --require max
"""


@click.command(epilog=_EPILOG)
@click.argument("first", metavar="A", type=PATH)
@click.argument("second", metavar="B", type=PATH)
@click.option(
    "--metric",
    help="Compare the smallest ε on it as well: discrete, line, order, hamming, "
    "grid:RxC[:manhattan|:chebyshev], or a CSV file of distances.",
)
@click.option(
    "--require",
    type=click.Choice(ORDERS),
    help="Exit with 3 unless B is at least as safe as A in this order.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
def compare(
    first: Path, second: Path, metric: str | None, require: str | None, as_json: bool
) -> None:
    """Compare two labelled transition matrices, A and B (CSV or JSON).

    Says whether B may replace A and whether A may replace B: on average, in the max case, and for
    privacy, each with what shows it. Entries may be fractions (1/3) or decimals and are read exactly.
    """
    if require == "metric" and metric is None:
        raise click.UsageError("--require metric needs --metric")
    A, B = read_channel(first), read_channel(second)
    names = ("A", "B") if first.stem == second.stem else (first.stem, second.stem)
    space = None if metric is None else _space(metric, A)
    forth = _verdicts(A, B, space, names)
    back = _verdicts(B, A, space, (names[1], names[0]))
    if as_json:
        answer = {
            "first": str(first),
            "second": str(second),
            "metric": metric,
            "first_refined_by_second": {key: v.to_dict() for key, v in forth.items()},
            "second_refined_by_first": {key: v.to_dict() for key, v in back.items()},
        }
        click.echo(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        click.echo(_summary(names, forth, back))
        for verdicts in (forth, back):
            click.echo("")
            click.echo("\n\n".join(verdict.explain() for verdict in verdicts.values()))
    sys.exit(GUARANTEE_FAILED if require is not None and not forth[require] else 0)


def _space(metric: str, channel: Channel) -> FiniteSpace:
    if metric.lower().endswith(".csv"):
        return read_space(metric)
    return named_space(metric, channel.rows)


def _verdicts(
    A: Channel, B: Channel, space: FiniteSpace | None, names: tuple[str, str]
) -> dict[str, Refinement]:
    found: dict[str, Refinement] = {
        "average": refines(A, B, names=names),
        "max": refines_max(A, B, names=names),
        "private": refines_private(A, B, names=names),
    }
    if space is not None:
        found["metric"] = refines_private(A, B, space, names=names)
    return found


def _summary(
    names: tuple[str, str], forth: dict[str, Refinement], back: dict[str, Refinement]
) -> str:
    """One line an order: who is at least as safe as whom."""
    first, second = names
    lines = []
    for key, verdict in forth.items():
        pair = (verdict.holds, back[key].holds)
        said: dict[tuple[bool | None, bool | None], str] = {
            (True, True): f"{first} and {second} are equally safe",
            (True, False): f"{second} is the safer",
            (False, True): f"{first} is the safer",
            (False, False): "neither is as safe as the other",
        }
        lines.append(f"{_WORDS[key]}: {said.get(pair, 'undecided')}")
    return "\n".join(lines)
