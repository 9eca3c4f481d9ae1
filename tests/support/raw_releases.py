"""What the referee looks at: columns of tables under every policy, and places on Earth."""

import itertools
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction as Q
from functools import partial
from pathlib import Path as File
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from dprivacy.geo import (
    OptimalPlaces,
    city,
    optimal_places,
    place_list,
    place_mechanism,
    protect_place_file,
    protect_places,
)
from dprivacy.geo.place_noise import PlaceMechanism
from dprivacy.mechanisms import GridNoise, geometric, mechanism_text
from dprivacy.numbers import Level
from dprivacy.release import Plan, joint_guarantee, sanitise, sanitise_file
from dprivacy.release.plans.column_domains import families_for
from support.raw_laws import Law, Path, Promise, promise_of, watched
from support.raw_mechanisms import RAW, either_side

NAMES = [f"v{k:02d}" for k in range(21)]
EDGES = [[NAMES[k], NAMES[(k * 7 + 1) % 21], str(1 + k % 3)] for k in range(21)]
EDGES += [[NAMES[k], NAMES[k + 1]] for k in range(20)]
TREE = {"A": {"a": NAMES[:5], "b": NAMES[5:8]}, "B": NAMES[8:15], "C": {"c": {"d": NAMES[15:]}}}
TABLE = [[0 if i == j else 2 + (i * j) % 3 for j in range(21)] for i in range(21)]
BLOCKS = [NAMES[:9], NAMES[9:20], NAMES[20:]]
LISTED: dict[str, dict[str, Any]] = {
    "categories": {"values": NAMES},
    "ordered": {"values": NAMES},
    "tree": {"tree": TREE},
    "graph": {"edges": EDGES},
    "distances": {"values": NAMES, "distances": TABLE},
    "stored": {"stored": mechanism_text(geometric(range(21), eps="ln 2"))},
}


def listed_columns() -> Iterator[Path]:
    """Every type of column with listed values, with every policy for missing ones and in blocks."""
    for kind, domain in LISTED.items():
        values: list[Any] = list(range(21)) if kind == "stored" else NAMES
        spec = {"type": kind, **domain} | ({} if kind == "stored" else {"epsilon": "1"})
        yield protected_column(f"{kind}", spec, values)
        missing = {**spec, "nulls": {"replace": values[3]}}
        yield protected_column(f"{kind}, missing replaced", missing, [*values, None])
        if kind == "categories":
            yield protected_column(
                f"{kind}, missing as one more", {**spec, "nulls": "category"}, [*values, None]
            )
            slack = {**spec, "delta": "1/100", "nulls": "category"}
            yield protected_column(f"{kind}, with slack", slack, [*values, None])
        if kind != "stored":
            yield protected_column(f"{kind}, in blocks", {**spec, "blocks": BLOCKS}, values)
        for family in families_for(kind)[1:]:
            if family.reports:  # see raw_reports
                continue
            chosen = {**spec, "mechanism": family.name}
            yield protected_column(f"{kind}, {family.name}", chosen, values)
    spec = {"type": "categories", "values": NAMES, "epsilon": "1", "nulls": "category"}
    yield protected_column("categories, permanent", spec, [*NAMES, None], permanent=True)


def protected_column(
    name: str, spec: dict[str, Any], values: Sequence[Any], *, permanent: bool = False
) -> Path:
    plan = _plan({"x": spec}, permanent=permanent)
    column = plan.column("x")
    guarantee = column.mechanism.guarantee

    def laws(values: Sequence[Any]) -> list[Law]:
        table: dict[str, Any] = {"x": list(values)}
        if permanent:
            table["who"] = [f"p{k}" for k in range(len(values))]
        with watched() as seen:
            sanitise(pa.table(table), plan, permanent_key=b"k" * 16 if permanent else None)
        return seen.laws(len(values))

    return Path(
        f"table: {name}",
        values,
        laws,
        promise_of(guarantee, _filled(column)),
        Q(guarantee.delta),
        frozenset({"sanitise", spec["type"], f"nulls {column.nulls}"}),
    )


def _plan(columns: dict[str, Any], *, permanent: bool = False) -> Plan:
    unit = {"unit": "who", "rows_per_person": 1, "drop": ["who"]} if permanent else {}
    return Plan.read({**unit, "columns": columns})


def _filled(column: Any) -> Callable[[Any], Any]:
    """What a plan says that a missing value stands for."""

    def read(value: Any) -> Any:
        value = column.null_value if value is None and column.nulls == "replace" else value
        return tuple(map(int, value)) if column.kind == "bits" else value

    return read


