"""How the exponential mechanism moves when its ε is lowered by very little: polynomials in α.

With α = e^(−ε/2) and weights K[x, y] = α^d(x, y), let E be the exponential mechanism and
Q = E⁻¹·∂E/∂α. For β > α the only R with E_α·R = E_β solves ∂R/∂β = R·Q(β). If no entry of Q off the
diagonal is negative between α and β, R is a channel; if one is negative at some α, R has a negative
entry for β just above it. So "lowering ε always refines" is a question of signs between 0 and 1.
Distances are whole numbers here, so that they are signs of polynomials.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.refine.lowering.interval_signs import Polynomial

Table = NDArray[np.int64]


def tree_conditions(distances: Table) -> Iterator[Polynomial]:
    """One polynomial for each vertex x of a tree with unit edges and each neighbour z₀ of it.

    It has the sign of H(z₀→x) − α²·Σ H(x→z) over the other neighbours z, where H(u→v) = 1 + g(u) − g(v)
    and g(u) is the mean distance of the output from u. That is the sign of Q[x, y] for all y behind z₀,
    because K⁻¹ has entries on the edges of a tree only.
    """
    from flint import fmpz_poly

    x_ = fmpz_poly([0, 1])
    sums = [fmpz_poly(np.bincount(row).tolist()) for row in distances]
    near = [np.flatnonzero(row == 1).tolist() for row in distances]
    done = set()
    for x, around in enumerate(near):
        for towards in around:
            others = sorted(str(sums[z]) for z in around if z != towards)
            key = (str(sums[x]), str(sums[towards]), *others)
            if key in done:
                continue
            done.add(key)
            count: dict[str, tuple[Any, int]] = {}
            for z in around:
                if z != towards:
                    count[str(sums[z])] = (sums[z], count.get(str(sums[z]), (None, 0))[1] + 1)
            rest = math.prod((s for s, _ in count.values()), start=sums[towards])
            full, at_x = sums[x] * rest, x_ * sums[x].derivative() * rest
            value = full + x_ * sums[towards].derivative() * (full // sums[towards]) - at_x
            for s, times in count.values():
                value -= times * x_ * x_ * (full + at_x - x_ * s.derivative() * (full // s))
            yield value


def entry_conditions(distances: Table) -> tuple[Polynomial, list[Polynomial]]:
    """det K, and for each two points the polynomial with the sign of Q[x, y]·det K.

    Notes
    -----
    α·Q[x, y] = Σ_z K⁻¹[x, z]·K[z, y]·(d(z, y) − g(z)) with g(z) = α·s′(z)/s(z), s the sums of the rows
    of K. Times det K and each different s it is a polynomial with integer coefficients, at most
    2·n!·D·nᵏ in all (D the diameter, k different sums). At α = 2^B with B bits more than that, its
    value is an integer whose digits are the coefficients.
    """
    from flint import fmpz, fmpz_mat

    n, far = len(distances), int(distances.max())
    sums = [np.bincount(row, minlength=far + 1).tolist() for row in distances]
    different = sorted({tuple(s) for s in sums})
    bits = (2 * math.factorial(n) * max(far, 1) * n ** len(different)).bit_length() + 2
    power = [fmpz(1) << (bits * d) for d in range(far + 1)]
    K = fmpz_mat([[power[d] for d in row] for row in distances.tolist()])
    det = K.det()
    inverse: Any = K.inv()
    adjugate = (inverse * det).numer_denom()[0]
    value = {s: sum((c * power[d] for d, c in enumerate(s)), fmpz(0)) for s in different}
    slope = {s: sum((c * d * power[d] for d, c in enumerate(s)), fmpz(0)) for s in different}
    product = math.prod(value.values(), start=fmpz(1))
    means = [slope[tuple(s)] * (product // value[tuple(s)]) for s in sums]
    moved = fmpz_mat(
        [
            [power[d] * (d * product - means[z]) for d in row]
            for z, row in enumerate(distances.tolist())
        ]
    )
    entries = adjugate * moved
    found = {int(entries[x, y]) for x in range(n) for y in range(n) if x != y}
    return _digits(int(det), bits), [_digits(number, bits) for number in sorted(found)]


def _digits(number: int, bits: int) -> Polynomial:
    """The polynomial whose value at 2^bits is the number, coefficients below half of that in size."""
    from flint import fmpz_poly

    coefficients, base = [], 1 << bits
    while number:
        low = number & (base - 1)
        low -= base if low >> (bits - 1) else 0
        coefficients.append(low)
        number = (number - low) >> bits
    return fmpz_poly(coefficients)
