"""In a notebook: every result shows itself, its labels stay text, and its tables can be read aloud."""

import inspect
import re
from dataclasses import dataclass
from fractions import Fraction as Q
from importlib import import_module
from xml.etree import ElementTree

import pytest

import dprivacy as dp
from dprivacy.estimation.tabular_answer import TabularAnswer
from dprivacy.model import Explained, Gain, uniform
from dprivacy.model.notebooks.notebook_views import (
    MOST_SHOWN,
    html_table,
    html_words,
    latex_escaped,
    latex_number,
)
from dprivacy.numbers import Level

EVIL = '<script>alert("1")</script>&amp;$x$\\'
# Whoever adds another way to write HTML adds it to the cases below.
WRITERS = {
    "Explained", "TabularAnswer", "Labelled", "Dist", "Hyper", "BoardSheet", "Promised",
    "ChannelMechanism", "Plan", "ReceivedTable",
}  # fmt: skip
BARE = {"Mechanism": "a protocol", "PermanentAnswers": "what a release keeps to answer again"}


@dataclass(frozen=True)
class Told(Explained):
    words: str

    def explain(self):
        return self.words


@dataclass(frozen=True)
class Table(TabularAnswer):
    exact = True

    def explain(self):
        return EVIL

    def _printed(self):
        return EVIL, [["", EVIL], [EVIL, "1/2"]]


def evil_channel():
    return dp.Channel([EVIL, "b"], ["x", EVIL], [["3/4", "1/4"], ["1/4", "3/4"]])


SHOWN = {
    "words": lambda: Told(EVIL),
    "answer": Table,
    "channel": evil_channel,
    "wide channel": lambda: dp.randomised_response(range(40), eps=1).channel,
    "gain": lambda: Gain([EVIL], ["a", "b"], [[Q(10) ** 400, -1]]),
    "distribution": lambda: uniform([EVIL, "b"]),
    "mechanism": lambda: dp.randomised_response([EVIL, "b"], eps="ln 3"),
    "reports that are sets": lambda: dp.mechanisms.subset_response([EVIL, "b", "c"], eps=1),
    "plan": lambda: dp.Plan.read(
        {
            "columns": {EVIL: {"type": "categories", "values": ["a", "b"], "epsilon": "ln 3"}},
            "pass_through": ["town"],
        }
    ),
    "hyper": lambda: uniform(evil_channel().rows) >> evil_channel(),
}


def public_classes():
    for room in dp._ROOMS:
        for found in vars(import_module(f"dprivacy.{room}")).values():
            if inspect.isclass(found) and found.__module__.startswith("dprivacy."):
                yield found


def says_something(kind):
    """Whether a class has words of its own or a guarantee, as a field or a property."""
    named = {name for each in kind.__mro__ for name in getattr(each, "__annotations__", ())}
    return hasattr(kind, "explain") or hasattr(kind, "guarantee") or "guarantee" in named


def test_whatever_explains_itself_or_guarantees_something_shows_it_in_a_notebook():
    saying = {found for found in public_classes() if says_something(found)}
    assert len(saying) > 120
    assert {found.__name__ for found in saying if not hasattr(found, "_repr_html_")} == set(BARE)


def test_html_is_written_in_few_places():
    found = {
        kind.__name__
        for each in public_classes()
        for kind in each.__mro__
        if "_repr_html_" in vars(kind)
    }
    assert found == WRITERS


@pytest.mark.parametrize("name", SHOWN)
def test_html_is_well_formed_and_labels_stay_text(name):
    text = SHOWN[name]()._repr_html_()
    root = ElementTree.fromstring(f"<div>{text}</div>")
    assert {each.tag for each in root.iter()} <= {
        "div", "pre", "table", "caption", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    for table in root.iter("table"):
        assert table.findtext("caption")
        assert all(head.text and head.get("scope") in ("col", "row") for head in table.iter("th"))
        assert len({len(row) for row in table.iter("tr")}) == 1
    assert "wide" in name or EVIL in "".join(root.itertext())


@pytest.mark.parametrize("name", SHOWN)
def test_no_colour_is_set_so_that_light_and_dark_can_be_read(name):
    styles = re.findall(r'style="([^"]*)"', SHOWN[name]()._repr_html_())
    assert set(styles) <= {
        "white-space: pre-wrap; word-break: normal",
        "text-align: left; white-space: nowrap",
    }


def test_a_large_table_is_cut_and_says_its_size():
    text = SHOWN["wide channel"]()._repr_html_()
    assert "40 inputs, 40 outputs" in text
    assert text.count("<tr>") == MOST_SHOWN + 2
    assert SHOWN["wide channel"]()._repr_latex_() is None


def test_cells_are_exact_where_short():
    assert "<td>3/4</td>" in evil_channel()._repr_html_()
    assert "about 10^400" in SHOWN["gain"]()._repr_html_()
    assert html_table("c", ["", "a"], [["b", "<"]]).endswith(
        '<tr><th scope="row">b</th><td>&lt;</td></tr></tbody></table>'
    )
    assert html_words("<") == '<pre style="white-space: pre-wrap; word-break: normal">&lt;</pre>'


@pytest.mark.parametrize("name", ["answer", "channel", "distribution"])
def test_formulas_are_balanced_and_labels_stay_text(name):
    text = SHOWN[name]()._repr_latex_()
    assert text.startswith(r"$$\begin{array}{l|")
    assert text.endswith(r"\end{array}$$")
    bare = text.replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    assert latex_escaped(EVIL) in text
    assert len(re.findall(r"(?<!\\)\$", text)) == 4


def test_a_formula_is_read_back_as_the_same_matrix(tmp_path):
    coin = dp.Channel(["a", "b"], ["x", "y"], [["2/3", "1/3"], ["0", "1"]])
    file = tmp_path / "coin.tex"
    file.write_text(coin._repr_latex_(), encoding="utf-8")
    assert dp.as_channel(file) == coin


@pytest.mark.parametrize(
    ("level", "formula"),
    [
        ("ln 2", r"$\ln 2$"),
        ("3/2", r"$\frac{3}{2}$"),
        ("1/2 ln(5/4) + sqrt(2)", r"$\frac{1}{2}\,\ln\frac{5}{4} + \sqrt{2}$"),
        ("-ln 3", r"$-\ln 3$"),
        ("0", "$0$"),
    ],
)
def test_levels(level, formula):
    assert Level(level)._repr_latex_() == formula


def test_numbers():
    assert latex_number(Q(-1, 3)) == r"-\frac{1}{3}"
    assert latex_number(Q(2)) == "2"
    assert latex_number(0.25) == "0.25"
    assert latex_number(Q(1, 3**200)) == f"{3.0**-200:.6g}"
