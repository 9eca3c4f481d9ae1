"""What arguments may be: one name for each kind of input, and the reader that turns it into the noun.

Each alias has one reader, which every public function calls first: `as_level`, `as_delta`, `as_space`,
`as_channel`, `as_prior`, `as_gain`, `as_loss`. The nouns are named as text, for this file stands below
the rooms that define them; `Union` lets a signature say `SpaceLike | None`, which text would not.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, Union

from numpy.typing import NDArray

if TYPE_CHECKING:
    from dprivacy.flow import Loss
    from dprivacy.model import Channel, Dist, Gain, Mechanism
    from dprivacy.numbers import Level
    from dprivacy.release import Ledger, Plan
    from dprivacy.spaces import FiniteSpace

# what exact or float answers are; ints are floats to a checker
Number: TypeAlias = Fraction | float
NumberLike: TypeAlias = Fraction | float | str  # "1/3"
LevelLike: TypeAlias = Union["Level", Fraction, float, str]  # "ln 2", "3/2"
Label: TypeAlias = Any  # hashable; labels are compared, never called
PathArg: TypeAlias = str | PathLike[str]
TableLike: TypeAlias = Sequence[Sequence[NumberLike]] | NDArray[Any]


class FrameLike(Protocol):
    """A data frame: pandas, Polars, Arrow, DuckDB or Spark."""

    @property
    def columns(self) -> Any: ...  # noqa: D102


SpaceLike: TypeAlias = Union[
    "FiniteSpace", "Mechanism", str
]  # text: the grammar of spaces, or a file
ChannelLike: TypeAlias = Union[
    "Channel", "Mechanism", TableLike, FrameLike, Mapping[Any, Mapping[Any, NumberLike]], PathArg
]
PriorLike: TypeAlias = Union[
    "Dist", Mapping[Any, NumberLike], Sequence[NumberLike], None
]  # None: uniform
Reward: TypeAlias = Callable[[Any, Any], NumberLike]  # of an action on a secret
GainLike: TypeAlias = Union["Gain", Literal["bayes", "metric"], TableLike, Reward]
LossLike: TypeAlias = Union["Loss", "Gain", Literal["bayes", "metric"], TableLike, Reward]
LedgerLike: TypeAlias = Union["Ledger", PathArg, None]
PlanLike: TypeAlias = Union["Plan", Mapping[str, Any], PathArg]
Order: TypeAlias = Literal["average", "max", "private"]
