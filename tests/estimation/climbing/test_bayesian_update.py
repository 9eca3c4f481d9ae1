"""The update: it climbs, it ends at the maximum, and it survives what underflows."""

import itertools
import math
from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import BadNumber, UnknownCategory
from dprivacy.estimation import estimate
from dprivacy.estimation.climbing import compiled_updates
from dprivacy.estimation.climbing.bayesian_update import climb, mean_log_likelihood
from dprivacy.estimation.climbing.newton_steps import interior
from dprivacy.estimation.operators.channel_operator import Dense
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel, Dist, as_channel


def random_channel(rng: np.random.Generator, n: int, m: int, zeros: float = 0.0) -> np.ndarray:
    entries = rng.dirichlet(np.ones(m) * 0.7, size=n) * (rng.random((n, m)) >= zeros)
    entries[np.arange(n), rng.integers(0, m, n)] += 0.05
    return entries / entries.sum(axis=1, keepdims=True)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    C = random_channel(rng, n, m, draw(st.sampled_from([0.0, 0.4])))
    truth = rng.dirichlet(np.ones(n) * draw(st.sampled_from([0.1, 1.0])))
    people = draw(st.sampled_from([5, 100, 10_000]))
    return C, rng.multinomial(people, truth @ C / (truth @ C).sum()) / people


def value(C: np.ndarray, q: np.ndarray, p: np.ndarray) -> float:
    return mean_log_likelihood(q, p @ C)


@given(problems(), st.booleans())
@settings(max_examples=120)
def test_the_likelihood_never_falls(problem, accelerate) -> None:
    C, q = problem
    operator = Dense(as_channel(C))
    found = climb(operator, q, tolerance=1e-12, max_iterations=300, accelerate=accelerate)
    assert all(b >= a - 1e-14 for a, b in itertools.pairwise(found.trace))
    assert found.p.min() >= 0
    assert found.p.sum() == pytest.approx(1, abs=1e-12)


@given(problems())
@settings(max_examples=60)
def test_the_gap_bounds_the_distance_to_every_distribution(problem) -> None:
    C, q = problem
    for most in (0, 2, 10):
        found = climb(Dense(as_channel(C)), q, tolerance=0, max_iterations=most)
        rng = np.random.default_rng(0)
        with np.errstate(divide="ignore"):
            for other in rng.dirichlet(np.ones(len(C)) * 0.5, size=50):
                assert value(C, q, other) <= value(C, q, found.p) + found.gap + 1e-12


@pytest.mark.statement("T", "Thm 8.1")
@given(problems())
@settings(max_examples=60)
def test_at_the_end_the_conditions_of_a_maximum_hold(problem) -> None:
    C, q = problem
    found = climb(Dense(as_channel(C)), q, tolerance=1e-9, max_iterations=100_000)
    assert found.converged
    r = found.p @ C
    slope = C @ np.divide(q, r, out=np.zeros_like(q), where=q > 0)
    assert slope.max() <= 1 + 1e-8
    assert (found.p * (1 - slope)).sum() == pytest.approx(0, abs=1e-12)
    assert (found.p * (1 - slope)).max() <= 1e-7  # nothing where the slope is below 1


def test_leaps_interior_steps_and_plain_updates_end_at_the_same_likelihood() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        C = random_channel(rng, 6, 8)
        q = rng.multinomial(500, rng.dirichlet(np.ones(6)) @ C) / 500
        operator = Dense(as_channel(C))
        plain = climb(operator, q, tolerance=1e-9, max_iterations=300_000, accelerate=False)
        leapt = climb(operator, q, tolerance=1e-10, max_iterations=100_000)
        inside = interior(operator, q, 1e-10)
        assert inside is not None
        reached = [value(C, q, p) for p in (plain.p, leapt.p, inside[0])]
        assert max(reached) - min(reached) <= 2e-9
        assert leapt.iterations <= plain.iterations


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.statement("T", "Def 8.3.1")
def test_plain_updates_are_those_of_qif(seed) -> None:
    qif = pytest.importorskip("qif")
    rng = np.random.default_rng(seed)
    C = random_channel(rng, 9, 7)
    q = rng.multinomial(300, rng.dirichlet(np.ones(9)) @ C) / 300
    theirs, _ = qif.channel.iterative_bayesian_update(C, q, max_diff=0.0, max_iter=400)
    ours = climb(Dense(as_channel(C)), q, tolerance=-math.inf, max_iterations=400, accelerate=False)
    assert np.abs(ours.p - np.asarray(theirs).ravel()).max() <= 1e-9


