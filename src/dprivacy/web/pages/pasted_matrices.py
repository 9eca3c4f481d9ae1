"""Matrices as people have them: pasted from a spreadsheet or from R, with labels or without."""

import csv
import io
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from nicegui import ui

from dprivacy.errors import BadFile, NotStochastic, TooLarge
from dprivacy.model import Channel, channel_in_json
from dprivacy.release import pram_from_text
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


def read_matrix_text(text: str, *, name: str = "the matrix") -> Channel:
    r"""A channel from text: CSV (commas, tabs, semicolons or spaces), or JSON.

    Parameters
    ----------
    text
        With output labels on the first line and an input label before each line, or bare numbers;
        then the labels are 1, 2, ….
    name
        What errors call it.

    Examples
    --------
    >>> read_matrix_text("0.75 0.25\n0.25 0.75").rows
    ('1', '2')
    """
    if len(text) > _MOST_CHARACTERS:
        raise TooLarge(f"{name} has more than {_MOST_CHARACTERS >> 20} MiB; use dprivacy verify")
    if text.lstrip()[:1] in ("{", "["):
        channel = channel_in_json(text, name)
    else:
        found = pram_from_text(_labelled(text, name), name=name)
        if found.moved:
            raise NotStochastic(
                f"{name} has rows that miss 1 by up to {float(found.moved):.1g}, a rounding; the "
                "command dprivacy verify reads it, and says so"
            )
        channel = found.channel
    if max(len(channel.rows), len(channel.columns)) > MOST_LABELS:
        raise TooLarge(
            f"{name} is {len(channel.rows)} × {len(channel.columns)}; the page takes up to "
            f"{MOST_LABELS} × {MOST_LABELS}, and the command dprivacy verify larger ones"
        )
    return channel


def matrix_text(channel: Channel) -> str:
    """A channel as CSV text that `read_matrix_text` reads back."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["", *(str(y) for y in channel.columns)])
    for x, row in zip(channel.rows, channel.matrix.rows(), strict=True):
        writer.writerow([str(x), *(str(value) for value in row)])
    return out.getvalue()


def _labelled(text: str, name: str) -> str:
    """The text; bare probabilities get the labels 1, 2, …."""
    table = [line.replace(",", " ").replace(";", " ").split() for line in text.splitlines()]
    table = [line for line in table if line]
    if not table:
        raise BadFile(f"{name} is empty; paste one, or begin with an example")
    try:
        values = [[Fraction(cell) for cell in line] for line in table if max(map(len, line)) < 99]
    except (ValueError, ZeroDivisionError):
        return text
    if not values or abs(float(sum(values[0])) - 1) > 1e-6:  # labels such as 0, 1, 2
        return text
    head = ["", *(str(j) for j in range(1, len(table[0]) + 1))]
    return "\n".join(
        ",".join(line) for line in [head, *([str(i), *x] for i, x in enumerate(table, 1))]
    )


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
    begin = Choice("Begin with an example", {"": "(my own)", **examples})
    box = ui.textarea(f"{title}: true values down, released values across", value=value)
    box.props(f"outlined rows={rows} debounce=500 spellcheck=false").classes("dp-mono")

    def start() -> None:
        if begin.value:
            _, space, box.value = EXAMPLES[begin.value]
            began(space)

    async def taken(path: Path) -> None:
        box.value = read_text(path)

    begin.on_change(start)
    with side_by_side():
        chooser(f"{title}: choose a file", taken, room, _ENDINGS, _MOST_CHARACTERS)
    return box
