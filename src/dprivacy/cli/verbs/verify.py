"""``dprivacy verify`` and ``dprivacy audit``: the ε of a matrix, and of a black box."""

import math
import sys
from pathlib import Path

import rich_click as click

from dprivacy.cli.channel_argument import EXAMPLE, MATRIX, METRIC, given_matrix
from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.cli.shared_options import JSON, epsilon as epsilon_option, examples, say
from dprivacy.model import Channel
from dprivacy.verify import (
    PrivacyVerdict,
    audit as audit_samples,
    command_sampler,
    privacy,
    privacy_profile,
)

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


@click.command(
    epilog=examples("dprivacy audit --input yes --input no --epsilon 1 -- ./box {value} {n}"),
    context_settings={"ignore_unknown_options": True},
)
@click.argument("command", nargs=-1, required=True)
@click.option(
    "--input", "inputs", multiple=True, required=True, help="An input; give at least two."
)
@epsilon_option("The claim to test")
@click.option("--delta", default="0", show_default=True, help="The slack that the box is allowed.")
@click.option("--samples", default=100_000, show_default=True, help="Outputs drawn on each input.")
@click.option("--confidence", default=0.999, show_default=True, help="How sure the bound must be.")
@click.option(
    "--numbers", is_flag=True, help="Read the outputs as numbers, so that ranges are tried."
)
@JSON
def audit(
    command: tuple[str, ...],
    inputs: tuple[str, ...],
    epsilon: str | None,
    delta: str,
    samples: int,
    confidence: float,
    numbers: bool,
    as_json: bool,
) -> None:
    """Bound the ε of a black box from below, from samples alone.

    COMMAND is run once for each input, without a shell; {value} and {n} in it stand for the input and
    the number of outputs, which it prints one a line. Exit code 3: the claim is refuted.
    """
    found = audit_samples(
        command_sampler(list(command), numbers=numbers),
        inputs,
        delta=delta,
        samples=samples,
        confidence=confidence,
    )
    refuted = epsilon is not None and found.refutes(epsilon)
    if as_json:
        say({**found.to_dict(), "refuted": refuted}, as_json)
    else:
        click.echo(found.explain())
        if epsilon is not None:
            word = "refuted" if refuted else "not refuted, which proves nothing"
            click.echo(f"The claim of ε = {epsilon} is {word}.")
    sys.exit(GUARANTEE_FAILED if refuted else 0)
