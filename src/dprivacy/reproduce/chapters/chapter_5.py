"""Chapter 5 of the thesis: two respondents, and Table 5.1 from the 36 counts of COMPAS."""

import math
from fractions import Fraction as Q

from dprivacy.flow import count_scenario, gain, inference, posterior_vulnerability
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel, Dist, joint, uniform
from dprivacy.numbers import ln
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Parts, compared
from dprivacy.reproduce.items.source_channels import deterministic
from dprivacy.typing import LevelLike

ANSWERS = [(0, 0), (1, 0), (0, 1), (1, 1)]

# Custody 0–5 down, marital status 0–5 across: 11,710 people. A table of counts is a fact, not the data.
COUNTS = [
    [1838, 46, 269, 61, 127, 20],
    [15, 0, 1, 0, 0, 0],
    [27, 0, 6, 3, 3, 0],
    [1, 0, 0, 0, 0, 0],
    [7135, 338, 1159, 227, 390, 39],
    [5, 0, 0, 0, 0, 0],
]
PEOPLE = sum(map(sum, COUNTS))
CUSTODY = {s: sum(COUNTS[s]) for s in range(6)}
MARITAL = {u: sum(row[u] for row in COUNTS) for u in range(6)}
COLUMNS = ("A oblivious", "A local", "B oblivious", "B local")
PRINTED = {
    3: "1.0000 0.7984 1.0000 0.7984 1.0000 0.7704 1.0000 0.7704",
    5: "1.0452 0.8333 1.0000 0.7984 1.0000 0.8333 1.0000 0.7704",
    10: "1.1402 0.9091 1.0000 0.7984 1.0000 0.9091 1.0000 0.7704",
    100: "1.2418 0.9901 1.0000 0.7984 1.0000 0.9901 1.0000 0.7704",
    200: "1.2480 0.9950 1.0001 0.7984 1.0000 0.9950 1.0000 0.7704",
    500: "1.2517 0.9980 1.0035 0.8011 1.0000 0.9980 1.0000 0.7704",
    10**3: "1.2529 0.9990 1.0234 0.8169 1.0000 0.9990 1.0000 0.7704",
    10**5: "1.2542 1.0000 1.2481 0.9952 1.0000 1.0000 1.0000 0.9330",
}


def scenarios() -> dict[str, tuple[Dist, dict[int, int]]]:
    """What the adversary believes, and the rows counted, in scenarios A and B."""
    same = Dist([(s, s) for s in range(6)], [Q(CUSTODY[s], PEOPLE) for s in range(6)])
    return {"A": (same, CUSTODY), "B": (joint(range(6), range(6), COUNTS), MARITAL)}


def outcomes(eps: LevelLike, local: Channel) -> list[tuple[Q, Q]]:
    """Privacy loss and utility in the four columns."""
    values = []
    for belief, rows in scenarios().values():
        values.append(count_scenario(belief, counted=[0], rows=rows, oblivious=eps))
        values.append(count_scenario(belief, counted=[0], rows=rows, local=local))
    return [(one.privacy_loss, one.utility) for one in values]


def ceiling() -> Q:
    """The largest privacy loss of any channel."""
    everything = deterministic(lambda x: x, range(6))
    return Q(inference(everything, scenarios()["B"][0], sees=0, about=0).multiplicative)


@item("T:section-5.3.2", "Two respondents: noise on the answers or on the tally", "T §5.3.2")
def two_respondents(_: Setting) -> Parts:
    """Guessing the first answer, and guessing the tally."""
    first = gain.partition({0: [(0, 0), (0, 1)], 1: [(1, 0), (1, 1)]})
    tally = gain.partition({0: [(0, 0)], 1: [(0, 1), (1, 0)], 2: [(1, 1)]})
    both = randomised_response([0, 1], eps="ln 3").channel.over_rows(2)
    each = both @ deterministic(sum, both.columns)
    total = deterministic(sum, ANSWERS) @ geometric(3, eps="ln 3").channel
    for name, C, answer, sum_ in (
        ("each answer", each, "0.63", "0.59"),
        ("the tally", total, "0.67", "0.625"),
    ):
        prior = uniform(ANSWERS)
        yield compared(
            f"noise on {name}: guessing an answer",
            answer,
            posterior_vulnerability(C, prior=prior, gain=first),
        )
        yield compared(
            f"noise on {name}: guessing the tally",
            sum_,
            posterior_vulnerability(C, prior=prior, gain=tally),
        )


@item("T:table-5.1", "Privacy loss and utility on COMPAS", "T Table 5.1")
def table_5_1(_: Setting) -> Parts:
    """All 64 entries at a finite ε > 0, and the two ends, from exact fractions."""
    from dprivacy.viz import plot_curves

    curves: dict[str, list[tuple[float, float]]] = {name: [] for name in COLUMNS}
    nothing = deterministic(lambda _: 0, range(6))
    for name, (lost, used) in zip(COLUMNS, outcomes(0, nothing), strict=True):
        least = "0.7984" if name.startswith("A") else "0.7704"
        yield compared(f"ε = 0, {name}, privacy loss", "1.0000", lost)
        yield compared(f"ε = 0, {name}, utility", least, used)
    for factor, printed in PRINTED.items():
        values = outcomes(ln(factor), geometric(6, eps=ln(factor)).channel)
        said = printed.split()
        for k, (name, (lost, used)) in enumerate(zip(COLUMNS, values, strict=True)):
            yield compared(f"ε = ln {factor:,}, {name}, privacy loss", said[2 * k], lost)
            yield compared(f"ε = ln {factor:,}, {name}, utility", said[2 * k + 1], used)
            curves[name].append((math.log(factor), float(lost)))
    everything = deterministic(lambda x: x, range(6))
    for name, (lost, used) in zip(COLUMNS, outcomes(math.inf, everything), strict=True):
        yield compared(f"ε = ∞, {name}, privacy loss", "1.2607", lost, erratum="E7")
        yield compared(f"ε = ∞, {name}, utility", "1.0000", used)
    yield compared(
        "ε = ∞, the ceiling over all channels, 11710/9288", "1.2607", ceiling(), erratum="E34"
    )
    yield Drawing(
        "What the count tells of a person's custody status",
        lambda: plot_curves(curves, x="privacy level ε", y="privacy loss (1: nothing is learned)"),
    )
    yield (
        "From 36 counts of the 11,710 people assessed for 'Risk of Failure to Appear' with legal "
        "status 'Pretrial', the last record of each, marital status known."
    )
