"""``dprivacy verify``: the ε of a transition matrix, and whether it keeps a promise."""

import math
import sys
from pathlib import Path

import rich_click as click

from dprivacy.cli.channel_argument import EXAMPLE, MATRIX, METRIC, given_matrix
from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.cli.shared_options import JSON, epsilon as epsilon_option, examples, say
from dprivacy.model import Channel
from dprivacy.verify import PrivacyVerdict, privacy, privacy_profile

_EPILOG = examples(
    "dprivacy verify --example geometric",
    'dprivacy verify pram.csv --metric discrete --epsilon "ln 14"',
)


@click.command(epilog=_EPILOG)
@MATRIX
@EXAMPLE
@METRIC
@epsilon_option("The level to verify", more=" Without one, the smallest is found.")
@click.option("--delta", default="0", show_default=True, help="The slack allowed on any set.")
@JSON
def verify(
    matrix: Path | None,
    built_in: str | None,
    metric: str | None,
    epsilon: str | None,
    delta: str,
    as_json: bool,
) -> None:
    """Verify the privacy of a labelled transition MATRIX (CSV or JSON; - reads standard input).

    Prints the smallest ε for the metric and the two inputs and the output that decide it, or
    whether a given ε holds. Entries may be fractions (1/3) or decimals and are read exactly.
    Exit code 0: it holds; 3: it does not; 1: bad input.
    """
    name, channel, space = given_matrix(matrix, built_in, metric)
    verdict = privacy(channel, space, eps=epsilon, delta=delta)
    say(_as_data(verdict, channel, name), as_json, _as_text(verdict, channel, name))
    sys.exit(0 if verdict else GUARANTEE_FAILED)


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
