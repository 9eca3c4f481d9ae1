"""The block of a shuffled release on a card: what may be in it, and what stands beside its sentence."""

from collections.abc import Mapping
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.model import require_keys, shown

_NEEDED = {
    "eps": str, "delta": str, "n": int, "smallest_group": int, "method": str, "sentence": str,
}  # fmt: skip
_OPTIONAL = {"pair": list, "lower_bound": str, "by_level": list, "per_distance": list}


def require_block(block: dict[str, Any], name: str) -> None:
    """Refuse a block that is not one of a shuffled release."""
    require_keys(block, _NEEDED, _OPTIONAL, name)
    pairs = block.get("per_distance", [])
    texts = [block.get("by_level", []), *pairs]
    listed = all(isinstance(one, list) and all(isinstance(x, str) for x in one) for one in texts)
    if not listed or any(len(pair) != 2 for pair in pairs):
        raise BadFile(
            f"{name}: by_level lists columns, and per_distance distances with their levels"
        )


def words_beside(block: Mapping[str, Any]) -> list[str]:
    """Sentences on nearer values, and on columns of which only the level was used.

    Examples
    --------
    >>> words_beside({"per_distance": [["1", "ln(11/10)"], ["2", "ln(6/5)"]]})
    ['Without order, between values at a distance of 1: ln(11/10); 2: ln(6/5).']
    """
    lines = []
    if block.get("per_distance"):
        near = "; ".join(f"{shown(d)}: {shown(eps)}" for d, eps in block["per_distance"])
        lines.append(f"Without order, between values at a distance of {near}.")
    if block.get("by_level"):
        names = ", ".join(shown(name) for name in block["by_level"])
        lines.append(
            f"What holds without order was computed from the level of {names} alone, which have many "
            "values; the truth may be well below."
        )
    return lines
