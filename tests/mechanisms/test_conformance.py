"""One test body walks every mechanism: what it promises, what it draws, what it gives back."""

import json
import math
import warnings
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction as Q
from itertools import permutations

import numpy as np
import pytest

from dprivacy.errors import DPrivacyError, InsecureSeedWarning, Malformed, UnknownCategory
from dprivacy.mechanisms import (
    FAMILIES,
    ChannelMechanism,
    LocalMechanism,
    exponential,
    geometric,
    geometric_steps,
    mechanism_text,
    oblivious,
    over_rows,
    randomised_response,
    sequential,
)
from dprivacy.model import Mechanism
from dprivacy.numbers import Level
from dprivacy.sampling import CategoricalSampler, InsecureSource, KeyedSource
from dprivacy.sampling.alias_tables import table_law
from dprivacy.spaces import (
    discrete,
    from_table,
    grid,
    hamming_cube,
    line,
    points,
    power_set,
    quantised,
)
from dprivacy.store import load, save
from dprivacy.verify import privacy, smallest_eps

LEVELS = ["ln 2", "ln(3/2)", 1, "0.3", "1/10", 40, "1e-25"]
SPACES = {
    "hobbies": discrete(["Sports", "Cars", "Reading"]),
    "line": line(4),
    "uneven": line(["0", "1/2", "2"]),
    "square": grid(2, 2),
    "cube": hamming_cube(2),
    "sets": power_set(["a", "b"]),
    "table": from_table(["x", "y", "z"], [[0, 2, 3], [2, 0, "5/2"], [3, "5/2", 0]]),
    "cloud": points([(0, 0), (1, 2), (3, 1)]),
    "pseudo": from_table(["x", "y", "z"], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True),
}


def spaces_of(family):
    """The spaces that a family takes, of those above."""
    for name, space in SPACES.items():
        try:
            family.build(space=space, eps="ln 2")
        except Malformed:
            continue
        yield f"{family.name}, {name}", {"space": space}


def cases_of(family):
    """What a family declares, and every space that it takes; with the channel listed or not."""
    declared = {f"{family.name}, case {k}": case for k, case in enumerate(family.cases)}
    cases = {**declared, **(dict(spaces_of(family)) if "space" in family.cases[0] else {})}
    return {
        name: lambda eps, family=family, case=case: family.build(eps=eps, **case)
        for name, case in cases.items()
    }


DECLARED = {name: make for family in FAMILIES for name, make in cases_of(family).items()}
ENDLESS = {name: make for name, make in DECLARED.items() if make("ln 2").channel is None}
LISTED = {name: make for name, make in DECLARED.items() if name not in ENDLESS} | {
    "utility": lambda eps: exponential(
        line(3), eps=eps, outputs=["low", "high"], utility=lambda x, y: x if y == "high" else -x
    ),
    "steps": lambda eps: geometric_steps(3, eps=eps),
    "quantised": lambda eps: geometric(quantised(0, 1, "0.25"), eps=eps),
    "rows": lambda eps: over_rows(randomised_response(["a", "b"], eps=eps), 2),
    "oblivious": lambda eps: oblivious(geometric(3, eps=eps), sum, hamming_cube(2)),
    "sequential": lambda eps: sequential(
        geometric(3, eps=eps), randomised_response(range(3), eps=eps)
    ),
}
TIGHT = [name for name, make in LISTED.items() if getattr(make("ln 2"), "tight", False)]


def test_every_family_has_a_case():
    assert all(family.cases for family in FAMILIES)
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)
    for family in FAMILIES:
        assert {family.build(eps="ln 2", **case).family for case in family.cases} == {family.name}


@pytest.fixture(params=[(family, eps) for family in LISTED for eps in LEVELS], ids=str)
def mechanism(request):
    family, eps = request.param
    return LISTED[family](eps)


@pytest.fixture(params=[(family, eps) for family in LISTED for eps in ("ln 2", 1)], ids=str)
def either(request):
    """Every family once with rational and once with irrational weights."""
    family, eps = request.param
    return LISTED[family](eps)


def true_eps(mechanism) -> Decimal:
    """The smallest ε from its definition, in 90-digit decimals: no code of the library in it."""
    matrix, space = mechanism.channel.matrix, mechanism.guarantee.space
    rows, labels = matrix.entries.tolist(), mechanism.channel.rows
    worst = Decimal(0)
    with localcontext() as context:
        context.prec = 90
        for i, j in permutations(range(len(rows)), 2):
            d = space.distance(labels[i], labels[j])
            apart = as_decimal(Level(d))
            for a, b in zip(rows[i], rows[j], strict=True):
                if a > b:
                    assert b > 0
                    assert apart > 0
                    worst = max(worst, (Decimal(a) / Decimal(b)).ln() / apart)
    return worst


def as_decimal(level: Level) -> Decimal:
    low, high = level.bounds(400)
    with localcontext() as context:
        context.prec = 90
        middle = (low + high) / 2
        return Decimal(middle.numerator) / Decimal(middle.denominator)


