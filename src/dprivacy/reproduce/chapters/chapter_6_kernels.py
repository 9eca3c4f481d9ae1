"""Chapter 6 of the thesis: the space of private hypers, its vertices and kernels."""

from fractions import Fraction as Q
from itertools import permutations

from dprivacy.mechanisms import geometric, oblivious, randomised_response
from dprivacy.model import push, uniform
from dprivacy.polytope import count_kernels, is_kernel, kernels, vertices
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Parts, compared, extended
from dprivacy.reproduce.items.source_channels import best_response
from dprivacy.spaces import discrete, hamming_cube, line
from dprivacy.viz import plot_channel, plot_kernels, plot_simplex

LEVELS = ("ln 2", "ln 3", "ln(3/2)", "ln(11/10)", "ln 10")


@item("T:example-6.2", "The private region on three points of a line", "T Ex 6.2")
def example_6_2(_: Setting) -> Parts:
    """Four vertices at ln 2."""
    space = line(3)
    ours = {tuple(p.weights) for p in vertices(space, eps="ln 2")}
    printed = ["(4/7, 2/7, 1/7)", "(1/7, 2/7, 4/7)", "(1/4, 1/2, 1/4)", "(2/5, 1/5, 2/5)"]
    for text in printed:
        wanted = tuple(Q(v) for v in text.strip("()").split(", "))
        yield compared("a vertex", text, wanted if wanted in ours else "not a vertex")
    yield compared("how many", 4, len(ours))
    yield Drawing(
        "The posteriors that ln 2-privacy allows",
        lambda: plot_simplex(space=space, eps="ln 2", letters=True),
    )


@item("T:figure-6.1", "On two inputs one mechanism is best", "T Fig 6.1")
def figure_6_1(_: Setting) -> Parts:
    """ε = ln 2, d = 1."""
    space = line(2)
    listed = list(kernels(space, eps="ln 2"))
    corners = {tuple(p.weights) for p in vertices(space, eps="ln 2")}
    yield compared("mechanisms made of vertices", 1, len(listed))
    yield extended(
        "its vertices",
        "(2/3, 1/3) and (1/3, 2/3)",
        holds=corners == {(Q(2, 3), Q(1, 3)), (Q(1, 3), Q(2, 3))},
    )
    yield Drawing(
        "The only kernel on two inputs",
        lambda: plot_simplex({"the best mechanism": listed[0]}, space=space, eps="ln 2"),
    )


@item("T:figure-6.2", "The kernels on three points of a line", "T Fig 6.2")
def figure_6_2(_: Setting) -> Parts:
    """The geometric mechanism and one other."""
    space = line(3)
    listed = list(kernels(space, eps="ln 2"))
    G = geometric(space, eps="ln 2").channel
    named = {"geometric mechanism" if K.equivalent(G) else "the other kernel": K for K in listed}
    yield compared("kernels", 2, len(listed))
    yield compared("vertices of the geometric", 3, len(named["geometric mechanism"].columns))
    yield compared("vertices of the other", 2, len(named["the other kernel"].columns))
    yield Drawing(
        "The region, the geometric mechanism and the other kernel",
        lambda: plot_simplex(named, space=space, eps="ln 2", letters=True),
    )


@item("T:figure-6.3", "The five kernels of three categories", "T Fig 6.3")
def figure_6_3(_: Setting) -> Parts:
    """Discrete metric, ε = ln 2."""
    space = discrete(["x1", "x2", "x3"])
    listed = list(kernels(space, eps="ln 2"))
    RR = randomised_response(space, eps="ln 2")
    yield compared("kernels", 5, len(listed))
    yield compared("vertices of each", "2, 2, 2, 3, 3", sorted(len(K.columns) for K in listed))
    yield compared(
        "one of them is randomised response", 1, sum(bool(K.equivalent(RR.channel)) for K in listed)
    )
    yield Drawing(
        "The region and randomised response",
        lambda: plot_simplex({"randomised response": RR}, space=space, eps="ln 2", letters=True),
    )
    yield Drawing("The five kernels, magnified", lambda: plot_kernels(space, eps="ln 2"))


