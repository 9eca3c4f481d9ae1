"""What every mechanism offers, and what those with a random source of their own share."""

from dataclasses import replace
from typing import Any, Protocol, Self, runtime_checkable

from dprivacy.errors import WrongKind
from dprivacy.model.channels import Channel
from dprivacy.model.guarantees import Guarantee
from dprivacy.model.notebooks.notebook_views import Promised
from dprivacy.sampling import Source, choose_source


@runtime_checkable
class Mechanism(Protocol):
    """A randomised map that carries its guarantee.

    Where `channel` is not None, `randomise` draws from exactly that channel.

    Examples
    --------
    >>> from dprivacy.mechanisms import planar_laplace, randomised_response
    >>> isinstance(planar_laplace(eps="ln 2"), Mechanism)
    True
    >>> print(randomised_response(["yes", "no"], eps="ln 3").channel["yes", "no"])
    1/4
    >>> from dprivacy.sampling import KeyedSource
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> coin.family, str(coin.guarantee.eps), coin.secure, coin.to_dict()["family"]
    ('randomised_response', 'ln(3)', True, 'randomised_response')
    >>> keyed = coin.using(KeyedSource(bytes(32)))
    >>> keyed.randomise(["yes", "no"]) == coin.using(KeyedSource(bytes(32))).randomise(["yes", "no"])
    True
    """

    @property
    def family(self) -> str:
        """The name of the family, as in plans and on cards."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What the mechanism promises."""
        ...

    @property
    def channel(self) -> Channel | None:
        """The probabilities; None where inputs or outputs cannot be listed."""
        ...

    @property
    def secure(self) -> bool:
        """Whether its noise comes from a source that nobody can guess."""
        ...

    def using(self, source: Source) -> Self:
        """The same mechanism drawing from a given random source."""
        ...

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> Any:
        """Noisy values for true ones, labels in and labels out."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data."""
        ...


class Sourced(Promised):
    """`secure`, `using` and `to_dict` of a frozen dataclass that has the fields named here.

    `family` and `guarantee` are the protocol's; `source` is the random source to draw from, the
    system's when None.
    """

    family: str
    guarantee: Guarantee
    source: Source | None

    @property
    def secure(self) -> bool:
        """Whether its noise comes from a source that nobody can guess."""
        return self.source is None or self.source.secure

    def using(self, source: Source) -> Self:
        """The same mechanism drawing from a given random source."""
        if not (hasattr(source, "words") and hasattr(source, "below")):
            raise WrongKind(
                "a random source should be a SystemSource or a KeyedSource of dprivacy.sampling, not "
                f"{type(source).__name__}"
            )
        return replace(self, source=source)  # type: ignore[type-var]  # inherited by dataclasses only

    def _source(self, insecure_seed: int | None) -> Source:
        """What one call of `randomise` draws from."""
        return (self.source if insecure_seed is None else None) or choose_source(insecure_seed)

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data."""
        return {
            "family": self.family,
            "guarantee": self.guarantee.to_dict(),
            "secure": self.secure,
        }
