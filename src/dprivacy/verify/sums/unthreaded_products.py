"""Products of arrays in blocks that are too short for threads, which would only wait for each other.

OpenBLAS divides a scalar product of more than 10,000 numbers between all cores. At these lengths that
gains nothing on an idle machine, and on a busy one every product waits for the slowest.
"""

import numpy as np

from dprivacy.numbers import Floats

BLOCK = 8192  # numbers of one product


def scalar_product(one: Floats, other: Floats) -> float:
    """Σ one[i]·other[i].

    Examples
    --------
    >>> scalar_product(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    blocks = range(0, len(one), BLOCK)
    return sum((float(np.dot(one[i : i + BLOCK], other[i : i + BLOCK])) for i in blocks), 0.0)


def convolution(one: Floats, other: Floats) -> Floats:
    """What `np.convolve` gives: at i the sum of one[j]·other[i − j].

    Examples
    --------
    >>> convolution(np.array([1.0, 2.0]), np.array([3.0, 4.0])).tolist()
    [3.0, 10.0, 8.0]
    """
    short, long = sorted((one, other), key=len)
    if len(short) <= BLOCK:
        return np.convolve(long, short)
    found = np.zeros(len(one) + len(other) - 1)
    for i in range(0, len(short), BLOCK):
        part = np.convolve(long, short[i : i + BLOCK])
        found[i : i + len(part)] += part
    return found
