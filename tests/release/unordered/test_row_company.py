"""Among which rows a row hides."""

from fractions import Fraction

import pyarrow as pa
import pytest

from dprivacy.errors import NotApplicable, PrivacyLeakWarning
from dprivacy.release.unordered.row_company import company_of
from support.release_tables import plan_of

DELTA = Fraction(1, 10**6)


def test_the_smallest_group_is_what_the_card_says():
    plan = plan_of(pass_through=["town"])
    table = pa.table({"town": ["Ulm"] * 40 + ["Bonn"] * 30})
    company = company_of([table.slice(0, 50), table.slice(50)], plan, DELTA)
    assert (company.block["n"], company.block["smallest_group"]) == (70, 30)
    assert company.groups.number == 2


def test_a_row_alone_is_refused():
    with pytest.raises(NotApplicable, match="alone"):
        company_of([pa.table({"town": ["Ulm", "Bonn"]})], plan_of(pass_through=["town"]), DELTA)


def test_delta_is_held_against_the_smallest_group():
    table = pa.table({"town": ["Ulm"] * 40 + ["Bonn"] * 30})
    with pytest.warns(PrivacyLeakWarning, match="for n = 30 rows"):
        company_of([table], plan_of(pass_through=["town"]), Fraction(1, 30))
