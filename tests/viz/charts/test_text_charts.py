"""The picture of attacks shows every number of the table, and its words fit."""

import pytest

pytest.importorskip("matplotlib")

from dprivacy.numbers.levels import Level
from dprivacy.text import AuthorTopicTable, Row
from dprivacy.viz.charts.text_charts import plot_attacks
from support.viz_checks import check_words


def table(topics=True):
    def row(eps, kept, *shares):
        names = ("author, n-grams", "author, embedding", "topic, linear", "topic, embedding")
        right = {n: (s, s + 0.1) for n, s in zip(names, shares, strict=True) if topics or "au" in n}
        return Row(None if eps is None else Level(eps), kept, right)

    rows = (
        row(None, 1.0, 0.7, 0.4, 0.9, 0.8),
        row(15, 0.8, 0.6, 0.3, 0.9, 0.8),
        row("7/2", 0.1, 0.1, 0.0, 0.8, 0.5),
    )
    return AuthorTopicTable(rows, 20, 2 if topics else 1, 0.5, 2, "laplace", "GloVe")


@pytest.mark.parametrize("topics", [True, False])
def test_attacks(topics):
    figure = plot_attacks(table(topics), title="Two newsgroups")
    assert len(figure.axes) == 1 + topics
    left = figure.axes[0]
    (line, _) = (c.lines[0] for c in left.containers)
    assert line.get_ydata().tolist() == pytest.approx([15, 65, 75])
    assert [t.get_text() for t in left.get_xticklabels()] == [
        "3.5\n10 %",
        "15\n80 %",
        "none\n100 %",
    ]
    check_words(figure)
