"""Chapter 6 of the thesis: losses, consumers and optimal mechanisms."""

from fractions import Fraction as Q
from typing import Any

from dprivacy.design import optimal
from dprivacy.flow import (
    is_extended,
    is_monotonic,
    is_trivial,
    loss,
    posterior_uncertainty,
    strategy,
)
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel, Dist, Hyper, uniform
from dprivacy.polytope import decompose, is_kernel, kernels
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Parts, agrees, compared, extended, written
from dprivacy.reproduce.items.source_channels import best_response, hyper, table
from dprivacy.spaces import FiniteSpace, discrete, line

X3, X4 = ["x1", "x2", "x3"], ["x1", "x2", "x3", "x4"]
HEIGHTS = ["Tall", "Average", "Short"]
L_S = loss.matrix(["w1", "w2"], X4, [["1/2", "1/2", "1/2", 0], [1, 1, 1, 0]])


def ordered(labels: list[str]) -> FiniteSpace:
    """Labels one step apart on a line."""
    return FiniteSpace(labels, line(len(labels)).distances)


@item("T:example-6.1", "A consumer with fewer actions than inputs", "T Ex 6.1")
def example_6_1(_: Setting) -> Parts:
    """Tall or not tall."""
    M = Channel(HEIGHTS, ["y1", "y2", "y3"], table("3/4 1/8 1/8; 2/3 0 1/3; 1/4 1/4 1/2"))
    tall = loss.matrix(["w1", "w2"], HEIGHTS, [[0, 1, 1], [1, 0, 0]])
    actions = strategy(M, prior=uniform(HEIGHTS), gain=tall)
    yield compared("actions", 2, len(tall.actions))
    yield extended(
        "posterior uncertainty under the uniform prior",
        posterior_uncertainty(M, prior=uniform(HEIGHTS), loss=tall),
    )
    yield extended("best action on each output", written([actions[y] for y in M.columns]))


@item("T:example-6.3", "One vertex mechanism, two mixtures of kernels", "T Ex 6.3")
def example_6_3(_: Setting) -> Parts:
    """1/3, 1/3, 1/3 of three kernels, or 4/9 and 5/9 of two others."""
    space = discrete(X3)
    mixed = hyper(
        X3,
        "1/2 1/4 1/4 1/5 2/5 2/5; 1/4 1/2 1/4 2/5 1/5 2/5; 1/4 1/4 1/2 2/5 2/5 1/5",
        "4/27 4/27 4/27 5/27 5/27 5/27",
    )
    H = hyper(X3, "1/4 2/5; 1/4 2/5; 1/2 1/5", "4/9 5/9")
    R = hyper(X3, "1/2 1/4 1/4; 1/4 1/2 1/4; 1/4 1/4 1/2", "1/3 1/3 1/3")
    V = mixed.channel()
    three = decompose(V, space, eps="ln 2", prefer=[H.channel()])
    two = decompose(V, space, eps="ln 2", prefer=[R.channel()])
    yield compared("is it a kernel", "no", is_kernel(V, space, eps="ln 2"))
    yield compared("weights, first way", "1/3, 1/3, 1/3", list(three.weights))
    yield compared("weights, second way", "4/9, 5/9", list(two.weights))
    yield extended(
        "both mixtures give the mechanism back", "yes", holds=three.holds() and two.holds()
    )


@item("T:example-6.4", "Four losses and their classes", "T Ex 6.4")
def example_6_4(_: Setting) -> Parts:
    """ℓ_m, ℓ_e, ℓ_t and ℓ_s."""
    l_m = loss.matrix(
        ["w1", "w2", "w3"], X3, [[0, "3/4", 1], ["1/2", "1/4", "2/3"], ["3/5", "3/4", "1/3"]]
    )
    l_e = loss.matrix(["w1", "w2"], X4, [[1, 0, 1, 0], [0, 1, 0, 0]])
    l_t = loss.matrix(["w1", "w2"], X3, [["1/2", "3/4", 1]] * 2)
    found_s = is_monotonic(L_S, ordered(X4))
    yield compared("ℓ_m is monotonic on the line", "yes", is_monotonic(l_m, ordered(X3)))
    yield compared("ℓ_m is monotonic, discrete metric", "no", is_monotonic(l_m, discrete(X3)))
    yield compared("ℓ_e is extended from {x1, x2, x3}", "yes", is_extended(l_e, X3))
    yield compared("ℓ_t is trivial", "yes", is_trivial(l_t))
    yield compared("ℓ_s is monotonic on the line", "no", found_s, erratum="E19")
    yield compared("ℓ_s is monotonic, discrete metric", "no", is_monotonic(L_S, discrete(X4)))
    yield extended("where ℓ_s puts its actions", written(list((found_s.mapping or {}).values())))


