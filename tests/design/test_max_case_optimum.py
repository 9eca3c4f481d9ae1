"""The max case against all vertices of the private polytope, and the two theorems about it."""

import math
import random
from fractions import Fraction as Q

import pytest

import dprivacy as dp
from dprivacy.design import optimal
from dprivacy.errors import NotApplicable, TooLarge, UnknownName
from dprivacy.spaces import from_table


def least(columns, prior, loss):
    """The smallest posterior loss over outputs and actions."""
    return min(
        sum(p * v * c for p, v, c in zip(prior, column, row, strict=True))
        / sum(p * v for p, v in zip(prior, column, strict=True))
        for column in columns
        for row in loss
    )


def peaks(distance, base):
    """The columns e^(−ε·d(w, ·))."""
    return [[Q(1) / base**d for d in row] for row in distance]


def cases(n, seed, rows):
    rng = random.Random(seed)
    for _ in range(8):
        prior = [Q(rng.choice([1, 1, 2, 5, 20, 100])) for _ in range(n)]
        yield [p / sum(prior) for p in prior], rows(rng, n)


def any_rows(rng, n):
    return [[rng.randrange(10) for _ in range(n)] for _ in range(rng.choice([1, 2, 3]))]


def dipped_rows(rng, n):
    rows = []
    for _ in range(rng.choice([1, 2, 3])):
        turn, row = rng.randrange(n), [0] * n
        for x in range(turn - 1, -1, -1):
            row[x] = row[x + 1] + rng.choice([0, 1, 3, 10])
        for x in range(turn + 1, n):
            row[x] = row[x - 1] + rng.choice([0, 1, 3, 10])
        rows.append(row)
    return rows


SPACES = {
    "line": dp.line(4),
    "uneven line": dp.line([0, 1, 3]),
    "discrete": dp.discrete(range(4)),
    "ring": dp.graph([(k, (k + 1) % 4) for k in range(4)]),
}


@pytest.mark.parametrize("base", [Q(3, 2), Q(5)])
@pytest.mark.parametrize("name", SPACES)
def test_it_is_the_best_vertex(name, base):
    space, eps = SPACES[name], dp.ln(base)
    corners = [vertex.weights for vertex in dp.polytope.vertices(space, eps=eps)]
    for prior, loss in cases(len(space), name, any_rows):
        found = optimal(
            space, eps=eps, prior=prior, loss=loss, outputs=range(len(loss)), case="max"
        )
        assert found.exact
        assert found.loss == least(corners, prior, loss)
        assert found.holds()
        columns = found.channel.matrix.transposed.rows()
        assert least(columns, prior, loss) == found.loss


@pytest.mark.parametrize("base", [Q(3, 2), Q(2), Q(5)])
@pytest.mark.parametrize("places", [[0, 1, 2], [0, 1, 2, 3, 4], [0, 2, 3, 7]])
def test_the_geometric_is_optimal_where_losses_fall_and_rise(places, base):
    space, eps = dp.line(places), dp.ln(base)
    columns = peaks([[abs(x - w) for x in places] for w in places], base)
    for prior, loss in cases(len(places), len(places), dipped_rows):
        found = optimal(
            space, eps=eps, prior=prior, loss=loss, outputs=range(len(loss)), case="max"
        )
        assert found.also == "geometric"
        assert found.loss == least(columns, prior, loss)


def test_the_geometric_is_not_optimal_for_the_ends():
    found = optimal("line:3", eps="ln 2", loss=[[0, 1, 0]], outputs=["an end"], case="max")
    assert found.loss == Q(1, 5)
    assert found.also is None
    assert least(peaks([[0, 1, 2], [1, 0, 1], [2, 1, 0]], 2), [1, 1, 1], [[0, 1, 0]]) == Q(2, 7)
    assert [str(p) for p in found.posterior.weights] == ["2/5", "1/5", "2/5"]


def test_response_is_optimal_for_guessing():
    for n, base in ((3, Q(2)), (5, Q(7, 2))):
        columns = peaks([[int(x != w) for x in range(n)] for w in range(n)], base)
        guess = [[int(x != w) for x in range(n)] for w in range(n)]
        for prior, _ in cases(n, n, any_rows):
            found = optimal(
                dp.discrete(range(n)), eps=dp.ln(base), prior=prior, loss="bayes", case="max"
            )
            assert found.also == "randomised response"
            assert found.loss == least(columns, prior, guess)


def test_irrational_levels_are_enclosed():
    found = optimal("line:4", eps="1/2", case="max")
    assert not found.exact
    assert 0 <= found.loss - found.bound < 1e-12
    assert found.holds()
    assert found.privacy
    assert set(found.mechanism().randomise([0, 3, 3])) <= set(found.channel.columns)


def test_a_planted_fault_is_noticed():
    found = optimal("line:3", eps="ln 2", case="max")
    proof = found.proofs[0]
    proof.outcome.y[-1] += 1
    assert not proof.holds()
    assert not found.holds()


def test_refusals():
    with pytest.raises(UnknownName, match="case"):
        optimal("line:3", eps=1, case="worst")
    with pytest.raises(NotApplicable, match="δ = 0"):
        optimal("line:3", eps=1, delta="1/10", case="max")
    with pytest.raises(TooLarge, match="max case"):
        optimal("line:300", eps=1, case="max")


def test_words():
    told = optimal("line:3", eps="ln 2", case="max")
    assert "no output of a private channel can leave less (proved)" in told.explain()
    assert "geometric mechanism" in told.explain()
    assert told.to_dict()["private"] is True
    taken = optimal("line:2", eps=1, loss=[[0, 1]], outputs=["anything else"], case="max")
    assert len(set(taken.channel.columns)) == 2
    for outputs in (["a", "anything else"], ["anything else", "anything else still"]):
        taken = optimal("line:2", eps="ln 2", loss=[[0, 1], [1, 1]], outputs=outputs, case="max")
        assert taken.channel.columns[0] == outputs[0]
        assert taken.channel.columns[1] not in outputs  # it stands for no action
    far = from_table([0, 1], [[0, math.inf], [math.inf, 0]], extended=True)
    alone = optimal(far, eps=1, loss=[[0, 1], [1, 0]], outputs=[0, 1], case="max")
    assert (alone.loss, alone.also) == (0, None)  # randomised response is refused there
