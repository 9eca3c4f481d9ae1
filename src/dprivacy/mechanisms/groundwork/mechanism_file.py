"""Mechanisms in files: strict JSON, verified again on loading, tampering refused."""

import hashlib
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

from dprivacy.errors import Malformed, NotPrivate
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, is_tight
from dprivacy.model import Channel, Guarantee, plain
from dprivacy.numbers import Mat, as_delta, as_eps, as_level
from dprivacy.spaces import from_table, read_distance
from dprivacy.verify import enclosure, privacy

FORMAT = "dprivacy mechanism"
VERSION = 1
_LARGEST = 256 << 20  # bytes
_MOST_LABELS = 20_000
_LARGEST_EPS = 10**7
_HEX = re.compile(r"0x[0-9a-f]{1,20000}")
_FRACTION = re.compile(r"-?[0-9]{1,4000}(/[0-9]{0,3999}[1-9][0-9]{0,3999})?")
_KINDS = {
    "family": str, "parameters": dict, "eps": str, "delta": str, "because": str, "tight": bool,
    "inputs": list, "outputs": list, "distances": list, "distance_codes": list, "weights": list,
    "achieved": list, "secure": bool,
}  # fmt: skip
_KEYS = {
    "format", "version", "family", "parameters", "eps", "delta", "because", "tight", "inputs",
    "outputs", "distances", "distance_codes", "denominator", "weights", "achieved", "secure", "sha256",
}  # fmt: skip


def save(mechanism: ChannelMechanism, path: str | Path) -> None:
    """Write a mechanism to a JSON file.

    The file holds everything that is needed to check it again: labels, distances, the integers that
    are drawn from, the guarantee, an enclosure of the ε achieved, and a hash of all that.
    """
    Path(path).write_text(dumps(mechanism), encoding="utf-8")


def load(path: str | Path) -> ChannelMechanism:
    """Read a mechanism and prove its guarantee again; a file that does not add up is refused."""
    file = Path(path)
    try:
        if file.stat().st_size > _LARGEST:
            raise Malformed(f"{path}: larger than {_LARGEST >> 20} MiB")
        text = file.read_text(encoding="utf-8")
    except OSError as reason:
        raise Malformed(f"{path}: cannot be read ({reason.strerror})") from None
    except UnicodeDecodeError:
        raise Malformed(f"{path}: is not UTF-8 text") from None
    except ValueError as reason:
        if isinstance(reason, Malformed):
            raise
        raise Malformed(f"{path!r} is not the name of a file") from None
    return loads(text, name=str(path))


def dumps(mechanism: ChannelMechanism) -> str:
    """The JSON text of a mechanism."""
    space = mechanism.space
    values = list(space.distances.values or ())
    if not space.exact or any(isinstance(value, float) for value in values):
        raise Malformed("only mechanisms on exact, finite distances can be stored")
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "family": mechanism.family,
        "parameters": plain(mechanism.parameters),
        "eps": _level_out(mechanism.guarantee.eps, "ε"),
        "delta": str(mechanism.guarantee.delta),
        "because": mechanism.guarantee.because,
        "tight": mechanism.tight,
        "inputs": [_label_out(label) for label in mechanism.channel.rows],
        "outputs": [_label_out(label) for label in mechanism.channel.columns],
        "distances": [_level_out(value, "a distance") for value in values],
        "distance_codes": space.distances.table.tolist(),
        "denominator": hex(mechanism.channel.matrix.den),
        "weights": [[hex(v) for v in row] for row in mechanism.channel.matrix.entries.tolist()],
        "achieved": [repr(bound) for bound in mechanism.achieved()],
        "secure": mechanism.secure,
    }
    return json.dumps({**data, "sha256": _digest(data)}, ensure_ascii=False, indent=1)


def loads(text: str, *, name: str = "the mechanism") -> ChannelMechanism:
    """Read a mechanism from JSON text; see `load`.

    Notes
    -----
    1. Strict JSON: known keys only, no repeated keys, no floats, bounded sizes.
    2. The hash must match, which catches accidents.
    3. The channel must be stochastic, the distances a metric, and the guarantee is proved again from
       the integers, which catches those who repair the hash: an ε below what they need is refused.
    """
    data = _parse(text, name)
    try:
        if _digest({key: data[key] for key in data if key != "sha256"}) != data["sha256"]:
            raise Malformed(f"{name}: the contents do not match their hash; the file was changed")
        return _rebuilt(data, name)
    except (TypeError, ValueError, LookupError, ArithmeticError, RecursionError) as reason:
        if isinstance(reason, Malformed | NotPrivate):
            raise
        raise Malformed(f"{name}: {reason}") from None


