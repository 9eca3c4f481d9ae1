"""The audit: never above the truth, strong where there is something to find, and quiet about data."""

import json
import math
from collections.abc import Callable
from fractions import Fraction as Q
from typing import Any

import numpy as np
import pytest

from dprivacy.errors import BadLevel, BadNumber, Malformed, UnknownName, WrongKind
from dprivacy.numbers import ln
from dprivacy.spaces import from_table, line
from dprivacy.verify import AuditResult, audit, audit_counts
from dprivacy.verify.auditing.revealing_events import Intervals, Outputs, Tally
from support.noisy_samplers import Sampler, geometric, laplace, response


@pytest.mark.parametrize("kind", [response, laplace, geometric])
@pytest.mark.parametrize("eps", [0.1, 1.0])
def test_the_bound_stays_below_the_true_eps(
    kind: Callable[[float, np.random.Generator], Sampler], eps: float
) -> None:
    best = 0.0
    for seed in range(20):
        sampler = kind(eps, np.random.default_rng(seed))
        result = audit(sampler, [0, 1], samples=4000)
        assert result.eps_lower <= eps
        assert not result.refutes(eps)
        assert result.repeats is False
        best = max(best, result.eps_lower)
    if eps == 1.0:
        assert best > 0.6


def test_a_thousand_repetitions_at_a_confidence_that_can_fail() -> None:
    # Counts drawn from a three-output response at ε = ln 3; 90 % confidence.
    generator = np.random.default_rng(7)
    rows = {"a": [0.6, 0.2, 0.2], "b": [0.2, 0.6, 0.2]}
    wrong = above = 0
    for _ in range(1000):
        draws = [
            {x: dict(enumerate(map(int, generator.multinomial(400, p)))) for x, p in rows.items()}
            for _ in range(2)
        ]
        result = audit_counts(draws[0], learned_from=draws[1], confidence=0.9)
        wrong += result.refutes(math.log(3))
        above += result.eps_lower > 0.5
        strict = audit_counts(draws[0], learned_from=draws[1])
        assert not strict.refutes(ln(3))
    assert wrong <= 100
    assert above > 900


def test_a_small_sample_to_learn_from_does_not_make_luck_win() -> None:
    """Seen 3 times against 0 among 2,000 means little, however large the test is."""
    rows = {"a": {0: 1460, 1: 537, 99: 3}, "b": {0: 540, 1: 1460}}
    test = {"a": {0: 730_000, 1: 269_000, 99: 1000}, "b": {0: 270_000, 1: 729_000, 99: 1000}}
    result = audit_counts(test, learned_from=rows)
    assert "99" not in result.event
    assert result.eps_lower > 0.95


def test_many_fixed_events_share_the_confidence() -> None:
    generator = np.random.default_rng(3)
    wrong = 0
    for _ in range(300):  # two equal rows, fifty outputs: a truth of ε = 0
        counts = {
            x: dict(enumerate(map(int, generator.multinomial(500, np.full(50, 0.02)))))
            for x in ("a", "b")
        }
        result = audit_counts(counts, events=[[y] for y in range(50)], confidence=0.9)
        wrong += result.eps_lower > 0
        assert result.bounds_used == 200
    assert wrong <= 30


