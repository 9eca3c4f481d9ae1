"""One look, files that do not change by themselves, and nothing of the person's touched."""

import re
import sys
import xml.etree.ElementTree as ET

import matplotlib
import pytest

import dprivacy as dp
from dprivacy.errors import Malformed, MissingExtra
from dprivacy.model.answers import Pictured
from dprivacy.viz import plot_channel, plot_kernels, plot_simplex, save, svg
from dprivacy.viz.style.figure_words import short
from dprivacy.viz.style.picture_style import STYLES, new_figure
from support.programs import printed
from support.viz_checks import check_words


def some_figure():
    return plot_simplex(
        dp.geometric(dp.line(3), eps="ln 2"), space=dp.line(3), eps="ln 2", title="a & b"
    )


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_same_picture_is_the_same_file(tmp_path, ending):
    first, second = (save(some_figure(), tmp_path / f"{k}.{ending}") for k in "ab")
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes()) > 2000
    assert b"CreationDate" not in first.read_bytes()
    assert b"matplotlib.org" not in first.read_bytes() or ending == "svg"


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(Malformed, match=r"'\.svg', '\.pdf', '\.png', not '\.gif'"):
        save(some_figure(), tmp_path / "picture.gif")
    with pytest.raises(Malformed, match="not ''"):
        save(some_figure(), tmp_path / "picture")
    assert not list(tmp_path.iterdir())


def test_svg_stands_in_a_page_beside_others():
    one, two = svg(some_figure()), svg(plot_channel([["3/4", "1/4"], ["1/4", "3/4"]], title="coin"))
    assert one == svg(some_figure())
    ids = [set(re.findall(r'\bid="([^"]+)"', text)) for text in (one, two)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for text in (one, two):
        assert text.startswith("<svg ")
        assert 'role="img"' in text
        known = set(re.findall(r'\bid="([^"]+)"', text))
        used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
        assert used
        assert used <= known
        assert not re.search(r'(?:href|src)="https?:', text)
        assert "<metadata" not in text
        assert "<style" not in text  # it would hold for the whole page
        ET.fromstring(text.replace("xlink:href", "href"))
    assert 'aria-label="a &amp; b"' in one
    assert 'aria-label="in words"' in svg(some_figure(), words="in words")


def test_the_persons_settings_are_left_alone():
    with matplotlib.rc_context({"font.size": 31.0, "axes.facecolor": "red", "text.usetex": True}):
        before = dict(matplotlib.rcParams)
        figure = some_figure()
        text = svg(figure)
        assert dict(matplotlib.rcParams) == before
    assert figure.axes[0].title.get_fontsize() < 20
    assert figure.axes[0].get_facecolor() == (1.0, 1.0, 1.0, 1.0)
    assert text == svg(some_figure())


def test_pyplot_is_not_loaded():
    program = (
        "import sys, dprivacy as dp; dp.geometric(dp.line(3), eps='ln 2').plot(); "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    assert printed(program).strip() == "False"


def test_notebooks_show_a_picture():
    assert some_figure()._repr_svg_() == svg(some_figure())


def test_long_labels_lose_their_middle_so_that_they_stay_apart():
    names = [f"a category with a rather long name, number {k}" for k in range(12)]
    cut = {short(name) for name in names}
    assert len(cut) == len(names)
    assert {len(name) for name in cut} == {24}
    assert short((0, 1)) == "(0, 1)"


def test_styles_differ_without_their_colours():
    for part in ("dash", "marker", "hatch", "plotly_marker", "plotly_dash"):
        assert len({str(getattr(style, part)) for style in STYLES}) == len(STYLES)


def test_without_matplotlib_the_way_to_it_is_named(monkeypatch):
    channel = dp.geometric(dp.line(3), eps="ln 2").channel
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"drawing needs matplotlib; .*'dprivacy\[plot\]'"):
        channel.plot()


def test_without_mpltern_the_way_to_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpltern", None)
    with pytest.raises(MissingExtra, match=r"needs mpltern; .*'dprivacy\[plot\]'"):
        plot_kernels(dp.line(3), eps="ln 2")


def test_specs_and_the_room_itself_need_no_plotting_library():
    program = (
        "import sys\n"
        "for name in ('matplotlib', 'mpltern', 'plotly'): sys.modules[name] = None\n"
        "import dprivacy as dp; from dprivacy import viz\n"
        "G = dp.geometric(dp.line(3), eps='ln 2')\n"
        "print(len(viz.simplex_spec(G)['data']), len(viz.channel_spec(G)['data']))"
    )
    assert printed(program).split() == ["3", "1"]


def test_every_pictured_class_has_a_drawing_function():
    from dprivacy.viz import picture

    def below(kind):
        for sub in kind.__subclasses__():
            yield from below(sub) if sub.__subclasses__() else [sub]

    fallback = picture.dispatch(object)
    missing = [
        kind.__name__
        for kind in below(Pictured)
        if picture.dispatch(kind) is fallback
        and "channel" not in (*vars(kind), *vars(kind).get("__annotations__", ()))
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("places", "text", "complaint"),
    [
        ([(0.4, 0.5), (0.41, 0.5)], "words", "overlap"),
        ([(0.99, 0.5)], "a long text at the right edge", "leaves the picture"),
        ([(0.4, 0.5)], "ε", "Greek"),
    ],
)
def test_the_check_of_words_can_fail(places, text, complaint):
    figure = new_figure()
    axes = figure.add_subplot()
    for place in places:
        axes.text(*place, text).set_in_layout(False)
    with pytest.raises(AssertionError, match=complaint):
        check_words(figure)
