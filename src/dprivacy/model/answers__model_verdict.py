"""Verdicts: what holds, how surely, and what shows it."""

from dataclasses import dataclass, fields
from typing import Any

from dprivacy.model.plain_data import plain


@dataclass(frozen=True)
class Verdict:
    """The answer to a yes-or-no question, with how it was settled.

    Parameters
    ----------
    claim
        The statement that was examined, in words.
    holds
        True, False, or None when floats cannot tell.
    exact
        Whether it was settled in exact arithmetic (proved), or measured in floats.
    error
        For measured answers, a bound on the rounding error.
    """

    claim: str
    holds: bool | None
    exact: bool
    error: float = 0.0

    def __bool__(self) -> bool:
        """True only when the claim holds; an undecided answer is not a yes."""
        return self.holds is True

    @property
    def status(self) -> str:
        """One of "proved", "refuted", "measured", "measured to fail" and "undecided"."""
        if self.holds is None:
            return "undecided"
        if self.exact:
            return "proved" if self.holds else "refuted"
        return "measured" if self.holds else "measured to fail"

    def explain(self) -> str:
        """The answer in words."""
        word = {True: "Yes:", False: "No, it is not so that", None: "Undecided whether"}[self.holds]
        how = "exact arithmetic" if self.exact else f"float, ±{self.error:.1g}"
        return f"{word} {self.claim} ({self.status}; {how})."

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, with numbers such as "16/7" and "ln(16/7)" as text."""
        answer = {field.name: plain(getattr(self, field.name)) for field in fields(self)}
        return {**answer, "status": self.status}

    def __str__(self) -> str:
        return self.explain()
