"""A column protected by a mechanism from a file, such as an optimal one."""

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from dprivacy.errors import BadPlan
from dprivacy.mechanisms import ChannelMechanism, mechanism_text, read_mechanism
from dprivacy.model import file_text
from dprivacy.numbers import as_eps
from dprivacy.release.domains.calendar_days import with_written_dates
from dprivacy.release.domains.hierarchy_files import with_parents
from dprivacy.release.texts.text_columns import text_contents


def with_contents(data: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A plan's data with the mechanism files it names read in, so that it stands on its own.

    A plan travels: to the release card, and to the machines of a cluster. The file's text takes the
    place of its name there, under the key `stored`; hierarchies are written out as well.
    """
    columns = data.get("columns")
    if not isinstance(columns, Mapping):
        return dict(data)
    return {
        **data,
        "columns": {name: _read_in(name, spec, folder) for name, spec in columns.items()},
    }


def _read_in(name: str, spec: Any, folder: Path) -> Any:
    if isinstance(spec, Mapping) and spec.get("type") == "text":
        return text_contents(name, spec, folder)
    if isinstance(spec, Mapping) and spec.get("type") == "dates":
        return with_written_dates(spec)
    if isinstance(spec, Mapping) and spec.get("type") == "tree":
        return with_parents(name, spec, folder)
    if not isinstance(spec, Mapping) or spec.get("type") != "stored" or "file" not in spec:
        return spec
    if "stored" in spec or not isinstance(spec["file"], str):
        raise BadPlan(f'column {name!r}: file = "mechanism.json" names one mechanism file')
    rest = {key: value for key, value in spec.items() if key != "file"}
    file = folder / spec["file"]
    return {**rest, "stored": mechanism_text(read_mechanism(file_text(file), name=str(file)))}


def stored_mechanism(spec: Mapping[str, Any], where: str) -> ChannelMechanism:
    """The mechanism of a column of type "stored", proved again."""
    text = spec.get("stored")
    if not isinstance(text, str):
        raise BadPlan(
            f'{where}: file = "mechanism.json" is needed, as `dprivacy optimal -o` writes it'
        )
    mechanism = _proved(text)
    if "epsilon" in spec and mechanism.guarantee.eps > as_eps(str(spec["epsilon"])):
        raise BadPlan(
            f"{where}: the stored mechanism guarantees ε = {mechanism.guarantee.eps} only, not "
            f"{spec['epsilon']}; leave epsilon out, or make the mechanism for it"
        )
    if mechanism.space.diameter == math.inf:
        raise BadPlan(
            f"{where}: the stored mechanism leaves values at infinite distance, which it does not "
            "protect from each other at all; make one on finite distances"
        )
    strange = set(mechanism.channel.columns) - set(mechanism.channel.rows)
    if strange:
        raise BadPlan(
            f"{where}: the stored mechanism answers {min(map(repr, strange))}, which is not a value of "
            "the column; make one whose outputs are among its inputs"
        )
    return mechanism


@lru_cache(maxsize=16)
def _proved(text: str) -> ChannelMechanism:
    """Loading proves the guarantee again, which takes seconds at a thousand labels: once is enough."""
    return read_mechanism(text, name="the stored mechanism")
