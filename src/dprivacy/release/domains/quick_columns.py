"""Columns whose channel is made in seconds, seen from what a plan says of them."""

from collections.abc import Mapping
from typing import Any

from dprivacy.errors import DPrivacyError
from dprivacy.numbers import as_level
from dprivacy.release.domains.point_columns import column_size, has_points
from dprivacy.release.plans.column_domains import exact_number, families_for

# Families with a formula for each entry, which are proved from neighbours.
_QUICK = ("randomised_response", "geometric", "laplace", "coded_laplace")


def quick_size(spec: Mapping[str, Any]) -> int | None:
    """How many values a column has whose channel is made in seconds; None for any other.

    Found without making it: a card may ask for it, and a card may come from anybody.
    """
    kind, values = str(spec.get("type")), spec.get("values")
    missing = spec.get("nulls") == "category"
    if kind not in ("categories", "ordered", "numbers", "dates") or "blocks" in spec:
        return None
    if spec.get("mechanism", families_for(kind)[0].name) not in _QUICK:
        return None
    if kind in ("categories", "ordered"):
        codes = spec.get("codes", [])
        if isinstance(values, list) and isinstance(codes, list):
            return len(values) + len(codes) + missing
        return None
    try:
        if has_points(kind, spec, "category" if missing else ""):
            return column_size(spec)
        low, high, grid = (
            as_level(exact_number(spec.get(key))).rational for key in ("low", "high", "grid")
        )
        return int((high - low) / grid) + 1
    except (DPrivacyError, ArithmeticError):
        return None
