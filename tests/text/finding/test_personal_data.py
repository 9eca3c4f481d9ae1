"""Personal data in texts: how much is found in labelled sentences, by kind, and in what time."""

import pytest

from dprivacy.errors import UnknownName
from dprivacy.text import find_personal
from dprivacy.text.finding.personal_data import KINDS
from support.labelled_texts import labelled, scores

# Found and all marks, right and all finds: what is on the page; `third` was written before the rules.
MEASURED = {
    "tuned": ((269, 269), (269, 281)),
    "held": ((46, 55), (49, 50)),
    "third": ((61, 68), (67, 72)),
}
THIRD = {  # marks found of all, by kind
    "name": (25, 28), "email": (5, 5), "phone": (7, 7), "card": (3, 3), "iban": (2, 2), "date": (6, 6),
    "link": (3, 3), "handle": (2, 2), "address": (4, 5), "id": (3, 5), "ip": (1, 2),
}  # fmt: skip


def spans(text):
    return [(found.kind, found.start, found.end) for found in find_personal(text)]


@pytest.mark.parametrize("name", MEASURED)
def test_what_is_found_of_labelled_sentences(name):
    hit, marks, right, finds = (sum(c.values()) for c in scores(labelled(name), spans))
    assert ((hit, marks), (right, finds)) == MEASURED[name]


def test_the_third_set_by_kind():
    hit, marks, _, _ = scores(labelled("third"), spans)
    assert {kind: (hit[kind], marks[kind]) for kind in KINDS} == THIRD


def test_finds_do_not_overlap_and_are_in_order():
    for name in MEASURED:
        for text, _ in labelled(name):
            found = find_personal(text)
            ends = [0, *(one.end for one in found)]
            assert all(end <= one.start < one.end for end, one in zip(ends, found, strict=False))


def test_numbers_without_their_check_digits_are_no_cards_and_no_accounts():
    kinds = {f.kind for f in find_personal("4111 1111 1111 1112 and GB29NWBK60161331926818")}
    assert not kinds & {"card", "iban"}


def test_only_what_is_asked_for_comes_out():
    note = "Maria has the card 4111 1111 1111 1111."
    assert [f.kind for f in find_personal(note, kinds=["phone"])] == []
    assert [f.kind for f in find_personal(note, kinds=["card"])] == ["card"]
    with pytest.raises(UnknownName, match="find"):
        find_personal(note, kinds=["colour"])


@pytest.mark.parametrize(
    "piece", ["a@", "1 ", "A.", "(", "-", "a-", "ab/", "a-1", "1.", "a:", "Mr "]
)
def test_long_runs_of_one_piece_take_work_in_proportion(piece):
    # A rule that tries every start to the end of the text would take hours at this length.
    assert isinstance(find_personal(piece * (300_000 // len(piece))), list)
