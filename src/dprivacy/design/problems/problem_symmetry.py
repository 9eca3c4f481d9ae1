"""Permutations of secrets and outputs that leave the problem as it is, and what they save.

When distances and costs look the same from (g(x), h(y)) as from (x, y), some optimal channel does too.
One column for each orbit of outputs and one multiplier for each orbit of secrets are then enough.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Floats, Whole

Numbers = TypeVar("Numbers", Whole, Floats)

_SAME = 1e-12  # of the largest entry: distances and costs nearer than this count as equal
_TRIES = (
    2_000  # partial maps looked at before a generator is given up: what is left is still a group
)


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A group of pairs of permutations, g of the secrets and h of the outputs, by its generators.

    Attributes
    ----------
    secrets
        k × n; generator i sends secret x to ``secrets[i, x]``.
    outputs
        k × m; generator i sends output y to ``outputs[i, y]``.
    """

    secrets: Whole
    outputs: Whole

    @cached_property
    def orbit(self) -> Whole:
        """The number of each secret's orbit."""
        return _joined(np.arange(self.secrets.shape[1]), self.secrets)

    @cached_property
    def sizes(self) -> Floats:
        """How many secrets each orbit has."""
        return np.bincount(self.orbit).astype(np.float64)

    @cached_property
    def outputs_orbit(self) -> Whole:
        """The number of each output's orbit."""
        return _joined(np.arange(self.outputs.shape[1]), self.outputs)

    @cached_property
    def representatives(self) -> Whole:
        """The first output of each orbit of outputs."""
        return np.unique(self.outputs_orbit, return_index=True)[1].astype(np.int64)

    @cached_property
    def multiplicities(self) -> Floats:
        """How many outputs each representative stands for."""
        return np.bincount(self.outputs_orbit).astype(np.float64)

    @cached_property
    def movers(self) -> Whole:
        """For every output the g of some (g, h) that brings its representative there (m × n)."""
        n, m = self.secrets.shape[1], self.outputs.shape[1]
        movers = np.full((m, n), -1, dtype=np.int64)
        movers[self.representatives] = np.arange(n)
        waiting = self.representatives.tolist()
        while waiting:
            y = waiting.pop()
            for g, h in zip(self.secrets, self.outputs, strict=True):
                image = int(h[y])
                if movers[image, 0] < 0:
                    movers[image] = g[movers[y]]
                    waiting.append(image)
        return movers

    @cached_property
    def stable(self) -> Whole:
        """For every representative the orbits of the secrets under what keeps that output in place.

        By Schreier's lemma: go to y, take a generator, come back from where it leads.
        """
        n = self.secrets.shape[1]
        back = np.argsort(self.movers, axis=1)
        number = np.tile(np.arange(n), (len(self.representatives), 1))
        for g, h in zip(self.secrets, self.outputs, strict=True):
            for y, which in enumerate(self.outputs_orbit.tolist()):
                loop = back[h[y]][g[self.movers[y]]]
                if (number[which][loop] != number[which]).any():
                    number[which] = _joined(number[which], loop[None, :])
        return number

    def averages(self, rays: Floats) -> Floats:
        """The mean of each row over each orbit of secrets (orbits × rows)."""
        if len(self.sizes) == len(self.orbit):
            return np.ascontiguousarray(rays.T)
        sums = np.zeros((len(self.sizes), len(rays)))
        np.add.at(sums, self.orbit, rays.T)
        return sums / self.sizes[:, None]

    def channel(self, columns: Floats) -> Floats:
        """The channel (n × m) that has these columns (representatives × n) at all their images.

        A column is first averaged over what keeps its output in place.
        """
        even = np.empty_like(columns)
        for which, number in enumerate(self.stable):
            mean = np.bincount(number, columns[which]) / np.maximum(np.bincount(number), 1)
            even[which] = mean[number]
        channel = np.empty((columns.shape[1], len(self.outputs_orbit)))
        for y, which in enumerate(self.outputs_orbit.tolist()):
            channel[self.movers[y], y] = even[which]
        return channel

    def images(self, table: Numbers) -> Numbers:
        """A table (representatives × n) carried along to all outputs (m × n)."""
        spread = np.empty((len(self.outputs_orbit), table.shape[1]), dtype=table.dtype)
        np.put_along_axis(spread, self.movers, table[self.outputs_orbit], axis=1)
        return spread

    def moved(self, parents: Whole) -> Whole:
        """A table whose entries are secrets, or −1, carried along: its entries move, too."""
        rows = parents[self.outputs_orbit]
        there = np.take_along_axis(self.movers, np.maximum(rows, 0), axis=1)
        spread = np.empty_like(there)
        np.put_along_axis(spread, self.movers, np.where(rows >= 0, there, -1), axis=1)
        return spread


def alone(n: int, m: int) -> Symmetry:
    """The group that has only the identity."""
    return Symmetry(np.empty((0, n), dtype=np.int64), np.empty((0, m), dtype=np.int64))


