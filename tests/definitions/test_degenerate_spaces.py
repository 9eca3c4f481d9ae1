"""Every public function that takes a space, on every kind of degenerate space.

It answers, or it refuses in words; it never divides by 0, and a channel that it calls private is
private by the definition.
"""

import importlib
import inspect
import re
from fractions import Fraction as Q
from pathlib import Path

import pytest

import dprivacy as dp
from dprivacy import (
    design,
    estimation,
    flow,
    mechanisms,
    model,
    polytope,
    refine,
    spaces,
    verify,
    viz,
)
from dprivacy.errors import DPrivacyError
from support import degenerate_spaces as edge
from support.definitions_privacy import is_private, rate
from support.exact_reals import Size

EPS = Size(Q(1), "ln", Q(2))
SPACES = edge.named()


def channels(drawn):
    """Nothing told; classes told apart; every label told apart a little; everything told."""
    n = drawn.n
    first = [min(j for j in range(n) if j == i or _same(drawn, i, j)) for i in range(n)]
    return {
        "blind": [[Q(1, 2), Q(1, 2)]] * n,
        "classes": [[Q(1, 2 + k), 1 - Q(1, 2 + k)] for k in first],
        "labels": [[Q(1, 3) + Q(k, 100), Q(2, 3) - Q(k, 100)] for k in range(n)],
        "everything": [[Q(int(i == k)) for k in range(n)] for i in range(n)],
    }


def _same(drawn, i, j):
    d = drawn.distances[i][j]
    return isinstance(d, Size) and not d.r


def on_outputs(drawn, table):
    """The same channel with the space's labels as outputs, where there are enough."""
    n = drawn.n
    rows = [[*row, *[Q(0)] * n][:n] for row in table]
    full = [[*row[:-1], 1 - sum(row[:-1])] for row in rows]
    return model.Channel(range(n), range(n), full)


def metric_loss(drawn):
    n = range(drawn.n)
    return flow.loss.matrix(n, n, [[int(i != j) for j in n] for i in n])


def counts(n):
    return {x: {"a": 3 + x, "b": 7} for x in range(n)}


