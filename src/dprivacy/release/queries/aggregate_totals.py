"""Aggregates as functions of totals: sums over rows of a public factor times a function of the row."""

from collections.abc import Callable
from dataclasses import dataclass, field

from dprivacy.release.queries.reading.query_tree import (
    NULL,
    Aggregate,
    Call,
    Cast,
    Column,
    Constant,
    Expression,
    Form,
    all_of,
    conjuncts,
    number,
)

ONE, ZERO = number(1), number(0)
_SUMS = ("sum", "fsum", "kahan_sum", "sumkahan")
_MEANS = ("avg", "mean", "favg")
_SAMPLES = ("var_samp", "variance", "stddev_samp", "stddev", "covar_samp")


def times(a: Expression, b: Expression) -> Expression:
    """A product."""
    return Call("*", (a, b))


def minus(a: Expression, b: Expression) -> Expression:
    """A difference."""
    return Call("-", (a, b))


def over(a: Expression, b: Expression) -> Expression:
    """A quotient."""
    return Call("/", (a, b))


@dataclass(frozen=True)
class Total:
    """Σ over rows of `public` · `of`: a factor without noise, and what candidates are put into.

    `public` names public columns of data alone, so that it is summed before the noise is undone; a sum
    of weights then costs no more than a count.
    """

    public: Expression
    of: Expression


@dataclass
class Totals:
    """The totals that a query needs, each once; `weight` multiplies every row."""

    is_public: Callable[[Expression], bool]
    weight: Expression | None = None
    listed: list[Total] = field(default_factory=list)
    shifts: list[Expression] = field(default_factory=list)

    def column(self, total: Total) -> Column:
        """The column that holds a total."""
        if total not in self.listed:
            self.listed.append(total)
        return Column("", f"t{self.listed.index(total)}")

    def seen(self, total: Total) -> Column:
        """The column that is 0 where not even a candidate has such a row."""
        return Column("", self.column(total).name.replace("t", "seen", 1))

    def shift(self, of: Expression) -> Column:
        """The column that holds a number near the values of an expression, for squares to be small."""
        if of not in self.shifts:
            self.shifts.append(of)
        return Column("", f"c{self.shifts.index(of)}")

    def sum(self, factors: list[Expression], where: Expression | None) -> Total:
        """The total of a product, over rows for which a condition holds and no factor is missing."""
        conditions = conjuncts(where)
        public = [_double(part) for part in factors if self.is_public(part)]
        other = [_double(part) for part in factors if not self.is_public(part)]
        shown = [part for part in conditions if self.is_public(part)]
        hidden = [part for part in conditions if not self.is_public(part)]
        weight = [] if self.weight is None else [_double(self.weight)]
        return Total(_masked(shown, weight + public), _masked(hidden, other))

    def count(self, given: list[Expression], where: Expression | None) -> Total:
        """How many rows meet a condition and have none of these missing."""
        there = [Form("IS NOT NULL", (part,)) for part in given if not isinstance(part, Constant)]
        missing = [part for part in given if part == NULL]
        never = [Constant("word", "FALSE")] if missing else []
        return self.sum([], all_of([*conjuncts(where), *there, *never]))

    def meaning(self, of: Aggregate) -> Expression:
        """An aggregate as an expression over the columns of totals."""
        of = _filtered(of)
        name, where = of.name, of.where
        if name in ("count_star", "count"):
            return self.column(self.count(list(of.parts), where))
        if name in ("count_if", "countif"):
            return self.column(self.sum([], all_of([*conjuncts(where), of.parts[0]])))
        if name in _SUMS and _is_chosen(of.parts[0]):
            return self._chosen(of.parts[0], where)
        rows = self.count([one for part in of.parts for one in _factors(part)], where)
        if name in _SUMS or name in _MEANS:
            total = self.column(self.sum(_factors(of.parts[0]), where))
            value = total if name in _SUMS else over(total, self.column(rows))
            return _unless(self.seen(rows), value)
        if name == "regr_count":
            return self.column(rows)
        return _unless(self.seen(rows), self._moments(of, rows))

    def _chosen(self, of: Expression, where: Expression | None) -> Expression:
        """sum(CASE WHEN c THEN e ELSE 0 END): the sum of e where c, so that e may be public."""
        assert isinstance(of, Form)
        condition, value, _ = of.parts
        inside = all_of([*conjuncts(where), condition])
        failed = Form("NOT", (Form("COALESCE", (condition, Constant("word", "FALSE"))),))
        outside = self.count([], all_of([*conjuncts(where), failed]))
        total = self.column(self.sum(_factors(value), inside))
        nobody = Form("=", (self.seen(self.count(_factors(value), inside)), ZERO))
        return _unless(self.seen(outside), total, nobody)

    def _moments(self, of: Aggregate, rows: Total) -> Expression:
        """Variances, covariances and what is made of them: sums of squares of shifted values."""
        name, n = of.name, self.column(rows)
        y, x = of.parts if len(of.parts) == 2 else (of.parts[0], of.parts[0])
        there = [one for part in dict.fromkeys((y, x)) for one in _factors(part)]
        both = all_of([*conjuncts(of.where), *(Form("IS NOT NULL", (p,)) for p in there)])
        near_y, near_x = self.shift(y), self.shift(x)
        dy, dx = minus(_double(y), near_y), minus(_double(x), near_x)

        def product(*factors: Expression) -> Column:
            return self.column(self.sum(list(factors), both))

        def spread(a: Expression, b: Expression) -> Expression:
            return minus(product(a, b), over(times(product(a), product(b)), n))

        def mean(part: Expression, near: Column) -> Expression:
            return Call("+", (near, over(product(part), n)))

        if name.startswith(("var", "stddev", "covar")):
            freedom = minus(n, ONE) if name in _SAMPLES else n
            value = over(spread(dy, dx), freedom)
            return Call("sqrt", (value,)) if name.startswith("stddev") else value
        slope = over(spread(dy, dx), spread(dx, dx))
        known: dict[str, Callable[[], Expression]] = {
            "corr": lambda: over(
                spread(dy, dx), Call("sqrt", (times(spread(dy, dy), spread(dx, dx)),))
            ),
            "regr_slope": lambda: slope,
            "regr_intercept": lambda: minus(mean(dy, near_y), times(slope, mean(dx, near_x))),
            "regr_r2": lambda: over(
                times(spread(dy, dx), spread(dy, dx)), times(spread(dy, dy), spread(dx, dx))
            ),
            "regr_avgx": lambda: mean(dx, near_x),
            "regr_avgy": lambda: mean(dy, near_y),
            "regr_sxx": lambda: spread(dx, dx),
            "regr_syy": lambda: spread(dy, dy),
            "regr_sxy": lambda: spread(dy, dx),
        }
        return known[name]()


