"""What the float engines hand over: a channel that is nearly right, and a dual that is nearly feasible.

Nothing here is believed. `certify` turns the channel into integers that are proved private, and the
dual into a lower bound that is checked in integers.
"""

from collections.abc import Callable
from dataclasses import dataclass

from dprivacy.numbers import Floats, Whole

Progress = Callable[[float, float, float], None]
"""Called now and then with (loss, bound, seconds so far)."""


@dataclass(frozen=True, eq=False)
class Flows:
    """Dual weights f ≥ 0 on privacy constraints z[x] ≤ e^(ε·d(x, z))·z[z], output by output.

    Entry k says: `amounts[k]` of the constraint of the ordered pair (`above[k]`, `below[k]`) in the
    column of `outputs[k]`.
    """

    outputs: Whole
    above: Whole
    below: Whole
    amounts: Floats


@dataclass(frozen=True, eq=False)
class Approximation:
    """A float answer to min Σ costs·channel over d-private channels, with a dual.

    Attributes
    ----------
    channel
        n × m; rows sum to 1 up to rounding, columns are nearly private.
    multipliers
        λ, one for each secret: the dual of "rows sum to 1".
    loss
        Σ costs·channel.
    bound
        A lower bound in floats, from duals that were feasible up to rounding.
    rounds
        How many steps it took.
    finished
        Whether the gap that was asked for was reached.
    trees
        The last pricing tree of every output, where there is one: a warm start, and dual flows.
    flows
        Dual weights of the constraints, where the engine knows them.
    """

    channel: Floats
    multipliers: Floats
    loss: float
    bound: float
    rounds: int
    finished: bool
    trees: Whole | None = None
    flows: Flows | None = None
