"""Several randomised columns: the product channel that is never built, and its errors."""

import math

import numpy as np
import pytest

from dprivacy import errors
from dprivacy.estimation import estimate
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import parallel

R = randomised_response(["yes", "no"], eps="ln 3")
G = geometric(3, eps="ln 2")
COUNTS = np.array([[120, 40, 60], [30, 80, 70]])


@pytest.mark.parametrize("estimator", ["ibu", "inverse"])
def test_the_same_as_through_the_product_channel(estimator) -> None:
    table = estimate([R, G], COUNTS, estimator=estimator)
    product = parallel(R.channel, G.channel)
    flat = estimate(
        product,
        dict(zip(product.columns, COUNTS.ravel().tolist(), strict=True)),
        estimator=estimator,
    )
    assert table.labels == (("yes", "no"), (0, 1, 2))
    assert table.counts.ravel() == pytest.approx([float(c) for c in flat.counts.values()], abs=0.02)
    for of in ("table", "population"):
        assert table.errors(of=of).ravel() == pytest.approx(list(flat.errors(of=of).values()))
    low, high = table.intervals
    ends = list(flat.intervals.values())
    assert low.ravel() == pytest.approx([a for a, _ in ends], abs=0.02)
    assert high.ravel() == pytest.approx([b for _, b in ends], abs=0.02)
    assert table.cell("no", 2) == pytest.approx(
        (float(flat.counts["no", 2]), flat.standard_errors["no", 2]), rel=1e-3
    )


def test_marginals_are_those_of_one_column() -> None:
    table = estimate([R, G], COUNTS, estimator="inverse")
    alone = estimate(G, dict(enumerate(COUNTS.sum(axis=0).tolist())), estimator="inverse")
    column = table.marginal(1)
    assert column.counts == pytest.approx([float(c) for c in alone.counts.values()])
    assert column.standard_errors == pytest.approx(list(alone.standard_errors.values()))
    assert column.labels == ((0, 1, 2),)
    turned = table.marginal(1, 0)
    assert turned.counts == pytest.approx(table.counts.T)
    assert turned.standard_errors == pytest.approx(table.standard_errors.T)
    assert turned.labels == (table.labels[1], table.labels[0])


def test_three_columns_and_one_that_was_not_randomised() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 50, size=(2, 4, 3))
    table = estimate([R, None, G], counts, estimator="inverse")
    for k in range(4):
        slice_ = estimate([R, G], counts[:, k], estimator="inverse")
        assert table.counts[:, k] == pytest.approx(slice_.counts)
    pair = table.marginal(2, 0)
    direct = estimate([G, R], counts.sum(axis=1).T, estimator="inverse")
    assert pair.counts == pytest.approx(direct.counts)
    assert pair.standard_errors == pytest.approx(direct.standard_errors)


@pytest.mark.slow
def test_errors_by_simulation() -> None:
    rng = np.random.default_rng(1)
    truth = np.array([[400, 50, 150], [100, 200, 100]])
    mechanisms = [R.channel.matrix.floats, G.channel.matrix.floats]
    found, claimed = [], []
    for _ in range(1500):
        noisy = np.zeros((2, 3))
        for (i, j), count in np.ndenumerate(truth):
            joint = np.outer(mechanisms[0][i], mechanisms[1][j])
            noisy += rng.multinomial(count, joint.ravel()).reshape(2, 3)
        table = estimate([R, G], noisy, estimator="inverse")
        found.append(table.counts)
        claimed.append(table.standard_errors)
    assert np.mean(found, axis=0) == pytest.approx(truth, abs=4 * np.max(claimed) / math.sqrt(1500))
    assert np.std(found, axis=0) == pytest.approx(np.mean(claimed, axis=0), rel=0.08)


def test_a_column_that_cannot_be_inverted() -> None:
    useless = [["1/2", "1/2"], ["1/2", "1/2"]]
    table = estimate([useless, G], COUNTS)
    assert np.isinf(table.standard_errors).all()
    assert "cannot be inverted" in table.explain()
    assert np.isfinite(table.marginal(1).standard_errors).all()
    with pytest.raises(errors.NotInvertible):
        estimate([useless, G], COUNTS, estimator="inverse")