def test_plain_updates_are_the_written_formula() -> None:
    rows = [
        [Q(1, 2), Q(1, 4), Q(1, 4), Q(0)],
        [Q(1, 8), Q(3, 8), Q(1, 4), Q(1, 4)],
        [Q(0), Q(0), Q(1, 3), Q(2, 3)],
    ]
    q = [Q(3, 10), Q(0), Q(1, 10), Q(6, 10)]
    p = [Q(1, 3)] * 3
    for _ in range(5):
        r = [sum(p[x] * rows[x][y] for x in range(3)) for y in range(4)]
        p = [sum(q[y] * p[x] * rows[x][y] / r[y] for y in range(4)) for x in range(3)]
    ours = climb(
        Dense(as_channel(rows)),
        np.array([float(v) for v in q]),
        tolerance=-math.inf,
        max_iterations=5,
        accelerate=False,
    )
    assert ours.p == pytest.approx([float(v) for v in p], abs=1e-14)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (7, 9), (8, 8), (9, 16), (17, 8)])
def test_what_fills_up_cache_lines_changes_nothing(n, m) -> None:
    rng = np.random.default_rng(n)
    C = random_channel(rng, n, m)
    q = rng.dirichlet(np.ones(m))
    found = climb(Dense(as_channel(C)), q, tolerance=-math.inf, max_iterations=40, accelerate=False)
    scaled = C / C.max(axis=0)
    r = found.p @ scaled
    assert len(found.p) == n
    assert found.p.sum() == pytest.approx(1, abs=1e-13)
    assert found.gap == pytest.approx((scaled @ (q / r)).max() - 1, abs=1e-13)
    assert found.trace[-1] == pytest.approx(mean_log_likelihood(q, r), abs=1e-13)


