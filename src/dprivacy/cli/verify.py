"""``dprivacy verify``: the ε of a transition matrix, and whether it keeps a promise."""

import json
import math
import sys
from pathlib import Path

import rich_click as click

from dprivacy.cli.examples import NAMES, example
from dprivacy.model import Channel, read_channel, read_space
from dprivacy.spaces import FiniteSpace, named_space
from dprivacy.verify import PrivacyVerdict, privacy, privacy_profile

GUARANTEE_FAILED = 3

_EPILOG = """
Examples:

dprivacy verify --example geometric

dprivacy verify pram.csv --metric discrete --epsilon "ln 4"
"""


@click.command(epilog=_EPILOG)
@click.argument("matrix", type=click.Path(path_type=Path), required=False)
@click.option("--example", "built_in", type=click.Choice(NAMES), help="Use a built-in matrix.")
@click.option(
    "--metric",
    help="discrete (default), line, order, hamming, grid:RxC[:manhattan|:chebyshev], "
    "or a CSV file of distances.",
)
@click.option("--epsilon", help='The level to verify: "ln 2", "3/2", "0.5". Default: find it.')
@click.option("--delta", default="0", show_default=True, help="The slack allowed on any set.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
def verify(
    matrix: Path | None,
    built_in: str | None,
    metric: str | None,
    epsilon: str | None,
    delta: str,
    as_json: bool,
) -> None:
    """Verify the privacy of a labelled transition MATRIX (CSV or JSON).

    Prints the smallest ε for the metric and the two inputs and the output that decide it, or
    whether a given ε holds. Entries may be fractions (1/3) or decimals and are read exactly.
    Exit code 0: it holds; 3: it does not; 1: bad input.
    """
    if (matrix is None) == (built_in is None):
        raise click.UsageError("give either a MATRIX file or --example")
    if built_in is not None:
        usual, channel = example(built_in)
    else:
        assert matrix is not None
        usual, channel = "discrete", read_channel(matrix)
    space = _space(metric or usual, channel)
    verdict = privacy(channel, space, eps=epsilon, delta=delta)
    if as_json:
        click.echo(
            json.dumps(_as_data(verdict, channel, metric or usual), ensure_ascii=False, indent=2)
        )
    else:
        click.echo(_as_text(verdict, channel, metric or usual))
    sys.exit(0 if verdict else GUARANTEE_FAILED)


def _space(metric: str, channel: Channel) -> FiniteSpace:
    if metric.lower().endswith(".csv"):
        return read_space(metric)
    return named_space(metric, channel.rows)


def _as_text(verdict: PrivacyVerdict, channel: Channel, metric: str) -> str:
    head = f"{channel!r}\nmetric: {metric}\n"
    return "\n".join([head, verdict.explain(), *_escape(verdict, channel)])


def _escape(verdict: PrivacyVerdict, channel: Channel) -> list[str]:
    """Where no ε will do: the δ that would let one."""
    if verdict.smallest != math.inf:
        return []
    profile = privacy_profile(channel)
    return [
        f"With δ = {profile.floor} it is (ε, δ)-private on the discrete metric "
        f"for ε = {profile.eps(profile.floor)}; a smaller δ will not do."
    ]


def _as_data(verdict: PrivacyVerdict, channel: Channel, metric: str) -> dict[str, object]:
    answer: dict[str, object] = {"metric": metric, "inputs": [str(x) for x in channel.rows]}
    answer |= verdict.to_dict()
    if verdict.smallest == math.inf:
        profile = privacy_profile(channel)
        answer["delta_floor"] = str(profile.floor)
        answer["eps_at_delta_floor"] = str(profile.eps(profile.floor))
    return answer
