"""The channels of commands: from files, or built in, to try a command before having one of your own."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.cli.shared_options import space as space_option, together
from dprivacy.cli.standard_input import Input
from dprivacy.errors import BadFile, NotApplicable
from dprivacy.mechanisms import LocalMechanism
from dprivacy.model import (
    Channel,
    Document,
    PrintedChannel,
    as_channel,
    as_space,
    exact_channel,
    file_text,
    longest_decimals,
    matrix_in_file,
    must_be_a_print,
    print_of,
    read_document,
    shown,
)
from dprivacy.spaces import FiniteSpace, space_in_words
from dprivacy.store import load
from dprivacy.typing import Label

# name: (space, input labels, rows); outputs are the inputs.
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


@dataclass(frozen=True)
class Given:
    """A channel, the space of its inputs, and what that space is called.

    Of a print, `channel` is one channel near it.
    """

    channel: Channel
    space: FiniteSpace
    space_name: str
    chosen: bool  # and not the discrete space because nothing else was named
    printed: PrintedChannel | None = None
    decimals: int = 0  # that were taken at their word

    @property
    def space_words(self) -> str:
        """The space with its metric."""
        return space_in_words(self.space_name)

    def called_as(self, labels: Iterable[Label]) -> Channel:
        """The channel, its inputs called as these labels where they are written the same.

        A table has texts for labels, where a stored mechanism may have numbers or pairs.
        """
        written = {shown(label): label for label in labels}
        rows = [written.get(shown(x), x) for x in self.channel.rows]
        return as_channel(self.channel, rows=rows)


# Of every verb that studies one channel.
CHANNEL = together(
    click.argument("matrix", type=Input(), required=False),
    click.option(
        "--example", "built_in", type=click.Choice(sorted(_EXAMPLES)), help="Built-in matrix."
    ),
    space_option("Distances between the inputs, discrete unless the file has its own"),
)

# Of verbs that need one channel, where a print has been given.
NORMALISE = click.option(
    "--normalise", is_flag=True, help="Divide rows that were rounded for print by their sums."
)


def given_channel(
    matrix: Path | None,
    built_in: str | None,
    space: str | None,
    *,
    printed: bool | None = False,
    normalise: bool = False,
) -> Given:
    """The channel and the space that a command was given."""
    if (matrix is None) == (built_in is None):
        raise click.UsageError("give either a MATRIX file or --example")
    if matrix is not None:
        return channel_of_file(matrix, space, printed=printed, normalise=normalise)
    assert built_in is not None
    usual, labels, rows = _EXAMPLES[built_in]
    return _on(Channel(labels, labels, [row.split() for row in rows]), space or usual)


def channel_of_file(
    path: Path, space: str | None, *, printed: bool | None = False, normalise: bool = False
) -> Given:
    """The channel of any file that holds one, on the space named, its own, or the discrete one.

    Parameters
    ----------
    path, space
        As they were given.
    printed
        Whether written numbers are a print; None where that is so if they can be nothing else.
    normalise
        Whether rows that miss 1 by a rounding are divided by their sums.
    """
    local = local_mechanism(path)
    if local is not None:
        if local.channel is None or not isinstance(local.guarantee.space, FiniteSpace):
            raise NotApplicable(
                f"{path}: {local!r} has more reports than can be listed, and so no matrix; `dprivacy "
                "verify` says what its law guarantees"
            )
        if space is None:
            return Given(local.channel, local.guarantee.space, "the mechanism's own", True)
        return _on(local.channel, space)
    found = matrix_in_file(path)
    if isinstance(found, Channel):
        if space is None and stored_mechanism(path) is not None:
            return Given(found, as_space(path), "the mechanism's own", True)
        return _on(found, space)
    if normalise:
        near = print_of(found)
        click.echo(f"note: rows divided by their sums, which moves entries by up to "
                   f"{float(near.moved):.1g}", err=True)  # fmt: skip
        return _on(near.normalised(), space)
    if printed or (printed is None and must_be_a_print(found)):
        known = print_of(found)
        given = _on(known.normalised(), space)
        return replace(given, printed=replace(known, rows=given.channel.rows))
    return replace(_on(exact_channel(found), space), decimals=longest_decimals(found))


def _on(channel: Channel, space: str | None) -> Given:
    name = "discrete" if space is None else space
    found = Given(channel, as_space(name, labels=channel.rows), name, space is not None)
    return replace(found, channel=found.called_as(found.space.labels))


def stored_mechanism(path: Path) -> dict[str, Any] | None:
    """The body of a stored mechanism; None for any other file."""
    found = stored_noun(path)
    return found.body if found is not None and found.noun == "mechanism" else None


def local_mechanism(path: Path) -> LocalMechanism | None:
    """The local mechanism of a file, which is stored by its law; None for any other file."""
    found = stored_noun(path)
    if found is None or found.noun != "mechanism" or "channel" in found.body:
        return None
    stored = load(path)
    return stored if isinstance(stored, LocalMechanism) else None


def stored_noun(path: Path) -> Document | None:
    """What a file of dprivacy holds; None for a table of numbers."""
    try:
        return read_document(file_text(path), name=str(path))
    except BadFile:
        return None
