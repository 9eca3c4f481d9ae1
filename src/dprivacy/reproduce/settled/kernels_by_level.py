"""New results (N): how the number of kernels depends on ε."""

from fractions import Fraction
from functools import partial
from itertools import pairwise

from dprivacy.polytope import KernelBreaks, count_kernels, kernel_breaks
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Line, Parts, compared, extended
from dprivacy.spaces import FiniteSpace, discrete, graph, hamming_cube, line
from dprivacy.viz import plot_kernel_breaks

PLACE = "New results, Theorem 3"


def cycle(n: int) -> FiniteSpace:
    """n points in a ring."""
    return graph([(k, (k + 1) % n) for k in range(n)])


def star(leaves: int) -> FiniteSpace:
    """A centre and leaves at distance 1 from it."""
    return graph([("centre", leaf) for leaf in range(leaves)])


# Counts before the first break point, and at and after each, as they stand on the page.
SMALL: dict[str, tuple[FiniteSpace, str]] = {
    "line of 2": (line(2), "1"),
    "line of 3": (line(3), "2"),
    "line of 4": (line(4), "11"),
    "line of 5": (
        line(5),
        "230 | 216 at 1.465571, 222 | 210 at 1.618034, 218 | 206 at 1.754878, 214 | 187 at 2, 195",
    ),
    "star of 3": (star(3), "9 | 6 at 2, 6"),
    "star of 4": (star(4), "146 | 118 at 3/2, 130 | 46 at 2, 52 | 42 at 3, 42"),
    "cycle of 4": (cycle(4), "4"),
    "cycle of 5": (
        cycle(5),
        "5,906 | 5,776 at 1.246980, 5,876 | 5,756 at 1.324718, 5,866 | 5,541 at 1.414214, 5,846 | "
        "4,855 at 1.618034, 5,806 | 5,746 at 2.732051, 5,806",
    ),
    "cycle of 6": (cycle(6), "506 | 437 at 1.618034, 500 | 473 at 2, 508 | 460 at 2.618034, 490"),
    "fork of 5": (
        graph([(0, 1), (1, 2), (2, 3), (1, 4)]),
        "214 | 208 at 1.414214, 211 | 197 at 1.465571, 203 | 177 at 1.618034, 189 | "
        "175 at 1.754878, 181 | 135 at 2, 150",
    ),
    "4 categories": (discrete(range(4)), "41"),
}


def staircase(found: KernelBreaks) -> str:
    """All counts from left to right."""
    parts = [f"{sum((found.first or {}).values()):,}"]
    for one in found.breaks or ():
        _, at, after = one.totals
        parts.append(f"{at:,} at {str(one.root).partition(' ')[0]}, {after:,}")
    return " | ".join(parts)


@item("N:kernels", "Kernels as ε varies: lines, stars, cycles, forks", PLACE)
def kernels_by_level(_: Setting) -> Parts:
    """Counts before, at and after each break point, and by double description in every interval."""
    for name, (space, printed) in SMALL.items():
        found = kernel_breaks(space)
        yield compared(f"kernels, {name}", printed, staircase(found))
        yield from _counted_again(name, space, found)


def _counted_again(name: str, space: FiniteSpace, found: KernelBreaks) -> list[Line]:
    """The other way of counting, at one level of each interval between break points."""
    if not found.breaks or found.vertices > 20:
        return []
    same = [
        found.count_at(a) == count_kernels(space, eps=f"ln({a})").by_posteriors
        for a in found.samples
    ]
    return [extended(f"{name}: double description counts the same", all(same), holds=all(same))]


