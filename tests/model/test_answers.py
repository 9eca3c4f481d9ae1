"""Verdicts in words and as data."""

import json

import pytest

from dprivacy.model import Verdict


@pytest.mark.parametrize(
    ("holds", "exact", "status", "words"),
    [
        (True, True, "proved", "Yes: x < 1 (proved exactly)."),
        (False, True, "refuted", "No: x ≥ 1 (disproved exactly)."),
        (True, False, "measured", "Yes: x < 1 (measured in floats, ±1e-15)."),
        (False, False, "measured to fail", "No: x ≥ 1 (measured in floats, ±1e-15)."),
        (None, False, "undecided", "Undecided: floats cannot tell whether x < 1 (±1e-15)."),
    ],
)
def test_verdicts(holds, exact, status, words) -> None:
    verdict = Verdict("x < 1", holds, exact, 0.0 if exact else 1e-15, denial="x ≥ 1")
    assert bool(verdict) is (holds is True)
    assert verdict.status == status
    assert verdict.explain() == str(verdict) == words
    inside = words.replace("<", "&lt;")
    assert (
        verdict._repr_html_()
        == f'<pre style="white-space: pre-wrap; word-break: normal">{inside}</pre>'
    )
    data = json.loads(json.dumps(verdict.to_dict()))
    assert (data["holds"], data["status"]) == (holds, status)
    with pytest.raises(AttributeError):
        verdict.holds = True
