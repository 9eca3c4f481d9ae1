"""The joint guarantee of a release: what all columns together protect."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.mechanisms import cell_form
from dprivacy.model import Answer, Guarantee, factor_in_words, plain, shown
from dprivacy.numbers import Level, as_level
from dprivacy.release.budgets.widest_levels import mechanism_level, widest_level
from dprivacy.release.columns.person_identifiers import RULE
from dprivacy.release.domains.coded_orders import has_codes
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.domains.point_columns import class_level, code_words, point_words
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.plans.weak_levels import weak_words
from dprivacy.release.texts.text_columns import text_note
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace
from dprivacy.text import PaddedTexts
from dprivacy.typing import PlanLike

_MOVED = (
    "values are first moved to the nearest point of the grid, which can put two of them up to one step "
    "of the grid farther apart."
)
_CODED = re.compile(
    r"[Ww]hether a cell is [a-z ]+ or a code \(.*\), and which code, is protected by a factor of at "
    r"most (.+)\.$"
)


@dataclass(frozen=True)
class JointGuarantee(Answer):
    """Levels add up over columns: ε·d = Σ ε_c·d_c, and all of it over a person's rows.

    `total` is the level between the two most different records (None when a column is unbounded).

    Examples
    --------
    >>> from dprivacy.release import Plan
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> plan = Plan.read({"columns": {"tea": tea}})
    >>> promise = joint_guarantee(plan)
    >>> promise.open
    ()
    >>> promise.unbounded, promise.warning
    ((), '')
    >>> print(promise.sentence().split(" between ")[0])
    Anyone who sees the released table can change their odds
    """

    parts: tuple[tuple[str, Guarantee], ...]
    rows_per_person: int
    total: Level | None
    delta: Fraction
    revealed: tuple[str, ...]
    blocks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unit: str = "row"

    exact = True

    def explain(self) -> str:
        """What a release protects, in a few sentences."""
        lines = [
            self._unbounded() if self.total is None else f"{self._whole()} {self.warning}".strip()
        ]
        for name, guarantee in self.parts:
            lines.append(f"Column {name}: {_in_words(guarantee)}")
        lines += folded_notes(self.notes)
        if self.rows_per_person > 1:
            lines.append(
                f"A person may have {self.rows_per_person} rows, so the level of each column counts "
                f"{self.rows_per_person} times."
            )
        if self.unit != "row":
            lines.append(f"Rows are of one person where {self.unit} is the same: {RULE}.")
        if self.open:
            lines.append(published_words(self.open))
        return shown("\n".join(lines))  # names of columns come from files

    @property
    def open(self) -> tuple[str, ...]:
        """What anyone can read off the table: columns passed through, and blocks of values."""
        return (*self.revealed, *(f"the block of {name}" for name in self.blocks))

    @property
    def warning(self) -> str:
        """Of a level that protects little, in words; empty where there is nothing to warn of."""
        if self.total is None:
            return ""
        one = self.rows_per_person == 1
        told = weak_words(
            self.total,
            whole="The whole row is"
            if one
            else f"Together, the {self.rows_per_person:,} rows of a person are",
            between="two sets of answers",
        )
        fewer = "columns" if one else "columns or fewer rows of a person"
        way_out = (
            "What is stated for single columns holds; to protect all of it, lower the levels or "
            f"release fewer {fewer}."
        )
        return told and f"{told} {way_out}"

    @property
    def unbounded(self) -> tuple[str, ...]:
        """Columns whose values can differ without limit."""
        return tuple(name for name, guarantee in self.parts if widest_level(guarantee) is None)

    def _unbounded(self) -> str:
        """The sentence for a whole record without a bound."""
        return (
            f"No factor bounds the whole record: {' and '.join(self.unbounded)} can differ without "
            "limit, and records that are far apart there are not hidden from each other."
        )

    def sentence(self) -> str:
        """What holds for a whole record, in one sentence; the names of columns come from files."""
        return shown(self._unbounded() if self.total is None else self._whole())

    def _whole(self) -> str:
        """The sentence for a whole record."""
        assert self.total is not None
        factor = factor_in_words(self.total)
        alike = ", alike in the published columns," if self.open else ""
        if self.delta:
            return (
                f"For any two possible records of one person{alike} any set of released tables is "
                f"at most {factor} times as likely for one as for the other, plus {self.delta}, "
                "whatever is known about everyone else."
            )
        return (
            "Anyone who sees the released table can change their odds between any two possible "
            f"records of one person{alike} by a factor of at most {factor}, whatever they know about "
            "everyone else."
        )

    def to_dict(self) -> dict[str, Any]:
        """The guarantee as plain data."""
        return {
            "total": plain(self.total),
            "delta": plain(self.delta),
            "rows_per_person": self.rows_per_person,
            "columns": {name: guarantee.to_dict() for name, guarantee in self.parts},
            "not_protected": list(self.open),
            "sentence": self.explain(),
        }


@result("T", "Lem 3.2")
def joint_guarantee(plan: PlanLike) -> JointGuarantee:
    """What all protected columns of a plan protect together, per row or per person.

    Examples
    --------
    >>> from dprivacy.release import Plan
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> print(joint_guarantee(Plan.read({"columns": {"tea": tea}})).total)
    ln(3)
    """
    plan = Plan.read(plan)
    parts = tuple((column.name, column.mechanism.guarantee) for column in plan.columns)
    widest = [mechanism_level(column.mechanism) for column in plan.columns]
    bounded = [level for level in widest if level is not None]
    total = sum(bounded, Level(0)) * plan.times if len(bounded) == len(widest) else None
    delta = sum((Fraction(g.delta) for _, g in parts), Fraction(0)) * plan.times
    return JointGuarantee(
        parts,
        plan.rows_per_person,
        total,
        min(delta, Fraction(1)),
        plan.pass_through,
        tuple(column.name for column in plan.columns if "blocks" in column.spec),
        (*(note for note in map(_note, plan.columns) if note), *_over_time(plan)),
        plan.unit,
    )


def _over_time(plan: Plan) -> list[str]:
    most = plan.values_per_person
    if most == 1:
        return []
    return [
        f"A person may have {most} different values in a column over time, so the level of each column "
        f"counts {most} times, once for all releases."
    ]


def _note(column: ColumnPlan) -> str:
    """What the metric of a column does not say: that cells are reports, or that values are moved first.

    It is the rule that is said, never how many values it moved: that is a fact about true values.
    """
    if column.local is not None:
        return (
            f"Column {column.name}: a cell is a report and no value ({cell_form(column.local)}); it is "
            "read through the card."
        )
    if column.members:
        return (
            f"Columns {', '.join(column.columns)} are drawn together ({column.name}): their factor is "
            "that of all of them, and also of each single answer."
        )
    if column.kind == "text":
        return text_note(column.spec, f"Column {column.name}")
    if column.points is not None:
        return f"Column {column.name}: {point_words(column.points, column.mechanism)}"
    if has_codes(column.kind, column.spec):
        codes = column.values[len(column.spec["values"]) :]
        told = code_words("one of the classes", codes, class_level(column.mechanism))
        return f"Column {column.name}: {told}"
    farther = {"numbers": "one step", "place": "√2 steps"}.get(column.kind)
    if farther is None:
        return ""
    bounds = ""
    if "low" in column.spec:
        low, high = column.spec["low"], column.spec["high"]
        bounds = (
            f"values below {low} are released as if they were {low}, values above {high} as if they "
            f"were {high}; "
        )
    return (
        f"Column {column.name}: {bounds}values are first moved to the nearest point of the grid, which "
        f"can put two of them up to {farther} of the grid farther apart."
    )


def folded_notes(notes: Sequence[str]) -> list[str]:
    """Notes, where what several say alike of numbers moved to their range, or of codes, stands once.

    Examples
    --------
    >>> folded_notes(["Column x: it is rounded."])
    ['Column x: it is rounded.']
    """
    moved = [_column_of(note) for note in notes if _MOVED in note]
    coded = [f"{told[1]} in {_column_of(note)}" for note in notes if (told := _CODED.search(note))]
    found = []
    for note in notes:
        left = _CODED.sub("", note).rstrip() if len(coded) > 1 else note
        if len(moved) > 1 and _MOVED in left:
            left = f"Column {_column_of(note)}:{left.partition(_MOVED)[2]}"
        found += [] if left.endswith(":") else [left]
    if len(coded) > 1:
        found.append(
            "Whether a cell is a code, and which one, is protected by a factor of at most "
            f"{', '.join(coded)}."
        )
    if len(moved) > 1:
        found.insert(
            0,
            f"Columns {', '.join(moved)}: values beyond the range are released as if they were its "
            f"ends; {_MOVED}",
        )
    return found


def _column_of(note: str) -> str:
    return note.removeprefix("Column ").partition(": ")[0]


def _in_words(guarantee: Guarantee) -> str:
    """What a column protects: the factor first, the level behind it."""
    space = guarantee.space
    if isinstance(space, PaddedTexts):
        return space.sentence(guarantee.eps)
    level, _, told = guarantee.explain().partition(": ")
    if isinstance(space, FiniteSpace) and len(space) > 2 and not guarantee.delta:
        apart = space.uniform_distance
        if apart is not None and apart != float("inf"):
            factor = factor_in_words(guarantee.eps * as_level(apart))
            told = (
                "anyone who sees the output can multiply their odds between any two values by at most "
                f"{factor}."
            )
    return f"{told.removesuffix('.')} (ε = {level})."


def permanent_words(plan: Plan) -> str:
    """What permanent answers protect over time, and what they do not.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> plan = Plan.read({"columns": {"tea": tea}, "unit": "who", "values_per_person": 2})
    >>> print(permanent_words(plan).splitlines()[1])
    Not protected: whether and when the value of a person changes, and whether an earlier one returns.
    """
    most = plan.values_per_person
    values = "one value" if most == 1 else f"{most} different values"
    return (
        "Answers are permanent: the factor holds for all releases of these columns under the same key "
        "together, as long as their values and mechanisms stay as they are, for people who never have "
        f"more than {values} in a column (values_per_person), and between histories of values that "
        "change at the same times.\n"
        "Not protected: whether and when the value of a person changes, and whether an earlier one "
        "returns."
    )


def published_words(names: Iterable[str]) -> str:
    """What is published without noise, in a sentence.

    Examples
    --------
    >>> published_words(["user", "month"])
    'Published as they are, hence not protected: user, month.'
    """
    return shown(f"Published as they are, hence not protected: {', '.join(names)}.")