def simulated(eps: float, samples: int, seed: int) -> AuditResult:
    """An audit of a two-valued response from binomial counts: no draws, any number of samples."""
    generator = np.random.default_rng(seed)
    keep = math.exp(eps) / (1 + math.exp(eps))

    def table() -> dict[int, dict[int, int]]:
        kept = [int(generator.binomial(samples // 2, keep)) for _ in range(2)]
        return {x: {x: kept[x], 1 - x: samples // 2 - kept[x]} for x in (0, 1)}

    return audit_counts(table(), learned_from=table())


def test_one_percent_too_much_is_caught() -> None:
    caught = [simulated(1.01, 4_000_000, seed).refutes(1) for seed in range(100)]
    assert sum(caught) == 100
    assert not any(simulated(1.0, 4_000_000, seed).refutes(1) for seed in range(100))


@pytest.mark.slow
def test_one_percent_at_a_hundred_million_samples() -> None:
    for seed in range(3000):
        off = simulated(1.01, 10**8, seed)
        assert off.refutes(1)
        assert 1.008 < off.eps_lower <= 1.01
        right = simulated(1.0, 10**8, seed)
        assert not right.refutes(1)
        assert right.eps_lower > 0.998


@pytest.mark.slow
def test_one_percent_on_real_draws() -> None:
    generator = np.random.default_rng(11)
    keep = math.exp(1.01) / (1 + math.exp(1.01))

    def sampler(value: int, n: int) -> Any:
        return value ^ (generator.random(n) >= keep)

    result = audit(sampler, [0, 1], samples=6_000_000)
    assert result.refutes(1)
    assert result.eps_lower <= 1.01


def test_the_worst_pair_per_unit_of_distance() -> None:
    generator = np.random.default_rng(6)
    rows = {0: [0.5, 0.5], 1: [0.45, 0.55], 3: [0.1, 0.9]}

    def sampler(value: int, n: int) -> Any:
        return generator.choice(["a", "b"], n, p=rows[value]).tolist()

    plain = audit(sampler, rows, samples=40_000)
    assert {plain.x, plain.z} == {0, 3}
    per_unit = audit(sampler, rows, line([0, 1, 3]), samples=40_000)
    assert {per_unit.x, per_unit.z} == {1, 3}
    assert per_unit.distance == 2
    assert per_unit.eps_lower <= math.log(4.5) / 2
    assert "per unit of distance" in per_unit.explain()


def test_zero_and_infinite_distances() -> None:
    same = from_table(["a", "b"], [[0, 0], [0, 0]], pseudo=True)
    tell: Sampler = lambda value, n: [value] * n  # noqa: E731
    assert audit(tell, ["a", "b"], same, samples=200).eps_lower == math.inf
    far = from_table(["a", "b"], [[0, math.inf], [math.inf, 0]], extended=True)
    with pytest.raises(Malformed, match="infinitely far apart"):
        audit(tell, ["a", "b"], far, samples=200)


def test_slack_is_taken_off() -> None:
    generator = np.random.default_rng(8)

    def sampler(value: str, n: int) -> list[str]:  # gives itself away with probability 1/20
        return np.where(generator.random(n) < 0.05, value, "?").tolist()  # type: ignore[no-any-return]

    assert audit(sampler, ["a", "b"], samples=20_000).eps_lower > 3
    assert audit(sampler, ["a", "b"], delta="1/20", samples=20_000).eps_lower == 0
    assert audit(sampler, ["a", "b"], delta=0.03, samples=20_000).eps_lower > 2


def test_given_events_and_outputs() -> None:
    generator = np.random.default_rng(9)
    sampler = response(1.0, generator)
    named = audit(sampler, [0, 1], events={"being one": lambda y: y == 1}, samples=40_000)
    assert named.event == "the output satisfies being one"
    assert named.trials_x == 40_000
    assert 0.9 < named.eps_lower <= 1
    listed = audit(sampler, [0, 1], events=[[0], {1}], samples=40_000)
    assert listed.bounds_used == 8
    assert listed.event in ("the output is 0", "the output is 1")
    known = audit(sampler, [0, 1], outputs=[0, 1], samples=40_000)
    assert 0.9 < known.eps_lower <= 1
    assert known.trials_x == 20_000


def test_a_fixed_seed_is_noticed() -> None:
    seeded: Sampler = lambda value, n: value + np.random.default_rng(42).laplace(0, 1, n)  # noqa: E731
    result = audit(seeded, [0, 1], samples=2000)
    assert result.repeats is True
    assert "Two runs gave the same outputs" in result.explain()
    constant: Sampler = lambda value, n: [0] * n  # noqa: E731
    assert audit(constant, [0, 1], samples=2000).repeats is False  # nothing to tell from chance


def test_outputs_of_any_kind() -> None:
    generator = np.random.default_rng(10)

    def vectors(value: int, n: int) -> Any:
        return np.stack([generator.integers(0, 2, n) | value, generator.integers(0, 2, n)], axis=1)

    assert audit(vectors, [0, 1], samples=4000).event.startswith("the output is one of (0, ")

    def ragged(value: int, n: int) -> list[Any]:
        return [[value] * int(k) for k in generator.integers(1, 3, n)]

    assert audit(ragged, [0, 1], samples=400).eps_lower > 2
    mixed: Sampler = lambda value, n: [value if k % 2 else "?" for k in generator.integers(0, 2, n)]  # noqa: E731
    assert audit(mixed, [0, 1], samples=400).eps_lower > 2


class Twin:
    """A mechanism as `audit` sees it."""

    def randomise(self, values: Any) -> list[Any]:
        return [value.upper() for value in values]


def test_a_mechanism_is_a_sampler() -> None:
    assert audit(Twin(), ["a", "b"], samples=400).eps_lower > 3


def test_words_and_data() -> None:
    result = simulated(1.0, 10_000, 0)
    text = result.explain()
    assert "With confidence 99.9 %" in text
    assert "proves nothing" in text
    assert str(result) == text
    data = json.loads(json.dumps(result.to_dict()))
    assert data["bounds_used"] == 2
    assert data["repeats"] is None
    assert result.refutes("0.1")
    assert not result.refutes(result.eps_lower)
    nothing = audit_counts({0: {0: 50, 1: 50}, 1: {0: 50, 1: 50}}, events=[[0]])
    assert nothing.eps_lower == 0
    assert "Nothing was found" in nothing.explain()
    assert not nothing.refutes(0)


def test_events_in_words() -> None:
    tally = Tally.of([1.0, 2.0, 2.0, 5.0], True)
    between = Intervals(((-math.inf, 1.0), (2.0, math.inf)))
    assert between.words() == "the output is at most 1.0 or the output is more than 2.0"
    assert between.hits(tally) == 2
    assert Intervals(((-math.inf, math.inf),)).words() == "the output is any number"
    many = Intervals(tuple((float(2 * k), float(2 * k + 1)) for k in range(9)))
    assert many.words().endswith("or in one of 3 more intervals")
    assert Intervals(((0.0, 1.0),)).hits(Tally.of(["a"], False)) == 0
    assert Outputs((2.0, 7.0)).hits(tally) == 2


def test_refusals() -> None:
    tell: Sampler = lambda value, n: [value] * n  # noqa: E731
    with pytest.raises(Malformed, match="at least two inputs"):
        audit(tell, ["a"])
    with pytest.raises(Malformed, match="samples: a whole number of at least 16"):
        audit(tell, ["a", "b"], samples=8)
    with pytest.raises(BadLevel, match="confidence should lie"):
        audit(tell, ["a", "b"], samples=100, confidence=1)
    with pytest.raises(Malformed, match="asked for 100 outputs and gave 99"):
        audit(lambda value, n: [value] * (n - 1), ["a", "b"], samples=100)
    with pytest.raises(Malformed, match="a sampler is a function"):
        audit(3, ["a", "b"])
    with pytest.raises(Malformed, match="independent outputs"):
        audit_counts({"a": {0: 1}, "b": {0: 1}})
    with pytest.raises(Malformed, match="counts for the input 'b'"):
        audit_counts({"a": {0: 1}, "b": {0: 1}}, learned_from={"a": {0: 1}})
    with pytest.raises(Malformed, match="should name an output"):
        audit_counts({"a": {}, "b": {0: 1}}, events=[[0]])
    with pytest.raises(Malformed, match="should be a whole number"):
        audit_counts({"a": {0: 1, 1: -1}, "b": {0: 1}}, events=[[0]])
    with pytest.raises(Malformed, match=r"write \[output\] for a single one"):
        audit_counts({"a": {0: 1}, "b": {0: 1}}, events=["0"])
    with pytest.raises(Malformed, match="at least one event"):
        audit_counts({"a": {0: 1}, "b": {0: 1}}, events=[])


def test_exact_slack_is_not_weakened_by_rounding() -> None:
    counts = {"a": {0: 1000}, "b": {1: 1000}}
    third = audit_counts(counts, delta=Q(1, 3), events=[[0]])
    assert Q(third.delta) >= Q(1, 3)


def tell(value, n):
    return [value] * n


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"outputs": ["a"]}, UnknownName, "but 100 of 200 draws gave something else"),
        ({"outputs": ["a"], "events": [["a"]]}, UnknownName, "100 of 200 draws"),
        ({"outputs": "ab"}, WrongKind, "outputs: a list of labels is needed, not the single text"),
        ({"outputs": 5}, WrongKind, "outputs: a list of labels is needed, not 5"),
        ({"events": 5}, WrongKind, "events should be a list of events"),
        ({"events": "ab"}, WrongKind, "events should be a list of events"),
        ({"confidence": None}, BadLevel, "confidence should be a rational number"),
        ({"confidence": "x"}, BadLevel, "confidence should be a rational number"),
        (
            {"sampler": lambda x, n: None},
            WrongKind,
            "list or an array of 100 outputs, not NoneType",
        ),
        ({"sampler": lambda x, n: x * n}, WrongKind, "list or an array of 100 outputs, not str"),
        ({"sampler": lambda x, n: dict.fromkeys(range(n))}, WrongKind, "outputs, not dict"),
    ],
)
def test_what_an_audit_is_not_asked(given, error, words):
    asked = {"sampler": tell, "inputs": ["a", "b"], "samples": 100, **given}
    with pytest.raises(error, match=words):
        audit(**asked)


def test_outputs_that_were_all_listed():
    assert audit(tell, ["a", "b"], outputs=["a", "b", "never"], samples=400).eps_lower > 3


@pytest.mark.parametrize(
    ("counts", "error", "words"),
    [
        ({"a": 5, "b": 6}, WrongKind, "a mapping from outputs"),
        ({"a": {0: "x"}, "b": {0: 1}}, BadNumber, "whole"),
    ],
)
def test_what_is_no_table_of_counts(counts, error, words):
    with pytest.raises(error, match=words):
        audit_counts(counts, events=[[0]])


def test_a_distance_below_the_smallest_double_is_no_division_by_zero() -> None:
    space = from_table([0, 1], [[0, "1e-350"], ["1e-350", 0]])
    counts = {0: {"a": 1000}, 1: {"b": 1000}}
    found = audit_counts(counts, space, learned_from=counts)
    assert math.isfinite(found.eps_lower)
    assert found.refutes(10**300)
