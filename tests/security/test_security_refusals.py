"""What must be refused is refused, and no message ever holds a secret."""

import math
import traceback
import warnings

import numpy as np
import pytest

from dprivacy.curves import protect_curves, read_days
from dprivacy.errors import (
    BadLevel,
    DPrivacyError,
    DuplicateLabel,
    Malformed,
    NotAMetric,
    UnknownCategory,
)
from dprivacy.hashing import lshrr, random_projection
from dprivacy.mechanisms import (
    any_metric,
    bitwise_response,
    exponential,
    geometric,
    integer_geometric,
    laplace,
    oblivious,
    over_rows,
    over_truncated,
    planar_laplace,
    randomised_response,
    sequential,
    vector_laplace,
)
from dprivacy.spaces import discrete, from_table, hamming_cube, line
from dprivacy.text import text_mechanism

LABELS = ["tea", "coffee", "water"]
LABELLED = {
    "response": randomised_response(LABELS, eps=1),
    "exponential": exponential(discrete(LABELS), eps=1),
    "any": any_metric(discrete(LABELS), eps=1),
    "oblivious": oblivious(geometric(line([3, 5, 6]), eps=1), len, discrete(LABELS)),
    "sequential": sequential(*[randomised_response(LABELS, eps=1)] * 2),
}
NUMBERED = {
    "laplace": laplace(0, 10, eps=1, grid=1),
    "wide": laplace(0, 10**5, eps=1, grid=1),
    "integers": integer_geometric(eps=1),
}
TUPLED = {
    "rows": over_rows(randomised_response([0, 1], eps=1), 2),
    "bits": bitwise_response(2, eps=1),
    "planar": planar_laplace(eps=1),
    "vector": vector_laplace(2, eps=1, numerics="idealised"),
    "count": oblivious(geometric(3, eps=1), sum, hamming_cube(2)),
}
HASHES = lshrr(random_projection(bits=4, key="k"), eps=1)
WORDS = text_mechanism(None, eps=1, unknown="refuse")
CANARIES = [f"canary{k:04d}xq" for k in range(40)]