@pytest.mark.parametrize("most", [0, 1, 31, 32, 33, 70])
@pytest.mark.parametrize("unseen", [False, True])
def test_as_many_plain_updates_as_asked_for(most, unseen) -> None:
    """Looks come every 32 updates; they neither add nor swallow one."""
    rng = np.random.default_rng(most)
    C = random_channel(rng, 6, 5)
    q = rng.dirichlet(np.ones(5))
    if unseen:
        q[2], C[:, 2] = 0.0, 0.0  # an output that nothing leads to
        q, C = q / q.sum(), C / C.sum(axis=1, keepdims=True)
    p, some = np.full(6, 1 / 6), q > 0
    for _ in range(most):
        p = p * (C[:, some] @ (q[some] / (p @ C[:, some])))
    found = climb(
        Dense(as_channel(C)), q, tolerance=-math.inf, max_iterations=most, accelerate=False
    )
    assert found.iterations == most
    assert found.p == pytest.approx(p, abs=1e-14)
    assert len(found.trace) == 1 + -(-most // 32)


def test_machine_code_takes_over_where_an_update_stood(monkeypatch) -> None:
    pytest.importorskip("numba")
    rng = np.random.default_rng(4)
    C, q = random_channel(rng, 9, 11), rng.dirichlet(np.ones(11))
    found = []
    for most in (math.inf, 2 * 16 * 16 * 64, 0):  # never, after two looks, and at once
        monkeypatch.setattr(compiled_updates, "_WORTH_COMPILING", most)
        found.append(
            climb(
                Dense(as_channel(C)), q, tolerance=-math.inf, max_iterations=150, accelerate=False
            )
        )
    plain, *others = found
    for other in others:
        assert other.iterations == 150
        assert other.p == pytest.approx(plain.p, rel=1e-12)
        assert other.gap == pytest.approx(plain.gap, abs=1e-13)
        assert other.trace == pytest.approx(plain.trace, rel=1e-13)


@pytest.mark.statement("T", "Prop 8.2")
def test_where_the_inverse_is_a_distribution_the_update_ends_there() -> None:
    rng = np.random.default_rng(7)
    checked = 0
    for _ in range(40):
        C = 0.5 * np.eye(5) + 0.5 * random_channel(rng, 5, 5)
        q = rng.multinomial(2000, rng.dirichlet(np.ones(5)) @ C) / 2000
        inverse = q @ np.linalg.inv(C)
        if inverse.min() <= 0:
            continue
        checked += 1
        found = climb(Dense(as_channel(C)), q, tolerance=1e-13, max_iterations=50_000)
        assert found.p == pytest.approx(inverse, abs=1e-7)
    assert checked >= 10


def test_response_fills_water() -> None:
    # For a·I + b the maximum is p_y = max(0, q_y/λ − b/a): an answer without any iteration.
    m = randomised_response(range(60), eps="ln 2")
    rng = np.random.default_rng(1)
    counts = dict(enumerate(rng.multinomial(3000, rng.dirichlet(np.ones(60) * 0.2)).tolist()))
    found = estimate(m, counts, tolerance=1e-12)
    b, a = 1 / 61, 1 / 61
    q = np.array(list(counts.values())) / 3000
    low, high = 0.0, 10.0
    for _ in range(200):
        level = (low + high) / 2
        low, high = (level, high) if np.maximum(q * level - b / a, 0).sum() < 1 else (low, level)
    assert found.converged
    assert list(found.distribution.values()) == pytest.approx(
        np.maximum(q * low - b / a, 0), abs=1e-7
    )


def test_a_probability_may_vanish() -> None:
    R = randomised_response(["a", "b"], eps="ln 2").channel
    p, q = np.full(2, 0.5), np.array([0.9, 0.1])
    operator = Dense(R)
    for _ in range(40):  # by hand, since the gap is 0 long before
        start = p
        p = climb(
            operator, q, tolerance=-math.inf, max_iterations=500, accelerate=False, start=start
        ).p
    assert p[1] <= 5e-324
    assert p[0] == 1.0
    for estimator in (True, False):
        found = estimate(R, Dist(list("ab"), ["9/10", "1/10"]), n=10, accelerate=estimator)
        assert found.converged
        assert found.distribution["a"] == pytest.approx(1, abs=1e-6)


def test_mass_comes_back_to_a_label_that_was_lost() -> None:
    C = as_channel([["2/3", "1/3"], ["1/3", "2/3"]])
    for lost in (0.0, 5e-324):
        found = climb(
            Dense(C),
            np.array([0.5, 0.5]),
            tolerance=1e-12,
            max_iterations=1000,
            start=np.array([1.0, lost]),
        )
        assert found.converged
        assert found.p == pytest.approx([0.5, 0.5], abs=1e-6)


def test_outputs_that_never_occur_and_outputs_that_were_not_seen() -> None:
    C = Channel(list("ab"), list("uvwz"), [["1/2", "1/4", 0, "1/4"], ["1/4", "1/2", 0, "1/4"]])
    found = estimate(C, {"u": 40, "v": 35})
    assert found.converged
    assert sum(found.distribution.values()) == pytest.approx(1)
    with pytest.raises(UnknownCategory, match="probability 0"):
        estimate(C, {"u": 40, "w": 1})


def test_a_column_of_tiny_probabilities_counts_as_any_other() -> None:
    tiny = Q(1, 10**400)
    rows = [[1 - tiny, tiny], [1 - 3 * tiny, 3 * tiny]]
    C = Channel(list("ab"), list("uv"), rows)
    found = estimate(C, {"u": 0, "v": 10})
    assert found.distribution["b"] == pytest.approx(1, abs=1e-6)
    assert found.log_likelihood == pytest.approx(10 * (math.log(3) - 400 * math.log(10)))


def test_labels_follow_a_change_of_order() -> None:
    m = geometric(6, eps="ln 2").channel
    counts = {0: 50, 1: 30, 2: 10, 3: 80, 4: 20, 5: 15}
    found = estimate(m, counts, tolerance=1e-12)
    order = [3, 0, 5, 1, 4, 2]
    turned = Channel(order, m.columns[::-1], m.matrix.take(order, range(5, -1, -1)))
    again = estimate(turned, counts, tolerance=1e-12)
    assert list(again.distribution) == order
    for label, share in found.distribution.items():
        assert again.distribution[label] == pytest.approx(share, abs=1e-6)


def test_more_inputs_than_outputs_says_what_cannot_be_known() -> None:
    C = Channel(list("abc"), list("uv"), [["3/4", "1/4"], ["1/2", "1/2"], ["1/4", "3/4"]])
    found = estimate(C, {"u": 60, "v": 40})
    assert found.converged
    assert "does not determine" in found.explain()
    assert all(math.isinf(error) for error in found.standard_errors.values())
    assert all(ends == (0, 100) for ends in found.intervals.values())


def test_part_of_a_channel_may_be_known() -> None:
    # b and c give the same answers; a does not.
    C = Channel(list("abc"), list("uv"), [["3/4", "1/4"], ["1/4", "3/4"], ["1/4", "3/4"]])
    found = estimate(C, {"u": 60, "v": 40})
    assert found.distribution["a"] == pytest.approx(0.7, abs=1e-6)
    assert math.isfinite(found.standard_errors["a"])
    assert math.isinf(found.standard_errors["b"])


def test_it_says_when_it_stopped_early() -> None:
    m = geometric(50, eps="1/10")
    found = estimate(m, {25: 100, 10: 3}, max_iterations=4)
    assert not found.converged
    assert found.gap > 1e-9
    assert "Not converged" in found.explain()


def test_one_input() -> None:
    found = estimate(Channel(list("a"), list("uv"), [["1/2", "1/2"]]), {"u": 3, "v": 1})
    assert found.distribution == {"a": 1.0}
    assert found.gap == pytest.approx(0, abs=1e-15)


def test_frequencies_must_be_numbers() -> None:
    with pytest.raises(BadNumber):
        climb(Dense(as_channel([["1"]])), np.array([math.nan]), tolerance=1e-9, max_iterations=10)
