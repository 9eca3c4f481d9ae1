"""What a rounded print says of the matrix that was printed."""

import itertools
import random
import string
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadNumber, DPrivacyError, NotApplicable, NotStochastic
from dprivacy.flow import capacity
from dprivacy.model import as_channel, printed
from dprivacy.store import save
from dprivacy.verify import privacy


def corners(low, high):
    """The vertices of a box cut by the plane where coordinates sum to 1: all but one at an end."""
    n = len(low)
    for free in range(n):
        ends = [(low[k], high[k]) for k in range(n) if k != free]
        for others in itertools.product(*ends):
            rest = 1 - sum(others)
            if low[free] <= rest <= high[free]:
                yield (*others[:free], rest, *others[free:])


def test_both_ends_of_an_interval_are_reached_by_a_row_that_sums_to_1():
    rng = random.Random(20)
    for _ in range(200):
        n, k = rng.randint(1, 4), rng.randint(1, 3)
        weights = [rng.randint(0, 60) for _ in range(n)]
        weights[0] += 1
        row = [round(Q(w, sum(weights)), k) for w in weights]
        found = printed([[f"{float(p):.{k}f}" for p in row]])
        half = Q(1, 2 * 10**k)
        box = [max(p - half, Q(0)) for p in row], [min(p + half, Q(1)) for p in row]
        reached = list(zip(*corners(*box), strict=True))
        assert [min(values) for values in reached] == list(found.low[0])
        assert [max(values) for values in reached] == list(found.high[0])


@pytest.mark.parametrize(
    ("rows", "low", "high"),
    [
        ([["0.333", "0.333", "0.334"], ["0.5", "0.25", "0.25"]], "0.3325", "0.3335"),
        ([["0.5", "0.25", "0.25"], ["0.333", "0.333", "0.334"]], "0.4995", "0.5005"),  # no zeros
        ([["0.3", "0.333", "0.367"]], "0.299", "0.301"),  # ±0.05, but for the others
        ([["0.3", "0.4", "0.300"]], "0.25", "0.35"),
        ([["1/3", "0.333", "0.333"]], "1/3", "1/3"),  # a fraction is exact
        ([["0.4477", "0.5523"], ["0.0003929", "0.9996"]], "0.44765", "0.44775"),  # four digits
        ([["0", "1"], ["0.0003929", "0.9996"]], "0", "0.00000005"),
        ([["1.5e-05", "0.49998", "0.50000"]], "0.0000145", "0.0000155"),
        ([["0.33333333333333333333"] * 3], "0.333333333333332833", "0.333333333333333833"),
    ],
)
def test_how_far_an_entry_may_be_off(rows, low, high):
    found = printed(rows)
    assert float(found.low[0][0]) == pytest.approx(float(Q(low)), rel=1e-13)
    assert float(found.high[0][0]) == pytest.approx(float(Q(high)), rel=1e-13)


def test_decimals_may_be_said():
    found = printed([[0.5, 0.5]], decimals=3)
    assert found.high[0][0] == Q("0.5005")
    with pytest.raises(BadNumber, match="decimals"):
        printed([["0.5", "0.5"]], decimals=-1)


@pytest.mark.parametrize(
    ("row", "accepted"),
    [
        (["0.333", "0.333", "0.333"], True),
        (["0.334", "0.334", "0.334"], False),
        (["0.333", "0.333", "0.332"], False),
        (["0.2", "0.2", "0.2", "0.2"], True),  # four quarters, as Python prints them
        (["0.70", "0.20"], False),
        (["0.0"] * 20, False),  # many small entries may be, but nothing is known of them
        (["0.7000", "0", "0.2"], False),  # short columns do not explain a miss
        (["1/3", "1/3", "1/4"], False),
        (["0.000628", "0.749", "0.25"], True),  # three significant digits
        (["6.28e-04", "7.49e-01", "2.50e-01"], True),
        (["6.28e-04", "7.48e-01", "2.50e-01"], False),
        (["0.333333333333333", "0.333333333333333", "0.333333333333333"], True),
    ],
)
def test_rows_may_miss_1_by_what_rounding_explains(tmp_path, row, accepted):
    file = tmp_path / "m.csv"
    file.write_text(
        "," + ",".join(string.ascii_letters[: len(row)]) + "\nx," + ",".join(row) + "\n"
    )
    if accepted:
        assert printed([row]).normalised().exact
        assert privacy(file, "discrete").at_least is not None
        with pytest.raises(NotStochastic, match=r"this is a print.*normalise"):
            as_channel(file)
        return
    with pytest.raises(NotStochastic, match="does not explain"):
        printed([row])
    for question in (as_channel, lambda path: privacy(path, "discrete")):
        with pytest.raises(NotStochastic):
            question(file)


def test_other_questions_need_one_channel():
    print_ = printed([["0.67", "0.33"], ["0.33", "0.67"]])
    with pytest.raises(NotApplicable, match="normalised"):
        capacity(print_)
    assert capacity(print_.normalised()) == Q("1.34")


def test_a_stored_channel_is_no_print(tmp_path):
    save(as_channel([["1/2", "1/2"]]), tmp_path / "c.json")
    with pytest.raises(NotApplicable, match="stored numbers"):
        printed(tmp_path / "c.json")
    for bad in ([], [[]], [["x"]], [["0.5", "0.5"], ["1"]]):
        with pytest.raises(DPrivacyError):
            printed(bad)
