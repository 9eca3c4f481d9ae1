"""Refinement between local mechanisms whose reports are sets of labels: one comparison a set.

Under the uniform prior a report's posterior gives the labels in its set a times the probability of the
others. Every set but the empty one and the full one is then a vertex of the posteriors that ln a
allows, and a vertex is not a mixture of other such posteriors. If B is a post-processing of A, what B
reports as a set can therefore only come from what A reports as that set; and what A has left over
averages to the prior, which is all that the empty and the full set say. So A ⊑ B exactly when every
informative set is at least as probable from A as from B.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

from dprivacy.errors import TooLarge
from dprivacy.model import BlockLaw, about, shown
from dprivacy.refine.deciding.refinement_verdicts import Refinement
from dprivacy.sources import result

Block = frozenset[int]
Blocks = Mapping[Block, Fraction]
_SHOWN = 6
_MOST_SIZES = 4096


@dataclass(frozen=True)
class BlockRefinement(Refinement):
    """A ⊑ B for two local mechanisms on the same labels, at the same ε.

    Where it fails, `block` is a set of labels that B reports with probability `after` and A only with
    `before`, under the uniform prior.

    Examples
    --------
    >>> from dprivacy.mechanisms import subset_response, unary_response
    >>> from dprivacy.refine import refines
    >>> found = refines(subset_response(range(1024), eps=1), unary_response(range(1024), eps=1))
    >>> found.holds, len(found.block)
    (False, 1)
    """

    # Shown in words only: for many labels these numbers have more digits than Python writes.
    block: tuple[Any, ...] | None = field(default=None, repr=False)
    before: Fraction | None = field(default=None, repr=False)
    after: Fraction | None = field(default=None, repr=False)

    def reasons(self) -> list[str]:
        """The set that decides."""
        first, second = self.names
        if self.block is None:
            return [
                f"{first} reports every set of labels at least as often as {second}, if the sets that "
                "say nothing, the empty and the full one, are left aside."
            ]
        some = ", ".join(shown(label) for label in self.block[:_SHOWN])
        more = len(self.block) - _SHOWN
        told = f"{{{some}{f' and {more} more' if more > 0 else ''}}}"
        return [
            f"Under the uniform prior {second} reports the set {told} with probability "
            f"{about(self.after)}, {first} only with {about(self.before)}; and nothing else that "
            f"{first} reports can be turned into it."
        ]


@result("L", "Thm 3")
def refined_by_blocks(
    first: BlockLaw, second: BlockLaw, labels: tuple[Any, ...], names: tuple[str, str]
) -> BlockRefinement:
    """Whether every informative set is at least as probable from the first as from the second."""
    found = _deciding(first, second)
    block, before, after = (None, None, None) if found is None else found
    return BlockRefinement(
        f"{names[0]} ⊑ {names[1]}: {names[1]} is at least as safe as {names[0]}",
        found is None,
        True,
        denial=f"{names[1]} is not at least as safe as {names[0]}",
        names=names,
        block=None if block is None else tuple(labels[z] for z in sorted(block)),
        before=before,
        after=after,
    )


def _deciding(
    first: BlockLaw, second: BlockLaw
) -> tuple[frozenset[int], Fraction, Fraction] | None:
    """A set that the second reports more often, with both probabilities."""
    ours, theirs = _listed(first), _listed(second)
    for block in _candidates(second, ours, theirs):
        if 0 < len(block) < first.labels:
            before, after = _weight(first, ours, block), _weight(second, theirs, block)
            if after > before:
                return block, before, after
    return None


def _listed(law: BlockLaw) -> Blocks | None:
    """The sets of a law and their weights; None where those of a size all weigh the same."""
    if law.sizes() is not None:
        return None
    blocks = law.blocks()
    if blocks is None:
        raise TooLarge(
            "sets of labels are listed to be compared, and these are too many; compare the same "
            "families on fewer labels"
        )
    return blocks


def _candidates(law: BlockLaw, ours: Blocks | None, theirs: Blocks | None) -> Iterable[Block]:
    """Sets among which one decides, if any does."""
    if theirs is not None:
        return theirs
    sizes = law.sizes() or ()
    if ours is None:  # all sets of a size are alike to both
        return (frozenset(range(size)) for size in _ends_first(sizes))
    return (block for size in sizes for block in _of_size(law.labels, size, ours))


def _ends_first(sizes: Sequence[int]) -> Iterator[int]:
    """Sizes so that the extreme ones come first, where most pairs are decided."""
    inner = sizes[2:-2]
    yield from (*sizes[:2], *sizes[-2:]) if inner else sizes
    if len(inner) > _MOST_SIZES:
        raise TooLarge(
            f"sets of {len(inner):,} sizes would have to be compared; compare the same families on "
            "fewer labels"
        )
    yield from inner


def _weight(law: BlockLaw, blocks: Blocks | None, block: Block) -> Fraction:
    """How probable a report of this set is under the uniform prior."""
    weight = law.one_set(len(block)) if blocks is None else blocks.get(block, Fraction(0))
    assert weight is not None
    return weight * law.chance(len(block))


def _of_size(k: int, size: int, known: Mapping[frozenset[int], Fraction]) -> list[frozenset[int]]:
    """The sets of a size that are listed, and one that is not, if there is any."""
    listed = [block for block in known if len(block) == size]
    if len(listed) == comb(k, size):
        return listed
    return [*listed, _missing(k, size, set(listed))]


def _missing(k: int, size: int, listed: set[Block]) -> Block:
    return next(
        block for block in map(frozenset, combinations(range(k), size)) if block not in listed
    )