def find_symmetry(scaled: Floats, costs: Floats) -> Symmetry | None:
    """Permutations that keep distances and costs, or None where only the identity does.

    Parameters
    ----------
    scaled
        n × n distances.
    costs
        n × m; what is kept is costs(g(x), h(y)) = costs(x, y), for some permutation h of the outputs.

    Notes
    -----
    1. Colour the secrets by what a symmetry keeps: the distances from a secret, and its costs, sorted.
    2. Choose a base: points until all secrets differ in colour or in a distance to the base.
    3. From the last point of the base to the first: keep the points before it in place, and look for
       one symmetry to each point that no generator so far brings it to. The images of the base decide
       where every other secret goes; distances and costs are then compared in full.

    A search that is given up makes the group smaller, never wrong. Cost: O(n²·log n), and O(n² + n·m)
    for each map that is compared in full.

    Example
    -------
    >>> import numpy as np
    >>> distance = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    >>> find_symmetry(distance, distance).secrets
    array([[2, 1, 0]])
    """
    if _all_told_apart(costs):
        return None
    far, cost = _classes(scaled), _classes(costs)
    colour = _rows(np.column_stack([np.sort(far, axis=1), np.sort(cost, axis=1)]))
    base = _base(far, colour)
    secrets: list[Whole] = []
    outputs: list[Whole] = []
    for level in range(len(base) - 1, -1, -1):
        at = base[level]
        reached = np.arange(len(far))
        for g in secrets:
            reached = _joined(reached, g[None, :])
        fits = _fitting(far, colour, base[:level], base[:level], at)
        for image in np.nonzero(fits)[0].tolist():
            if reached[image] == reached[at]:
                continue
            found = _extended(far, cost, colour, base, [*base[:level], image])
            if found is not None:
                secrets.append(found[0])
                outputs.append(found[1])
                reached = _joined(reached, found[0][None, :])
    return Symmetry(np.array(secrets), np.array(outputs)) if secrets else None


def _all_told_apart(costs: Floats) -> bool:
    """Whether the sums of the costs differ already, so that no secret can go to another's place.

    It takes one pass where the colours take several sorts of the whole table.
    """
    sums = np.sort(costs.sum(axis=1))
    apart = _SAME * costs.shape[1] * float(np.abs(costs).max(initial=0.0))
    return bool((np.diff(sums) > apart).all())


def _classes(values: Floats) -> Whole:
    """Equal numbers for equal entries, up to rounding."""
    flat, back = np.unique(values, return_inverse=True)
    finite = flat[np.isfinite(flat)]
    apart = _SAME * float(np.abs(finite).max()) if len(finite) else 0.0
    number = np.concatenate([[0], np.cumsum(np.diff(flat) > apart)])
    return number[back].reshape(values.shape).astype(np.int64)


def _rows(table: Whole) -> Whole:
    """Equal numbers for equal rows."""
    return np.unique(table, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _joined(number: Whole, moves: Whole) -> Whole:
    """The finest numbering, coarser than `number`, in which x and its images share a number."""
    number = np.unique(number, return_inverse=True)[1]
    for move in moves:
        while True:
            least = np.full(int(number.max()) + 1, len(number))
            np.minimum.at(least, number, number[move])
            np.minimum.at(least, number[move], number)
            least = np.minimum(least, np.arange(len(least)))
            while (least[least] != least).any():
                least = least[least]
            if (least == np.arange(len(least))).all():
                break
            number = np.unique(least[number], return_inverse=True)[1]
    return number.astype(np.int64)


def _base(far: Whole, colour: Whole) -> list[int]:
    """Points whose distances tell all others apart, beginning where there is least choice."""
    base: list[int] = []
    classes = colour
    while True:
        counts = np.bincount(classes)[classes]
        shared = np.nonzero(counts > 1)[0]
        if not len(shared):
            return base
        at = int(shared[np.argmin(counts[shared])])
        base.append(at)
        classes = _rows(np.column_stack([classes, far[:, at], np.arange(len(far)) == at]))


def _fitting(
    far: Whole, colour: Whole, base: list[int], images: list[int], at: int
) -> NDArray[np.bool_]:
    """The points that `at` may go to when the base goes to these images."""
    fits: NDArray[np.bool_] = (far[:, images] == far[at, base]).all(axis=1)
    fits &= colour == colour[at]
    fits[images] = False
    return fits


def _extended(
    far: Whole, cost: Whole, colour: Whole, base: list[int], images: list[int]
) -> tuple[Whole, Whole] | None:
    """A symmetry that sends the first points of the base to these images, if one is found."""
    waiting = [images]
    for _ in range(_TRIES):
        if not waiting:
            return None
        images = waiting.pop()
        if len(images) == len(base):
            found = _completed(far, cost, colour, base, images)
            if found is not None:
                return found
            continue
        at = base[len(images)]
        fits = _fitting(far, colour, base[: len(images)], images, at)
        options = np.nonzero(fits)[0].tolist()
        options.sort(key=lambda option: option == at)  # the stack gives the last one first
        waiting.extend([*images, option] for option in options)
    return None


def _completed(
    far: Whole, cost: Whole, colour: Whole, base: list[int], images: list[int]
) -> tuple[Whole, Whole] | None:
    """The symmetry that sends the base to these images, if there is one."""
    n = len(far)
    on_base = np.arange(n)[:, None] == np.array(base)
    on_images = np.arange(n)[:, None] == np.array(images)
    ours = np.column_stack([colour, far[:, base], on_base])
    theirs = np.column_stack([colour, far[:, images], on_images])
    order, target = np.lexsort(ours.T), np.lexsort(theirs.T)
    if not np.array_equal(ours[order], theirs[target]):
        return None
    g = np.empty(n, dtype=np.int64)
    g[order] = target
    if not np.array_equal(far[np.ix_(g, g)], far):
        return None
    moved = np.empty_like(cost)
    moved[g] = cost
    order, target = np.lexsort(moved), np.lexsort(cost)
    if not np.array_equal(moved[:, order], cost[:, target]):
        return None
    h = np.empty(cost.shape[1], dtype=np.int64)
    h[order] = target
    return g, h
