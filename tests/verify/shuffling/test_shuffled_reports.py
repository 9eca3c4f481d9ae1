"""Shuffled reports: against all multisets in Fractions, from below and above; known numbers."""

import itertools
import json
import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadNumber, Uncertified
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import as_channel
from dprivacy.numbers import Level, ln
from dprivacy.spaces import line
from dprivacy.verify import eps_at, shuffled, shuffled_columns
from support.shuffled_truth import exact_delta


def response(k, e):
    low = 1 / (Q(e) + k - 1)
    return [[e * low if x == y else low for y in range(k)] for x in range(k)]


@pytest.mark.parametrize(
    ("k", "eps", "n", "delta", "digits"),
    [
        (4, "ln 3", 10, "1e-6", "1.098"),
        (4, "ln 3", 30, "1e-6", "0.821"),
        (4, "ln 3", 100, "1e-6", "0.458"),
        (4, "ln 3", 1000, "1e-6", "0.1351"),
        (4, "ln 3", 1000, "1e-9", "0.1874"),
        pytest.param(4, 4, 1000, "1e-6", "1.749", marks=pytest.mark.slow),
        pytest.param(20, 2, 1000, "1e-9", "0.2872", marks=pytest.mark.slow),
        pytest.param(4, "ln 3", 10**4, "1e-6", "0.03932", marks=pytest.mark.slow),
        pytest.param(4, 1, 10**5, "1e-6", "0.009833", marks=pytest.mark.slow),
        pytest.param(4, "ln 3", 10**6, "1e-9", "0.005146", marks=pytest.mark.slow),
        pytest.param(20, 4, 10**6, "1e-6", "0.02948", marks=pytest.mark.slow),
        pytest.param(20, 1, 10**5, "1e-9", "0.007469", marks=pytest.mark.slow),
    ],
)
def test_known_numbers(k, eps, n, delta, digits):
    found = shuffled(randomised_response(range(k), eps=eps), n, delta=delta)
    assert float(found.eps) == pytest.approx(float(digits), abs=0.7 * 10.0 ** -len(digits[2:]))
    assert found.eps < found.local


def test_the_last_evaluation_is_a_proof():
    rows = response(3, Q(2))
    found = shuffled(rows, 6, delta="1/100")
    a = found.eps.exp()
    assert a is not None
    assert max(exact_delta(rows, 6, a, pair) for pair in itertools.permutations(range(3), 2)) <= Q(
        1, 100
    )


def test_more_reports_and_more_delta_help_and_nothing_is_above_a_single_report():
    rr = randomised_response(range(3), eps="ln 3")
    by_n = [shuffled(rr, n, delta="1e-4").eps for n in (1, 2, 20, 100)]
    assert by_n == sorted(by_n, reverse=True)
    assert by_n[0] == eps_at(rr, delta="1e-4")
    by_delta = [shuffled(rr, 40, delta=d).eps for d in ("1e-8", "1e-6", "1e-3")]
    assert by_delta == sorted(by_delta, reverse=True)


def test_the_farthest_values_need_most():
    found = shuffled(geometric(line(4), eps="ln 2"), 200, delta="1e-5")
    assert set(found.pair) == {0, 3}
    assert found.eps < found.local


def test_where_shuffling_proves_nothing():
    alone = shuffled(response(2, Q(3)), 1, delta="1e-6")
    assert "there is one report only" in alone.explain()
    apart = shuffled([["1/2", "1/2", 0], [0, "1/2", "1/2"], ["1/2", 0, "1/2"]], 10, delta="1/2")
    assert apart.share == 0
    assert "no output is given by every value" in apart.explain()
    never = shuffled([[1, 0], ["1/2", "1/2"]], 10, delta="1/3")
    assert never.eps == math.inf
    assert "another value never gives" in never.explain()
    same = shuffled([["1/2", "1/2"], ["1/2", "1/2"]], 10, delta="1/3")
    assert same.eps == 0


def test_words_and_plain_data():
    found = shuffled(as_channel(response(3, Q(3)), rows=["a", "b", "c"]), 100, delta="1e-3")
    text = str(found)
    assert text.startswith("100 reports without order and names are (ε, δ)-private with ε = 0.")
    assert "between a and b as between any two values" in text
    assert json.loads(json.dumps(found.to_dict()))["n"] == 100
    assert found.exact


@pytest.mark.parametrize("n", [0, -1, 2.0, True, "5"])
def test_numbers_of_reports_that_are_refused(n):
    with pytest.raises(BadNumber, match="whole number from 1 on"):
        shuffled(response(2, Q(3)), n, delta="1e-6")


@pytest.mark.parametrize("delta", [0, 1])
def test_deltas_that_are_refused(delta):
    with pytest.raises(BadNumber, match="δ lies between 0 and 1"):
        shuffled(response(2, Q(3)), 10, delta=delta)


def test_floats_are_refused():
    with pytest.raises(Uncertified, match="as fractions"):
        shuffled([[0.5, 0.5], [0.25, 0.75]], 10, delta="1e-6")


@pytest.mark.parametrize("eps", ["1e-15", 400, 800])
@pytest.mark.parametrize("k", [2, 4])
def test_levels_that_doubles_do_not_hold(k, eps):
    found = shuffled(randomised_response(range(k), eps=eps), 100, delta="1e-20")
    assert found.eps <= found.local <= Level(eps)


def test_a_level_beyond_all_doubles():
    assert shuffled(800, 100, delta="1e-6").eps < Level(800)


def test_chances_beyond_doubles_get_the_level_of_one_report():
    tiny = Q(1, 10**400)
    rows = [[tiny, 1 - tiny], [Q(1, 2), Q(1, 2)], [Q(1, 3), Q(2, 3)]]
    found = shuffled([[*row, 0] for row in rows], 100, delta="1e-6")
    assert float(found.eps) == pytest.approx(float(eps_at(rows, delta="1e-6")))


def test_thousands_of_rows_of_one_person_get_the_sum_of_their_levels_at_once():
    found = shuffled_columns(
        [randomised_response(["a", "b"], eps="ln 3")], 10**4, delta="1e-6", rows_per_person=5000
    )
    assert found.eps == 5000 * ln(3)
