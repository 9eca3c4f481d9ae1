"""Where the column generation does its heavy arithmetic: on the processor, or on a graphics card."""

from dataclasses import dataclass
from importlib.util import find_spec

from dprivacy.design.master.graphics_card import Card, require_card
from dprivacy.design.master.master_program import Mixture, balanced, mixture
from dprivacy.design.trees.spanning_trees import Prices, Trees, price
from dprivacy.design.trees.tree_flows import lifted
from dprivacy.errors import MissingExtra, UnknownName
from dprivacy.numbers import Floats, Whole

DEVICES = ("cpu", "gpu")


@dataclass(frozen=True)
class Machine:
    """The four steps of a round that cost time; arrays are NumPy's outside.

    NumPy and SciPy do them, with walks that numba compiles where `compiled` says so, and a card for the
    master program where there is one.
    """

    compiled: bool
    card: Card | None = None

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
        card = self._card(A)
        return (card.mixture if card else mixture)(A, q, gap, weights, multipliers)

    def balanced(self, A: Floats, x: Floats) -> Floats:
        """Bring the rows to sums of 1: `master_program.balanced`."""
        card = self._card(A)
        return (card.balanced if card else balanced)(A, x)

    def _card(self, A: Floats) -> Card | None:
        """The card, where there is one and the columns are many enough for it."""
        return self.card if len(A) >= _WORTH_CARD else None


def machine(entries: int, compiled: bool | None, device: str) -> Machine:
    """The processor, with compiled walks where they are asked for, or installed and worthwhile.

    With "gpu" a card does the master program, which is nearly all of the work for many secrets.
    """
    require_device(device)
    installed = find_spec("numba") is not None
    if compiled and not installed:
        raise MissingExtra(
            "compiled pivots need numba; install it with pip install 'dprivacy[fast]', or leave "
            "`compiled` out"
        )
    worthwhile = installed and entries >= _WORTH_COMPILING
    card = Card() if device == "gpu" else None
    return Machine(worthwhile if compiled is None else compiled, card)


_WORTH_COMPILING = 400  # entries of the costs below which NumPy is quicker than loading numba
_WORTH_CARD = 300  # rows below which the processor mixes sooner than a card


def require_device(device: str) -> None:
    """Refuse a device that is neither "cpu" nor "gpu", and "gpu" where none can be used."""
    if device not in DEVICES:
        raise UnknownName.among("device", device, DEVICES)
    if device == "gpu":
        require_card()
