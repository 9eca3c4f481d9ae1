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

from dprivacy.errors import DPrivacyError, InsecureSeedWarning, UnknownCategory
from dprivacy.mechanisms import (
    ChannelMechanism,
    any_metric,
    bitwise_response,
    exponential,
    geometric,
    geometric_steps,
    integer_geometric,
    laplace,
    load,
    oblivious,
    over_rows,
    over_truncated,
    pixelated_laplace,
    planar_laplace,
    randomised_response,
    save,
    sequential,
    vector_laplace,
)
from dprivacy.model import Mechanism
from dprivacy.numbers import Level
from dprivacy.sampling import CategoricalSampler, InsecureSource, KeyedSource, table_law
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
FAMILIES = {
    **{
        f"response-{name}": lambda eps, s=SPACES[name]: randomised_response(s, eps=eps)
        for name in ("hobbies", "line", "uneven", "square", "cube", "sets", "table")
    },
    **{
        f"geometric-{name}": lambda eps, s=SPACES[name]: geometric(s, eps=eps)
        for name in ("line", "uneven", "pseudo")
    },
    **{
        f"exponential-{name}": lambda eps, s=SPACES[name]: exponential(s, eps=eps)
        for name in ("hobbies", "line", "uneven", "square", "table", "pseudo")
    },
    **{
        f"any-{name}": lambda eps, s=space: any_metric(s, eps=eps) for name, space in SPACES.items()
    },
    "over-truncated": lambda eps: over_truncated(3, [-1, 0, 1], eps=eps),
    "over-truncated-gaps": lambda eps: over_truncated(line([0, 1, 5]), [4, 0], eps=eps),
    "over-truncated-far": lambda eps: over_truncated(2, [7, 8, 30], eps=eps),
    "utility": lambda eps: exponential(
        line(3), eps=eps, outputs=["low", "high"], utility=lambda x, y: x if y == "high" else -x
    ),
    "pixels": lambda eps: pixelated_laplace(2, 3, eps=eps),
    "steps": lambda eps: geometric_steps(3, eps=eps),
    "quantised": lambda eps: geometric(quantised(0, 1, "0.25"), eps=eps),
    "rows": lambda eps: over_rows(randomised_response(["a", "b"], eps=eps), 2),
    "laplace": lambda eps: laplace(0, 3, eps=eps, grid=1).inner,
    "bits": lambda eps: bitwise_response(2, eps=eps),
    "oblivious": lambda eps: oblivious(sum, geometric(3, eps=eps), space=hamming_cube(2)),
    "sequential": lambda eps: sequential(
        geometric(3, eps=eps), randomised_response(range(3), eps=eps)
    ),
}


@pytest.fixture(params=[(family, eps) for family in FAMILIES for eps in LEVELS], ids=str)
def mechanism(request):
    family, eps = request.param
    return FAMILIES[family](eps)


@pytest.fixture(params=[(family, eps) for family in FAMILIES for eps in ("ln 2", 1)], ids=str)
def either(request):
    """Every family once with rational and once with irrational weights."""
    family, eps = request.param
    return FAMILIES[family](eps)


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
    verdict = privacy(channel, promise.space, eps=promise.eps)
    assert verdict.holds is True
    assert verdict.exact

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
@pytest.mark.parametrize(
    "family",
    [
        f
        for f in FAMILIES
        if f.startswith(("response", "geometric", "any", "steps", "rows", "bits"))
    ],
)
def test_a_real_level_is_used_up_to_one_part_in_a_hundred_million(family, eps):
    mechanism = FAMILIES[family](eps)
    true, stated = true_eps(mechanism), as_decimal(mechanism.guarantee.eps)
    assert stated * (1 - Decimal("1e-8")) <= true < stated


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
    assert noisy.shape == (2, 3)
    assert noisy.dtype == object
    assert set(noisy.ravel().tolist()) <= outputs
    assert mechanism.randomise(boxed[:0]).shape == (0, 3)


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
    save(again, file)
    assert load(file) == mechanism


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
@pytest.mark.parametrize(
    "make",
    [
        *FAMILIES.values(),
        lambda eps: integer_geometric(eps=eps),
        lambda eps: planar_laplace(eps=eps),
        lambda eps: vector_laplace(2, eps=eps, numerics="idealised"),
        lambda eps: laplace(0, 10**6, eps=eps, grid=1),
    ],
)
def test_no_level_but_a_positive_number_is_taken(make, eps):
    with pytest.raises(DPrivacyError):
        make(eps)


@pytest.mark.parametrize("eps", ["ln 2", "1/2", 3])
@pytest.mark.parametrize(
    "make",
    [
        lambda eps: integer_geometric(eps=eps),
        lambda eps: laplace(-5, 10**6, eps=eps, grid="1/2"),
        lambda eps: planar_laplace(eps=eps, grid="1/4"),
        lambda eps: vector_laplace(2, eps=eps, numerics="idealised"),
        lambda eps: vector_laplace(2, eps=eps, norm=1, numerics="idealised"),
        lambda eps: vector_laplace(2, eps=eps, norm=math.inf, numerics="idealised"),
    ],
)
def test_mechanisms_on_infinitely_many_points(make, eps):
    mechanism = make(eps)
    assert isinstance(mechanism, Mechanism)
    assert mechanism.secure
    assert mechanism.guarantee.eps == Level(eps)
    assert "ε = " in repr(mechanism)
    json.dumps(mechanism.guarantee.to_dict())
    flat = hasattr(mechanism, "rate")
    values = np.zeros(300) if flat else np.zeros((300, 2))
    noisy = mechanism.randomise(values)
    assert noisy.shape == values.shape
    assert noisy.dtype == np.float64
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
