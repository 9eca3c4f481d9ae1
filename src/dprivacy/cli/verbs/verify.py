"""``dprivacy verify`` and ``dprivacy audit``: the ε of a matrix, and of a black box."""

import math
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.channel_argument import (
    CHANNEL,
    given_channel,
    local_mechanism,
    stored_mechanism,
    stored_noun,
)
from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.mechanisms import LocalMechanism
from dprivacy.model import Verdict, about, plain, require_keys
from dprivacy.numbers import as_eps, ln
from dprivacy.release import Ledger, prove_card, read_card
from dprivacy.store import load
from dprivacy.verify import (
    PrivacyVerdict,
    audit as audit_samples,
    command_sampler,
    privacy,
    privacy_profile,
)


@click.command(
    epilog=shared.examples(
        "dprivacy verify --example geometric",
        'dprivacy verify pram.csv --space discrete --epsilon "ln 14"',
        "dprivacy verify best.json",
        "dprivacy verify released.csv.card.json",
    )
)
@CHANNEL
@click.argument("file", type=shared.PATH, required=False)
@click.option(
    "--printed",
    is_flag=True,
    help="Entries were rounded for print: bound ε for every matrix that prints so.",
)
@shared.epsilon("Level to verify", more=" Without one, the smallest is found.")
@shared.DELTA
@click.option(
    "--ledger", help="Ledger that the receipt of a CARD is of: a file or a postgresql:// URL."
)
@shared.JSON
def verify(
    matrix: Path | None,
    file: Path | None,
    built_in: str | None,
    space: str | None,
    printed: bool,
    epsilon: str | None,
    delta: str,
    ledger: str | None,
    as_json: bool,
) -> None:
    """Verify the privacy of a MATRIX: a table, a stored mechanism, or the card of a release.

    Prints the smallest ε on the space and the two inputs and the output that decide it, or whether a
    given ε holds. What a stored mechanism claims is verified as well. A table is CSV, JSON, what R
    writes or prints, LaTeX or NumPy; - reads standard input. Fractions (1/3) and decimals are read
    exactly, unless rows miss 1 by what rounding explains, or --printed says that they were rounded.
    The CARD of a release is proved again from the plan and the channels on it, and FILE is held against
    it. Exit code 0: it holds; 3: it does not, or the print cannot tell; 1: bad input.
    """
    noun = None if matrix is None else stored_noun(matrix)
    if (
        matrix is not None
        and noun is not None
        and noun.noun in ("card", "receipt", "plan", "space")
    ):
        _other_noun(matrix, noun.noun, file, ledger, as_json)
    if file is not None or ledger is not None:
        if matrix is None:
            raise click.UsageError("FILE and --ledger go with the CARD of a release")
        read_card(matrix)  # says why it is not a card
    local = None if matrix is None else local_mechanism(matrix)
    if local is not None and local.channel is None and space is None:
        _by_its_law(local, epsilon, as_json)
    given = given_channel(matrix, built_in, space, printed=printed or None)
    claimed = None if matrix is None else _claimed(matrix)
    asked = given.channel if given.printed is None else given.printed
    verdict = privacy(asked, given.space, eps=epsilon, delta=delta)
    answer: dict[str, object] = {
        "space": given.space_name,
        "metric": given.space_words,
        "inputs": [str(x) for x in given.channel.rows],
        **verdict.to_dict(),
    }
    lines = [f"{asked!r}\nspace: {given.space_words}\n"]
    if claimed is not None:
        answer["claimed"] = claimed.to_dict()
        told = claimed.explain()
        lines.append(f"What the file claims:\n{told.splitlines()[0] if claimed else told}\n")
    lines.append(verdict.explain())
    if given.decimals:
        lines.append(
            "Decimals were taken at their word; if they were rounded, --printed bounds what that hides."
        )
    if verdict.smallest == math.inf and given.printed is None:
        profile = privacy_profile(given.channel)
        floor, eps = str(profile.floor), str(profile.eps(profile.floor))
        answer |= {"delta_floor": floor, "eps_at_delta_floor": eps}
        lines.append(f"At ε = {eps} the smallest possible δ is {floor} (discrete metric).")
    shared.say(answer, as_json, "\n".join(lines))
    sys.exit(0 if verdict and (claimed is None or claimed) else GUARANTEE_FAILED)


