"""Answers: what was found, how surely, what shows it, in words and as plain data."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dprivacy.model.notebooks.notebook_views import Explained
from dprivacy.model.plain_data import plain


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Explained, ABC):
    """What every result is that is not a bare number or a noun: a frozen value that explains itself.

    A subclass is a frozen dataclass with `exact` as a field or a property, and an `explain`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> @dataclass(frozen=True)
    ... class Share(Answer):
    ...     value: Fraction
    ...     exact: bool = True
    ...
    ...     def explain(self) -> str:
    ...         return f"The share is {self.value}."
    >>> third = Share(Fraction(1, 3))
    >>> print(third)  # which is third.explain()
    The share is 1/3.
    >>> Share(Fraction(1, 3)).to_dict()
    {'value': '1/3', 'exact': True}
    >>> third.exact, third.explain()
    (True, 'The share is 1/3.')
    """

    if TYPE_CHECKING:  # a field in some subclasses, which a property here would hide

        @property
        def exact(self) -> bool:
            """Whether the answer was found in exact arithmetic."""
            ...

    @abstractmethod
    def explain(self) -> str:
        """The answer in words."""

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, with numbers such as "16/7" and "ln(16/7)" as text."""
        return {**self._told(*(item.name for item in fields(self))), "exact": self.exact}

    def _told(self, *names: str) -> dict[str, Any]:
        """The attributes of these names, as plain data."""
        return {name: plain(getattr(self, name)) for name in names}

    def __str__(self) -> str:
        return self.explain()


@dataclass(frozen=True)
class Verdict(Answer):
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
    denial
        The statement denied, as it reads after "No:".

    Examples
    --------
    >>> print(Verdict("5 is prime", True, True, denial="5 is a product"))
    Yes: 5 is prime (proved exactly).
    >>> print(Verdict("6 is prime", False, True, denial="6 is a product"))
    No: 6 is a product (disproved exactly).
    >>> Verdict("6 is prime", False, True, denial="6 is a product").status
    'refuted'
    """

    claim: str
    holds: bool | None
    exact: bool
    error: float = 0.0
    denial: str = field(kw_only=True)

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
        if self.holds is None:
            return f"Undecided: floats cannot tell whether {self.claim} (±{self.error:.1g})."
        if self.holds:
            how = "proved exactly" if self.exact else f"measured in floats, ±{self.error:.1g}"
            return f"Yes: {self.claim} ({how})."
        how = "disproved exactly" if self.exact else f"measured in floats, ±{self.error:.1g}"
        return f"No: {self.denial} ({how})."

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, with numbers such as "16/7" and "ln(16/7)" as text."""
        return {**super().to_dict(), "status": self.status}


class Pictured:
    """Something that the room of pictures can draw.

    The room stands above this one and is looked up by name when a picture is asked for, so that
    nothing below it imports it.
    """

    __slots__ = ()

    def plot(self, **options: Any) -> Any:
        """A picture of this, as a matplotlib figure.

        Parameters
        ----------
        **options
            What the drawing function of `dprivacy.viz` for this kind of object takes.

        Returns
        -------
        matplotlib.figure.Figure
            Write it with `dprivacy.viz.save`, or with its own `savefig`.

        Raises
        ------
        MissingExtra
            When matplotlib is not installed.

        Examples
        --------
        >>> from dprivacy.mechanisms import randomised_response
        >>> figure = randomised_response(["yes", "no"], eps="ln 3").plot()
        >>> type(figure).__name__
        'Picture'
        """
        return import_module("dprivacy.viz").picture(self, **options)
