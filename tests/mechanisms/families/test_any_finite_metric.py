"""The mechanism for any finite metric: its distances are exactly the ones given."""

from fractions import Fraction as Q

import pytest

from dprivacy.errors import DuplicateLabel, Malformed
from dprivacy.mechanisms import any_metric
from dprivacy.numbers import Level
from dprivacy.spaces import discrete, from_table, graph, hamming_cube, line
from dprivacy.verify import distinguishability


@pytest.mark.statement("T", "Lem 4.14", "Thm 4.13")
@pytest.mark.parametrize("eps", ["ln 2", "ln(3/2)"])
@pytest.mark.parametrize(
    "space",
    [
        line(4),
        discrete(range(4)),
        hamming_cube(3),
        graph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "e")]),
        from_table(["x", "y", "z"], [[0, 2, 3], [2, 0, 4], [3, 4, 0]]),
    ],
)
def test_its_metric_is_exactly_the_one_given(space, eps):
    mechanism = any_metric(space, eps=eps)
    d = distinguishability(mechanism.channel)
    for x in space.labels:
        for z in space.labels:
            assert Level(d.distance(x, z)) == Level(eps) * space.distance(x, z)
    assert mechanism.tight


@pytest.mark.parametrize("space", [line(4), discrete(range(3)), hamming_cube(2)])
def test_half_of_every_row_is_shared_out_by_distance(space):
    """C[x, y] = e^(−ε·d)/(2n), and ⊥ has what is left."""
    mechanism = any_metric(space, eps="ln 3")
    n = len(space)
    for x in space.labels:
        for y in space.labels:
            assert mechanism.channel[x, y] == Q(1, 2 * n * 3 ** int(space.distance(x, y)))
        assert mechanism.channel[x, "⊥"] == 1 - sum(mechanism.channel[x, y] for y in space.labels)


def test_the_extra_output_has_a_name_of_its_own():
    assert any_metric(line(2), eps=1).channel.columns == (0, 1, "⊥")
    assert any_metric(line(2), eps=1, nothing="none").channel.columns == (0, 1, "none")
    with pytest.raises(DuplicateLabel, match="name the extra output"):
        any_metric(discrete(["⊥", "a"]), eps=1)
    with pytest.raises(Malformed, match="infinitely far apart"):
        any_metric(from_table(["a", "b"], [[0, "inf"], ["inf", 0]], extended=True), eps=1)
    with pytest.raises(Malformed, match="needs exact distances"):
        any_metric(line([0.0, 0.7]), eps=1)
