"""How an expression of totals changes with each of them, and whether it is a quotient of two sums."""

from dprivacy.release.queries.aggregate_totals import ONE, ZERO, minus, over, times
from dprivacy.release.queries.reading.query_refusals import refused
from dprivacy.release.queries.reading.query_tree import (
    NULL,
    Call,
    Cast,
    Column,
    Expression,
    Form,
    changed,
    columns_in,
    nodes,
    number,
)

_LOGARITHMS = {
    "ln": 1.0,
    "log": 2.302585092994046,
    "log10": 2.302585092994046,
    "log2": 0.6931471805599453,
}
_DOUBLES = ("DOUBLE", "FLOAT8", "FLOAT", "REAL", "FLOAT4")


def totals_in(of: Expression) -> list[str]:
    """The totals that an expression depends on."""
    return [c.name for c in columns_in(of) if c.name.startswith("t") and c.name[1:].isdecimal()]


def unrounded(of: Expression) -> Expression:
    """An expression without a last rounding of it."""
    return of.parts[0] if isinstance(of, Call) and of.name == "round" and of.parts else of


def slope(of: Expression, by: str) -> Expression | None:
    """The derivative of an expression by a total, as an expression; None for 0.

    Refused where the expression has none, such as a comparison of totals.
    """
    if by not in totals_in(of):
        return None
    if isinstance(of, Column):
        return ONE
    if isinstance(of, Cast) and of.kind in _DOUBLES and not of.softly:
        return slope(of.part, by)
    if isinstance(of, Form):
        return _of_form(of, by)
    if isinstance(of, Call):
        return _of_call(of, by)
    raise _no_slope(of)


def _no_slope(of: Expression) -> Exception:
    what = of.kind if isinstance(of, Form | Cast) else getattr(of, "name", "it")
    return refused(
        f"what {what} makes of an estimate has no standard error", "select the estimates themselves"
    )


def _of_form(of: Form, by: str) -> Expression:
    """CASE and COALESCE, whose conditions do not depend on totals."""
    if of.kind == "CASE":
        *pairs, last = of.parts
        whens, thens = pairs[::2], pairs[1::2]
        if any(totals_in(when) for when in whens):
            raise _no_slope(of)
        made: list[Expression] = []
        for when, then in zip(whens, thens, strict=True):
            made += [when, _or_zero(then, by)]
        return Form("CASE", (*made, _or_zero(last, by)))
    if of.kind == "COALESCE" and not any(totals_in(part) for part in of.parts[1:]):
        first = of.parts[0]
        return Form("CASE", (Form("IS NULL", (first,)), ZERO, _or_zero(first, by)))
    raise _no_slope(of)


def _or_zero(of: Expression, by: str) -> Expression:
    return NULL if of == NULL else slope(of, by) or ZERO


def _of_call(of: Call, by: str) -> Expression:
    if of.name == "nullif" and not totals_in(of.parts[1]):
        return _or_zero(of.parts[0], by)
    if len(of.parts) == 1:
        return _of_one(of, by)
    if len(of.parts) != 2:
        raise _no_slope(of)
    a, b = of.parts
    da, db = slope(a, by), slope(b, by)
    if of.name in ("+", "add"):
        return da if db is None else db if da is None else Call("+", (da, db))  # type: ignore[return-value]
    if of.name in ("-", "subtract"):
        if db is None:
            assert da is not None
            return da
        return minus(da or ZERO, db)
    if of.name in ("*", "multiply"):
        left = None if da is None else times(da, b)
        right = None if db is None else times(a, db)
        return Call("+", (left, right)) if left and right else left or right  # type: ignore[return-value]
    if of.name in ("/", "fdiv"):
        if db is None:
            assert da is not None
            return over(da, b)
        return minus(over(da or ZERO, b), over(times(a, db), times(b, b)))
    if of.name in ("**", "^", "pow", "power") and db is None and da is not None:
        return times(times(b, Call("pow", (a, minus(b, ONE)))), da)
    raise _no_slope(of)


def _of_one(of: Call, by: str) -> Expression:
    (a,) = of.parts
    da = slope(a, by)
    assert da is not None
    if of.name in ("+", "-"):
        return da if of.name == "+" else Call("-", (da,))
    if of.name == "sqrt":
        return over(da, times(number(2), of))
    if of.name == "exp":
        return times(of, da)
    if of.name in _LOGARITHMS:
        return over(da, times(number(_LOGARITHMS[of.name]), a))
    raise _no_slope(of)


def guarded(of: Expression) -> Expression:
    """An expression that is NULL where a root or a logarithm of an estimate has no value.

    DuckDB of some versions stops at such a row.
    """

    def change(part: Expression) -> Expression | None:
        if not isinstance(part, Call) or len(part.parts) != 1 or not totals_in(part):
            return None
        if part.name == "sqrt" or part.name in _LOGARITHMS:
            inner = guarded(part.parts[0])
            fine = Form(">=" if part.name == "sqrt" else ">", (inner, ZERO))
            return Form("CASE", (fine, Call(part.name, (inner,)), NULL))
        return None

    return changed(of, change)


def quotient(of: Expression) -> tuple[Expression, Expression] | None:
    """The numerator and the denominator, where an expression is a quotient of two sums of totals."""
    of = bare(of)
    if not isinstance(of, Call) or len(of.parts) != 2:
        return None
    a, b = of.parts
    if of.name == "*":
        if not totals_in(a):
            a, b = b, a
        inner = None if totals_in(b) else quotient(a)
        return None if inner is None else (times(inner[0], b), inner[1])
    if of.name != "/":
        return None
    if not totals_in(b):
        inner = quotient(a)
        return None if inner is None else (over(inner[0], b), inner[1])
    a, b = bare(a), bare(b)
    return (a, b) if is_linear(a) and is_linear(b) else None


def bare(of: Expression) -> Expression:
    """An expression without casts to doubles and guards against NULL and 0."""
    if isinstance(of, Cast) and of.kind in _DOUBLES:
        return bare(of.part)
    if isinstance(of, Form) and of.kind == "CASE" and len(of.parts) == 3 and of.parts[1] == NULL:
        return of if totals_in(of.parts[0]) else bare(of.parts[2])
    if isinstance(of, Call) and of.name == "nullif" and not totals_in(of.parts[1]):
        return bare(of.parts[0])
    return of


def is_linear(of: Expression) -> bool:
    """Whether an expression is a sum of totals with constant factors."""
    slopes = [slope(of, by) for by in totals_in(of)]
    return not any(totals_in(node) for one in slopes if one is not None for node in nodes(one))
