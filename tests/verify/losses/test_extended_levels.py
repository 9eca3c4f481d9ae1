"""Extended privacy: the single worst set against all sets, and its special cases."""

import json
import math
from fractions import Fraction as Q
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import BadLevel, UnknownCategory
from dprivacy.model import Channel, as_channel
from dprivacy.numbers import Level, ln
from dprivacy.numbers.enclosures import float_up
from dprivacy.spaces import line
from dprivacy.verify import delta_at, extended_privacy, privacy

COIN = [["3/4", "1/4"], ["1/4", "3/4"]]


@st.composite
def channels(draw: st.DrawFn, inputs: int = 3, outputs: int = 4) -> Channel:
    rows = []
    for _ in range(inputs):
        weights = draw(st.lists(st.integers(0, 6), min_size=outputs, max_size=outputs).filter(sum))
        rows.append([Q(w, sum(weights)) for w in weights])
    return as_channel(rows)


def by_all_sets(C: Channel, factor: dict[tuple[int, int], Q], slack: Q) -> bool:
    outputs = range(len(C.columns))
    for (x, z), a in factor.items():
        p, q = C.matrix.row(x), C.matrix.row(z)
        for R in chain.from_iterable(combinations(outputs, k) for k in range(len(outputs) + 1)):
            if sum(p[y] for y in R) > a * sum(q[y] for y in R) + slack:
                return False
    return True


@pytest.mark.statement("T", "Def 10.3.2")
@settings(max_examples=80)
@given(channels(), st.lists(st.integers(1, 9), min_size=9, max_size=9), st.integers(0, 8))
def test_the_worst_set_decides_for_all_sets(C: Channel, table: list[int], eighths: int) -> None:
    factor = {(x, z): Q(table[3 * x + z]) for x in range(3) for z in range(3) if x != z}
    verdict = extended_privacy(C, xi=lambda x, z: ln(factor[x, z]), delta=Q(eighths, 8))
    assert verdict.exact
    assert verdict.holds == by_all_sets(C, factor, Q(eighths, 8))
    for found in verdict.violated:
        p = sum(C[found.x, y] for y in found.outputs)
        q = sum(C[found.z, y] for y in found.outputs)
        assert (found.p, found.q) == (p, q)
        assert p > factor[found.x, found.z] * q + Q(eighths, 8)


@pytest.mark.statement("T", "Def 10.3.1")
@settings(max_examples=60)
@given(channels(), st.sampled_from(["ln 2", "1/2", "0", "2", "ln(7/3)"]))
def test_a_constant_level_is_epsilon_delta(C: Channel, eps: str) -> None:
    needed = delta_at(C, eps=eps)
    assert extended_privacy(C, xi=eps, delta=needed)
    if needed:
        assert extended_privacy(C, xi=eps, delta=needed * 0.999).holds is False
        worst = extended_privacy(C, xi=eps).worst
        assert worst is not None
        assert worst.needed == needed or float_up(Q(worst.needed)) == needed


@settings(max_examples=60)
@given(channels(), st.sampled_from(["ln 2", "1/2", "ln 3"]), st.sampled_from(["0", "1/10", "1/3"]))
def test_a_metric_is_d_privacy(C: Channel, eps: str, delta: str) -> None:
    metric = line(3).scaled(eps).distance
    assert (
        extended_privacy(C, xi=metric, delta=delta).holds
        == privacy(C, line(3), eps=eps, delta=delta).holds
    )


def test_slack_may_depend_on_the_pair_and_need_not_be_symmetric() -> None:
    C = Channel(["a", "b"], ["u", "v"], [[1, 0], ["1/2", "1/2"]])
    slack = {("a", "b"): 0, ("b", "a"): "1/2"}
    assert extended_privacy(C, xi="ln 2", delta=lambda x, z: slack[x, z])
    turned = extended_privacy(C, xi="ln 2", delta=lambda x, z: slack[z, x])
    assert not turned
    assert [(found.x, found.z, found.outputs) for found in turned.violated] == [("b", "a", ("v",))]


def test_infinite_level_and_chosen_pairs_leave_the_rest_free() -> None:
    C = [[1, 0], [0, 1]]
    assert extended_privacy(C, xi=math.inf).worst is None
    assert extended_privacy(C, xi=lambda x, z: math.inf if x < z else 0, delta=1)
    assert extended_privacy([[1, 0], [0, 1], [0, 1]], xi=0, pairs=[(1, 2), (2, 1)])


def test_ties_are_decided_exactly() -> None:
    assert extended_privacy(COIN, xi="ln 3").holds is True
    below = Level("ln 3") - Q(1, 10**30)
    assert extended_privacy(COIN, xi=below).holds is False
    assert extended_privacy(COIN, xi="ln 2", delta="1/4").holds is True
    assert extended_privacy(COIN, xi="ln 2", delta=Q(1, 4) - Q(1, 10**30)).holds is False


def test_huge_levels_are_no_trouble() -> None:
    assert extended_privacy(COIN, xi=10**15)
    assert extended_privacy([[0.75, 0.25], [0.25, 0.75]], xi=10**15)
    apart = extended_privacy([[1, 0], ["1/2", "1/2"]], xi=10**15, delta="1/3")
    assert apart.holds is False
    assert apart.worst is not None
    assert apart.worst.needed == Q(1, 2)


def test_floats_are_measured() -> None:
    rows = np.array([[0.75, 0.25], [0.25, 0.75]])
    assert extended_privacy(rows, xi=1.2).status == "measured"
    assert extended_privacy(rows, xi=1.0).status == "measured to fail"
    assert extended_privacy([[2 / 3, 1 / 3], [1 / 3, 2 / 3]], xi="ln 2").holds is None


def test_words_and_data() -> None:
    verdict = extended_privacy(COIN, xi="ln 2", delta="1/5")
    assert "the outputs {0} have probability 3/4" in verdict.explain()
    data = json.loads(json.dumps(verdict.to_dict()))
    assert data["worst"]["needed"] == "1/4"
    assert data["status"] == "refuted"
    many = as_channel([[Q(2, 20)] * 10 + [Q(0)] * 10, [Q(1, 20)] * 20])
    assert "and 2 more" in extended_privacy(many, xi=0).explain()


def test_refusals_name_the_pair() -> None:
    with pytest.raises(BadLevel, match=r"at the pair \(0, 1\): ε must be at least 0"):
        extended_privacy(COIN, xi=lambda x, z: x - z)
    with pytest.raises(BadLevel, match=r"at the pair \(0, 1\): δ should be"):
        extended_privacy(COIN, xi=1, delta=lambda x, z: 2)
    with pytest.raises(UnknownCategory):
        extended_privacy(COIN, xi=1, pairs=[(0, 7)])
