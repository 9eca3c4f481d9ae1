"""All exhibits, in the order of a visit."""

from dprivacy.mechanisms.zoo import (
    broken_channels as channels,
    broken_samplers__mechanisms_zoo_samplers as samplers,
)
from dprivacy.mechanisms.zoo.exhibit import Exhibit


def exhibits() -> list[Exhibit]:
    """Every exhibit of the zoo."""
    return [*channels.EXHIBITS, *samplers.EXHIBITS]
