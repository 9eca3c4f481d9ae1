"""Any private channel as a refinement of a convex sum of kernels, with weights and witness."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from dprivacy.errors import NotApplicable, NotPrivate
from dprivacy.model import Answer, Channel, Hyper, Pictured, about, push, uniform
from dprivacy.numbers import Mat, null_space
from dprivacy.polytope.cones.cone_vertices import primitive
from dprivacy.polytope.cones.exact_columns import Read
from dprivacy.polytope.cones.private_cone import Column, Cone
from dprivacy.polytope.cones.reverse_earth_move import as_vertices
from dprivacy.polytope.kernel_check import is_kernel
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, LevelLike, SpaceLike
from dprivacy.verify import privacy


@dataclass(frozen=True)
class Decomposition(Answer, Pictured):
    """A channel as (Σ_i λ_i·K_i) @ R, where the K_i are kernels.

    `weights` are the λ_i and `kernels` the K_i; `vertex` is their convex sum, a vertex mechanism whose
    outputs v1, v2, … are the vertices used; `witness` is R, from those vertices to the outputs of the
    channel. `vertex @ witness` is the `channel`, exactly.

    Examples
    --------
    >>> found = decompose([["3/5", "2/5"], ["2/5", "3/5"]], "discrete:2", eps="ln 2")
    >>> found.holds(), len(found.kernels), found.vertex @ found.witness == found.channel
    (True, 1, True)
    """

    channel: Channel
    weights: tuple[Fraction, ...]
    kernels: tuple[Channel, ...]
    vertex: Channel
    witness: Channel
    exact: ClassVar[bool] = True

    def holds(self) -> bool:
        """Check both equations again, exactly: Σ λ_i·K_i is the vertex mechanism, and @ R gives C."""
        prior = uniform(self.channel.rows)
        sum_of_kernels = Hyper.mix(self.weights, [push(K, prior=prior) for K in self.kernels])
        return (
            sum(self.weights) == 1
            and sum_of_kernels == push(self.vertex, prior=prior)
            and self.vertex @ self.witness == self.channel
        )

    def explain(self) -> str:
        """The decomposition in words."""
        shares = ", ".join(about(weight) for weight in self.weights)
        count = len(self.kernels)
        what = "is one kernel" if count == 1 else f"is a convex sum of {count} kernels"
        lines = [f"The vertex mechanism below the channel {what} (weights {shares})."]
        lines.append(
            "The channel is that vertex mechanism up to the names of outputs."
            if self.vertex.equivalent(self.channel)
            else "The channel is a refinement of it: post-process it with the witness."
        )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The decomposition as plain data."""
        return self._told("weights", "kernels", "vertex", "witness")


@result("T", "Lem 6.11", "Property 2", "Cor 6.12")
def decompose(
    C: ChannelLike,
    space: SpaceLike | None = None,
    *,
    eps: LevelLike,
    prefer: Sequence[ChannelLike] = (),
) -> Decomposition:
    """Write a private channel as a refinement of a convex sum of kernels: C = (Σ λ_i·K_i) @ R.

    For a vertex mechanism R only names the outputs, and C itself is the convex sum.

    Parameters
    ----------
    C
        An exact ε·d-private channel, or anything `as_channel` reads.
    space
        The metric on its inputs; a mechanism's own when omitted.
    eps
        The level; e^(ε·d) must be rational.
    prefer
        Kernels to take out first, as much of each as there is; a decomposition is not unique.

    Returns
    -------
    Decomposition
        Weights, kernels, their convex sum, and R; recomposing gives C back exactly.

    Raises
    ------
    NotPrivate
        When C is not ε·d-private, with the inputs and the output that show it.

    Notes
    -----
    1. Each posterior is written as a sum of vertices, a reverse Earth Move (`as_vertices`). No list of
       all vertices is made, so that spaces may have many points.
    2. R says which share of each vertex goes to which output.
    3. Take a kernel out of the vertex mechanism: while its vertices are dependent, move its weights
       along a dependency until one of them is 0 (Carathéodory). Independent vertices that balance are
       a kernel.
    4. Subtract as much of that kernel as there is. At least one vertex is used up; go on.

    Examples
    --------
    >>> C = [["3/5", "2/5"], ["2/5", "3/5"]]
    >>> found = decompose(C, "discrete", eps="ln 2")
    >>> print(found.witness)
    Channel(2×2, exact)
          0    1
    v1  1/5  4/5
    v2  4/5  1/5
    """
    read = Read.of(C, space, eps)
    cone = read.cone
    cone.require_rational()
    _require_private(read)
    total: dict[Column, Fraction] = {}
    shares: dict[Column, dict[int, Fraction]] = {}
    matrix = read.channel.matrix
    for y in range(matrix.shape[1]):
        column, _ = cone.gathered(matrix.entries[:, y].tolist())
        for vertex, share in as_vertices(cone, column) if any(column) else []:
            share /= matrix.den
            total[vertex] = total.get(vertex, Fraction(0)) + share
            shares.setdefault(vertex, {})[y] = shares.get(vertex, {}).get(y, Fraction(0)) + share
    names = {vertex: f"v{k}" for k, vertex in enumerate(total, 1)}
    witness = Channel(
        names.values(),
        read.channel.columns,
        Mat.of(
            [
                [shares[vertex].get(y, Fraction(0)) / total[vertex] for y in range(matrix.shape[1])]
                for vertex in total
            ]
        ),
    )
    taken = _taken_out(cone, dict(total), [_weights(cone, K) for K in prefer])
    return Decomposition(
        read.channel,
        tuple(weight for weight, _ in taken),
        tuple(
            _channel(cone, kernel, {v: f"y{k}" for k, v in enumerate(kernel, 1)})
            for _, kernel in taken
        ),
        _channel(cone, total, names),
        witness,
    )


