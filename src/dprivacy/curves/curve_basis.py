"""What a curve is made of: the rows of a basis, in whole numbers.

A basis is public. Its rows are nearly orthonormal vectors times 2^14, rounded to whole numbers, so that
a curve in whole steps has coefficients that are whole numbers too; how far the rounded rows are from
orthonormal is bounded exactly, and the noise makes up for it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dprivacy.curves.curve_readings import CurvesLike, Ints, read_curves
from dprivacy.errors import BadNumber, UnknownName, WrongShape
from dprivacy.mechanisms import whole
from dprivacy.numbers import Floats, Sealed

SCALE = 1 << 14
NAMES = ("cosine", "fourier", "steps", "readings")


@dataclass(frozen=True, eq=False)
class Basis(Sealed):
    """Rows of whole numbers, the first the most important; SCALE stands for 1.

    Attributes
    ----------
    name
        How it was made.
    rows
        One basis vector a row, times SCALE.

    Examples
    --------
    >>> basis = make_basis("cosine", 24, 5)
    >>> basis.size, basis.times, basis.stretch_squared >= SCALE**2
    (5, 24, True)
    >>> basis.first(2).size, basis.back.shape, basis.widest // SCALE
    (2, (24, 5), 4)
    >>> basis.coefficients(np.ones((1, 24), dtype=np.int64)).shape
    (1, 5)
    """

    name: str
    rows: Ints

    @property
    def size(self) -> int:
        """How many vectors."""
        return len(self.rows)

    @property
    def times(self) -> int:
        """How many readings a curve has."""
        return int(self.rows.shape[1])

    def first(self, size: int) -> "Basis":
        """The basis of the first few vectors."""
        size = whole(size, "size")
        if size > self.size:
            raise BadNumber(
                f"size should be at most {self.size}, the size of the basis, not {size}"
            )
        return Basis(self.name, self.rows[:size])

    @cached_property
    def stretch_squared(self) -> int:
        """A bound on ‖rows·f‖²/‖f‖², for every f.

        It is the largest eigenvalue of rows·rowsᵀ at most, which no row sum of absolute values is
        below (Gershgorin); the sums are exact.
        """
        gram = self.rows @ self.rows.T
        return int(np.abs(gram).sum(axis=1).max())

    @cached_property
    def widest(self) -> int:
        """The largest sum of absolute values in a row: what one step at every time comes to."""
        return int(np.abs(self.rows).sum(axis=1).max())

    def coefficients(self, steps: Ints) -> Ints:
        """rows·f for every curve f in whole steps: exact."""
        most = self.widest * max(int(np.abs(steps).max(initial=0)), 1)
        if most >= 1 << 62:
            raise BadNumber(
                f"coefficients of up to {most:.1e} do not fit 64 bits; give bounds, or a wider grid"
            )
        return np.asarray(steps @ self.rows.T)

    @cached_property
    def back(self) -> Floats:
        """The matrix that turns coefficients into the curves nearest to them."""
        return np.linalg.pinv(self.rows.astype(np.float64))


def make_basis(basis: Basis | str, times: int, size: int | None = None) -> Basis:
    """A basis by name, a `Basis`, or the principal components of public curves.

    Parameters
    ----------
    basis
        "cosine" (half waves; the usual choice), "fourier" (whole waves, for days that end as they
        began), "steps" (means of the whole, the halves, the quarters …: a Haar basis for any
        number of readings), "readings" (the readings themselves), or a `Basis`, as
        `principal_basis` makes one from public curves.
    times
        How many readings a curve has.
    size
        How many vectors; all of them when omitted.

    Examples
    --------
    >>> make_basis("steps", 4).rows[1].tolist()  # the first half against the second
    [8192, 8192, -8192, -8192]
    """
    if isinstance(basis, Basis):
        if basis.times != times:
            raise WrongShape(
                f"curves should have {basis.times} readings like the basis, not {times}"
            )
        made = basis
    elif basis == "readings":
        made = _rounded("readings", np.eye(times))
    elif basis in ("cosine", "fourier", "steps"):
        rows = {"cosine": _cosines, "fourier": _waves, "steps": _steps}[basis](times)
        made = _rounded(basis, rows)
    else:
        raise UnknownName.among("basis (unless it is a Basis)", basis, NAMES)
    return made if size is None else made.first(size)


def principal_basis(public: CurvesLike) -> Basis:
    """The mean direction and the principal components of *public* curves.

    Components of the secret curves would tell about them: give curves that are already published.

    Parameters
    ----------
    public
        Published curves, one a row.

    Examples
    --------
    >>> basis = principal_basis([[1, 2, 3], [2, 4, 6], [1, 2, 4]])
    >>> basis.name, basis.rows.shape
    ('principal', (3, 3))
    """
    curves = read_curves(public)
    mean = curves.mean(axis=0)
    first = mean / np.linalg.norm(mean) if np.any(mean) else np.full(curves.shape[1], 1.0)
    centred = curves - mean
    rest = centred - np.outer(centred @ first, first)
    _, _, components = np.linalg.svd(rest, full_matrices=False)
    rows, _ = np.linalg.qr(np.vstack([first, components[: curves.shape[1] - 1]]).T)
    return _rounded("principal", rows.T)


def _rounded(name: str, rows: Floats) -> Basis:
    return Basis(name, np.rint(rows * SCALE).astype(np.int64))


def _cosines(n: int) -> Floats:
    """The orthonormal cosine transform (type II)."""
    k, t = np.arange(n)[:, None], np.arange(n)[None, :]
    rows = np.cos(np.pi * k * (2 * t + 1) / (2 * n)) * np.sqrt(2.0 / n)
    rows[0] /= np.sqrt(2.0)
    return np.asarray(rows)


def _waves(n: int) -> Floats:
    """Constant, then cosine and sine of each whole number of waves."""
    angle = 2 * np.pi * np.arange(n) / n
    rows = [np.full(n, 1.0)]
    for k in range(1, n // 2 + 1):
        rows += [np.cos(k * angle), np.sin(k * angle)]
    kept = [row / np.linalg.norm(row) for row in rows if np.linalg.norm(row) > 1e-6]
    return np.array(kept[:n])


def _steps(n: int) -> Floats:
    """The mean, then the difference of the two halves of every piece, larger pieces first."""
    rows = [np.full(n, 1 / np.sqrt(n))]
    pieces = [(0, n)]
    while pieces:
        low, high = pieces.pop(0)
        if high - low < 2:
            continue
        middle = (low + high + 1) // 2
        left, right = middle - low, high - middle
        row = np.zeros(n)
        row[low:middle], row[middle:high] = right, -left
        rows.append(row / np.linalg.norm(row))
        pieces += [(low, middle), (middle, high)]
    return np.array(rows)
