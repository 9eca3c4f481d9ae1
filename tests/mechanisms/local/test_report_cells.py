"""Reports as cells: written, read back, counted; and everything else is refused without being shown."""

import numpy as np
import pytest

from dprivacy.errors import UnknownCategory
from dprivacy.mechanisms import (
    hashed_response,
    projective_response,
    subset_response,
    unary_response,
)
from dprivacy.mechanisms.local.report_cells import cell_form, cells_of, counts_in, reports_in

CASES = {
    "projective": projective_response(range(30), eps=1),
    "hashed": hashed_response(range(30), eps=1),
    "subset": subset_response(range(30), eps=1),
    "unary": unary_response(range(30), eps=1),
}
STRANGE = {
    "projective": ["-1", "40000", "01", "1.5", 1.5, True, None, "", "x", "1 2", "1e1", "٣"],
    "hashed": ["-1", "40000", None],
    "subset": ["", "1 2", "2 1 0 3 4 5 6 7", "0 1 2 3 4 5 6 30", "0  1 2 3 4 5 6 7", None, 7],
    "unary": [
        "",
        "x",
        "x00",
        "x0000000f0",
        "x000000c0",
        "X00000000",
        "00000000",
        "x0000000G",
        None,
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_every_report_is_read_back_as_it_was_drawn(name):
    mechanism = CASES[name]
    drawn = np.asarray(mechanism.randomise(np.arange(30).repeat(4)))
    cells = cells_of(mechanism, drawn)
    assert (reports_in(mechanism, cells) == drawn).all()
    assert (reports_in(mechanism, [str(cell) for cell in cells]) == drawn).all()


def test_each_family_has_its_form():
    assert [cell_form(CASES[name]) for name in CASES] == [
        "the number of the report",
        "the number of the report",
        "the positions of the set's labels, from 0, rising",
        "x and a bit for each label in hexadecimal, the first label in the lowest bit of the first "
        "byte",
    ]
    eight = subset_response(range(30), eps=1, size=3)
    assert cells_of(eight, np.array([[0, 7, 29]])) == ["0 7 29"]
    bits = np.zeros((1, 4), dtype=np.uint8)
    bits[0, 0] = 0b10000001  # labels 0 and 7
    assert cells_of(CASES["unary"], bits) == ["x81000000"]


@pytest.mark.parametrize("name", CASES)
def test_counts_of_cells_are_counts_of_reports(name):
    mechanism = CASES[name]
    drawn = np.asarray(mechanism.randomise(np.arange(30)))
    tally = dict(zip(list(cells_of(mechanism, drawn)), [1, 2, 5] * 10, strict=False))
    repeated = [cell for cell, times in tally.items() for _ in range(times)]
    expected = mechanism.count(reports_in(mechanism, repeated))
    found = counts_in(mechanism, tally)
    assert (found.n, found.counters.tolist()) == (expected.n, expected.counters.tolist())


@pytest.mark.parametrize(("name", "cell"), [(n, c) for n in STRANGE for c in STRANGE[n]])
def test_other_cells_are_refused_without_being_shown(name, cell):
    mechanism = CASES[name]
    good = list(cells_of(mechanism, np.asarray(mechanism.randomise(np.arange(30)))))[:1]
    with pytest.raises(
        UnknownCategory, match=f"1 of 2 different cells hold no report of {name}_resp"
    ):
        reports_in(mechanism, [*good, cell])


def test_whole_numbers_may_come_as_doubles():
    assert reports_in(CASES["projective"], [3.0, np.float64(4), np.int32(5)]).tolist() == [3, 4, 5]
