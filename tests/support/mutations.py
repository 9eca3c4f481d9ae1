"""Hostile variants of good files: bytes flipped, cut and spliced, values replaced in their structure.

`mutants(seeds, rng)` works on any bytes. `json_mutant` and `line_mutant` know the structure of JSON
documents and of files of lines (TOML, CSV), so that their variants pass the parser and reach what lies
behind it.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

TOKENS = [
    b"", b"0", b"-1", b"-0", b"1e999999999", b"1e-999999999", b"1e400", b"9" * 5000, b"0." + b"3"
    * 5000, b"9" * 400 + b"/" + b"7" * 400, b"NaN", b"nan", b"Infinity", b"-inf", b"1/0", b"0/0",
    b"1/3", b"ln 0", b"ln 2", b"ln(1/2)", b"ln " + b"9" * 3000, b"1e9", b"2**99", b"0x" + b"f" *
    30000, b"true", b"null", b"[]", b"{}", b'""', b"[" * 3000, b"[[[[[[1]]]]]]", b'{"a":' * 3000,
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b"\t", b'"', b"'", b",", b";",
    b"=", b"\\", b'"""', b"#", b"\xed\xa0\x80", b"\\ud800", b"\xe2\x80\xae", b"e\xcc\x81",
    b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"a" * 100_000, b"1_000", b"+1", b"1979-05-27T07:32:00Z",
    b"inf", b"1000000000", b"9223372036854775808", b"0.1",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 10**9, 10**30, 2**63, 0.5, 1e308, -1e308, 1e-320, "", "a",
    "0", "1/3", "1e999999", "1e-999999", "NaN", "ln 2", "ln 0", "∞", "\u202e", "e\u0301", "é",
    "\x00", "\ud800", "0x1", "0x" + "f" * 25000, "9" * 5000, "x" * 100_000, [], [[]], {}, [None],
    [1, [2, [3]]], {"": {}}, ["a"] * 2000, list(range(150)), {"fraction": "1/0"}, {"fraction":
    "1/3"}, {"float": "nan"}, {"tuple": [{"set": []}]}, {"replace": None},
]  # fmt: skip


def mutants(seeds: Sequence[bytes], rng: random.Random) -> Iterator[bytes]:
    """Endless variants of some good files, by one to eight changes each."""
    while True:
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            rng.choice(_CHANGES)(data, rng, seeds)
        yield bytes(data)


def lines(texts: Sequence[bytes], rng: random.Random) -> Iterator[bytes]:
    """Endless variants of files of lines: bytes changed, or cells and values."""
    plain = mutants(texts, rng)
    while True:
        yield next(plain) if rng.random() < 0.4 else line_mutant(rng.choice(texts), rng)


def json_mutant(document: Any, rng: random.Random) -> Any:
    """A JSON document with some of its parts replaced, removed, repeated, nested or renamed."""
    changed = json.loads(json.dumps(document))
    for _ in range(rng.choice((1, 1, 2, 4))):
        holder, key = rng.choice(list(_places(changed)) or [(None, None)])
        if holder is None:
            break
        action = rng.randrange(7)
        if action < 3:
            holder[key] = deepcopy(rng.choice(VALUES))
        elif action == 3:
            del holder[key]
        elif action == 4:
            inner = holder[key]
            holder[key] = rng.choice([[inner], {"a": inner}, [inner, deepcopy(inner)]])
        elif action == 5 and isinstance(holder, dict):
            holder[rng.choice(["", "a", "columns", "format", "é"])] = holder.pop(key)
        elif action == 6 and isinstance(holder[key], str):
            text = holder[key]
            at = rng.randrange(len(text) + 1)
            holder[key] = (
                text[:at] + rng.choice(["0", "f", "-", "/", "é", "\x00", "9" * 50]) + text[at:]
            )
    return changed


def line_mutant(text: bytes, rng: random.Random) -> bytes:
    """A file of lines in which what is behind =, between commas or a whole line is replaced."""
    lines = text.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(lines))
        line = lines[at]
        action = rng.randrange(5)
        if action == 0 and b"=" in line:
            value = rng.choice([*TOKENS, *(json.dumps(v).encode() for v in VALUES)])
            lines[at] = line.partition(b"=")[0] + b"= " + value
        elif action == 1:
            cells = line.split(b",")
            cells[rng.randrange(len(cells))] = rng.choice(TOKENS)
            lines[at] = b",".join(cells)
        elif action == 2:
            lines.insert(rng.randrange(len(lines) + 1), line)
        elif action == 3 and len(lines) > 1:
            del lines[at]
        else:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], line
    return b"\n".join(lines)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document that something stands in: its holder, and the key there."""
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in list(items):
        yield value, key
        yield from _places(part)


def _span(data: bytearray, rng: random.Random) -> tuple[int, int]:
    begin = rng.randrange(len(data) + 1)
    return begin, min(len(data), begin + int(rng.expovariate(0.1)) + 1)


def _flip(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _set(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    if data:
        data[rng.randrange(len(data))] = rng.choice(b'\x00\xff\x7f\x80\x01"\\,\n{}[]0129-.e')


def _cut(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    del data[rng.randrange(len(data) + 1) :]


def _remove(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    begin, end = _span(data, rng)
    del data[begin:end]


def _repeat(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    begin, end = _span(data, rng)
    data[begin:begin] = data[begin:end] * rng.choice((1, 2, 50))


def _noise(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    begin, end = _span(data, rng)
    data[begin:end] = rng.randbytes(rng.randrange(20))


def _token(data: bytearray, rng: random.Random, _: Sequence[bytes]) -> None:
    begin, end = _span(data, rng)
    data[begin : rng.choice((begin, end))] = rng.choice(TOKENS)


def _splice(data: bytearray, rng: random.Random, seeds: Sequence[bytes]) -> None:
    other = rng.choice(seeds)
    data[rng.randrange(len(data) + 1) :] = other[rng.randrange(len(other) + 1) :]


_CHANGES: list[Callable[[bytearray, random.Random, Sequence[bytes]], None]] = [
    _flip, _flip, _set, _cut, _remove, _repeat, _noise, _token, _token, _splice,
]  # fmt: skip
