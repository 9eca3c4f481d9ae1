"""What the rooms Verify, Compare, Explore and Design find, without a browser."""

from fractions import Fraction

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.errors import Malformed, NotApplicable, NotStochastic, TooLarge
from dprivacy.spaces import discrete, line
from dprivacy.verify import privacy
from dprivacy.web.pages import (
    compare_page as compare,
    design_page as design,
    explore_page as explore,
    verify_page as verify,
)
from dprivacy.web.pages.pasted_matrices import EXAMPLES


def test_verify_says_what_the_documentation_says_of_this_matrix():
    found = verify.examined({**verify.USUAL, "mend": "ln 7"})
    assert verify.headline(found) == "This matrix has ε = ln(14) ≈ 2.639 per unit of distance"
    assert found.before == Fraction(1, 4)
    assert found.after == Fraction(7, 10)
    assert found.most == Fraction(14, 5)
    space = discrete(found.channel.rows)
    assert privacy(found.mending.channel, space, eps="ln 7")
    asked = verify.examined({**verify.USUAL, "eps": "ln 2"})
    assert verify.headline(asked).startswith("No: that level does not hold")
    assert verify.headline(verify.examined({**verify.USUAL, "eps": "3"})).startswith("Yes")
    broken = verify.examined({**verify.USUAL, "matrix": EXAMPLES["broken"][2]})
    assert verify.headline(broken) == "No finite ε: some answers give the truth away"
    assert broken.escape is not None


def test_a_rounded_matrix_is_bounded_and_not_compared():
    thirds = ",a,b,c\na,0.333,0.333,0.333\nb,0.200,0.300,0.500\nc,0.250,0.250,0.500\n"
    found = verify.examined({**verify.USUAL, "matrix": thirds, "eps": "0.51"})
    assert verify.headline(found).startswith("Undecided: the bounds of the print leave open")
    # each third is at least 1 − 2·0.3335; 0.333/0.2005 and 0.3335/0.1995, by hand
    assert "at least ln(666/401) ≈ 0.5073 and" in found.verdict.smallest_words
    assert "as high as ln(667/399) ≈ 0.5138" in found.verdict.smallest_words
    assert found.distances == "any two values are equally far apart"
    assert found.channel["a", "a"] == Fraction(1, 3)
    with pytest.raises(NotApplicable, match="matrix A was rounded for print"):
        compare.compared({**compare.USUAL, "a": thirds, "b": thirds})


def test_compare_gives_each_order_its_answer():
    found = compare.compared(compare.USUAL)
    assert {order: compare.winner(found, order) for order in compare.ORDERS} == {
        "average": "neither",
        "max": "neither",
        "private": "A is safer",
        "space": "equally safe",
    }
    same = compare.compared({**compare.USUAL, "b": compare.USUAL["a"]})
    assert compare.headline(same) == "A and B tell every guesser the same"
    blind = ",0,1,2\n0,1/3,1/3,1/3\n1,1/3,1/3,1/3\n2,1/3,1/3,1/3"
    assert compare.headline(compare.compared({**compare.USUAL, "b": blind})) == (
        "B is the safer, against every guesser"
    )


def test_explore_lists_the_kernels_and_whom_they_serve():
    found = explore.family({**explore.USUAL, "space": "line:4"})
    assert int(found.number) == len(found.listed) == 11
    served = [explore.tastes(found.space, "ln 2", kernel) for kernel in found.listed]
    # for every prior and loss some kernel is best
    for k in range(len(served[0])):
        assert any(tastes[k].prefers for tastes in served)
        assert all(tastes[k].here >= tastes[k].best for tastes in served)
    with pytest.raises(TooLarge, match="the page works with up to 6 here"):
        explore.family({**explore.USUAL, "space": "line:9"})


def test_design_finds_the_geometric_and_proves_it():
    search = design.Run()
    found = design.designed({**design.USUAL, "space": "line:3"}, search)
    assert found.holds
    assert found.best.loss == Fraction(5, 9)
    assert design.headline(found.best).startswith("Expected cost 5/9 ≈ 0.5556: nothing private")


def test_design_stops_with_the_best_so_far_when_asked():
    search = design.Run()
    search.stop.set()
    found = design.designed(design.USUAL, search)
    assert len(search.marks) == 1
    assert found.holds
    assert 0 < found.best.gap < 1
    assert design.headline(found.best).startswith("Expected cost 1.")


def test_priors_are_weights_in_order():
    assert design.read_prior_text("1, 2; 1", line(3)).weights[1] == Fraction(1, 2)
    assert design.read_prior_text("  ", line(3)) is None
    with pytest.raises(Malformed, match="has 2 weights, and the space 3 values"):
        design.read_prior_text("1 2", line(3))
    for text in ("-1 1 1", "0 0 0"):
        with pytest.raises(NotStochastic):
            design.read_prior_text(text, line(3))
