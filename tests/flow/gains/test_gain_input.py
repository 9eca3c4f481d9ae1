"""What a gain or a loss may not be."""

from fractions import Fraction as Q

import pytest

from dprivacy.errors import (
    DuplicateLabel,
    Malformed,
    MixedArithmetic,
    NotApplicable,
    SpaceMismatch,
    TooLarge,
    UnknownName,
    WrongKind,
    WrongShape,
)
from dprivacy.flow import (
    d_vulnerability,
    gain,
    guessing_entropy,
    inference,
    leakage,
    leakage_bound,
    loss,
    posterior_vulnerability,
    shannon_entropy,
    uncertainty,
    vulnerability,
)
from dprivacy.mechanisms import randomised_response
from dprivacy.model import Dist, as_channel, uniform
from dprivacy.spaces import line


class TestRefusals:
    def test_blocks(self):
        with pytest.raises(DuplicateLabel, match="'a' lies in two blocks"):
            gain.partition([["a"], ["a", "b"]])
        with pytest.raises(Malformed, match="at least one block"):
            gain.partition([["a"], []])

    def test_tries(self):
        for k in (0, 4, True, 1.5):
            with pytest.raises(Malformed, match="from 1 to 3"):
                gain.tries(range(3), k)
        with pytest.raises(TooLarge, match="actions"):
            gain.tries(range(60), 30)

    def test_infinite_entries(self):
        with pytest.raises(Malformed, match="action 'w', secret 'b' should be finite, not inf"):
            loss.matrix(["w"], ["a", "b"], [[1.0, float("inf")]])

    def test_infinite_distances(self):
        from dprivacy.spaces import from_table

        apart = from_table(["a", "b"], [[0, "inf"], ["inf", 0]], extended=True)
        with pytest.raises(Malformed, match="infinite"):
            loss.metric(apart)

    def test_a_loss_is_no_gain(self):
        with pytest.raises(Malformed, match="ask for `uncertainty`"):
            vulnerability(uniform([0, 1]), gain=loss.identity([0, 1]))
        with pytest.raises(Malformed, match=r"gain.identity"):
            vulnerability(uniform([0, 1]), gain=7)
        with pytest.raises(UnknownName, match="'bayes', 'metric', not 'worst'"):
            uncertainty(uniform([0, 1]), loss="worst")
        with pytest.raises(NotApplicable, match="say which space"):
            uncertainty(uniform([0, 1]), loss="metric")
        with pytest.raises(Malformed, match="do not add up"):
            gain.combine(gain.identity([0, 1]), loss.identity([0, 1]))

    def test_options(self):
        C = as_channel([[1, 0], [0, 1]])
        prior, bv = uniform([0, 1]), gain.identity([0, 1])
        with pytest.raises(Malformed, match="average"):
            posterior_vulnerability(C, prior=prior, gain=bv, case="worst")
        with pytest.raises(Malformed, match="multiplicative"):
            leakage(C, prior=prior, gain=bv, kind="log")
        with pytest.raises(Malformed, match="not 'uniform'; leave it out"):
            vulnerability("uniform", gain=bv)
        with pytest.raises(Malformed, match=r"nothing says on what; give uniform\(labels\)"):
            vulnerability(None)

    def test_labels_must_agree(self):
        C = as_channel([[1, 0], [0, 1]])
        with pytest.raises(SpaceMismatch, match="only in the first"):
            posterior_vulnerability(C, prior=uniform([0, 1]), gain=gain.identity(["a", "b"]))

    def test_exact_and_float_do_not_mix_in_the_facts(self):
        C = as_channel([[0.5, 0.5], [0.25, 0.75]])
        with pytest.raises(MixedArithmetic):
            posterior_vulnerability(C, prior=uniform([0, 1]), gain=gain.identity([0, 1]))

    @pytest.mark.statement("T", "Thm 4.12")
    def test_negative_gains_have_no_quotient(self):
        """E27: a difference of channels becomes a gain once it is shifted by its minimum."""
        C = as_channel([[1, 0], [0, 1]])
        g = gain.matrix(["w", "v"], [0, 1], [["1/2", "-1/2"], ["-1/4", "1/4"]])
        with pytest.raises(Malformed, match="shift it by its minimum"):
            leakage(C, prior=uniform([0, 1]), gain=g)
        shifted = gain.shift(g, Q(1, 2))
        assert leakage(C, prior=uniform([0, 1]), gain=shifted) > 1
        same = [leakage(C, prior=uniform([0, 1]), gain=h, kind="additive") for h in (g, shifted)]
        assert same[0] == same[1]

    def test_the_algebra(self):
        g = gain.identity(["a", "b"])
        with pytest.raises(Malformed, match="at least 0, not -1"):
            gain.scale(g, -1)
        with pytest.raises(Malformed, match="every secret; 'b' has none"):
            gain.shift(g, {"a": 1})
        with pytest.raises(SpaceMismatch, match="weighting"):
            gain.weight(g, uniform([0, 1]))
        with pytest.raises(Malformed, match="should include 'b'"):
            gain.lift(g, ["a", "c"])
        with pytest.raises(MixedArithmetic):
            gain.shift(gain.matrix(["w"], ["a"], [[0.5]]), "1/3")


