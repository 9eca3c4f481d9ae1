"""What a plan says of one column, read and built: its mechanism, and how its cells are read."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dprivacy.errors import (
    BadPlan,
    DPrivacyError,
    UnknownName,
)
from dprivacy.mechanisms import LocalMechanism, randomised_response
from dprivacy.model import Channel
from dprivacy.release.domains.coded_orders import classes_mechanism, has_codes, read_classes
from dprivacy.release.domains.point_columns import (
    Points,
    has_points,
    points_mechanism,
    read_points,
)
from dprivacy.release.joints.joint_settings import combinations, require_member
from dprivacy.release.plans.column_domains import (
    LISTED,
    SETTINGS,
    TYPES,
    blocks_of,
    exact_number,
    family_of,
    may_replace,
    mechanism_of,
    null_policy,
    space_of,
)
from dprivacy.release.plans.report_columns import report_mechanism, report_values
from dprivacy.release.plans.value_blocks import within_blocks
from dprivacy.release.texts.text_columns import spec_of_topics, text_column
from dprivacy.sampling import ShortSampler
from dprivacy.spaces import FiniteSpace, discrete
from dprivacy.text import TopicReader

_KEYS = frozenset[str]().union(*SETTINGS.values())
SOURCES = ("declared", "data", "data, acknowledged")


@dataclass(frozen=True)
class ColumnPlan:
    """What happens to one column (or to the two columns of a place).

    `nulls` is "refuse", "category" (a missing value is one more category) or "replace" (by
    `null_value`). `source` says where the domain came from: "declared", or "data" until a person has
    confirmed it.

    Examples
    --------
    >>> from dprivacy.release import Plan
    >>> spec = {"type": "ordered", "values": ["low", "high"], "epsilon": "ln 2"}
    >>> column = Plan.read({"columns": {"risk": spec}}).column("risk")
    >>> column.mechanism.family, column.channel["low", "low"]
    ('geometric', Fraction(2, 3))
    >>> column.values, column.listed, column.local, [cell.name for cell in column.cells]
    (('low', 'high'), True, None, ['risk'])
    >>> column.short_sampler is column.short_sampler
    True
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
    points: Points | None = None  # of dates, and of numbers with codes
    members: tuple["ColumnPlan", ...] = ()  # of columns that are drawn together

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
    def cells(self) -> tuple["ColumnPlan", ...]:
        """What is in the cells of each column of the table: the members of a joint, or this itself."""
        return self.members or (self,)

    @property
    def listed(self) -> bool:
        """Whether the cells are listed labels, with a channel."""
        return self.space is not None

    @property
    def channel(self) -> Channel | None:
        """The channel of the column, where its values can be listed."""
        if self.listed or (self.kind == "numbers" and self.mechanism.inner is not None):
            found = self.mechanism.channel
            return found if isinstance(found, Channel) else None
        return None

    @cached_property
    def short_sampler(self) -> ShortSampler:
        """What draws from the channel by short words; made once, however many jobs or tasks draw."""
        return ShortSampler(self.mechanism.channel.matrix.entries.tolist())


def require_known(given: Mapping[str, Any], known: Set[str], fault: str, way_out: str) -> None:
    """UnknownName for entries that are not known, with those that are."""
    strange = set(given) - known
    if strange:
        listed = ", ".join(sorted(strange))
        raise UnknownName(f"{fault} {listed}; {way_out} {', '.join(sorted(known))}")


@dataclass(frozen=True)
class ReadColumn:
    """A column that was read, and what builds its mechanism."""

    name: str
    columns: tuple[str, ...]
    build: Callable[[], ColumnPlan]