def _filtered(of: Aggregate) -> Aggregate:
    """f(CASE WHEN c THEN e END) as f(e) FILTER (WHERE c): aggregates pass over NULL."""
    first = of.parts[0] if len(of.parts) == 1 else None
    if not isinstance(first, Form) or first.kind != "CASE" or len(first.parts) != 3:
        return of
    condition, value, otherwise = first.parts
    if otherwise != NULL or of.name in ("count_if", "countif"):
        return of
    return _filtered(Aggregate(of.name, (value,), all_of([*conjuncts(of.where), condition])))


def _is_chosen(of: Expression) -> bool:
    if not isinstance(of, Form) or of.kind != "CASE" or len(of.parts) != 3:
        return False
    return of.parts[2] in (ZERO, Constant("number", "0.0"))


def _double(part: Expression) -> Expression:
    return Cast(part, "DOUBLE")


def _factors(of: Expression) -> list[Expression]:
    """The factors of a product."""
    if isinstance(of, Call) and of.name == "*" and len(of.parts) == 2:
        return [*_factors(of.parts[0]), *_factors(of.parts[1])]
    return [of]


def _masked(conditions: list[Expression], factors: list[Expression]) -> Expression:
    """A product where all conditions hold, and 0 elsewhere or where a factor is missing."""
    value: Expression = ONE
    if factors:
        product = factors[0]
        for part in factors[1:]:
            product = times(product, part)
        value = Form("COALESCE", (product, ZERO))
    where = all_of(conditions)
    return value if where is None else Form("CASE", (where, value, ZERO))


def _unless(seen: Column, value: Expression, *more: Expression) -> Expression:
    """A value, and NULL where no row can have one."""
    nobody = all_of([Form("=", (seen, ZERO)), *more])
    assert nobody is not None
    return Form("CASE", (nobody, NULL, value))
