"""Local mechanisms (L) at every ε at once: which verdicts change, and where."""

from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import Any

from dprivacy.mechanisms import projective_response, subset_response, unary_response
from dprivacy.refine import RefinementBreaks, refinement_breaks
from dprivacy.reproduce.chapters.local_orders import free_sets, hadamard
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Parts, compared, extended
from dprivacy.viz import plot_refinement_breaks

PRINTED = {
    (3, "SUE", "OUE"): "exactly when e^ε ≥ 7.070106 (x³ − 6x² − 7x − 4).",
    (3, "LH(4)", "OUE"): "exactly when e^ε ≥ 3.",
    (3, "OUE", "LH(5)"): "exactly when 8/7 ≤ e^ε ≤ 4.",
    (3, "PG(3,3)", "HR"): "exactly when e^ε ≥ 3/2.",
    (3, "HR", "PG(3,3)"): "exactly when e^ε ≤ 3/2.",
    (3, "PG(3,3)", "PG(2,3)"): "exactly when e^ε ≥ 6.",
    (3, "PG(2,3)", "PG(3,3)"): "exactly when e^ε ≤ 6.",
    (3, "LH(4)", "HR"): "exactly when e^ε ≥ 15.",
    (3, "SUE", "HR"): "exactly when e^ε ≥ 11.444525 (x³ − 11x² − 5x − 1).",
    (4, "SUE", "OUE"): "exactly when e^ε ≥ 17.306235 (x⁵ − 15x⁴ − 37x³ − 49x² − 24x − 4).",
    (4, "SUE", "PG(3,3)"): "exactly when e^ε ≥ 163.307659 (x⁴ − 162x³ − 213x² − 90x + 9).",
    (4, "LH(4)", "LH(5)"): "exactly when e^ε ≤ 1212/721.",
    (4, "LH(5)", "OUE"): "exactly when e^ε = 4 or e^ε ≥ 34.971675 (3x² − 104x − 32).",
}


def every_family(k: int) -> dict[str, Any]:
    """All families on k labels, built at e^ε = 4, which does not matter."""
    eps = "ln 4"
    found: dict[str, Any] = {
        "GRR" if d == 1 else f"SS({d})": subset_response(range(k), eps=eps, size=d)
        for d in range(1, k)
    }
    found["OUE"] = unary_response(range(k), eps=eps)
    found["SUE"] = unary_response(range(k), eps=eps, kind="symmetric")
    found |= {f"LH({g})": free_sets(k, 4, Fraction(1, g)) for g in (2, 3, 4, 5)}
    found["HR"] = hadamard(k, 4)
    for t in sorted({k.bit_length(), 3}):
        found[f"PG(2,{t})"] = projective_response(range(k), eps=eps, q=2, t=t)
    found["PG(3,3)"] = projective_response(range(k), eps=eps, q=3, t=3)
    return found


def all_verdicts(k: int) -> dict[tuple[str, str], RefinementBreaks]:
    """Every ordered pair, at every level."""
    known = every_family(k)
    return {
        (x, y): refinement_breaks(known[x], known[y], names=(x, y))
        for x, y in permutations(known, 2)
    }


@item("L:levels", "Local mechanisms in order, at every ε", "The order of local mechanisms")
def verdicts_by_level(_: Setting) -> Parts:
    """Two to six labels, every pair of families, with a picture for each number of labels."""
    for k in range(2, 7):
        found = all_verdicts(k)
        for (x, y), one in found.items():
            told = one.explain().partition(": ")[2]
            if (k, x, y) in PRINTED:
                yield compared(f"{x} ⊑ {y}, {k} labels", PRINTED[k, x, y], told)
            elif one.breaks:
                yield extended(f"{x} ⊑ {y}, {k} labels", told)
        changing = [one for one in found.values() if one.breaks]
        always = [" ⊑ ".join(pair) for pair, one in found.items() if one.always]
        yield extended(f"at every ε, {k} labels", ", ".join(always))
        title = f"{k} labels: verdicts that change with ε"
        yield Drawing(title, partial(plot_refinement_breaks, changing, title=title))
    threshold = (all_verdicts(k)["SUE", "OUE"].breaks[0] for k in (5, 6))
    for k, root in zip((5, 6), threshold, strict=True):
        printed = {5: "31.707364", 6: "50.272319"}[k]
        yield compared(f"SUE ⊑ OUE from, {k} labels", printed, f"{float(root):.6f}")
