"""The families of local mechanisms: sets of one size, free sets, hash functions, hyperplanes."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, Literal, TypeVar, get_args

from dprivacy.errors import BadNumber, TooLarge, UnknownName
from dprivacy.mechanisms.groundwork.exact_weights import factor_below
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.groundwork.label_codes import whole
from dprivacy.mechanisms.local.finite_field import LARGEST, prime_power
from dprivacy.mechanisms.local.geometry_reports import (
    MOST_VECTORS,
    HashedReports,
    HyperplaneReports,
    ProjectiveReports,
    least_rank,
    points_of,
)
from dprivacy.mechanisms.local.local_mechanism import LocalMechanism
from dprivacy.mechanisms.local.set_reports import Reports, SubsetReports, UnaryReports
from dprivacy.model import Guarantee, about
from dprivacy.numbers import Level, as_eps
from dprivacy.sources import result
from dprivacy.spaces import Categories, discrete, read_labels
from dprivacy.typing import Label, LevelLike

H = TypeVar("H", bound=HyperplaneReports)
Kind = Literal["optimised", "symmetric"]
BECAUSE = "L Thm 1"
_MOST_LEVEL = 5000  # e^ε has 1,800 digits of 16, and no more than 2,000 are stored
_MOST_TABLED = 1024  # labels up to which the space of the guarantee has a table of distances


@result("L", "Thm 1", "Thm 2")
def subset_response(
    labels: Iterable[Label], *, eps: LevelLike, size: int | None = None
) -> LocalMechanism:
    """Subset response: a set of d labels, a = e^ε times as likely where it holds the truth.

    With the best size no other local mechanism has a smaller error; the reports are long.

    Parameters
    ----------
    labels
        The answers that a person may have.
    eps
        The level of privacy.
    size
        d; the best one when omitted. With d = 1 it is randomised response.

    Examples
    --------
    >>> answers = subset_response(range(10), eps=1)
    >>> answers.parameters["size"], len(answers.randomise([7])[0])
    (3, 3)
    """
    known, level, a = _read(labels, eps)
    k = len(known)
    if size is None:
        size = best_size(k, a)
    elif not 1 <= whole(size, "size") < k:
        raise BadNumber(f"size should be between 1 and {k - 1} for {k} labels, not {size}")
    return made("subset_response", known, level, SubsetReports.of(k, a, size), size=size)


@result("L", "Thm 1", "Thm 2")
def unary_response(
    labels: Iterable[Label], *, eps: LevelLike, kind: Kind = "optimised"
) -> LocalMechanism:
    """Unary response: one bit a label, the true one kept and the others set with stated chances.

    Parameters
    ----------
    labels
        The answers that a person may have.
    eps
        The level of privacy.
    kind
        "optimised": the true bit is kept with chance 1/2, another is set with chance 1/(a + 1).
        "symmetric": every bit is flipped with chance 1/(√a + 1), which has the larger error if there
        are more than √a + 2 + 1/√a labels.

    Examples
    --------
    >>> bits = unary_response(["tea", "coffee"], eps="ln 3")
    >>> print(bits.p, bits.q)
    1/2 1/4
    """
    UnknownName.require("kind", kind, get_args(Kind))
    known, level, a = _read(labels, eps)
    if kind == "symmetric":
        root = telling(level / 2)
        a, chance = root * root, 1 / (root + 1)
    else:
        chance = 1 / (a + 1)
    return made("unary_response", known, level, UnaryReports.of(len(known), a, chance), kind=kind)


@result("L", "Thm 1", "Thm 2")
def hashed_response(
    labels: Iterable[Label], *, eps: LevelLike, q: int | None = None
) -> LocalMechanism:
    """Hashed response: a hash function over a finite field, and its noisy value at the truth.

    Parameters
    ----------
    labels
        The answers that a person may have.
    eps
        The level of privacy.
    q
        The number of hash values, a prime power; the best one when omitted.

    Examples
    --------
    >>> hashed_response(range(100), eps="ln 3")
    hashed_response(100 labels, 1020 reports of 10.0 bits, ε = ln(3) ≈ 1.099)
    """
    known, level, a = _read(labels, eps)

    def reports(g: int) -> HashedReports:
        m = 1
        while g**m < len(known):
            m += 1
        _require_vectors(g, m + 1)
        return HashedReports.of(len(known), a, g, m)

    chosen = _best(reports, a) if q is None else reports(_order(q))
    return made("hashed_response", known, level, chosen, q=chosen.q, t=chosen.t)


@result("L", "Thm 1", "Thm 2")
def projective_response(
    labels: Iterable[Label], *, eps: LevelLike, q: int | None = None, t: int | None = None
) -> LocalMechanism:
    """Projective geometry response: a hyperplane, a times as likely where it holds the truth.

    Reports take log₂ k bits, the error is within a few per cent of the best there is, and decoding is
    one transform, however many people answered.

    Parameters
    ----------
    labels
        The answers that a person may have: points of the geometry, in their order.
    eps
        The level of privacy.
    q
        The order of the field, a prime power; the best one when omitted (about e^ε + 1).
    t
        The number of coordinates; as few as hold all labels when omitted.

    Examples
    --------
    >>> thirteen = projective_response(range(13), eps="ln 3", q=3)
    >>> print(thirteen.p, thirteen.q, thirteen.reports.variance())
    4/7 2/7 5/2
    """
    known, level, a = _read(labels, eps)
    k = len(known)
    if t is not None and q is not None:
        _require_vectors(_order(q), whole(t, "t", 2))
    if t is not None and (q is None or points_of(q, t) < k):
        raise BadNumber(
            f"q = {q} and t = {t} should have at least {k} points, one for every label; leave t out"
        )

    chosen = best_geometry(k, a) if q is None else _geometry(k, a, _order(q), t)
    return made("projective_response", known, level, chosen, q=chosen.q, t=chosen.t)


def made(
    family: str, labels: tuple[Any, ...], level: Level, reports: Reports, **parameters: Any
) -> LocalMechanism:
    """A local mechanism with its guarantee: exactly ln a, on unordered labels."""
    many = len(labels)
    space = discrete(labels) if many <= _MOST_TABLED else Categories(many)
    guarantee = Guarantee(level, space, because=BECAUSE)
    return LocalMechanism(family, labels, reports, guarantee, {"eps": level, **parameters})


def best_size(labels: int, factor: Fraction) -> int:
    """The size of sets with the smallest total variance: next to k/(a + 1)."""
    near = int(labels / (1 + factor))
    sizes = {min(max(near + i, 1), labels - 1) for i in (-1, 0, 1, 2)}
    return min(sizes, key=lambda d: (SubsetReports.of(labels, factor, d).total_variance(), d))


def best_geometry(labels: int, factor: Fraction) -> ProjectiveReports:
    """The projective geometry with the smallest total variance."""
    return _best(lambda q: _geometry(labels, factor, q), factor)


def _geometry(labels: int, factor: Fraction, q: int, t: int | None = None) -> ProjectiveReports:
    rank = least_rank(labels, q) if t is None else t
    _require_vectors(q, rank)
    return ProjectiveReports.of(labels, factor, q, rank)


def orders(most: Fraction | int) -> list[int]:
    """The prime powers up to a number (and up to what a field may have)."""
    found = []
    for q in range(2, min(int(most), LARGEST) + 1):
        try:
            prime_power(q)
        except BadNumber:
            continue
        found.append(q)
    return found


def _best(reports: Callable[[int], H], factor: Fraction) -> H:
    """The report with the smallest total variance that can be decoded; of equals the shortest."""
    candidates = []
    for q in orders(4 * (factor + 2)):
        try:
            candidates.append(reports(q))
        except TooLarge:
            continue
    decodable = [one for one in candidates if one.decodable]
    return min(decodable, key=lambda one: (one.total_variance(), one.bits))


def _order(q: Any) -> int:
    order = whole(q, "q", 2)
    prime_power(order)
    return order


def _require_vectors(q: int, t: int) -> None:
    if t > 48 or q**t > MOST_VECTORS:
        raise TooLarge(
            f"a geometry of {q}^{t} vectors is more than the 2^48 that are supported; take a smaller q"
        )


def _read(labels: Iterable[Label], eps: LevelLike) -> tuple[tuple[Any, ...], Level, Fraction]:
    known, level = read_labels(labels), as_eps(eps)
    if len(known) < 2:
        raise BadNumber(f"a local mechanism needs at least two labels, not {list(known)} alone")
    return known, level, telling(level)


def telling(level: Level) -> Fraction:
    """e^ε, or what is just below it; refused where that is 1, or has more digits than are stored."""
    if level > _MOST_LEVEL:
        raise BadNumber(
            f"e^ε at ε = {about(level)} has more digits than are stored; take a level of at most "
            f"{_MOST_LEVEL:,}, at which reports hide nothing"
        )
    a = factor_below(level)
    if not a > 1:
        raise BadNumber(
            f"at ε = {about(level)} a report would say nothing: e^ε is 1 in every digit that is kept; "
            "take a larger level"
        )
    return a


def _family(build: Any, *options: str) -> Family:
    cases = ({"labels": ("a", "b", "c")}, {"labels": range(3000)})
    return Family(
        build.__name__,
        build,
        because=BECAUSE,
        cases=cases,
        fits=("categories",),
        options=options,
        reports=True,
    )


LOCAL_FAMILIES = (
    _family(subset_response, "size"),
    _family(unary_response, "kind"),
    _family(hashed_response, "q"),
    _family(projective_response, "q", "t"),
)
