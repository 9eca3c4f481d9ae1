"""What a card says of a shuffled release: the guarantee against whoever sees the table alone."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dprivacy.model import Answer, about, factor_in_words, plain, shown
from dprivacy.numbers import Level, exp_bounds, ln
from dprivacy.release.budgets.widest_levels import widest_level
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.plans.joint_promise import joint_guarantee
from dprivacy.release.plans.stored_plans import plan_hash
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.near_values import by_distance
from dprivacy.verify import Shuffled, shuffled, shuffled_columns

_DIGITS = 5  # of e^ε − 1
_MOST, _ANY = {"randomised_response": 200}, 40  # values of a column that are compared
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class ShuffledTable(Answer):
    """What a table guarantees when its rows are sorted, beside what its noise alone does.

    Parameters
    ----------
    proof
        What n rows guarantee without their order, n being `smallest`.
    rows, smallest
        The rows of the table, and of the smallest group that is alike in the untouched columns.
    local
        The level of a whole record against whoever sees whose a row is; None where there is no bound.
    slack
        The δ that goes with it.
    untouched
        The columns that are published as they are.
    by_level
        The columns of which only the level was used, since they have many values: less may hold.
    nearer
        Of a table of one column: (distance, ε) between values that are nearer to each other.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["green", "black", "none"], "epsilon": "ln 3"}
    >>> found = shuffled_table(Plan.read({"columns": {"tea": tea}}), 1000, delta=Fraction(1, 10**6))
    >>> print(found.factor)
    1.17
    """

    proof: Shuffled
    rows: int
    smallest: int
    local: Level | None
    slack: Fraction
    untouched: tuple[str, ...] = ()
    by_level: tuple[str, ...] = ()
    nearer: tuple[tuple[Level, Level], ...] = ()

    @property
    def exact(self) -> bool:
        """True: every rounding is towards more."""
        return True

    @property
    def gains(self) -> bool:
        """Whether anything beyond the local guarantee is proved."""
        return self.proof.method != "none"

    @property
    def eps(self) -> Level | float:
        """ε with a few digits, never less than what is proved."""
        return _short(self.proof.eps, math.ceil)

    @property
    def factor(self) -> str:
        """e^ε in a sentence, never less than it is."""
        excess = _excess(self.proof.eps)
        if excess is None or excess >= 1:
            eps = self.proof.eps
            return factor_in_words(eps) if isinstance(eps, Level) else "∞"
        scale = 10 ** _places(excess, 2)
        return str(Decimal(math.ceil(excess * scale)) / scale + 1)

    def explain(self) -> str:
        """Both guarantees, and what the second one rests on."""
        alone = self._alone()
        if not self.gains:
            return (
                f"Sorting the rows adds nothing that can be proved, since {self._why()}. Whoever sees "
                f"this table, in whatever order: {alone}."
            )
        within = (
            f" Rows hide among rows with the same {', '.join(self.untouched)}; the smallest such group "
            f"has {self.smallest:,} of the {self.rows:,} rows."
            if self.untouched
            else ""
        )
        most = self.proof.rows_per_person
        each = "one row a person" if most == 1 else f"at most {most:,} rows a person"
        return shown(
            "Whoever sees only this table: the odds between any two records of one person change by at "
            f"most a factor {self.factor}, except with δ = {small(self.proof.delta)}.{within} "
            f"Whoever also sees who sent which row: {alone}. This needs: rows sorted and no "
            f"identifiers (checked on the file by verify), {each} (stated by the plan), a public "
            "number of rows, and nothing else released of these rows."
        )

    def in_odds(self) -> str:
        """Both guarantees as chances, for a board: from an even bet to what it becomes at most."""
        eps = self.proof.eps
        if not self.gains or self.local is None or not isinstance(eps, Level):
            return self.explain()
        return (
            "Released sorted, without order and names: whoever holds two records of a person for "
            f"equally likely, 50 %, and sees only the table, ends at {_even(eps)} for one of them at "
            f"most, except with δ = {small(self.proof.delta)}; whoever also sees which row is this "
            f"person's, at {_even(self.local)}."
        )

    def _alone(self) -> str:
        if self.local is None:
            return "no factor bounds it"
        also = f", plus δ = {small(self.slack)}" if self.slack else ""
        return f"a factor {factor_in_words(self.local)}{also}"

    def _why(self) -> str:
        if self.proof.eps == math.inf:
            return "an output that another value never gives is likelier than δ"
        if not self.proof.share:
            return "no row is given by every record"
        return f"{self.smallest:,} rows are too few"

    def to_dict(self) -> dict[str, Any]:
        """What a card says, as plain data."""
        found = self.proof
        more: dict[str, Any] = {}
        if found.pair is not None:
            more["pair"] = [_told(x) for x in found.pair]
        if self.by_level:
            more["by_level"] = list(self.by_level)
        if self.nearer:
            more["per_distance"] = [[str(d), str(_short(eps, math.ceil))] for d, eps in self.nearer]
        if found.attacked is not None:
            more["lower_bound"] = str(_short(found.attacked, math.floor))
        return {
            "eps": "inf" if self.eps == math.inf else str(self.eps),
            "delta": str(found.delta),
            "n": self.rows,
            "smallest_group": self.smallest,
            "method": found.method,
            **more,
            "sentence": self.explain(),
        }


def shuffled_table(
    plan: Plan, rows: int, *, delta: Fraction, smallest: int | None = None
) -> ShuffledTable:
    """What a table of this many rows guarantees, shuffled.

    Parameters
    ----------
    plan
        What happens to every column.
    rows
        How many rows there are.
    delta
        δ.
    smallest
        The rows of the smallest group that is alike in the untouched columns; all where there are none.
    """
    n = rows if smallest is None else smallest
    key = plan_hash(plan.raw) if plan.raw else repr(plan)
    joint = joint_guarantee(plan)
    asked = _Asked(key, n, delta, plan)
    proof = _proved(asked)
    gains = proof.method != "none"
    rough = tuple(c.name for c in plan.columns if gains and column_law(c) is not c.mechanism)
    nearer = () if rough or not gains else _nearer(asked)
    return ShuffledTable(proof, rows, n, joint.total, joint.delta, plan.pass_through, rough, nearer)


@dataclass(frozen=True)
class _Asked:
    """What the proof depends on: what a plan says stands for the plan."""

    key: str
    n: int
    delta: Fraction
    plan: Plan = field(compare=False)


@lru_cache(maxsize=64)
def _proved(asked: _Asked) -> Shuffled:
    """Seconds where columns are many: a card that was just written is proved again at once."""
    plan, n, delta = asked.plan, asked.n, asked.delta
    laws = {column.name: column_law(column) for column in plan.columns}
    if len(laws) > 1:
        return shuffled_columns(laws, n, delta=delta, rows_per_person=plan.rows_per_person)
    (law,) = laws.values()
    return shuffled(law, n, delta=delta, rows_per_person=plan.rows_per_person)


@lru_cache(maxsize=64)
def _nearer(asked: _Asked) -> tuple[tuple[Level, Level], ...]:
    plan, most = asked.plan, _proved(asked).eps
    if len(plan.columns) > 1 or plan.rows_per_person > 1 or not isinstance(most, Level):
        return ()
    return by_distance(plan.columns[0], asked.n, asked.delta, most)


def column_law(column: ColumnPlan) -> Any:
    """A column's mechanism; its level alone where comparing all values would take minutes.

    Which is never less, as a bound: fewer of a mechanism's facts are used.
    """
    mechanism = column.mechanism
    if _values(column) <= _MOST.get(mechanism.family, _ANY):
        return mechanism
    level = widest_level(mechanism.guarantee)
    return mechanism if level is None or mechanism.guarantee.delta else level


def _values(column: ColumnPlan) -> int:
    """How many values a column with a channel has; 0 for any other."""
    return 0 if column.channel is None else len(column.channel.rows)


def _even(level: Level) -> str:
    """The chance that odds of 1 : 1 become at a level, in per cent and rounded up."""
    if level > 7:
        return "close to 100 %"
    factor = level.exp() or exp_bounds(*level.bounds(128), 128)[1]
    return f"{Decimal(math.ceil(10_000 * factor / (factor + 1))) / 100} %"


def small(delta: Fraction) -> str:
    """A probability in a sentence: a power of ten as one."""
    size = len(str(delta.denominator)) - 1
    if delta.numerator == 1 and delta.denominator == 10**size and size > 1:
        return f"10{f'-{size}'.translate(_RAISED)}"
    return about(delta)


def _short(level: Level | float, rounded: Callable[[Fraction], int]) -> Level | float:
    """A level of which e^level has few digits."""
    excess = _excess(level)
    if excess is None:
        return level
    scale = 10 ** _places(excess, _DIGITS)
    return ln(1 + Fraction(rounded(excess * scale), scale))


def _excess(level: Level | float) -> Fraction | None:
    """e^level − 1, where that is a fraction."""
    factor = level.exp() if isinstance(level, Level) else None
    return None if factor is None or factor <= 1 else factor - 1


def _places(excess: Fraction, digits: int) -> int:
    """How many decimals show this many digits of it; never fewer than none."""
    return 0 if excess >= 10**digits else max(digits - 1 - math.floor(math.log10(excess)), 0)


def _told(label: Any) -> Any:
    return [_told(part) for part in label] if isinstance(label, tuple) else plain(label)
