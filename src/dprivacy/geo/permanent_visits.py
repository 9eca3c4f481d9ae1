"""What permanent noise is drawn for: cells of a grid, or leaders; and what that is charged for."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.errors import BudgetExceeded, NotApplicable
from dprivacy.geo.earth.lengths import LengthLike, in_words
from dprivacy.geo.leader_state import LeaderState, StateFile, empty_state
from dprivacy.geo.leading_places import Followed, follow
from dprivacy.geo.permanent_places import PermanentNoise
from dprivacy.model import counted
from dprivacy.numbers import Floats, Whole
from dprivacy.release import LedgerPlace, TaggedPeople, ledger_place, standing
from dprivacy.typing import LedgerLike, PathArg

_BACK = (
    "Anyone can see the pattern of visits: that somebody is back, or is elsewhere, and when. No level "
    "protects it: between two tracks with different patterns the ratio has no bound."
)


@dataclass(frozen=True, eq=False)
class Visits:
    """Rows of people, and the points of the lattice or of cells that their noise belongs to.

    Attributes
    ----------
    noise
        The permanent noise.
    people
        Whose each row is.
    cells
        The cell, or the lattice point of the leader, of each row.
    most
        The most of them that one person has; with a state file, over all time.
    followed
        With leaders: who follows whom.
    kept, fresh
        Whether leaders are kept in a state file, and whether it begins here.
    before
        The most leaders of one person before, anybody's, and what they were charged to, where that is
        what is charged now; otherwise None.
    anew
        The most leaders of one person before, where an account of a table pays for all of them again.
    run
        The mark of the entry that this release makes.
    """

    noise: PermanentNoise
    people: TaggedPeople
    cells: Whole
    most: int
    followed: Followed | None = None
    kept: bool = False
    fresh: bool = False
    before: tuple[int, LedgerPlace] | None = None
    anew: int = 0
    run: bytes = b""

    @property
    def paid(self) -> bool:
        """Whether the leaders of before were charged to the account that is charged now."""
        return self.before is not None

    def noisy(self, rows: slice) -> Whole:
        """The reports of some rows, in steps."""
        return self.noise.noisy(self.cells[rows], self.people[rows])

    @property
    def published(self) -> str:
        """What it publishes, in words: an entry of a ledger says so."""
        what = "in another cell" if self.followed is None else "at another place, or back at one"
        return f"whether and when a person is {what}"

    @property
    def charged_times(self) -> int:
        """How many reports of one person are charged; those of before once only.

        An account of a table is charged for the person with the most leaders of all, so that it pays
        for new ones of others only where they come to have more: an older copy of the state would not
        know of all that came out, and is charged for as if it began here. An account of persons is
        charged for those who have new ones.
        """
        if self.followed is None or self.before is None:
            return max(self.most, self.anew)
        most, place = self.before
        return self.followed.most_new if place.per == "person" else max(0, self.most - most)

    def charged_people(self, owners: Sequence[Any]) -> list[Any]:
        """Each person once; where the leaders of before are paid for, those who have new ones."""
        first = {
            tag.tobytes(): owners[row] for row, tag in reversed([*enumerate(self.people.tags)])
        }
        if self.followed is not None and self.paid and self.charged_times:
            return [owner for who, owner in first.items() if who in self.followed.newcomers]
        return list(first.values())

    def notes(self) -> list[str]:
        """What was done, and what it does not hide."""
        if self.followed is None:
            return [
                "The noise is permanent: the same person in the same cell reports the same place, "
                f"however often, and that counts as one report. {_BACK}"
            ]
        told = [
            "The noise is permanent: readings of a person within "
            f"{in_words(self.followed.near)} of an earlier one, in the order of the rows, report what "
            f"that one reported, and that counts as one report. {_BACK}"
        ]
        if self.fresh:
            told.append("Leaders are kept from this release on; nothing of before was known.")
        if self.paid:
            told.append("Places that a person reported from before were paid for then.")
        if self.anew:
            told.append(
                "The account was charged for a later release than the last one that the state knows, "
                "so that all of its leaders are charged anew."
            )
        return told


@contextmanager
def visits(
    noise: PermanentNoise,
    owners: Sequence[Any],
    true: tuple[Floats, Floats],
    *,
    state: PathArg | None,
    whole_history: bool,
    near: LengthLike | None,
    limit: int | None,
    ledger: LedgerLike,
) -> Iterator[Visits]:
    """The visits of some rows; a state file is held meanwhile, and written in the end.

    Parameters
    ----------
    noise
        The permanent noise.
    owners
        Whose each row is.
    true
        Latitudes and longitudes.
    state, whole_history, near
        As for `protect_places`.
    limit
        The most different places that one person may have.
    ledger
        What will be charged.
    """
    if state is not None and whole_history:
        raise NotApplicable(
            "a state file knows what came before, and a whole history holds it: give one of the two"
        )
    people, cells = noise.people(owners), noise.mechanism.cells(*true)
    if state is None and not whole_history:
        yield Visits(noise, people, cells, _most_cells(people, cells, limit))
        return
    file = None if state is None else StateFile(state, noise)
    with nullcontext() if file is None else file.held():
        known = empty_state(near) if file is None else file.read(near)
        step = noise.mechanism.step
        followed = follow(
            cells, people.tags, known.leaders, near=known.near, step=step, limit=limit
        )
        place = ledger_place(ledger)
        paid, older = _standing(known, place, ledger)
        anew = known.most if older and place is not None and place.per == "table" else 0
        before = (known.most, place) if paid and place is not None and not anew else None
        latest = known.fresh or (paid and not older)
        run = known.next if latest else secrets.token_bytes(16)
        kept = file is not None
        yield Visits(
            noise,
            people,
            followed.points,
            followed.most,
            followed,
            kept,
            kept and known.fresh,
            before,
            anew,
            run,
        )
        if file is not None:
            now = {**known.leaders, **followed.leaders}
            # All leaders of a state were charged to one account, or it names none.
            charged = (place, (*known.charges, run)) if known.fresh or paid else ()
            file.write(LeaderState(now, known.near, *charged))


def _standing(
    known: LeaderState, place: LedgerPlace | None, ledger: LedgerLike
) -> tuple[bool, bool]:
    """Whether what is charged now has paid for all leaders of a state, and for later ones."""
    if place is None or place != known.charged:
        return False, False
    *made, later = standing(ledger, [*known.charges, known.next])
    return all(made), all(made) and later


def _most_cells(people: TaggedPeople, cells: Whole, limit: int | None) -> int:
    """The most cells of one person."""
    if not len(cells):
        return 1
    rows = np.column_stack([people.tags.view(np.int64), cells])
    different, first = np.unique(rows, axis=0, return_index=True)
    _, whose, counts = np.unique(different[:, :2], axis=0, return_inverse=True, return_counts=True)
    most = int(counts.max())
    if limit is not None and most > limit:
        over = np.flatnonzero(counts[whose.ravel()] > limit)
        row = int(first[over].max())
        raise BudgetExceeded(
            f"row {row}: its person has more than {counted(limit, 'different place')}, and the level "
            f"was divided by {limit}; leave rows out, or declare more reports"
        )
    return most
