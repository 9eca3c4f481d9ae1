"""Personal data in texts: how much is found in labelled sentences, by kind, and in what time."""

import pytest

from dprivacy.errors import UnknownName
from dprivacy.text import find_personal, name_lists
from dprivacy.text.finding.personal_data import KINDS
from support.labelled_texts import labelled, scores

# Found and all marks, right and all finds: what is on the page; `third` was written before the rules.
MEASURED = {
    "tuned": ((269, 269), (269, 280)),
    "held": ((46, 55), (49, 50)),
    "third": ((63, 68), (68, 73)),
    "fourth": ((71, 78), (75, 77)),
}
THIRD = {  # marks found of all, by kind
    "name": (26, 28), "email": (5, 5), "phone": (7, 7), "card": (3, 3), "iban": (2, 2), "date": (6, 6),
    "link": (3, 3), "handle": (2, 2), "address": (4, 5), "id": (4, 5), "ip": (1, 2),
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


@pytest.mark.parametrize(
    ("text", "kind", "piece"),
    [
        ("card 4111 1111 1111 1111 12/26 123", "card", "4111 1111 1111 1111"),
        ("in 2024 4111 1111 1111 1111 failed", "card", "4111 1111 1111 1111"),
        ("card 4111\u00a01111\u202f1111\u20091111", "card", "4111\u00a01111\u202f1111\u20091111"),
        ("card 4111\u20131111\u20111111\u20101111", "card", "4111\u20131111\u20111111\u20101111"),
        ("card 4111 1111\n1111 1111", "card", "4111 1111\n1111 1111"),
        ("ES91 2100 0418 4502 0005 1332 with that", "iban", "ES91 2100 0418 4502 0005 1332"),
        ("ring ０２０ ７９４６ ０９５８", "phone", "０２０ ７９４６ ０９５８"),
        ("ring ٠٢٠ ٧٩٤٦ ٠٩٥٨", "phone", "٠٢٠ ٧٩٤٦ ٠٩٥٨"),
        ("to rose (at) example [dot] com", "email", "rose (at) example [dot] com"),
        ("to ROSE AT EXAMPLE DOT COM", "email", "ROSE AT EXAMPLE DOT COM"),
        ("rose＠example.com", "email", "rose＠example.com"),
        ("please call john smith back", "name", "john smith"),
        ("PLEASE CALL JOHN SMITH NOW", "name", "JOHN SMITH"),
        ("josé garcía wrote", "name", "josé garcía"),
        ("anne-marie called", "name", "anne-marie"),
        ("Maria's parcel", "name", "Maria's"),
        ("it was for Baker, again", "name", "Baker"),
    ],
)
def test_however_it_is_written(text, kind, piece):
    assert (kind, piece) in [(f.kind, text[f.start : f.end]) for f in find_personal(text)]


@pytest.mark.parametrize("text", ["the blue one, not the Green one", "mark the ticket, please"])
def test_ordinary_words_that_are_surnames_stay_where_no_name_would_stand(text):
    assert find_personal(text) == []


def test_letters_that_are_equal_only_without_case_are_no_account():
    assert "iban" not in {f.kind for f in find_personal("\u017fE35 5000 0000 0549 1000 0003")}


def test_names_with_accents_and_hyphens_leave_a_vocabulary():
    lists = name_lists()
    assert all(map(lists.names_only, ["josé", "García", "jean-claude", "Maria_Garcia"]))
    assert not any(map(lists.names_only, ["café", "mid-may", "long-term", "rose", "-"]))
    assert lists.added(["Łukasz"]).names_only("łukasz")


def test_only_what_is_asked_for_comes_out():
    note = "Maria has the card 4111 1111 1111 1111."
    assert [f.kind for f in find_personal(note, kinds=["phone"])] == []
    assert [f.kind for f in find_personal(note, kinds=["card"])] == ["card"]
    with pytest.raises(UnknownName, match="find"):
        find_personal(note, kinds=["colour"])


@pytest.mark.parametrize(
    "piece",
    [
        "a@",
        "1 ",
        "A.",
        "(",
        "-",
        "a-",
        "ab/",
        "a-1",
        "1.",
        "a:",
        "Mr ",
        "11 ",
        "ab12 ",
        "1/",
        "a at ",
    ],
)
def test_long_runs_of_one_piece_take_work_in_proportion(piece):
    # A rule that tries every start to the end of the text would take hours at this length.
    assert isinstance(find_personal(piece * (300_000 // len(piece))), list)
