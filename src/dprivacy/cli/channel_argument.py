"""The matrices of commands: from files, or built in, to try a command before having one of your own."""

from pathlib import Path

import rich_click as click

from dprivacy.cli.shared_options import METRICS
from dprivacy.cli.standard_input import Input
from dprivacy.errors import DPrivacyError, Malformed, NotStochastic
from dprivacy.model import Channel, as_channel, as_space
from dprivacy.spaces import FiniteSpace

# name: (metric, input labels, rows); outputs are the inputs.
_EXAMPLES = {
    "geometric": (
        "line",
        ["0", "1", "2"],
        ["2/3 1/6 1/6", "1/3 1/3 1/3", "1/6 1/6 2/3"],
    ),
    "response": (
        "discrete",
        ["nurse", "pilot", "cook", "clerk"],
        ["2/5 1/5 1/5 1/5", "1/5 2/5 1/5 1/5", "1/5 1/5 2/5 1/5", "1/5 1/5 1/5 2/5"],
    ),
    "broken": (
        "discrete",
        ["yes", "no", "refused"],
        ["9/10 1/10 0", "1/10 9/10 0", "1/20 1/20 9/10"],
    ),
}
NAMES = sorted(_EXAMPLES)
MATRIX = click.argument("matrix", type=Input(), required=False)
EXAMPLE = click.option(
    "--example", "built_in", type=click.Choice(NAMES), help="Use a built-in matrix."
)
METRIC = click.option("--metric", help=f"{METRICS}; discrete by default.")


def example(name: str) -> tuple[str, Channel]:
    """The metric and the channel of a built-in example."""
    if name not in _EXAMPLES:
        raise Malformed(f"there is no example {name!r}; choose {', '.join(NAMES)}")
    metric, labels, rows = _EXAMPLES[name]
    return metric, Channel(labels, labels, [row.split() for row in rows])


def given_matrix(
    matrix: Path | None, built_in: str | None, metric: str | None
) -> tuple[str, Channel, FiniteSpace]:
    """The metric's name, the channel and its space, from what a command was given."""
    if (matrix is None) == (built_in is None):
        raise click.UsageError("give either a MATRIX file or --example")
    if built_in is not None:
        usual, channel = example(built_in)
    else:
        assert matrix is not None
        usual, channel = "discrete", _from_file(matrix)
    return metric or usual, channel, given_space(metric or usual, channel)


def _from_file(matrix: Path) -> Channel:
    """A labelled matrix, also as R writes or prints it, where rows miss 1 by a rounding."""
    try:
        return as_channel(matrix)
    except (Malformed, NotStochastic) as refusal:
        from dprivacy.release import read_pram

        try:
            found = read_pram(matrix)
        except DPrivacyError:
            raise refusal from None
        moved = f"; its rows were rounded, and moved by up to {float(found.moved):.1g} to sum to 1"
        click.echo(f"note: read as R writes a matrix{moved if found.moved else ''}", err=True)
        return found.channel


def given_space(metric: str, channel: Channel) -> FiniteSpace:
    """The space of a channel's inputs: by name, or from a table of distances."""
    return as_space(metric, labels=channel.rows)
