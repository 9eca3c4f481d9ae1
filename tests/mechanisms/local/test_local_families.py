"""Every family on few labels: its law, guarantee, variances and covariances, by brute force."""

import math
from fractions import Fraction as Q
from itertools import permutations

import numpy as np
import pytest

from dprivacy.errors import (
    BadLevel,
    BadNumber,
    NotApplicable,
    TooLarge,
    UnknownCategory,
    UnknownName,
)
from dprivacy.estimation import count_error, estimate
from dprivacy.mechanisms import (
    hashed_response,
    local_body,
    local_plan,
    projective_response,
    randomised_response,
    subset_response,
    unary_response,
)
from dprivacy.mechanisms.local.local_file import local_from
from dprivacy.numbers import Level
from dprivacy.spaces import Categories
from dprivacy.store import load, save
from dprivacy.verify import smallest_eps


def mechanisms():
    for k in range(2, 7):
        for eps in ("ln 2", "ln 4", 1):
            labels = list("abcdef"[:k])
            yield from (subset_response(labels, eps=eps, size=d) for d in range(1, k))
            yield unary_response(labels, eps=eps)
            yield unary_response(labels, eps=eps, kind="symmetric")
            yield from (hashed_response(labels, eps=eps, q=g) for g in (2, 3, 4))
            yield from (projective_response(labels, eps=eps, q=q) for q in (2, 3, 4, 5))


MECHANISMS = list(mechanisms())
EACH = pytest.mark.parametrize("mechanism", MECHANISMS, ids=str)


def scores(mechanism):
    """For every report what it adds to each estimated count: ([z ∈ B] − q)/(p − q)."""
    p, q = mechanism.p, mechanism.q
    k = len(mechanism.labels)
    told = list(mechanism.reports.listed())
    return [[((z in block) - q) / (p - q) for z in range(k)] for _, block, _ in told]


@pytest.mark.statement("L", "Thm 1")
@EACH
def test_the_explicit_channel_keeps_the_guarantee_with_equality(mechanism):
    assert mechanism.verify()
    found = smallest_eps(mechanism.channel, mechanism.guarantee.space)
    assert math.isclose(float(found), math.log(mechanism.factor), rel_tol=1e-12)
    assert float(found) <= float(mechanism.guarantee.eps)
    if mechanism.guarantee.eps != 1:  # e^ε is rational, and then nothing is lost
        symmetric = mechanism.parameters.get("kind") == "symmetric"
        assert symmetric or Level(found) == mechanism.guarantee.eps


@pytest.mark.statement("L", "Thm 2")
@EACH
def test_law_variances_and_covariances_are_those_of_the_channel(mechanism):
    channel, k = mechanism.channel, len(mechanism.labels)
    law = [[channel.matrix[x, y] for y in range(len(channel.columns))] for x in range(k)]
    told = list(mechanism.reports.listed())
    for x, z in permutations(range(k), 2):
        assert sum(law[x][y] for y, (_, block, _) in enumerate(told) if x in block) == mechanism.p
        assert sum(law[x][y] for y, (_, block, _) in enumerate(told) if z in block) == mechanism.q
    worth = scores(mechanism)

    def moment(x, z, w):
        return sum(law[x][y] * worth[y][z] * worth[y][w] for y in range(len(told)))

    total = 0
    for x in range(k):
        for z in range(k):
            variance = moment(x, z, z) - (x == z)
            assert variance == mechanism.reports.variance(Q(int(x == z)))
            total += variance if x == 0 else 0
            for w in range(k):
                if w != z:
                    labels = (mechanism.labels[i] for i in (z, w, x))
                    assert moment(x, z, w) == mechanism.covariance(*labels)
    assert total == mechanism.reports.total_variance()


@EACH
def test_reports_are_counted_as_their_sets_say(mechanism):
    values = list(mechanism.labels) * 30
    reports = mechanism.randomise(values)
    blocks = {report: block for report, block, _ in mechanism.reports.listed()}
    held = [sum(z in blocks[report] for report in reports) for z in range(len(mechanism.labels))]
    counted = mechanism.count(reports[:7]) + mechanism.count(reports[7:])
    assert counted.supports.tolist() == held
    assert counted.n == len(values)
    assert all(mechanism.accepts(report) for report in reports)
    array = mechanism.randomise(np.array(values))
    assert mechanism.count(array).n == len(values)


@EACH
def test_estimates_are_the_unbiased_ones(mechanism):
    reports = mechanism.randomise(list(mechanism.labels) * 20)
    found = estimate(mechanism, reports)
    held = mechanism.count(reports).supports.tolist()
    n, p, q = len(reports), mechanism.p, mechanism.q
    assert list(found.shares) == [(s - n * q) / (p - q) / n for s in held]
    projected = estimate(mechanism, reports, estimator="projected")
    assert sum(projected.shares) == 1
    assert min(projected.shares) >= 0


@pytest.mark.parametrize("k", [4, 9])
@pytest.mark.parametrize("make", [hashed_response, projective_response])
def test_the_likelihood_over_a_geometry_is_that_of_the_explicit_channel(make, k):
    mechanism = make(range(k), eps=2)
    reports = mechanism.randomise([0] * 500 + [1] * 300 + [3] * 200)
    fast, plain = (
        estimate(mechanism, reports, estimator="ibu"),
        estimate(mechanism.channel, reports),
    )
    assert np.allclose(fast.shares, plain.shares, atol=1e-4)
    assert math.isclose(fast.log_likelihood, plain.log_likelihood, rel_tol=1e-9)
    assert fast.gap <= 1e-9


