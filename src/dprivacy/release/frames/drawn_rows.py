"""Rows whose noise has been drawn: whoever asks for them again gets the same."""

import hashlib
import secrets
from threading import Lock
from typing import Any

from dprivacy.errors import NotApplicable
from dprivacy.extras import arrow
from dprivacy.model import counted
from dprivacy.release.columns.person_identifiers import person_name
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.sanitising import sanitise


class DrawnRows:
    """What was drawn of a table under one plan, kept so that nothing is drawn twice.

    Where the plan's `unit` identifies a person who has one row, each person's row is drawn once.
    Rows that nothing identifies are drawn as one table: it is given again when the very same table
    comes, and another table is refused, since it may hold the same people.

    A copy that was pickled gives the rows of people it knows and draws none; it holds released rows and
    identifiers, and nothing that true values could be compared with.
    """

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.clean: Any = None
        self.sealed = False
        self._places: dict[bytes, int] = {}
        self._marks: list[bytes] = []
        self._key = secrets.token_bytes(32)
        self._lock = Lock()

    def __len__(self) -> int:
        return 0 if self.clean is None else len(self.clean)

    def __getstate__(self) -> dict[str, Any]:
        return {"plan": self.plan, "clean": self.clean, "_places": dict(self._places)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self.__dict__.update(state, sealed=True)

    def released(self, table: Any, plan: Plan) -> Any:
        """The noisy rows of an Arrow table, drawn where they have not been."""
        with self._lock:
            if self.plan is not None and self.plan != plan:
                raise NotApplicable(
                    f"noise for {counted(len(self), 'row')} was drawn by another plan, and what a "
                    "second one draws adds its level; make a new step if that is meant"
                )
            marks = [self._mark(row) for row in zip(*table.to_pydict().values(), strict=True)]
            if plan.unit == "row" or plan.rows_per_person != 1:
                return self._one_table(table, plan, marks)
            return self._by_person(table, plan, marks)

    def _one_table(self, table: Any, plan: Plan, marks: list[bytes]) -> Any:
        if self.clean is None and not self.sealed:
            self._draw(table, plan, marks)
        elif self.sealed or marks != self._marks:
            raise NotApplicable(
                "noise was drawn for one table, and this may hold some of its rows again, which would "
                "spend their level twice; transform the whole table once, before it is split into "
                "folds, or set the plan's unit to a column that identifies each row"
            )
        return self.clean

    def _by_person(self, table: Any, plan: Plan, marks: list[bytes]) -> Any:
        names = table.column(plan.unit).to_pylist()
        people = [person_name(name, row) for row, name in enumerate(names, 1)]
        new = [k for k, person in enumerate(people) if person not in self._places]
        seen = set() if self.sealed else self._places.keys() & set(people)
        before = {person: self._marks[self._places[person]] for person in seen}
        changed = sum(
            before.get(who, mark) != mark for who, mark in zip(people, marks, strict=True)
        )
        if changed:
            raise NotApplicable(
                f"{counted(changed, 'row')} came before with other values of the same {plan.unit!r}; "
                "every row needs an identifier of its own, and keeps its values"
            )
        if new and self.sealed:
            raise NotApplicable(
                f"{counted(len(new), 'row')} have no noise yet, and a copy of a step draws none, since "
                "the other copies would draw it too; transform all rows before the step is copied "
                "to other processes"
            )
        if new:
            self._draw(table.take(new), plan, [marks[k] for k in new], [people[k] for k in new])
        return self.clean.take([self._places[person] for person in people])

    def _draw(
        self, table: Any, plan: Plan, marks: list[bytes], people: list[bytes] | None = None
    ) -> None:
        noisy, start = sanitise(table, plan).data, len(self)
        both = [noisy] if self.clean is None else [self.clean, noisy]
        self.clean = arrow().concat_tables(both, promote_options="permissive")
        self.plan = plan
        self._marks += marks
        self._places |= {person: start + k for k, person in enumerate(people or ())}

    def _mark(self, row: tuple[Any, ...]) -> bytes:
        """What tells a row from a changed one, and tells nothing without the key of this process."""
        return hashlib.blake2b(repr(row).encode(), key=self._key, digest_size=16).digest()
