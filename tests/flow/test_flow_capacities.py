"""Capacities, entropies and inferences: numbers known in closed form, and refusals."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import Malformed, SpaceMismatch, TooLarge, UnknownCategory
from dprivacy.flow import (
    additive_bound,
    additive_capacity,
    capacity,
    count_scenario,
    d_capacity,
    d_vulnerability,
    focussed,
    gain,
    inference,
    is_hiding,
    is_insensitive,
    leakage,
    leakage_bound,
    local_count,
    loss,
    mutual_information,
    oblivious_count,
    posterior_shannon_entropy,
    scenario,
    shannon_capacity,
    shannon_entropy,
)
from dprivacy.model import Channel, Dist, as_channel, joint, uniform
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, grid, line


def entropy(p):
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


class TestShannon:
    @pytest.mark.parametrize("p", [0.5, 0.4, 0.11, 0.01, 1e-6])
    def test_binary_symmetric(self, p):
        found = shannon_capacity([[1 - p, p], [p, 1 - p]])
        assert found == pytest.approx(1 - entropy(p), abs=1e-9)
        assert found.lower <= 1 - entropy(p) <= found.upper

    @pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
    def test_erasure_and_z(self, p):
        assert shannon_capacity([[1 - p, p, 0], [0, p, 1 - p]]) == pytest.approx(1 - p, abs=1e-9)
        z = math.log2(1 + (1 - p) * p ** (p / (1 - p)))
        assert shannon_capacity([[1, 0], [p, 1 - p]]) == pytest.approx(z, abs=1e-9)

    def test_extremes(self):
        assert shannon_capacity([["1/2", "1/2"]] * 3).upper < 1e-9
        n = 64
        assert shannon_capacity(np.eye(n)) == pytest.approx(6, abs=1e-9)
        few = shannon_capacity([[0.9, 0.1], [0.2, 0.8]], max_iterations=1)
        assert few.lower < few.upper
        assert "between" in few.explain()
        assert few.to_dict()["iterations"] == 1

    def test_refusals(self):
        with pytest.raises(Malformed, match="tolerance"):
            shannon_capacity([[1]], tolerance=0)
        with pytest.raises(Malformed, match="bits"):
            shannon_entropy(uniform([0, 1]), unit="bans")

    def test_exact_entropies(self):
        prior = Dist(["a", "b", "c"], ["1/2", "1/4", "1/4"])
        assert shannon_entropy(prior) == Q(3, 2)
        assert shannon_entropy(prior, unit="nats") == Q(3, 2) * ln(2)
        thirds = shannon_entropy(uniform([0, 1, 2]), unit="nats")
        assert isinstance(thirds, Level)
        assert thirds == ln(3)
        assert shannon_entropy(uniform([0, 1, 2])) == pytest.approx(math.log2(3))
        bit = as_channel({x: {x % 2: 1} for x in range(8)})
        assert mutual_information(bit, prior=uniform(range(8))) == 1
        assert posterior_shannon_entropy(bit, prior=uniform(range(8))) == 2


class TestAdditive:
    def test_two_secrets_by_hand(self):
        """For the identity gain on two secrets the best prior is where the guess is about to turn."""
        C = as_channel([["3/4", "1/4"], ["1/4", "3/4"]])
        found = additive_capacity(C, gain=gain.identity([0, 1]))
        assert found.value == Q(1, 4)
        assert found.prior == uniform([0, 1])
        assert found.actions == {0: 0, 1: 1}
        assert "at most 1/4" in found.explain()
        assert found.to_dict()["value"] == "1/4"
        assert float(found) == 0.25

    def test_a_loss_and_a_trivial_gain(self):
        C = as_channel([["3/4", "1/4"], ["1/4", "3/4"]])
        assert additive_capacity(C, gain=loss.identity([0, 1])).value == Q(1, 4)
        assert additive_capacity(C, gain=gain.matrix(["w"], [0, 1], [[5, 1]])).value == 0
        assert additive_capacity([[1], [1]], gain=gain.identity([0, 1])).value == 0

    def test_not_always_the_uniform_prior(self):
        """A known fact of additive capacity: here a prior on two of the three secrets is best."""
        C = as_channel([[1, 0], [0, 1], [0, 1]])
        found = additive_capacity(C, gain=gain.identity(range(3)))
        assert found.value == Q(1, 2)
        assert leakage(
            C, prior=uniform(range(3)), gain=gain.identity(range(3)), kind="additive"
        ) == Q(1, 3)

    def test_floats_come_back_as_floats(self):
        C = as_channel([[0.75, 0.25], [0.25, 0.75]])
        found = additive_capacity(C, gain=gain.identity([0, 1]))
        assert isinstance(found.value, float)
        assert found.value == pytest.approx(0.25)

    def test_it_gives_up_in_words(self):
        C = as_channel([["2/3", "1/3", 0], [0, "2/3", "1/3"], ["1/3", 0, "2/3"]])
        with pytest.raises(TooLarge, match="linear programs"):
            additive_capacity(C, gain=gain.identity(range(3)), most_programs=1)

    def test_bounds_over_gains(self):
        C = as_channel([[1, 0], [0, 1]])
        prior = Dist([0, 1], ["1/3", "2/3"])
        assert additive_bound(C, prior=prior) == 1
        assert additive_bound(C, prior=prior, gains="spanning") == Q(4, 9)
        with pytest.raises(Malformed, match="spanning"):
            additive_bound(C, prior=prior, gains="all")


class TestDistance:
    def test_values(self):
        V = d_vulnerability(line(3))
        assert V(Dist(range(3), ["1/7", "2/7", "4/7"])) == ln(2)
        assert V(uniform(range(3))) == 0
        assert V(Dist(range(3), [0, "1/2", "1/2"])) == math.inf
        assert V(Dist(range(3), [0.25, 0.25, 0.5])) == pytest.approx(math.log(2))
        assert V(Dist([2, 0, 1], ["4/7", "1/7", "2/7"])) == ln(2)

    def test_irrational_quotients_are_rounded_up(self):
        space = from_table(["a", "b"], [[0, "ln 3"], ["ln 3", 0]])
        found = d_vulnerability(space)(Dist(["a", "b"], ["2/3", "1/3"]))
        assert isinstance(found, float)
        assert found == pytest.approx(math.log(2) / math.log(3))

    def test_pseudo_and_infinite_distances(self):
        far = from_table(["a", "b"], [[0, "inf"], ["inf", 0]], extended=True)
        assert d_vulnerability(far)(Dist(["a", "b"], [1, 0])) == 0
        assert d_vulnerability(far)(Dist(["a", "b"], [1.0, 0.0])) == 0
        same = from_table(["a", "b"], [[0, 0], [0, 0]], pseudo=True)
        assert d_vulnerability(same)(Dist(["a", "b"], ["2/3", "1/3"])) == math.inf
        assert d_vulnerability(same)(uniform(["a", "b"])) == 0

    def test_labels(self):
        with pytest.raises(SpaceMismatch):
            d_capacity([[1], [1]], line(3))
        assert leakage_bound(grid(2, 2), eps=1) == pytest.approx(math.exp(math.sqrt(2)))
        assert capacity(np.array([[0.5, 0.5], [0.25, 0.75]])) == 1.25


class TestCounting:
    def test_an_exact_local_count_is_the_product_of_responses(self):
        """Three known rows and a new one, against the channel on whole databases."""
        coin = as_channel([["3/4", "1/4"], ["1/4", "3/4"]])
        counts = local_count({0: 1, 1: 2}, counted=[1], noise=coin)
        whole = coin.over_rows(4)
        tally = Channel(
            whole.columns, range(5), [[int(sum(y) == c) for c in range(5)] for y in whole.columns]
        )
        expected = (whole @ tally).restrict([(0, 1, 1, 0), (0, 1, 1, 1)])
        assert counts.matrix == expected.matrix

    def test_many_rows_agree_with_few(self):
        """The floats of a large count against exact arithmetic, on a count that is both."""
        coin = as_channel([["9/10", "1/10"], ["1/5", "4/5"]])
        assert not local_count({0: 400, 1: 300}, counted=[1], noise=coin).exact
        small = {0: 20, 1: 12}
        found = local_count(small, counted=[1], noise=coin)
        floats = local_count(small, counted=[1], noise=Channel([0, 1], [0, 1], coin.matrix.floats))
        assert found.exact
        assert np.allclose(found.matrix.floats, floats.matrix.floats, rtol=1e-12, atol=0)

    def test_noise_free_and_endless_noise(self):
        rows = {"a": 2, "b": 3}
        sharp = oblivious_count(rows, counted=["a"], eps=math.inf)
        assert sharp.row("a") == {"at most 2": 0, "more than 2": 1}
        blunt = oblivious_count(rows, counted=["a"], eps=0)
        assert blunt["a", "at most 2"] == Q(1, 2)
        assert not oblivious_count(rows, counted=["a"], eps="1/2").exact
        identity = as_channel({"a": {"a": 1}, "b": {"b": 1}})
        assert local_count(rows, counted=["a"], noise=identity)["a", 3] == 1

    def test_refusals(self):
        belief = joint(["s"], ["a", "b"], [[1, 1]])
        with pytest.raises(Malformed, match="one of oblivious"):
            count_scenario(belief, counted=["a"], rows={"a": 1, "b": 1})
        with pytest.raises(UnknownCategory, match="'c', which is not among"):
            oblivious_count({"a": 1}, counted=["c"], eps=1)
        with pytest.raises(Malformed, match="at least 0 and not empty"):
            oblivious_count({"a": -1}, counted=["a"], eps=1)
        with pytest.raises(UnknownCategory, match="'a', which is not an output"):
            local_count({"a": 1}, counted=["a"], noise={"a": {"b": 1}})


class TestInference:
    belief = joint(["yes", "no"], ["ill", "well"], [[3, 1], [1, 5]])
    coin = as_channel({"yes": {0: "3/4", 1: "1/4"}, "no": {0: "1/4", 1: "3/4"}})

    def test_which_side_is_seen(self):
        assert inference(self.coin, self.belief).before == Q(6, 10)
        turned = Dist([(b, a) for a, b in self.belief.labels], self.belief.weights)
        assert inference(self.coin, turned).to_dict() == inference(self.coin, self.belief).to_dict()
        itself = inference(self.coin, self.belief, about=0)
        assert itself.after == Q(3, 4)

    def test_impossible_values_earn_nothing(self):
        wide = joint(["yes", "no"], ["ill", "well", "dead"], [[3, 1, 0], [1, 5, 0]])
        wanted = gain.identity(["ill", "well", "dead"])
        assert inference(self.coin, wide, gain=wanted).after == inference(self.coin, wide).after

    def test_words(self):
        found = inference(self.coin, self.belief)
        assert found.leaks
        assert float(found) == float(found.after)
        assert "expected gain from 3/5" in found.explain()
        silent = inference(as_channel([["1/2", "1/2"]] * 2, rows=["yes", "no"]), self.belief)
        assert not silent.leaks
        assert "reveals nothing" in silent.explain()
        assert found.additive == found.after - found.before

    def test_refusals(self):
        with pytest.raises(Malformed, match="pairs"):
            inference(self.coin, uniform(["yes", "no"]))
        with pytest.raises(SpaceMismatch, match="should be the first values"):
            inference([[1], [1]], self.belief)
        with pytest.raises(Malformed, match="0 or 1"):
            inference(self.coin, self.belief, about=2)
        pairs = focussed(self.coin, ["ill", "well"], on="secret")
        with pytest.raises(Malformed, match="say which to infer"):
            inference(pairs, self.belief)
        same = joint([0, 1], [0, 1], [[1, 0], [1, 1]])
        with pytest.raises(Malformed, match="same names"):
            scenario([[1, 0], [0, 1]], same)
        with pytest.raises(Malformed, match="secret"):
            scenario([[1, 0], [0, 1]], same, on="both")

    def test_a_scenario_in_words(self):
        found = scenario(self.coin, self.belief)
        assert "privacy loss of" in found.explain()
        assert found.to_dict()["exact"]
        assert found.privacy_loss == Q(3, 4) / Q(6, 10)

    def test_focus_refusals(self):
        with pytest.raises(Malformed, match="pairs"):
            is_insensitive(self.coin, "secret")
        with pytest.raises(Malformed, match="useful"):
            is_insensitive(self.coin, "neither")
        with pytest.raises(Malformed, match="useful"):
            focussed(self.coin, ["a"], on="neither")
        with pytest.raises(Malformed, match="at least 0"):
            is_hiding(self.coin, [["yes"], ["no"]], eps=-1, prior=uniform(["yes", "no"]))

    def test_hiding_in_floats_may_be_undecided(self):
        C = Channel(["yes", "no"], [0, 1], self.coin.matrix.floats)
        prior = Dist(["yes", "no"], [0.5, 0.5])
        found = is_hiding(C, [["yes"], ["no"]], eps="1/2", prior=prior)
        assert found.holds is None
        assert is_hiding(C, [["yes"], ["no"]], eps=0.6, prior=prior)
        assert "output multiplies" in found.explain()


def test_the_discrete_metric_bounds_by_e_to_the_eps():
    assert leakage_bound(discrete(["x", "y", "z"]), eps="ln 3") == 3