@item("T:figure-6.5", "A kernel on bit strings", "T Fig 6.4, 6.5")
def figure_6_5(_: Setting) -> Parts:
    """The truncated geometric of the number of ones."""
    cube = hamming_cube(3)
    G = geometric(line(4), eps="ln 2").channel
    K = oblivious(geometric(line(4), eps="ln 2"), sum, cube).channel
    paths = [
        [tuple(int(i in order[:k]) for i in range(3)) for k in range(4)]
        for order in permutations(range(3))
    ]
    geometric_on = sum(K.restrict(path).matrix == G.matrix for path in paths)
    adjacent = all(
        K.restrict([x, z]).equivalent(best_response(2, [x, z]))
        for x in cube.labels
        for z in cube.labels
        if cube.distance(x, z) == 1
    )
    middle = K.restrict([(1, 0, 0), (0, 1, 0), (0, 0, 1)])
    yield compared("row of 001", "1/3, 1/3, 1/6, 1/6", list(K.row((0, 0, 1)).values()))
    yield compared("it is a kernel", "yes", is_kernel(K, cube, eps="ln 2"))
    yield compared("on {100, 010, 001} it leaks nothing", 1, len(middle.reduced().columns))
    yield compared("on adjacent strings it is the best response T", "yes", adjacent)
    yield extended(
        "paths from 000 to 111 on which it is geometric (three are printed)",
        geometric_on,
        holds=geometric_on == 6,
    )
    yield extended("outer", list(push(K, prior=uniform(cube)).outer.weights))
    yield Drawing("The mechanism", lambda: plot_channel(K))
    yield Drawing(
        "Along the path 000, 100, 110, 111",
        lambda: plot_simplex(
            K, space=cube, eps="ln 2", corners=[(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)]
        ),
    )


@item("T:table-6.1", "Kernels on a line", "T Table 6.1")
def table_6_1(_: Setting) -> Parts:
    """1, 2, 11, and 187 at e^ε = 2 only."""
    for n, corners, kernel_count in [(2, 2, 1), (3, 4, 2), (4, 8, 11), (5, 16, 187)]:
        counted = count_kernels(line(n), eps="ln 2")
        yield compared(f"vertices, n = {n}", corners, counted.vertices)
        yield compared(f"kernels, n = {n}, e^ε = 2", kernel_count, int(counted))
    for eps in LEVELS[1:]:
        other = int(count_kernels(line(5), eps=eps))
        yield compared(f"kernels, n = 5, ε = {eps}", 187, other, erratum="E2")


@item("T:table-6.1-six", "Kernels on a line of six points", "T Table 6.1, extended")
def table_6_1_six(_: Setting) -> Parts:
    """One row further."""
    counted = count_kernels(line(6), eps="ln 2")
    yield extended("vertices, n = 6", counted.vertices)
    yield extended("kernels, n = 6, e^ε = 2", f"{int(counted):,}", holds=counted == 15_346)


@item("T:table-6.2", "Kernels of the discrete metric", "T Table 6.2")
def table_6_2(_: Setting) -> Parts:
    """The minimal balanced collections of sets."""
    for n, corners, kernel_count in [(2, 2, 1), (3, 6, 5), (4, 14, 41), (5, 30, 1291)]:
        counted = count_kernels(discrete(range(n)), eps="ln 2")
        yield compared(f"vertices, n = {n}", corners, counted.vertices)
        yield compared(f"kernels, n = {n}", kernel_count, int(counted))
    same = int(count_kernels(discrete(range(5)), eps="ln 10"))
    yield extended("kernels, n = 5, ε = ln 10 (they never depend on ε)", same, holds=same == 1291)


@item("T:table-6.2-six", "Kernels of six categories", "T Table 6.2, extended")
def table_6_2_six(_: Setting) -> Parts:
    """One row further."""
    counted = count_kernels(discrete(range(6)), eps="ln 2")
    yield extended("kernels, n = 6", f"{int(counted):,}", holds=counted == 200_213)
    yield extended("classes under permutation", counted.classes)
