"""What stands on a board's sheet, before it is laid out: words and rounded figures, nothing else."""

from dataclasses import dataclass
from typing import Literal

Tone = Literal["good", "warn", "bad"]
Sentence = tuple[str, ...]  # pieces of text; every second one is printed bold


@dataclass(frozen=True)
class RowBand:
    """The first lines: one word, and at most three sentences on the whole row."""

    word: str
    tone: Tone
    sentences: tuple[Sentence, ...]

    def lines(self) -> list[str]:
        """The same as plain text, a line each."""
        first, *rest = ("".join(sentence) for sentence in self.sentences)
        return [f"{self.word}. {first}", *rest]


@dataclass(frozen=True)
class GuessedAnswer:
    """One line of the table of guesses, in guesses of 100, rounded up; "" where nothing can be said.

    `limits` are the most right guesses of somebody who was right 50, 75 and 95 times in 100 before.
    """

    answer: str
    blind: str
    with_row: str
    limits: tuple[str, str, str]


@dataclass(frozen=True)
class Learned:
    """A statistic that can be had from the release, and how far off it may be."""

    statistic: str
    error: str
    without_noise: str


@dataclass(frozen=True)
class SheetContents:
    """Everything that is printed on the page a board reads.

    `right` is how often somebody who wavers between the two most different records is right with the
    person's row: the middle square. `basis` says what the table of guesses takes for
    granted; `crossed` are two-way tables.
    """

    title: str
    about: str
    band: RowBand
    right: float
    guesses: tuple[GuessedAnswer, ...]
    basis: str
    open: tuple[str, ...]
    conditions: tuple[str, ...]
    learned: tuple[Learned, ...]
    crossed: tuple[Learned, ...]
    learned_note: str
    foot: str
