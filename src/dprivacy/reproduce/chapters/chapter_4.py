"""Chapter 4 of the thesis: examples and pictures of the refinement orders."""

from collections.abc import Callable
from fractions import Fraction as Q
from itertools import permutations

from dprivacy.flow import capacity, gain, leakage, mutual_information, posterior_vulnerability
from dprivacy.mechanisms import exponential, geometric, over_truncated, randomised_response
from dprivacy.model import Channel, push, uniform
from dprivacy.numbers import ln
from dprivacy.refine import join, refines
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Parts, compared, corrected, extended
from dprivacy.reproduce.items.source_channels import G, R, channel, deterministic, response, table
from dprivacy.spaces import discrete, line
from dprivacy.verify import distinguishability, smallest_eps
from dprivacy.viz import plot_noise, plot_simplex, plot_vulnerability

PROGRAMS: dict[str, Callable[[int], int]] = {
    "P1": lambda h: h if h % 8 == 0 else 1,
    "P2": lambda h: h if h % 4 == 0 else 1,
    "P3": lambda h: h & 255,
    "P4": lambda h: h & 15,
}


@item("T:example-4.1.1", "Which program leaks most", "T Ex 4.1.1, Table 4.1")
def programs(_: Setting) -> Parts:
    """Secrets of 9 bits stand for 32."""
    secrets = range(512)
    P = {name: deterministic(program, secrets) for name, program in PROGRAMS.items()}
    bits = {name: mutual_information(C, prior=uniform(secrets)) for name, C in P.items()}
    yield corrected(
        "which leaks more, P₃ or P₄",
        "P₄",
        f"P₃: {bits['P3']} bits against {bits['P4']}",
        "E6",
        shows=(bits["P3"], bits["P4"]) == (8, 4),
    )
    yield extended("capacities of P₁ … P₄ on 9 bits", [int(capacity(C)) for C in P.values()])


@item("T:figure-4.1", "Geometric noise and randomised response around 50", "T Fig 4.1, Ex 4.1.2")
def figure_4_1(_: Setting) -> Parts:
    """The α of the example are 25/27 and 11/22."""
    two = {
        "truncated geometric, α = 25/27": geometric(101, eps=ln(Q(27, 25))),
        "randomised response, α = 11/22": randomised_response(range(101), eps=ln(2)),
    }
    g, r = (mechanism.channel for mechanism in two.values())
    cross = next(k for k in range(51) if g[50, 50 + k] < r[50, 50 + k])
    yield extended("P(50 | 50), truncated geometric", f"{float(g[50, 50]):.4f}")
    yield extended("P(50 | 50), randomised response", f"{float(r[50, 50]):.4f}")
    yield extended("distance at which the response becomes likelier", cross)
    yield Drawing("What the two answer when the truth is 50", lambda: plot_noise(two, at=50))


@item("T:example-4.1", "A rare disclosure that the average hides", "T Ex 4.1")
def example_4_1(_: Setting) -> Parts:
    """σ = 1/50."""
    s, half = Q(1, 50), Q(1, 2)
    names = ["x1", "x2", "x3"]
    C = Channel(names, ["y1", "y2", "y3"], [[s, half, half - s], [0, half, half], [0, half, half]])
    guess, prior = gain.identity(names), uniform(names)
    average = posterior_vulnerability(C, prior=prior, gain=guess)
    yield compared("V[ν ▷ C] − 1/3 at σ = 1/50 (printed σ/3)", "1/150", average - Q(1, 3))
    yield compared(
        "largest posterior", "1", posterior_vulnerability(C, prior=prior, gain=guess, case="max")
    )
    yield extended("multiplicative leakage, 1 + σ", leakage(C, prior=prior, gain=guess))


EX_A = "3/4 0 1/4 0; 3/4 1/4 0 0; 0 1/4 1/4 1/2"
EX_B = "1/2 0 1/2; 1/2 1/2 0; 0 1/2 1/2"


@item("T:example-4.2", "Safe in the max case, not on average", "T Ex 4.2")
def example_4_2(_: Setting) -> Parts:
    """B's posteriors lie in the hull of A's, and yet A ⋢ B."""
    names = ["x1", "x2", "x3"]
    A, B = channel(EX_A, names), channel(EX_B, names)
    yield compared("A ⊑ B", "no", refines(A, B))
    yield compared("A ⊑max B", "yes", refines(A, B, by="max"))
    yield compared("B ⊑max A", "no", refines(B, A, by="max"))
    yield Drawing("A's hull holds B's posteriors", lambda: plot_simplex({"A": A, "B": B}))