@item("N:kernels-six", "Kernels on the line of 6 and the star of 5, for every ε", PLACE)
def kernels_of_six(_: Setting) -> Parts:
    """95 break points, and the staircase."""
    found = kernel_breaks(line(6))
    breaks = found.breaks or ()
    yield compared(
        "determinants, different polynomials", "(201376, 982)", (found.minors, found.polynomials)
    )
    yield compared("candidates, break points", "(174, 95)", (len(found.candidates), len(breaks)))
    yield compared("least", "1.130685 (x⁶ + x⁴ − x³ − x² − 1)", str(breaks[0].root))
    yield compared("largest", "3.732051 (x² − 4x + 1)", str(breaks[-1].root))
    yield compared("kernels before the least", "21,359", f"{breaks[0].totals[0]:,}")
    yield compared("kernels after the largest", "16,050", f"{breaks[-1].totals[2]:,}")
    at_two = next(one for one in breaks if one.root.rational == 2)
    yield compared("before, at and after 2", "(17576, 15346, 16420)", at_two.totals)
    falls = all(at < after < before for before, at, after in (one.totals for one in breaks))
    yield compared("it falls at every break point", "yes", falls)
    for a in (Fraction(6, 5), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(10)):
        same = found.count_at(a) == count_kernels(line(6), eps=f"ln({a})").by_posteriors
        yield extended(f"double description counts the same at {a}", same, holds=same)
    yield Drawing("Kernels on a line of 6", partial(plot_kernel_breaks, found))
    five = kernel_breaks(star(5))
    yield compared(
        "star of 5",
        "10,357 | 9,907 at 5/4, 10,207 | 8,332 at 4/3, 9,462 | 5,162 at 3/2, 7,002 | 6,642 at 5/3, "
        "6,782 | 1,727 at 2, 2,167 | 1,947 at 5/2, 1,977 | 1,307 at 3, 1,317 | 1,292 at 4, 1,292",
        staircase(five),
    )


SEVEN = {"5/3": 5_957_329, "5/2": 4_863_273, "4": 4_656_852, "5": 4_654_410, "6": 4_654_134}


@item("N:kernels-seven", "Kernels on the line of 7: candidates, and some counts", PLACE, heavy=True)
def kernels_of_seven(setting: Setting) -> Parts:
    """75 million determinants, and the levels at which numbers used to be too long."""
    setting.progress("determinants of the line of 7")
    found = kernel_breaks(line(7))
    size = (found.minors, found.polynomials, len(found.candidates))
    yield compared("determinants, polynomials, candidates", "(74974368, 130810, 33433)", size)
    yield compared("largest", "5.711124 (x³ − 6x² + 2x − 2)", str(found.candidates[-1]))
    for a, printed in SEVEN.items():
        setting.progress(f"kernels at e^ε = {a}")
        ours = int(count_kernels(line(7), eps=f"ln({a})"))
        yield compared(f"kernels at e^ε = {a}", f"{printed:,}", f"{ours:,}")


CUBE = (
    "37,115 | 37,043 after 1.451606 | 37,547 after 3/2 | 37,507 after 1.577350 | "
    "38,155 after 1.618034 | 38,395 after 1.707107 | 39,163 after 2 | 38,659 after 2.246980 | "
    "38,635 after 2.280776 | 38,395 after 2.324718 | 38,355 after 2.366025 | "
    "38,487 after 2.414214 | 37,255 after 2.618034 | 37,567 after 2.732051 | 37,723 after 3 | "
    "37,675 after 3.186141 | 37,555 after 3.214320 | 36,643 after 3.414214 | "
    "36,307 after 3.490864 | 36,139 after 3.511547 | 35,311 after 3.732051 | "
    "35,047 after 4.561553 | 34,975 after 4.791288"
)
CUBE_AT = "37,115 at 4/3, 36,603 at 3/2, 29,213 at 2, 38,487 at 5/2, 37,124 at 3, 35,311 at 4"


@item("N:kernels-cube", "Kernels on bit strings of length 3, between candidates", PLACE, heavy=True)
def kernels_of_the_cube(setting: Setting) -> Parts:
    """The count in each of the 87 intervals, by double description, and at rational candidates."""
    setting.progress("determinants of the cube")
    cube = hamming_cube(3)
    found = kernel_breaks(cube)
    yield compared("candidates", 86, len(found.candidates))
    counts = []
    for at, a in enumerate(found.samples, 1):
        setting.progress(f"interval {at} of {len(found.samples)}")
        counts.append(int(count_kernels(cube, eps=f"ln({a})")))
    steps = [f"{counts[0]:,}"] + [
        f"{after:,} after {str(root).partition(' ')[0]}"
        for root, (before, after) in zip(found.candidates, pairwise(counts), strict=True)
        if after != before
    ]
    yield compared("kernels between candidates, where the number changes", CUBE, " | ".join(steps))
    exact = [root.rational for root in found.candidates if root.rational is not None]
    there = [f"{int(count_kernels(cube, eps=f'ln({a})')):,} at {a}" for a in exact]
    yield compared("kernels at rational candidates", CUBE_AT, ", ".join(there))