@pytest.mark.parametrize("make", [subset_response, unary_response])
def test_the_likelihood_of_sets_is_not_kept(make):
    mechanism = make(list("abc"), eps=1)
    with pytest.raises(NotApplicable, match='use estimator="inverse"'):
        estimate(mechanism, mechanism.randomise(["a"]), estimator="ibu")


def test_golden_numbers():
    thirteen = projective_response(range(13), eps="ln 3", q=3)
    assert (thirteen.p, thirteen.q, thirteen.reports.variance()) == (Q(4, 7), Q(2, 7), Q(5, 2))
    words = projective_response(range(1024), eps="ln 3", q=4)
    assert (words.p, words.q) == (Q(1023, 2047), Q(511, 2047))
    assert words.reports.variance() == Q(1533, 512)
    errors = count_error(projective_response(range(1024), eps=1), n=100_000)
    assert max(errors.values()) <= 620
    response = count_error(randomised_response(range(1024), eps=1), n=100_000)
    assert min(response.values()) > 5_800


def test_subsets_of_one_are_randomised_response():
    one, response = (
        subset_response(list("abcd"), eps="ln 3", size=1),
        randomised_response(list("abcd"), eps="ln 3"),
    )
    assert one.channel.matrix == response.channel.matrix


def test_every_size_is_tried_for_the_best_subset():
    for k in (2, 3, 7, 30):
        for a in ("ln 2", "ln 9", "ln(11/10)"):
            best = subset_response(range(k), eps=a)
            every = [subset_response(range(k), eps=a, size=d) for d in range(1, k)]
            least = min(m.reports.total_variance() for m in every)
            assert best.reports.total_variance() == least


def test_many_labels_take_no_table_of_distances():
    many = projective_response(range(5000), eps=1)
    assert many.guarantee.space == Categories(5000)
    assert many.channel is None
    assert "by at most" in many.guarantee.explain()
    with pytest.raises(NotApplicable, match="too many reports"):
        many.verify()
    errors = {label for label in count_error(many, n=10).values()}
    assert len(errors) == 1


def test_what_is_refused():
    with pytest.raises(BadNumber, match="at least two labels"):
        projective_response(["a"], eps=1)
    with pytest.raises(BadLevel, match="greater than 0"):
        unary_response(list("ab"), eps=0)
    with pytest.raises(BadNumber, match="between 1 and 2"):
        subset_response(list("abc"), eps=1, size=3)
    with pytest.raises(BadNumber, match="prime power"):
        hashed_response(list("abc"), eps=1, q=6)
    with pytest.raises(BadNumber, match="at least 9 points"):
        projective_response(range(9), eps=1, q=2, t=3)
    with pytest.raises(TooLarge, match=r"2\^48"):
        projective_response(range(9), eps=1, q=251, t=9)
    with pytest.raises(TooLarge, match=r"2\^48"):
        projective_response(range(9), eps=1, q=2, t=10**18)  # and at once
    with pytest.raises(UnknownName, match="kind"):
        unary_response(list("ab"), eps=1, kind="best")


@pytest.mark.parametrize(
    "make", [projective_response, hashed_response, subset_response, unary_response]
)
def test_levels_whose_factor_no_file_holds_are_refused_at_once(make):
    for eps in (5001, "1e6"):
        with pytest.raises(BadNumber, match="more digits than are stored"):
            make(range(9), eps=eps)
        with pytest.raises(BadNumber, match="more digits than are stored"):
            local_plan(range(9), eps=eps, n=10)
    for kept in (make(range(9), eps=5000), make(range(9), eps="1e-320")):
        assert local_from(local_body(kept)) == kept


def test_messages_have_rows_and_never_a_report_or_a_value():
    mechanism = projective_response(["tea", "coffee", "milk"], eps=1)
    with pytest.raises(UnknownCategory, match="row 1 ") as caught:
        mechanism.randomise(["tea", "s3cret"])
    assert "s3cret" not in str(caught.value)
    with pytest.raises(UnknownCategory, match=r"row 2 holds no report .*\(2 of 4 rows") as caught:
        mechanism.count([0, 1, 987654, -3])
    assert "987654" not in str(caught.value)
    other = projective_response(["tea", "coffee", "wine"], eps=1)
    with pytest.raises(NotApplicable, match="do not add up"):
        mechanism.count([0]) + other.count([0])
    with pytest.raises(NotApplicable, match="no reports"):
        estimate(mechanism, [])


def test_files_say_the_law_and_are_believed_in_nothing(tmp_path):
    for mechanism in (projective_response(range(40), eps=1), unary_response(list("ab"), eps=1)):
        save(mechanism, tmp_path / "m.json", replace=True)
        again = load(tmp_path / "m.json")
        assert again == mechanism
        assert (again.p, again.q) == (mechanism.p, mechanism.q)


@pytest.mark.parametrize("level", ["1e-3000", "1e-1500"])
def test_levels_at_which_a_report_would_say_nothing_are_refused(level):
    for make in (subset_response, unary_response, hashed_response, projective_response):
        with pytest.raises(BadNumber, match="a report would say nothing"):
            make(range(9), eps=level)
    with pytest.raises(BadNumber, match="a report would say nothing"):
        local_plan(range(9), eps=level, n=10)


@pytest.mark.parametrize("root", [2, 3, 5])
def test_symmetric_bits_err_more_only_with_enough_labels(root):
    for k in range(2, 12):
        errors = [
            count_error(unary_response(range(k), eps=f"ln {root**2}", kind=kind), n=1000)[0]
            for kind in ("optimised", "symmetric")
        ]
        assert (errors[1] > errors[0]) == (k > root + 2 + Q(1, root)), k
