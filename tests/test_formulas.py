"""Displayed formulas: MathML that says what the page's source says, sign by sign."""

import importlib.util
import re
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^(?:> )?```formula\n(.*?)^(?:> )?```$", re.MULTILINE | re.DOTALL)
PAGES = [
    (path.relative_to(ROOT / "docs").as_posix(), line.removeprefix("> "))
    for path in sorted((ROOT / "docs").rglob("*.md"))
    for block in FENCE.findall(path.read_text(encoding="utf-8"))
    for line in block.splitlines()
]


def load():
    spec = importlib.util.spec_from_file_location("formulas", ROOT / ".ci" / "formulas.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


formulas = load()


def bare(text):
    """The signs of a formula without those that only arrange it, sorted."""
    plain = unicodedata.normalize("NFKD", text.replace("'", "′")).replace("∑", "Σ")
    return sorted(re.sub(r"[\s_^¯~(){}/\u0300-\u036f]", "", plain))


@pytest.mark.parametrize(("page", "line"), PAGES)
def test_no_sign_of_a_page_s_formula_is_lost(page, line):
    tree = ElementTree.fromstring(formulas.mathml(line))
    roots = "√" * len(tree.findall(".//msqrt"))  # an element, whose sign the browser draws
    assert bare("".join(tree.itertext()) + roots) == bare(line)
    for node in tree.iter():  # scripts and fractions have as many parts as they need
        wanted = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3}
        assert len(node) == wanted.get(node.tag, len(node)), (page, line)


def test_there_are_formulas():
    assert len(PAGES) > 25


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x_i", "<msub><mi>x</mi><mrow><mi>i</mi></mrow></msub>"),
        ("a/b", "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
        ("√2", "<msqrt><mn>2</mn></msqrt>"),
        ("J⁻¹", "<msup><mi>J</mi><mrow><mo>−</mo><mn>1</mn></mrow></msup>"),
        ("max_w", "<munder><mi>max</mi><mrow><mi>w</mi></mrow></munder>"),
        ("e^(a/b)", "<mi>a</mi><mo>/</mo><mi>b</mi>"),  # small: no fraction in an exponent
        ("p*", "<msup><mi>p</mi><mo>*</mo></msup>"),
        ("E[g | h]", '<mo lspace="0.25em" rspace="0.25em">|</mo>'),
        ("k < 2", "<mi>k</mi><mo>&lt;</mo><mn>2</mn>"),
    ],
)
def test_what_each_sign_becomes(text, wanted):
    assert wanted in formulas.mathml(text)


def test_a_fraction_drops_brackets_and_takes_a_function_whole():
    found = ElementTree.fromstring(formulas.mathml("ln(x)/(α − 1)"))
    above, below = found.find(".//mfrac")
    assert "".join(above.itertext()) == "ln(x)"
    assert "".join(below.itertext()) == "α−1"


@pytest.mark.parametrize(
    ("text", "told"),
    [("C[x, y", "“]” is missing"), ("x)", "“)” closes nothing"), ("x_", "cannot be a script")],
)
def test_a_formula_that_does_not_add_up_is_refused(text, told):
    with pytest.raises(formulas.BadFormula, match=re.escape(told)):
        formulas.mathml(text)


def test_a_bad_formula_is_logged_since_a_warning_fails_the_build(caplog):
    with pytest.raises(formulas.BadFormula):
        formulas.fence("x = (1", "formula", "formula", {}, None)
    assert "“)” is missing: x = (1" in caplog.text


def test_a_line_of_a_fence_is_a_line_of_its_own():
    made = formulas.fence("x = 1\ny = 2\n", "formula", "formula", {}, None)
    assert made.count("<math ") == 2
    assert 'tabindex="0"' in made
