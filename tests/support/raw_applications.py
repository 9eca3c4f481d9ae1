"""What the referee looks at: curves, words, documents and hashes."""

import itertools
import json
import warnings
from collections.abc import Iterator, Sequence
from fractions import Fraction as Q
from pathlib import Path as File
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas

from dprivacy.curves import curve_mechanism, make_basis, principal_basis, protect_curves
from dprivacy.curves.coefficient_noise import SCALE, CurveMechanism
from dprivacy.hashing import (
    bit_sampling,
    laplsh,
    lshrr,
    match,
    minhash,
    random_projection,
    set_reports,
    stable_projection,
)
from dprivacy.release import (
    Plan as FilePlan,
    protect_text,
    sanitise,
    sanitise_file,
    sanitise_folder,
)
from dprivacy.text import Embedding, text_mechanism, word_mechanism
from dprivacy.text.documents.word_noise import ExponentialWords
from support.raw_laws import Law, Noise, Path, Row, promise_of, watched
from support.raw_mechanisms import drawn, either_side


def curve_values(grid: float, times: int) -> list[list[float]]:
    """Curves at ties, either side of them, near, far and equal."""
    ties = either_side(grid / 2, 3 * grid / 2)
    flat = [[level] * times for level in (*ties, 0, grid * 0.375, grid * 0.625, 1, -2, 40)]
    ramp = [[level * (k % 3) for k in range(times)] for level in (0.1, 1 / 3, 1, 7)]
    one = [[0.0] * (times - 1) + [level] for level in (grid / 2, grid, 3, -0.0)]
    return [*flat, *ramp, *one, flat[0]]


CURVES = [
    *itertools.product(("L2", "sup"), ("cosine", "fourier", "steps", "principal", "readings")),
    ("readings", "readings"),
]


def curves() -> Iterator[Path]:
    """Each distance with each basis that it goes with."""
    public = [[1, 2, 3, 5], [2, 4, 6, 1], [1, 2, 4, 4], [0, 1, 0, 1]]
    for distance, name in CURVES:
        whole = principal_basis(public) if name == "principal" else name
        for k, options in enumerate(
            ({"grid": 1}, {"grid": "0.1", "bounds": (0, 5)}, {"grid": "1/8", "on_grid": True})
        ):
            given = {"eps": ("1", "ln 2", "1/3")[k], "distance": distance, "step": "1/2", **options}
            size = 4 if name == "readings" else 3
            basis = make_basis(whole, 4, size)
            grid = float(Q(given["grid"]))
            values = curve_values(grid, 4)
            if "on_grid" in options:
                values = [[round(8 * v) / 8 for v in value] for value in values]
            kind = ("raw", "bounded", "on the grid")[k]
            yield curve_path(f"curves, {distance}, {name}, {kind}", basis, values, given)
        if distance != "readings":
            given = {"eps": 1, "distance": distance, "grid": 1, "numerics": "idealised"}
            basis = make_basis(whole, 4)
            values = curve_values(1, 4)
            yield curve_path(f"curves, {distance}, {name}, idealised", basis, values, given)


def curve_path(name: str, basis: Any, values: list[Any], given: dict[str, Any]) -> Path:
    released = protect_curves(values[:1], basis=basis, size=basis.size, **given)
    guarantee = released.data.guarantee
    assert guarantee.space == curve_mechanism(basis, **given).guarantee.space
    return Path(
        name,
        values,
        lambda values: _curve_laws(basis, values, given),
        promise_of(guarantee),
        covers=frozenset(
            {"CurveMechanism", "protect_curves", f"{given['distance']} × {basis.name}"}
        ),
    )


def _curve_laws(basis: Any, values: Sequence[Any], given: dict[str, Any]) -> list[Law]:
    seen_at = []

    def kept(mechanism: CurveMechanism, coefficients: Any) -> Any:
        seen_at.append(coefficients)
        return before(mechanism, coefficients)

    before = CurveMechanism.curves
    with watched() as seen, patch.object(CurveMechanism, "curves", kept):
        found = protect_curves(list(values), basis=basis, size=basis.size, **given).data.mechanism
    centres = seen_at[0]
    assert np.abs(centres).max() < 2**53
    if found.numerics == "idealised":
        ((level, norm),) = seen.levels
        unit = Q(float(found.step) / SCALE)
        return [(Noise(tuple(Q(u) * unit for u in row), level, norm),) for row in centres.tolist()]
    levels = [level for level, _ in seen.levels]
    assert len(levels) == centres.shape[1]
    return [
        tuple(Noise((Q(u),), level) for u, level in zip(row, levels, strict=True))
        for row in centres.tolist()
    ]


