"""Positive circuits of integer vectors, by signs of determinants. Compiled: import it on demand.

A circuit is a set of dependent vectors of which no part is dependent. It is positive when the one
dependency has positive weights only. In rank r, the weights of r + 1 vectors are up to sign the
determinants of r of them, so that the signs of all determinants tell the positive circuits. The minors
of chosen vectors are carried along as the coordinates of their exterior product: adding a vector is one
Laplace expansion, without division. A coordinate stands at the bits of its rows.

A minor is kept twice: modulo 2^64, as the machine's integers are, and as a double that is wrong by at
most `slack` < 2^62. A double beyond the slack has the right sign. Any other stands for a minor below
2^63, which the integer is exactly. Where no minor reaches 2^63, `slack` is 0 and the doubles stay at 0.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dprivacy.numbers import Floats, Whole

Places = NDArray[np.int32]
Minors = tuple[Whole, Floats]
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _compiled(function: _Function) -> _Function:
    """`njit`, typed. Nothing is cached on disk: compiled code is not loaded from a file."""
    dispatcher: _Function = njit(function)
    return dispatcher


@_compiled
def _coordinate(form: Any, vector: Whole, mask: int) -> Any:
    """The coordinate of form ∧ vector at a mask, in the arithmetic of the form."""
    value, sign = 0 * form[0], 1
    for row in range(len(vector) - 1, -1, -1):
        if mask >> row & 1:
            value += sign * form[mask ^ (1 << row)] * vector[row]
            sign = -sign
    return value


@_compiled
def _sign(value: int, rough: float, slack: float) -> int:
    """The sign of a minor, from its remainder modulo 2^64 and a double within `slack` of it."""
    if rough > slack or (rough >= -slack and value > 0):
        return 1
    return -1 if rough < -slack or value < 0 else 0


@_compiled
def _extend(forms: Minors, k: int, vector: Whole, masks: Whole, slack: float) -> int:
    """Form k ∧ vector at the given masks, as form k + 1; a mask where it is not 0, or 0 if it is."""
    whole, rough = forms
    somewhere = 0
    for mask in masks:
        whole[k + 1, mask] = _coordinate(whole[k], vector, mask)
        if slack > 0:
            rough[k + 1, mask] = _coordinate(rough[k], vector, mask)
        if _sign(whole[k + 1, mask], rough[k + 1, mask], slack) != 0:
            somewhere = mask
    return somewhere


@_compiled
def _closes(
    chosen: Whole, size: int, vectors: Whole, rows: int, forms: Minors, minors: Minors, slack: float
) -> bool:
    """Whether chosen[size], which depends on the vectors before it, makes a positive circuit with them.

    By Cramer's rule on rows where those vectors have a minor other than 0: each weight, that minor with
    one vector replaced by the last, must have the other sign.
    """
    whole, rough = minors
    whole[0, 0], rough[0, 0] = 1, 1
    needed = -_sign(forms[0][size, rows], forms[1][size, rows], slack)
    for replaced in range(size):
        mask = -rows & rows
        while mask:
            bits = 0
            for row in range(vectors.shape[1]):
                bits += mask >> row & 1
            vector = vectors[chosen[size if bits - 1 == replaced else bits - 1]]
            whole[0, mask] = _coordinate(whole[0], vector, mask)
            if slack > 0:
                rough[0, mask] = _coordinate(rough[0], vector, mask)
            mask = (mask - rows) & rows  # the next larger subset of the rows, and 0 after the last
        if _sign(whole[0, rows], rough[0, rows], slack) != needed:
            return False
    return True


@_compiled
def _forms(vectors: Whole, first: int) -> Minors:
    """Room for forms of every degree; that of degree 1 is a vector."""
    rank = vectors.shape[1]
    whole = np.zeros((rank + 1, 1 << rank), np.int64)
    rough = np.zeros((rank + 1, 1 << rank), np.float64)
    for row in range(rank):
        whole[1, 1 << row] = rough[1, 1 << row] = vectors[first, row]
    return whole, rough


@_compiled
def _row(chosen: Whole, left_out: int, rank: int, count: int, choose: Whole) -> int:
    """The row of the table for chosen[0..rank−2] without one (0: none) and with 0 in the last place.

    Rows are in lexicographic order of the vectors after the first, so that a last vector in place
    chosen[0] + 1 + x stands x rows further on.
    """
    free = count - 1 - chosen[0]
    row: int = choose[free, rank - 2] - 1
    at = rank - 2
    for place in range(1, rank - 1):
        if place != left_out:
            row -= choose[free - (chosen[place] - chosen[0]), at]
            at -= 1
    return row - (free - 1) if left_out else row


@_compiled
def fill(
    first: int, vectors: Whole, slack: float, masks: Whole, choose: Whole, table: Whole
) -> None:
    """For every r − 1 independent vectors, the first given: on which side of them later ones lie.

    table[row, 0] and table[row, 1] hold the bits of the vectors with positive and negative
    determinant. `masks` lists the masks of k rows in row k.
    """
    count, rank = vectors.shape
    table[:] = 0
    forms = _forms(vectors, first)
    chosen = np.zeros(rank + 1, np.int64)
    upcoming = np.zeros(rank + 1, np.int64)
    chosen[0], upcoming[1] = first, first + 1
    k, full = 1, (1 << rank) - 1
    while k >= 1:
        if k == rank - 1:
            at = _row(chosen, 0, rank, count, choose)
            for j in range(chosen[k - 1] + 1, count):
                _extend(forms, k, vectors[j], masks[rank, :1], slack)
                sign = _sign(forms[0][rank, full], forms[1][rank, full], slack)
                if sign > 0:
                    table[at, 0, j >> 6] |= 1 << (j & 63)
                elif sign < 0:
                    table[at, 1, j >> 6] |= 1 << (j & 63)
            k -= 1
            continue
        j = upcoming[k]
        if j >= count:
            k -= 1
            continue
        upcoming[k] += 1
        if _extend(forms, k, vectors[j], masks[k + 1, : choose[rank, k + 1]], slack):
            chosen[k] = j
            k += 1
            upcoming[k] = j + 1


@_compiled
def search(
    first: int,
    second: int,
    vectors: Whole,
    slack: float,
    masks: Whole,
    choose: Whole,
    table: Whole,
    found: Places,
    sizes: Places,
) -> int:
    """How many positive circuits begin with two vectors; the first `len(found)` are written down.

    1. Independent vectors are extended one at a time, in order. A vector that depends on them may close
       a circuit of lower rank (`_closes`).
    2. For a basis S = (s_1, …, s_r) and a later vector j, all weights are positive when the sign of
       det(S without s_i, j) is −(−1)^(r−i) times that of det S, for every i. For i ≥ 2 the table has
       these signs for all j at once, and one conjunction of bits leaves the candidates.
    3. The sign for i = 1, which the table of `first` lacks, is computed for the candidates alone.
    """
    count, rank = vectors.shape
    words = table.shape[2]
    forms = _forms(vectors, first)
    others = _forms(vectors, second)  # the same without the first vector
    minors = _forms(vectors, first)
    chosen = np.zeros(rank + 1, np.int64)
    upcoming = np.zeros(rank + 1, np.int64)
    pivot = np.zeros(rank + 1, np.int64)  # rows on which the chosen have a minor other than 0
    rows = np.zeros(rank, np.int64)
    chosen[0], chosen[1] = first, second
    for row in range(rank):
        if vectors[first, row] != 0:
            pivot[1] = 1 << row
    total, k, full = 0, 1, (1 << rank) - 1
    pivot[2] = _extend(forms, 1, vectors[second], masks[2, : choose[rank, 2]], slack)
    if pivot[2]:
        k, upcoming[2] = 2, second + 1
    elif _closes(chosen, 1, vectors, pivot[1], forms, minors, slack):
        total = _write(chosen, 2, found, sizes, total)
    while k >= 2:
        if k < rank - 1:
            j = upcoming[k]
            if j >= count:
                k -= 1
                continue
            upcoming[k] += 1
            chosen[k] = j
            wider = masks[k + 1, : choose[rank, k + 1]]
            pivot[k + 1] = _extend(forms, k, vectors[j], wider, slack)
            if pivot[k + 1]:
                _extend(others, k - 1, vectors[j], masks[k, : choose[rank, k]], slack)
                k += 1
                upcoming[k] = j + 1
            elif _closes(chosen, k, vectors, pivot[k], forms, minors, slack):
                total = _write(chosen, k + 1, found, sizes, total)
            continue
        here = _row(chosen, 0, rank, count, choose)
        for i in range(1, rank - 1):
            rows[i] = _row(chosen, i, rank, count, choose) - first - 1
        for s in range(chosen[rank - 2] + 1, count):
            chosen[rank - 1] = s
            if table[here, 0, s >> 6] >> (s & 63) & 1:
                negative = 0
            elif table[here, 1, s >> 6] >> (s & 63) & 1:
                negative = 1
            else:
                on = pivot[rank - 1]
                if _closes(chosen, rank - 1, vectors, on, forms, minors, slack):
                    total = _write(chosen, rank, found, sizes, total)
                continue
            known = False
            for word in range(words):
                bits = table[here, 1 - negative, word]
                for i in range(rank - 2, 0, -1):
                    bits &= table[rows[i] + s, (rank - i + negative) & 1, word]
                if bits == 0:
                    continue
                if not known:
                    _extend(others, rank - 2, vectors[s], masks[rank - 1, :rank], slack)
                    known = True
                for j in range(max(s + 1, 64 * word), min(count, 64 * word + 64)):
                    if bits >> (j & 63) & 1:
                        _extend(others, rank - 1, vectors[j], masks[rank, :1], slack)
                        sign = _sign(others[0][rank, full], others[1][rank, full], slack)
                        if sign == (-1 if (rank + negative) & 1 else 1):
                            chosen[rank] = j
                            total = _write(chosen, rank + 1, found, sizes, total)
        k -= 1
    return total


@_compiled
def _write(chosen: Whole, size: int, found: Places, sizes: Places, total: int) -> int:
    if total < len(found):
        for place in range(size):
            found[total, place] = chosen[place]
        sizes[total] = size
    return total + 1