def _rebuilt(data: dict[str, Any], name: str) -> ChannelMechanism:
    for key, kind in _KINDS.items():
        if type(data[key]) is not kind:
            raise Malformed(f"{name}: {key!r} is not of the kind it should be")
    inputs = [_label_in(label) for label in data["inputs"]]
    outputs = [_label_in(label) for label in data["outputs"]]
    if max(len(inputs), len(outputs)) > _MOST_LABELS:
        raise Malformed(f"{name}: more than {_MOST_LABELS} labels")
    values = [read_distance(_text(value), "a distance") for value in data["distances"]]
    table = [[values[_index(code)] for code in row] for row in data["distance_codes"]]
    space = from_table(inputs, table, pseudo=True)
    weights = [[_integer(value) for value in row] for row in data["weights"]]
    if any(len(row) != len(outputs) for row in weights):
        raise Malformed(f"{name}: the weights are ragged")
    denominator = _integer(data["denominator"])
    if not denominator:
        raise Malformed(f"{name}: the denominator is 0")
    channel = Channel(inputs, outputs, Mat.over(denominator, weights))
    eps, delta = as_eps(data["eps"]), as_delta(data["delta"])
    if eps > _LARGEST_EPS:
        raise Malformed(f"{name}: an ε above {_LARGEST_EPS:,} protects nothing")
    verdict = privacy(channel, space, eps=eps, delta=delta)
    if not verdict:
        why = " ".join(verdict.explain().splitlines())
        raise NotPrivate(f"{name}: the stored integers break the stored guarantee. {why}")
    if [repr(bound) for bound in enclosure(verdict.smallest)] != data["achieved"]:
        raise Malformed(f"{name}: the stored enclosure of ε is not that of the stored integers")
    guarantee = Guarantee(eps, space, delta, data["because"])
    tight = is_tight(verdict, guarantee)
    if data["tight"] is not tight:
        raise Malformed(f"{name}: 'tight' is not what the integers say")
    return ChannelMechanism(data["family"], channel, guarantee, tight, data["parameters"])


def _parse(text: str, name: str) -> dict[str, Any]:
    def refuse(literal: str) -> Any:
        raise Malformed(f"{name}: {literal} does not belong in a mechanism")

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise Malformed(f"{name}: a key appears twice")
        return found

    try:
        data = json.loads(
            text, parse_float=refuse, parse_constant=refuse, object_pairs_hook=distinct
        )
    except (TypeError, ValueError, RecursionError) as reason:
        if isinstance(reason, Malformed):
            raise
        raise Malformed(f"{name}: not JSON ({reason})") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise Malformed(f"{name}: is not a dprivacy mechanism")
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise Malformed(
            f"{name}: version {data.get('version')!r} is not known; this reads {VERSION}"
        )
    if set(data) != _KEYS:
        strange = sorted(set(data) ^ _KEYS)
        raise Malformed(f"{name}: unexpected or missing: {', '.join(strange)}")
    return data


def _digest(data: dict[str, Any]) -> str:
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    try:
        return hashlib.sha256(text.encode()).hexdigest()
    except UnicodeEncodeError:
        raise Malformed("text with half a character (a lone surrogate) cannot be stored") from None


def _integer(value: Any) -> int:
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise Malformed("integers are stored as text such as 0x1f")
    return int(value, 16)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Malformed("numbers are stored as text such as 3/2")
    return value


def _level_out(value: Any, what: str) -> str:
    """A level or distance as text that is read back as the same number."""
    try:
        text = str(value)
        if as_level(text) == value:
            return text
    except ValueError:  # more digits than can be written, or than are read
        pass
    raise Malformed(f"{what} is too long to be written exactly; round it up first")


def _index(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise Malformed("codes of distances are whole numbers")
    return value


def _label_out(label: Any) -> Any:
    """A label as JSON that can be read back as the same Python value."""
    if isinstance(label, bool) or label is None:
        raise Malformed(f"the label {label!r} cannot be stored")
    if isinstance(label, str | int):
        return label
    if isinstance(label, Fraction):
        return {"fraction": str(label)}
    if isinstance(label, float):
        return {"float": label.hex()}
    if isinstance(label, tuple):
        return {"tuple": [_label_out(part) for part in label]}
    if isinstance(label, frozenset):
        parts = [_label_out(part) for part in label]
        return {"set": sorted(parts, key=lambda part: json.dumps(part, sort_keys=True))}
    raise Malformed(f"a label of type {type(label).__name__} cannot be stored")


def _label_in(value: Any) -> Any:
    """The label that `_label_out` wrote as this value, and in no other way."""
    label = _read_label(value)
    if _label_out(label) != value:
        raise Malformed("a label is not in its usual form")
    return label


def _read_label(value: Any) -> Any:
    if isinstance(value, str) or type(value) is int:
        return value
    if isinstance(value, dict) and len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "fraction" and isinstance(content, str) and _FRACTION.fullmatch(content):
            return Fraction(content)
        if kind == "float" and isinstance(content, str):
            return float.fromhex(content)
        if kind in ("tuple", "set") and isinstance(content, list):
            parts = [_read_label(part) for part in content]
            return tuple(parts) if kind == "tuple" else frozenset(parts)
    raise Malformed("a label is not of a known form")
