"""Classes in order with codes beside them, such as schooling with "not applicable"."""

from collections.abc import Mapping, Sequence
from typing import Any

from dprivacy.errors import BadPlan
from dprivacy.mechanisms import ChannelMechanism, coded_laplace
from dprivacy.release.domains.point_columns import read_codes, relabelled
from dprivacy.release.plans.column_domains import exact_number, one_kind, require_table


def has_codes(kind: str, spec: Mapping[str, Any]) -> bool:
    """Whether a column holds classes in order beside codes that have no place in the order."""
    return kind == "ordered" and "codes" in spec


def read_classes(
    spec: Mapping[str, Any], nulls: str, where: str
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The classes and the codes that a plan gives a column; a missing value may be one of the codes.

    Raises
    ------
    BadPlan
        Where they do not fit together.
    """
    values, codes = spec.get("values"), spec["codes"]
    if not isinstance(values, list) or len(values) < 2:
        raise BadPlan(f'{where}: values = ["low", "high"] should list the classes in order')
    other = [key for key in ("blocks", "delta", "mechanism") if key in spec]
    if other:
        raise BadPlan(
            f"{where}: codes beside classes in order have a mechanism of their own; leave "
            f"{', '.join(other)} out, or list the codes among the values"
        )
    read_codes(spec, nulls, where)
    one_kind([*values, *codes], where)
    if len({*values, *codes}) < len(values) + len(codes):
        raise BadPlan(f"{where}: the same value is listed twice, among values and codes")
    return tuple(values), (*codes, None) if nulls == "category" else tuple(codes)


def classes_mechanism(
    values: Sequence[Any], codes: Sequence[Any], spec: Mapping[str, Any], where: str
) -> ChannelMechanism:
    """Noise on the classes as on the numbers 0, 1, 2 …, with codes as beside numbers.

    Neighbouring classes are at distance 1; a code hangs on the class in the middle, so far away that
    the two ends stay farthest apart.
    """
    eps = exact_number(spec["epsilon"])
    require_table(len(values) + len(codes), eps, 2.0 * len(values), where)
    made = coded_laplace(0, len(values) - 1, codes=codes, eps=eps, grid=1)
    return relabelled(made, (*values, *codes))
