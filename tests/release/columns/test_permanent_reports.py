"""Permanent reports: repeated for the same person and value, and drawn with the mechanism's law."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from dprivacy.errors import WrongKind, WrongShape
from dprivacy.mechanisms import projective_response, subset_response, unary_response
from dprivacy.release import Ledger, prove_card, sanitise
from dprivacy.release.columns.permanent_answers import question_key
from dprivacy.release.columns.permanent_reports import PermanentReports
from dprivacy.sampling import PersonTags, lanes_of

KEY = b"k" * 32
CASES = {
    "numbers": projective_response(range(9), eps=1),
    "sets": subset_response(range(9), eps=1),
    "bits": unary_response(range(9), eps=1),
}
SPEC = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 3"}
PLAN = {"columns": {"h": {**SPEC, "mechanism": "projective_response"}}, "unit": "who"}


@pytest.mark.parametrize("name", CASES)
def test_a_report_is_drawn_from_the_stream_of_its_person_and_value(name):
    mechanism = CASES[name]
    key = question_key(KEY, "answers", mechanism, "q")
    drawn = PermanentReports(mechanism, KEY, "q").draw(np.array([4, 2, 4]), ["ann", "ann", "bob"])
    for row, (code, who) in enumerate(((4, "ann"), (2, "ann"), (4, "bob"))):
        tags = PersonTags(KEY).of_texts(np.frombuffer(who.encode(), np.uint8), np.array([0, 3]))
        stream = lanes_of(key, tags, np.array([code])).lane(0)
        (expected,) = mechanism.reports.draw(np.array([code]), stream)
        assert (drawn[row] == expected).all()
    assert len(PermanentReports(mechanism, KEY, "q").draw(np.array([], dtype=int), [])) == 0


def test_other_questions_and_keys_have_other_reports():
    people, codes = [f"p{k}" for k in range(60)], np.zeros(60, dtype=int)

    def drawn(mechanism=CASES["numbers"], key=KEY, context="q"):
        return tuple(PermanentReports(mechanism, key, context).draw(codes, people).tolist())

    turned = projective_response([*range(1, 9), 0], eps=1)
    weaker = projective_response(range(9), eps=2, q=CASES["numbers"].parameters["q"])
    found = [drawn(), drawn(turned), drawn(weaker), drawn(key=b"j" * 32), drawn(context="r")]
    assert len(set(found)) == 5
    assert drawn() == found[0]


def test_people_have_reports_with_the_law_of_the_mechanism():
    mechanism = CASES["numbers"]
    n = 4000
    drawn = PermanentReports(mechanism, KEY, "q").draw(np.full(n, 5), [f"p{k}" for k in range(n)])
    law = mechanism.channel.row(5)
    seen = Counter(drawn.tolist())
    spread = sum((seen[y] - n * float(p)) ** 2 / (n * float(p)) for y, p in law.items())
    # of χ², which has this deviation; fixed key
    assert spread < len(law) + 6 * (2 * len(law)) ** 0.5


def test_a_release_repeats_itself_and_is_charged_once(tmp_path):
    table = pd.DataFrame({"who": [f"p{k}" for k in range(40)], "h": ["a", "b", "c", "b"] * 10})
    plan = {**PLAN, "drop": ["who"]} | {"unit": "who"}
    with Ledger(tmp_path / "l.db", open=True) as ledger:
        account = ledger.account("h")
        first = sanitise(table, plan, permanent_key=KEY, ledger=account)
        again = sanitise(table, plan, permanent_key=KEY, ledger=account, again="next year")
        assert str(ledger.spent("h").eps) == "ln(3)"
    assert first.data.equals(again.data)
    assert first.card.permanent
    assert prove_card(first.card)


def test_what_is_refused():
    with pytest.raises(WrongKind, match="at least 16 secret bytes"):
        PermanentReports(CASES["bits"], b"short", "q")
    with pytest.raises(WrongShape, match="one person for each value"):
        PermanentReports(CASES["bits"], KEY, "q").draw(np.array([1, 2]), ["ann"])
