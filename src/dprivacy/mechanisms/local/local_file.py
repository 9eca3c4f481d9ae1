"""Local mechanisms as stored data: labels, the factor a and what makes the sets; no matrix.

Nothing that a file says of the law is believed: p, q and the guarantee follow from the family, its
parameters and a; and a must be within the ε that is claimed.
"""

import json
from fractions import Fraction
from math import isqrt
from typing import Any

from dprivacy.errors import BadFile, BadNumber, Malformed, NotPrivate
from dprivacy.mechanisms.local.finite_field import prime_power
from dprivacy.mechanisms.local.geometry_reports import (
    MOST_VECTORS,
    HashedReports,
    ProjectiveReports,
    points_of,
)
from dprivacy.mechanisms.local.local_families import made
from dprivacy.mechanisms.local.local_mechanism import LocalMechanism
from dprivacy.mechanisms.local.set_reports import Reports, SubsetReports, UnaryReports
from dprivacy.model import (
    about,
    label_body,
    label_from,
    level_body,
    read_document,
    rebuilt,
    require_keys,
    write_document,
)
from dprivacy.numbers import Factor, as_eps, float_down
from dprivacy.spaces import read_labels

VERSION = 2
_MOST_LABELS = 1 << 20
_MOST_DIGITS = 2000  # hexadecimal, of the factor
LARGEST_WHOLE = (1 << 53) - 1  # what every reader of JSON keeps exactly


def require_storable(mechanism: LocalMechanism) -> None:
    """Refuse a level at which e^ε has more digits than are read back."""
    a = mechanism.factor
    if max(len(hex(part)) for part in (a.numerator, a.denominator)) > _MOST_DIGITS:
        raise BadNumber(
            f"e^ε at ε = {about(mechanism.guarantee.eps)} has more digits than are stored; a level "
            "below a thousand and above a thousandth of a millionth is enough for every purpose"
        )


def local_body(mechanism: LocalMechanism) -> dict[str, Any]:
    """A local mechanism as plain data."""
    require_storable(mechanism)
    labels = [label_body(label) for label in mechanism.labels]
    for label in labels:
        if isinstance(label, int) and abs(label) > LARGEST_WHOLE:
            raise BadFile("labels should be whole numbers up to 2^53 − 1, or text, to be stored")
    a = mechanism.factor
    given = {name: v for name, v in mechanism.parameters.items() if name != "eps"}
    return {
        "family": mechanism.family,
        "labels": labels,
        "factor": [hex(a.numerator), hex(a.denominator)],
        "eps": level_body(mechanism.guarantee.eps, "ε"),
        "parameters": given,
    }


def local_document(mechanism: LocalMechanism) -> dict[str, Any]:
    """The whole document, as a card holds it; the same as in a file of its own."""
    document: dict[str, Any] = json.loads(
        write_document("mechanism", VERSION, local_body(mechanism))
    )
    return document


def local_in(document: Any, *, name: str = "the mechanism") -> LocalMechanism:
    """The mechanism of a document that a card holds."""
    found = read_document(json.dumps(document), name=name)
    if (found.noun, found.version) != ("mechanism", VERSION):
        raise BadFile(
            f"{name}: holds dprivacy.{found.noun}, version {found.version}, and a mechanism of version "
            f"{VERSION} is needed"
        )
    mechanism: LocalMechanism = rebuilt(lambda body: local_from(body, name=name), found.body, name)
    return mechanism


def local_from(body: dict[str, Any], *, name: str = "the mechanism") -> LocalMechanism:
    """The mechanism of a body, built again from its family.

    Raises
    ------
    BadFile
        For a body that is not a local mechanism's.
    NotPrivate
        When the factor is more than e^ε.
    """
    kinds: dict[str, type] = {
        "family": str,
        "labels": list,
        "factor": list,
        "eps": str,
        "parameters": dict,
    }
    require_keys(body, kinds, {}, name)
    if not 2 <= len(body["labels"]) <= _MOST_LABELS:
        raise BadFile(f"{name}: between 2 and {_MOST_LABELS:,} labels are read")
    labels = read_labels([label_from(label, name) for label in body["labels"]])
    a, level = _factor(body["factor"], name), as_eps(body["eps"])
    if not a > 1:
        raise BadFile(f"{name}: the factor should be greater than 1")
    if not Factor(level).admits(a.numerator, a.denominator):
        raise NotPrivate(
            f"{name}: a report is {float_down(a):.6g} times as likely inside its set as outside, which "
            f"is more than ε = {body['eps']} allows"
        )
    reports = _reports(body["family"], body["parameters"], len(labels), a, name)
    return made(body["family"], labels, level, reports, **body["parameters"])


def _factor(parts: list[Any], name: str) -> Fraction:
    try:
        numerator, denominator = parts
        if all(str(part).startswith("0x") and len(part) <= _MOST_DIGITS for part in parts):
            found = Fraction(int(numerator, 16), int(denominator, 16))
            if [hex(found.numerator), hex(found.denominator)] == parts:
                return found
    except (ValueError, TypeError, ZeroDivisionError):
        pass
    raise BadFile(f"{name}: the factor is stored as two integers in lowest terms, such as 0x3, 0x1")


def _reports(family: str, given: dict[str, Any], k: int, a: Fraction, name: str) -> Reports:
    """The sets of a family; every parameter is needed, and no other is known."""
    if family == "unary_response":
        require_keys(given, {"kind": str}, {}, name)
        if given["kind"] == "optimised":
            return UnaryReports.of(k, a, 1 / (a + 1))
        root = Fraction(isqrt(a.numerator), isqrt(a.denominator))
        if given["kind"] == "symmetric" and root * root == a:
            return UnaryReports.of(k, a, 1 / (root + 1))
        raise BadFile(f"{name}: no kind of unary_response with this factor is called so")
    if family == "subset_response":
        (size,) = _whole(given, ("size",), name)
        if 1 <= size < k:
            return SubsetReports.of(k, a, size)
        raise BadFile(f"{name}: the size of a set should be between 1 and {k - 1}")
    if family not in ("hashed_response", "projective_response"):
        raise BadFile(
            f"{name}: a local mechanism is a subset_response, unary_response, hashed_response or "
            f"projective_response, not {family[:40]!r}"
        )
    q, t = _whole(given, ("q", "t"), name)
    try:
        prime_power(q)
    except Malformed as reason:
        raise BadFile(f"{name}: {reason}") from None
    if not 2 <= t <= 48 or q**t > MOST_VECTORS:
        raise BadFile(f"{name}: a geometry of {q}^{t} vectors is not supported")
    room = q ** (t - 1) if family == "hashed_response" else points_of(q, t)
    if room < k:
        raise BadFile(f"{name}: {k} labels do not find room in this geometry, which has {room}")
    if family == "hashed_response":
        return HashedReports.of(k, a, q, t - 1)
    return ProjectiveReports.of(k, a, q, t)


def _whole(given: dict[str, Any], names: tuple[str, ...], name: str) -> list[int]:
    require_keys(given, dict.fromkeys(names, int), {}, name)
    if any(isinstance(given[key], bool) for key in names):
        raise BadFile(f"{name}: {' and '.join(names)} should be whole numbers")
    return [given[key] for key in names]
