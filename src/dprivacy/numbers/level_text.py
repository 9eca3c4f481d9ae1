"""How a level is written and read: "ln 2", "3/2", "0.5·ln(5/4) + sqrt(2)"."""

import math
import re
from fractions import Fraction

from dprivacy.errors import BadLevel, Uncertified
from dprivacy.numbers.enclosures import term_float
from dprivacy.numbers.integer_facts import power_part
from dprivacy.numbers.level_terms import (
    Key,
    Terms,
    added,
    divided,
    logarithm,
    multiplied,
    negated,
    rational_value,
    square_root,
    vanishes,
    whole,
)

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>ln|log|sqrt|√)|(?P<mark>[-+*·×/()]))"
)
_LONGEST = 400  # characters; a level longer than this is not one a person wrote
_LARGEST_EXPONENT = 4000
_MOST_TERMS = 256  # of a product, and (each may double the terms of a quotient) of a divisor
_MOST_DIVISORS = 6


def parse(text: str) -> Terms:
    """Read the grammar below; anything else is a BadLevel.

    sum = product {("+" | "-") product};  product = signed {("*" | "/" | nothing) signed};
    signed = ["-"] atom;  atom = number | "(" sum ")" | ("ln" | "sqrt") atom.
    """
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        self.at = 0
        if len(text) > _LONGEST:
            raise BadLevel(f"a level of {len(text)} characters is too long (at most {_LONGEST})")
        position, end = 0, len(text.rstrip())
        while position < end:
            found = _TOKEN.match(text, position)
            if not found:
                raise self.unreadable(f"{text[position:].strip()[:20]!r} is not understood")
            self.tokens.append(found.group().strip())
            position = found.end()

    def unreadable(self, why: str) -> BadLevel:
        return BadLevel(
            f"cannot read the level {self.text!r}: {why}. "
            "Write it as 'ln 2', 'ln(16/7)', '3/2', '0.5' or '1/2 ln 3'"
        )

    @property
    def token(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def read(self) -> Terms:
        if not self.tokens:
            raise self.unreadable("it is empty")
        try:
            value = self.sum()
        except Uncertified as error:
            raise self.unreadable(str(error)) from None
        except RecursionError:
            raise self.unreadable("it is nested too deeply") from None
        if self.token:
            raise self.unreadable(f"{self.token!r} does not belong there")
        return value

    def sum(self) -> Terms:
        value = self.product()
        while self.token in ("+", "-"):
            plus = self.take() == "+"
            value = added(value, self.product() if plus else negated(self.product()))
        return value

    def product(self) -> Terms:
        value = self.signed()
        while self.token and self.token not in "+-)":
            bare_log = self.bare_log
            if self.token == "/":
                self.take()
                if bare_log:
                    raise self.unreadable("'ln a/b' can mean two things; write ln(a/b) or (ln a)/b")
                divisor = self.signed()
                if len(divisor) > _MOST_DIVISORS:
                    raise self.unreadable("it divides by too long a sum")
                if vanishes(divisor):
                    raise self.unreadable("it divides by zero")
                value = self.exact(divided(value, divisor), "the quotient of logarithms")
            else:
                if self.token in ("*", "·", "×"):
                    self.take()
                elif self.token[0] in "0123456789.":
                    raise self.unreadable(f"{self.token!r} does not belong there")
                if bare_log and self.token[:1] in "0123456789.(":
                    raise self.unreadable("'ln a*b' can mean two things; write ln(a*b) or b*ln(a)")
                value = self.exact(
                    multiplied(value, self.signed()), "the product of two logarithms"
                )
                if len(value) > _MOST_TERMS:
                    raise self.unreadable("multiplied out it has too many terms")
        return value

    def signed(self) -> Terms:
        if self.token == "-":
            self.take()
            return negated(self.signed())
        return self.atom()

    def exact(self, terms: Terms | None, what: str) -> Terms:
        if terms is None:
            raise self.unreadable(f"{what} has no exact form")
        return terms

    @property
    def bare_log(self) -> bool:
        """Whether what was just read is a logarithm of an unbracketed number."""
        return self.at >= 2 and self.tokens[self.at - 2] in ("ln", "log", "sqrt", "√")

    def atom(self) -> Terms:
        token = self.take() if self.token else ""
        if token == "(":
            value = self.sum()
            if self.token != ")":
                raise self.unreadable("a bracket is not closed")
            self.take()
            return value
        if token in ("ln", "log", "sqrt", "√"):
            inner = rational_value(self.atom())
            if inner is None or inner <= 0:
                raise self.unreadable(f"{token} needs a positive rational number")
            return logarithm(inner) if token in ("ln", "log") else square_root(inner)
        if token and (token[0].isdigit() or token[0] == "."):
            power = re.search(r"[eE]([+-]?\d+)$", token)
            if power and abs(int(power[1])) > _LARGEST_EXPONENT:
                raise self.unreadable(f"the exponent {power[1]} is out of range")
            return whole(Fraction(token))
        raise self.unreadable(
            f"a number is missing before {token!r}" if token else "it ends too soon"
        )


def written(terms: Terms) -> str:
    """A short text that `parse` reads back.

    Multiples of one logarithm are added up (of ln 9 and ln 3, too), and logarithms with whole
    coefficients are drawn together.
    """
    merged: dict[Key, Fraction] = {}
    for (k, q), r in terms.items():
        base, power = power_part(q) if q is not None and _digits(q) < _LONG else (q, 1)
        merged[k, base] = merged.get((k, base), Fraction(0)) + r * power
    whole = Fraction(1)  # the product of q^r over terms r·ln q with r a (small) integer
    parts: list[str] = []
    for (k, q), r in merged.items():
        if not r:
            continue
        if k == 1 and q is not None and r.denominator == 1 and abs(r) * _digits(q) <= _SHORT:
            whole *= q ** int(r)
            continue
        if _digits(r) > _LONG * 10 or (q is not None and _digits(q) > _LONG):
            parts.append(_outline(k, q, r))
            continue
        names = [f"sqrt({k})"] if k > 1 else []
        names += [f"ln({q})"] if q is not None else []
        if r == 1 and names:
            parts.append("*".join(names))
        elif r == -1 and names:
            parts.append("-" + "*".join(names))
        else:
            parts.append("*".join([str(r), *names]))
    if whole != 1:
        parts.append(f"ln({whole})" if whole > 1 else f"-ln({1 / whole})")
    return " + ".join(parts).replace("+ -", "- ") if parts else "0"


def as_formula(text: str) -> str:
    r"""A written level in LaTeX.

    Examples
    --------
    >>> print(as_formula("3/2*sqrt(2)*ln(5/4) - ln(2)"))
    \frac{3}{2}\,\sqrt{2}\,\ln\frac{5}{4} - \ln 2
    """
    text = re.sub(r"([0-9]+)/([0-9]+)", r"\\frac{\1}{\2}", text)
    text = re.sub(r"sqrt\(([0-9]+)\)", r"\\sqrt{\1}", text)
    text = re.sub(r"ln\(([0-9]+)\)", r"\\ln \1", text)
    text = re.sub(r"ln\((\\frac[^()]*)\)", r"\\ln\1", text)
    return text.replace("*", r"\,")


_SHORT = 24  # digits up to which ln(q^r) is written out instead of r·ln(q)
_LONG = 300  # digits beyond which a ratio is outlined instead of written


def _digits(q: Fraction) -> int:
    """About how many digits it takes to write q."""
    bits = q.numerator.bit_length() + (q.denominator.bit_length() if q.denominator > 1 else 0)
    return int(bits * 0.30103) + 1


def _outline(k: int, q: Fraction | None, r: Fraction) -> str:
    estimate = term_float(k, q, r)
    shown = f"{estimate!r} " if math.isfinite(estimate) else ""
    if q is None:
        return f"{shown}(a number of {_digits(r)} digits)"
    return f"{shown}(a logarithm of a ratio of {_digits(q)} digits)"
