"""Verdicts in words and as data: the person's labels, the witness, nothing left out."""

import json
import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import (
    Malformed,
    MixedArithmetic,
    NotApplicable,
    SpaceMismatch,
    UnknownName,
    WrongKind,
    WrongShape,
)
from dprivacy.mechanisms import randomised_response
from dprivacy.model import Channel, Dist, Gain, as_channel
from dprivacy.refine import Refinement, refines
from dprivacy.spaces import discrete, from_table

JOBS = ["nurse", "pilot", "cook"]


SHARP = Channel(
    JOBS, JOBS, [["4/5", "1/10", "1/10"], ["1/10", "4/5", "1/10"], ["1/10", "1/10", "4/5"]]
)


BLUNT = Channel(JOBS, JOBS, [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]])


def test_a_refinement_in_words() -> None:
    verdict = refines(SHARP, BLUNT, names=("old", "new"))
    assert isinstance(verdict, Refinement)
    text = verdict.explain()
    assert text.startswith("Yes: new is at least as safe as old against every adversary")
    assert "new is old followed by a post-processing R:" in text
    assert "output nurse becomes nurse with" in text
    assert str(verdict) == text


def test_a_failure_in_words() -> None:
    text = refines(BLUNT, SHARP, names=("old", "new")).explain()
    assert text.startswith("No: some adversary gains more from new than from old")
    assert "an attacker who may take a bet" in text
    assert any(job in text for job in JOBS)
    assert "Under the uniform prior that attacker gains" in text


def test_a_failure_with_many_guesses_in_words() -> None:
    A = as_channel([["3/4", 0, "1/4", 0], ["3/4", "1/4", 0, 0], [0, "1/4", "1/4", "1/2"]])
    B = as_channel([["1/2", 0, "1/2"], ["1/2", "1/2", 0], [0, "1/2", "1/2"]])
    verdict = refines(A, B)
    assert verdict.gain.actions == (0, 1, 2)
    assert "chooses among 3 guesses" in verdict.explain()


def test_long_lists_are_cut() -> None:
    from dprivacy.mechanisms import geometric

    wide = refines(geometric(9, eps="ln 2").channel, geometric(9, eps="ln(3/2)").channel)
    assert "and so on for 3 more outputs" in wide.explain()
    assert "with" in wide.explain()
    assert ", 6 more" in wide.explain()


def test_the_max_case_in_words() -> None:
    assert "Every posterior of B is a mixture" in refines(SHARP, BLUNT, by="max").explain()
    text = refines(BLUNT, SHARP, by="max").explain()
    assert "tells more than any output of A" in text
    assert "After that output (uniform prior)" in text


def test_privacy_in_words() -> None:
    assert "no two secrets apart better" in refines(SHARP, BLUNT, by="private").explain()
    text = refines(BLUNT, SHARP, by="private").explain()
    assert "nurse and pilot are told apart to ln(8)" in text
    assert "For the metric d_A, A is private at ε = 1 and B is not." in text
    text = refines(SHARP, BLUNT, discrete(JOBS), by="private").explain()
    assert "The smallest ε is ln(8) ≈ 2.079 for A and ln(2) ≈ 0.6931 for B." in text


@pytest.mark.parametrize("by", ["average", "max", "private"])
@pytest.mark.parametrize("order_", [(SHARP, BLUNT), (BLUNT, SHARP)])
def test_verdicts_are_plain_data(by, order_) -> None:
    data = refines(*order_, by=by).to_dict()
    again = json.loads(json.dumps(data))
    assert again["status"] in ("proved", "refuted")
    assert again["names"] == ["A", "B"]
    if by == "average" and again["holds"]:
        assert again["R"]["matrix"][0][0] == "4/7"
    if by == "private" and not again["holds"]:
        assert again["metric"][0][1] == "ln(2)"


def test_impossible_and_merged_outputs() -> None:
    A = as_channel([["1/2", "1/4", "1/4", 0], ["1/4", "3/8", "3/8", 0]], columns=list("abcd"))
    B = as_channel([["1/2", "1/2", 0], ["1/4", "3/4", 0]], columns=list("uvw"))
    verdict = refines(A, B)
    assert A @ verdict.R == B
    assert verdict.R.row("d")["u"] == 1
    back = refines(B, A)
    assert B @ back.R == A
    mixtures = refines(A, B, by="max").coefficients
    assert mixtures.columns == ("a", ("b", "c"))


