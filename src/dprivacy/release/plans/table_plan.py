"""The plan: what happens to every column of a table, in a file that a person can read and write."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from dprivacy.errors import (
    BadPlan,
    NotApplicable,
    UnknownName,
    WrongKind,
)
from dprivacy.model import CONTROL, file_text, html_table, rebuilt
from dprivacy.numbers import Level
from dprivacy.release.budgets.row_budget import ALONE, require_within, with_levels
from dprivacy.release.budgets.widest_levels import mechanism_level
from dprivacy.release.domains.planned_column import (
    ColumnPlan,
    ReadColumn,
    names_in,
    read_column,
    require_known,
)
from dprivacy.release.domains.quick_columns import quick_size
from dprivacy.release.intake.table_settings import NOTHING_SAID, Intake, TableSettings
from dprivacy.release.joints.joint_settings import with_joints
from dprivacy.release.plan_keys.key_table import TOP_KEYS
from dprivacy.release.plans.stored_columns import with_contents
from dprivacy.release.plans.stored_plans import (
    VERSION,
    parsed_toml,
    plan_in,
    plan_out,
    require_sizes,
    stored_body,
)
from dprivacy.release.texts.text_columns import require_stored
from dprivacy.typing import PlanLike

Build = Callable[[ReadColumn, Mapping[str, Any]], ColumnPlan]
_BOUNDS = ("rows_per_person", "values_per_person")


@dataclass(frozen=True)
class Plan:
    """What happens to every column of a table: protect, pass through, or drop.

    Parameters
    ----------
    columns, drop
        The columns to protect, and those to leave out.
    pass_through
        Columns to publish as they are; they must be named.
    unit
        "row" when every row is another person, or the column that identifies a person.
    rows_per_person
        The most rows that one person may have; guarantees are multiplied by it.
    values_per_person
        For permanent answers: the most different values that one person may have in a column, over
        all releases under one key. Guarantees are multiplied by it, once for all of these releases.
    title
        A name for the release.
    table
        How the table's file is written, where that cannot be seen.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> plan = Plan.read({"columns": {"tea": tea}, "drop": ["name"]})
    >>> plan.protected, plan.left_out
    (('tea',), ('name',))
    >>> plan.times, plan.column("tea").name, plan.cell("tea").name, plan.unconfirmed()
    (1, 'tea', 'tea', [])
    >>> text = 'columns.tea = {type = "categories", values = ["yes", "no"], epsilon = "ln 3"}'
    >>> Plan.parse(text).read_with(delimiter=";").intake.settings.delimiter
    ';'
    """

    columns: tuple[ColumnPlan, ...]
    drop: tuple[str, ...] = ()
    pass_through: tuple[str, ...] = ()
    unit: str = "row"
    rows_per_person: int = 1
    title: str = ""
    table: TableSettings = NOTHING_SAID
    raw: Mapping[str, Any] = field(default_factory=dict)
    values_per_person: int = 1

    def _repr_html_(self) -> str:
        """What happens to each column, as a table for a notebook."""
        rows = [
            [", ".join(column.columns), column.kind, repr(column.mechanism)]
            for column in self.columns
        ]
        rows += [[name, "published as it is", ""] for name in self.pass_through]
        rows += [[name, "left out", ""] for name in self.left_out]
        return html_table(f"Plan {self.title}".strip(), ["column", "", "noise"], rows)

    @classmethod
    def read(cls, source: PlanLike) -> "Plan":
        """Read a plan from a file, or from the mapping a file gives; a plan stays as it is.

        A file holds what people write, TOML, or what `save` wrote, JSON.

        Raises
        ------
        BadFile, BadPlan, UnknownName
            With the column and the way out.
        """
        if isinstance(source, Plan):
            return source
        if isinstance(source, Mapping):
            return _build(with_contents(source, Path()), "the plan")
        if not isinstance(source, str | PathLike):
            raise WrongKind(f"a plan is a file or a mapping, not {type(source).__name__}")
        return cls.parse(file_text(source), name=str(source), folder=Path(source).parent)

    @classmethod
    def parse(cls, text: str, *, name: str = "the plan", folder: str | Path = "") -> "Plan":
        """Read a plan from the text of a file; mechanism files are looked for in `folder`."""
        if text.lstrip().startswith("{"):  # as no TOML does
            body = stored_body(text, "plan", VERSION, name=name)
            stored: Plan = rebuilt(lambda body: plan_from(body, name=name), body, name)
            return stored
        return _build(with_contents(parsed_toml(text, name), Path(folder)), name)

    @property
    def protected(self) -> tuple[str, ...]:
        """Names of all table columns that are protected."""
        return tuple(name for column in self.columns for name in column.columns)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Names of all table columns that are not released."""
        unit = () if self.unit in ("row", *self.pass_through, *self.protected) else (self.unit,)
        return (*self.drop, *(name for name in unit if name not in self.drop))

    @property
    def intake(self) -> Intake:
        """What the plan says of the table before its file is opened."""
        unit = () if self.unit == "row" else (self.unit,)
        return Intake.of(self.table, (*self.protected, *self.pass_through, *self.drop, *unit))

    def read_with(self, **said: Any) -> "Plan":
        """The same plan for a table that is written as is said now."""
        table = self.table.updated(**said)
        if table == self.table:
            return self
        return replace(self, table=table, raw={**self.raw, "table": table.to_dict()})

    @property
    def times(self) -> int:
        """How often the level of a column counts for one person."""
        return self.rows_per_person * self.values_per_person

    def column(self, name: str) -> ColumnPlan:
        """The plan of one column."""
        for column in self.columns:
            if name == column.name or name in column.columns:
                return column
        raise UnknownName(
            f"the plan does not protect a column {name!r}; it protects {', '.join(self.protected)}"
        )

    def cell(self, name: str) -> ColumnPlan:
        """What is in the cells of one column of the table."""
        return next(cell for cell in self.column(name).cells if name in (cell.name, *cell.columns))

    def unconfirmed(self) -> list[str]:
        """Columns whose domain was read off the data and not confirmed."""
        return [column.name for column in self.columns if column.source == "data"]


