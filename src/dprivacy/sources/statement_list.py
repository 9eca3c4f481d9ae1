"""The decorator that ties a function to the statement it implements."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object] | type)

_claims: dict[tuple[str, str], list[str]] = {}


@dataclass(frozen=True)
class Statement:
    """One numbered statement of a source, in our own words."""

    source: str
    number: str
    says: str
    erratum: str = ""

    @property
    def key(self) -> str:
        """The short key, such as ``T Def 4.4.4``."""
        return f"{self.source} {self.number}"


@cache
def statements() -> dict[tuple[str, str], Statement]:
    """Every statement the catalogue uses, by (source, number)."""
    text = files("dprivacy.sources").joinpath("statements.toml").read_text(encoding="utf-8")
    entries = [
        Statement(source, number, *([says] if isinstance(says, str) else says))
        for source, numbered in tomllib.loads(text).items()
        for number, says in numbered.items()
    ]
    return {(entry.source, entry.number): entry for entry in entries}


def result(source: str, *numbers: str) -> Callable[[F], F]:
    """Record that the decorated object implements the named statements of one source."""

    def record(thing: F) -> F:
        name = f"{thing.__module__}.{thing.__qualname__}"
        for number in numbers:
            _claims.setdefault((source, number), []).append(name)
        return thing

    return record


def claims() -> dict[tuple[str, str], list[str]]:
    """The qualified names that claim each statement, among the modules imported so far."""
    return {key: list(names) for key, names in _claims.items()}
