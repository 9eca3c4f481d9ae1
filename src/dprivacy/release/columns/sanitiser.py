"""A plan at work: Arrow batches in, sanitised batches out, and what can only be seen at the end."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dprivacy.errors import BadPlan, UnknownName, WrongShape
from dprivacy.extras import arrow
from dprivacy.release.columns.permanent_answers import PermanentAnswers
from dprivacy.release.columns.permanent_reports import PermanentReports
from dprivacy.release.columns.published_columns import bare
from dprivacy.release.columns.row_facts import RowsPerPerson, warn_of_order
from dprivacy.release.columns.tagged_people import TaggedPeople
from dprivacy.release.columns.text_views import without_view_entries, without_views
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.joints.joint_protector import protector_of
from dprivacy.release.plans.release_card import Card
from dprivacy.release.plans.table_card import table_card
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.texts.texts_in_columns import require_hidden
from dprivacy.sampling import Source


class Sanitiser:
    """Applies a plan to Arrow tables, batch by batch, and counts what it did.

    Parameters
    ----------
    plan
        What happens to every column.
    source
        Where random words come from.
    texts
        Whether the tables come from a CSV file, where every cell is a text.
    permanent_key
        For permanent answers: the secret key from which each person's noise is derived.
    dictionaries
        Whether columns come out as dictionaries of their declared outputs (see `protector_of`).
    before
        Called with the true arrays, by column, before they are randomised: where a ledger is asked.
    """

    def __init__(
        self,
        plan: Plan,
        source: Source,
        *,
        texts: bool = False,
        permanent_key: bytes | None = None,
        dictionaries: bool = False,
        before: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        require_confirmed(plan)
        require_hidden(plan)
        self.before = before
        self.plan, self.source, self.permanent = plan, source, permanent_key is not None
        self._key = permanent_key
        self.protectors = [
            protector_of(
                column,
                source,
                texts=texts,
                permanent=_permanent(plan, column, permanent_key),
                dictionaries=dictionaries,
            )
            for column in plan.columns
        ]
        self.people = None if plan.unit == "row" else RowsPerPerson(plan.unit, plan.rows_per_person)
        self.rows = 0

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that must be read: the protected ones, and who a row belongs to."""
        unit = () if self.plan.unit == "row" else (self.plan.unit,)
        return tuple(dict.fromkeys((*self.plan.protected, *unit)))

    def output_names(self, names: Sequence[str]) -> list[str]:
        """The columns that come out, in the table's order; every column must be in the plan."""
        plan = self.plan
        times = Counter(names)
        if len(times) != len(names):
            twice = sorted(c for c in times if times[c] > 1)
            raise BadPlan(f"the table has two columns of the same name: {', '.join(twice)}")
        known = {*self.needed, *plan.pass_through, *plan.drop}
        missing = [c for c in (*self.needed, *plan.pass_through, *plan.drop) if c not in times]
        if missing:
            raise UnknownName(
                f"the table has no column {', '.join(map(repr, missing))}; it has {', '.join(names)}"
            )
        strange = [c for c in names if c not in known]
        if strange:
            raise BadPlan(
                f"the plan says nothing of the column {', '.join(map(repr, strange))}; protect it, "
                "list it in pass_through (it is then published as it is), or in drop"
            )
        published = {*plan.protected, *plan.pass_through}
        return [c for c in names if c in published]

    def protect(self, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """Noisy arrays for those of the needed columns."""
        if self.before is not None:
            self.before(arrays)
        done: dict[str, Any] = {}
        people = None if self._key is None else TaggedPeople(arrays[self.plan.unit], self._key)
        for protector in self.protectors:
            columns = protector.column.columns
            noisy = protector.apply([arrays[c] for c in columns], people)
            done |= dict(zip(columns, noisy, strict=True))
        if self.people is not None:
            self.people.see(arrays[self.plan.unit], people)
        self.rows += len(arrays[self.needed[0]])
        return done

    def batch(self, table: Any) -> Any:
        """One Arrow table or record batch, sanitised; no metadata travels along."""
        names = self.output_names(table.schema.names)
        done = self.protect(
            {name: one_chunk(without_views(table.column(name))) for name in self.needed}
        )
        for name in self.plan.pass_through:
            if name not in done:
                done[name] = bare(one_chunk(without_view_entries(table.column(name))), name)
        return arrow().table({name: done[name] for name in names})

    def skip(self, table: Any) -> None:
        """Look at the rows of a batch that was sanitised before, by a run that stopped."""
        self.output_names(table.schema.names)
        if self.people is not None:
            owners = one_chunk(table.column(self.plan.unit))
            people = None if self._key is None else TaggedPeople(owners, self._key)
            self.people.see(owners, people)
        self.rows += len(table)
        for protector in self.protectors:
            protector.look([one_chunk(table.column(c)) for c in protector.column.columns])

    def finish(self, *, ordered: bool = True) -> None:
        """Refuse what can only be seen at the end, and warn of it.

        That is no rows at all, too many of one person, and rows in the order of a secret column, where
        they come out in their order.
        """
        if not self.rows:
            raise WrongShape("the table holds no rows, so there is nothing to protect")
        if self.people is not None:
            self.people.check()
        for protector in self.protectors if ordered else ():
            if any(order.kept for order in protector.orders):
                warn_of_order(f"column {protector.column.name!r}", above=3)

    def card(
        self,
        receipt: Mapping[str, Any] | None,
        *,
        rows: int | None = None,
        shuffled: Mapping[str, Any] | None = None,
    ) -> Card:
        """The card of what was protected here, or elsewhere, in this many rows."""
        return table_card(
            self.plan,
            rows=self.rows if rows is None else rows,
            secure=self.source.secure,
            permanent=self.permanent,
            receipt=receipt,
            shuffled=shuffled,
        )


def require_confirmed(plan: Plan) -> None:
    """Refuse a domain that was read off the data and that nobody has looked at."""
    waiting = plan.unconfirmed()
    if waiting:
        raise BadPlan(
            f"the values of {', '.join(map(repr, waiting))} were read off the data: a value that "
            "occurs says that somebody has it. Compare them with the questionnaire or code list, "
            'add what is missing, and set source = "declared"; or set source = "data, acknowledged" '
            "and the guarantee is void"
        )


def _permanent(
    plan: Plan, column: ColumnPlan, key: bytes | None
) -> PermanentAnswers | PermanentReports | None:
    """A column's permanent answers; BadPlan where the plan does not allow any."""
    if key is None:
        if plan.values_per_person != 1:
            raise BadPlan(
                f"values_per_person = {plan.values_per_person} is for permanent answers, and these are "
                "drawn anew; give a permanent_key, or leave it out"
            )
        return None
    if plan.unit == "row" or plan.rows_per_person != 1:
        raise BadPlan(
            "permanent answers need unit = the column that identifies a person, with one row each; the "
            f"plan has unit = {plan.unit!r} and rows_per_person = {plan.rows_per_person}"
        )
    if column.local is not None:
        return PermanentReports(column.local, key, column.name)
    if not column.listed:
        raise BadPlan(
            f"column {column.name!r}: permanent answers are for listed values, not for {column.kind}"
            + ('; use keep = "topic"' if column.kind == "text" else "")
        )
    return PermanentAnswers(column.mechanism, key, column.name)


def one_chunk(column: Any) -> Any:
    """A column as one array; one that is in a single piece is not copied."""
    if not hasattr(column, "combine_chunks"):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