# How each function is called, given the space, a channel on it and the level.
CALLS = {
    "design.optimal": lambda s, C, e, d: design.optimal(s, eps=e, loss=metric_loss(d)),
    "design.max_case_universal": lambda s, C, e, d: design.max_case_universal(s, eps=e),
    "design.minimax": lambda s, C, e, d: design.minimax(s, eps=e, loss=metric_loss(d)),
    "design.expected_loss": lambda s, C, e, d: design.expected_loss(C, s, loss="bayes"),
    "design.remap": lambda s, C, e, d: design.remap(C, s, loss="bayes"),
    "design.worst_case_loss": lambda s, C, e, d: design.worst_case_loss(C, s, loss="bayes"),
    "design.best_kernel": lambda s, C, e, d: design.best_kernel(s, eps=e, loss="bayes"),
    "design.best_on_pair": lambda s, C, e, d: design.best_on_pair(C, 0, d.n - 1, s, eps=e),
    "design.geometric_paths": lambda s, C, e, d: design.geometric_paths(C, s, eps=e),
    "design.universally_optimal": lambda s, C, e, d: design.universally_optimal(C, s, eps=e),
    "estimation.kantorovich": lambda s, C, e, d: estimation.kantorovich(
        [1, *[0] * (d.n - 1)], [Q(1, d.n)] * d.n, s
    ),
    "flow.d_capacity": lambda s, C, e, d: flow.d_capacity(C, s),
    "flow.leakage_bound": lambda s, C, e, d: flow.leakage_bound(s, eps=e),
    "flow.is_monotonic": lambda s, C, e, d: flow.is_monotonic(metric_loss(d), s),
    "flow.is_strictly_monotonic": lambda s, C, e, d: flow.is_strictly_monotonic(metric_loss(d), s),
    "flow.is_focussed": lambda s, C, e, d: flow.is_focussed(
        flow.focussed(C, ["u"], on="secret"), s, eps=e, on="secret"
    ),
    "flow.d_vulnerability": lambda s, C, e, d: flow.d_vulnerability(s)(model.uniform(s)),
    "mechanisms.any_metric": lambda s, C, e, d: mechanisms.any_metric(s, eps=e),
    "mechanisms.exponential": lambda s, C, e, d: mechanisms.exponential(s, eps=e),
    "mechanisms.geometric": lambda s, C, e, d: mechanisms.geometric(s, eps=e),
    "mechanisms.over_truncated": lambda s, C, e, d: mechanisms.over_truncated(s, [0, 1], eps=e),
    "mechanisms.randomised_response": lambda s, C, e, d: mechanisms.randomised_response(s, eps=e),
    "mechanisms.oblivious": lambda s, C, e, d: mechanisms.oblivious(
        mechanisms.randomised_response(spaces.discrete(["a", "b"]), eps=e), lambda x: "ab"[x % 2], s
    ),
    "polytope.kernel_breaks": lambda s, C, e, d: polytope.kernel_breaks(s),
    "model.empirical": lambda s, C, e, d: model.empirical([0, 0], s),
    "model.point": lambda s, C, e, d: model.point(0, s),
    "model.uniform": lambda s, C, e, d: model.uniform(s),
    "model.as_space": lambda s, C, e, d: model.as_space(s),
    "polytope.posterior_privacy": lambda s, C, e, d: polytope.posterior_privacy(
        model.uniform(s), s, eps=e
    ),
    "polytope.vertices": lambda s, C, e, d: polytope.vertices(s, eps=e),
    "polytope.inequalities": lambda s, C, e, d: polytope.inequalities(s, eps=e),
    "polytope.is_kernel": lambda s, C, e, d: polytope.is_kernel(C, s, eps=e),
    "polytope.is_vertex_mechanism": lambda s, C, e, d: polytope.is_vertex_mechanism(C, s, eps=e),
    "polytope.decompose": lambda s, C, e, d: polytope.decompose(C, s, eps=e),
    "polytope.count_kernels": lambda s, C, e, d: polytope.count_kernels(s, eps=e),
    "polytope.kernels": lambda s, C, e, d: list(polytope.kernels(s, eps=e)),
    "refine.exponential_monotone": lambda s, C, e, d: refine.exponential_monotone(s),
    "refine.order": lambda s, C, e, d: refine.order([C, C], by="private", space=s),
    "refine.refines": lambda s, C, e, d: refine.refines(C, C, s, by="private"),
    "spaces.bags": lambda s, C, e, d: spaces.bags([[0], [0, d.n - 1]], s),
    "spaces.product": lambda s, C, e, d: spaces.product(s, s),
    "spaces.induced_space": lambda s, C, e, d: spaces.induced_space(lambda x: x, s),
    "spaces.sensitivity": lambda s, C, e, d: spaces.sensitivity(lambda x: x, s, s),
    "verify.audit": lambda s, C, e, d: verify.audit(
        lambda x, n: [x] * n, range(d.n), s, samples=40
    ),
    "verify.audit_counts": lambda s, C, e, d: verify.audit_counts(
        counts(d.n), s, learned_from=counts(d.n)
    ),
    "verify.concentrated_privacy": lambda s, C, e, d: verify.concentrated_privacy(
        C, s, mu=e, tau=e
    ),
    "verify.mended": lambda s, C, e, d: verify.mended(C, s, eps=e),
    "verify.privacy": lambda s, C, e, d: verify.privacy(C, s, eps=e, delta="1/9"),
    "verify.error_floor": lambda s, C, e, d: verify.error_floor(s, eps=e),
    "verify.expected_error": lambda s, C, e, d: verify.expected_error(C, s),
    "verify.shuffled_distances": lambda s, C, e, d: verify.shuffled_distances(C, 9, s, delta="1/9"),
    "verify.smallest_eps": lambda s, C, e, d: verify.smallest_eps(C, s),
    "verify.ball_change": lambda s, C, e, d: verify.ball_change(C, 0, s, radius=1),
    "verify.exactly": lambda s, C, e, d: verify.exactly(C, s, eps=e),
    "viz.plot_kernels": lambda s, C, e, d: viz.plot_kernels(s, eps=e),
    "viz.plot_simplex": lambda s, C, e, d: viz.plot_simplex(C, space=s, eps=e),
    "viz.plot_vulnerability": lambda s, C, e, d: viz.plot_vulnerability(s),
}
PROMISES = (
    "any_metric",
    "exponential",
    "geometric",
    "randomised_response",
    "optimal",
    "minimax",
    "mended",
    "exactly",
)


