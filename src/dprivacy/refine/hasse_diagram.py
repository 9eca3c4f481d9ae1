"""A set of channels in order of safety: classes of equals, and who stands directly above whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprivacy.errors import NotApplicable, WrongShape
from dprivacy.model import Answer, Pictured
from dprivacy.refine.deciding.refinement_verdicts import Refinement
from dprivacy.refine.refinement import refines, require_order
from dprivacy.typing import ChannelLike, Order as By, SpaceLike

Pair = tuple[str, str]


@dataclass(frozen=True)
class Order(Pictured, Answer):
    """Channels by one refinement order.

    `classes` are the names of channels that refine each other. An edge (a, b) joins the first names of
    two classes: a ⊑ b, and nothing lies between. `verdicts` has every ordered pair; `undecided` those
    that floats left open, which count as not in order.

    Examples
    --------
    >>> found = order({"coin": [["3/4", "1/4"], ["1/4", "3/4"]], "fair": [["1/2", "1/2"]] * 2})
    >>> found.edges, found.below("fair")
    ((('coin', 'fair'),), ('coin',))
    >>> found.levels()
    [[('coin',)], [('fair',)]]
    """

    by: str
    classes: tuple[tuple[str, ...], ...]
    edges: tuple[Pair, ...]
    verdicts: Mapping[Pair, Refinement]
    undecided: tuple[Pair, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether all comparisons were exact."""
        return all(verdict.exact for verdict in self.verdicts.values())

    def below(self, name: str) -> tuple[str, ...]:
        """The channels that are directly less safe."""
        first = next(group[0] for group in self.classes if name in group)
        return tuple(a for a, b in self.edges if b == first)

    def levels(self) -> list[list[tuple[str, ...]]]:
        """Classes by the longest chain below them; the least safe come first."""
        height = {group[0]: 0 for group in self.classes}
        for _ in self.classes:
            for a, b in self.edges:
                height[b] = max(height[b], height[a] + 1)
        deepest = max(height.values(), default=0)
        return [
            [group for group in self.classes if height[group[0]] == level]
            for level in range(deepest + 1)
        ]

    def explain(self) -> str:
        """The order as text: who is safer than whom; what no chain of these joins is not comparable."""
        names = {group[0]: " = ".join(group) for group in self.classes}
        joined = {name for edge in self.edges for name in edge}
        lines = [f"By {self.by} refinement:"]
        for first, *_ in (group for level in reversed(self.levels()) for group in level):
            if under := ", ".join(names[a] for a in self.below(first)):
                lines.append(f"  {names[first]} is safer than {under}")
            elif first not in joined:
                others = ", comparable with none of the others" if len(names) > 1 else ""
                lines.append(f"  {names[first]}{others}")
        if self.undecided:
            pairs = ", ".join(f"{a} ⊑ {b}" for a, b in self.undecided)
            lines.append(f"Undecided: {pairs}.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Classes, edges and open pairs as plain data."""
        return self._told("by", "classes", "edges", "undecided", "exact")


def order(
    channels: Mapping[str, ChannelLike] | Sequence[ChannelLike],
    *,
    by: By = "average",
    space: SpaceLike | None = None,
) -> Order:
    """The Hasse diagram of a set of channels under one refinement order.

    Parameters
    ----------
    channels
        Names and channels, or a list (then they are called C1, C2, …).
    by
        "average", "max" or "private".
    space
        With "private": one metric instead of all.

    Notes
    -----
    1. Every ordered pair is compared, with its witness.
    2. Channels that refine each other form a class.
    3. An edge between classes is kept if no third class lies between (transitive reduction).

    Examples
    --------
    >>> coins = {f"1/{k}": [[1 - 1 / k, 1 / k], [1 / k, 1 - 1 / k]] for k in (2, 4, 8)}
    >>> print(order(coins))
    By average refinement:
      1/2 is safer than 1/4
      1/4 is safer than 1/8
    """
    require_order(by)
    if space is not None and by != "private":
        raise NotApplicable(f'a space is compared on with by="private", not with by={by!r}')
    named = (
        dict(channels)
        if isinstance(channels, Mapping)
        else {f"C{k + 1}": channel for k, channel in enumerate(channels)}
    )
    if not named:
        raise WrongShape(f"an order needs at least one channel, not {channels!r}")
    verdicts = {
        (a, b): refines(named[a], named[b], space, by=by, names=(a, b))
        for a in named
        for b in named
        if a != b
    }
    classes: list[list[str]] = []
    for name in named:
        for group in classes:
            if verdicts[name, group[0]] and verdicts[group[0], name]:
                group.append(name)
                break
        else:
            classes.append([name])
    heads = [group[0] for group in classes]
    above = {(a, b) for a in heads for b in heads if a != b and verdicts[a, b]}
    edges = [
        (a, b)
        for a, b in sorted(above, key=lambda edge: (heads.index(edge[0]), heads.index(edge[1])))
        if not any((a, c) in above and (c, b) in above for c in heads)
    ]
    undecided = tuple(pair for pair, verdict in verdicts.items() if verdict.holds is None)
    return Order(by, tuple(map(tuple, classes)), tuple(edges), verdicts, undecided)
