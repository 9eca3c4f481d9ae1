"""The figures of a board's sheet by brute force: every record, every released row, exact Bayes.

The probabilities are written down here from the definitions of the mechanisms, in fractions.
"""

import itertools
import math
import random
from dataclasses import dataclass
from fractions import Fraction as Q

import pytest

from dprivacy.release import Plan, answer_figures, guess_limit, report, row_figures
from dprivacy.release.figures.plain_numbers import hundredths, hundredths_down


@dataclass(frozen=True)
class Part:
    """One draw: the columns it is for, and for each true combination the law of what comes out."""

    names: tuple[str, ...]
    law: dict[tuple, dict[tuple, Q]]
    groups: dict[tuple, int] | None = None  # published


def response(values, factor):
    chance = Q(1) / (factor + len(values) - 1)
    return {x: {y: factor * chance if x == y else chance for y in values} for x in values}


def clamped(n, ratio):
    """Two-sided geometric noise on 0 … n−1, what falls beyond an end is that end."""

    def at(x, y):
        inside = ratio ** abs(x - y) * (1 - ratio) / (1 + ratio)
        return inside / (1 - ratio) if y in (0, n - 1) else inside

    return [[at(x, y) for y in range(n)] for x in range(n)]


def coded(values, codes, ratio, reach):
    """A class, or which code, by a response with odds ratio^-reach; a class is clamped noise."""
    noise, middle = clamped(len(values), ratio), (len(values) - 1) // 2
    odds = ratio**-reach
    right, wrong = odds / (odds + len(codes)), Q(1) / (odds + len(codes))
    law = {}
    for i, x in enumerate(values):
        law[x] = {y: right * noise[i][j] for j, y in enumerate(values)} | dict.fromkeys(
            codes, wrong
        )
    for x in codes:
        law[x] = {y: wrong * noise[middle][j] for j, y in enumerate(values)}
        law[x] |= {y: right if x == y else wrong for y in codes}
    return law


def alone(name, law, groups=None):
    wrapped = {(x,): {(y,): p for y, p in row.items()} for x, row in law.items()}
    return Part((name,), wrapped, groups and {(x,): k for x, k in groups.items()})


AB, ABC = ["a", "b"], ["a", "b", "c"]
FIVE, TREE = ["p", "q", "r", "s", "t"], {"N": "", "S": "", "n1": "N", "n2": "N", "s1": "S"}
PLANS = {
    "answers": (
        {"columns": {
            "x": {"type": "categories", "values": AB, "epsilon": "ln 3"},
            "y": {"type": "ordered", "values": ABC, "epsilon": "ln 2"},
        }},
        [alone("x", response(AB, Q(3))),
         alone("y", {x: dict(zip(ABC, row, strict=True))
                     for x, row in zip(ABC, clamped(3, Q(1, 2)), strict=True)})],
    ),
    "drawn together": (
        {"columns": {
            "x": {"type": "categories", "values": AB},
            "y": {"type": "categories", "values": ABC},
            "z": {"type": "categories", "values": AB, "epsilon": "ln 1.5"},
        }, "joint": {"both": {"columns": ["x", "y"], "epsilon": "ln 9"}}},
        [Part(("x", "y"), response(list(itertools.product(AB, ABC)), Q(9))),
         alone("z", response(AB, Q(3, 2)))],
    ),
    "groups": (
        {"columns": {
            "x": {"type": "categories", "values": FIVE, "epsilon": "ln 2",
                  "blocks": [["p"], ["q", "r"], ["s", "t"]]},
            "y": {"type": "categories", "values": AB, "epsilon": "ln 4"},
        }},
        [alone("x", {"p": {"p": Q(1)}, **response(["q", "r"], Q(2)), **response(["s", "t"], Q(2))},
               {"p": 0, "q": 1, "r": 1, "s": 2, "t": 2}),
         alone("y", response(AB, Q(4)))],
    ),
    "codes": (
        {"columns": {
            "x": {"type": "ordered", "values": ABC, "codes": ["N", "R"], "epsilon": "ln 2"},
            "y": {"type": "numbers", "low": 0, "high": 4, "grid": 1, "codes": ["N"], "epsilon": "ln 3"},
        }},
        [alone("x", coded(ABC, ["N", "R"], Q(1, 2), 1)),
         alone("y", coded(list(range(5)), ["N"], Q(1, 3), 2))],
    ),
}  # fmt: skip


def rows_of(parts):
    """Every record with the law of its row: all draws are apart."""
    for truths in itertools.product(*(part.law for part in parts)):
        laws = [part.law[truth] for part, truth in zip(parts, truths, strict=True)]
        row = {
            tuple(outputs): math.prod(law[y] for law, y in zip(laws, outputs, strict=True))
            for outputs in itertools.product(*laws)
        }
        yield truths, row


