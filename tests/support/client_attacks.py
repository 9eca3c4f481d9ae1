"""Mechanism files that lie, with their hashes repaired: what a client must refuse."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from dprivacy.mechanisms import (
    geometric,
    hashed_response,
    projective_response,
    randomised_response,
    subset_response,
    unary_response,
)
from dprivacy.model.documents import digest
from dprivacy.spaces import line
from dprivacy.store.stored_nouns import stored_text

Body = dict[str, Any]
HUGE = "0x1" + "0" * 20_000


def repaired(document: dict[str, Any]) -> str:
    """The file of some contents, with the hash that they have."""
    data = {key: document[key] for key in ("format", "version", "body")}
    return json.dumps({**document, "sha256": digest(data)}, ensure_ascii=False)


def _changed(mechanism: Any, change: Callable[[Any], Any]) -> str:
    document = copy.deepcopy(json.loads(stored_text(mechanism)))
    change(document)
    return repaired(document)


def _channel(change: Callable[[Body], Any]) -> str:
    coin = randomised_response(["yes", "no"], eps="ln 3")
    return _changed(coin, lambda document: change(document["body"]["channel"]))


def _local(mechanism: Any, **parts: Any) -> str:
    return _changed(mechanism, lambda document: document["body"].update(parts))


def _weights(rows: Any, denominator: Any = "0x4") -> str:
    return _channel(lambda c: c.update(matrix={"denominator": denominator, "weights": rows}))


def lying_files() -> Iterator[tuple[str, str]]:
    """What is wrong, and the file; Python refuses every one of them too."""
    points = projective_response(["a", "b", "c"], eps="ln 3", q=2)
    hashes = hashed_response(range(4), eps="ln 3", q=2)
    sets = subset_response(range(5), eps="ln 3", size=2)
    bits = unary_response(range(5), eps="ln 4", kind="symmetric")
    quarter = ["0x3", "0x1"]

    yield "a row that sums to less", _weights([["0x2", "0x1"], ["0x1", "0x3"]])
    yield "a row that sums to more", _weights([["0x3", "0x1"], ["0x3", "0x3"]])
    yield "rows that sum to another denominator", _weights([quarter, quarter], "0x5")
    yield "a denominator of 0", _weights([["0x0", "0x0"]] * 2, "0x0")
    yield "a missing row", _weights([quarter])
    yield "a row too many", _weights([quarter] * 3)
    yield "ragged rows", _weights([["0x3", "0x1"], ["0x4"]])
    yield "a row of three", _weights([["0x3", "0x1", "0x0"], ["0x1", "0x3", "0x0"]])
    yield "no rows", _weights([])
    yield "rows that are no lists", _weights("0x3")
    for name, bad in {
        "negative": "-0x1",
        "decimal": "3",
        "text": "many",
        "empty": "",
        "upper case": "0X3",
        "spaced": " 0x3",
        "NaN": "NaN",
        "infinite": "Infinity",
        "a float in hex": "0x3.0",
        "null": None,
        "a list": ["0x3"],
        "too long": HUGE,
    }.items():
        yield f"a weight that is {name}", _weights([[bad, "0x1"], ["0x1", "0x3"]])
    yield "a label twice", _channel(lambda c: c.update(inputs=["yes", "yes"]))
    yield "an object twice", _channel(lambda c: c.update(inputs=[{"tuple": [1]}, {"tuple": [1]}]))
    yield "labels that are lists", _channel(lambda c: c.update(inputs=[["yes"], ["no"]]))
    yield "labels of a strange kind", _channel(lambda c: c.update(inputs=[{"map": 1}, "no"]))
    yield "no outputs", _channel(lambda c: c.update(outputs=[]))
    yield "another noun", _changed(points, lambda d: d.update(format="dprivacy.channel"))
    yield "a future version", _changed(points, lambda d: d.update(version=3))
    yield "a version in text", _changed(points, lambda d: d.update(version="2"))
    yield "no body", _changed(points, lambda d: d.update(body={}))
    yield "a list for a body", _changed(points, lambda d: d.update(body=[]))
    for family in ("constructor", "__proto__", "toString", "hasOwnProperty", "", "table"):
        yield f"the family {family!r}", _local(points, family=family)
    yield "no family", _local(points, family=None)
    for name, factor in {
        "of 1": ["0x1", "0x1"],
        "below 1": ["0x1", "0x2"],
        "over 0": ["0x3", "0x0"],
        "in decimals": ["3", "1"],
        "negative": ["-0x3", "-0x1"],
        "alone": ["0x3"],
        "of numbers": [3, 1],
        "missing": None,
    }.items():
        yield f"a factor {name}", _local(points, factor=factor)
    for q, t in ((1, 3), (6, 3), (0, 3), (-2, 3), (257, 2), (2, 1), (2, 49), ("2", 3), (2, "3")):
        yield f"a geometry of {q!r} and {t!r}", _local(points, parameters={"q": q, "t": t})
        yield f"hashes by {q!r} and {t!r}", _local(hashes, parameters={"q": q, "t": t})
    yield "a geometry without room", _local(points, parameters={"q": 2, "t": 1})
    yield "more labels than points", _local(points, labels=[str(i) for i in range(8)])
    yield "more labels than functions", _local(hashes, labels=[*range(5)])
    for size in (0, 5, -1, "2", None, [2], True):
        yield f"sets of {size!r}", _local(sets, parameters={"size": size})
    yield "no size", _local(sets, parameters={})
    yield "a factor that is no square", _local(bits, factor=["0x3", "0x1"])
    for kind in ("other", "constructor", None, "__proto__"):
        yield f"bits of the kind {kind!r}", _local(bits, parameters={"kind": kind})
    yield "one label", _local(sets, labels=["only"])
    yield "labels in a text", _local(sets, labels="abcde")
    yield "labels in an object", _local(sets, labels={"length": 5})
    yield "a number that is not whole", stored_text(points).replace('"t": 2', '"t": 2.5')
    nested = '{"format":"dprivacy.mechanism","version":1,"body":' + "[" * 100_000 + "]" * 100_000
    yield "lists in lists", nested + ',"sha256":"00"}'
    yield "no JSON", "{"
    yield "NaN", stored_text(points).replace('"t": 2', '"t": NaN')
    yield "nothing", ""
    yield "a number", "7"
    yield "null", "null"
    yield "the hash of other contents", stored_text(points).replace('"b"', '"d"')


def unwanted_files() -> Iterator[tuple[str, str]]:
    """Honest files that a page which accepts odds of 3 must refuse."""
    yield "more odds", stored_text(randomised_response(["yes", "no"], eps="ln 4"))
    yield (
        "a little more",
        stored_text(projective_response(range(5), eps="ln 3.0000000000000000001")),
    )
    yield "more along a line", stored_text(geometric(line(4), eps="ln 2"))
    yield "an output that rules labels out", _weights([["0x4", "0x0"], ["0x1", "0x3"]])


def accepted_files() -> Iterator[tuple[str, str]]:
    """Files that a page which accepts odds of 3 can use, though they look like attacks."""
    yield "odds of 3", stored_text(randomised_response(["yes", "no"], eps="ln 3"))
    yield (
        "a little less",
        stored_text(projective_response(range(5), eps="ln 2.9999999999999999999")),
    )
    names = [
        "__proto__",
        "constructor",
        "toString",
        "",
        "\u2028",
        "\0",
        "yes\n",
        "é🙂",
        "null",
        "7",
    ]
    yield "labels with names of objects", stored_text(randomised_response(names, eps=1))
    text = [f"{i} " + "x" * 10_000 for i in range(1000)]
    yield "10 MB of labels", stored_text(subset_response(text, eps=1, size=3))
    rows = [["0x3" + "0" * 5000, "0x1" + "0" * 5000], ["0x1" + "0" * 5000, "0x3" + "0" * 5000]]
    yield "integers of 20,000 bits", _weights(rows, "0x4" + "0" * 5000)
