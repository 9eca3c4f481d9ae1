"""Friend matching: who is near whom, by noisy hashes alone; and what that costs in quality."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.errors import BadFile, WrongShape
from dprivacy.hashing.hashes.locality_hash import HashedInputs
from dprivacy.hashing.hashes.packed_bits import BitsLike, Neighbours, nearest, read_bits
from dprivacy.model import Answer, Guarantee, Mechanism, plain, shown
from dprivacy.numbers import Floats, Sealed
from dprivacy.release import Card, Released, StatedGuarantee, weak_words
from dprivacy.sampling import Source
from dprivacy.sources import result
from dprivacy.spaces import locate, positions, read_labels
from dprivacy.typing import Label, TableLike

NAMED = ("person", "match")  # the columns that name people, once they have names
_SHOWN = 5  # people whose matches are named in words
_ALONE = "The matches are computed from the reports alone, and reveal no more than the reports do."


@dataclass(frozen=True, eq=False)
class Matching(Answer):
    """The k nearest of everybody, by Hamming distance of their reports.

    It is made from reports alone: whatever is done with it, they have the guarantee that they had.

    Parameters
    ----------
    labels
        Who the reports belong to.
    neighbours
        Places among the labels, and distances.
    bits
        The length of a report.

    Examples
    --------
    >>> found = match([[0, 0, 0], [0, 0, 1], [1, 1, 1]], k=1, labels=["ann", "bob", "cleo"]).data
    >>> next(found.rows())
    ('ann', 1, 'bob', 1)
    >>> found.k, found.of("cleo")
    (1, [('bob', 2)])
    """

    labels: tuple[Label, ...]
    neighbours: Neighbours
    bits: int
    exact: bool = field(default=True, init=False)

    @property
    def k(self) -> int:
        """How many matches everybody has."""
        return int(self.neighbours.places.shape[1])

    def of(self, label: Label) -> list[tuple[Label, int]]:
        """The matches of one person, nearest first, with the number of bits that differ."""
        row = locate(positions(self.labels), label, "the people")
        return self._row(row)

    def _row(self, row: int) -> list[tuple[Label, int]]:
        places, apart = self.neighbours.places[row], self.neighbours.distances[row]
        return [(self.labels[p], int(d)) for p, d in zip(places, apart, strict=True)]

    def rows(self) -> Iterator[tuple[Label, int, Label, int]]:
        """Person, rank from 1, match, bits that differ: one line a match."""
        for row, label in enumerate(self.labels):
            for rank, (match_, apart) in enumerate(self._row(row), 1):
                yield label, rank, match_, apart

    def explain(self) -> str:
        """The matching in words."""
        mean = float(self.neighbours.distances.mean())
        lines = [
            f"{len(self.labels):,} people, the {self.k} nearest of each by {self.bits} noisy bits; a "
            f"match differs in {mean:.2f} bits on average."
        ]
        for row, label in enumerate(self.labels[:_SHOWN]):
            named = ", ".join(f"{shown(m)} ({d})" for m, d in self._row(row))
            lines.append(f"{shown(label)}: {named}")
        if len(self.labels) > _SHOWN:
            lines.append(f"… and {len(self.labels) - _SHOWN:,} more")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The matching as plain data."""
        return {
            "people": len(self.labels),
            "k": self.k,
            "bits": self.bits,
            "matches": [
                {"person": plain(label), "matches": [[plain(m), d] for m, d in self._row(row)]}
                for row, label in enumerate(self.labels)
            ],
        }


def match(
    reports: BitsLike,
    *,
    k: int = 5,
    labels: Iterable[Label] | None = None,
    mechanism: Mechanism | None = None,
    source: Source | None = None,
) -> Released[Matching]:
    """Find the k nearest of everybody among noisy hashes.

    Parameters
    ----------
    reports
        One noisy hash a row, such as ``lshrr(…).randomise(vectors)`` gives.
    k
        How many matches everybody gets.
    labels
        Who the reports belong to; 0, 1, … when omitted. They are published as they are, and the card
        says so: who takes part is not a secret.
    mechanism
        What drew the reports; the card then states its guarantee, which matching cannot weaken.
    source
        Where the choice among equally near people comes from; the operating system by default.

    Returns
    -------
    Released
        Its `data` has for everybody k others, nearest first; among equally near ones, random ones.
        `save` writes them as .csv.

    Examples
    --------
    >>> found = match([[0, 0, 0], [0, 0, 1], [1, 1, 1]], k=1, labels=["ann", "bob", "cleo"])
    >>> found.data.of("cleo")
    [('bob', 2)]
    """
    array = read_bits(reports)
    known = read_labels(range(len(array)) if labels is None else labels, "labels")
    if len(known) != len(array):
        raise WrongShape(
            f"labels should name one person for each report: {len(array)}, not {len(known)}"
        )
    found = Matching(known, nearest(array, k=k, source=source), array.shape[1])
    if mechanism is None:
        stated, secure = StatedGuarantee("", unit="report", sentence=_ALONE), True
    else:
        claim = mechanism.guarantee
        sentence = f"{claim.explain()} {_ALONE} {_weak(claim, found.bits)}".rstrip()
        stated, secure = StatedGuarantee.of(claim, sentence=sentence), mechanism.secure
    card = Card.of(
        "matches",
        stated,
        count=len(known) * found.k,
        secure=secure,
        mechanisms={} if mechanism is None else {"": mechanism.to_dict()},
        pass_through=() if labels is None else NAMED,
    )
    return Released(found, card, write_matches)


