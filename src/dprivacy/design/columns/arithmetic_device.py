"""Where the column generation does its heavy arithmetic: on the processor, or on a graphics card."""

from dataclasses import dataclass
from importlib.util import find_spec

from dprivacy.design.columns.graphics_card import Card, require_card
from dprivacy.design.columns.master_program import Mixture, balanced, mixture
from dprivacy.design.columns.spanning_trees import Prices, Trees, price
from dprivacy.design.columns.tree_flows import lifted
from dprivacy.errors import MissingExtra, UnknownName
from dprivacy.numbers import Floats, Whole

DEVICES = ("cpu", "gpu")


@dataclass(frozen=True)
class Processor:
    """NumPy and SciPy, and walks that numba compiles where `compiled` says so."""

    compiled: bool

    def price(
        self, lengths: Floats, reduced: Floats, trees: Trees, *, pivots: int, until: float
    ) -> Prices:
        """Walk the trees, several at a time where they are compiled: `spanning_trees.price`."""
        return price(lengths, reduced, trees, pivots=pivots, until=until, compiled=self.compiled)

    def lifted(
        self, scaled: Floats, costs: Floats, multipliers: Floats, parents: Whole, signs: Whole
    ) -> tuple[Floats, Floats]:
        """Feasible multipliers and their flows: `tree_flows.lifted`."""
        return lifted(scaled, costs, multipliers, parents, signs, compiled=self.compiled)

    def mixture(
        self, A: Floats, q: Floats, gap: float, weights: Floats, multipliers: Floats
    ) -> Mixture:
        """Mix the columns: `master_program.mixture`."""
        return mixture(A, q, gap, weights, multipliers)

    def balanced(self, A: Floats, x: Floats) -> Floats:
        """Bring the rows to sums of 1: `master_program.balanced`."""
        return balanced(A, x)


Machine = Processor | Card  # the four steps of a round that cost time; arrays are NumPy's outside


def processor(entries: int, compiled: bool | None) -> Processor:
    """The processor, with compiled walks where they are asked for, or installed and worthwhile."""
    installed = find_spec("numba") is not None
    if compiled and not installed:
        raise MissingExtra(
            "compiled pivots need numba; install it with pip install 'dprivacy[fast]', or leave "
            "`compiled` out"
        )
    worthwhile = installed and entries >= _WORTH_COMPILING
    return Processor(worthwhile if compiled is None else compiled)


_WORTH_COMPILING = 400  # entries of the costs below which NumPy is quicker than loading numba


def require_device(device: str) -> None:
    """Refuse a device that is neither "cpu" nor "gpu", and "gpu" where none can be used."""
    if device not in DEVICES:
        raise UnknownName.among("device", device, DEVICES)
    if device == "gpu":
        require_card()
