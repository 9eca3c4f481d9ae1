"""What an optimum says and does: words, data, draws, kernels."""

import numpy as np
import pytest

from dprivacy.design import as_kernels, kernel_losses, optimal
from dprivacy.errors import Uncertified
from dprivacy.mechanisms import mechanism_text, read_mechanism
from dprivacy.spaces import discrete, line
from support.design_spaces import a_loss, a_prior


class TestMixtures:
    def test_the_kernels_of_an_optimum_are_optimal(self):
        rng = np.random.default_rng(3)
        for space in (line(4), discrete(range(4))):
            best = optimal(space, eps="ln 2", prior=a_prior(rng, 4), loss=a_loss(rng, 3, space))
            mixed = as_kernels(best)
            assert mixed.holds()
            assert set(kernel_losses(best)) == {best.loss}

    def test_an_inexact_optimum_is_refused(self):
        with pytest.raises(Uncertified, match="only an exact optimum"):
            as_kernels(optimal(line(3), eps="1/2"))


class TestUse:
    def test_the_mechanism_draws_what_was_proved(self):
        best = optimal(line(4), eps="ln 2", prior=["1/2", "1/4", "1/8", "1/8"])
        mechanism = best.mechanism()
        assert mechanism.channel == best.channel
        assert set(mechanism.randomise([0, 1, 2, 3] * 20)) <= {0, 1, 2, 3}
        again = read_mechanism(mechanism_text(mechanism))
        assert again.channel == best.channel
        assert again.parameters["expected_loss"] == str(best.loss)

    def test_it_protects_a_table(self):
        import pandas

        from dprivacy.release import Plan, sanitise
        from dprivacy.release.domains.planned_column import ColumnPlan

        best = optimal(line(5), eps="ln 2")
        plan = Plan(
            (ColumnPlan("grade", "ordered", best.mechanism(), ("grade",), best.problem.space),)
        )
        table = pandas.DataFrame({"grade": [0, 1, 2, 3, 4] * 40})
        released = sanitise(table, plan).data
        protected = getattr(released, "table", released)
        assert set(protected["grade"]) <= set(range(5))

    def test_words_and_data(self):
        best = optimal(line(3), eps="ln 2")
        assert best.explain().splitlines()[1].startswith("its expected loss is 5/9")
        assert str(best) == best.explain()
        data = best.to_dict()
        assert (data["loss"], data["gap"], data["exact"], data["private"]) == (
            "5/9",
            "0",
            True,
            True,
        )
        assert "exact" in repr(best)

    def test_words_name_the_outputs_in_use(self):
        best = optimal(line(9), eps="1/100")
        assert "It answers only 4." in best.explain()

    def test_float_input_gives_floats(self):
        best = optimal(line(3), eps="ln 2", prior=[0.2, 0.3, 0.5])
        assert isinstance(best.loss, float)
        assert best.loss == best.bound
        assert best.exact
