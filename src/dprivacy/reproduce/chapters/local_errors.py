"""Local mechanisms (L): which one, its error, repeated answers, and designs on paper."""

import math
import warnings
from fractions import Fraction as Q

import numpy as np

from dprivacy.errors import PrivacyLeakWarning
from dprivacy.estimation import estimate
from dprivacy.mechanisms import (
    PaperDesign,
    local_plan,
    memoised,
    paper_design,
    projective_response,
    subset_response,
    unary_response,
)
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Line, Parts, agrees, compared
from dprivacy.reproduce.items.repeatable_draws import repeatable

# Labels and ε; then for each mechanism its mean variance of a cell and its bits, as printed.
WHICH_ONE = {
    (10, "1"): {
        "randomised response": ("4.096", "3.3"),
        "unary response (optimised)": ("3.783", "10"),
        "projective response (q = 3, t = 3)": ("3.110", "3.7"),
        "subset response (size = 3)": ("2.910", "6.9"),
    },
    (100, "1"): {
        "randomised response": ("34.68", ""),
        "unary response (optimised)": ("3.693", "100"),
        "projective response (q = 4, t = 5)": ("3.677", "8.4"),
        "subset response (size = 27)": ("3.600", "81"),
    },
    (1024, "1/2"): {
        "randomised response": ("2434", ""),
        "unary response (optimised)": ("15.672", ""),
        "projective response (q = 3, t = 7)": ("15.790", "10.1"),
        "subset response": ("15.639", "974"),
    },
    (1024, "1"): {
        "randomised response": ("347.6", ""),
        "unary response (optimised)": ("3.6837", "1024"),
        "projective response (q = 4, t = 6)": ("3.6860", "10.4"),
        "subset response": ("3.6745", "854"),
    },
    (1024, "4"): {
        "randomised response": ("0.393", ""),
        "unary response (optimised)": ("0.0770", ""),
        "projective response (q = 53, t = 3)": ("0.0763", "11.5"),
        "subset response": ("0.0749", "127"),
    },
    (65_536, "1"): {
        "randomised response": ("22198", ""),
        "unary response (optimised)": ("3.6827", "65536"),
        "projective response (q = 4, t = 9)": ("3.6916", "16.4"),
        "subset response": ("3.6826", "55038"),
    },
}
# People; then the root of the summed squares of errors: forecast, measured, and on the simplex.
MEASURED = {
    20_000: ("0.434", "0.431", "0.104"),
    200_000: ("0.137", "0.139", "0.056"),
    2_000_000: ("0.043", "0.044", "0.023"),
}
RAW, MOVED = 0.05, 0.15  # how far two measurements of one error may lie apart


def _number(what: str, printed: str, value: float | Q) -> Line:
    """A number to the printed digits; without a point, to a whole one."""
    return compared(what, printed, value if "." in printed else round(value))


@item("L:which-one", "Which local mechanism has the smallest error", "L, Which one")
def which_one(_: Setting) -> Parts:
    """The mean variance of a count, per report, and the bits of a report."""
    for (k, eps), printed in WHICH_ONE.items():
        found = local_plan(range(k), eps=eps, n=1).candidates
        for name, (variance, bits) in printed.items():
            one = next(each for each in found if each.name.startswith(name))
            what = f"{k:,} labels, ε = {eps}, {one.name}"
            yield _number(what, variance, one.reports.total_variance() / k)
            if bits:
                yield _number(f"{what}: bits", bits, one.bits)


@item("L:golden", "Exact numbers of two projective geometries", "L, Which one")
def golden(_: Setting) -> Parts:
    """k = 13 and k = 1,024 at e^ε = 3."""
    small = projective_response(range(13), eps="ln 3", q=3, t=3)
    large = projective_response(range(1024), eps="ln 3", q=4, t=6)
    response = subset_response(range(1024), eps="ln 3", size=1)
    for one, printed in ((small, ("4/7", "2/7")), (large, ("1023/2047", "511/2047"))):
        yield compared(f"p, {len(one.labels):,} labels", printed[0], one.p)
        yield compared(f"q, {len(one.labels):,} labels", printed[1], one.q)
    yield compared("variance of a count, 13 labels", "5/2", small.reports.variance())
    yield compared("variance of a count, 1,024 labels", "1533/512", large.reports.variance())
    yield compared("of randomised response", "1025/4", response.reports.variance())


@item("L:left-out", "A protocol that is not offered", "L, What is not here")
def left_out(_: Setting) -> Parts:
    """Thresholded histograms waste their level."""
    eps, theta = 1.0, 0.6185
    p, q = 1 - math.exp(eps * (theta - 1) / 2) / 2, math.exp(-eps * theta / 2) / 2
    yield compared("level that a thresholded histogram has of ε = 1", "0.896", _odds(p, q))
    yield compared("its variance of a count", "4.807", q * (1 - q) / (p - q) ** 2)
    unary = unary_response(range(2), eps=1).reports
    yield compared("that of unary response", "3.683", unary.variance())