def _weak(claim: Guarantee, bits: int) -> str:
    """A warning where all bits of a person together protect little."""
    if not isinstance(claim.space, HashedInputs):
        return ""
    return weak_words(
        claim.eps * bits,
        whole="All that a person rated is, taken together,",
        between="two people whose hashes differ in every bit",
    )


def write_matches(found: Matching, file: Any, path: Path) -> None:
    """Write a matching into a binary file as CSV: person, rank, match, bits that differ."""
    if path.suffix.lower() != ".csv" and path.name != "-":
        raise BadFile(f"{path}: the name should end in .csv")
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["person", "rank", "match", "bits_that_differ"])
    writer.writerows(found.rows())
    file.write(text.getvalue().encode())


@dataclass(frozen=True, eq=False)
class MatchLoss(Answer, Sealed):
    """How much farther the matches are than the true nearest, on average.

    It is computed from the true data, and so is not protected: look at it, do not publish it.

    Parameters
    ----------
    losses
        One number a person.
    found, true
        The average distance of matches and of true nearest neighbours.

    Examples
    --------
    >>> MatchLoss(np.array([0.1, 0.3]), found=0.4, true=0.2).mean
    0.2
    """

    losses: Floats
    found: float
    true: float
    exact: bool = field(default=False, init=False)

    @property
    def mean(self) -> float:
        """The average over people."""
        return float(self.losses.mean())

    def explain(self) -> str:
        """The loss in words."""
        return (
            f"Matches are at distance {self.found:.4f} on average and the true nearest at "
            f"{self.true:.4f}: a utility loss of {self.mean:.4f}. This is computed from the true data "
            "and is not protected."
        )

    def to_dict(self) -> dict[str, Any]:
        """The averages as plain data."""
        return {"loss": self.mean, "found": self.found, "true": self.true}


@result("T", "Eq 10.1")
def utility_loss(matching: Matching, table: TableLike) -> MatchLoss:
    """The mean distance of the k matches, less that of the k true nearest.

    Parameters
    ----------
    matching
        The `data` of what `match` found.
    table
        True distances between all people, such as ``function.table(vectors)``.

    Returns
    -------
    MatchLoss
        For every person, and on average.

    Examples
    --------
    >>> found = match([[0, 0], [0, 0], [1, 1], [1, 1]], k=1).data
    >>> utility_loss(found, [[0, 3, 1, 2], [3, 0, 2, 1], [1, 2, 0, 3], [2, 1, 3, 0]]).mean
    2.0
    """
    distances = np.asarray(table, dtype=np.float64)
    people = len(matching.labels)
    if distances.shape != (people, people):
        raise WrongShape(
            f"the table should have {people} × {people} distances, not shape {distances.shape}"
        )
    ideal = nearest_distances(distances, matching.k).mean(axis=1)
    reached = np.take_along_axis(distances, matching.neighbours.places, axis=1).mean(axis=1)
    return MatchLoss(reached - ideal, float(reached.mean()), float(ideal.mean()))


@result("T", "Fig 10.2")
def nearest_distances(table: TableLike, k: int = 1) -> Floats:
    """The distances of everybody's k true nearest neighbours, nearest first.

    Parameters
    ----------
    table
        True distances between all people.
    k
        How many.

    Examples
    --------
    >>> nearest_distances([[0, 3, 1], [3, 0, 2], [1, 2, 0]]).ravel().tolist()
    [1.0, 2.0, 1.0]
    """
    others = np.array(table, dtype=np.float64)
    if others.ndim != 2 or others.shape[0] != others.shape[1] or not 0 < k < len(others):
        raise WrongShape(
            f"the table should be square, of more than {k} people, not of shape {others.shape}"
        )
    np.fill_diagonal(others, np.inf)
    return np.asarray(np.sort(np.partition(others, k - 1, axis=1)[:, :k], axis=1))
