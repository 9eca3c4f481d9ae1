"""Expressions of a query as SQL, every part in brackets and every name in quotes."""

from dprivacy.release.queries.reading.query_tree import (
    Call,
    Cast,
    Column,
    Constant,
    Expression,
    Form,
)

_AFTER = ("IS NULL", "IS NOT NULL")


def quoted(name: str) -> str:
    """A name in quotes.

    Examples
    --------
    >>> print(quoted("my table"))
    "my table"
    """
    return '"' + name.replace('"', '""') + '"'


def printed(of: Expression) -> str:
    """An expression without aggregates, whose columns are known, as SQL.

    Examples
    --------
    >>> of = Form("IN", (Column("t", "job"), Constant("text", "cook's")))
    >>> print(printed(of))
    ("t"."job" IN ('cook''s'))
    """
    if isinstance(of, Constant):
        return _constant(of)
    if isinstance(of, Column):
        return f"{quoted(of.table)}.{quoted(of.name)}" if of.table else quoted(of.name)
    if isinstance(of, Cast):
        return f"{'TRY_CAST' if of.softly else 'CAST'}({printed(of.part)} AS {of.kind})"
    assert isinstance(of, Form | Call), of
    parts = [printed(part) for part in of.parts]
    if isinstance(of, Call) and of.name == "//" and _has_column(of):
        # DuckDB divides doubles with a remainder here, and numbers of a card are doubles in SQL.
        return f"trunc({parts[0]} / nullif({parts[1]}, 0))"
    if isinstance(of, Call):
        return f"{quoted(of.name)}({', '.join(parts)})"
    return f"({_form(of.kind, parts)})"


def _has_column(of: Expression) -> bool:
    parts = [of.part] if isinstance(of, Cast) else getattr(of, "parts", ())
    return isinstance(of, Column) or any(_has_column(part) for part in parts)


def _form(kind: str, parts: list[str]) -> str:
    if kind == "CASE":
        whens = zip(parts[:-1:2], parts[1:-1:2], strict=True)
        return f"CASE {' '.join(f'WHEN {w} THEN {t}' for w, t in whens)} ELSE {parts[-1]} END"
    if kind == "BETWEEN":
        return f"{parts[0]} BETWEEN {parts[1]} AND {parts[2]}"
    if kind in ("IN", "NOT IN"):
        return f"{parts[0]} {kind} ({', '.join(parts[1:])})"
    if kind == "COALESCE":
        return f"COALESCE({', '.join(parts)})"
    if kind == "NOT":
        return f"NOT {parts[0]}"
    if kind in _AFTER:
        return f"{parts[0]} {kind}"
    return f" {kind} ".join(parts)


def _constant(of: Constant) -> str:
    if of.kind == "text":
        return "'" + of.text.replace("'", "''") + "'"
    return f"({of.text})" if of.text.startswith("-") else of.text
