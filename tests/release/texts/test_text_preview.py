"""A preview: ten texts at even places, and noise that is not the release's."""

import pandas as pd

from dprivacy.release import Plan, preview_texts, sanitise

SPEC = {"type": "text", "epsilon": 3, "length": 4}


def test_ten_texts_at_even_places_with_what_was_found():
    column = Plan.read({"columns": {"note": SPEC}}).column("note")
    texts = [f"note {k} for Maria Oliveira" for k in range(100)]
    found = preview_texts(texts, column)
    assert found.before == tuple(texts[::10])
    assert all(len(text.split()) == 4 for text in found.after)
    assert found.counts == {"name": 10}
    assert found.marked(1) == "note 10 for «Maria Oliveira»"


def test_what_would_move_a_cursor_or_hide_a_name_is_not_shown():
    column = Plan.read({"columns": {"note": SPEC}}).column("note")
    text = "the \x1b[2J ticket of M\u200ba\u0336ria\r\nis \u202egone"
    found = preview_texts([text], column)
    assert found.marked(0) == "the  [2J ticket of «Maria»  is gone"


def test_its_noise_is_thrown_away(recwarn):
    plan = Plan.read({"columns": {"note": SPEC}})
    texts = ["the king drank tea with the queen"] * 10
    shown = preview_texts(texts, plan.column("note")).after
    again = preview_texts(texts, plan.column("note")).after
    assert shown != again
    assert tuple(sanitise(pd.DataFrame({"note": texts}), plan).data["note"]) != shown


def test_topics_are_previewed_as_labels():
    spec = {"type": "text", "epsilon": 60, "topics": {"a": ["river"], "b": ["money"]}}
    column = Plan.read({"columns": {"note": spec}}).column("note")
    assert preview_texts(["my money", "a river"], column).after == ("b", "a")