WORDS = ["tea", "coffee", "moon", "sun", "rain", "snow"]
TINY = Embedding(WORDS, [[0, 0], [3, 4], [0, 12], [0, 12.5], [0.001, 0], [1 / 3, 1 / 7]])
WIDE = Embedding(
    [f"w{k}" for k in range(21)],
    [[np.cos(k) / (1 + k % 5), np.sin(3 * k), k * 1e-9 if k % 2 else k] for k in range(21)],
)


def words() -> Iterator[Path]:
    """Single words, and documents in order and as bags."""
    for eps in ("1/1000", "1/2", 3, 40):
        mechanism = word_mechanism(WIDE, eps=eps)
        yield Path(
            f"words, exponential, ε = {eps}",
            [*WIDE.words, "unknown", "W3", "another"],
            lambda values, made=mechanism: _word_rows(made, values),
            promise_of(mechanism.guarantee),
            covers=frozenset({"ExponentialWords", "word_mechanism"}),
        )
    ideal = word_mechanism(WIDE, eps=2, noise="laplace")
    yield Path(
        "words, laplace",
        [*WIDE.words, "unknown", "W3"],
        lambda values: _noisy_words(ideal, values),
        promise_of(ideal.guarantee),
        covers=frozenset({"LaplaceWords"}),
    )
    texts = [" ".join(pair) for pair in itertools.product([*WORDS, "Zebra"], repeat=2)][::2]
    for layout in ("text", "bag"):
        made = text_mechanism(TINY, eps=1, layout=layout)
        yield Path(
            f"documents, {layout}",
            texts,
            lambda values, layout=layout: [_text_law(text, layout) for text in values],
            promise_of(made.guarantee, lambda text, made=made: made.policy.read(text, TINY).words),
            covers=frozenset({"TextMechanism", "protect_text", "released_document", layout}),
        )


def text_columns() -> Iterator[Path]:
    """Texts in a table, in lines and in a folder, of fewer, as many and more words than declared."""
    longer = ["tea coffee moon", "moon tea snow", "Zebra tea coffee"]
    texts = [
        "",
        *WORDS,
        "Zebra",
        *(" ".join(p) for p in itertools.product(WORDS, repeat=2)),
        *longer,
    ]
    for keep, release in itertools.product(("text", "bag"), (_in_table, _in_lines, _in_folder)):
        with TemporaryDirectory() as folder:
            spec = _text_spec(keep, folder)
            (column,) = FilePlan.read({"columns": {"text": spec}}).columns
        cells = column.mechanism
        names = (*cells.words.embedding.words, "")
        yield Path(
            f"texts, {keep}, {release.__name__[1:]}",
            texts[:: 1 if release is _in_table else 2],
            lambda values, keep=keep, release=release: [
                _cell_law(text, keep, release) for text in values
            ],
            promise_of(
                cells.guarantee,
                lambda text, cells=cells, names=names: [names[k] for k in cells.read(text)],
            ),
            covers=frozenset({"TextCells", "text", "sanitise_folder"}),
        )


def _text_spec(keep: str, folder: str) -> dict[str, Any]:
    place = File(folder, "words.txt")
    rows = ([word, *map(repr, row)] for word, row in zip(WORDS, TINY.vectors.tolist(), strict=True))
    place.write_text("\n".join(map(" ".join, rows)) + "\n")
    spec = {"type": "text", "epsilon": 1, "length": 2, "keep": keep, "accept_readable": True}
    return {**spec, "vocabulary": str(place), "find": []}


def _in_table(text: str, spec: dict[str, Any], folder: str) -> None:
    sanitise(pandas.DataFrame({"text": [text]}), {"columns": {"text": spec}})


def _in_lines(text: str, spec: dict[str, Any], folder: str) -> None:
    File(folder, "in.jsonl").write_text(json.dumps({"text": text}) + "\n")
    sanitise_file(f"{folder}/in.jsonl", {"columns": {"text": spec}}, f"{folder}/out.jsonl")


def _in_folder(text: str, spec: dict[str, Any], folder: str) -> None:
    File(folder, "in").mkdir()
    File(folder, "in/a.txt").write_text(text)
    plan = {"columns": {"text": spec}, "pass_through": ["file"]}
    sanitise_folder(f"{folder}/in", plan, f"{folder}/out")


def _cell_law(text: str, keep: str, release: Any) -> Law:
    """The law of a released text, from the rows that were drawn from and nothing else."""
    asked: list[list[int]] = []
    draw, rows = ExponentialWords.draw, {}

    def kept(mechanism: ExponentialWords, places: Any, source: Any) -> Any:
        asked.append(places.tolist())
        rows.update(zip(places.tolist(), mechanism.rows(places).tolist(), strict=True))
        return draw(mechanism, places, source)

    with TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        spec = _text_spec(keep, folder)
        with patch.object(ExponentialWords, "draw", kept):
            release(text, spec, folder)
    (places,) = asked
    assert len(places) == 2
    return _law_of([rows[place] for place in places], keep)