@item("T:example-6.5", "A loss that several mechanisms serve best", "T Ex 6.5")
def example_6_5(_: Setting) -> Parts:
    """K_A, K_B and every mixture beat all kernels, whatever the prior."""
    space = discrete(X3)
    A = hyper(X3, "1/4 2/5; 1/4 2/5; 1/2 1/5", "4/9 5/9")
    B = hyper(X3, "1/2 1/5; 1/4 2/5; 1/4 2/5", "4/9 5/9")
    V = Hyper.mix([Q(1, 4), Q(3, 4)], [A, B]).channel()
    cost = loss.matrix(["w1", "w2"], X3, [[3, 1, 0], [0, 1, 3]])
    rivals = list(kernels(space, eps="ln 2"))
    ours = {"K_A": A.channel(), "K_B": B.channel(), "their mixture": V}
    for name, C in ours.items():
        pair = C.restrict(["x1", "x3"])
        yield compared(
            f"{name} on {{x1, x3}} is T", "yes", pair.equivalent(best_response(2, ["x1", "x3"]))
        )
    best = True
    for weights in [(1, 1, 1), (5, 1, 1), (1, 7, 2), (0, 0, 1), (1, 0, 1), (2, 3, 9)]:
        prior = Dist(X3, [Q(w, sum(weights)) for w in weights])
        least = min(posterior_uncertainty(K, prior=prior, loss=cost) for K in rivals)
        best &= all(
            posterior_uncertainty(C, prior=prior, loss=cost) == least for C in ours.values()
        )
    yield agrees("no kernel is better, six priors", "universally optimal", "none is", best)


@item("T:section-6.7.3", "A consumer who prefers another kernel to the geometric", "T §6.7.3")
def section_6_7_3(_: Setting) -> Parts:
    """Average height or not."""
    heights = line(3)
    average = loss.matrix(["w1", "w2"], range(3), [["7/10", 0, "7/10"], ["3/10", 1, "3/10"]])
    G = geometric(heights, eps="ln 2").channel
    (H,) = [K for K in kernels(heights, eps="ln 2") if not K.equivalent(G)]
    best = optimal(heights, eps="ln 2", loss=average)
    nu = uniform(heights)
    u_h, u_g = (posterior_uncertainty(C, prior=nu, loss=average) for C in (H, G))
    yield compared("is H the best mechanism for that loss", "yes", best.channel.equivalent(H))
    yield extended("loss of H and of the geometric", f"{u_h} < {u_g}", holds=u_h < u_g)
    yield "The source leaves open whether H is best under every prior. It is; the errata say why."


def tall_or_average() -> tuple[Any, ...]:
    """What randomised response and a kernel that looks at two classes lose."""
    tall = loss.matrix(["w1", "w2"], HEIGHTS, [[0, 1, 0], [1, 0, 0]])
    RR = randomised_response(HEIGHTS, eps="ln 2").channel
    K = Channel(HEIGHTS, ["y0", "y1"], table("2/3 1/3; 1/3 2/3; 2/3 1/3"))
    nu = uniform(HEIGHTS)
    return tuple(posterior_uncertainty(C, prior=nu, loss=tall) for C in (RR, K))


@item("T:section-6.8.1", "Telling tall from average", "T §6.8.1")
def section_6_8_1(_: Setting) -> Parts:
    """Randomised response against a kernel that looks at two classes."""
    u_r, u_k = tall_or_average()
    yield compared("loss of randomised response", "3/4", u_r, erratum="E9")
    yield compared("loss of the kernel", "2/3", u_k, erratum="E9")
    yield compared("the kernel loses less", "yes", u_k < u_r)
