"""Mechanisms: each carries its guarantee, and draws exactly what was proved."""

from dprivacy.mechanisms.any_metric import any_metric
from dprivacy.mechanisms.bits import BitwiseMechanism, bitwise_response
from dprivacy.mechanisms.exponential import exponential
from dprivacy.mechanisms.finite import ChannelMechanism
from dprivacy.mechanisms.geometric import geometric, over_truncated
from dprivacy.mechanisms.numeric import GridNoise, integer_geometric, laplace, laplace_scale
from dprivacy.mechanisms.planar import PlanarMechanism, planar_laplace
from dprivacy.mechanisms.response import (
    randomised_response,
    response_chance,
    response_eps,
    response_exponent,
)
from dprivacy.mechanisms.store import load, save
from dprivacy.mechanisms.truncated import (
    geometric_steps,
    pixelated_laplace,
    truncated_laplace_atoms,
    truncated_laplace_cdf,
)
from dprivacy.mechanisms.vector import VectorMechanism, vector_laplace
from dprivacy.mechanisms.workflows import (
    ObliviousMechanism,
    SequentialMechanism,
    oblivious,
    over_rows,
    sequential,
)

__all__ = [
    "BitwiseMechanism",
    "ChannelMechanism",
    "GridNoise",
    "ObliviousMechanism",
    "PlanarMechanism",
    "SequentialMechanism",
    "VectorMechanism",
    "any_metric",
    "bitwise_response",
    "exponential",
    "geometric",
    "geometric_steps",
    "integer_geometric",
    "laplace",
    "laplace_scale",
    "load",
    "oblivious",
    "over_rows",
    "over_truncated",
    "pixelated_laplace",
    "planar_laplace",
    "randomised_response",
    "response_chance",
    "response_eps",
    "response_exponent",
    "save",
    "sequential",
    "truncated_laplace_atoms",
    "truncated_laplace_cdf",
    "vector_laplace",
]