def test_what_is_promised_is_kept(mechanism):
    channel, promise = mechanism.channel, mechanism.guarantee
    assert isinstance(mechanism, Mechanism)
    assert channel.exact
    assert set(channel.matrix.entries.sum(axis=1).tolist()) == {channel.matrix.den}
    verdict = privacy(channel, promise.space, eps=promise.eps, delta=promise.delta)
    assert verdict.holds is True
    assert verdict.exact
    if promise.delta:
        return
    true, stated = true_eps(mechanism), as_decimal(promise.eps)
    with localcontext() as context:
        context.prec = 90
        assert true <= stated * (1 + Decimal(10) ** -60)
    smallest = smallest_eps(channel, promise.space)
    if isinstance(mechanism, ChannelMechanism):
        low, high = mechanism.achieved()
        assert Decimal(low) <= true <= Decimal(high)
        assert Decimal(high) - Decimal(low) <= true * Decimal(2) ** -51
        assert mechanism.tight == (isinstance(smallest, Level) and smallest == promise.eps)
        assert mechanism.verify().holds


@pytest.mark.parametrize("eps", ["1", "0.3", "1/10", "2", "1e-12", "12"])
@pytest.mark.parametrize("name", TIGHT)
def test_a_real_level_is_used_up_to_one_part_in_a_hundred_million(name, eps):
    mechanism = LISTED[name](eps)
    true, stated = true_eps(mechanism), as_decimal(mechanism.guarantee.eps)
    with localcontext() as context:
        context.prec = 90
        assert stated * (1 - Decimal("1e-8")) <= true <= stated * (1 + Decimal(10) ** -60)


class Scripted:
    """A source whose next number below a bound is fixed."""

    secure = True

    def __init__(self, number):
        self.number = number

    def below(self, bound):
        assert 0 <= self.number < bound
        return self.number


