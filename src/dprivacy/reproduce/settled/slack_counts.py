"""New results (N): the extreme points of (ε, δ)-private matrices."""

import math
import re

from dprivacy.polytope import (
    DeltaBreaks,
    LevelCell,
    count_extreme_points,
    count_kernels,
    delta_breaks,
)
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Parts, compared, extended

PLACE = "With a slack δ"
TENTH = {
    (3, 3): "393: 3, 54, 336; 18 classes",
    (4, 3): "2,955: 3, 126, 2,826; 45 classes",
    (3, 4): "10,576: 4, 108, 1,344, 9,120; 89 classes",
    (5, 3): "18,753: 3, 270, 18,480; 95 classes",
}
LARGER = {
    (3, 5): "271,625: 5, 180, 3,360, 45,600, 222,480; 416 classes",
    (7, 3): "591,153: 3, 1,134, 590,016; 308 classes",
    (4, 4): "632,896: 4, 252, 11,304, 621,336; 1,276 classes",
    (3, 6): "5,202,516: 6, 270, 6,720, 136,800, 1,334,880, 3,723,840; 1,304 classes",
}
BY_DELTA = {
    3: "33 at 0, 393 | 285 at a/(2a + 1), 393 | 285 at 1/2, 327 | 27 at 1",
    4: "117 at 0, 2,955 | 1,731 at a/(2a + 1), 3,171 | 2,163 at 1/2, 2,703 | 81 at 1",
}
BETWEEN = {
    "1 < a < 1.618034": "10576 10288 10288 10792 10648 10360 10360 10072 10504 10216 6976",
    "1.618034 < a < 2": "10576 10288 10792 10792 10648 10648 10360 10072 10504 10216 6976",
    "2 < a < 2.732051": "10576 10288 10792 10792 10648 10648 10360 10504 10936 10792 10504 7264",
    "2.732051 < a < 3.561553": (
        "10576 10288 10792 10792 10648 10648 10792 10504 10936 10792 10504 7264"
    ),
    "a > 3.561553": "10576 11080 10792 10792 10648 10648 10792 10504 10936 10792 10504 7264",
}
AT_TWO = (
    "88 at 0, 10,576 | 9,856 at 1/7, 10,288 | 10,144 at 1/5, 10,792 | 10,216 at 4/19, 10,792 | "
    "8,344 at 1/4, 10,648 | 10,072 at 4/13, 10,648 | 9,928 at 1/3, 10,360 | 5,608 at 2/5, 10,072 | "
    "8,920 at 5/11, 9,784 | 5,584 at 1/2, 6,544 | 64 at 1"
)


def counted(n: int, m: int) -> str:
    """The count at e^ε = 2 and δ = 1/10, by non-zero columns, and up to permutations."""
    found = count_extreme_points(n, eps="ln 2", delta="1/10", outputs=m)
    parts = ", ".join(f"{count:,}" for count in found.by_columns.values())
    return f"{int(found):,}: {parts}; {sum(found.classes.values()):,} classes"


def steps(cell: LevelCell) -> str:
    """The numbers at and above each break point."""
    above = [f", {number:,}" for number in cell.between] + [""]
    return " | ".join(
        f"{at:,} at {level}{more}"
        for at, level, more in zip(cell.at, cell.levels, above, strict=True)
    )


def shortly(cell: LevelCell) -> str:
    """The values of a without their polynomials."""
    return re.sub(r" \([^)]*\)", "", cell.where)


@item("N:slack", "Extreme points with a slack δ", PLACE)
def slack(_: Setting) -> Parts:
    """Closed forms, small sizes, and 3×3 matrices at every level."""
    for m in (2, 3, 4, 9):
        form = sum(math.comb(3, k - 1) * math.perm(m, k) for k in (1, 2, 3, 4))
        ours = count_extreme_points(2, eps=1, delta="1/7", outputs=m)
        yield compared(f"2×{m}, ε = 1, δ = 1/7", form, int(ours))
    for n in (3, 10):
        ours = count_extreme_points(n, eps=1, delta="1/7", outputs=2)
        yield compared(f"{n}×2, ε = 1, δ = 1/7", 2 + 3 * (2**n - 2), int(ours))
    for (n, m), printed in TENTH.items():
        yield compared(f"{n}×{m}, e^ε = 2, δ = 1/10", printed, counted(n, m))
    found = delta_breaks(3)
    yield compared("cells, 3×3", "a = 1, a > 1", ", ".join(cell.where for cell in found.cells))
    yield compared("3×3 for every a > 1", BY_DELTA[3], steps(found.cells[-1]))
    yield compared("3×3 at a = 1", "3 at 0, 93 | 81 at 1/2, 123 | 27 at 1", steps(found.cells[0]))
    yield Drawing("3×3 matrices by level and slack", found.plot)
    kernels = count_kernels("discrete:3", eps="ln 2", delta="1/10")
    yield compared("kernels on 3 categories", "13,286", f"{int(kernels):,}")
    yield compared("of them with 9 columns", 1070, kernels.by_posteriors[9])


@item("N:slack-larger", "Extreme points with a slack: 4×3 at every level, larger sizes", PLACE)
def slack_larger(_: Setting) -> Parts:
    """Some twenty seconds."""
    found = delta_breaks(4, outputs=3)
    yield compared("4×3 for every a > 1", BY_DELTA[4], steps(found.cells[-1]))
    for (n, m), printed in LARGER.items():
        yield compared(f"{n}×{m}, e^ε = 2, δ = 1/10", printed, counted(n, m))
    # Equal rows: E(j, 3) for j = 2, 3, … is what explains n×3 (Theorem 2)
    for delta, each in (("1/10", (18, 282, 1008, 1080, 0)), ("9/20", (18, 282, 1224, 2520, 2160))):
        six = count_extreme_points(6, eps="ln 2", delta=delta, outputs=3)
        by_rows = sum(e * stirling(6, j) for j, e in enumerate(each, 2))
        yield compared(f"6×3 without a zero column, δ = {delta}", by_rows, six.by_columns[3])


def stirling(n: int, j: int) -> int:
    """The ways to split n things into j parts."""
    if n == j:
        return 1
    return 0 if j == 0 or j > n else j * stirling(n - 1, j) + stirling(n - 1, j - 1)


@item("N:slack-four", "3×4 matrices with a slack, at every level", PLACE, heavy=True)
def slack_of_four(setting: Setting) -> Parts:
    """A walk on each interval and at each root between them: about a minute."""
    found: DeltaBreaks = delta_breaks(
        3, outputs=4, progress=lambda done, _: setting.progress(f"part {done}")
    )
    wide = {shortly(cell): cell for cell in found.cells if not cell.single}
    yield compared("intervals", ", ".join(BETWEEN), ", ".join(wide))
    for where, printed in BETWEEN.items():
        if where in wide:
            between = wide[where].between
            yield compared(f"between break points, {where}", printed, " ".join(map(str, between)))
            yield extended(f"break points, {where}", ", ".join(map(str, wide[where].levels)))
    two = next(cell for cell in found.cells if cell.single and cell.low.rational == 2)
    yield compared("at a = 2", AT_TWO, steps(two))
    yield Drawing("3×4 matrices by level and slack", found.plot)
