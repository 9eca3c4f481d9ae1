"""Local mechanisms (L): which of two is safer, by their sets and by the general criterion."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction as Q
from functools import partial
from itertools import combinations, pairwise, permutations, product
from typing import Any

from dprivacy.mechanisms import (
    LocalMechanism,
    hashed_response,
    projective_response,
    subset_response,
    unary_response,
)
from dprivacy.model import BlockLaw, Channel
from dprivacy.refine import order, refines
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Parts, compared, extended

Blocks = Mapping[frozenset[int], Q]
SIZES, FACTORS = (3, 4, 5, 6), (2, 4, 9)
CHAIN = ("GRR", "PG(3, 2)", "AG(3, 2)", "HR")


@dataclass(frozen=True)
class ListedLaw(BlockLaw):
    """Sets that are written out, for families that are not offered."""

    sets: Blocks

    def blocks(self) -> Blocks:
        """What each set weighs."""
        return self.sets


@dataclass(frozen=True)
class ListedSets:
    """A local mechanism by its sets alone: enough to compare it."""

    labels: tuple[int, ...]
    reports: ListedLaw

    @property
    def channel(self) -> Channel:
        """All probabilities, a column a set."""
        a, total, sets = self.reports.factor, self.reports.normaliser, self.reports.sets
        rows = [
            [w * (a if x in block else 1) / total for block, w in sets.items()] for x in self.labels
        ]
        return Channel(self.labels, range(len(sets)), rows)

    @property
    def silent(self) -> Q:
        """How often the empty or the full set is reported, which say nothing."""
        sizes = ((len(block), w) for block, w in self.reports.sets.items())
        mass = (w * self.reports.chance(size) for size, w in sizes if size in (0, len(self.labels)))
        return sum(mass, Q(0))


def listed(k: int, a: int, blocks: Iterable[tuple[frozenset[int], Q]]) -> ListedSets:
    """A mechanism with these sets; the weights of equal ones are added."""
    weights: Counter[frozenset[int]] = Counter()
    for block, weight in blocks:
        weights[block] += weight  # type: ignore[assignment]  # counters also add fractions
    sets = {block: Q(weight) for block, weight in weights.items()}
    single = sum((w for block, w in sets.items() if 0 in block), Q(0))
    pair = sum((w for block, w in sets.items() if {0, 1} <= block), Q(0))
    law = ListedLaw(k, Q(a), sum(sets.values(), Q(0)), single, pair, sets)
    return ListedSets(tuple(range(k)), law)


def written_out(mechanism: LocalMechanism) -> ListedSets:
    """A mechanism of the library by its sets."""
    sets = ((block, weight) for _, block, weight in mechanism.reports.listed())
    return listed(len(mechanism.labels), int(mechanism.factor), sets)


def free_sets(k: int, a: int, chance: Q) -> ListedSets:
    """Every label in the set or not, with this chance."""
    blocks = (frozenset(c) for size in range(k + 1) for c in combinations(range(k), size))
    weight = {size: chance**size * (1 - chance) ** (k - size) for size in range(k + 1)}
    return listed(k, a, ((block, weight[len(block)]) for block in blocks))


def all_functions(k: int, a: int, g: int) -> ListedSets:
    """Hashing by every function into g values: where the value is the same."""
    return listed(
        k,
        a,
        (
            (frozenset(x for x in range(k) if f[x] == value), Q(1))
            for f in product(range(g), repeat=k)
            for value in range(g)
        ),
    )


def hadamard(k: int, a: int) -> ListedSets:
    """Hadamard response: for each column of a Hadamard matrix the rows 1 … k where it is 1."""
    columns = range(1 << k.bit_length())
    blocks = (frozenset(x for x in range(k) if not (x + 1 & y).bit_count() % 2) for y in columns)
    return listed(k, a, ((block, Q(1)) for block in blocks))


def affine(k: int, a: int) -> ListedSets:
    """The twelve lines of the affine plane of order 3, on its first k points."""
    slopes = [(0, 1), (1, 0), (1, 1), (1, 2)]
    lines = (
        frozenset(x for x in range(k) if (s * (x // 3) + t * (x % 3)) % 3 == value)
        for s, t in slopes
        for value in range(3)
    )
    return listed(k, a, ((line, Q(1)) for line in lines))


def families(k: int, a: int) -> dict[str, ListedSets]:
    """The families of the printed results."""
    eps = f"ln {a}"
    found = {"GRR": written_out(subset_response(range(k), eps=eps, size=1))}
    for d in range(2, k):
        found[f"SS({d})"] = written_out(subset_response(range(k), eps=eps, size=d))
    found["OUE"] = written_out(unary_response(range(k), eps=eps))
    if a == 4:
        found["SUE"] = written_out(unary_response(range(k), eps=eps, kind="symmetric"))
    found |= {"BLH": free_sets(k, a, Q(1, 2)), "OLH": free_sets(k, a, Q(1, a + 1))}
    found |= {"HR": hadamard(k, a), "AG(3, 2)": affine(k, a)}
    for q in (2, 3):
        plane = projective_response(range(k), eps=eps, q=q)
        found[f"PG({q}, {plane.parameters['t']})"] = written_out(plane)
    return found


def both_ways(A: Any, B: Any) -> tuple[bool, bool]:
    """A ⊑ B by their sets, and by the general criterion on their channels."""
    return bool(refines(A, B)), bool(refines(A.channel, B.channel))


def equal(A: Any, B: Any) -> bool:
    """A ≡ B, by both criteria."""
    return all(both_ways(A, B) + both_ways(B, A))


@item("L:refinement", "Local mechanisms in order of safety", "L Thm 3")
def refinement(_: Setting) -> Parts:
    """e^ε = 2, 3, 4 and three to five labels, by sets and by the general criterion."""
    pairs = differing = 0
    comparable: set[str] = set()
    masses: dict[str, list[Q]] = {"HR": [], "OUE": []}
    for a in (2, 3, 4):
        for k in (3, 4, 5):
            known = families(k, a)
            verdicts = {}
            for names in product(known, repeat=2):
                by_sets, general = both_ways(*(known[name] for name in names))
                pairs, differing = pairs + 1, differing + (by_sets != general)
                verdicts[names] = by_sets
            if k > 3:
                comparable |= {
                    f"{A} ⊑ {B}" for (A, B), holds in verdicts.items() if holds and A != B
                }
            else:
                chain = all(verdicts[pair] for pair in pairwise(CHAIN))
                yield compared(f"{' ⊑ '.join(CHAIN)}, 3 labels, e^ε = {a}", "yes", chain)
                masses["HR"].append(known["HR"].silent)
            plane = next(name for name in known if name.startswith("PG(2"))
            above = verdicts[plane, "HR"] and not verdicts["HR", plane]
            yield compared(f"{plane} ⊑ HR strictly, {k} labels, e^ε = {a}", "yes", above)
            if a == 4:
                masses["OUE"].append(known["OUE"].silent)
    yield compared("ordered pairs", 969, pairs)
    yield compared("pairs on which the two criteria disagree", 0, differing)
    yield compared("silent reports of HR, 3 labels, e^ε = 2, 3, 4", "1/3, 3/8, 2/5", masses["HR"])
    yield compared("of OUE, e^ε = 4, 3 and 4 labels", "17/50, 13/50", masses["OUE"][:2])
    yield compared("and 5 labels", "0.2056", masses["OUE"][2])
    expected = ["GRR ⊑ PG(3, 2)", "OLH ⊑ OUE", "OUE ⊑ OLH", "PG(2, 3) ⊑ HR", "PG(3, 2) ⊑ GRR"]
    yield compared("what is comparable on 4 and 5 labels", ", ".join(expected), sorted(comparable))
    for k in (3, 4):
        same = (equal(all_functions(k, a, a + 1), families(k, a)["OUE"]) for a in (2, 3, 4))
        yield compared(f"OUE ≡ hashing by all functions, {k} labels", "yes", all(same))
    for k in (3, 4, 5):
        line = projective_response(range(k), eps="ln 2", q=k - 1)
        response = subset_response(range(k), eps="ln 2", size=1)
        yield compared(f"GRR ≡ PG({k - 1}, 2), {k} labels", "yes", equal(line, response))


def offered(k: int, a: int) -> dict[str, LocalMechanism]:
    """Every mechanism of the library on k labels at e^ε = a, with geometries of up to five elements."""
    labels, eps = tuple("abcdef"[:k]), f"ln {a}"
    found = {"randomised response": subset_response(labels, eps=eps, size=1)}
    for d in range(2, k):
        found[f"subsets of {d}"] = subset_response(labels, eps=eps, size=d)
    found["unary"] = unary_response(labels, eps=eps)
    found["unary, symmetric"] = unary_response(labels, eps=eps, kind="symmetric")
    if found["unary, symmetric"].factor != a:  # √a is irrational, and the level a little lower
        del found["unary, symmetric"]
    for q in (2, 3, 4, 5):
        found[f"projective, q = {q}"] = projective_response(labels, eps=eps, q=q)
        found[f"hashed, q = {q}"] = hashed_response(labels, eps=eps, q=q)
    return found


@item("L:order", "The order of all local mechanisms", "L Thm 3", heavy=True)
def whole_order(setting: Setting) -> Parts:
    """Three to six labels, e^ε = 2, 4, 9; every verdict by both criteria, with a picture."""
    for k, a in product(SIZES, FACTORS):
        setting.progress(f"{k} labels, e^ε = {a}")
        known = offered(k, a)
        pairs = list(permutations(known.values(), 2))
        differing = sum(by_sets != general for by_sets, general in (both_ways(*p) for p in pairs))
        found = order(known)
        yield compared(f"criteria disagree on, {k} labels, e^ε = {a}", 0, differing)
        same = [" ≡ ".join(group) for group in found.classes if len(group) > 1]
        edges = [f"{A} ⊑ {B}" for A, B in found.edges]
        yield extended(f"in order, of {len(pairs)} pairs", "; ".join(same + edges))
        title = f"{k} labels, e^ε = {a}: safest on top"
        joined = {name for edge in found.edges for name in edge}
        some = [name for g in found.classes if len(g) > 1 or g[0] in joined for name in g]
        drawn = order({name: known[name] for name in some})
        caption = f"{title}; what is comparable with none of the others is left out"
        yield Drawing(caption, partial(drawn.plot, title=title))
