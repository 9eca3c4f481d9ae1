"""Chapter 7 of the thesis: the geometric mechanism against the Laplace mechanism."""

from fractions import Fraction as Q

from dprivacy.design import laplace_against_geometric, refined_by_laplace
from dprivacy.flow import loss, posterior_uncertainty
from dprivacy.mechanisms import geometric_steps, pixelated_laplace
from dprivacy.model import Channel, push, uniform
from dprivacy.polytope import is_kernel
from dprivacy.refine import refines
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Parts, compared, extended
from dprivacy.reproduce.items.source_channels import table
from dprivacy.spaces import quantised
from dprivacy.viz import plot_simplex

EPS = "4 ln 2"


@item("T:section-7.6.1", "How stable optimality is", "T §7.6, §7.6.1")
def section_7_6_1(_: Setting) -> Parts:
    """G₂, G₄, the restriction M and the lifted M₂."""
    U2, U4 = (quantised(0, 1, Q(1, N)) for N in (2, 4))
    G2, G4 = (geometric_steps(N, eps=EPS).channel for N in (2, 4))
    M = G4.restrict(U2.labels)
    lifted = table("2/3 1/6 1/6; 2/3 1/6 1/6; 1/3 1/3 1/3; 1/3 1/3 1/3; 1/6 1/6 2/3")
    M2 = Channel(U4.labels, U2.labels, lifted)
    risks = [("G₂ on U₂", U2, G2, "4/15"), ("M on U₂", U2, M, "1/3")]
    risks += [("G₄ on U₄", U4, G4, "8/15"), ("M₂ on U₄", U4, M2, "2/3")]
    yield compared("first row of G₄", "2/3, 1/6, 1/12, 1/24, 1/24", G4.matrix.rows()[0])
    yield compared("second row of G₄", "1/3, 1/3, 1/6, 1/12, 1/12", G4.matrix.rows()[1])
    for name, space, C, printed in risks:
        ours = posterior_uncertainty(C, prior=uniform(space), loss=loss.identity(space.labels))
        yield compared(f"Bayes risk, {name}", printed, ours)


@item("T:figure-7.2", "A finer geometric mechanism on coarser points", "T Fig 7.2")
def figure_7_2(_: Setting) -> Parts:
    """M's posteriors are G₂'s and two between them."""
    U2 = quantised(0, 1, Q(1, 2))
    G2 = geometric_steps(2, eps=EPS).channel
    M = geometric_steps(4, eps=EPS).channel.restrict(U2.labels)
    coarse, fine = (
        {tuple(inner.weights) for inner in push(C, prior=uniform(U2)).inners} for C in (G2, M)
    )
    yield compared("posteriors of G₂", 3, len(coarse))
    yield compared(
        "posteriors of M, those of G₂ among them", 5, len(fine) if coarse < fine else "not"
    )
    yield compared("M is a kernel", "no", is_kernel(M, U2, eps=EPS))
    yield extended("G₂ ⊑ M", refines(G2, M), holds=bool(refines(G2, M)) and not refines(M, G2))
    yield Drawing(
        "G₂ and the restriction of G₄ on {0, 1/2, 1}",
        lambda: plot_simplex({"G₂": G2, "M, from G₄": M}, space=U2, eps=EPS),
    )


@item("T:figure-7.3", "The pixelated Laplace inside the geometric's hull", "T Fig 7.3")
def figure_7_3(_: Setting) -> Parts:
    """Eight pixels."""
    eps = "8 ln 2"
    shown = refined_by_laplace(2, 8, eps=eps)
    assert shown.R is not None
    assert shown.geometric is not None
    R = shown.R.matrix.rows()
    between = all(
        {k for k in range(3) if R[k][pixel]} <= {pixel // 4, pixel // 4 + 1} for pixel in range(8)
    )
    G2, L = geometric_steps(2, eps=eps).channel, pixelated_laplace(2, 8, eps=eps).channel
    yield compared("G₂ ⊑ ⁸L", "yes", shown.geometric @ shown.R == shown.laplace)
    yield extended(
        "every posterior of ⁸L lies between two neighbours of G₂", between, holds=between
    )
    yield Drawing(
        "Posteriors of ⁸L in the hull of G₂'s",
        lambda: plot_simplex({"G₂": G2, "Laplace, 8 pixels": L}),
    )


@item("T:appendix-B.6", "What the Laplace mechanism loses", "T App. B.6")
def appendix_b_6(_: Setting) -> Parts:
    """4/15 against 1/3 on U₂."""
    U2 = quantised(0, 1, Q(1, 2))
    ours = laplace_against_geometric(2, eps=EPS, loss=loss.identity(U2.labels))
    low, high = ours.difference
    yield compared("1/3 − 4/15", "1/15", low if low == high else f"{low} … {high}")