def number_columns() -> Iterator[Path]:
    """Numbers, few and many points, as doubles, whole numbers and cells of a file; bits; places."""
    small = {"type": "numbers", "low": 0, "high": 10, "grid": "1", "epsilon": "1"}
    wide = {"type": "numbers", "low": -5, "high": 100000, "grid": "0.1", "epsilon": "ln 2"}
    for name, spec in (("few points", small), ("many points", wide)):
        for policy in ({}, {"nulls": {"replace": 3}}):
            values = [*RAW, None] if policy else RAW
            label = f"numbers, {name}{', missing replaced' if policy else ''}"
            yield _numbers(label, {**spec, **policy}, values, pa.float64())
    yield _numbers("numbers, whole", small, [*range(-5, 17), 10**15], pa.int64())
    yield _numbers("numbers, single precision", wide, RAW[:27], pa.float32())
    tenths = {**wide, "nulls": {"replace": 3}}
    decimals = [Decimal(k) / 100 for k in range(5, 250, 10)]
    yield _numbers("numbers, decimals", tenths, [*decimals, None], pa.decimal128(12, 3))
    yield _numbers("numbers, with slack", {**small, "delta": "1/20"}, RAW, pa.float64())
    cells = [*map(str, either_side(0.5, 1.5, 9.5)), "1e300", "7", "-0", "3.50", "0003", "NA", ""]
    cells += ["2", "1e1", "-4", "4.4999999999999999", "4.5000000000000001", "10", "0"]
    cells += [f"{k}.{d}5" for k in range(3) for d in range(1, 9, 2)]
    for name, spec in (("few", small), ("many", tenths)):
        replaced = {**spec, "nulls": {"replace": 3}}
        yield _numbers(f"numbers, cells of a CSV file, {name} points", replaced, cells, None)
    yield from _beside_codes()
    yield _drawn_together()
    bits = ["".join(row) for row in itertools.product("01", repeat=5)]
    flip = {"type": "bits", "bits": 5, "epsilon": "1"}
    yield protected_column("bits", flip, bits)
    replaced = {**flip, "nulls": {"replace": "01010"}}
    yield protected_column("bits, missing replaced", replaced, [*bits[::2], *bits[1::4], None])
    yield _place_column()
    yield _whole_rows("a whole row", 1)
    yield _whole_rows("two rows of a person", 2)


def _numbers(name: str, spec: dict[str, Any], values: Sequence[Any], kind: Any) -> Path:
    plan = _plan({"x": spec})
    column = plan.column("x")
    mechanism = column.mechanism

    def laws(values: Sequence[Any]) -> list[Law]:
        centres: list[list[int]] = []
        points = GridNoise._points

        def kept(noise: GridNoise, steps: Any) -> Any:
            centres.extend([step] for step in steps.tolist())
            return points(noise, steps)

        with watched() as seen, patch.object(GridNoise, "_points", kept):
            if kind is None:
                _sanitised_file(values, plan)
            else:
                sanitise(pa.table({"x": pa.array(values, type=kind)}), plan)
        return seen.laws(len(values)) if mechanism.inner is not None else seen.around(centres)

    def read(value: Any) -> Any:
        if value is None or value in ("", "NA"):
            return column.null_value
        return float(np.float32(value)) if kind == pa.float32() else value

    verb = "sanitise_file" if kind is None else "sanitise"
    return Path(
        f"table: {name}",
        values,
        laws,
        promise_of(mechanism.guarantee, read, mechanism.grid),
        Q(mechanism.guarantee.delta),
        frozenset({verb, "numbers", f"nulls {column.nulls}"}),
    )


def _drawn_together() -> Path:
    """Three columns in one draw: any two combinations of answers are at the level of all of them."""
    sides = {"a": ["x", "y", "z"], "b": [1, 2, 3, 4], "c": ["no", "yes"]}
    columns = {name: {"type": "categories", "values": values} for name, values in sides.items()}
    plan = Plan.read({"columns": columns, "joint": {"all": {"columns": [*sides], "epsilon": "1"}}})

    def laws(values: Sequence[Any]) -> list[Law]:
        table = dict(zip(sides, map(list, zip(*values, strict=True)), strict=True))
        with watched() as seen:
            sanitise(pa.table(table), plan)
        return seen.laws(len(values))

    def promised(x: Any, z: Any) -> Promise:
        return Level(int(x != z))

    values = list(itertools.product(*sides.values()))
    return Path("table: drawn together", values, laws, promised, covers=frozenset({"joint"}))


