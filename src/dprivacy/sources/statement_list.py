"""The decorator that ties a function to the statement it implements."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., object] | type)

_claims: dict[tuple[str, str], list[str]] = {}


@dataclass(frozen=True)
class Statement:
    """One numbered statement of a source, in our own words.

    Examples
    --------
    >>> Statement("T", "Def 2.2.2", "The Bayes vulnerability is the largest probability.").key
    'T Def 2.2.2'
    """

    source: str
    number: str
    says: str
    erratum: str = ""

    @property
    def key(self) -> str:
        """The short key, such as ``T Def 4.4.4``."""
        return f"{self.source} {self.number}"


@cache
def citations() -> dict[str, str]:
    """The sources by their short keys.

    Examples
    --------
    >>> citations()["T"]
    'N. Fernandes, *Differential privacy for metric spaces*, thesis, 2021'
    """
    return {key: str(text) for key, text in _tables()["sources"].items()}


@cache
def statements() -> dict[tuple[str, str], Statement]:
    """Every statement that the code uses, by (source, number).

    Examples
    --------
    >>> statements()["T", "Def 2.2.2"].says
    'The Bayes vulnerability of a prior is its largest probability.'
    """
    entries = [
        Statement(source, number, *([says] if isinstance(says, str) else says))
        for source, numbered in _tables().items()
        if source != "sources"
        for number, says in numbered.items()
    ]
    return {(entry.source, entry.number): entry for entry in entries}


@cache
def _tables() -> dict[str, dict[str, Any]]:
    text = files("dprivacy.sources").joinpath("statements.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def result(source: str, *numbers: str) -> Callable[[F], F]:
    """Record that the decorated object implements the named statements of one source.

    Examples
    --------
    >>> @result("T", "Def 2.2.2")
    ... def largest(probabilities):
    ...     return max(probabilities)
    >>> largest([0.2, 0.8])
    0.8
    """

    def record(thing: F) -> F:
        name = f"{thing.__module__}.{thing.__qualname__}"
        for number in numbers:
            _claims.setdefault((source, number), []).append(name)
        return thing

    return record


def claims() -> dict[tuple[str, str], list[str]]:
    """The qualified names that claim each statement, among the modules imported so far.

    Examples
    --------
    >>> import dprivacy.verify
    >>> "dprivacy.verify.metric.induced_metric.distinguishability" in claims()["T", "Def 4.4.4"]
    True
    """
    return {key: list(names) for key, names in _claims.items()}