def test_a_printed_table_has_its_margins() -> None:
    G, R = geometric(3, eps="ln 2"), randomised_response(["a", "b"], eps="ln 3")
    found = estimate([G, R], [[30, 10], [20, 25], [5, 10]])
    lines = str(found).splitlines()
    assert lines[1].split() == ["a", "b", "all"]
    down = found.marginal(0)
    for k, line in enumerate(lines[2:5]):
        assert line.endswith(f"{down.counts[k]:.1f} ± {down.standard_errors[k]:.1f}")
    assert lines[5].split()[0] == "all"
    assert lines[5].split()[-1] == "100"


def test_words_and_data() -> None:
    table = estimate([R, G], COUNTS)
    assert "TableEstimate(ibu, n = 400, 2×3)" in repr(table)
    assert " ± " in repr(table)
    assert table.converged
    assert table.shares.sum() == pytest.approx(1)
    assert table.to_dict()["labels"] == [["yes", "no"], [0, 1, 2]]
    assert "negative" in estimate([R, G], [[9, 0, 0], [0, 0, 9]], estimator="inverse").explain()


def test_three_axes_are_printed_in_blocks_with_margins_of_their_own():
    cube = estimate([R, R, R], np.arange(8.0).reshape(2, 2, 2), estimator="inverse")
    lines = [line.split() for line in repr(cube).splitlines()]
    assert lines[1] == ["yes", "no", "all"]
    first = cube.cell("yes", "yes", "yes")
    assert lines[2][:5] == ["yes", "yes", f"{first[0]:.1f}", "±", f"{first[1]:.1f}"]
    assert [line[0] for line in lines[2:]] == [
        "yes",
        "no",
        "all",
        "no",
        "no",
        "all",
        "all",
        "no",
        "all",
    ]
    margin = cube.marginal(0, 1)
    assert lines[2][-3:] == [
        f"{margin.counts[0, 0]:.1f}",
        "±",
        f"{margin.standard_errors[0, 0]:.1f}",
    ]


@pytest.mark.parametrize("shape", [(2, 2, 2, 2), (2, 14)])
def test_larger_tables_are_printed_one_line_a_cell(shape):
    table = estimate([None] * len(shape), np.ones(shape), estimator="inverse")
    lines = repr(table).splitlines()
    assert len(lines) == 2 + table.counts.size
    assert lines[1].split()[-6:] == ["count", "±", "s.e.", "95", "%", "interval"]
    many = estimate([None, None], np.ones((10, 20)), estimator="inverse")
    assert "… and 140 more" in repr(many)


def test_the_long_form_has_a_row_for_every_cell():
    table = estimate([R, G], np.arange(6.0).reshape(2, 3), estimator="inverse")
    long = table.long_form()
    assert long.keys == ("axis 1", "axis 2")
    assert len(long.rows) == 6
    row = long.rows[4]
    assert row[:2] == ("no", 1)
    assert row[2:4] == table.cell("no", 1)
    assert row[-2:] == ("table", "score")


@pytest.mark.parametrize(
    ("channels", "counts", "error", "words"),
    [
        ([R], COUNTS, errors.SpaceMismatch, "a table with 2 axes needs as many channels, not 1"),
        ([G, R], COUNTS, errors.SpaceMismatch, r"shape \(3, 2\)"),
        ([R, G], np.zeros((2, 3)), errors.NotApplicable, "no answers to estimate from"),
        ([R, G], -COUNTS, errors.BadNumber, "at least 0"),
        ([R, G], COUNTS * math.nan, errors.BadNumber, "finite"),
        ([R, G], [["a"]], errors.WrongKind, "array of numbers"),
        ([], 3, errors.WrongShape, "an axis for each channel"),
    ],
)
def test_bad_tables(channels, counts, error, words) -> None:
    with pytest.raises(error, match=words):
        estimate(channels, counts)
    with pytest.raises(errors.UnknownName, match="estimator"):
        estimate([R, G], COUNTS, estimator="projected")
    for axes in ((), (2,), (0, 0)):
        with pytest.raises(errors.BadNumber, match="axes"):
            estimate([R, G], COUNTS, estimator="inverse").marginal(*axes)
