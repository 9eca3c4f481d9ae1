"""Matrices as people have them: pasted from a spreadsheet or from R, with labels or without."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import ui

from dprivacy.errors import BadFile, NotApplicable, TooLarge
from dprivacy.model import (
    Cells,
    Channel,
    PrintedChannel,
    exact_channel,
    matrix_in_text,
    must_be_a_print,
    print_of,
)
from dprivacy.web.shell.controls import Choice, chooser
from dprivacy.web.shell.desk import read_text
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import choice, text

MOST_LABELS = 200
DISTANCES = {
    "discrete": "any two values are equally far apart",
    "order": "values are classes in order, neighbours at distance 1",
    "line": "values are numbers, at their difference",
    "hamming": "values are codes such as 010; differing characters count",
}
LIMITS = {"space": lambda given: choice(given, DISTANCES, "discrete")}
_ENDINGS = (".csv", ".tsv", ".txt", ".json")
_MOST_CHARACTERS = 4 << 20

# name: (what it is, space, text)
EXAMPLES = {
    "pram": (
        "A PRAM matrix for marital status",
        "discrete",
        ",single,married,divorced,widowed\n"
        "single,0.70,0.10,0.10,0.10\n"
        "married,0.10,0.70,0.10,0.10\n"
        "divorced,0.10,0.10,0.70,0.10\n"
        "widowed,0.05,0.15,0.10,0.70\n",
    ),
    "response": (
        "Randomised response, three answers",
        "discrete",
        ",yes,no,unsure\nyes,1/2,1/4,1/4\nno,1/4,1/2,1/4\nunsure,1/4,1/4,1/2\n",
    ),
    "geometric": (
        "Truncated geometric on 0, 1, 2",
        "line",
        ",0,1,2\n0,2/3,1/6,1/6\n1,1/3,1/3,1/3\n2,1/6,1/6,2/3\n",
    ),
    "flat": (
        "Randomised response on 0, 1, 2",
        "line",
        ",0,1,2\n0,1/2,1/4,1/4\n1,1/4,1/2,1/4\n2,1/4,1/4,1/2\n",
    ),
    "broken": (
        "A matrix with a hole",
        "discrete",
        ",yes,no,refused\nyes,9/10,1/10,0\nno,1/10,9/10,0\nrefused,1/20,1/20,9/10\n",
    ),
}


def read_matrix_text(text: str, *, name: str = "the matrix") -> Channel | PrintedChannel:
    r"""A channel from a text of any kind that `as_channel` reads in a file, or a print.

    Parameters
    ----------
    text
        With output labels on the first line and an input label before each line, or bare numbers;
        then the labels are 0, 1, ….
    name
        What errors call it.

    Examples
    --------
    >>> read_matrix_text("0.75 0.25\n0.25 0.75").rows
    (0, 1)
    """
    if not text.strip():
        raise BadFile(f"{name} is empty; paste one, or begin with an example")
    if len(text) > _MOST_CHARACTERS:
        raise TooLarge(f"{name} has more than {_MOST_CHARACTERS >> 20} MiB; use dprivacy verify")
    found = matrix_in_text(text, name)
    channel: Channel | PrintedChannel
    if isinstance(found, Cells) and must_be_a_print(found):
        channel = print_of(found)
    else:
        channel = exact_channel(found)
    if max(len(channel.rows), len(channel.columns)) > MOST_LABELS:
        raise TooLarge(
            f"{name} is {len(channel.rows)} × {len(channel.columns)}; the page takes up to "
            f"{MOST_LABELS} × {MOST_LABELS}, and the command dprivacy verify larger ones"
        )
    return channel


def read_one_channel(text: str, *, name: str) -> Channel:
    """A channel from text; rounded entries are refused, since they stand for many channels."""
    found = read_matrix_text(text, name=name)
    if isinstance(found, Channel):
        return found
    raise NotApplicable(
        f"{name} was rounded for print: its rows miss 1. Divide each row by its sum to compare it"
    )


def matrix_text(channel: Channel) -> str:
    """A channel as CSV text that `read_matrix_text` reads back."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["", *(str(y) for y in channel.columns)])
    for x, row in zip(channel.rows, channel.matrix.rows(), strict=True):
        writer.writerow([str(x), *(str(value) for value in row)])
    return out.getvalue()


def example_of(text: str) -> str:
    """The name of the example that a text is, or nothing where it is somebody's own.

    Examples
    --------
    >>> example_of(EXAMPLES["broken"][2]), example_of("0.5 0.5")
    ('broken', '')
    """
    return next((name for name, (_, _, words) in EXAMPLES.items() if words == text), "")


def matrix_box(
    title: str,
    value: str,
    room: OpenRoom,
    *,
    rows: int,
    began: Callable[[str], Any] = lambda space: None,
) -> ui.textarea:
    """A box for one matrix: an example, text to paste, or a file; `began` gets an example's space."""
    text("h2", title)
    examples = {name: words for name, (words, _, _) in EXAMPLES.items()}
    begin = Choice("Begin with an example", {"": "(my own)", **examples}, example_of(value))
    box = ui.textarea(f"{title}: true values down, released values across", value=value)
    box.props(f"outlined rows={rows} debounce=500 spellcheck=false").classes("dp-mono")

    def start() -> None:
        if begin.value:
            _, space, box.value = EXAMPLES[begin.value]
            began(space)

    def edited() -> None:
        begin.value = example_of(str(box.value or ""))

    async def taken(path: Path) -> None:
        box.value = read_text(path)

    begin.on_change(start)
    box.on_value_change(edited)
    with side_by_side():
        chooser(f"{title}: choose a file", taken, room, _ENDINGS, _MOST_CHARACTERS)
    return box
