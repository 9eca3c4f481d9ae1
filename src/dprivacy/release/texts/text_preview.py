"""A look at a few texts before and after, with noise that is thrown away: for their owner alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dprivacy.model import Answer
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.sampling import SystemSource
from dprivacy.text import Found, TextCells, find_personal, seen_text, unknown_words

SHOWN, _LOOKED_AT = 10, 1000


@dataclass(frozen=True)
class TextPreview(Answer):
    """Pairs of a text and what it might become, what was found in each, and counts of that by kind.

    `unknown` is the share of words, of up to a thousand texts, that the vocabulary lacks. It shows true
    texts: nothing of it may be published. The release draws noise of its own.

    Examples
    --------
    >>> TextPreview(("call Ann",), ("ask day",), ((),)).counts
    {}
    >>> ann = Found("names", 5, 8)
    >>> TextPreview(("call Ann",), ("ask day",), ((ann,),)).marked(0)
    'call «Ann»'
    """

    before: tuple[str, ...] = field(repr=False)
    after: tuple[str, ...]
    found: tuple[tuple[Found, ...], ...] = field(repr=False)
    unknown: float = 0.0
    exact: bool = field(default=True, init=False)

    @property
    def counts(self) -> dict[str, int]:
        """How often each kind of personal data was found in the texts that are shown."""
        return dict(Counter(one.kind for text in self.found for one in text))

    def marked(self, k: int, start: str = "«", end: str = "»") -> str:
        """The k-th text, with marks around what was found in it."""
        text, at, out = self.before[k], 0, ""
        for one in self.found[k]:
            out += f"{text[at : one.start]}{start}{text[one.start : one.end]}{end}"
            at = one.end
        return out + text[at:]

    def explain(self) -> str:
        """The pairs, one after the other."""
        pairs = (f"- {self.marked(k)}\n+ {after}" for k, after in enumerate(self.after))
        kinds = ", ".join(f"{kind} {n}" for kind, n in self.counts.items()) or "nothing"
        told = unknown_words(self.unknown)
        more = [f"In all texts {told}."] if told else []
        return "\n".join([*pairs, f"Found in these texts: {kinds}.", *more])


def preview_texts(texts: Sequence[str], column: ColumnPlan) -> TextPreview:
    """Ten texts at even places of a column, and one of the ways in which they might come out.

    Examples
    --------
    >>> from dprivacy.release import Plan
    >>> spec = {"type": "text", "epsilon": 2, "length": 3}
    >>> column = Plan.read({"columns": {"note": spec}}).column("note")
    >>> found = preview_texts(["Please tell Maria Oliveira", "thanks"], column)
    >>> found.marked(0), len(found.after[1].split())
    ('Please tell «Maria Oliveira»', 3)
    """
    chosen, unknown = list(map(_shown, _some(texts, SHOWN))), 0.0
    mechanism: Any = column.mechanism
    if isinstance(mechanism, TextCells):
        found = [find_personal(t, kinds=mechanism.kinds, lists=mechanism.lists) for t in chosen]
        after = mechanism.using(SystemSource()).randomise(chosen)
        unknown = mechanism.unknown_share(_some(texts, _LOOKED_AT))
    else:
        assert column.reader is not None
        found = [[] for _ in chosen]
        after = mechanism.using(SystemSource()).randomise(column.reader.read(chosen))
    return TextPreview(tuple(chosen), tuple(after), tuple(map(tuple, found)), unknown)


def _shown(text: str) -> str:
    """A text as it is read, on one line, without what moves a terminal's cursor or hides letters."""
    return "".join(c if c.isprintable() else " " for c in seen_text(text))


def _some(texts: Sequence[str], most: int) -> list[str]:
    """At most this many of the texts, evenly spaced."""
    size = min(most, len(texts))
    return [texts[k * len(texts) // size] or "" for k in range(size)]
