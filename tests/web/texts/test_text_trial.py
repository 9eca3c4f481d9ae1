"""What the room Texts finds, without a browser: the same numbers as the library's."""

import json

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.errors import BadNumber, BadPlan, DPrivacyError
from dprivacy.text import kept_share, text_cells
from dprivacy.web.texts import text_trial as trial
from dprivacy.web.texts.texts_page import USUAL

TEXTS = trial.EXAMPLE.splitlines()


@pytest.fixture(scope="module")
def found():
    return trial.tried(TEXTS, USUAL)


def test_the_whole_text_comes_first_and_pairs_follow(found):
    cells = text_cells(eps=6, length=12)
    sentence = cells.guarantee.space.sentence(cells.guarantee.eps)
    assert found.headline.startswith("Any two texts of up to 12 words: × 10^")
    assert f"{found.headline}. {found.promise}" == sentence
    assert len(found.pairs()) == 10
    before, after = found.pairs()[0]
    assert before.startswith("«Maria Oliveira» says")
    assert len(after.split()) == 12
    assert found.found.startswith("Found in these texts: name 2")


def test_warnings_follow_the_share_that_stays_and_what_is_unknown():
    much = trial.tried(TEXTS, {**USUAL, "eps": "12"})
    share = kept_share(much.column.mechanism.words)
    assert share > 0.5
    assert much.warnings == [
        f"Most words stay as they are (about {100 * share:.0f} %): this hides no content."
    ]
    strange = trial.tried(["зачем мне это", "ничего не понимаю"], USUAL)
    assert strange.warnings[-1].startswith("100 % of the words are not in the vocabulary")


def test_words_are_read_back_and_topics_compared(found):
    reading = trial.read_back(TEXTS, found)
    rows = trial.reading_rows(reading)
    assert rows[0] == ["predicted, for common words", "4.1 %"]
    assert len(rows) == 5
    forms = trial.form_rows(trial.compared(TEXTS, USUAL))
    assert [row[0] for row in forms[:4]] == ["× 4", "× 20", "× 100", "× 1,000"]
    assert forms[4][1] == ""


def test_a_topic_for_each_text():
    state = {**USUAL, "keep": "topic", "eps": "ln 1000"}
    found = trial.tried(TEXTS, state)
    assert found.headline == "Any two texts, however long: × 1,000"
    assert {after for _, after in found.pairs()} <= {"money", "post"}
    assert trial.read_back(TEXTS, found) is None
    assert "--topics" in trial.command(state, "my texts")


@pytest.mark.parametrize(
    ("texts", "given", "words"),
    [
        ([" "], {}, "a text on each line"),
        (TEXTS, {"length": "many"}, "a whole number"),
        (TEXTS, {"length": "0"}, "1 to 2,000"),
        (TEXTS, {"eps": "x"}, "ε|level"),
        (TEXTS, {"keep": "topic", "topics": "money"}, "a line such as"),
        (TEXTS, {"keep": "topic", "topics": "money: bank"}, "topics"),
    ],
)
def test_settings_that_are_refused(texts, given, words):
    with pytest.raises(DPrivacyError, match=words):
        trial.tried(texts, {**USUAL, **given})


def test_the_column_of_the_longest_texts_and_its_cells(tmp_path):
    path = tmp_path / "in.jsonl"
    rows = [{"id": k, "message": f"the letter number {k}"} for k in range(3)] + [{"id": 4}]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    columns = trial.columns_of(path)
    assert max(columns, key=columns.get) == "message"
    assert trial.texts_in(path, "message")[-2:] == ["the letter number 2", ""]


def test_errors_have_kinds():
    assert issubclass(BadNumber, DPrivacyError)
    assert issubclass(BadPlan, DPrivacyError)
