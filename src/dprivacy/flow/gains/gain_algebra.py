"""Algebra of gains and losses: every operation says what it does to vulnerability or uncertainty."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from dprivacy.errors import BadNumber, WrongKind, WrongShape
from dprivacy.flow.gains.loss_table import Loss, aligned
from dprivacy.model import Dist, Gain
from dprivacy.numbers import Mat, read_number, read_vector
from dprivacy.sources import result
from dprivacy.spaces import positions, read_labels, require_same_labels
from dprivacy.typing import Label, NumberLike

G = TypeVar("G", bound=Gain)


@result("T", "Eq 6.8", "Eq 6.13", "Property 4")
def scale(gain: G, by: NumberLike) -> G:
    """Every entry times a number a ≥ 0: U_{ℓ·a} = a·U_ℓ, before and after a channel.

    Parameters
    ----------
    gain
        A gain or a loss.
    by
        The number; it may not be negative, which would turn best into worst.

    Examples
    --------
    >>> from dprivacy.flow import gain
    >>> print(gain.scale(gain.identity(["a", "b"]), "1/2")["a", "a"])
    1/2
    """
    factor = read_number(by, "the factor")
    if factor < 0:
        raise BadNumber(f"the factor of a gain or loss should be at least 0, not {by}")
    return gain._like(gain.rows, gain.columns, gain.matrix.scaled(factor))


@result("T", "Eq 6.9", "Eq 6.12", "Property 5", "Property 6", "Property 8")
def shift(gain: G, by: Any) -> G:
    """A number, or a function q of the secret, added: U_{ℓ+q} = U_ℓ + Σ_x π_x·q(x).

    Whatever is added depends on the secret alone, so that no action becomes better or worse.

    Parameters
    ----------
    gain
        A gain or a loss.
    by
        A number (also negative), ``{secret: number}`` or a function of the secret.

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> costly = loss.shift(loss.identity(["a", "b"]), {"a": 0, "b": 5})
    >>> print(costly["a", "b"], costly["a", "a"])
    6 0
    """
    row = _by_secret(by, gain.secrets)
    added = Mat(np.repeat(row.entries, len(gain.rows), axis=0), row.den)
    if row.exact and not gain.exact and row.den == 1:
        added = Mat(added.floats)
    return gain._like(gain.rows, gain.columns, gain.matrix + added)


def _by_secret(by: Any, secrets: tuple[Any, ...]) -> Mat:
    if isinstance(by, Mapping):
        index = positions(list(by))
        missing = [x for x in secrets if x not in index]
        if missing:
            raise WrongShape(f"there should be a number for every secret; {missing[0]!r} has none")
        values: Iterable[Any] = [by[x] for x in secrets]
    elif callable(by):
        values = [by(x) for x in secrets]
    else:
        values = [by] * len(secrets)
    return read_vector(list(values), lambda j: f"secret {secrets[j]!r}")


@result("T", "Eq 6.11", "Eq 6.16", "Property 7")
def combine(first: G, second: G, a: NumberLike = 1, b: NumberLike = 1) -> G:
    """ℓ·a + ℓ'·b on pairs of actions: U_{ℓ·a+ℓ'·b} = a·U_ℓ + b·U_ℓ'.

    Parameters
    ----------
    first, second
        Two gains, or two losses, on the same secrets.
    a, b
        Their weights, not negative.

    Examples
    --------
    >>> from dprivacy.flow import gain
    >>> both = gain.combine(gain.identity(["a", "b"]), gain.identity(["a", "b"]), 1, 2)
    >>> print(both[("a", "b"), "b"])
    2
    """
    if isinstance(first, Loss) != isinstance(second, Loss):
        raise WrongKind(
            f"a gain and a loss do not add up ({first!r} and {second!r}); turn one of them with "
            "`mirror`"
        )
    left = scale(first, a).matrix
    right = scale(second, b)
    other = aligned(right, first.secrets)
    left._require_same(other)
    n, m = left.shape[0], other.shape[0]
    total = Mat(np.repeat(left.entries, m, axis=0), left.den) + Mat(
        np.tile(other.entries, (n, 1)), other.den
    )
    return first._like([(w, v) for w in first.rows for v in second.rows], first.secrets, total)


@result("T", "Lem 6.17")
def weight(gain: G, prior: Dist) -> G:
    """π ⋆ ℓ: column x times π_x. Then U_ℓ[π ▷ C] = n·U_{π⋆ℓ}[ν ▷ C] with ν uniform.

    Parameters
    ----------
    gain
        A gain or a loss.
    prior
        A distribution on the secrets.

    Examples
    --------
    >>> from dprivacy.flow import gain
    >>> from dprivacy.model import Dist
    >>> print(gain.weight(gain.identity(["a", "b"]), Dist(["a", "b"], ["1/3", "2/3"]))["b", "b"])
    2/3
    """
    order = require_same_labels(gain.secrets, prior.labels, "weighting: gain and prior")
    row = prior.matrix.take(columns=order)
    table = gain.matrix
    if row.exact != table.exact:
        row, table = Mat(row.floats), Mat(table.floats)
    return gain._like(
        gain.rows, gain.columns, Mat(table.entries * row.entries, table.den * row.den)
    )


def restrict(gain: G, secrets: Iterable[Label]) -> G:
    """ℓ↓X: the same actions on some of the secrets, in the given order.

    Parameters
    ----------
    gain
        A gain or a loss.
    secrets
        The secrets to keep.

    Examples
    --------
    >>> from dprivacy.flow import gain
    >>> gain.restrict(gain.identity(["a", "b", "c"]), ["c", "a"]).secrets
    ('c', 'a')
    """
    names = read_labels(secrets, "secrets")
    kept = [gain.column_position(x) for x in names]
    return gain._like(gain.rows, [gain.columns[j] for j in kept], gain.matrix.take(columns=kept))


@result("T", "Lem 6.18")
def lift(gain: G, secrets: Iterable[Label]) -> G:
    """ℓ↑X: the same actions on more secrets, 0 on the new ones.

    Parameters
    ----------
    gain, secrets
        A gain or a loss, and all secrets, its own among them.

    Examples
    --------
    >>> from dprivacy.flow import gain
    >>> wider = gain.lift(gain.identity(["a", "b"]), ["a", "b", "c"])
    >>> print(wider["a", "a"], wider["a", "c"])
    1 0
    """
    names = read_labels(secrets, "secrets")
    index = positions(names)
    missing = [x for x in gain.secrets if x not in index]
    if missing:
        raise WrongShape(f"the secrets to lift to should include {missing[0]!r}, and do not")
    entries = np.zeros((len(gain.rows), len(names)), dtype=gain.matrix.entries.dtype)
    entries[:, [index[x] for x in gain.secrets]] = gain.matrix.entries
    return gain._like(gain.rows, names, Mat(entries, gain.matrix.den))


@result("T", "Def 2.2.4")
def mirror(gain: Gain, bound: NumberLike | None = None) -> Gain:
    """B − g: the loss behind a gain, or the gain behind a loss. V_{B−ℓ} = B − U_ℓ.

    Parameters
    ----------
    gain
        A gain or a loss.
    bound
        B; the largest entry by default, so that nothing is negative.

    Examples
    --------
    >>> from dprivacy.flow import gain
    >>> turned = gain.mirror(gain.identity(["a", "b"]))
    >>> print(type(turned).__name__, turned["a", "a"], turned["a", "b"])
    Loss 0 1
    """
    table = gain.matrix
    turned = Mat(-table.entries, table.den)
    top: Fraction | float = (
        max(v for row in table.rows() for v in row)
        if bound is None
        else read_number(bound, "the bound")
    )
    kind: Callable[..., Gain] = Gain if isinstance(gain, Loss) else Loss
    return shift(kind(gain.rows, gain.columns, turned), top)
