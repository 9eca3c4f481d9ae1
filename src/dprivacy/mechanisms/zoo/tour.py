"""All exhibits, in the order of a visit."""

from dprivacy.mechanisms.zoo import channels, samplers
from dprivacy.mechanisms.zoo.exhibit import Exhibit


def exhibits() -> list[Exhibit]:
    """Every exhibit of the zoo."""
    return [*channels.EXHIBITS, *samplers.EXHIBITS]