def plan_body(plan: Plan) -> dict[str, Any]:
    """A plan as the body of a stored noun."""
    if not plan.raw:
        raise NotApplicable(
            f"the plan {plan.title!r} was put together by hand; only one that was read can be stored"
        )
    return plan_out(plan.raw)


def plan_from(body: dict[str, Any], *, name: str = "the plan") -> Plan:
    """The plan of a body; every mechanism is built again. It may not name other files."""
    data = plan_in(body)
    columns = data.get("columns")
    for column, spec in columns.items() if isinstance(columns, Mapping) else ():
        if isinstance(spec, Mapping):
            require_stored(column, spec, name)
    return Plan.read(data)


def plan_with(data: Mapping[str, Any], build: Build) -> Plan:
    """The plan of a mapping, whose columns `build` builds: also from what was built before."""
    return _build(with_contents(data, Path()), "the plan", build)


def _anew(read: ReadColumn, _: Mapping[str, Any]) -> ColumnPlan:
    return read.build()


def _build(data: Mapping[str, Any], name: str, build: Build = _anew) -> Plan:
    require_sizes(data, name)
    require_known(data, set(TOP_KEYS), f"{name}: unknown entries", "a plan has")
    listed = data.get("columns")
    if not isinstance(listed, Mapping) or not listed:
        raise BadPlan(f"{name}: needs at least one [columns.NAME] to protect")
    data = with_joints(data, name)
    data = with_levels(
        data, name, lambda key, spec: _apart(key, spec, f"{name}, column {key!r}", build)
    )
    listed = data["columns"]
    # Everything is read before anything is built: a fault in the last line shows at once.
    read = [read_column(key, spec, f"{name}, column {key!r}") for key, spec in listed.items()]
    drop, through = (
        names_in(data.get(key, []), f"{name}: {key}") for key in ("drop", "pass_through")
    )
    every = [*drop, *through, *(c for column in read for c in column.columns)]
    times = Counter(every)
    twice = sorted(c for c in times if times[c] > 1)
    if twice:
        raise BadPlan(
            f"{name}: {', '.join(twice)} appears more than once among columns, drop, pass_through"
        )
    taken = [c.name for c in read if c.name in times and c.name not in c.columns]
    if taken:
        raise BadPlan(f"{name}: {', '.join(taken)} is the name of another column of the table")
    unit = data.get("unit", "row")
    if not isinstance(unit, str):
        raise BadPlan(f'{name}: unit should be "row" or a column, not {str(unit)[:40]}')
    most, values = (_bound(data, key, name) for key in _BOUNDS)
    title = data.get("title", "")
    if not isinstance(title, str) or CONTROL.search(title):
        raise BadPlan(f"{name}: the title should be text without control characters, not {title!r}")
    table = TableSettings.read(data.get("table", {}), name)
    columns = tuple(map(build, read, listed.values()))
    if "budget" in data:
        require_within(
            data["budget"], [mechanism_level(c.mechanism) for c in columns], most * values, name
        )
    return Plan(columns, drop, through, unit, most, title, table, dict(data), values)


def _apart(key: str, spec: Mapping[str, Any], where: str, build: Build) -> tuple[Level | None, int]:
    """The level between a column's two most different values, and how many values it has."""
    column = build(read_column(key, spec, where), spec)
    if column.local is not None:
        raise BadPlan(f"{where}: {spec['mechanism']} does not share a budget for the row; {ALONE}")
    return mechanism_level(column.mechanism), quick_size(spec) or len(column.values)


def _bound(data: Mapping[str, Any], key: str, name: str) -> int:
    most = data.get(key, 1)
    if type(most) is not int or most < 1:
        raise BadPlan(f"{name}: {key} should be a whole number ≥ 1, not {str(most)[:40]}")
    return most
