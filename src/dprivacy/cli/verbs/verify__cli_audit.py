"""``dprivacy audit``: what the samples of a black box prove against its claim."""

import sys

import rich_click as click

from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.cli.shared_options import JSON, epsilon as epsilon_option, examples, say
from dprivacy.verify import audit as audit_samples, command_sampler


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
        samples=samples,
        confidence=confidence,
        delta=delta,
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