def test_what_is_drawn_has_exactly_the_channels_law(mechanism):
    """Every one of the 2^16 words of a 16-bit twin, and the residual, outcome by outcome."""
    if not isinstance(mechanism, ChannelMechanism):
        pytest.skip("draws through the mechanisms it is made of")
    weights = mechanism.channel.matrix.entries.tolist()
    twin, real = CategoricalSampler(weights, bits=16), mechanism._sampler
    words = np.arange(1 << 16, dtype=np.uint64)
    for x, row in enumerate(weights):
        total = sum(row)
        drawn = twin.from_words(np.full(words.size, x), words)
        counts = Counter(drawn.tolist())
        left = counts.pop(-1, 0)
        rest = [(a << 16) % total for a in row]
        assert sum(rest) == left * total
        law = [
            Q(counts[j], 1 << 16) + (Q(left, 1 << 16) * Q(rest[j], left * total) if left else 0)
            for j in range(len(row))
        ]
        assert law == [Q(a, total) for a in row]
        assert law == list(mechanism.channel.matrix.rows()[x])
        # the residual outcome: each output on exactly r_j of the numbers below Σ r_j
        reached = 0
        for j, r in enumerate(rest):
            if r:
                assert twin.resolve(x, Scripted(reached)) == j
                assert twin.resolve(x, Scripted(reached + r - 1)) == j
            reached += r
        # the sampler that is really used: same integers, and the law of all its 2^64 words
        assert real._rows[x] == row
        floors = [(a << 64) // total for a in row]
        table = table_law(real._tables[x])
        assert table[: len(row)] == floors
        assert table[len(row)] == (1 << 64) - sum(floors)


def test_labels_come_back_in_the_container_they_came_in(either):
    mechanism = either
    inputs, outputs = mechanism.channel.rows, set(mechanism.channel.columns)
    values = [inputs[k % len(inputs)] for k in range(12)]
    listed = mechanism.randomise(values)
    assert isinstance(listed, list)
    assert len(listed) == 12
    assert set(listed) <= outputs
    assert mechanism.randomise(tuple(values))[0] in outputs
    assert mechanism.randomise(iter(values))[-1] in outputs
    assert list(mechanism.randomise([])) == []


def test_arrays_keep_their_shape(either):
    mechanism = either
    inputs, outputs = mechanism.channel.rows, set(mechanism.channel.columns)
    if isinstance(inputs[0], tuple) and not isinstance(mechanism, ChannelMechanism):
        pytest.skip("rows of an array stand for tuples here")
    boxed = np.empty((2, 3), dtype=object)
    boxed.ravel()[:] = [inputs[k % len(inputs)] for k in range(6)]
    noisy = mechanism.randomise(boxed)
    assert isinstance(noisy, np.ndarray)
    assert noisy.shape[:2] == (2, 3)  # a local mechanism may report several numbers a value
    assert noisy.ndim == 2 or isinstance(mechanism, LocalMechanism)
    assert noisy.dtype == (object if isinstance(mechanism, ChannelMechanism) else noisy.dtype)
    assert noisy.ndim > 2 or set(noisy.ravel().tolist()) <= outputs
    assert mechanism.randomise(boxed[:0]).shape[:2] == (0, 3)


def test_a_seed_repeats_and_warns_and_nothing_else_does(either):
    mechanism = either
    inputs = mechanism.channel.rows
    values = [inputs[k % len(inputs)] for k in range(400)]
    with pytest.warns(InsecureSeedWarning):
        first = mechanism.randomise(values, insecure_seed=7)
    with pytest.warns(InsecureSeedWarning):
        assert mechanism.randomise(values, insecure_seed=7) == first
    assert mechanism.secure
    assert mechanism.using(KeyedSource(bytes(32), 3)).secure
    runs = [mechanism.using(KeyedSource(bytes(32), 3)).randomise(values) for _ in range(2)]
    assert runs[0] == runs[1]
    law = np.sort(mechanism.channel.matrix.floats, axis=1)[:, -1]
    if law.max() < 0.9:  # otherwise the same may well come out twice
        with pytest.warns(InsecureSeedWarning):
            assert mechanism.randomise(values, insecure_seed=8) != first
        assert mechanism.randomise(values) != mechanism.randomise(values)


def test_an_insecure_source_shows(either):
    mechanism = either
    with pytest.warns(InsecureSeedWarning):
        tainted = mechanism.using(InsecureSource(1))
    assert not tainted.secure
    assert mechanism.secure
    if isinstance(mechanism, ChannelMechanism):
        assert "INSECURE" in repr(tainted)
        assert tainted.to_dict()["secure"] is False


def test_it_shows_itself(either):
    mechanism = either
    text = repr(mechanism)
    assert "ε = " in text or "Level" in text
    assert "object at 0x" not in text
    if isinstance(mechanism, ChannelMechanism):
        plain = json.loads(json.dumps(mechanism.to_dict()))
        assert plain["family"] == mechanism.family
        assert plain["secure"] is True
        assert len(plain["weights_hash"]) == 64


def test_it_survives_a_file(mechanism, tmp_path):
    if not isinstance(mechanism, ChannelMechanism):
        pytest.skip("only finite mechanisms are stored")
    file = tmp_path / "mechanism.json"
    save(mechanism, file)
    again = load(file)
    assert again == mechanism
    assert again.channel.rows == mechanism.channel.rows
    assert [type(x) for x in again.channel.rows] == [type(x) for x in mechanism.channel.rows]
    assert again.channel.columns == mechanism.channel.columns
    assert (again.channel.matrix.entries == mechanism.channel.matrix.entries).all()
    assert again.channel.matrix.den == mechanism.channel.matrix.den
    assert again.guarantee == mechanism.guarantee
    assert again.tight == mechanism.tight
    assert mechanism_text(again) == file.read_text(encoding="utf-8")


def test_a_stranger_is_refused_by_row_number(either):
    mechanism = either
    inputs = mechanism.channel.rows
    with pytest.raises(DPrivacyError) as caught:
        mechanism.randomise([inputs[0], inputs[1], ("canary-5c1e", 9), inputs[0]])
    assert "canary" not in str(caught.value)
    assert caught.value.__cause__ is None
    if isinstance(mechanism, ChannelMechanism):
        assert isinstance(caught.value, UnknownCategory)
        assert "row 2 " in str(caught.value)


@pytest.mark.parametrize(
    "eps", [0, -1, "0", math.nan, math.inf, -math.inf, True, None, "much", "-ln 2"]
)
@pytest.mark.parametrize("make", [*LISTED.values(), *ENDLESS.values()])
def test_no_level_but_a_positive_number_is_taken(make, eps):
    with pytest.raises(DPrivacyError):
        make(eps)


@pytest.mark.parametrize("eps", ["ln 2", "1/2", 3])
@pytest.mark.parametrize("make", ENDLESS.values(), ids=ENDLESS)
def test_mechanisms_on_infinitely_many_points(make, eps):
    mechanism = make(eps)
    assert isinstance(mechanism, Mechanism)
    assert mechanism.secure
    assert mechanism.guarantee.eps == Level(eps)
    assert "ε = " in repr(mechanism)
    json.dumps(mechanism.guarantee.to_dict())
    space = mechanism.guarantee.space
    width = getattr(space, "dimension", getattr(space, "bits", None))
    values = np.zeros(300 if width is None else (300, width))
    noisy = mechanism.randomise(values)
    local = isinstance(mechanism, LocalMechanism)
    assert noisy.shape[: values.ndim] == values.shape
    assert local or noisy.ndim == values.ndim
    assert local or noisy.dtype == np.float64
    assert json.loads(json.dumps(mechanism.to_dict()))["family"] == mechanism.family
    assert not (noisy == mechanism.randomise(values)).all()
    keyed = [mechanism.using(KeyedSource(b"k" * 16)).randomise(values) for _ in range(2)]
    assert keyed[0].tobytes() == keyed[1].tobytes()
    with pytest.warns(InsecureSeedWarning):
        seeded = mechanism.randomise(values, insecure_seed=1)
    with pytest.warns(InsecureSeedWarning):
        assert seeded.tobytes() == mechanism.randomise(values, insecure_seed=1).tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not mechanism.using(InsecureSource(1)).secure
