"""Arithmetic in the field of q elements, by tables; q is a prime power of at most 256."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber

Elements = NDArray[np.uint8]
LARGEST = 256


class FiniteField:
    """GF(q): an element is a number below q, whose digits in base p are a polynomial's coefficients.

    The field is derived from q alone and never read from a file: products are taken modulo
    z^e − f(z), where f is the first polynomial, by its number, that makes every non-zero element
    invertible.

    Examples
    --------
    >>> nine = FiniteField(9)
    >>> nine.p, nine.e, int(nine.times[3, nine.inverse[3]])
    (3, 2, 1)
    """

    def __init__(self, q: int) -> None:
        self.q = q
        self.p, self.e = prime_power(q)
        digits = np.array([self._digits(x) for x in range(q)])
        powers = self.p ** np.arange(self.e)
        sums = (digits[:, None, :] + digits[None, :, :]) % self.p
        self.plus: Elements = (sums @ powers).astype(np.uint8)
        self.times: Elements = self._products()
        self.minus: Elements = ((-digits % self.p) @ powers).astype(np.uint8)
        self.inverse: Elements = (self.times == 1).argmax(axis=1).astype(np.uint8)  # of 0: 0

    def _digits(self, x: int) -> list[int]:
        return [x // self.p**i % self.p for i in range(self.e)]

    def _products(self) -> Elements:
        q, p = self.q, self.p
        if self.e == 1:
            return (np.outer(np.arange(p), np.arange(p)) % p).astype(np.uint8)
        digits = np.array([self._digits(x) for x in range(q)])
        for modulus in digits:
            table = self._table(digits, modulus)
            if (table[1:] == 1).any(axis=1).all():
                return table
        raise AssertionError("there is a field of every prime power")

    def _table(self, digits: NDArray[np.int64], modulus: NDArray[np.int64]) -> Elements:
        """All products modulo z^e − modulus: x·y is the sum of the y_j·z^j·x."""
        p, e = self.p, self.e
        shifted, total = digits, np.zeros((self.q, self.q, e), dtype=np.int64)
        for j in range(e):
            total += shifted[:, None, :] * digits[None, :, j, None]
            top = shifted[:, -1:]
            moved = np.concatenate([np.zeros_like(top), shifted[:, :-1]], axis=1)
            shifted = (moved + top * modulus) % p
        return ((total % p) @ (p ** np.arange(e))).astype(np.uint8)

    def trace(self, x: int) -> int:
        """x + x^p + … + x^(p^(e−1)), which lies in the prime field."""
        total = power = x
        for _ in range(self.e - 1):
            raised = power
            for _ in range(self.p - 1):
                raised = int(self.times[raised, power])
            power = raised
            total = int(self.plus[total, power])
        return total

    def dual_digits(self) -> NDArray[np.int64]:
        """For each x the number whose digits are Tr(x·z^j): where x stands among the characters.

        The character of x takes y to a p-th root of unity, with exponent Tr(x·y) = Σ_j Tr(x·z^j)·y_j.
        """
        p, e = self.p, self.e
        basis = [p**j for j in range(e)]
        found = [
            sum(self.trace(int(self.times[x, z])) * p**j for j, z in enumerate(basis))
            for x in range(self.q)
        ]
        return np.array(found, dtype=np.int64)

    def dot(self, u: Elements, v: Elements) -> Elements:
        """Σ_j u_j·v_j along the last axis."""
        total: Elements = np.zeros(np.broadcast_shapes(u.shape, v.shape)[:-1], dtype=np.uint8)
        for j in range(u.shape[-1]):
            total = self.plus[total, self.times[u[..., j], v[..., j]]]
        return total


@cache
def field_of(q: int) -> FiniteField:
    """The field of q elements, made once."""
    return FiniteField(q)


def prime_power(q: int) -> tuple[int, int]:
    """p and e with q = p^e; BadNumber where there are none, or q is too large.

    Examples
    --------
    >>> prime_power(27)
    (3, 3)
    """
    if 2 <= q <= LARGEST:
        p = next(i for i in range(2, q + 1) if q % i == 0)
        e = 1
        while p**e < q:
            e += 1
        if p**e == q:
            return p, e
    raise BadNumber(
        f"the order of a field should be a prime power between 2 and {LARGEST}, such as 2, 3, 4, 5, "
        f"7, 8 or 9, not {q}"
    )
