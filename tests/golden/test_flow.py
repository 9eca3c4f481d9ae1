"""Leakage in the sources: printed numbers, Table 5.1, and where the print is wrong."""

import math
from fractions import Fraction as Q

import pytest

from dprivacy.flow import (
    capacity,
    count_scenario,
    d_capacity,
    focussed,
    gain,
    inference,
    is_extended,
    is_focussed,
    is_hiding,
    is_insensitive,
    is_monotonic,
    is_pairwise_non_trivial,
    is_revealing,
    is_strictly_monotonic,
    is_trivial,
    leakage,
    leakage_bound,
    local_count,
    loss,
    mutual_information,
    oblivious_count,
    posterior_uncertainty,
    posterior_vulnerability,
    scenario,
    strategy,
    vulnerability,
)
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel, Dist, as_channel, joint, uniform
from dprivacy.numbers import ln
from dprivacy.reproduce.chapters.chapter_5 import COUNTS, CUSTODY, MARITAL, PEOPLE, PRINTED
from dprivacy.spaces import discrete, line, points


def deterministic(f, inputs):
    outputs = list(dict.fromkeys(f(x) for x in inputs))
    return Channel(inputs, outputs, [[int(f(x) == y) for y in outputs] for x in inputs])


# -- chapter 2 -------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Ex 2.2")
def test_the_property_gain_tests_the_guessed_set():
    """E23: w₁ = {60k, 100k} gains on its own members, w₂ on the others; the print ignores w."""
    salaries = ["10k", "20k", "60k", "100k"]
    g = gain.property(["60k", "100k"], salaries)
    high, low = frozenset(["60k", "100k"]), frozenset(["10k", "20k"])
    assert [g[high, x] for x in salaries] == [0, 0, 1, 1]
    assert [g[low, x] for x in salaries] == [1, 1, 0, 0]
    assert vulnerability(Dist(salaries, ["1/10", "2/10", "3/10", "4/10"]), gain=g) == Q(7, 10)


@pytest.mark.statement("T", "Ex 2.3")
def test_the_centre_of_the_square_is_the_best_guess():
    """E23: the column of the centre is 1/2, and its worth 1/2 > (3 − √2)/4."""
    places = {"p1": (0, 0), "p2": (0, 1), "p3": (1, 1), "p4": (1, 0), "centre": ("1/2", "1/2")}
    square = points(list(places.values()), labels=list(places))
    corners = ["p1", "p2", "p3", "p4"]
    prior = uniform(corners)
    guesses = gain.metric(square, actions=corners, secrets=corners)
    assert guesses["p1", "p3"] == pytest.approx(0)
    assert guesses["p1", "p2"] == pytest.approx(1 - 1 / math.sqrt(2))
    assert vulnerability(prior, gain=guesses) == pytest.approx((3 - math.sqrt(2)) / 4)
    anywhere = gain.metric(square, secrets=corners)
    assert [anywhere["centre", x] for x in corners] == pytest.approx([0.5] * 4)
    assert vulnerability(prior, gain=anywhere) == pytest.approx(0.5)


@pytest.mark.statement("T", "Def 2.2.6")
def test_a_rare_disease_and_a_good_test():
    """§2.2.3: under the uniform prior 9/10 is guessed; under (99/100, 1/100) nothing leaks."""
    C = as_channel([["9/10", "1/10"], ["1/10", "9/10"]])
    bv = gain.identity([0, 1])
    assert posterior_vulnerability(C, prior=uniform([0, 1]), gain=bv) == Q(9, 10)
    assert leakage(C, prior=Dist([0, 1], ["99/100", "1/100"]), gain=bv) == 1


@pytest.mark.statement("T", "Def 2.2.6")
def test_nothing_over_nothing_is_no_leakage():
    """E24: 0/0 is 1, not 0."""
    C = as_channel([["1/2", "1/2"], ["1/2", "1/2"]])
    nothing = gain.matrix(["w"], [0, 1], [[0, 0]])
    assert leakage(C, prior=uniform([0, 1]), gain=nothing) == 1
    assert leakage(C, prior=uniform([0, 1]), gain=nothing, kind="additive") == 0
    unseen = gain.matrix(["w", "v"], [0, 1], [[1, -1], [-1, 1]])
    reveal = as_channel([[1, 0], [0, 1]])
    assert leakage(reveal, prior=uniform([0, 1]), gain=unseen, kind="additive") == 1


