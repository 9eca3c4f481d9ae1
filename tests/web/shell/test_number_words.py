"""Numbers for people: per cent, stops of the slider, factors."""

from fractions import Fraction

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.errors import DPrivacyError
from dprivacy.web.shell.number_words import (
    FACTORS,
    factor_in_words,
    level_of,
    nearest_stop,
    percent,
    require_level,
)


def test_per_cent_is_rounded_as_people_do():
    assert [percent(x) for x in (Fraction(1, 5), 0.625, 0.0213, 0, 1, 0.05)] == [
        "20 %",
        "63 %",
        "2.1 %",
        "0 %",
        "100 %",
        "5 %",
    ]


def test_every_stop_of_the_slider_is_an_exact_level_that_finds_its_stop_again():
    for k, factor in enumerate(FACTORS):
        assert nearest_stop(level_of(factor)) == k
        assert factor_in_words(level_of(factor)) == f"at most × {factor}"
    assert nearest_stop("nonsense") == len(FACTORS) // 2


def test_a_factor_is_never_said_to_be_less_than_it_is():
    assert factor_in_words("1") == "at most × 2.72"
    assert factor_in_words("6") == "at most × 404"
    assert factor_in_words("50") == "at most × e^50"


def test_a_level_beyond_all_numbers_is_told_in_words():
    assert nearest_stop("1e400") == len(FACTORS) - 1
    assert factor_in_words("1e400") == "any factor"
    assert factor_in_words("ln(1e300)") == "at most × e^691"


@pytest.mark.parametrize(
    "level", ["1e400", "701", "ln(1e400)", "9" * 5000, "nan", "inf", "-1", "0", "1/0", "\0", "much"]
)
def test_levels_that_are_refused(level):
    with pytest.raises(DPrivacyError) as refusal:
        require_level(level)
    assert len(str(refusal.value)) < 300
    assert str(refusal.value).isprintable()


def test_a_level_that_is_too_high_is_refused_with_the_way_out():
    with pytest.raises(DPrivacyError, match=r"ε should be at most 700, not 1e400: .*such as ln 3"):
        require_level("1e400")
    for level in ("700", "ln 3", " 1/2 "):
        require_level(level)