def names_in(value: Any, where: str) -> tuple[str, ...]:
    """A list of column names; BadPlan for anything else."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadPlan(f"{where} must be a list of column names, not {str(value)[:60]}")
    return tuple(value)


def read_column(name: str, spec: Any, where: str) -> ReadColumn:
    """What a plan says of a column, read; nothing is built yet.

    Raises
    ------
    BadPlan, UnknownName
        With the column, and the way out.
    """
    if not isinstance(spec, Mapping):
        raise BadPlan(f"{where}: must be a table of settings, not {str(spec)[:60]}")
    require_known(spec, _KEYS, f"{where}: unknown settings", "columns may have")
    kind = spec.get("type")
    if kind not in TYPES:
        raise UnknownName.among(f"{where}: type", kind, TYPES)
    useless = sorted(set(spec) - SETTINGS[kind])
    if useless:
        raise BadPlan(f"{where}: {', '.join(useless)} does not apply to the type {kind}")
    if "epsilon" not in spec and kind not in ("stored", "text"):
        raise BadPlan(
            f'{where}: epsilon is missing; write epsilon = "ln 2" (per unit of distance), or a budget '
            'for the whole row at the top of the plan, row = "ln 9"'
        )
    if kind == "joint":
        return _together(name, spec, where)
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


def _together(name: str, spec: Mapping[str, Any], where: str) -> ReadColumn:
    members = spec.get("members")
    if not isinstance(members, Mapping) or len(members) < 2:
        raise BadPlan(f"{where}: members should be a table of two columns or more")
    read = []
    for key, member in members.items():
        inside = f"{where}, {key!r}"
        require_member(member, inside)
        read.append(read_column(key, {**member, "epsilon": 1}, inside))
    columns = tuple(column for member in read for column in member.columns)

    def build() -> ColumnPlan:
        with _told(where):
            built = tuple(member.build() for member in read)
            space = discrete(combinations([tuple(member.values) for member in built], where))
            made = randomised_response(space, eps=exact_number(spec["epsilon"]))
        sources = {member.source for member in built}
        source = next(each for each in reversed(SOURCES) if each in sources)
        source = "data" if "data" in sources else source
        told = (made, columns, space, "refuse", None, source, dict(spec))
        return ColumnPlan(name, "joint", *told, members=built)

    return ReadColumn(name, columns, build)


def _texts(name: str, spec: Mapping[str, Any], source: str, nulls: str, where: str) -> ReadColumn:
    made, columns = text_column(spec, where), names_in(spec.get("columns", [name]), where)

    def build() -> ColumnPlan:
        with _told(where):
            found = made()
        space = found.mechanism.space if spec_of_topics(spec) else None
        told = (found.mechanism, columns, space, nulls, None, source, dict(spec), found.reader)
        return ColumnPlan(name, "text", *told)

    if len(columns) != 1:
        raise BadPlan(f"{where}: a text is one column, not {', '.join(columns)}")
    return ReadColumn(name, columns, build)


def _points(
    name: str, kind: str, spec: Mapping[str, Any], source: str, nulls: tuple[str, Any], where: str
) -> ReadColumn:
    family_of(kind, {"codes": [], **spec} if nulls[0] == "category" else spec, where)
    points = read_points(kind, spec, nulls[0], where)
    columns = names_in(spec.get("columns", [name]), f"{where}: columns")
    if nulls[0] == "replace" and points.place_of(nulls[1]) is None:
        raise BadPlan(f"{where}: nulls are replaced by {nulls[1]!r}, which is not a value")
    if len(columns) != 1:
        raise BadPlan(f"{where}: {kind} are one column, not {', '.join(columns)}")

    def build() -> ColumnPlan:
        with _told(where):
            made = points_mechanism(points, spec, where)
        told = (made, columns, made.space, *nulls, source, dict(spec))
        return ColumnPlan(name, kind, *told, points=points)

    return ReadColumn(name, columns, build)


def _classes(
    name: str, spec: Mapping[str, Any], source: str, nulls: tuple[str, Any], where: str
) -> ReadColumn:
    values, codes = read_classes(spec, nulls[0], where)
    columns = names_in(spec.get("columns", [name]), f"{where}: columns")
    if nulls[0] == "replace" and nulls[1] not in (*values, *codes):
        raise BadPlan(f"{where}: nulls are replaced by {nulls[1]!r}, which is not a value")
    if len(columns) != 1:
        raise BadPlan(f"{where}: ordered values are one column, not {', '.join(columns)}")

    def build() -> ColumnPlan:
        with _told(where):
            made = classes_mechanism(values, codes, spec, where)
        return ColumnPlan(name, "ordered", made, columns, made.space, *nulls, source, dict(spec))

    return ReadColumn(name, columns, build)


def _protected(
    name: str, kind: str, spec: Mapping[str, Any], source: str, where: str
) -> ReadColumn:
    nulls, null_value = null_policy(spec.get("nulls", "refuse"), where)
    if (nulls == "empty") != (kind == "text") and nulls != "refuse":
        allowed = '"refuse" or "empty"' if kind == "text" else '"refuse", "category" or replaced'
        raise BadPlan(f"{where}: nulls of the type {kind} may be {allowed}, not {nulls!r}")
    if kind == "text":
        return _texts(name, spec, source, nulls, where)
    if has_points(kind, spec, nulls):
        return _points(name, kind, spec, source, (nulls, null_value), where)
    if has_codes(kind, spec):
        return _classes(name, spec, source, (nulls, null_value), where)
    family = None if kind == "stored" else family_of(kind, spec, where)
    if nulls == "category" and (kind != "categories" or "blocks" in spec):
        raise BadPlan(
            f'{where}: nulls = "category" is for plain categories, numbers, dates and '
            f"ordered values with codes, not for {kind}"
        )
    if kind == "numbers" and "blocks" in spec:
        raise BadPlan(f'{where}: blocks = "codes" is for numbers with codes, and none are listed')
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
    columns = (
        tuple(names_in(spec["columns"], f"{where}: columns")) if "columns" in spec else (name,)
    )
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

    return ReadColumn(name, columns, build)
