"""Verdicts at every level: against the general criterion on channels, and closed forms."""

from fractions import Fraction as Q
from functools import partial
from itertools import combinations, permutations

import pytest

from dprivacy.errors import BadNumber, NotApplicable, SpaceMismatch, TooLarge
from dprivacy.mechanisms import (
    hashed_response,
    projective_response,
    subset_response,
    unary_response,
)
from dprivacy.refine import refinement_breaks, refines
from dprivacy.reproduce.chapters.local_orders import free_sets, hadamard


def families(k, a, names=None):
    """Mechanisms at e^ε = a, all or some; the symmetric one is exact where a is a square."""
    at = {"labels": range(k), "eps": f"ln({a})"}
    known = {f"SS({d})": partial(subset_response, **at, size=d) for d in range(1, k)}
    known["OUE"] = partial(unary_response, **at)
    known["SUE"] = partial(unary_response, **at, kind="symmetric")
    known |= {f"LH({g})": partial(free_sets, k, a, Q(1, g)) for g in (2, 3, 4, 5)}
    known["HR"] = partial(hadamard, k, a)
    for t in {k.bit_length(), 3}:
        known[f"PG(2,{t})"] = partial(projective_response, **at, q=2, t=t)
    known["PG(3,3)"] = partial(projective_response, **at, q=3, t=3)
    known["HASH"] = partial(hashed_response, **at, q=3)
    return {name: known[name]() for name in names or known}


def square_between(low, high):
    """A rational square strictly between."""
    for den in range(1, 200):
        num = int(float(low) ** 0.5 * den)
        for candidate in (num, num + 1, num + 2):
            a = Q(candidate, den) ** 2
            if a > low and (high is None or a < high):
                return a
    raise AssertionError((low, high))


@pytest.mark.parametrize(
    ("k", "names"),
    [
        (3, ("OUE", "LH(4)", "LH(5)", "HR")),
        *(pytest.param(k, None, marks=pytest.mark.slow) for k in (2, 3, 4)),
    ],
)
def test_between_breaks_the_general_criterion_agrees(k, names):
    """By linear programming on all reports, at a square of every interval and at rational breaks."""
    at_four = families(k, Q(4), names)
    checked = 0
    known = {}
    for x, y in permutations(at_four, 2):
        found = refinement_breaks(at_four[x], at_four[y])
        ends = [Q(1), *(root.high for root in found.breaks)]
        lows = [*(root.low for root in found.breaks), None]
        places = [square_between(low, high) for low, high in zip(ends, lows, strict=True)]
        places += [root.rational for root in found.breaks if "SUE" not in (x, y) and root.rational]
        for a in places if found.breaks else [Q(9, 4)]:
            there = known[a] if a in known else known.setdefault(a, families(k, a, names))
            assert bool(refines(there[x].channel, there[y].channel)) == found.holds_at(a), (x, y, a)
            checked += 1
    assert checked > (130 if names is None else 15)


def test_the_symmetric_and_the_optimised_unary_response():
    """SUE ⊑ OUE exactly when r^(k−2)·(r + 1)^k ≤ 2(1 + r²)^(k−1) with r = √a; OUE ⊑ SUE never."""
    equations = {3: "x³ − 6x² − 7x − 4", 4: "x⁵ − 15x⁴ − 37x³ − 49x² − 24x − 4"}
    values = {3: 7.070106, 4: 17.306235, 5: 31.707364, 6: 50.272319}
    for k in (3, 4, 5, 6, 8):
        two = [
            unary_response(range(k), eps="ln 4", kind=kind) for kind in ("symmetric", "optimised")
        ]
        found = refinement_breaks(*two)
        assert found.verdicts == (False, True, True)
        if k in values:
            assert float(found.breaks[0]) == pytest.approx(values[k], abs=1e-6)
        if k in equations:
            assert found.breaks[0].equation == equations[k]
        for r in (Q(n, 4) for n in range(5, 60)):
            closed = r ** (k - 2) * (r + 1) ** k <= 2 * (1 + r * r) ** (k - 1)
            assert found.holds_at(r * r) == closed
        assert refinement_breaks(*two[::-1]).never
    assert refinement_breaks(
        unary_response([0, 1], eps="ln 4", kind="symmetric"), unary_response([0, 1], eps="ln 4")
    ).always


