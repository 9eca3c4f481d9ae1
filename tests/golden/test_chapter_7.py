"""T chapter 7: the worked numbers of §7.6.1 and of appendix B, in exact arithmetic."""

from fractions import Fraction as Q

import pytest

from dprivacy.design.universality.laplace_enclosures import geometric_loss, laplace_loss
from dprivacy.design.universality.refined_by_noise import (
    laplace_against_geometric,
    refined_by_laplace,
)
from dprivacy.design.universality.universal_optimality import universally_optimal
from dprivacy.flow import loss, posterior_uncertainty
from dprivacy.mechanisms import geometric_steps
from dprivacy.model import Channel, push, uniform
from dprivacy.polytope import is_kernel
from dprivacy.refine import refines
from dprivacy.spaces import quantised
from dprivacy.verify import privacy

EPS = "4 ln 2"
U2, U4 = (quantised(0, 1, Q(1, N)) for N in (2, 4))
G2, G4 = (geometric_steps(N, eps=EPS).channel for N in (2, 4))
M = G4.restrict(U2.labels)  # the geometric of U_4 for a consumer who only meets U_2
M2 = Channel(
    U4.labels,
    U2.labels,
    [[Q(v, 6) for v in row] for row in ([4, 1, 1], [4, 1, 1], [2, 2, 2], [2, 2, 2], [1, 1, 4])],
)


def bayes(space):
    return loss.identity(space.labels)


def test_the_printed_channels():
    assert G2.matrix.rows() == [
        [Q(4, 5), Q(3, 20), Q(1, 20)],
        [Q(1, 5), Q(3, 5), Q(1, 5)],
        [Q(1, 20), Q(3, 20), Q(4, 5)],
    ]
    assert G4.matrix.rows()[1] == [Q(1, 3), Q(1, 3), Q(1, 6), Q(1, 12), Q(1, 12)]
    for C, space in ((G2, U2), (G4, U4), (M, U2), (M2, U4)):
        assert privacy(C, space, eps=EPS).smallest == privacy(G2, U2, eps=EPS).smallest


@pytest.mark.statement("T", "Lem 7.6")
def test_the_four_losses():
    """§7.6.1: 4/15 < 1/3 on U_2 and 8/15 < 2/3 on U_4."""
    assert posterior_uncertainty(G2, prior=uniform(U2), loss=bayes(U2)) == Q(4, 15)
    assert posterior_uncertainty(M, prior=uniform(U2), loss=bayes(U2)) == Q(1, 3)
    assert posterior_uncertainty(G4, prior=uniform(U4), loss=bayes(U4)) == Q(8, 15)
    assert posterior_uncertainty(M2, prior=uniform(U4), loss=bayes(U4)) == Q(2, 3)
    assert geometric_loss(2, eps=EPS, loss=bayes(U2)) == (Q(4, 15), Q(4, 15))
    assert geometric_loss(4, eps=EPS, loss=bayes(U4)) == (Q(8, 15), Q(8, 15))


@pytest.mark.statement("T", "Fig 7.2")
def test_the_finer_geometric_is_no_kernel_on_the_coarser_points():
    """Its posteriors are the coarser geometric's and two between them, so that it is not optimal."""
    assert is_kernel(G2, U2, eps=EPS)
    assert not is_kernel(M, U2, eps=EPS)
    coarse = {tuple(inner.weights) for inner in push(G2, prior=uniform(U2)).inners}
    fine = {tuple(inner.weights) for inner in push(M, prior=uniform(U2)).inners}
    assert coarse < fine
    assert len(fine) == 5
    assert refines(G2, M)
    assert not refines(M, G2)
    found = universally_optimal(M, U2, eps=EPS)
    assert found.of("monotonic").holds is False
    assert {verdict.kind for verdict in found.pairs} == {"below"}
    assert universally_optimal(G2, U2, eps=EPS).of("monotonic")
    assert universally_optimal(M2, U4, eps=EPS).of("monotonic").holds is False


@pytest.mark.statement("T", "Thm 7.8", "Def 7.4.1")
def test_the_laplace_loses_a_third():
    """Appendix B.6 has 4/15 < 1/3 ≤ the Laplace's Bayes risk on U_2; it is exactly 1/3."""
    assert laplace_loss(2, eps=EPS, loss=bayes(U2)) == (Q(1, 3), Q(1, 3))
    found = laplace_against_geometric(2, eps=EPS, loss=bayes(U2))
    assert found.difference == (Q(1, 15), Q(1, 15))
    # G_2 ⊑ G_4↓U_2 ⊑ L: the finer geometric lies between the two.
    assert refines(M, refined_by_laplace(2, 4, eps=EPS).laplace)


@pytest.mark.statement("T", "Fig 7.3")
def test_eight_pixels_inside_the_hull():
    """Every posterior of ⁸L lies between two neighbouring posteriors of G_2."""
    found = refined_by_laplace(2, 8, eps="8 ln 2")
    R = found.R.matrix.rows()
    for pixel in range(8):
        fed_by = [k for k in range(3) if R[k][pixel]]
        assert set(fed_by) <= {pixel // 4, pixel // 4 + 1}
    assert found.geometric @ found.R == found.laplace
