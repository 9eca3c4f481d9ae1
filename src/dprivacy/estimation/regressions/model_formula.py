"""Formulas of models: "y ~ age + job + C(region)", with interactions a:b and a*b."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from dprivacy.errors import NotApplicable, WrongKind

_TOKEN = re.compile(r"\s*(?:(`[^`]+`)|([^\W\d][\w.]*)|(\d[\w.]*)|(.))")
_SHAPE = '"outcome ~ column + C(column) + column:column"'


@dataclass(frozen=True)
class Factor:
    """One column of a term; `as_categories` where the formula says C(column)."""

    column: str
    as_categories: bool = False

    def __str__(self) -> str:
        return f"C({self.column})" if self.as_categories else self.column


@dataclass(frozen=True)
class Formula:
    """What a model says: the outcome, and terms that are products of columns.

    Examples
    --------
    >>> [" × ".join(map(str, term)) for term in read_formula("y ~ age * C(job) + z").terms]
    ['age', 'C(job)', 'z', 'age × C(job)']
    """

    outcome: str
    terms: tuple[tuple[Factor, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The outcome and every covariate, each once."""
        named = (factor.column for term in self.terms for factor in term)
        return tuple(dict.fromkeys((self.outcome, *named)))


def read_formula(text: str) -> Formula:
    """A formula; an intercept is always in the model.

    Notes
    -----
    ``a:b`` is the product of two columns and ``a*b`` stands for ``a + b + a:b``. Names that are more
    than a word go in backquotes: ``y ~ `age at birth```.
    """
    if not isinstance(text, str):
        raise WrongKind(f"a formula is a text such as {_SHAPE}, not {type(text).__name__}")
    left, tilde, right = text.partition("~")
    outcome = _Tokens(left, text)
    name = outcome.name()
    if not tilde or outcome.kind:
        raise outcome.refusal()
    rest = _Tokens(right, text)
    terms = [term for product in rest.sum() for term in product]
    ordered = sorted(dict.fromkeys(terms), key=len)
    formula = Formula(name, tuple(ordered))
    _check(formula)
    return formula


def _check(formula: Formula) -> None:
    mains = {factor for term in formula.terms if len(term) == 1 for factor in term}
    for term in formula.terms:
        named = [factor.column for factor in term]
        if formula.outcome in named:
            raise NotApplicable(
                f"{formula.outcome!r} is the outcome, and cannot be a covariate as well"
            )
        if len(set(named)) < len(named):
            raise NotApplicable(
                f"the term {_shown(term)} multiplies a column by itself; name each column once"
            )
        missing = [factor for factor in term if factor not in mains]
        if missing:
            raise NotApplicable(
                f"the term {_shown(term)} needs {missing[0]} in the model by itself: "
                f"write {'*'.join(map(str, term))}"
            )


def _shown(term: Iterable[Factor]) -> str:
    return ":".join(map(str, term))


class _Tokens:
    """The right or the left side of a formula, token by token."""

    def __init__(self, side: str, text: str) -> None:
        self.text, self.at = text, 0
        self.found = [m.group(0).strip() for m in _TOKEN.finditer(side) if m.group(0).strip()]

    @property
    def kind(self) -> str:
        """The next token; "" at the end."""
        return self.found[self.at] if self.at < len(self.found) else ""

    def sum(self) -> list[list[tuple[Factor, ...]]]:
        """Terms with + between them."""
        found = [self.product()]
        while self.kind == "+":
            self.at += 1
            found.append(self.product())
        if self.kind:
            raise self.refusal()
        return found

    def product(self) -> list[tuple[Factor, ...]]:
        """a:b as one term; a*b as a, b and a:b."""
        parts, crossed = [self.factor()], []
        while self.kind in ("*", ":"):
            crossed.append(self.kind == "*")
            self.at += 1
            parts.append(self.factor())
        if len(set(crossed)) > 1:
            raise NotApplicable(
                f"{self.text!r} mixes * and : in one term; write the products out, such as a + b + a:b"
            )
        if not crossed or not crossed[0]:
            return [tuple(parts)]
        sizes = range(1, len(parts) + 1)
        return [term for size in sizes for term in combinations(parts, size)]

    def factor(self) -> Factor:
        """A column, or C(column)."""
        if self.kind == "C" and self.found[self.at + 1 : self.at + 2] == ["("]:
            self.at += 2
            name = self.name()
            if self.kind != ")":
                raise self.refusal()
            self.at += 1
            return Factor(name, as_categories=True)
        return Factor(self.name())

    def name(self) -> str:
        """The name of a column."""
        token = self.kind
        if not (token[:1].isalpha() or token[:1] in ("_", "`")) or token == "`":
            raise self.refusal()
        self.at += 1
        return token.strip("`")

    def refusal(self) -> NotApplicable:
        """What is wrong at the next token."""
        at = (
            f"{self.kind!r} stands where a name or an operator should"
            if self.kind
            else "it ends early"
        )
        return NotApplicable(
            f"a formula should be {_SHAPE}, not {self.text!r}: {at}. An intercept is always there; "
            "names of more than a word go in backquotes"
        )