@pytest.mark.statement("T", "Def 2.2.1", "Def 2.2.2", "Def 2.2.5")
def test_channels_that_reveal_everything_or_nothing():
    prior, bv = uniform([0, 1, 2]), gain.identity([0, 1, 2])
    everything = as_channel([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    nothing = as_channel([["1/5"] * 5] * 3)
    assert leakage(everything, prior=prior, gain=bv) == 3 == capacity(everything)
    assert leakage(nothing, prior=prior, gain=bv) == 1 == capacity(nothing)


# -- chapter 4 -------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Ex 4.1.1")
def test_eight_bits_leak_more_than_four():
    """E6: P₃ (the last 8 bits) leaks more than P₄ (the last 4); here with secrets of 9 bits."""
    secrets = range(512)
    programs = {
        "P1": deterministic(lambda h: h if h % 8 == 0 else 1, secrets),
        "P2": deterministic(lambda h: h if h % 4 == 0 else 1, secrets),
        "P3": deterministic(lambda h: h & 255, secrets),
        "P4": deterministic(lambda h: h & 15, secrets),
    }
    prior = uniform(secrets)
    assert mutual_information(programs["P3"], prior=prior) == 8
    assert mutual_information(programs["P4"], prior=prior) == 4
    assert capacity(programs["P3"]) == 256
    assert capacity(programs["P4"]) == 16
    assert (capacity(programs["P1"]), capacity(programs["P2"])) == (65, 129)


@pytest.mark.statement("T", "Ex 4.1")
@pytest.mark.statement("T", "Def 4.3.1")
def test_the_average_hides_a_rare_disclosure():
    sigma = Q(1, 50)
    half = Q(1, 2)
    C = Channel(
        ["x1", "x2", "x3"],
        ["y1", "y2", "y3"],
        [[sigma, half, half - sigma], [0, half, half], [0, half, half]],
    )
    prior, bv = uniform(C.rows), gain.identity(C.rows)
    assert posterior_vulnerability(C, prior=prior, gain=bv) == sigma / 3 + Q(1, 3)
    assert leakage(C, prior=prior, gain=bv) == 1 + sigma
    assert posterior_vulnerability(C, prior=prior, gain=bv, case="max") == 1


@pytest.mark.statement("T", "Thm 4.8", "Thm 4.9")
def test_the_d_capacity_of_the_printed_channels():
    """Ex 4.3: G has ln 2 on the line and ln 4 on the discrete metric, R has ln 3 on both."""
    G, R = geometric(3, eps="ln 2").channel, randomised_response(range(3), eps="ln 3").channel
    assert d_capacity(G, line(3)) == ln(2)
    assert d_capacity(G, discrete(range(3))) == ln(4)
    assert d_capacity(R, line(3)) == d_capacity(R, discrete(range(3))) == ln(3)


# -- chapter 5 -------------------------------------------------------------------------------------

ANSWERS = [(0, 0), (1, 0), (0, 1), (1, 1)]
FIRST = gain.partition({0: [(0, 0), (0, 1)], 1: [(1, 0), (1, 1)]})
TALLY = gain.partition({0: [(0, 0)], 1: [(0, 1), (1, 0)], 2: [(1, 1)]})


def tallied(noise):
    """Two respondents; `noise` is a channel from their answers to the announced tally."""
    prior = uniform(ANSWERS)
    return (
        posterior_vulnerability(noise, prior=prior, gain=FIRST),
        posterior_vulnerability(noise, prior=prior, gain=TALLY),
    )


@pytest.mark.statement("T", "§5.3.2")
@pytest.mark.statement("T", "Def 5.3.2")
def test_noise_on_each_answer():
    """0.63 and 0.59 of the print: 5/8 and 19/32."""
    coin = randomised_response([0, 1], eps="ln 3").channel
    both = coin.over_rows(2)
    tally = deterministic(sum, both.columns)
    R = both @ tally
    assert R.row((0, 0)) == {0: Q(9, 16), 1: Q(6, 16), 2: Q(1, 16)}
    assert tallied(R) == (Q(5, 8), Q(19, 32))


@pytest.mark.statement("T", "§5.3.2")
def test_noise_on_the_tally():
    """0.67 and 0.625 of the print: 2/3 and 5/8."""
    noise = geometric(3, eps="ln 3").channel
    G = deterministic(sum, ANSWERS) @ noise
    assert G.row((0, 0)) == {0: Q(3, 4), 1: Q(1, 6), 2: Q(1, 12)}
    assert tallied(G) == (Q(2, 3), Q(5, 8))


@pytest.mark.statement("T", "§5.3.2")
@pytest.mark.statement("T", "§5.6")
def test_the_same_by_counting():
    """The second respondent's fair coin is the prior; here a known row stands in for it."""
    belief = joint([0, 1], [0, 1], [[1, 0], [0, 1]])
    coin = randomised_response([0, 1], eps="ln 3").channel
    alone = count_scenario(belief, counted=[1], rows={0: 1, 1: 0}, local=coin)
    counts = local_count({0: 1, 1: 0}, counted=[1], noise=coin)
    assert counts.row(0) == {0: Q(9, 16), 1: Q(6, 16), 2: Q(1, 16)}
    assert counts.row(1) == {0: Q(3, 16), 1: Q(10, 16), 2: Q(3, 16)}
    assert alone.utility == Q(1, 2) * (Q(9, 16) + Q(10, 16) + Q(3, 16))
    assert alone.exact


SCENARIOS = {
    "A": (Dist([(s, s) for s in range(6)], [Q(CUSTODY[s], PEOPLE) for s in range(6)]), CUSTODY),
    "B": (joint(range(6), range(6), COUNTS), MARITAL),
}


@pytest.mark.statement("T", "Table 5.1")
@pytest.mark.parametrize("factor", PRINTED)
def test_table_5_1(factor):
    """All 64 entries at a finite ε > 0, from the 11,710 rows, to the printed digits."""
    found = []
    for belief, rows in SCENARIOS.values():
        for noise in (
            {"oblivious": ln(factor)},
            {"local": geometric(6, eps=ln(factor)).channel},
        ):
            outcome = count_scenario(belief, counted=[0], rows=rows, **noise)
            found += [f"{float(outcome.privacy_loss):.4f}", f"{float(outcome.utility):.4f}"]
    assert " ".join(found) == PRINTED[factor]


@pytest.mark.statement("T", "Table 5.1")
def test_the_ends_of_table_5_1():
    """ε = 0 betrays nothing; E7: the last row prints the ceiling over all channels, 11710/9288."""
    for belief, rows in SCENARIOS.values():
        start = count_scenario(belief, counted=[0], rows=rows, oblivious=0)
        assert start.privacy_loss == 1
    limits = [
        count_scenario(belief, counted=[0], rows=rows, oblivious=math.inf)
        for belief, rows in SCENARIOS.values()
    ]
    assert [limit.utility for limit in limits] == [1, 1]
    assert limits[0].privacy_loss == Q(CUSTODY[4] + CUSTODY[0], CUSTODY[4])
    assert f"{float(limits[0].privacy_loss):.4f}" == "1.2542"
    assert limits[1].privacy_loss == 1
    ceiling = inference(randomless(range(6)), SCENARIOS["B"][0], sees=0, about=0).multiplicative
    assert ceiling == Q(11710, 9288)
    assert f"{float(ceiling):.4f}" == "1.2608"


def randomless(labels):
    return deterministic(lambda x: x, labels)


@pytest.mark.statement("T", "§5.6")
def test_the_short_oblivious_channel_is_the_long_one():
    """Two outputs stand for the whole range of counts of a truncated geometric mechanism."""
    rows = {"a": 3, "b": 4}
    noise = geometric(9, eps="ln 3").channel
    long = Channel(["a", "b"], noise.columns, noise.matrix.take(rows=[4, 3]))
    assert oblivious_count(rows, counted=["a"], eps="ln 3").equivalent(long)


@pytest.mark.statement("T", "Thm 5.1")
@pytest.mark.statement("T", "Def 5.4.1", "Def 5.4.2")
def test_no_free_lunch():
    """Where useful and secret are one, what is accurate is not private."""
    same = joint(["a", "b"], ["a", "b"], [[1, 0], [0, 1]])
    for p in (Q(1, 2), Q(3, 4), Q(9, 10), Q(1)):
        C = Channel(["a", "b"], ["a", "b"], [[p, 1 - p], [1 - p, p]])
        found = scenario(C, same, on="useful")
        assert found.utility == found.secret.after == p
        assert found.privacy_loss == 2 * p


@pytest.mark.statement("T", "Def 5.5.1", "Def 5.5.2", "Def 5.5.4")
def test_mechanisms_that_see_one_side_only():
    H = geometric(3, eps="ln 2").channel
    M = focussed(H, ["s", "t"], on="useful")
    assert is_insensitive(M, "secret").channel == H
    assert not is_insensitive(M, "useful")
    assert is_focussed(M, line(3), on="useful", eps="ln 2")
    assert not is_focussed(M, line(3), on="useful", eps="0.69")
    L = focussed(H, ["u", "v"], on="secret")
    assert is_focussed(L, line(3), on="secret", eps="ln 2")
    assert "differ" in is_focussed(L, discrete(["u", "v"]), on="useful", eps=1).explain()
    belief = joint(["s", "t"], [0, 1, 2], [[3, 1, 0], [0, 1, 3]])
    assert scenario(M, belief).to_dict() == scenario(H, belief).to_dict()


@pytest.mark.statement("T", "Def 5.3.1")
def test_dalenius_vulnerability_is_that_of_the_pairs():
    """(5.2): V^D(Π, C) = V[Π ▷ C*] with the prior on pairs."""
    belief = joint(["x", "y", "z"], ["ill", "well"], [[4, 1], [1, 1], [0, 3]])
    C = geometric(3, eps="ln 2").channel
    C = as_channel(C, rows=["x", "y", "z"])
    pairs = Channel(
        belief.labels, C.columns, C.matrix.take(rows=[C.row_position(x) for x, _ in belief.labels])
    )
    guess = gain.partition({w: [p for p in belief.labels if p[1] == w] for w in ("ill", "well")})
    assert inference(C, belief).after == posterior_vulnerability(pairs, prior=belief, gain=guess)
    assert inference(pairs, belief, about=1).after == inference(C, belief).after


# -- chapter 6 -------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Cor 6.23")
def test_a_restriction_of_the_geometric_is_not_optimal():
    """E8: on {0, 2} the geometric has Bayes risk 1/4, the best response 1/5."""
    G = geometric(3, eps="ln 2").channel.restrict([0, 2])
    T = Channel([0, 2], [0, 2], [["4/5", "1/5"], ["1/5", "4/5"]])
    prior, risk = uniform([0, 2]), loss.identity([0, 2])
    assert posterior_uncertainty(G, prior=prior, loss=risk) == Q(1, 4)
    assert posterior_uncertainty(T, prior=prior, loss=risk) == Q(1, 5)


HEIGHTS = ["Tall", "Average", "Short"]
TALL = loss.matrix(["w1", "w2"], HEIGHTS, [[0, 1, 0], [1, 0, 0]])


@pytest.mark.statement("T", "§6.8.1")
def test_telling_tall_from_average():
    """E9: 1/4 and 2/9, where 3/4 and 2/3 are printed."""
    R = randomised_response(HEIGHTS, eps="ln 2").channel
    K = Channel(HEIGHTS, ["y0", "y1"], [["2/3", "1/3"], ["1/3", "2/3"], ["2/3", "1/3"]])
    assert posterior_uncertainty(R, prior=uniform(HEIGHTS), loss=TALL) == Q(1, 4)
    assert posterior_uncertainty(K, prior=uniform(HEIGHTS), loss=TALL) == Q(2, 9)
    assert strategy(K, prior=uniform(HEIGHTS), gain=TALL)["y0"] == "w1"


X3, X4 = ["x1", "x2", "x3"], ["x1", "x2", "x3", "x4"]
L_M = loss.matrix(
    ["w1", "w2", "w3"], X3, [[0, "3/4", 1], ["1/2", "1/4", "2/3"], ["3/5", "3/4", "1/3"]]
)
L_E = loss.matrix(["w1", "w2"], X4, [[1, 0, 1, 0], [0, 1, 0, 0]])
L_T = loss.matrix(["w1", "w2"], X3, [["1/2", "3/4", 1]] * 2)
L_S = loss.matrix(["w1", "w2"], X4, [["1/2", "1/2", "1/2", 0], [1, 1, 1, 0]])


def ordered(labels):
    return line(len(labels)).__class__(labels, line(len(labels)).distances)


@pytest.mark.statement("T", "Ex 6.4")
@pytest.mark.statement("T", "Def 6.5.1", "Def 6.5.2", "Def 6.5.3")
def test_the_four_losses():
    """E19: ℓ_s is monotonic on the line, with α(w₁) = x₃ and α(w₂) = x₄."""
    on_line = is_monotonic(L_M, ordered(X3))
    assert on_line.mapping == {"w1": "x1", "w2": "x2", "w3": "x3"}
    assert not is_monotonic(L_M, discrete(X3))
    assert is_extended(L_E, X3)
    assert not is_extended(L_E, ["x1", "x2"])
    assert is_trivial(L_T).action == "w1"
    assert is_monotonic(L_T, ordered(X3))
    assert is_monotonic(L_T, discrete(X3))
    assert is_trivial(L_S).action == "w1"
    assert is_extended(L_S, X3)
    assert is_monotonic(L_S, ordered(X4)).mapping == {"w1": "x3", "w2": "x4"}
    assert not is_monotonic(L_S, discrete(X4))


@pytest.mark.statement("T", "Def 6.8.1")
@pytest.mark.statement("T", "Lem 6.35")
@pytest.mark.statement("T", "Thm 6.33")
def test_strictly_monotonic_losses():
    distance, risk = loss.metric(line(4)), loss.identity(range(4))
    assert is_strictly_monotonic(distance, line(4))
    assert not is_monotonic(distance, discrete(range(4)))
    assert is_strictly_monotonic(risk, discrete(range(4)))
    assert is_monotonic(risk, line(4))
    assert not is_strictly_monotonic(risk, line(4))
    assert is_pairwise_non_trivial(distance)
    assert is_pairwise_non_trivial(risk)
    assert is_pairwise_non_trivial(TALL).pair == ("Tall", "Short")


# -- chapter 9 -------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Thm 9.11")
@pytest.mark.statement("T", "§9.5.2")
def test_the_promise_bounds_the_leakage():
    for n, eps in ((3, ln(2)), (5, ln(3)), (4, ln(10))):
        C = geometric(n, eps=eps).channel
        assert 1 < capacity(C) <= leakage_bound(line(n), eps=eps)
    assert leakage_bound(line(3), eps="ln 2") == 4
    assert leakage_bound(line(3), eps=1) == pytest.approx(math.exp(2))
    assert leakage_bound(line(3), eps=0) == 1


AUTHORS = [["1", "2"], ["3"], ["4"]]
TOPICS = [["1", "2"], ["3", "4"]]


@pytest.mark.statement("T", "Thm 9.13")
@pytest.mark.statement("T", "Def 9.5.1", "Def 9.5.2")
def test_a_uniform_prior_is_not_enough():
    """E15: {12∣3∣4} is finer than {12∣34}, and yet 2 is revealed where 3/2 is hidden."""
    M = deterministic(lambda x: x in "12", list("1234"))
    prior = uniform(list("1234"))
    assert is_hiding(M, AUTHORS, eps="1/2", prior=prior).leakage == Q(3, 2)
    assert is_revealing(M, TOPICS, delta=1, prior=prior).leakage == 2
    assert not is_hiding(M, AUTHORS, eps="0.49", prior=prior)
    assert not is_revealing(M, TOPICS, delta="1.01", prior=prior)
    even = Dist(list("1234"), ["1/6", "1/6", "1/3", "1/3"])
    hidden = is_hiding(M, AUTHORS, eps=1, prior=even)
    revealed = is_revealing(M, TOPICS, delta=0, prior=even)
    assert revealed.leakage <= hidden.leakage


@pytest.mark.statement("T", "Def 9.5.2")
def test_crossing_partitions_can_be_hidden_and_revealed():
    M = deterministic(lambda x: int(x in "cd"), list("abcd"))
    prior = uniform(list("abcd"))
    assert is_revealing(M, [["a", "b"], ["c", "d"]], delta=1, prior=prior)
    assert is_hiding(M, [["a", "c"], ["b", "d"]], eps=0, prior=prior)
    assert capacity(M) == 2
