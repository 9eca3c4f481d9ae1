"""The table of cases: in the documentation stand the numbers that are run."""

import re
from pathlib import Path

from support.definition_cases import CASES

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "verification.md"


def test_the_documentation_has_the_numbers_that_are_run():
    rows = re.findall(
        r"^\| \**(.+?)\** \| \**([\d,]+)\** \| \**([\d,]+)\** \|$", PAGE.read_text("utf-8"), re.M
    )
    told = {
        name: (int(few.replace(",", "")), int(many.replace(",", ""))) for name, few, many in rows
    }
    sums = tuple(map(sum, zip(*CASES.values(), strict=True)))
    print("\n".join(f"{name:28} {few:6} {many:6}" for name, (few, many) in told.items()))
    assert told == {**CASES, "together": sums}
    assert sums[0] >= 2_000
    assert sums[1] >= 50_000
