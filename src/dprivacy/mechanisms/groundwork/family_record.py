"""What the library knows of a family of mechanisms: one record, declared beside its mathematics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dprivacy.model import Mechanism


@dataclass(frozen=True)
class Family:
    """A family of mechanisms, from which plans, forms, pages and tests follow.

    Parameters
    ----------
    name
        As in plans, on cards and on the mechanisms themselves.
    build
        ``build(eps=…, **settings)`` gives a mechanism that guarantees ε. For columns whose values are
        listed one of the settings is ``space``, or ``labels`` where it sends reports.
    because
        The key of the statement that the guarantee rests on, such as "T Def 3.4.2".
    cases
        Settings to build it with in tests; each must meet every demand that is made of a mechanism.
    fits
        Types of columns that a plan may use it for.
    usual_for
        Those of them that get it when the plan names no mechanism.
    needs
        Settings of a column without which it cannot be built.
    options
        Settings of a column that it takes besides.
    reports
        Whether cells are reports about values, sets of them, in place of values.

    Examples
    --------
    >>> from dprivacy.mechanisms import FAMILIES
    >>> [family.name for family in FAMILIES if "ordered" in family.fits]
    ['randomised_response', 'geometric', 'exponential']
    >>> [family.name for family in FAMILIES if family.reports][:2]
    ['subset_response', 'unary_response']
    >>> FAMILIES[0].page, FAMILIES[0].summary.split(":")[0]
    ('randomised-response.md', 'Randomised response on m+1 values')
    """

    name: str
    build: Callable[..., Mechanism]
    because: str
    cases: tuple[Mapping[str, Any], ...] = field(repr=False)
    fits: tuple[str, ...] = ()
    usual_for: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    reports: bool = False

    @property
    def page(self) -> str:
        """Its page in the documentation, in the folder ``mechanisms``."""
        return f"{self.name.replace('_', '-')}.md"

    @property
    def summary(self) -> str:
        """The first line of what its builder says of itself."""
        return (self.build.__doc__ or "").partition("\n")[0].rstrip(".")