def _beside_codes() -> Iterator[Path]:
    """Numbers and dates with codes beside them, as people write them; the class alone in blocks."""
    coded = {
        "type": "numbers",
        "low": 0,
        "high": 10,
        "grid": "1",
        "codes": ["N", "99"],
        "epsilon": "1/3",
    }
    numbers = [*either_side(0.5, 1.5, 9.5, 99), 1e300, -7, -0.0, 4.75, 10, 3, 98, 100, 0.1 + 0.2]
    texts = [*map(repr, numbers), "N", "99", "99.0", "9.9e1", "0099", "1e1", "0003"]
    days = ["2019-12-31", "2020-01-01", "2020-01-04", "2020-01-05", "2020-01-29", "2999-01-01"]
    dates = {"type": "dates", "low": "2020-01-01", "high": "2020-01-29", "grid": "7 days"}
    dates |= {"epsilon": "1/9", "codes": ["?"], "nulls": "category"}
    weeks = [f"2020-{month:02}-{day:02}" for month in (1, 2) for day in range(3, 28, 4)]
    ranked = {"type": "ordered", "values": [*map(str, range(30))], "codes": ["N", "99"]}
    ranked |= {"epsilon": "1/3"}
    for name, spec, values, kind in (
        ("classes with codes", ranked, [*ranked["values"], "N", "99"], pa.string()),
        ("numbers with codes", coded, numbers, pa.float64()),
        ("numbers with codes, texts", coded, texts, pa.string()),
        ("numbers with codes, of a CSV file", coded, texts, None),
        ("numbers with codes near", {**coded, "anchor": 1, "code_distance": "1/2"}, texts, pa.string()),
        ("numbers, missing as a code", {**coded, "nulls": "category"}, [*texts, None], pa.string()),
        ("numbers, the class in blocks", {**coded, "blocks": "codes"}, texts, pa.string()),
        ("dates with codes", dates, [*days, *weeks, "?", None], pa.string()),
    ):  # fmt: skip
        plan = _plan({"x": spec})
        guarantee = plan.column("x").mechanism.guarantee

        def laws(values: Sequence[Any], plan: Plan = plan, kind: Any = kind) -> list[Law]:
            with watched() as seen:
                if kind is None:
                    _sanitised_file(values, plan)
                else:
                    sanitise(pa.table({"x": pa.array(values, type=kind)}), plan)
            return seen.laws(len(values))

        yield Path(
            f"table: {name}",
            values,
            laws,
            promise_of(guarantee, space=_Hung(spec if "low" in spec else {**coded, "high": 29})),
            covers=frozenset({"sanitise", spec["type"], f"nulls {plan.column('x').nulls}"}),
        )


