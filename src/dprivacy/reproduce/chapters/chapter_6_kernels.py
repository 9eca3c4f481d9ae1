"""Chapter 6 of the thesis: the space of private hypers, its vertices and kernels."""

from fractions import Fraction as Q
from itertools import permutations

from dprivacy.mechanisms import geometric, oblivious, randomised_response
from dprivacy.model import push, uniform
from dprivacy.polytope import count_kernels, is_kernel, kernels, vertices
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Found, compared, extended
from dprivacy.reproduce.items.source_channels import best_response
from dprivacy.spaces import discrete, hamming_cube, line

LEVELS = ("ln 2", "ln 3", "ln(3/2)", "ln(11/10)", "ln 10")


@item("T:example-6.2", "The private region on three points of a line", "T Ex 6.2")
def example_6_2(_: Setting) -> Found:
    """Four vertices at ln 2."""
    from dprivacy.viz import plot_simplex

    space = line(3)
    ours = {tuple(p.weights) for p in vertices(space, eps="ln 2")}
    printed = ["(4/7, 2/7, 1/7)", "(1/7, 2/7, 4/7)", "(1/4, 1/2, 1/4)", "(2/5, 1/5, 2/5)"]
    lines = []
    for text in printed:
        wanted = tuple(Q(v) for v in text.strip("()").split(", "))
        lines.append(compared("a vertex", text, wanted if wanted in ours else "not a vertex"))
    return Found.of(
        *lines,
        compared("how many", 4, len(ours)),
        Drawing(
            "The posteriors that ln 2-privacy allows",
            lambda: plot_simplex(space=space, eps="ln 2", letters=True),
        ),
    )


@item("T:figure-6.1", "On two inputs one mechanism is best", "T Fig 6.1")
def figure_6_1(_: Setting) -> Found:
    """ε = ln 2, d = 1."""
    from dprivacy.viz import plot_simplex

    space = line(2)
    listed = list(kernels(space, eps="ln 2"))
    corners = {tuple(p.weights) for p in vertices(space, eps="ln 2")}
    return Found.of(
        compared("mechanisms made of vertices", 1, len(listed)),
        extended(
            "its vertices",
            "(2/3, 1/3) and (1/3, 2/3)",
            holds=corners == {(Q(2, 3), Q(1, 3)), (Q(1, 3), Q(2, 3))},
        ),
        Drawing(
            "The only kernel on two inputs",
            lambda: plot_simplex({"the best mechanism": listed[0]}, space=space, eps="ln 2"),
        ),
    )


@item("T:figure-6.2", "The kernels on three points of a line", "T Fig 6.2")
def figure_6_2(_: Setting) -> Found:
    """The geometric mechanism and one other."""
    from dprivacy.viz import plot_simplex

    space = line(3)
    listed = list(kernels(space, eps="ln 2"))
    G = geometric(space, eps="ln 2").channel
    named = {"geometric mechanism" if K.equivalent(G) else "the other kernel": K for K in listed}
    return Found.of(
        compared("kernels", 2, len(listed)),
        compared("vertices of the geometric", 3, len(named["geometric mechanism"].columns)),
        compared("vertices of the other", 2, len(named["the other kernel"].columns)),
        Drawing(
            "The region, the geometric mechanism and the other kernel",
            lambda: plot_simplex(named, space=space, eps="ln 2", letters=True),
        ),
    )


@item("T:figure-6.3", "The five kernels of three categories", "T Fig 6.3")
def figure_6_3(_: Setting) -> Found:
    """Discrete metric, ε = ln 2."""
    from dprivacy.viz import plot_kernels, plot_simplex

    space = discrete(["x1", "x2", "x3"])
    listed = list(kernels(space, eps="ln 2"))
    RR = randomised_response(space, eps="ln 2")
    return Found.of(
        compared("kernels", 5, len(listed)),
        compared("vertices of each", "2, 2, 2, 3, 3", sorted(len(K.columns) for K in listed)),
        compared(
            "one of them is randomised response",
            1,
            sum(bool(K.equivalent(RR.channel)) for K in listed),
        ),
        Drawing(
            "The region and randomised response",
            lambda: plot_simplex(
                {"randomised response": RR}, space=space, eps="ln 2", letters=True
            ),
        ),
        Drawing("The five kernels, magnified", lambda: plot_kernels(space, eps="ln 2")),
    )


