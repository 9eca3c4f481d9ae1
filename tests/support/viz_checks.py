"""What every picture must satisfy: words that fit, do not overlap, and explain their Greek letters."""

import re
from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg

SLACK = 1.0  # pixels by which boxes of text may touch
GREEK = re.compile(r"[α-ωΑ-Ω]")
WORD = re.compile(r"[A-Za-z]{3,}")


def words(figure):
    """Every piece of text that is drawn, with its box in pixels."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    found = []
    for axes in figure.axes:
        found += [*axes.texts, axes.title, axes._left_title, axes._right_title]
        if axes.axison:
            for axis in axes._axis_map.values():
                if not axis.get_visible():
                    continue
                found.append(axis.label)
                for tick in axis._update_ticks():
                    found += [tick.label1, tick.label2]
        if axes.get_legend():
            found += axes.get_legend().get_texts()
    for legend in figure.legends:
        found += legend.get_texts()
    if figure._suptitle is not None:
        found.append(figure._suptitle)
    drawn = {id(text): text for text in found if text.get_visible() and text.get_text().strip()}
    return [(text.get_text(), text.get_window_extent(renderer)) for text in drawn.values()]


def check_words(figure):
    """All text inside the figure, no two pieces on each other, no Greek letter by itself."""
    pieces = words(figure)
    assert pieces
    wide, high = figure.canvas.get_width_height()
    for text, box in pieces:
        inside = box.x0 >= -SLACK and box.y0 >= -SLACK
        inside = inside and box.x1 <= wide + SLACK and box.y1 <= high + SLACK
        assert inside, f"{text!r} leaves the picture: {box} in {wide}×{high}"
        if GREEK.search(text):
            assert WORD.search(text), f"{text!r} has a Greek letter and no word"
    for (one, a), (other, b) in combinations(pieces, 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        down = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across <= SLACK or down <= SLACK, f"{one!r} and {other!r} overlap"


def texts(figure):
    return [text for text, _ in words(figure)]
