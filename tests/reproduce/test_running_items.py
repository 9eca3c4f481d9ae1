"""Every item is there, and comes out as the page says."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dprivacy.errors import Malformed
from dprivacy.reproduce import catalogue, chosen, reproduce
from dprivacy.reproduce.items.catalogue_items import Item, Setting
from dprivacy.reproduce.items.compared_lines import Found, Line
from dprivacy.reproduce.running_items import Outcome, Reproduction
from support.real_data import DATA

ERRATA = Path(__file__).resolve().parents[2] / "docs" / "errata.md"

TABLES = ["4.2", "4.3", "4.4", "5.1", "6.1", "6.2", "9.1", "10.1", "10.2"]
FIGURES = ["2.1", "4.1", "4.4", "4.5", "6.1", "6.2", "6.3", "6.5", "7.2", "7.3"]
FIGURES += ["8.1", "8.2", "8.3", "8.4", "10.3", "10.4", "10.5"]
EXAMPLES = ["T:example-2.4", "T:example-4.2", "T:example-4.6"]
ARTICLES = ["C:example-2", "P:counts", "M:example-5", "M:example-7"]
LOCAL = ["which-one", "golden", "left-out", "measured", "repeated", "paper", "refinement", "order"]
LOCAL += ["levels"]
HEAVY = ["kernels-seven", "kernels-cube", "lowering-trees", "slack-four"]
SLOW = {"T:figure-8.3", "T:table-10.1", "T:figure-10.3", "T:figure-10.4", "T:figure-10.5"}
SLOW |= {"L:measured", "L:refinement", "L:levels", "N:kernels-six", "N:slack-larger", "T:friends"}
SLOW |= {"T:table-6.2-six", "T:figure-8.4", "T:figure-8.2", "T:example-4.1.1", "erratum:E6"}


def test_everything_that_the_sources_print_is_listed():
    items = catalogue()
    wanted = [f"T:table-{n}" for n in TABLES] + [f"T:figure-{n}" for n in FIGURES]
    assert {*wanted, *EXAMPLES, *ARTICLES} <= items.keys()
    assert {f"L:{name}" for name in LOCAL} <= items.keys()
    for one in items.values():
        assert re.fullmatch(r"(T|C|P|M|L|N|erratum):[A-Za-z0-9.-]+", one.key)
        assert one.title
        assert one.place
    heavy = [one.key for one in items.values() if one.heavy]
    assert heavy == ["T:table-9.1", "L:order", *(f"N:{name}" for name in HEAVY)]


def test_every_erratum_of_the_page_is_an_item():
    listed = re.findall(r'<span id="e(\d+)">', ERRATA.read_text(encoding="utf-8"))
    ours = [key.removeprefix("erratum:E") for key in catalogue() if key.startswith("erratum:")]
    assert ours == listed


QUICK = [one.key for one in catalogue().values() if not (one.needs or one.heavy or one.key in SLOW)]


@pytest.mark.parametrize("key", QUICK)
def test_item(key):
    _check(key, None)


@pytest.mark.slow
@pytest.mark.parametrize(
    "key", [k for k, one in catalogue().items() if k not in QUICK and not one.heavy]
)
def test_item_that_takes_longer(key):
    if not DATA.exists() and catalogue()[key].needs:
        pytest.skip("the data sets are not here (../shared/data)")
    _check(key, DATA)


@pytest.mark.slow
def test_the_order_of_local_mechanisms():
    _check("L:order", None)


def _check(key, data):
    outcome = reproduce([key], data=data)[key]
    wrong = [line for line in outcome.found.lines if line.mark == "unexplained"]
    assert not wrong
    assert outcome
    assert outcome.found.lines
    if key.startswith("erratum:"):
        assert outcome.errata == [key.removeprefix("erratum:")]
    drawn = [drawing for drawing in outcome.found.drawings if drawing.caption]
    assert drawn or "figure" not in key or key == "T:figure-9.1"


def test_table_5_1_has_all_its_entries():
    lines = reproduce(["T:table-5.1"])["T:table-5.1"].found.lines
    marks = [line.mark for line in lines]
    assert (marks.count("as printed"), marks.count("differs")) == (76, 5)


def test_table_10_2_names_the_27_entries_that_were_cut_off():
    lines = reproduce(["T:table-10.2"])["T:table-10.2"].found.lines
    assert len(lines) == 28
    assert sum(line.erratum == "E31" for line in lines) == 27


def test_names_and_patterns():
    assert [one.key for one in chosen(["erratum:e3"])] == ["erratum:E3"]
    assert len(chosen(["T:table-*"])) > 9
    assert chosen(["P:counts", "C:example-2"])[0].key == "C:example-2"  # in the sources' order
    with pytest.raises(Malformed, match=r"'T:table-5'; similar: T:table-5\.1"):
        chosen(["T:table-5"])
    with pytest.raises(Malformed, match="--list shows all"):
        chosen(["nothing"])


def outcome(key, *marks):
    item = Item(key, "title", "place", lambda _: Found())
    lines = tuple(Line("what", "1", "1", mark, "E1" if mark == "differs" else "") for mark in marks)
    return Outcome(item, Found(lines))


def test_an_item_is_as_printed_only_if_every_printed_value_is():
    some = outcome("T:a", "as printed", "extended")
    assert some.status == "in part: 1 of 2 as printed"
    assert some
    assert Reproduction((some,)).counts == {"in part": 1}
    beyond = Line("not in the print", "", "2", "extended")
    assert replace(some, found=Found((some.found.lines[0], beyond))).status == "as printed"


def test_the_gravest_line_speaks_for_the_item():
    assert outcome("T:a", "as printed").status == "as printed"
    assert outcome("T:a", "extended").status == "extended"
    assert outcome("T:a", "as printed", "differs").status == "differs: see erratum E1"
    bad = outcome("T:a", "differs", "unexplained")
    assert bad.status == "unexplained"
    assert not bad
    assert not Reproduction((outcome("T:b", "as printed"), bad))
    assert Reproduction((outcome("T:b", "as printed"), outcome("T:c", "differs")))


def test_what_is_not_here_is_skipped_with_the_way_to_get_it():
    found = reproduce(["T:figure-10.2", "T:figure-9.1"])
    assert found.counts == {"skipped": 2}
    assert found
    assert "--fetch movielens100k" in found["T:figure-10.2"].skipped
    assert "glove.6B.zip" in found["T:figure-9.1"].explain()


def test_steps_are_told():
    told = []
    reproduce(["C:example-3", "P:example-1"], progress=lambda *step: told.append(step))
    assert told == [(0, 2, "C:example-3"), (1, 2, "P:example-1"), (2, 2, "")]
    assert isinstance(Setting().progress("nobody listens"), type(None))


def _attacked(authors, keep_topics):
    """A made-up table: authorship falls to nothing, topics hold or do not."""
    from dprivacy.numbers import Level
    from dprivacy.text.attacks.author_topic_table import AuthorTopicTable, Row

    rows = []
    for k, eps in enumerate([None, 15, 12, 10, 7, 3]):
        author, topic = 0.7 - 0.14 * k, 0.9 if keep_topics else 0.9 - 0.2 * k
        right = dict.fromkeys(("author, embedding", "author, n-grams"), (author,))
        right |= dict.fromkeys(("topic, embedding", "topic, linear"), (max(0, topic),))
        rows.append(Row(None if eps is None else Level(eps), 1 - k / 6, right))
    return AuthorTopicTable(
        tuple(rows),
        authors,
        topics=2,
        commonest=0.5,
        repetitions=1,
        noise="laplace",
        embedding="none",
    )


@pytest.mark.parametrize("keep_topics", [True, False])
def test_table_9_1_is_about_the_shape(monkeypatch, tmp_path, keep_topics):
    """On other texts no entry can be as printed; that authors fall while topics hold can be checked."""
    from dprivacy.reproduce.chapters import chapter_9

    def experiment(_, authors_per_topic, **__):
        return _attacked(2 * authors_per_topic, keep_topics)

    monkeypatch.setattr(chapter_9, "author_topic_experiment", experiment)
    monkeypatch.setattr(chapter_9, "read_posts", lambda *_: [])
    monkeypatch.setattr(chapter_9, "read_vectors", lambda *_: None)
    found = chapter_9.table_9_1(Setting(tmp_path))
    marks = [line.mark for line in found.lines]
    assert "as printed" not in marks
    assert ("unexplained" in marks) is not keep_topics
    assert [line.printed for line in found.lines[:4]] == ["12", "16", "15", "18"]
