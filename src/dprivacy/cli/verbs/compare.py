"""``dprivacy compare``: which of two channels is the safer, in every order at once."""

import sys
from pathlib import Path

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.channel_argument import NORMALISE, channel_of_file
from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.cli.standard_input import Input
from dprivacy.model import Channel
from dprivacy.refine import Refinement, refines
from dprivacy.spaces import FiniteSpace

_WORDS = {
    "average": "on average, against every adversary",
    "max": "in the max case, for every observation",
    "private": "for privacy, whatever the distances",
    "space": "for privacy on this space",
}


@click.command(
    epilog=shared.examples(
        "dprivacy compare old.csv new.csv",
        "dprivacy compare old.csv new.csv --space line --require max",
        "dprivacy compare best.json new.csv",
    )
)
@click.argument("first", metavar="A", type=Input())
@click.argument("second", metavar="B", type=Input())
@shared.space("Compare the smallest ε on this space as well, a mechanism's own by default")
@NORMALISE
@click.option(
    "--require",
    type=click.Choice(list(_WORDS)),
    help="Exit with 3 unless B is at least as safe as A in this order.",
)
@shared.JSON
def compare(
    first: Path,
    second: Path,
    space: str | None,
    normalise: bool,
    require: str | None,
    as_json: bool,
) -> None:
    """Compare two channels, A and B: tables of any kind that verify reads, or stored mechanisms.

    Shows whether B may replace A and whether A may replace B: on average, in the max case, and for
    privacy, each with its reason. Entries may be fractions (1/3) or decimals and are read exactly; one
    of the two may be -.
    """
    A, B = (channel_of_file(path, space, normalise=normalise) for path in (first, second))
    on = next((given for given in (A, B) if given.chosen), None)
    if require == "space" and on is None:
        raise click.UsageError("--require space needs --space")
    names = ("A", "B") if first.stem == second.stem else (first.stem, second.stem)
    labels = A.channel.rows if on is None else on.space.labels
    first_channel, second_channel = A.called_as(labels), B.called_as(labels)
    points = None if on is None else on.space
    forth = _verdicts(first_channel, second_channel, points, names)
    back = _verdicts(second_channel, first_channel, points, (names[1], names[0]))
    answer = {
        "first": str(first),
        "second": str(second),
        "space": None if on is None else on.space_name,
        "metric": None if on is None else on.space_words,
        "first_refined_by_second": {key: v.to_dict() for key, v in forth.items()},
        "second_refined_by_first": {key: v.to_dict() for key, v in back.items()},
    }
    parts = [] if on is None else [f"space: {on.space_words}"]
    parts.append(_summary(names, forth, back))
    parts += [verdict.explain() for verdicts in (forth, back) for verdict in verdicts.values()]
    shared.say(answer, as_json, "\n\n".join(parts))
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
        found["space"] = refines(A, B, space, by="private", names=names)
    return found


def _summary(
    names: tuple[str, str], forth: dict[str, Refinement], back: dict[str, Refinement]
) -> str:
    """One line for each order: which of the two is the safer."""
    first, second = names
    said: dict[tuple[bool | None, bool | None], str] = {
        (True, True): f"{first} and {second} are equally safe",
        (True, False): f"{second} is the safer",
        (False, True): f"{first} is the safer",
        (False, False): "neither is as safe as the other",
    }
    return "\n".join(
        f"{_WORDS[key]}: {said.get((verdict.holds, back[key].holds), 'undecided')}"
        for key, verdict in forth.items()
    )
