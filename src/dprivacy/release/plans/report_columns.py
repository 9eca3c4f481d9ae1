"""Columns whose cells are reports: what people send from a local mechanism, sets of values or bits.

There is no table of chances, neither of distances: a plan may list a million values.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from dprivacy.errors import BadFile, BadPlan, NotApplicable, TooLarge
from dprivacy.mechanisms import (
    LARGEST_WHOLE,
    Family,
    HyperplaneReports,
    LocalMechanism,
    cell_form,
    cells_of,
    local_document,
    local_in,
    require_storable,
)
from dprivacy.model import Channel
from dprivacy.release.plans.column_domains import exact_number, one_kind

_MOST_VALUES = 1 << 20
REPORT_KEYS = {"cells": str, "p": str, "q": str, "mechanism": dict}


def report_values(spec: Mapping[str, Any], nulls: str, where: str) -> tuple[Any, ...]:
    """The values that a column of reports may have, a missing one among them if it is a category."""
    values = spec.get("values")
    if not isinstance(values, list) or len(values) < 2:
        raise BadPlan(
            f'{where}: values = ["…", "…"] with at least two values is needed, not {str(values)[:60]}'
        )
    if "blocks" in spec:
        raise BadPlan(
            f"{where}: a report of {spec['mechanism']} is about all values, and blocks keep them "
            "apart; leave blocks out, or use randomised_response"
        )
    if len(values) + (nulls == "category") > _MOST_VALUES:
        raise TooLarge(
            f"{where}: {len(values):,} values are more than the {_MOST_VALUES:,} supported"
        )
    one_kind(values, where)
    if any(isinstance(value, int) and abs(value) > LARGEST_WHOLE for value in values):
        raise BadPlan(
            f"{where}: values of reports should be texts, or whole numbers up to 2^53 − 1"
        )
    return (*values, None) if nulls == "category" else tuple(values)


def report_mechanism(
    family: Family, spec: Mapping[str, Any], values: Sequence[Any]
) -> LocalMechanism:
    """The mechanism of such a column."""
    given = {key: spec[key] for key in family.options if key in spec}
    made = family.build(labels=values, eps=exact_number(spec["epsilon"]), **given)
    assert isinstance(made, LocalMechanism)
    require_storable(made)
    if isinstance(made.reports, HyperplaneReports):
        made.reports.require_decodable()  # or nobody could ever estimate from the cells
    return made


def report_entry(mechanism: LocalMechanism) -> dict[str, Any]:
    """What a card says of the reports: how they are written, p and q, and the whole mechanism."""
    return {
        "cells": cell_form(mechanism),
        "p": str(mechanism.p),
        "q": str(mechanism.q),
        "mechanism": local_document(mechanism),
    }


def entry_mechanism(entry: Mapping[str, Any], name: str) -> LocalMechanism:
    """The mechanism on a card, built again from its family; its p, q and form must be those stated."""
    found = _read(json.dumps(entry["mechanism"]), name)
    stated = {key: entry[key] for key in ("cells", "p", "q")}
    follows = {"cells": cell_form(found), "p": str(found.p), "q": str(found.q)}
    for key, said in stated.items():
        if said != follows[key]:
            raise BadFile(f"{name}: the card says {key} = {said[:60]}, and {follows[key]} follows")
    return found


def listed_reports(mechanism: LocalMechanism, column: str) -> Channel:
    """The channel from values to cells, where there are few enough; refused in words otherwise."""
    channel = mechanism.channel
    if channel is None:
        raise NotApplicable(
            f"column {column!r}: {mechanism.family} about {len(mechanism.labels):,} values has too "
            "many reports to list each with its chances; counts, shares and queries need no such list"
        )
    reports = mechanism.reports.read(channel.columns)
    return Channel(channel.rows, tuple(cells_of(mechanism, reports)), channel.matrix)


@lru_cache(maxsize=8)
def _read(text: str, name: str) -> LocalMechanism:
    return local_in(json.loads(text), name=name)
