"""The plan: what happens to every column of a table, in a file that a person can read and write."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from dprivacy.errors import (
    BadPlan,
    DPrivacyError,
    NotApplicable,
    UnknownName,
    WrongKind,
)
from dprivacy.mechanisms import LocalMechanism
from dprivacy.model import CONTROL, Channel, file_text, rebuilt
from dprivacy.release.intake.table_settings import NOTHING_SAID, Intake, TableSettings
from dprivacy.release.plans.column_domains import (
    LISTED,
    SETTINGS,
    TYPES,
    blocks_of,
    family_of,
    may_replace,
    mechanism_of,
    null_policy,
    space_of,
)
from dprivacy.release.plans.report_columns import report_mechanism, report_values
from dprivacy.release.plans.stored_columns import with_contents
from dprivacy.release.plans.stored_plans import (
    VERSION,
    parsed_toml,
    plan_in,
    plan_out,
    require_sizes,
    stored_body,
)
from dprivacy.release.plans.value_blocks import within_blocks
from dprivacy.release.texts.text_columns import require_stored, spec_of_topics, text_column
from dprivacy.spaces import FiniteSpace, discrete
from dprivacy.text import TopicReader
from dprivacy.typing import PlanLike

_KEYS = frozenset[str]().union(*SETTINGS.values())
_BOUNDS = ("rows_per_person", "values_per_person")
_TOP = {"title", "unit", *_BOUNDS, "drop", "pass_through", "table", "columns"}
SOURCES = ("declared", "data", "data, acknowledged")


@dataclass(frozen=True)
class ColumnPlan:
    """What happens to one column (or to the two columns of a place).

    `nulls` is "refuse", "category" (a missing value is one more category) or "replace" (by
    `null_value`). `source` says where the domain came from: "declared", or "data" until a person has
    confirmed it.

    Examples
    --------
    >>> spec = {"type": "ordered", "values": ["low", "high"], "epsilon": "ln 2"}
    >>> column = Plan.read({"columns": {"risk": spec}}).column("risk")
    >>> column.mechanism.family, column.channel["low", "low"]
    ('geometric', Fraction(2, 3))
    """

    name: str
    kind: str
    mechanism: Any
    columns: tuple[str, ...]
    space: FiniteSpace | None = None
    nulls: str = "refuse"
    null_value: Any = None
    source: str = "declared"
    spec: Mapping[str, Any] = field(default_factory=dict)
    reader: TopicReader | None = None  # of a text's topic

    @property
    def local(self) -> LocalMechanism | None:
        """The mechanism whose reports the cells are; None where they are values."""
        return self.mechanism if isinstance(self.mechanism, LocalMechanism) else None

    @property
    def values(self) -> Sequence[Any]:
        """The true values, where they are listed."""
        if self.local is not None:
            return self.local.labels
        return () if self.space is None else self.space.labels

    @property
    def listed(self) -> bool:
        """Whether the cells are listed labels, with a channel."""
        labels = self.kind in LISTED or (self.kind == "text" and self.space is not None)
        return labels and self.local is None

    @property
    def channel(self) -> Channel | None:
        """The channel of the column, where its values can be listed."""
        if self.listed or (self.kind == "numbers" and self.mechanism.inner is not None):
            found = self.mechanism.channel
            return found if isinstance(found, Channel) else None
        return None


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


def _require_known(given: Mapping[str, Any], known: Set[str], fault: str, way_out: str) -> None:
    strange = set(given) - known
    if strange:
        listed = ", ".join(sorted(strange))
        raise UnknownName(f"{fault} {listed}; {way_out} {', '.join(sorted(known))}")


def _build(data: Mapping[str, Any], name: str) -> Plan:
    require_sizes(data, name)
    _require_known(data, _TOP, f"{name}: unknown entries", "a plan has")
    listed = data.get("columns")
    if not isinstance(listed, Mapping) or not listed:
        raise BadPlan(f"{name}: needs at least one [columns.NAME] to protect")
    # Everything is read before anything is built: a fault in the last line shows at once.
    read = [_column(key, spec, f"{name}, column {key!r}") for key, spec in listed.items()]
    drop, through = (
        _names(data.get(key, []), f"{name}: {key}") for key in ("drop", "pass_through")
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
    columns = tuple(column.build() for column in read)
    return Plan(columns, drop, through, unit, most, title, table, dict(data), values)


def _bound(data: Mapping[str, Any], key: str, name: str) -> int:
    most = data.get(key, 1)
    if type(most) is not int or most < 1:
        raise BadPlan(f"{name}: {key} should be a whole number ≥ 1, not {str(most)[:40]}")
    return most


@dataclass(frozen=True)
class _Read:
    """A column that was read, and what builds its mechanism."""

    name: str
    columns: tuple[str, ...]
    build: Callable[[], ColumnPlan]


def _names(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadPlan(f"{where} must be a list of column names, not {str(value)[:60]}")
    return tuple(value)


def _column(name: str, spec: Any, where: str) -> _Read:
    if not isinstance(spec, Mapping):
        raise BadPlan(f"{where}: must be a table of settings, not {str(spec)[:60]}")
    _require_known(spec, _KEYS, f"{where}: unknown settings", "columns may have")
    kind = spec.get("type")
    if kind not in TYPES:
        raise UnknownName.among(f"{where}: type", kind, TYPES)
    useless = sorted(set(spec) - SETTINGS[kind])
    if useless:
        raise BadPlan(f"{where}: {', '.join(useless)} does not apply to the type {kind}")
    if "epsilon" not in spec and kind not in ("stored", "text"):
        raise BadPlan(f'{where}: epsilon is missing; write epsilon = "ln 2" (per unit of distance)')
    source = spec.get("source", "declared")
    if source not in SOURCES:
        raise UnknownName.among(f"{where}: source", source, SOURCES)
    with _told(where):
        return _protected(name, kind, spec, source, where)


@contextmanager
def _told(where: str) -> Iterator[None]:
    """Say of which column a fault speaks."""
    try:
        yield
    except DPrivacyError as reason:
        text = str(reason)
        raise type(reason)(text if text.startswith(where) else f"{where}: {text}") from None


def _texts(name: str, spec: Mapping[str, Any], source: str, nulls: str, where: str) -> _Read:
    made, columns = text_column(spec, where), _names(spec.get("columns", [name]), where)

    def build() -> ColumnPlan:
        with _told(where):
            found = made()
        space = found.mechanism.space if spec_of_topics(spec) else None
        told = (found.mechanism, columns, space, nulls, None, source, dict(spec), found.reader)
        return ColumnPlan(name, "text", *told)

    if len(columns) != 1:
        raise BadPlan(f"{where}: a text is one column, not {', '.join(columns)}")
    return _Read(name, columns, build)


def _protected(name: str, kind: str, spec: Mapping[str, Any], source: str, where: str) -> _Read:
    nulls, null_value = null_policy(spec.get("nulls", "refuse"), where)
    if (nulls == "empty") != (kind == "text") and nulls != "refuse":
        allowed = '"refuse" or "empty"' if kind == "text" else '"refuse", "category" or replaced'
        raise BadPlan(f"{where}: nulls of the type {kind} may be {allowed}, not {nulls!r}")
    if kind == "text":
        return _texts(name, spec, source, nulls, where)
    family = None if kind == "stored" else family_of(kind, spec, where)
    if nulls == "category" and (kind != "categories" or "blocks" in spec):
        raise BadPlan(f'{where}: nulls = "category" is for plain categories, not for {kind}')
    space, values = None, None
    if family is not None and family.reports:
        values = report_values(spec, nulls, where)
    elif kind in LISTED:
        space = space_of(kind, spec, where)
        space = discrete([*space.labels, None]) if nulls == "category" else space
        values = space.labels
    if nulls == "replace" and not may_replace(kind, null_value, values, spec):
        raise BadPlan(f"{where}: nulls are replaced by {null_value!r}, which is not a value")
    blocks = None
    if "blocks" in spec and kind in LISTED:
        assert values is not None
        blocks = blocks_of(spec["blocks"], values, where)
    columns = tuple(_names(spec["columns"], f"{where}: columns")) if "columns" in spec else (name,)
    if len(columns) != (2 if kind == "place" else 1):
        raise BadPlan(
            f'{where}: a place needs columns = ["x", "y"] and other types name one column; these are '
            f"{', '.join(columns)}"
        )

    def build() -> ColumnPlan:
        with _told(where):
            if family is not None and family.reports:
                assert values is not None
                made: Any = report_mechanism(family, spec, values)
            elif blocks is None:
                made = mechanism_of(family, spec, space, where)
            else:
                assert space is not None
                made = within_blocks(
                    space, blocks, lambda part: mechanism_of(family, spec, part, where)
                )
        return ColumnPlan(name, kind, made, columns, space, nulls, null_value, source, dict(spec))

    return _Read(name, columns, build)
