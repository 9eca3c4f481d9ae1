"""Words that cannot be listed, asked for in rounds: their beginnings first, longer ones later.

Every person answers in one round only, at the whole level. The answers of a round are the beginnings
that were frequent in the round before, each with every continuation, and "any other word".
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, NotApplicable, TooLarge
from dprivacy.mechanisms.groundwork.label_codes import whole
from dprivacy.mechanisms.groundwork.stray_counts import least_surprise
from dprivacy.mechanisms.local.local_families import (
    best_geometry,
    projective_response,
    telling,
)
from dprivacy.mechanisms.local.local_mechanism import LocalMechanism
from dprivacy.mechanisms.rounds.finding_chances import FindingChances, as_double
from dprivacy.mechanisms.rounds.word_prefixes import (
    REST,
    branches,
    continued,
    cut,
    read_alphabet,
    read_depths,
    read_words,
)
from dprivacy.model import Answer, BlockLaw, Guarantee, about
from dprivacy.numbers import Level, as_eps, float_up, root_above
from dprivacy.sampling import Source, choose_source, uniform_array
from dprivacy.sources import result
from dprivacy.spaces import Categories
from dprivacy.typing import LevelLike

BECAUSE = "L Thm 5"
MOST_ANSWERS = 1 << 19
LARGEST_ROUND = 1 << 20  # as many labels as a stored mechanism may have
_SHOWN = 20


@dataclass(frozen=True)
class Beginning:
    """A word, or the beginning of longer words, with the share of people who have it.

    Attributes
    ----------
    text
        The word; "tea…" stands for all longer words that begin with "tea".
    share
        The estimated share, which may be below 0.
    error
        Its standard error, in which noise and the choice of the people asked both count.
    held
        By how many reports it is held.

    Examples
    --------
    >>> print(Beginning("tea…", 0.25, 0.01, 420))
    tea… 25.0 % ± 1.0
    """

    text: str
    share: float
    error: float
    held: int

    def __str__(self) -> str:
        return f"{self.text} {100 * self.share:.1f} % ± {100 * self.error:.1f}"


@dataclass(frozen=True)
class ClosedRound:
    """What came of a round: how many answered, of how many answers, and what goes on.

    Examples
    --------
    >>> asked = prefix_rounds("ab", length=1, eps=3).after([0, 1, 2])
    >>> asked.closed[0].n, asked.closed[0].answers
    (3, 5)
    """

    n: int
    answers: int
    kept: tuple[Beginning, ...]


@dataclass(frozen=True, repr=False)
class PrefixRounds(Answer):
    """Rounds that ask for words, with what the closed ones found; the next is open.

    Attributes
    ----------
    letters
        The alphabet.
    depths
        How many letters are known after each round.
    keep
        How many beginnings go on to the next round.
    eps
        The level of everything that a person sends, in all rounds together: one report.
    alarm
        How probable it may be that a word is found which nobody has who was asked last.
    closed
        The rounds so far.

    Examples
    --------
    >>> import string
    >>> asked = prefix_rounds(string.ascii_lowercase, length=6, eps=2)
    >>> asked.depths
    (3, 5, 6)
    >>> done = asked.run(["tea"] * 30_000 + ["coffee"] * 20_000 + ["milk"] * 10_000)
    >>> [word.text for word in done.found[:3]]  # what may follow is noise
    ['tea', 'coffee', 'milk']
    >>> print(asked.offered, asked.ends, asked.answers[0], asked.mechanism.family, asked.known)
    35855 (0, 3) a projective_response ('…',)
    >>> set(asked.assign(1000).tolist()) <= {0, 1, 2}  # who answers in which round
    True
    >>> later = asked.after(asked.mechanism.randomise(["tea"] * 5000))
    >>> later.depths == asked.depths, asked.closed_with(9, [("tea", 9)]).known
    (True, ('tea',))
    >>> round(asked.chance(0.1, n=50_000), 3), round(asked.smallest_share(50_000), 3)
    (1.0, 0.054)
    """

    letters: tuple[str, ...] = field(repr=False)
    depths: tuple[int, ...]
    keep: int
    eps: Level
    alarm: float
    closed: tuple[ClosedRound, ...] = ()
    exact: bool = True

    @property
    def guarantee(self) -> Guarantee:
        """What all rounds together promise to each person."""
        told_apart = branches(len(self.letters), self.depths[-1]) + 1
        return Guarantee(self.eps, Categories(told_apart), because=BECAUSE)

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """What may be answered in the open round; the last is any other word."""
        start, depth = self.ends
        return (*continued(self.known, self.letters, depth - start), REST)

    @property
    def known(self) -> tuple[str, ...]:
        """What goes on from the round before; before the first, all words."""
        return tuple(each.text for each in self.closed[-1].kept) if self.closed else (REST,)

    @property
    def ends(self) -> tuple[int, int]:
        """How many letters are known before the open round, and after it."""
        if len(self.closed) == len(self.depths):
            raise NotApplicable("all rounds are closed; `found` has the words")
        return (0, *self.depths)[len(self.closed)], self.depths[len(self.closed)]

    @property
    def offered(self) -> int:
        """How many answers the open round has, any other word among them."""
        start, depth = self.ends
        open_ones = sum(text.endswith(REST) for text in self.known)
        done = len(self.known) - open_ones
        return done + open_ones * branches(len(self.letters), depth - start) + 1

    @cached_property
    def mechanism(self) -> LocalMechanism:
        """How people answer in the open round."""
        return projective_response(self.answers, eps=self.eps)

    def assign(self, n: int, *, source: Source | None = None) -> NDArray[np.int64]:
        """For each of n people the one round in which they answer, drawn evenly; all may know it.

        Parameters
        ----------
        n
            How many people there are.
        source
            The random source; the system's when omitted.
        """
        return uniform_array(len(self.depths), whole(n, "n"), source or choose_source())

    def randomise(self, words: Iterable[str], *, source: Source | None = None) -> list[int]:
        """A report for each word, in the open round.

        What is not among the answers is answered as any other word, so that no word is refused.

        Parameters
        ----------
        words
            One for each person who answers in this round.
        source
            The random source; the system's when omitted.
        """
        known = self.mechanism._coder
        told = [cut(word, self.ends[1]) for word in read_words(words)]
        codes = known.encode([text if text in known else REST for text in told])
        return list(self.mechanism.reports.draw(codes, source or choose_source()).tolist())

    def after(self, reports: Any) -> "PrefixRounds":
        """The rounds with the open one closed: the most frequent beginnings go on.

        Of the last round all words stay that are more frequent than chance explains.

        Parameters
        ----------
        reports
            The reports of this round, or `ReportCounts` of its mechanism.
        """
        seen = self.mechanism.count(reports)
        if not seen.n:
            raise NotApplicable("there are no reports in this round: their number is 0")
        held = seen.supports[:-1]  # without any other word
        order = np.argsort(-held, kind="stable")
        if len(self.closed) + 1 == len(self.depths):
            order = order[: int((held >= self._threshold(seen.n)).sum())]
        else:
            order = order[: self.keep]
        return self.closed_with(seen.n, [(self.answers[at], int(held[at])) for at in order])

    def closed_with(self, n: int, kept: Iterable[tuple[str, int]]) -> "PrefixRounds":
        """The open round closed with n reports; `kept` says how many of them hold what goes on."""
        law = best_geometry(self.offered, telling(self.eps))
        found = tuple(_estimated(law, text, held, n) for text, held in kept)
        return replace(self, closed=(*self.closed, ClosedRound(n, self.offered, found)))

    def _threshold(self, n: int) -> int:
        """So many reports hold a word that nobody has with a probability of at most alarm/answers."""
        level = math.log(self.alarm / (len(self.answers) - 1))
        return least_surprise(n, as_double(self.mechanism.q), level)

    def run(self, words: Iterable[str], *, source: Source | None = None) -> "PrefixRounds":
        """All rounds at once, for a rehearsal: people are assigned, answer and are counted.

        Parameters
        ----------
        words
            One for each person.
        source
            The random source; the system's when omitted.
        """
        draw, known = source or choose_source(), read_words(words)
        rounds, state = self.assign(len(known), source=draw).tolist(), self
        for number in range(len(self.closed), len(self.depths)):
            asked = [word for word, at in zip(known, rounds, strict=True) if at == number]
            state = state.after(state.randomise(asked, source=draw))
        return state

    @property
    def found(self) -> tuple[Beginning, ...]:
        """The words that are more frequent than chance explains, after the last round."""
        if len(self.closed) < len(self.depths):
            left = len(self.depths) - len(self.closed)
            raise NotApplicable(
                f"words are found after the last round, and {left} of {len(self.depths)} are still to "
                "come"
            )
        return self.closed[-1].kept

    @cached_property
    def _chances(self) -> FindingChances:
        return FindingChances(len(self.letters), self.depths, self.keep, self.eps, self.alarm)

    def chance(self, share: float, n: int) -> float:
        """At least so probably a word is found that this share of n people have.

        Parameters
        ----------
        share
            The share of people who have the word.
        n
            How many people answer, in all rounds together.
        """
        return self._chances.of(share, n)

    def smallest_share(self, n: int, *, chance: float = 0.95) -> float:
        """A share from which words are found with at least this probability, of n people.

        Parameters
        ----------
        n
            How many people answer, in all rounds together.
        chance
            How probable it should be.
        """
        return self._chances.smallest_share(n, chance)

    def explain(self) -> str:
        """What is promised, how far it is, and what was found."""
        rounds = ", ".join(map(str, self.depths))
        lines = [
            f"Words by their beginnings, known to {rounds} letters after each of {len(self.depths)} "
            "rounds. Each person answers in one of them, and all that is sent is "
            f"{about(self.eps)}-private for each person."
        ]
        if len(self.closed) < len(self.depths):
            lines.append(
                f"Round {len(self.closed) + 1} is open, with {len(self.answers):,} answers: "
                f"{self.mechanism!r}."
            )
            shown = self.closed[-1].kept if self.closed else ()
        else:
            shown = self.found
            lines.append(
                f"{len(shown)} words were found. That one of them is nobody's among those asked last "
                f"has a probability of at most {self.alarm:g}."
            )
        lines += [f"  {beginning}" for beginning in shown[:_SHOWN]]
        if len(shown) > _SHOWN:
            lines.append(f"  and {len(shown) - _SHOWN} more")
        return "\n".join(lines)


def _estimated(law: BlockLaw, text: str, held: int, n: int) -> Beginning:
    apart, share = law.inside - law.outside, Fraction(held, n)
    error = float_up(root_above(share * (1 - share) / n) / apart)
    return Beginning(text, float_up((share - law.outside) / apart), error, held)


@result("L", "Thm 5", "Thm 6")
def prefix_rounds(
    letters: Iterable[str],
    *,
    length: int,
    eps: LevelLike,
    keep: int = 200,
    alarm: float = 0.05,
    most: int = MOST_ANSWERS,
) -> PrefixRounds:
    """Ask people for words that cannot be listed, such as search terms or addresses of pages.

    Parameters
    ----------
    letters
        The alphabet, a text or a list of characters. Words with others are never found.
    length
        How many letters of a word are asked for; longer ones are found by their beginnings.
    eps
        The level of privacy for each person, over all rounds.
    keep
        How many beginnings go on to the next round. Words are found whose share is well above 1/keep.
    alarm
        How probable it may be that a word is found which nobody has who was asked last.
    most
        How many answers a round may offer. More answers mean fewer rounds, and more people in each.

    Returns
    -------
    PrefixRounds
        With the first round open.

    Notes
    -----
    1. People are divided between the rounds, evenly and at random. Splitting the level instead, with
       everybody in every round at ε/r, has an error that is about √r times as large.
    2. The error of a projective response hardly depends on the number of answers, so rounds go as
       deep as `most` allows.

    Examples
    --------
    >>> asked = prefix_rounds("abcdefghijklmnopqrstuvwxyz", length=8, eps=1)
    >>> asked.depths, len(asked.answers)
    ((3, 5, 7, 8), 35855)
    >>> print(asked.guarantee.eps, f"{asked.smallest_share(10_000_000):.3f}")
    1 0.014
    """
    known = read_alphabet(letters)
    many, answers = whole(keep, "keep"), whole(most, "most", 3)
    if answers > LARGEST_ROUND:
        raise TooLarge(f"a round offers at most {LARGEST_ROUND:,} answers, not {answers:,}")
    if not 0 < alarm < 1:
        raise BadNumber(f"alarm should be a probability between 0 and 1, not {alarm}")
    depths = read_depths(len(known), whole(length, "length"), many, answers)
    level = as_eps(eps)
    telling(level)
    return PrefixRounds(known, depths, many, level, float(alarm))
