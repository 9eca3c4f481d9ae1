"""``dprivacy leakage``: what somebody who guesses gains from the output of a matrix."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.cli.channel_argument import EXAMPLE, MATRIX, METRIC, given_matrix
from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.cli.shared_options import JSON, PATH, examples, say
from dprivacy.errors import Malformed
from dprivacy.flow import (
    capacity,
    gain as gains,
    leakage as leak,
    posterior_vulnerability,
    shannon_capacity,
    vulnerability,
)
from dprivacy.model import (
    Channel,
    Dist,
    Gain,
    about,
    file_text,
    plain,
    read_prior_file,
    read_table,
    uniform,
)
from dprivacy.numbers import read_number
from dprivacy.spaces import FiniteSpace

_EPILOG = examples(
    "dprivacy leakage --example response",
    "dprivacy leakage pram.csv --gain identity --gain tries:2 --at-most 3",
)
_GAINS = {
    "identity": "guesses the secret in one try",
    "metric": "guesses near the secret: 1 − d/diameter",
    "tries": "guesses the secret in {} tries",
    "within": "guesses the secret within a distance of {}",
    "property": "guesses whether the secret is one of {}",
}


@click.command(epilog=_EPILOG)
@MATRIX
@EXAMPLE
@METRIC
@click.option(
    "--gain",
    "named",
    multiple=True,
    default=("identity",),
    show_default=True,
    help="identity, metric, tries:K, within:DISTANCE, property:LABEL,LABEL or a CSV file of actions "
    "by secrets; may be repeated.",
)
@click.option("--prior", type=PATH, help="CSV: label, weight. Uniform by default.")
@click.option("--at-most", metavar="FACTOR", help="Exit with 3 if a leakage is more than this.")
@JSON
def leakage(
    matrix: Path | None,
    built_in: str | None,
    metric: str | None,
    named: tuple[str, ...],
    prior: Path | None,
    at_most: str | None,
    as_json: bool,
) -> None:
    """Measure what somebody who sees the output of a MATRIX (CSV, JSON, or -) gains by it.

    For each gain: what a guess is worth before and after, on average and for the most telling output,
    and by how much the output multiplies it. The capacity bounds this for every prior and every gain.
    """
    name, channel, space = given_matrix(matrix, built_in, metric)
    limit = None if at_most is None else read_number(at_most, "--at-most")
    belief = uniform(channel.rows) if prior is None else read_prior_file(prior, space)
    found = {text: _measured(belief, channel, _gain(text, space)) for text in named}
    most = capacity(channel)
    bits = shannon_capacity(channel)
    answer = {
        "metric": name,
        "prior": belief.to_dict(),
        "gains": plain(found),
        "capacity": plain(most),
        "shannon_capacity": bits.to_dict(),
    }
    lines = [part for text, values in found.items() for part in _words(text, values)]
    lines += [
        f"Capacity: no prior and no gain makes the output multiply a guess by more than {about(most)}.",
        f"Shannon capacity: {float(bits):.4g} bits a use.",
    ]
    too_much = limit is not None and any(one["leakage"] > limit for one in found.values())
    if too_much:
        lines.append(f"That is more than {at_most}.")
    say(answer, as_json, "\n".join(lines))
    sys.exit(GUARANTEE_FAILED if too_much else 0)


def _measured(prior: Dist, channel: Channel, gain: Gain) -> dict[str, Any]:
    return {
        "before": vulnerability(prior, gain=gain),
        "after": posterior_vulnerability(channel, prior=prior, gain=gain),
        "after_at_worst": posterior_vulnerability(channel, prior=prior, gain=gain, case="max"),
        "leakage": leak(channel, prior=prior, gain=gain),
        "leakage_additive": leak(channel, prior=prior, gain=gain, kind="additive"),
        "leakage_at_worst": leak(channel, prior=prior, gain=gain, case="max"),
    }


def _words(text: str, values: dict[str, Any]) -> list[str]:
    kind, _, more = text.partition(":")
    who = _GAINS.get(kind, f"is paid by {text}").format(more)
    return [
        f"Who {who} has",
        f"  {about(values['before'])}  before",
        f"  {about(values['after'])}  after seeing the output, on average: "
        f"{about(values['leakage'])} times as much, {about(values['leakage_additive'])} more",
        f"  {about(values['after_at_worst'])}  after the most telling output: "
        f"{about(values['leakage_at_worst'])} times as much",
        "",
    ]


def _gain(text: str, space: FiniteSpace) -> Gain:
    """A gain by its name, or from a table."""
    kind, _, more = text.partition(":")
    if text.lower().endswith(".csv"):
        return gains.matrix(*read_table(file_text(text), text))
    if text == "identity":
        return gains.identity(space)
    if text == "metric":
        return gains.metric(space)
    if kind == "tries" and more.isdecimal():
        return gains.tries(space, int(more))
    if kind == "within" and more:
        return gains.threshold(space, Fraction(read_number(more, f"--gain {text}")))
    if kind == "property" and more:
        written = {str(label): label for label in space.labels}
        parts = [part.strip() for part in more.split(",")]
        unknown = [part for part in parts if part not in written]
        if unknown:
            raise Malformed(f"--gain {text}: no input is called {', '.join(unknown)}")
        return gains.property([written[part] for part in parts], space)
    raise Malformed(
        f"there is no gain {text!r}; choose identity, metric, tries:K, within:DISTANCE, "
        "property:LABEL,LABEL or a CSV file"
    )