def _word_rows(mechanism: ExponentialWords, values: Sequence[str]) -> list[Law]:
    together = mechanism.rows(mechanism._places(values)).tolist()
    alone = [mechanism.rows(mechanism._places([word]))[0].tolist() for word in values]
    assert together == alone  # what stands beside a word does not change its law
    return [(Row(tuple(row)),) for row in together]


def _noisy_words(mechanism: Any, values: Sequence[str]) -> list[Law]:
    asked = []
    nearest = Embedding.nearest

    def kept(embedding: Any, vectors: Any) -> Any:
        asked.extend(vectors.tolist())
        return nearest(embedding, vectors)

    with watched() as seen, patch.object(Embedding, "nearest", kept):
        mechanism.randomise(list(values))
    return seen.around(asked, 2)


def _text_law(text: str, layout: str) -> Law:
    asked: list[list[int]] = []
    rows = ExponentialWords.rows

    def kept(mechanism: ExponentialWords, places: Any) -> Any:
        found = rows(mechanism, places)
        asked.append([*places.tolist()])
        weights.update(zip(places.tolist(), found.tolist(), strict=True))
        return found

    weights: dict[int, list[int]] = {}
    with patch.object(ExponentialWords, "rows", kept):
        protect_text(text, embedding=TINY, eps=1, layout=layout)
    mechanism = text_mechanism(TINY, eps=1, layout=layout)
    read = mechanism.policy.read(text, TINY).words
    places = mechanism.words._places(read).tolist()
    assert set(places) == set(itertools.chain(*asked))
    return _law_of([weights[place] for place in places], layout)


def _law_of(factors: list[list[int]], layout: str) -> Law:
    if layout == "text":
        return tuple(Row(tuple(row)) for row in factors)
    bags: dict[tuple[int, ...], int] = {}
    for outcome in itertools.product(range(len(WORDS)), repeat=len(factors)):
        weight = 1
        for row, y in zip(factors, outcome, strict=True):
            weight *= row[y]
        bag = tuple(sorted(outcome))
        bags[bag] = bags.get(bag, 0) + weight
    return (Row(tuple(bags[bag] for bag in sorted(bags))),)


SETS = [set(items) for n in range(4) for items in itertools.combinations("abcdefgh", n)][::4]
VECTORS = [[np.cos(k), np.sin(2 * k), (k % 4) / 3, 10.0 ** (k % 3 - 1)] for k in range(20)] + [
    [1, 0, 0, 0], [1, 5e-324, 0, 0]]  # fmt: skip


def hashes() -> Iterator[Path]:
    """Hash first or noise first, each hash; sets of items, once and for good; matches of reports."""
    bits = [list(row) for row in itertools.product((0, 1), repeat=5)]
    for function, values in (
        (random_projection(4, bits=16, key="demo"), VECTORS),
        (stable_projection(4, bits=16, key="demo", width=1), VECTORS),
        (minhash(bits=16, key="demo"), SETS[1:]),
        (bit_sampling(5, bits=8, key="demo"), bits),
    ):
        mechanism = lshrr(function, eps="ln 3")
        yield Path(
            f"lshrr, {function.metric}",
            values,
            lambda values, made=mechanism: _matched(made, values),
            promise_of(mechanism.guarantee),
            covers=frozenset({"HashResponse", "match", function.metric}),
        )
    noise = laplsh(random_projection(4, bits=16, key="demo"), eps="1/3", numerics="idealised")
    yield Path(
        "laplsh",
        VECTORS,
        lambda values: _around_hashed(noise, values),
        promise_of(noise.guarantee),
        covers=frozenset({"HashOfNoise"}),
    )
    made = set_reports(bits=32, key="demo", eps="ln 3", yes="3/4", no="1/4")
    promised = promise_of(made.guarantee)
    covers = frozenset({"SetReports"})
    yield Path("set reports", SETS, drawn(made), promised, covers=covers)
    yield Path(
        "set reports, permanent", SETS, lambda v: _permanent(made, v), promised, covers=covers
    )


def _matched(mechanism: Any, values: Sequence[Any]) -> list[Law]:
    with watched() as seen:
        reports = mechanism.randomise(list(values))
        match(reports, k=1, mechanism=mechanism)
    return seen.laws(len(values))


def _around_hashed(mechanism: Any, values: Sequence[Any]) -> list[Law]:
    with watched() as seen:
        mechanism.randomise(list(values))
        vectors = mechanism.noise.randomise(list(values))
    return seen.around(vectors.tolist(), 2)


def _permanent(mechanism: Any, values: Sequence[Any]) -> list[Law]:
    with watched() as seen:
        mechanism.permanent(list(values), people=["ann"] * len(values), secret_key=b"k" * 16)
    return seen.laws(len(values))