R = randomised_response(["a", "b"], eps="ln 3")


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: gain.partition(["ab", "c"]), WrongKind, "a block: .* not the single text 'ab'"),
        (lambda: gain.partition({"x": "ab"}), WrongKind, "a block: .* not the single text 'ab'"),
        (lambda: gain.partition("ab"), WrongKind, "a partition: a list of blocks is needed"),
        (lambda: gain.partition(3), WrongKind, "a partition: a list of blocks is needed, not 3"),
        (lambda: gain.property("ab", ["a", "b"]), WrongKind, "inside: .* not the single text 'ab'"),
        (lambda: gain.metric("ab"), UnknownName, "'ab' does not name a space"),
        (lambda: gain.metric(3), WrongKind, "a space is a FiniteSpace, .* not the int 3"),
        (lambda: gain.metric("line:3", actions="01"), WrongKind, "not the single text '01'"),
        (lambda: gain.identity("ab"), UnknownName, "'ab' does not name a space"),
        (
            lambda: leakage(R, prior=[0.5, 0.5]),
            MixedArithmetic,
            "the prior is in floats and the chan",
        ),
        (lambda: inference(R, ["1/2", "1/2"]), WrongShape, "should be a distribution on pairs"),
        (lambda: inference(R, 7), WrongKind, "a prior is a distribution, a mapping"),
    ],
)
def test_refusals(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_spaces_may_be_named():
    assert gain.metric("line:3") == gain.metric(line(3))
    assert gain.threshold("line:3", 1) == gain.threshold(line(3), 1)
    assert loss.identity(R) == loss.identity(["a", "b"])
    assert leakage_bound("line:3", eps="ln 2") == 4
    assert d_vulnerability("line:3")(uniform("line:3")) == 0


def test_weights_alone_are_of_the_first_numbers():
    weights = ["1/2", "1/3", "1/6"]
    assert vulnerability(weights) == Q(1, 2)
    assert uncertainty(weights) == Q(1, 2)
    assert vulnerability(weights, gain=lambda w, x: w * x) == 2 * (Q(1, 3) + 2 * Q(1, 6))
    assert vulnerability(weights, gain=gain.identity(["a", "b", "c"])) == Q(1, 2)
    assert vulnerability(weights, gain=lambda prior: prior[2]) == Q(1, 6)
    assert shannon_entropy(["1/2", "1/4", "1/4"]) == Q(3, 2)
    assert guessing_entropy({"a": "1/4", "b": "3/4"}) == Q(5, 4)


def test_a_correlation_may_be_a_mapping():
    pairs = {("a", "x"): "1/2", ("b", "y"): "1/2"}
    assert inference(R, pairs).after == inference(R, Dist(pairs, pairs.values())).after == Q(3, 4)