def test_either_side_of_the_first_two_thresholds_by_channels():
    for k, below, above in ((3, "25/4", "64/9"), (4, "16", "441/25")):
        for a, expected in ((below, False), (above, True)):
            symmetric = unary_response(range(k), eps=f"ln({a})", kind="symmetric")
            optimised = unary_response(range(k), eps=f"ln({a})")
            assert bool(refines(symmetric.channel, optimised.channel)) == expected


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_what_is_uniform(k):
    known = families(k, Q(4))
    for d, e in permutations(range(1, k), 2):
        assert refinement_breaks(known[f"SS({d})"], known[f"SS({e})"]).never
    for d in range(1, k):
        for free in ("OUE", "SUE", "LH(2)", "LH(3)", "LH(4)", "LH(5)"):
            assert refinement_breaks(known[f"SS({d})"], known[free]).never
            assert refinement_breaks(known[free], known[f"SS({d})"]).never
    plane = known[f"PG(2,{k.bit_length()})"]
    assert refinement_breaks(plane, known["HR"]).always
    assert refinement_breaks(known["HR"], plane).never
    for g in (3, 4, 5):
        for name, at in (("OUE", g - 1), ("SUE", (g - 1) ** 2)):
            one = refinement_breaks(known[name], known[f"LH({g})"])
            other = refinement_breaks(known[f"LH({g})"], known[name])
            assert one.holds_at(at)
            assert other.holds_at(at)


def test_verdicts_that_change_on_three_labels():
    known = families(3, Q(4))

    def told(x, y):
        return refinement_breaks(known[x], known[y], names=(x, y)).explain().partition(": ")[2]

    assert told("LH(4)", "OUE") == "exactly when e^ε ≥ 3."
    assert told("OUE", "LH(5)") == "exactly when 8/7 ≤ e^ε ≤ 4."
    assert told("PG(3,3)", "HR") == "exactly when e^ε ≥ 3/2."
    assert told("HR", "PG(3,3)") == "exactly when e^ε ≤ 3/2."
    assert told("PG(3,3)", "PG(2,3)") == "exactly when e^ε ≥ 6."
    assert told("PG(2,3)", "PG(3,3)") == "exactly when e^ε ≤ 6."
    assert told("LH(4)", "HR") == "exactly when e^ε ≥ 15."
    assert told("SUE", "HR") == "exactly when e^ε ≥ 11.444525 (x³ − 11x² − 5x − 1)."
    assert told("SUE", "LH(3)") == "exactly when e^ε = 4."
    assert told("SS(1)", "SS(2)") == "at no ε > 0."
    assert told("SS(1)", "HR") == "at every ε > 0."


def test_a_verdict_that_comes_and_goes():
    found = refinement_breaks(free_sets(4, 4, Q(1, 5)), unary_response(range(4), eps="ln 4"))
    assert found.verdicts == (False, True, False, True, True)
    assert found.explain().endswith("e^ε = 4 or e^ε ≥ 34.971675 (3x² − 104x − 32).")
    first, second = found.intervals
    assert (first[0] is first[1], second[1]) == (True, None)


def test_the_level_at_which_a_mechanism_was_built_does_not_matter():
    for x, y in combinations(("SS(2)", "OUE", "SUE", "PG(3,3)", "HR"), 2):
        seen = [
            refinement_breaks(known[x], known[y]).to_dict()
            for known in (families(4, Q(4)), families(4, Q(9)), families(4, Q(25, 4)))
        ]
        assert seen[0] == seen[1] == seen[2]


def test_refusals():
    unary = unary_response(range(3), eps=1)
    with pytest.raises(NotApplicable, match="local mechanisms"):
        refinement_breaks(unary.channel, unary)
    with pytest.raises(SpaceMismatch, match="3 and 4"):
        refinement_breaks(unary, unary_response(range(4), eps=1))
    with pytest.raises(SpaceMismatch, match="same order"):
        refinement_breaks(unary, unary_response([2, 1, 0], eps=1))
    many = unary_response(range(40), eps=1)
    with pytest.raises(TooLarge, match="fewer labels"):
        refinement_breaks(many, many)
    with pytest.raises(BadNumber, match="more than 1"):
        refinement_breaks(unary, unary).holds_at(1)