def _taken_out(
    cone: Cone, total: dict[Column, Fraction], prefer: list[dict[Column, Fraction]]
) -> list[tuple[Fraction, dict[Column, Fraction]]]:
    """Kernels and how much of each, until nothing of the vertex mechanism is left."""
    left, taken = Fraction(1), []
    while total:
        kernel = next((K for K in prefer if all(v in total for v in K)), None)
        if kernel is None:
            kernel = _inside({v: w / left for v, w in total.items()})
        share = min(total[v] / w for v, w in kernel.items())
        total = {v: w - share * kernel.get(v, 0) for v, w in total.items()}
        total = {v: w for v, w in total.items() if w}
        left -= share
        taken.append((share, kernel))
    return taken


def _inside(weights: dict[Column, Fraction]) -> dict[Column, Fraction]:
    """A kernel among the vertices of a vertex mechanism, with its own weights."""
    while True:
        vertices = list(weights)
        basis = null_space(Mat.of([list(row) for row in zip(*vertices, strict=True)]))
        if basis.shape[0] == 0:
            return weights
        # Moving along a dependency keeps the sum; stop where the first weight gets to 0.
        slope = dict(zip(vertices, (Fraction(k) for k in basis.row(0)), strict=True))
        step = min(weights[v] / k for v, k in slope.items() if k > 0)
        weights = {v: w - step * slope[v] for v, w in weights.items() if w != step * slope[v]}


def _weights(cone: Cone, K: ChannelLike) -> dict[Column, Fraction]:
    """A kernel that was asked for, as its vertices and their weights."""
    verdict = is_kernel(K, cone.space, eps=cone.eps)
    if not verdict:
        raise NotApplicable(f"prefer takes kernels only. {verdict.reason}")
    channel = Read.of(K, cone.space, cone.eps).channel.reduced()
    found: dict[Column, Fraction] = {}
    for column in channel.matrix.entries.T.tolist():
        gathered, _ = cone.gathered(column)
        vertex = primitive(gathered)
        found[vertex] = Fraction(gathered[0], vertex[0] * channel.matrix.den)
    return found


def _channel(cone: Cone, weights: dict[Column, Fraction], names: dict[Column, str]) -> Channel:
    columns = [cone.spread([w * value for value in vertex]) for vertex, w in weights.items()]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Channel(cone.space.labels, [names[v] for v in weights], Mat.of(rows))


def _require_private(read: Read) -> None:
    cone = read.cone
    for column in read.posteriors():
        gathered, apart = cone.gathered(column)
        if apart is None and cone.violated(gathered) is None:
            continue
        if not cone.eps or apart is not None:
            raise NotPrivate(
                f"at distance 0 (all distances, at ε = 0) rows must be equal, and at ε = "
                f"{about(cone.eps)} some are not; give a larger ε or another space"
            )
        worst = privacy(read.channel, cone.space, eps=cone.eps).worst
        words = "" if worst is None else f": {worst.words()}"
        raise NotPrivate(
            f"the channel is not ε·d-private at ε = {about(cone.eps)}{words}; only private channels "
            "are refinements of kernels"
        )
