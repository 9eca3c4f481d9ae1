"""Tables of several columns: against the product channel, and all multisets of its rows."""

import itertools
import random
from fractions import Fraction as Q

import pytest

from dprivacy.errors import NotApplicable, TooLarge, UnknownName, WrongKind
from dprivacy.mechanisms import geometric, integer_geometric, randomised_response
from dprivacy.spaces import line
from dprivacy.verify import shuffled, shuffled_columns
from dprivacy.verify.shuffling import column_products
from dprivacy.verify.shuffling.blanket_pairs import blankets
from support.shuffled_truth import exact_delta, some_channel


def whole_channel(columns):
    """The product, its inputs in the order of itertools.product."""
    return [[a * b for a, b in itertools.product(*rows)] for rows in itertools.product(*columns)]


@pytest.mark.parametrize("seed", range(12))
def test_products_of_pairs_are_the_pairs_of_the_product(seed):
    rng = random.Random(seed)
    one, two = (some_channel(rng, 2, rng.choice([2, 3]), holes=seed % 3 == 0) for _ in range(2))
    whole = blankets(whole_channel([one, two]))
    made = {
        (a.times(b)).cells
        for a, b in itertools.product(
            [*blankets(one), *blankets(one, same=True)], [*blankets(two), *blankets(two, same=True)]
        )
    }
    n, a = 40, Q(21, 20)
    for blanket in whole:
        assert any(_told(blanket.cells) == _told(cells) for cells in made)
    both = [
        x.times(z)
        for x, z in itertools.product(
            [*blankets(one), *blankets(one, same=True)], [*blankets(two), *blankets(two, same=True)]
        )
    ]
    most = [
        max(blanket.delta(n, a, points=96, goal=Q(1, 1000)) for blanket in kinds)
        for kinds in (whole, both)
    ]
    assert most[0] == pytest.approx(float(most[1]), rel=1e-12)


def _told(cells):
    """Cells where P is not 0, one for each ratio."""
    found = {}
    for p, q in cells:
        if p:
            key = p / q if q else None
            u, v = found.get(key, (0, 0))
            found[key] = u + p, v + q
    return found


@pytest.mark.parametrize("seed", range(4))
def test_what_is_proved_is_true(seed):
    rng = random.Random(seed)
    columns = [some_channel(rng, 2, 2, holes=False) for _ in range(2)]
    found = shuffled_columns(columns, 4, delta="1/50")
    whole = whole_channel(columns)
    a = found.eps.exp()
    pairs = itertools.permutations(range(4), 2)
    assert max(exact_delta(whole, 4, a, pair) for pair in pairs) <= Q(1, 50)
    alone = shuffled_columns(columns, 4, delta="1/50", changed=[1])
    pairs = [(x, z) for x, z in itertools.permutations(range(4), 2) if x // 2 == z // 2]
    assert max(exact_delta(whole, 4, alone.eps.exp(), pair) for pair in pairs) <= Q(1, 50)
    assert alone.eps <= found.eps <= found.local


@pytest.mark.parametrize(
    ("changed", "digits"), [(None, 0.02557), (["two"], 0.02053), (["four"], 0.01860)]
)
def test_known_numbers(changed, digits):
    table = {f: randomised_response(range(k), eps="ln 3") for f, k in (("four", 4), ("two", 2))}
    found = shuffled_columns(table, 10**5, delta="1e-6", changed=changed)
    assert float(found.eps) == pytest.approx(digits, abs=6e-6)
    assert found.method == "blanket"
    only = f" that differ only in {changed[0]}" if changed else ""
    assert f"as between any two records{only}; a single report" in str(found)


def test_one_column_is_no_worse_alone():
    column = geometric(line(4), eps="ln 2")
    alone, table = shuffled(column, 50, delta="1e-4"), shuffled_columns([column], 50, delta="1e-4")
    assert table.eps == alone.eps
    assert table.pair == ((0,), (3,))


def test_several_rows_of_a_person():
    """m rows: at the ε of one row times m, and δ grows by 1 + a + … + a^(m−1)."""
    column = randomised_response(range(3), eps="ln 3")
    one = shuffled(column, 500, delta="1e-6")
    three = shuffled_columns([column], 500, delta="1e-6", rows_per_person=3)
    a = (three.eps / 3).exp()
    assert a is not None
    again = shuffled(column, 500, delta=Q(1, 10**6) / (1 + a + a * a))
    assert float(again.eps) * 3 == pytest.approx(float(three.eps), rel=2e-3)
    assert 3 * one.eps < three.eps < three.local
    assert three.local == 3 * column.guarantee.eps
    assert "for people with at most 3 of them" in str(three)


def test_more_rows_of_a_person_than_help():
    found = shuffled([["3/4", "1/4"], ["1/4", "3/4"]], 10, delta="1e-6", rows_per_person=9)
    assert found.method == "none"
    assert found.eps.exp() == 3**9
    never = shuffled(
        [["3/4", "1/4", 0], ["1/4", "1/2", "1/4"]], 10, delta="1e-6", rows_per_person=2
    )
    assert never.eps == float("inf")


def test_columns_with_too_many_pairs_are_taken_by_their_level(monkeypatch):
    """One after the other: that proves less than all pairs would, and more than all levels."""
    column = geometric(line(3), eps="ln 1.5")
    by_pairs = shuffled_columns([column] * 3, 200, delta="1e-3")
    monkeypatch.setattr(column_products, "_MOST_ATOMS", 60)
    fine = shuffled_columns([column], 200, delta="1e-3")
    rough = shuffled_columns([column] * 3, 200, delta="1e-3")
    level = shuffled(rough.local, 200, delta="1e-3")
    assert fine.eps < by_pairs.eps < rough.eps < level.eps < rough.local


def test_many_columns_are_taken_by_the_sum_of_their_levels(monkeypatch):
    monkeypatch.setattr(column_products, "_MOST_ATOMS", 50)
    levels = [f"{k}/100" for k in range(1, 9)]
    many = shuffled_columns(levels, 100, delta="1e-3")
    assert many.eps == shuffled("36/100", 100, delta="1e-3").eps


def test_a_column_in_clear_beside_many_is_never_left_out(monkeypatch):
    """It has few kinds of pairs, and no level: a sum of levels must not forget it."""
    clear = [[1, 0], [0, 1]]
    assert shuffled_columns(["ln 2", clear], 100, delta="1e-3").eps == float("inf")
    monkeypatch.setattr(column_products, "_MOST_ATOMS", 50)
    with pytest.raises(TooLarge, match="column 8 has no level"):
        shuffled_columns([*(f"{k}/100" for k in range(1, 9)), clear], 100, delta="1e-3")


def test_columns_that_are_refused():
    coin = randomised_response([0, 1], eps="ln 3")
    with pytest.raises(UnknownName, match="'a', not"):
        shuffled_columns({"a": coin}, 10, delta="1e-3", changed=["b"])
    with pytest.raises(WrongKind, match="a mapping of names to mechanisms"):
        shuffled_columns(coin, 10, delta="1e-3")
    with pytest.raises(WrongKind, match="at least one column"):
        shuffled_columns([], 10, delta="1e-3")
    with pytest.raises(NotApplicable, match="declare a range"):
        shuffled_columns([integer_geometric(eps=1)], 10, delta="1e-3")
    weights = [[0 if x == y else (x * 31 + y * 17) % 13 + 1 for y in range(16)] for x in range(16)]
    holes = [[Q(w, sum(row)) for w in row] for row in weights]
    with pytest.raises(TooLarge, match="column 0 has no level without δ"):
        shuffled_columns([holes, holes], 10, delta="1e-3")