def silent(action, canaries) -> DPrivacyError:
    """Run what must be refused; nothing that could be printed or logged holds a canary."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(DPrivacyError) as refused:
            action()
    error = refused.value
    shown = [str(error), repr(error), *map(repr, error.args)]
    shown += traceback.format_exception(error)[-1:]
    shown += [line for line in traceback.format_exception(error) if not line.startswith("  File")]
    shown += [str(warning.message) for warning in caught]
    assert error.__cause__ is None
    for text in shown:
        for canary in canaries:
            assert str(canary) not in text
    return error


@pytest.mark.parametrize("name", LABELLED)
@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda v: np.array(v, dtype=object), iter])
def test_a_strange_category_is_named_by_its_row(name, kind):
    for row, canary in enumerate(CANARIES):
        values = ["tea"] * row + [canary, "coffee", canary]
        error = silent(lambda values=values: LABELLED[name].randomise(kind(values)), CANARIES)
        assert isinstance(error, UnknownCategory)
        assert f"row {row} " in str(error)


@pytest.mark.parametrize("name", LABELLED)
def test_strange_things_of_every_kind(name):
    secret = 90210.125
    for stranger in (
        secret,
        [secret],
        {secret: 1},
        (secret,),
        np.array([secret, 1]),
        None,
        math.nan,
        b"90210",
    ):
        silent(lambda s=stranger: LABELLED[name].randomise(["tea", s]), ["90210"])
    for whole in ("90210.125", 90210.125, b"90210"):
        error = silent(lambda w=whole: LABELLED[name].randomise(w), ["90210"])
        assert isinstance(error, Malformed)


@pytest.mark.parametrize("name", NUMBERED)
def test_numbers_that_are_none(name):
    mechanism = NUMBERED[name]
    for canary in CANARIES[:10]:
        silent(lambda c=canary: mechanism.randomise([1, c]), CANARIES)
        silent(lambda c=canary: mechanism.randomise(np.array([1, c], dtype=object)), CANARIES)
        silent(lambda c=canary: mechanism.randomise(c), CANARIES)
    for bad in (math.nan, math.inf, -math.inf):
        error = silent(lambda b=bad: mechanism.randomise([4321.0, b, 9876.0]), ["4321", "9876"])
        assert "row 1 " in str(error)
    silent(lambda: mechanism.randomise([7 * 10**400]), ["7" + "0" * 50])
    silent(lambda: mechanism.randomise(np.array([90210.125 + 2j])), ["90210"])


def test_a_number_too_far_away_is_not_shown():
    silent(lambda: NUMBERED["integers"].randomise([9.0210125e300]), ["9.02", "9021"])
    silent(lambda: TUPLED["planar"].randomise([[9.0210125e300, 0]]), ["9.02", "9021"])


@pytest.mark.parametrize("name", TUPLED)
def test_tuples_that_are_none(name):
    mechanism = TUPLED[name]
    for canary in CANARIES[:10]:
        silent(lambda c=canary: mechanism.randomise([(0, 1), (c, 1)]), CANARIES)
        silent(lambda c=canary: mechanism.randomise([(0, 1), c]), CANARIES)
        silent(lambda c=canary: mechanism.randomise([(0, 1), (c, 1, 1)]), CANARIES)
    silent(lambda: mechanism.randomise([(0, 1), (90210.5j, 1)]), ["90210"])
    silent(lambda: mechanism.randomise([(0, 1), (math.nan, 90210)]), ["90210"])


@pytest.mark.parametrize(
    "mechanism", [*LABELLED.values(), *NUMBERED.values(), *TUPLED.values()], ids=repr
)
def test_a_mechanism_remembers_nothing_of_what_it_saw(mechanism):
    """After a run neither its repr nor its attributes hold a value that went through it."""
    before = repr(mechanism)
    for values in (["tea", "water"], [4, 5], [(0, 1), (1, 1)], np.array([[0.0, 1.0]])):
        try:
            mechanism.randomise(values)
        except DPrivacyError:
            continue
    assert repr(mechanism) == before


def test_masked_values_are_nulls():
    hidden = np.ma.array([1, 90210], mask=[False, True])
    for mechanism in (geometric(3, eps=1), *NUMBERED.values()):
        error = silent(lambda m=mechanism: m.randomise(hidden), ["90210"])
        assert "row 1 " in str(error)


BUILDERS = [
    lambda eps: randomised_response(LABELS, eps=eps),
    lambda eps: geometric(3, eps=eps),
    lambda eps: over_truncated(3, [0, 1], eps=eps),
    lambda eps: exponential(line(3), eps=eps),
    lambda eps: any_metric(line(3), eps=eps),
    lambda eps: bitwise_response(3, eps=eps),
    lambda eps: laplace(0, 10, eps=eps, grid=1),
    lambda eps: integer_geometric(eps=eps),
    lambda eps: planar_laplace(eps=eps),
    lambda eps: vector_laplace(3, eps=eps, numerics="idealised"),
]


@pytest.mark.parametrize("build", BUILDERS)
@pytest.mark.parametrize(
    "eps",
    [0, 0.0, -0.0, -1, "-1", "ln 1", "ln(1/2)", math.nan, math.inf, -math.inf, True, False,
     np.nan, np.inf, np.bool_(True), "nan", "inf", "", None, [], 1j],
)  # fmt: skip
def test_a_level_is_a_positive_number(build, eps):
    with pytest.raises(BadLevel):
        build(eps)


def test_duplicates_after_normalisation():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    for labels in (
        ["tea", "tea"],
        [composed, decomposed],
        [(composed, 1), (decomposed, 1)],
        [1, 1.0],
    ):
        with pytest.raises(DuplicateLabel):
            randomised_response(labels, eps=1)
        with pytest.raises(DuplicateLabel):
            discrete(labels)


def test_reals_need_a_grid():
    floats = line([0.1, 0.2, 0.35])
    for build in (geometric, randomised_response, exponential, any_metric):
        with pytest.raises(Malformed, match="exact"):
            build(floats, eps=1)
    with pytest.raises(TypeError, match="grid"):
        laplace(0.0, 1.0, eps=1)


@pytest.mark.parametrize(
    "table",
    [
        [[0, 1, 5], [1, 0, 1], [5, 1, 0]],
        [[0, 1, 2], [2, 0, 1], [2, 1, 0]],
        [[1, 1, 2], [1, 0, 1], [2, 1, 0]],
        [[0, 0, 2], [0, 0, 2], [2, 2, 0]],
        [[0, "inf", 2], ["inf", 0, 1], [2, 1, 0]],
        [[0, -1, 2], [-1, 0, 1], [2, 1, 0]],
    ],
)
def test_tables_that_are_no_metric(table):
    with pytest.raises((NotAMetric, Malformed)):
        any_metric(from_table(["a", "b", "c"], table), eps=1)


def test_a_message_is_one_line_that_a_terminal_can_show():
    """Names of columns come from files: none may break the line or command the terminal."""
    error = Malformed("column 'a\nb\x1b[2J\u202e\udc80' is missing: ε·√2 ≤ é")
    assert str(error) == r"column 'a\nb\x1b[2J\u202e\udc80' is missing: ε·√2 ≤ é"
    shown = "".join(traceback.format_exception_only(error))
    assert shown.rstrip("\n").isprintable()


def days_of(folder, *lengths):
    lines = [
        f"h{day},2026-01-0{day} {hour:02}:00,1"
        for day, n in enumerate(lengths, 1)
        for hour in range(n)
    ]
    (folder / "in.csv").write_text("\n".join(["home,time,kwh", *lines, ""]))
    return read_days(folder / "in.csv", long=["home", "time", "kwh"], per_day=3)


def readings_of(folder, *values):
    lines = [f"h1,2026-01-01 {hour:02}:00,1" for hour in values]
    (folder / "in.csv").write_text("\n".join(["home,time,kwh", *lines, ""]))
    return read_days(folder / "in.csv", long=["home", "time", "kwh"], per_day=3)


HOW_MANY = {
    "labels": (lambda _, x: LABELLED["response"].randomise(["tea", *x]), ["gin"], ["gin", "rum"]),
    "numbers": (lambda _, x: NUMBERED["laplace"].randomise([1, *x]), [math.nan], [math.inf] * 3),
    "tuples": (lambda _, x: TUPLED["planar"].randomise(x), [(math.nan, 1)], [(math.inf, 1)] * 2),
    "curves": (
        lambda _, x: protect_curves([x, [1, 2]], eps=1, grid=1), [1, math.nan], [1, math.inf],
    ),
    "more curves": (
        lambda _, x: protect_curves([[1, math.nan], x], eps=1, grid=1), [1, 2], [math.inf] * 2,
    ),
    "on the grid": (
        lambda _, x: protect_curves([[0.5, x]], eps=1, grid=1, on_grid=True), 1, 0.25,
    ),
    "days": (lambda folder, x: days_of(folder, *x), [3, 2, 3], [3, 1, 1]),
    "readings": (lambda folder, x: readings_of(folder, *x), [1, 1, 2], [1, 1, 1]),
    "ratings": (lambda _, x: HASHES.randomise(x), [[0, 0], [1, 0]], [[0, 0], [0, 0]]),
    "words": (lambda _, x: WORDS.protect(x), "zq is here", "zq zq zq"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOW_MANY)
def test_a_refusal_names_a_row_and_not_how_many_are_like_it(kind, tmp_path):
    action, one, several = HOW_MANY[kind]
    told = []
    for secret in (one, several):
        with pytest.raises(DPrivacyError) as caught:
            action(tmp_path, secret)
        told.append(str(caught.value))
    assert told[0] == told[1]
