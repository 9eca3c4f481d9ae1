"""dprivacy: metric differential privacy — built, sampled, proved, measured and optimised.

``import dprivacy as dp`` and a tab show the whole surface; each name loads its room when it is first
used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_ROOMS = {
    "numbers": ["Level", "ln"],
    "spaces": [
        "FiniteSpace",
        "bags",
        "curves",
        "discrete",
        "from_table",
        "graph",
        "grid",
        "hamming",
        "hamming_cube",
        "induced_space",
        "line",
        "named_space",
        "points",
        "power_set",
        "product",
        "quantised",
        "sensitivity",
    ],
    "model": [
        "Channel",
        "Dist",
        "Gain",
        "Guarantee",
        "Hyper",
        "Mechanism",
        "Verdict",
        "as_channel",
        "earth_move",
        "empirical",
        "joint",
        "mixture",
        "named_space",
        "parallel",
        "point",
        "push",
        "read_channel",
        "read_space",
        "uniform",
    ],
    "verify": [
        "ball_change",
        "checks_needed",
        "delta_at",
        "distinguishability",
        "eps_at",
        "error_floor",
        "expected_error",
        "hamming_error_bounds",
        "odds_change",
        "privacy",
        "privacy_profile",
        "smallest_eps",
        "sufficient_partition",
        "sufficient_set",
    ],
}
_HOME = {name: f"dprivacy.{room}" for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Channel",
    "Dist",
    "FiniteSpace",
    "Gain",
    "Guarantee",
    "Hyper",
    "Level",
    "Mechanism",
    "Verdict",
    "as_channel",
    "bags",
    "ball_change",
    "checks_needed",
    "curves",
    "delta_at",
    "discrete",
    "distinguishability",
    "earth_move",
    "empirical",
    "eps_at",
    "error_floor",
    "expected_error",
    "from_table",
    "graph",
    "grid",
    "hamming",
    "hamming_cube",
    "hamming_error_bounds",
    "induced_space",
    "joint",
    "line",
    "ln",
    "mixture",
    "named_space",
    "odds_change",
    "parallel",
    "point",
    "points",
    "power_set",
    "privacy",
    "privacy_profile",
    "product",
    "push",
    "quantised",
    "read_channel",
    "read_space",
    "sensitivity",
    "smallest_eps",
    "sufficient_partition",
    "sufficient_set",
    "uniform",
]

if TYPE_CHECKING:
    from dprivacy.model import (
        Channel,
        Dist,
        Gain,
        Guarantee,
        Hyper,
        Mechanism,
        Verdict,
        as_channel,
        earth_move,
        empirical,
        joint,
        mixture,
        parallel,
        point,
        push,
        read_channel,
        read_space,
        uniform,
    )
    from dprivacy.numbers import Level, ln
    from dprivacy.spaces import (
        FiniteSpace,
        bags,
        curves,
        discrete,
        from_table,
        graph,
        grid,
        hamming,
        hamming_cube,
        induced_space,
        line,
        named_space,
        points,
        power_set,
        product,
        quantised,
        sensitivity,
    )
    from dprivacy.verify import (
        ball_change,
        checks_needed,
        delta_at,
        distinguishability,
        eps_at,
        error_floor,
        expected_error,
        hamming_error_bounds,
        odds_change,
        privacy,
        privacy_profile,
        smallest_eps,
        sufficient_partition,
        sufficient_set,
    )


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    if name in ("errors", "sources", *_ROOMS):
        return import_module(f"dprivacy.{name}")
    raise AttributeError(f"module 'dprivacy' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "errors"])
