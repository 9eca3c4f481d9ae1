"""``dprivacy leakage``: what an adversary gains from the output of a channel."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.channel_argument import CHANNEL, NORMALISE, given_channel
from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.errors import UnknownName
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
    plain,
    read_prior_file,
    read_worth_file,
    uniform,
)
from dprivacy.numbers import read_number
from dprivacy.spaces import FiniteSpace

_EPILOG = shared.examples(
    "dprivacy leakage --example response",
    "dprivacy leakage pram.csv --gain identity --gain tries:2 --at-most 3",
    "dprivacy leakage best.json --gain metric",
)
_FORMS = "identity, metric, tries:K, within:DISTANCE, property:LABEL,LABEL or a CSV file"
_GAINS = {
    "identity": "Probability of guessing the secret in one try",
    "metric": "Expected closeness of a guess to the secret, 1 − d/diameter",
    "tries": "Probability of guessing the secret in {} tries",
    "within": "Probability of guessing the secret within a distance of {}",
    "property": "Probability of guessing whether the secret is one of {}",
}


@click.command(epilog=_EPILOG)
@CHANNEL
@NORMALISE
@shared.PRIOR
@click.option(
    "--gain",
    "named",
    multiple=True,
    default=("identity",),
    help=f"Gain: {_FORMS} of actions by secrets; repeatable.",
)
@click.option("--at-most", metavar="FACTOR", help="Exit with 3 if a leakage exceeds this.")
@shared.JSON
def leakage(
    matrix: Path | None,
    built_in: str | None,
    space: str | None,
    normalise: bool,
    prior: Path | None,
    named: tuple[str, ...],
    at_most: str | None,
    as_json: bool,
) -> None:
    """Measure what an adversary gains from the output of a MATRIX: a table, or a stored mechanism.

    For each gain: what a guess is worth before the output and after it, on average and for the most
    revealing output, and the factor between them. The capacity bounds that factor for every prior and
    every gain.
    """
    given = given_channel(matrix, built_in, space, normalise=normalise)
    channel = given.channel
    limit = None if at_most is None else read_number(at_most, "--at-most")
    belief = uniform(channel.rows) if prior is None else read_prior_file(prior, given.space)
    if not channel.exact:  # an array of doubles, which an exact prior does not meet
        belief = Dist(belief.labels, [float(weight) for weight in belief.weights])
    found = {text: _measured(belief, channel, _gain(text, given.space)) for text in named}
    most = capacity(channel)
    bits = shannon_capacity(channel)
    answer = {
        "space": given.space_name,
        "metric": given.space_words,
        "prior": belief.to_dict(),
        "gains": plain(found),
        "capacity": plain(most),
        "shannon_capacity": bits.to_dict(),
    }
    lines = [f"space: {given.space_words}"]
    lines += [part for text, values in found.items() for part in _words(text, values)]
    lines += [
        f"Capacity {about(most)}: for every prior and gain, the output multiplies the expected gain by "
        f"at most {about(most)}.",
        f"Shannon capacity: {float(bits):.4g} bits per use.",
    ]
    largest = max(one["leakage"] for one in found.values())
    too_much = limit is not None and largest > limit
    if too_much:
        lines.append(f"The largest leakage, {about(largest)}, is more than {at_most}.")
    shared.say(answer, as_json, "\n".join(lines))
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
    what = _GAINS.get(kind, f"Expected gain by {text}").format(more)
    return [
        f"{what}: {about(values['before'])} before the output, {about(values['after'])} after it",
        f"  on average, the output multiplies it by {about(values['leakage'])} and adds "
        f"{about(values['leakage_additive'])}",
        f"  the most revealing output makes it {about(values['after_at_worst'])}, "
        f"{about(values['leakage_at_worst'])} times as much",
        "",
    ]


def _gain(text: str, space: FiniteSpace) -> Gain:
    """A gain by its name, or from a table."""
    kind, _, more = text.partition(":")
    if text.lower().endswith(".csv"):
        return gains.matrix(*read_worth_file(text, space))
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
        for part in parts:
            if part not in written:
                raise UnknownName.among(f"every label of --gain {text}", part, written)
        return gains.property([written[part] for part in parts], space)
    raise UnknownName(f"--gain should be {_FORMS}, not {text!r}")