def groups_of(parts, truths):
    return [p.groups[x] if p.groups else 0 for p, x in zip(parts, truths, strict=True)]


@pytest.fixture(params=PLANS)
def case(request):
    raw, parts = PLANS[request.param]
    return Plan.read(raw), parts, dict(rows_of(parts))


def test_the_factor_and_the_two_records(case):
    """The largest ratio, and how often one is right between any two records that could be meant."""
    plan, parts, rows = case
    factor, right = Q(1), Q(1, 2)
    for (one, p), (other, q) in itertools.permutations(rows.items(), 2):
        if groups_of(parts, one) != groups_of(parts, other):
            continue
        factor = max(factor, *(p[y] / q[y] for y in p))
        right = max(right, sum(max(p[y], q[y]) for y in p) / 2)
    found = row_figures(plan)
    assert found.factor == factor
    assert found.right == right


def test_guesses_of_somebody_who_knows_nothing(case):
    """All records are equally likely, and the whole row is read; a published group is known before."""
    plan, parts, rows = case
    told = {one.name: one for one in answer_figures(plan)}
    sheet = {guess.answer.partition(" (")[0]: guess for guess in report(plan).contents.guesses}
    for part, place in ((p, k) for p in parts for k in range(len(p.names))):
        name, at = part.names[place], parts.index(part)
        meant = rows
        if part.groups:
            largest = max(part.groups.values(), key=[*part.groups.values()].count)
            meant = {t: row for t, row in rows.items() if part.groups[t[at]] == largest}
        weight, together, values = Q(1, len(meant)), {}, set()
        for truths, row in meant.items():
            values.add(truths[at][place])
            for y, p in row.items():
                key = (y, truths[at][place])
                together[key] = together.get(key, Q(0)) + weight * p
        seen = {}
        for (y, _), p in together.items():
            seen[y] = max(seen.get(y, Q(0)), p)
        assert told[name].blind == Q(1, len(values))
        assert told[name].seen == sum(seen.values())
        assert sheet[name].blind == hundredths_down(Q(1, len(values)))
        assert sheet[name].with_row == hundredths(sum(seen.values()))


def test_nobody_who_knows_more_is_right_more_often_than_the_limit(case):
    """Random beliefs in which answers go together, knowing all others truly, or reading their cells."""
    plan, parts, rows = case
    told = {one.name: one for one in answer_figures(plan)}
    whole, chance = row_figures(plan).factor, random.Random(1)
    for _ in range(12):
        belief = {truths: Q(chance.randint(0, 9) ** 3) for truths in rows}
        if not any(belief.values()):
            continue
        total = sum(belief.values())
        for part, place in ((p, k) for p in parts for k in range(len(p.names))):
            at = parts.index(part)
            for knows in (True, False):
                before, after = {}, {}
                for truths, weight in belief.items():
                    mine = truths[at][place]
                    rest = tuple(
                        value
                        for k, truth in enumerate(truths)
                        for j, value in enumerate(truth)
                        if (k, j) != (at, place)
                    )
                    known = (rest if knows else (), tuple(groups_of(parts, truths)))
                    before[known, mine] = before.get((known, mine), Q(0)) + weight / total
                    for y, p in rows[truths].items():
                        key = (known, y), mine
                        after[key] = after.get(key, Q(0)) + weight / total * p
                shares = []
                for table in (before, after):
                    best = {}
                    for (known, _), p in table.items():
                        best[known] = max(best.get(known, Q(0)), p)
                    shares.append(sum(best.values()))
                factor = told[part.names[place]].factor if knows else whole
                assert shares[0] <= shares[1] <= guess_limit(shares[0], factor)


def test_codes_of_a_hierarchy_from_the_table_on_its_card():
    """The noise has no formula in fractions: its table keeps its level, and the figures follow."""
    plan = Plan.read({"columns": {"r": {"type": "tree", "hierarchy": TREE, "epsilon": "ln 3"}}})
    table = plan.columns[0].channel
    leaves = ["n1", "n2", "s1"]
    apart = {frozenset(("n1", "n2")): 1}
    law = {x: {y: Q(table[x, y]) for y in leaves} for x in leaves}
    assert all(sum(row.values()) == 1 for row in law.values())
    ratios = {
        (x, z): max(law[x][y] / law[z][y] for y in leaves)
        for x, z in itertools.permutations(leaves, 2)
    }
    assert all(ratio <= 3 ** apart.get(frozenset(pair), 2) for pair, ratio in ratios.items())
    found, row = answer_figures(plan)[0], row_figures(plan)
    assert found.seen == sum(max(law[x][y] for x in leaves) for y in leaves) / 3
    assert max(ratios.values()) <= found.factor <= 9
    pairs = itertools.combinations(leaves, 2)
    assert row.right == max(sum(max(law[x][y], law[z][y]) for y in leaves) / 2 for x, z in pairs)