class _Hung:
    """The anchored metric on cells as they are written, from what a plan says and nothing else."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.dated, self.blocks = spec["type"] == "dates", "blocks" in spec
        self.codes = [*spec["codes"], *([None] if spec.get("nulls") == "category" else [])]
        self.low, self.high = (self._number(spec[end]) for end in ("low", "high"))
        self.step = Q(7 if self.dated else spec["grid"])
        steps = (self.high - self.low) / self.step
        middle = self.low + steps // 2 * self.step
        self.anchor = Q(spec.get("anchor", middle))
        widest = max(middle - self.low, self.high - middle)
        self.apart = Q(spec.get("code_distance", self.high - self.low - widest))

    def _number(self, cell: Any) -> Q:
        if self.dated:
            return Q(date.fromisoformat(cell).toordinal())
        return Q(float(cell))

    def _read(self, cell: Any) -> tuple[Any, Q | None]:
        """A code, or the nearest point."""
        if cell in self.codes:
            return cell, None
        number = self._number(cell)
        if not self.dated and number == 99:
            return "99", None
        inside = min(max(number, self.low), self.high)
        return "", self.low + round((inside - self.low) / self.step) * self.step

    def distance(self, x: Any, z: Any) -> Q | float:
        (one, at), (other, to) = self._read(x), self._read(z)
        if at is not None and to is not None:
            return abs(at - to)
        if one == other:
            return Q(0)
        if self.blocks:
            return math.inf
        return self.apart + sum((abs(v - self.anchor) for v in (at, to) if v is not None), Q(0))


def _sanitised_file(values: Sequence[str], plan: Plan) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = File(folder, "in.csv")
        source.write_text("x,y\n" + "".join(f"{value},1\n" for value in values), encoding="utf-8")
        sanitise_file(source, replace(plan, drop=("y",)), File(folder, "out.csv"))


def _place_column() -> Path:
    plan = _plan({"at": {"type": "place", "columns": ["e", "n"], "grid": "1/4", "epsilon": "1"}})
    mechanism = plan.column("at").mechanism
    values = [
        *itertools.product(either_side(0.125, 0.375), (0.125, -0.4, 100)),
        (1e9, 3),
        (0, 0),
        (3, 4),
    ]

    def laws(values: Sequence[Any]) -> list[Law]:
        east, north = zip(*values, strict=True)
        with watched() as seen:
            table = {"e": pa.array(east, pa.float64()), "n": pa.array(north, pa.float64())}
            found = sanitise(pa.table(table), plan).data
        sides = zip(found["e"].to_pylist(), found["n"].to_pylist(), strict=True)
        return seen.around([[round(Q(v) / mechanism.step) for v in side] for side in sides], 2)

    covers = frozenset({"sanitise", "place", "nulls refuse"})
    return Path("table: place", values, laws, promise_of(mechanism.guarantee), covers=covers)


def _whole_rows(name: str, rows: int) -> Path:
    """All rows of a person: what the card promises for any two that the person may have."""
    columns = {
        "a": {"type": "categories", "values": ["x", "y", "z"], "epsilon": "1", "nulls": "category"},
        "b": {"type": "numbers", "low": 0, "high": 3, "grid": "1/2", "epsilon": "1/3"},
        "c": {"type": "bits", "bits": 2, "epsilon": "ln 2"},
    }
    unit = {"unit": "who", "rows_per_person": rows, "drop": ["who"]}
    plan = Plan.read({**unit, "columns": columns})
    total = joint_guarantee(plan).total
    cells = [["x", "z", None], [-1e9, 0.25, 0.75, 3], ["00", "01", "11"]]
    records = list(itertools.product(*cells))
    values = [tuple(records[(k * 7 + j * 5) % 36] for j in range(rows)) for k in range(36)]

    def laws(values: Sequence[Any]) -> list[Law]:
        whole = [(*record, k) for k, mine in enumerate(values) for record in mine]
        table = dict(zip(("a", "b", "c", "who"), map(list, zip(*whole, strict=True)), strict=True))
        with watched() as seen:
            sanitise(pa.table(table), plan)
        return seen.laws(len(values))

    def promised(x: Any, z: Any) -> Promise:
        return total

    return Path(f"table: {name}", values, laws, promised, covers=frozenset({"joint_guarantee"}))


NEAR = [
    (40.7 + a * 1e-6, -74.0 + b * 1e-5) for a, b in itertools.product((0, 1, 2.0001, 900, -3), range(4))
]  # fmt: skip
NEAR += [(40.7, float(np.nextafter(-74.0, 0))), (40.6, -74.05), (40.75, -73.9), (40.7, -74.0)]
FAR = [*NEAR[:14], (89.9999, 0.0), (-90.0, 12.0), (0.0, 180.0), (0.0, -180.0), (0.0, 179.9999999)]
FAR += [(-33.9, 151.2), (51.5, -0.1), (90.0, 77.0)]
NORTH = [
    (78 + a * 0.1, 15 + b * 2.0) for a, b in itertools.product((-9, 0, 1e-7, 14), range(-2, 3))
]
NARROW = [*NEAR[:12], *((40.7 + k * 0.001, -74.0 + k * 0.0013) for k in range(-5, 6))]
REGION = "40.7, -74.0, 50 km"


def places() -> Iterator[Path]:
    """Noise in the plane and in space, cells, permanence, best guesses, a file, optimal channels."""
    people = {"people": ["ann"], "permanent_key": b"k" * 16}
    around = city("40.7, -74.0, 13 km", cell="5 km")  # its best guesses take seconds on 50 km
    for name, values, given in (
        ("planar", NEAR, {"region": REGION}),
        ("planar, far north", NORTH, {"region": "78, 15, 300 km"}),
        ("in space", FAR, {}),
        ("planar, cells of 50 m", NEAR, {"region": REGION, "cell": "50 m"}),
        ("planar, clamped", NEAR, {"region": REGION, "clamp": True, "eps": "1"}),
        ("planar, remapped", NEAR, {"city": around}),
        ("planar, permanent", NEAR, {"region": REGION, **people}),
        ("in space, permanent", FAR, people),
        ("planar, leaders", NEAR, {"region": REGION, **people, "whole_history": True}),
        ("in space, leaders", FAR, {**people, "whole_history": True}),
        ("planar, several reports", NEAR, {"region": REGION, "people": ["ann"], "reports": 3}),
    ):
        stated = protect_places(values[0][:1], values[0][1:], **given).data.guarantee
        yield Path(
            f"places: {name}",
            values,
            lambda values, given=given: _place_laws(values, partial(_protected, given)),
            promise_of(stated),
            covers=frozenset({"PlaceMechanism", "protect_places"}),
        )
    yield from _tracks()
    yield Path(
        "places: of a file",
        NEAR,
        lambda values: _place_laws(values, _protected_file),
        promise_of(place_mechanism(region=REGION).guarantee),
        covers=frozenset({"protect_place_file"}),
    )
    cells = city("40.7, -74, 1 km", cell="500 m")
    some = NARROW[::2]
    listed = place_list(*zip(*some, strict=True), tolerance="5 m")
    nearby = [(lat + 3e-5 * (k % 2), lon - 2e-5 * (k % 3)) for k, (lat, lon) in enumerate(2 * some)]
    for name, known, values in (("optimal", cells, NARROW), ("listed", listed, nearby)):
        found = optimal_places(known, radius="1 km", eps="ln 4")
        yield Path(
            f"places: {name}",
            values,
            lambda values, found=found: _drawn(values, found),
            promise_of(found.guarantee),
            covers=frozenset({"OptimalPlaces", "optimal_places", "protect_places"}),
        )


def _tracks() -> Iterator[Path]:
    """Tracks of one pattern: home, home again with a jitter, work, home, work with a jitter."""
    pattern, jitter = (
        (0, 0, 1, 0, 1),
        ((0.0, 0.0), (3e-4, -2e-4), (0.0, 0.0), (-1e-4, 5e-4), (0.0, 3e-4)),
    )
    ends = [(home, (home[0] + 0.04, home[1] - 0.01 * (k % 3))) for k, home in enumerate(NEAR)]
    values = [
        tuple(
            (at[leader][0] + a, at[leader][1] + b)
            for leader, (a, b) in zip(pattern, jitter, strict=True)
        )
        for at in ends
    ]
    for name, given in (("planar", {"region": REGION}), ("in space", {})):
        told = {**given, "people": ["ann"] * 5, "permanent_key": b"k" * 16, "whole_history": True}
        stated = protect_places(*zip(*values[0], strict=True), **told).data.guarantee
        assert stated.reports == 2
        one = promise_of(stated)

        def laws(tracks: Sequence[Any], told: dict[str, Any] = told) -> list[Law]:
            return [_track_law(track, told, pattern) for track in tracks]

        def promised(x: Any, z: Any, one: Any = one) -> Promise:
            return one(x[0], z[0]) + one(x[2], z[2])

        covers = frozenset({"protect_places"})
        yield Path(f"places: {name}, tracks by leaders", values, laws, promised, covers=covers)


def _track_law(track: Any, told: dict[str, Any], pattern: Sequence[int]) -> Law:
    """The noise of each leader; rows that follow one have no noise of their own."""
    rows = _place_laws(track, lambda lat, lon: protect_places(lat, lon, **told))
    leaders = [rows[pattern.index(k)] for k in range(max(pattern) + 1)]
    assert all(row == leaders[k] for row, k in zip(rows, pattern, strict=True))
    return tuple(noise for law in leaders for noise in law)


def _drawn(values: Sequence[Any], found: OptimalPlaces) -> list[Law]:
    with watched() as seen:
        protect_places(*zip(*values, strict=True), radius="1 km", optimal=found, force=True)
    return seen.laws(len(values))


def _protected(given: dict[str, Any], lat: Any, lon: Any) -> None:
    if "people" in given:
        given = {**given, "people": [f"p{k}" for k in range(len(lat))]}
    protect_places(lat, lon, **given)


def _protected_file(lat: Any, lon: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = File(folder, "in.csv")
        rows = zip(lat, lon, strict=True)
        source.write_text(
            "lat,lon\n" + "".join(f"{a!r},{b!r}\n" for a, b in rows), encoding="utf-8"
        )
        protect_place_file(source, File(folder, "out.csv"), region=REGION)


def _place_laws(values: Sequence[Any], release: Callable[[Any, Any], None]) -> list[Law]:
    centres: list[list[int]] = []
    points = PlaceMechanism.points

    def kept(mechanism: PlaceMechanism, steps: Any) -> Any:
        centres.extend(steps.tolist())
        return points(mechanism, steps)

    with watched() as seen, patch.object(PlaceMechanism, "points", kept):
        release(*(list(side) for side in zip(*values, strict=True)))
    assert not math.isnan(sum(map(sum, centres)))
    return seen.around(centres, 2)