@item("T:figure-6.5", "A kernel on bit strings", "T Fig 6.4, 6.5")
def figure_6_5(_: Setting) -> Found:
    """The truncated geometric of the number of ones."""
    from dprivacy.viz import plot_channel, plot_simplex

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
    return Found.of(
        compared("row of 001", "1/3, 1/3, 1/6, 1/6", list(K.row((0, 0, 1)).values())),
        compared("it is a kernel", "yes", bool(is_kernel(K, cube, eps="ln 2"))),
        compared("on {100, 010, 001} it leaks nothing", 1, len(middle.reduced().columns)),
        compared("on adjacent strings it is the best response T", "yes", adjacent),
        extended(
            "paths from 000 to 111 on which it is geometric (three are printed)",
            geometric_on,
            holds=geometric_on == 6,
        ),
        extended("outer", list(push(K, prior=uniform(cube)).outer.weights)),
        Drawing("The mechanism", lambda: plot_channel(K)),
        Drawing(
            "Along the path 000, 100, 110, 111",
            lambda: plot_simplex(
                K, space=cube, eps="ln 2", corners=[(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)]
            ),
        ),
    )


@item("T:table-6.1", "Kernels on a line", "T Table 6.1")
def table_6_1(_: Setting) -> Found:
    """1, 2, 11, and 187 at e^ε = 2 only."""
    lines = []
    for n, corners, kernel_count in [(2, 2, 1), (3, 4, 2), (4, 8, 11), (5, 16, 187)]:
        counted = count_kernels(line(n), eps="ln 2")
        lines.append(compared(f"vertices, n = {n}", corners, counted.vertices))
        lines.append(compared(f"kernels, n = {n}, e^ε = 2", kernel_count, int(counted)))
    for eps in LEVELS[1:]:
        other = int(count_kernels(line(5), eps=eps))
        lines.append(compared(f"kernels, n = 5, ε = {eps}", 187, other, erratum="E2"))
    return Found.of(*lines)


@item("T:table-6.1-six", "Kernels on a line of six points", "T Table 6.1, extended")
def table_6_1_six(_: Setting) -> Found:
    """One row further."""
    counted = count_kernels(line(6), eps="ln 2")
    return Found.of(
        extended("vertices, n = 6", counted.vertices),
        extended("kernels, n = 6, e^ε = 2", f"{int(counted):,}", holds=counted == 15_346),
    )


@item("T:table-6.2", "Kernels of the discrete metric", "T Table 6.2")
def table_6_2(_: Setting) -> Found:
    """The minimal balanced collections of sets."""
    lines = []
    for n, corners, kernel_count in [(2, 2, 1), (3, 6, 5), (4, 14, 41), (5, 30, 1291)]:
        counted = count_kernels(discrete(range(n)), eps="ln 2")
        lines.append(compared(f"vertices, n = {n}", corners, counted.vertices))
        lines.append(compared(f"kernels, n = {n}", kernel_count, int(counted)))
    same = int(count_kernels(discrete(range(5)), eps="ln 10"))
    lines.append(
        extended("kernels, n = 5, ε = ln 10 (they never depend on ε)", same, holds=same == 1291)
    )
    return Found.of(*lines)


@item("T:table-6.2-six", "Kernels of six categories", "T Table 6.2, extended")
def table_6_2_six(_: Setting) -> Found:
    """One row further."""
    counted = count_kernels(discrete(range(6)), eps="ln 2")
    return Found.of(
        extended("kernels, n = 6", f"{int(counted):,}", holds=counted == 200_213),
        extended("classes under permutation", counted.classes),
    )