def takes_a_space():
    """The names of all public functions with a parameter that is annotated as a space."""
    for door in sorted(Path(dp.__file__).parent.glob("*/__init__.py")):
        room = importlib.import_module(f"dprivacy.{door.parent.name}")
        public = door.read_text("utf-8").split("# isort: split")[0]
        for name in re.findall(r"\b(\w+) as \1\b", public):
            found = getattr(room, name)
            if inspect.isfunction(found) and any(
                "Space" in str(p.annotation) for p in inspect.signature(found).parameters.values()
            ):
                yield f"{door.parent.name}.{name}"


def test_every_function_that_takes_a_space_is_walked():
    assert set(takes_a_space()) == set(CALLS)


def answered(name, drawn, C, eps):
    """What the function answers; None where it refuses, in words."""
    refused = ""
    try:
        return CALLS[name](drawn.space, C, eps, drawn)
    except DPrivacyError as error:
        refused = str(error)
    assert len(refused) > 20
    return None


NUMBERS = [name for name in CALLS if not name.startswith("viz.")]


@pytest.mark.parametrize("kind", SPACES)
@pytest.mark.parametrize("name", NUMBERS)
def test_an_answer_or_a_refusal_in_words(name, kind):
    drawn = SPACES[kind]
    for told, table in channels(drawn).items():
        C = on_outputs(drawn, table) if drawn.n > 1 else edge.channel(table)
        found = answered(name, drawn, C, str(EPS))
        if found is not None and name.split(".")[1] in PROMISES:
            assert is_private(found.channel.matrix.rows(), drawn, EPS), told
        if name in ("verify.smallest_eps", "flow.d_capacity"):
            true = rate(C.matrix.rows(), drawn)
            assert float(found) == pytest.approx(float(true), rel=1e-12), told


@pytest.mark.parametrize("kind", ["one point", "a twin", "two islands"])
@pytest.mark.parametrize("name", sorted(set(CALLS) - set(NUMBERS)))
def test_a_picture_or_a_refusal_in_words(name, kind):
    drawn = SPACES[kind]
    answered(name, drawn, edge.channel(channels(drawn)["classes"]), str(EPS))


@pytest.mark.parametrize("eps", ["1e-400", "1e-40", "1e-12", "500", "1e9", "700*ln(2)"])
@pytest.mark.parametrize("name", NUMBERS)
def test_tiny_and_huge_levels(name, eps):
    drawn = SPACES["a twin"]
    C = on_outputs(drawn, channels(drawn)["classes"])
    found = answered(name, drawn, C, eps)
    if found is not None and name.split(".")[1] in PROMISES:
        assert verify.privacy(found.channel, drawn.space, eps=eps)


@pytest.mark.parametrize("eps", ["1e-400", "1e-40", "1e-16", "1e-12", "500", "1e9"])
@pytest.mark.parametrize("kind", SPACES)
def test_the_least_loss_at_tiny_and_huge_levels(kind, eps):
    """One point, or points at distance 0 or ∞ alone, have an answer at every level."""
    drawn = SPACES[kind]
    found = answered("design.optimal", drawn, None, eps)
    if found is None:
        assert eps in ("1e-400", "1e9") or kind in ("tiny distances", "huge distances")
        assert kind not in ("one point", "two points at distance 0", "two points at distance ∞")
    else:
        assert verify.privacy(found.channel, drawn.space, eps=eps)
        assert found.gap < 1e-18