def _odds(p: float, q: float) -> float:
    return math.log(p * (1 - q) / (q * (1 - p)))


@item("L:measured", "Errors of simulated collections", "L, Measured")
def measured(_: Setting) -> Parts:
    """1,024 labels, ε = 1, shares as 1/rank^1.1."""
    k = 1024
    mechanism = projective_response(range(k), eps=1)
    ranks = np.arange(1, k + 1) ** -1.1
    for n, (forecast, raw, moved) in MEASURED.items():
        truth = np.repeat(np.arange(k), _rounded(ranks / ranks.sum(), n))
        yield compared(
            f"forecast, {n:,} people", forecast, math.sqrt(mechanism.reports.total_variance() / n)
        )
        counts = mechanism.count(mechanism.using(repeatable(n)).randomise(truth))
        true = np.bincount(truth, minlength=k) / n
        for what, printed, slack, found in (
            ("unbiased", raw, RAW, estimate(mechanism, counts, estimator="inverse")),
            ("on the simplex", moved, MOVED, estimate(mechanism, counts, estimator="projected")),
        ):
            error = float(np.linalg.norm(np.array(found.shares, dtype=np.float64) - true))
            close = abs(error / float(printed) - 1) < slack
            yield agrees(f"measured, {what}, {n:,} people", printed, f"{error:.3f}", close)
    yield "Measured errors are those of one collection each; they are compared within 5 and 15 %."


def _rounded(shares: np.ndarray, n: int) -> np.ndarray:
    """Whole numbers in these shares that sum to n."""
    ends = np.rint(np.cumsum(shares) * n).astype(np.int64)
    return np.diff(ends, prepend=0)


@item("L:repeated", "Answers that are asked for again", "L Thm 4")
def repeated(_: Setting) -> Parts:
    """How often the kept report is sent, and what RAPPOR's two rounds amount to."""
    plane = memoised(projective_response(range(7), eps="ln 4", q=2), first="ln 2")
    yield compared("kept share, PG(2, 2), from e^ε = 4 to 2", "8/15", plane.kept)
    yield compared("level of one answer", "ln 2", plane.single.guarantee.eps)
    a, once, k = Q(4), Q(2), 3
    second = (once * (a + k - 2) - (k - 1)) / (a - once)
    yield compared("second round of k-ary response, 3 labels, 4 to 2", "4", second)
    half, p, q = Q(1, 2), Q(1, 2), Q(3, 4)
    stays, flips = 1 - half / 2, half / 2  # a permanent bit that is 1, or 0
    ones = (stays * q + flips * p, flips * q + stays * p)
    always = (stays / flips) ** 2
    yield compared("RAPPOR f = 1/2: e^ε for ever", "9", always)
    single = ones[0] * (1 - ones[1]) / (ones[1] * (1 - ones[0]))
    yield compared("RAPPOR p = 1/2, q = 3/4: e^ε of one report", "77/45", single)


def _designs() -> dict[str, tuple[PaperDesign, str, int, int]]:
    """Designs, and as printed: e^ε, the people needed at a share of 1/10, and at any share."""
    dice = paper_design("forced", yes="1/6", no="1/12")
    return {
        "Warner 3/4": (paper_design("warner", p="3/4"), "3", 2100, 2500),
        "crosswise 1/4": (paper_design("crosswise", prevalence="1/4"), "3", 2100, 2500),
        "Warner, die 1–4": (paper_design("warner", p="2/3"), "2", 5225, 5625),
        "forced, one die": (paper_design("forced", yes="1/6", no="1/6"), "5", 1007, 1407),
        "forced, two dice": (dice, "10", 815, 1112),
        "balanced at that level": (dice.balanced(), "10", 534, 934),
        "unrelated, 2/3": (paper_design("unrelated", p="2/3", prevalence="1/4"), "9", 718, 1407),
        "Kuk 4/5, 1/5": (paper_design("kuk", red="4/5", other="1/5", cards=1), "4", 1337, 1737),
    }


@item("L:paper", "Sensitive questions on paper", "L, On paper")
def paper(_: Setting) -> Parts:
    """How many people a standard error of 2 points takes."""
    for name, (design, factor, some, any_share) in _designs().items():
        yield compared(f"{name}: ε", f"ln {factor}", design.eps)
        people = design.respondents(error="1/50", share="1/10")
        yield compared(f"{name}: people at a share of 10 %", some, people)
        yield compared(f"{name}: at any share", any_share, design.respondents(error="1/50"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        for name, design in (
            ("triangular", paper_design("triangular", prevalence="1/4")),
            ("item count", paper_design("item_count", sums=["1/4", "1/2", "1/4"])),
            ("coin that forces yes", paper_design("forced", yes="1/2", no=0)),
        ):
            yield compared(f"{name}: ε", "∞", "∞" if design.eps == math.inf else str(design.eps))
    yield compared("asked directly, at 10 %", 225, math.ceil(Q(9, 100) / Q(1, 50) ** 2))
