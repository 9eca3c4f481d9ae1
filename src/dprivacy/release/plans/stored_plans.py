"""Plans as the bodies of stored nouns: people write TOML, programs keep this."""

from collections.abc import Mapping
from typing import Any

from dprivacy.errors import BadFile, NotApplicable
from dprivacy.model import digest, plain
from dprivacy.release.plans.table_plan import Plan

_DOUBLE = "double"


def plan_body(plan: Plan) -> dict[str, Any]:
    """A plan as the body of a stored noun."""
    if not plan.raw:
        raise NotApplicable(
            f"the plan {plan.title!r} was put together by hand; only one that was read can be stored"
        )
    return plan_out(plan.raw)


def plan_from(body: dict[str, Any], *, name: str = "the plan") -> Plan:
    """The plan of a body; every mechanism is built again. It may not name other files."""
    data = plan_in(body)
    columns = data.get("columns")
    for column, spec in columns.items() if isinstance(columns, Mapping) else ():
        if isinstance(spec, Mapping) and "file" in spec:
            raise BadFile(
                f"{name}: column {column!r} names a file, which a stored plan holds itself"
            )
    return Plan.read(data)


def plan_hash(raw: Mapping[str, Any]) -> str:
    """A hash of what a plan file says, by which a ledger and a card know the plan."""
    return digest(plan_out(raw))


def plan_out(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What a plan file says, without floats: 0.5 is {"double": "0x1.0000000000000p-1"}."""
    out: dict[str, Any] = _out(plain(raw))
    return out


def plan_in(data: dict[str, Any]) -> dict[str, Any]:
    """What `plan_out` made, as it was."""
    found: dict[str, Any] = {key: _in(value) for key, value in data.items()}
    return found


def _out(value: Any) -> Any:
    if isinstance(value, float):
        return {_DOUBLE: value.hex()}
    if isinstance(value, dict):
        return {key: _out(item) for key, item in value.items()}
    return [_out(item) for item in value] if isinstance(value, list) else value


def _in(value: Any) -> Any:
    if isinstance(value, dict):
        written = value.get(_DOUBLE)
        if len(value) == 1 and isinstance(written, str):
            return float.fromhex(written)
        return {key: _in(item) for key, item in value.items()}
    return [_in(item) for item in value] if isinstance(value, list) else value
