"""The sheet: well-formed, with the very chances of the design, and nothing past its edge."""

import math
import re
from xml.etree import ElementTree

import pytest

from dprivacy.errors import WrongKind
from dprivacy.mechanisms import plan_question
from dprivacy.viz import question_sheet
from dprivacy.viz.respondent_page import MARGIN, WIDTH

LONG = (
    "Have you, in the last <12> months, taken something from a shop without paying & been caught?"
)


@pytest.mark.parametrize("device", ["die", "two dice", "spinner"])
def test_sheets_are_well_formed_and_keep_to_the_page(device):
    sheet = question_sheet(plan_question(LONG, eps=1, error="0.03", device=device))
    page = ElementTree.fromstring(sheet)
    said = " ".join(page.itertext())
    assert " ".join(LONG.split()) in " ".join(said.split())
    assert "factor of at most" in " ".join(said.split())
    for text in page.iter("{http://www.w3.org/2000/svg}text"):
        wide = len(text.text) * float(text.get("font-size")) * 0.5
        if text.get("text-anchor") is None:
            assert float(text.get("x")) + wide <= WIDTH - MARGIN / 2


def test_what_the_dice_say():
    sheet = question_sheet(plan_question("So?", eps="ln 5", error="0.03"))
    assert ">2, 3, 4 or 5<" in sheet
    assert "“Yes”, whatever is true" in sheet


def test_a_spinner_has_the_exact_angles():
    plan = plan_question("So?", eps=1, error="0.03", device="spinner")
    sheet = question_sheet(plan)
    assert "97.2°" in sheet
    assert "165.6°" in sheet
    paths = re.findall(r"L ([\d.]+) ([\d.]+) A [\d.]+ [\d.]+ 0 \d 1 ([\d.]+) ([\d.]+) Z", sheet)
    centre = re.search(r"M ([\d.]+) ([\d.]+) L", sheet)
    angles = []
    for x0, y0, x1, y1 in paths:
        ends = [
            math.atan2(float(x) - float(centre[1]), float(centre[2]) - float(y))
            for x, y in ((x0, y0), (x1, y1))
        ]
        angles.append((ends[1] - ends[0]) / (2 * math.pi) % 1)
    chance = float(plan.design.parameters["yes"])
    assert [round(angle, 3) for angle in angles] == [chance, round(1 - 2 * chance, 3), chance]


def test_other_things_are_no_plan():
    with pytest.raises(WrongKind, match="plan_question"):
        question_sheet("Have you?")
