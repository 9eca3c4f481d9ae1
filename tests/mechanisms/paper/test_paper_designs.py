"""Designs on paper: the table of the design document, and exact laws."""

import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadNumber, NotPrivate, PrivacyLeakWarning, UnknownName
from dprivacy.estimation import estimate, sample_size
from dprivacy.mechanisms import balanced_design, paper_design
from dprivacy.numbers import ln
from dprivacy.spaces import discrete
from dprivacy.verify import smallest_eps

# kind, chances, P(yes | bears it), P(yes | does not), e^ε, respondents at 1/10, for any share
TABLE = [
    ("warner", {"p": "3/4"}, "3/4", "1/4", 3, 2100, 2500),
    ("crosswise", {"prevalence": "1/4"}, "1/4", "3/4", 3, 2100, 2500),
    ("warner", {"p": "2/3"}, "2/3", "1/3", 2, 5225, 5625),
    ("forced", {"yes": "1/6", "no": "1/6"}, "5/6", "1/6", 5, 1007, 1407),
    ("forced", {"yes": "1/6", "no": "1/12"}, "11/12", "1/6", 10, 815, 1112),
    ("warner", {"p": "10/11"}, "10/11", "1/11", 10, 534, 934),
    ("unrelated", {"p": "2/3", "prevalence": "1/4"}, "3/4", "1/12", 9, 718, 1407),
    ("kuk", {"red": "4/5", "other": "1/5", "cards": 1}, "4/5", "1/5", 4, 1337, 1737),
]


@pytest.mark.parametrize(("kind", "chances", "bears", "lacks", "a", "n", "any_share"), TABLE)
def test_the_table(kind, chances, bears, lacks, a, n, any_share):
    design = paper_design(kind, **chances)
    assert design.channel["bears it", "yes"] == Q(bears)
    assert design.channel["does not", "yes"] == Q(lacks)
    assert design.eps == ln(a)
    assert smallest_eps(design.channel, discrete(["bears it", "does not"])) == ln(a)
    assert design.respondents(error="1/50", share="1/10") == n
    assert design.respondents(error="1/50") == any_share
    assert design.mechanism.verify()
    assert design.mechanism.tight
    assert bool(design.assumes) == (kind in ("unrelated", "crosswise"))


def test_variances_follow_from_the_law():
    for kind, chances, *_ in TABLE:
        design = paper_design(kind, **chances)
        for share in (Q(0), Q(1, 10), Q(1, 2), Q(1)):
            seen = share * design.channel["bears it", "yes"]
            seen += (1 - share) * design.channel["does not", "yes"]
            apart = design.channel["bears it", "yes"] - design.channel["does not", "yes"]
            assert design.variance(share) == seen * (1 - seen) / apart**2
        grid = [design.variance(Q(i, 200)) for i in range(201)]
        assert max(grid) <= design.worst_variance() <= max(grid) * Q(1001, 1000)


def test_several_cards():
    design = paper_design("kuk", red="4/5", other="1/5", cards=3)
    assert design.eps == ln(64)
    one = paper_design("kuk", red="4/5", other="1/5", cards=1)
    assert design.variance("1/10") < one.variance("1/10")
    assert sum(design.channel.matrix.row(0)) == 1
    assert design.channel.columns == (0, 1, 2, 3)


def test_scores_estimate_the_share():
    for kind, chances, *_ in TABLE:
        design = paper_design(kind, **chances)
        for x, worth in (("bears it", 1), ("does not", 0)):
            law = (design.channel[x, answer] * g for answer, g in design.scores.items())
            assert sum(law) == worth
    design = paper_design("forced", yes="1/6", no="1/12")
    found = estimate(design, {"yes": 300, "no": 700}, estimator="inverse")
    total = 300 * design.scores["yes"] + 700 * design.scores["no"]
    assert found.counts["bears it"] == total


def test_sample_sizes_are_exact():
    warner = paper_design("warner", p="2/3")
    share = {"bears it": Q(1, 10), "does not": Q(9, 10)}
    assert sample_size(warner, error=Q(1, 50), share=share, of="population") == 5225


def test_designs_that_protect_nobody():
    for kind, chances in (
        ("triangular", {"prevalence": "1/4"}),
        ("item_count", {"sums": ["1/4", "1/2", "1/4"]}),
        ("forced", {"yes": "1/2", "no": 0}),
    ):
        with pytest.warns(PrivacyLeakWarning, match="give a person away"):
            design = paper_design(kind, **chances)
        assert design.eps == math.inf
        assert "no ε holds" in design.explain()
        assert design.respondents(error="1/50", share="1/10") > 0
        with pytest.raises(NotPrivate, match="give a person away"):
            design.mechanism
        with pytest.raises(NotPrivate):
            design.balanced()


def test_balanced():
    two_dice = paper_design("forced", yes="1/6", no="1/12")
    assert two_dice.balanced().parameters == {"p": Q(10, 11)}
    assert balanced_design("ln 2").parameters == {"p": Q(2, 3)}
    assert balanced_design(1, steps=6).parameters == {"p": Q(4, 6)}
    assert balanced_design(1, steps=36).eps <= ln(3)
    with pytest.raises(BadNumber, match="too few"):
        balanced_design("1/10", steps=6)


def test_power():
    design = paper_design("warner", p="3/4")
    assert design.power(4000, share="1/10", against=0) > design.power(400, share="1/10", against=0)
    assert math.isclose(design.power(10**6, share="1/10", against="1/10"), 0.05, rel_tol=1e-6)


def test_what_is_refused():
    with pytest.raises(UnknownName, match="kind"):
        paper_design("coin", p="1/2")
    with pytest.raises(UnknownName, match="no is missing"):
        paper_design("forced", yes="1/6")
    with pytest.raises(UnknownName, match="q is not one of them"):
        paper_design("warner", p="2/3", q="1/3")
    with pytest.raises(BadNumber, match="does not depend on the trait"):
        paper_design("warner", p="1/2")
    with pytest.raises(BadNumber, match="between 0 and 1"):
        paper_design("warner", p="3/2")
    with pytest.raises(BadNumber, match="no room for the truth"):
        paper_design("forced", yes="1/2", no="1/2")
    with pytest.raises(BadNumber, match="sum to 1"):
        paper_design("item_count", sums=["1/2", "1/4"])