@item("T:example-4.3", "The order of two levels depends on the metric", "T Ex 4.3")
def example_4_3(_: Setting) -> Parts:
    """G and R of Ex 3.1."""
    on_line, flat = line(3), discrete(range(3))
    yield compared("R is refined by G on the line", "yes", refines(R, G, on_line, by="private"))
    yield compared("G is refined by R on the line", "no", refines(G, R, on_line, by="private"))
    yield compared("G is refined by R, discrete metric", "yes", refines(G, R, flat, by="private"))
    yield compared("R is refined by G, discrete metric", "no", refines(R, G, flat, by="private"))


@item("T:example-4.4", "Distinguishability metrics", "T Ex 4.4")
def example_4_4(_: Setting) -> Parts:
    """d_G and d_R on all pairs."""
    d_g, d_r = distinguishability(G), distinguishability(R)
    printed = {(0, 1): ("ln 2", "ln 3"), (1, 2): ("ln 2", "ln 3"), (0, 2): ("ln 4", "ln 3")}
    for (x, z), (for_g, for_r) in printed.items():
        yield compared(f"d_G({x}, {z})", for_g, d_g.distance(x, z))
        yield compared(f"d_R({x}, {z})", for_r, d_r.distance(x, z))
    yield compared("G ⊑prv R", "no", refines(G, R, by="private"))
    yield compared("R ⊑prv G", "no", refines(R, G, by="private"))


@item("T:example-4.5", "Equal metrics, different hypers", "T Ex 4.5, Fig 4.2")
def example_4_5(_: Setting) -> Parts:
    """Swapped rows."""
    names = ["x1", "x2"]
    A, B = channel("4/5 1/5; 2/5 3/5", names), channel("2/5 3/5; 4/5 1/5", names)
    left = push(A, prior=uniform(names))
    yield compared("outer of [ν ▷ A]", "3/5, 2/5", list(left.outer.weights))
    yield compared("first posterior", "2/3, 1/3", list(left.inners[0].weights))
    yield compared("second posterior", "1/4, 3/4", list(left.inners[1].weights))
    for a, b, said in [(A, B, "A ⊑max B"), (B, A, "B ⊑max A")]:
        yield compared(said, "no", refines(a, b, by="max"))
        yield compared(said.replace("max", "prv"), "yes", refines(a, b, by="private"))
    yield Drawing(
        "Fig 4.2: neither hull holds the other's posteriors", lambda: plot_simplex({"A": A, "B": B})
    )


@item("T:figure-4.4", "V_d of priors on three secrets", "T Fig 4.4")
def figure_4_4(_: Setting) -> Parts:
    """Quasi-convex: zero at the uniform prior, without bound towards the rim."""
    yield extended(
        "V_d(1/2, 1/4, 1/4)", str(smallest_eps(_prior_column("1/2 1/4 1/4"), discrete(range(3))))
    )
    yield Drawing(
        "The smallest level a prior satisfies, from above and from the side",
        lambda: plot_vulnerability(discrete(["x1", "x2", "x3"])),
    )


def _prior_column(weights: str) -> Channel:
    """A channel whose first column is a prior: its level is V_d of it."""
    column = [Q(w) / 20 for w in weights.split()]
    return Channel(range(3), ["it", "rest"], [[p, 1 - p] for p in column])


