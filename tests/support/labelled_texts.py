"""Sentences in which personal data are marked, {kind|text}; all people in them are invented.

`tuned` was used to make the rules of the first sketch, `held` was written after them, and `third`
before they were touched again: its figures are the ones to quote. `fourth` writes things awkwardly, and
the rules were mended on it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

_FOLDER = Path(__file__).parent / "labelled_sentences"
_MARK = re.compile(r"\{(\w+)\|([^{}]*)\}")
Spans = list[tuple[str, int, int]]


def labelled(name: str) -> list[tuple[str, Spans]]:
    """The sentences of a set without their marks, and where which kind stands in them."""
    lines = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [_parsed(line) for line in lines]


def _parsed(line: str) -> tuple[str, Spans]:
    text, spans, at = "", [], 0
    for mark in _MARK.finditer(line):
        text += line[at : mark.start()]
        spans.append((mark[1], len(text), len(text) + len(mark[2])))
        text += mark[2]
        at = mark.end()
    return text + line[at:], spans


def scores(
    sentences: Iterable[tuple[str, Spans]], find: Callable[[str], Spans]
) -> tuple[Counter[str], Counter[str], Counter[str], Counter[str]]:
    """Marks that were found and all marks, by their kind; right finds and all finds, by theirs.

    A mark is found where finds of whatever kind cover all its letters and digits: what counts is that
    nothing is left. A find is right where it overlaps a mark.
    """
    hit, marks, right, finds = Counter(), Counter(), Counter(), Counter()
    for text, spans in sentences:
        got = find(text)
        covered = {k for _, a, b in got for k in range(a, b)}
        for kind, a, b in spans:
            marks[kind] += 1
            hit[kind] += all(k in covered or not text[k].isalnum() for k in range(a, b))
        for kind, a, b in got:
            finds[kind] += 1
            right[kind] += any(a < end and start < b for _, start, end in spans)
    return hit, marks, right, finds
