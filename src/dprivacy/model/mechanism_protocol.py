"""What every mechanism offers."""

from typing import Any, Protocol, runtime_checkable

from dprivacy.model.channels__model_channel import Channel
from dprivacy.model.guarantees import Guarantee


@runtime_checkable
class Mechanism(Protocol):
    """A randomised map that carries its guarantee.

    Finite mechanisms also have the attribute `channel`, and then what is drawn by `randomise`
    follows exactly that channel.
    """

    @property
    def guarantee(self) -> Guarantee:
        """What the mechanism promises."""
        ...

    def randomise(self, values: Any) -> Any:
        """Noisy values for true ones, labels in and labels out."""
        ...


@runtime_checkable
class FiniteMechanism(Mechanism, Protocol):
    """A mechanism with finitely many inputs and outputs."""

    @property
    def channel(self) -> Channel:
        """The channel that `randomise` draws from."""
        ...