@pytest.mark.statement("T", "Def 2.2.5", "Thm 2.1")
def test_a_list_of_adversaries() -> None:
    guess = Gain(JOBS, JOBS, [[int(i == j) for j in range(3)] for i in range(3)])
    pilot = Gain(["is", "is not"], JOBS, [[0, 1, 0], [1, 0, 1]])
    verdict = refines(SHARP, BLUNT, gains=[guess, pilot])
    assert verdict.status == "proved"
    assert verdict.values == ((Q(4, 5), Q(1, 2)), (Q(13, 15), Q(2, 3)))
    assert "No given adversary" in verdict.explain()
    worse = refines(BLUNT, SHARP, gains=[guess, pilot], names=("old", "new"))
    assert worse.failing == (0, 1)
    assert "Adversary 1 of 2 gains 4/5 from new and 1/2 from old." in worse.explain()
    sure = Dist(JOBS, [0, 1, 0])
    assert refines(BLUNT, SHARP, prior=sure, gains=[guess, pilot])
    with pytest.raises(Malformed, match="at least one gain"):
        refines(SHARP, BLUNT, gains=[])
    with pytest.raises(SpaceMismatch, match="adversary's gain"):
        refines(SHARP, BLUNT, gains=[Gain([0], [0, 1, 2], [[1, 0, 0]])])
    with pytest.raises(MixedArithmetic):
        refines(SHARP, BLUNT, gains=[Gain([0], JOBS, [[0.5, 0.0, 0.0]])])


@pytest.mark.statement("T", "Def 4.3.2")
def test_the_separating_function_prefers_b_under_other_priors_too() -> None:
    """Q(σ) = worth·σ, reweighted, separates for any prior of full support."""
    verdict = refines(BLUNT, SHARP, by="max")
    prior = Dist(JOBS, ["1/2", "1/3", "1/6"])
    tilted = {x: verdict.worth[x] / prior[x] for x in JOBS}
    base = {x: 1 / prior[x] for x in JOBS}

    def value(channel, y):
        joint = {x: prior[x] * channel[x, y] for x in JOBS}
        return sum(tilted[x] * joint[x] for x in JOBS) / sum(base[x] * joint[x] for x in JOBS)

    assert max(value(SHARP, y) for y in JOBS) > max(value(BLUNT, y) for y in JOBS)


def test_one_secret() -> None:
    for by in ("average", "max", "private"):
        assert refines([["1/3", "2/3"]], [[1]], by=by).status == "proved"
        assert refines([[1]], [["1/3", "2/3"]], by=by).status == "proved"


def test_levels_without_an_exact_quotient() -> None:
    from dprivacy.spaces import from_table

    A = as_channel([["2/3", "1/3"], ["1/2", "1/2"], ["1/3", "2/3"]])
    B = as_channel([["3/5", "2/5"], ["1/2", "1/2"], ["2/5", "3/5"]])
    odd = from_table([0, 1, 2], [[0, "ln 3", "ln 5"], ["ln 3", 0, "ln 2"], ["ln 5", "ln 2", 0]])
    assert refines(A, B, odd, by="private").status == "proved"
    assert refines(B, A, odd, by="private").status == "refuted"
    assert refines(A, A, odd, by="private").status == "proved"


@pytest.mark.parametrize("number", [str, float])
def test_secrets_at_distance_0(number) -> None:
    twins = from_table([0, 1, 2], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True)
    loud = [
        [number(v) for v in row] for row in (["0.75", "0.25"], ["0.75", "0.25"], ["0.25", "0.75"])
    ]
    soft = [[number(v) for v in row] for row in (["0.5", "0.5"], ["0.5", "0.5"], ["0.5", "0.5"])]
    told = [
        [number(v) for v in row] for row in (["0.75", "0.25"], ["0.5", "0.5"], ["0.25", "0.75"])
    ]
    assert refines(loud, soft, twins, by="private")
    assert refines(soft, loud, twins, by="private").holds is False
    assert refines(loud, told, twins, by="private").after == math.inf
    assert refines(told, loud, twins, by="private")


def test_gains_by_name():
    coin = randomised_response(["a", "b"], eps="ln 3")
    blind = as_channel([["1/2", "1/2"], ["1/2", "1/2"]], rows=["a", "b"])
    bayes, metric = refines(coin, blind, gains=["bayes", "metric"]).values
    assert bayes == (Q(3, 4), Q(1, 2))
    assert metric[0] - metric[1] == Q(1, 4)  # the distance is 0 or 1: a loss of what bayes gains


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"gains": "bayes"}, WrongKind, "gains should be a list of gains, not 'bayes'"),
        ({"gains": 5}, WrongKind, "gains should be a list of gains, not 5"),
        ({"gains": ["beyes"]}, UnknownName, "did you mean 'bayes'"),
        ({"gains": ["metric"]}, NotApplicable, "has no distances between its secrets"),
        ({"names": "AB"}, WrongShape, "names should be two names, such as .*, not 'AB'"),
        ({"names": ["A"]}, WrongShape, "names should be two names"),
    ],
)
def test_what_refines_is_not_asked(given, error, words):
    with pytest.raises(error, match=words):
        refines(SHARP, BLUNT, **given)
