"""``dprivacy compare``: which of two transition matrices is the safer, in every order at once."""

import sys
from pathlib import Path

import rich_click as click

from dprivacy.cli.channel_argument import given_space
from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.cli.shared_options import JSON, METRICS, examples, say
from dprivacy.cli.standard_input import Input
from dprivacy.model import Channel, as_channel
from dprivacy.refine import Refinement, refines
from dprivacy.spaces import FiniteSpace

ORDERS = ["average", "max", "private", "metric"]
_WORDS = {
    "average": "on average, against every adversary",
    "max": "in the max case, for every observation",
    "private": "for privacy on every metric",
    "metric": "for privacy on this metric",
}
_EPILOG = examples(
    "dprivacy compare old.csv new.csv",
    "dprivacy compare old.csv new.csv --metric line --require max",
)


@click.command(epilog=_EPILOG)
@click.argument("first", metavar="A", type=Input())
@click.argument("second", metavar="B", type=Input())
@click.option(
    "--metric",
    help=f"Compare the smallest ε on it as well: {METRICS}.",
)
@click.option(
    "--require",
    type=click.Choice(ORDERS),
    help="Exit with 3 unless B is at least as safe as A in this order.",
)
@JSON
def compare(
    first: Path, second: Path, metric: str | None, require: str | None, as_json: bool
) -> None:
    """Compare two labelled transition matrices, A and B (CSV or JSON; one may be -).

    Says whether B may replace A and whether A may replace B: on average, in the max case, and for
    privacy, each with what shows it. Entries may be fractions (1/3) or decimals and are read exactly.
    """
    if require == "metric" and metric is None:
        raise click.UsageError("--require metric needs --metric")
    A, B = as_channel(first), as_channel(second)
    names = ("A", "B") if first.stem == second.stem else (first.stem, second.stem)
    space = None if metric is None else given_space(metric, A)
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
        say(answer, as_json)
    else:
        click.echo(_summary(names, forth, back))
        for verdicts in (forth, back):
            click.echo("")
            click.echo("\n\n".join(verdict.explain() for verdict in verdicts.values()))
    sys.exit(GUARANTEE_FAILED if require is not None and not forth[require] else 0)


def _verdicts(
    A: Channel, B: Channel, space: FiniteSpace | None, names: tuple[str, str]
) -> dict[str, Refinement]:
    found: dict[str, Refinement] = {
        "average": refines(A, B, names=names),
        "max": refines(A, B, by="max", names=names),
        "private": refines(A, B, by="private", names=names),
    }
    if space is not None:
        found["metric"] = refines(A, B, space, by="private", names=names)
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