@item("T:example-4.6", "A join with six posteriors", "T Ex 4.6")
def example_4_6(_: Setting) -> Parts:
    """No unique meet or join on average, but in the max case."""
    names = ["x1", "x2", "x3"]
    X, Y, Z1, Z2 = (
        Channel(
            names, range(3), [[Q(row.split()[(j - i) % 3]) for j in range(3)] for i in range(3)]
        )
        for row in ("2/3 1/6 1/6", "0 1/2 1/2", "1/2 1/6 1/3", "1/2 1/3 1/6")
    )
    Z = join(X, Y, by="max")
    corners = {tuple(inner.weights) for inner in push(Z, prior=uniform(names)).inners}
    yield compared("corners of the common hull", 6, len(corners))
    yield extended(
        "which are",
        "all orders of (1/2, 1/3, 1/6)",
        holds=corners == set(permutations([Q(1, 2), Q(1, 3), Q(1, 6)])),
    )
    yield compared("Z₁ ⊑ Z₂", "no", refines(Z1, Z2))
    yield compared("Z₂ ⊑ Z₁", "no", refines(Z2, Z1))
    yield compared(
        "Z₁ and Z₂ refine X and Y", "yes", all(refines(a, z) for a in (X, Y) for z in (Z1, Z2))
    )
    yield Drawing(
        "X, Y and their join in the max case", lambda: plot_simplex({"X": X, "Y": Y, "join": Z})
    )
    yield "The source draws the points without numbers; these are a choice of the same shape."


@item("T:example-4.7", "Four mechanisms on three points", "T Ex 4.7, Fig 3.4")
def example_4_7(_: Setting) -> Parts:
    """Entries and levels at ln 2; the exponential's true level is ln(16/7)."""
    space = line([1, 2, 3])
    built = {
        "truncated geometric": geometric(space, eps="ln 2"),
        "over-truncated geometric": over_truncated(space, [1, 2], eps="ln 2"),
        "exponential": exponential(space, eps="ln 4"),
        "randomised response": randomised_response([1, 2, 3], eps="ln 2"),
    }
    printed = {
        "truncated geometric": "2/3 1/6 1/6; 1/3 1/3 1/3; 1/6 1/6 2/3",
        "over-truncated geometric": "2/3 1/3; 1/3 2/3; 1/6 5/6",
        "exponential": "4/7 2/7 1/7; 1/4 1/2 1/4; 1/7 2/7 4/7",
        "randomised response": "1/2 1/4 1/4; 1/4 1/2 1/4; 1/4 1/4 1/2",
    }
    for name, mechanism in built.items():
        rows = mechanism.channel.matrix.rows()
        text = "; ".join(" ".join(str(v) for v in row) for row in rows)
        yield compared(f"entries, {name}", printed[name], text)
        level = "ln(16/7)" if name == "exponential" else "ln 2"
        yield compared(f"level, {name}", level, smallest_eps(mechanism.channel, space))


@item("T:theorem-4.22", "The printed counter-example on four points", "T Thm 4.22")
def theorem_4_22(_: Setting) -> Parts:
    """E and R at the same true level ln(12/5), incomparable."""
    four = ["x1", "x2", "x3", "x4"]
    A = Channel(
        four,
        four,
        table("8/15 4/15 2/15 1/15; 2/9 4/9 2/9 1/9; 1/9 2/9 4/9 2/9; 1/15 2/15 4/15 8/15"),
    )
    B = Channel(four, four, response(4, Q(12, 5)).matrix)
    d_a, d_b = distinguishability(A), distinguishability(B)
    yield compared("level of both", "ln(12/5)", d_b.distance("x1", "x2"))
    yield compared("d_A(x1, x3)", "ln(24/5)", d_a.distance("x1", "x3"))
    yield compared("d_A(x2, x3)", "ln 2", d_a.distance("x2", "x3"))
    yield compared("A ⊑prv B", "no", refines(A, B, by="private"))
    yield compared("B ⊑prv A", "no", refines(B, A, by="private"))


@item("T:lemma-4.18", "An over-truncated geometric that leaks more at a lower level", "T Lem 4.18")
def lemma_4_18(_: Setting) -> Parts:
    """Outputs {1, 2} on inputs {1, 2, 3}."""
    A = over_truncated(line([1, 2, 3]), [1, 2], eps="ln 4").channel
    B = over_truncated(line([1, 2, 3]), [1, 2], eps="ln 2").channel
    printed = gain.matrix(["w1", "w2"], [1, 2, 3], [["1/5", 0, "4/5"], [0, 1, 0]])
    prior = uniform([1, 2, 3])
    yield compared("V of A", "1/3", posterior_vulnerability(A, prior=prior, gain=printed))
    yield compared("V of B", "16/45", posterior_vulnerability(B, prior=prior, gain=printed))
    yield compared("A ⊑ B", "no", refines(A, B))
    yield compared("A ⊑prv B", "yes", refines(A, B, by="private"))
