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
)
from dprivacy.flow import gain, leakage, loss, posterior_vulnerability, uncertainty, vulnerability
from dprivacy.model import as_channel, uniform


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
        with pytest.raises(Malformed, match="Dist"):
            vulnerability([0.5, 0.5], gain=max)

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