def _other_noun(
    path: Path, noun: str, file: Path | None, ledger: str | None, as_json: bool
) -> NoReturn:
    """Prove a card, or a receipt against its ledger; plans and spaces are proved by being read."""
    with ExitStack() as stack:
        book = None if ledger is None else stack.enter_context(Ledger(ledger, create=False))
        if noun == "card":
            verdict: Verdict = prove_card(path, file=file, ledger=book)
        elif noun == "receipt":
            if book is None:
                raise click.UsageError("a receipt is verified against its ledger: --ledger")
            verdict = book.verify([load(path)])
        else:
            load(path)
            verdict = Verdict(f"the file holds a sound {noun}", True, True, denial="")
    words = verdict.explain()
    if noun == "card":
        words += f"\n\n{read_card(path).explain()}"
    shared.say(verdict.to_dict(), as_json, words)
    sys.exit(0 if verdict else GUARANTEE_FAILED)


def _by_its_law(mechanism: LocalMechanism, epsilon: str | None, as_json: bool) -> NoReturn:
    """Of a local mechanism with too many reports to list: its odds a are all that decides."""
    level, smallest = as_eps(epsilon or mechanism.guarantee.eps), ln(mechanism.factor)
    verdict = Verdict(
        f"the mechanism is ε-private on unordered labels at ε = {about(level)}",
        smallest <= level,
        True,
        denial=f"the mechanism is not ε-private on unordered labels at ε = {about(level)}",
    )
    odds = about(mechanism.factor)
    words = (
        f"{mechanism!r}\n\n{verdict.explain()}\nReports are not listed: every one is {odds} times as "
        "likely for a label in its set as for one outside (L Thm 1)."
    )
    shared.say({**verdict.to_dict(), "smallest": plain(smallest)}, as_json, words)
    sys.exit(0 if verdict else GUARANTEE_FAILED)


def _claimed(path: Path) -> PrivacyVerdict | None:
    """Whether what a stored mechanism claims of itself holds; None for a file that claims nothing."""
    local = local_mechanism(path)
    if local is not None:
        return local.verify()
    body = stored_mechanism(path)
    if body is None:
        return None
    require_keys({"guarantee": body.get("guarantee")}, {"guarantee": dict}, {}, str(path))
    claim = body["guarantee"]
    require_keys(claim, dict.fromkeys(("eps", "delta", "because", "unit"), str), {}, str(path))
    return privacy(path, eps=claim["eps"], delta=claim["delta"])


@click.command(
    epilog=shared.examples(
        "dprivacy audit --input yes --input no --epsilon 1 -- ./box {value} {n}"
    ),
    context_settings={"ignore_unknown_options": True},
)
@click.argument("command", nargs=-1, required=True)
@click.option("--input", "inputs", multiple=True, required=True, help="Input; give at least two.")
@shared.epsilon("Claim to test")
@shared.DELTA
@click.option("--samples", default=100_000, help="Outputs drawn on each input.")
@click.option("--confidence", default=0.999, help="Confidence level of the bound.")
@click.option(
    "--numbers", is_flag=True, help="Read the outputs as numbers, so that ranges are tried."
)
@shared.JSON
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
    the number of outputs, which it prints one per line. Exit code 3: the claim is refuted.
    """
    found = audit_samples(
        command_sampler(list(command), numbers=numbers),
        inputs,
        delta=delta,
        samples=samples,
        confidence=confidence,
    )
    refuted = epsilon is not None and found.refutes(epsilon)
    lines = [found.explain()]
    if epsilon is not None:
        word = "refuted" if refuted else "not refuted, which proves nothing"
        lines.append(f"The claim of ε = {epsilon} is {word}.")
    shared.say({**found.to_dict(), "refuted": refuted}, as_json, "\n".join(lines))
    sys.exit(GUARANTEE_FAILED if refuted else 0)
