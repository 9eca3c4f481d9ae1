"""Two-way tables: the stated error against the worst population, found by search; joint draws too."""

import itertools
import math
import re

import numpy as np
import pytest

from dprivacy.release import Plan, report
from dprivacy.release.sheets.crossed_answers import crossed_answers
from support.board_plans import SOUND, wide

TEA = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
CUPS = {"type": "ordered", "values": ["a", "b", "c"], "epsilon": "ln 2"}
COUNTRY = {"type": "ordered", "values": ["a", "b"], "codes": ["N"], "epsilon": "ln 2"}


def law_of(spec):
    return Plan.read({"columns": {"q": spec}}).columns[0].channel.matrix.floats


def worst(law):
    """The largest variance of a corrected share for one person: at one or two points of the simplex."""
    undone, cells = np.linalg.inv(law), len(law)
    found = 0.0
    for one, other in itertools.combinations(range(cells), 2):
        for share in np.linspace(0, 1, 201):
            p = np.zeros(cells)
            p[one], p[other] = share, 1 - share
            found = max(found, float(((p @ law) @ undone**2 - p**2).max()))
    return found


@pytest.mark.parametrize(("one", "other"), [(TEA, TEA), (TEA, CUPS), (CUPS, COUNTRY)])
def test_cells_err_by_no_more_for_any_population(one, other):
    (found,) = crossed_answers(Plan.read({"columns": {"one": one, "other": other}}))
    truth = worst(np.kron(law_of(one), law_of(other)))
    assert truth <= found.variance * (1 + 1e-9)
    assert found.variance <= truth * 1.001
    assert found.names == ("one", "other")


def test_one_draw_errs_less_than_two():
    free = {key: value for key, value in TEA.items() if key != "epsilon"}
    plan = {
        "columns": {"one": free, "other": free, "third": TEA},
        "joint": {"both": {"columns": ["one", "other"], "epsilon": "ln 9"}},
    }
    found = {pair.names: pair.variance for pair in crossed_answers(Plan.read(plan))}
    assert set(found) == {("one", "other"), ("one", "third"), ("other", "third")}
    law = np.full((4, 4), 1 / 12) + np.eye(4) * 8 / 12
    assert found["one", "other"] == pytest.approx(worst(law), rel=1e-3)
    margin = np.array([[10, 2], [2, 10]]) / 12
    apart = worst(np.kron(margin, law_of(TEA)))
    assert found["one", "third"] == pytest.approx(apart, rel=1e-3)


def test_the_sheet_has_the_best_and_the_worst_and_the_archive_all():
    plan = {"columns": {"tea": TEA, "cups": CUPS, "country": COUNTRY}}
    sheet, archive = (report(plan, rows=1000, archive=archive) for archive in (False, True))
    first, last = sheet.contents.crossed
    assert first.statistic == "cells of tea by cups (2 × 3)"
    assert last.statistic == "cells of cups by country (3 × 3)"
    assert "Of 3 two-way tables the best and the worst; the archive" in sheet.contents.learned_note
    most = 196 * math.sqrt(worst(np.kron(law_of(TEA), law_of(CUPS))) / 1000)
    told = float(re.search(r"± ([\d.]+) points", first.error)[1])
    assert most <= told <= most * 1.01 + 0.1
    assert "cells of tea by country (2 × 3)" in archive.html
    assert len(report(SOUND).contents.crossed) == len(report(wide(40)).contents.crossed) == 1


def test_numbers_and_lone_columns_are_not_crossed():
    numbers = {"type": "numbers", "low": 0, "high": 9, "grid": 1, "epsilon": "1"}
    assert crossed_answers(Plan.read({"columns": {"tea": TEA, "n": numbers}})) == []
    assert report({"columns": {"tea": TEA}}).contents.crossed == ()
