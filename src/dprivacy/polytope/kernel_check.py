"""Is a channel a vertex mechanism, is it a kernel mechanism, and if not, why not?"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.model import Verdict, about, shown
from dprivacy.numbers import Mat, null_space
from dprivacy.polytope.cones.exact_columns import Read
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike, SpaceLike
from dprivacy.verify import privacy


@dataclass(frozen=True)
class KernelVerdict(Verdict):
    """Whether a channel is a kernel (or a vertex) mechanism, with what decides it.

    `reason` says it in words. Where it fails: `output` is the observation whose posterior is not
    private or not a vertex; `pair` are two inputs whose entries break the bound; `parts` are the
    groups of inputs that can be scaled against each other, so that the posterior is not a vertex;
    `dependency` are coefficients, by output, with Σ_y k_y·C[x, y] = 0 for all x.

    Examples
    --------
    >>> print(is_kernel([["1/2", "1/2"], ["1/2", "1/2"]], "discrete", eps="ln 2").reason)
    The posterior of output 0 | 1 is not a vertex: no tight constraint ties {0} and {1} together.
    """

    reason: str = ""
    output: Label = None
    pair: tuple[Label, Label] | None = None
    parts: tuple[tuple[Label, ...], ...] = ()
    dependency: dict[Label, Fraction] | None = None

    def explain(self) -> str:
        """The verdict in words, with the reason."""
        return f"{super().explain()} {self.reason}"


@result("T", "Def 6.3.1")
def is_vertex_mechanism(
    C: ChannelLike, space: SpaceLike | None = None, *, eps: LevelLike
) -> KernelVerdict:
    """Whether C is ε·d-private and all its posteriors are vertices of the space of private hypers.

    Parameters
    ----------
    C, space, eps
        As for `is_kernel`.

    Notes
    -----
    1. Proportional columns are one posterior, impossible outputs are none.
    2. A posterior is a vertex when its tight constraints tie all inputs together.

    Examples
    --------
    >>> C = [["2/3", "1/3"], ["1/3", "2/3"], ["1/3", "2/3"]]
    >>> is_vertex_mechanism(C, "line", eps="ln 2").parts
    ((0, 1), (2,))
    """
    return _vertex(Read.of(C, space, eps), "a vertex mechanism")


@result("T", "Def 6.3.2", "Property 1")
def is_kernel(C: ChannelLike, space: SpaceLike | None = None, *, eps: LevelLike) -> KernelVerdict:
    """Whether C is a kernel mechanism: a vertex mechanism with linearly independent posteriors.

    Parameters
    ----------
    C, space
        An exact channel, or anything `as_channel` reads, and the metric on its inputs (a mechanism's
        own when omitted).
    eps
        Any level can be decided, rational e^ε or not.

    Returns
    -------
    KernelVerdict
        Proved or refuted, with the reason: the pair that is not private, the posterior that is not a
        vertex, or the dependency of posteriors.

    Examples
    --------
    >>> G = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
    >>> bool(is_kernel(G, "line", eps="ln 2"))
    True
    >>> is_kernel(G, "line", eps="ln 3").output
    0
    """
    read = Read.of(C, space, eps)
    found = _vertex(read, "a kernel mechanism")
    if not found:
        return found
    joint = read.hyper.joint
    basis = null_space(Mat(joint.entries, 1))
    if basis.shape[0] == 0:
        count = joint.shape[1]
        many = f"Its {count} posteriors are linearly independent vertices."
        reason = many if count > 1 else "The posterior is a vertex."
        return KernelVerdict(found.claim, True, True, reason=reason, denial=found.denial)
    outputs = read.hyper.observations
    coefficients = {y: Fraction(k) for y, k in zip(outputs, basis.row(0), strict=True) if k}
    terms = " + ".join(f"({about(k)})·C[x, {shown(y)}]" for y, k in coefficients.items())
    return KernelVerdict(
        found.claim,
        False,
        True,
        reason=f"Its posteriors are vertices, but linearly dependent: {terms} = 0 for every x.",
        dependency=coefficients,
        denial=found.denial,
    )


def _vertex(read: Read, what: str) -> KernelVerdict:
    cone, labels = read.cone, read.channel.rows
    level = f"{what} for ε·d at ε = {about(cone.eps)}"
    claim, denial = f"the channel is {level}", f"the channel is not {level}"

    def refuted(reason: str, output: Label, **shown_by: Any) -> KernelVerdict:
        return KernelVerdict(claim, False, True, 0.0, reason, output, denial=denial, **shown_by)

    private = None if not cone.eps else privacy(read.channel, cone.space, eps=cone.eps)
    for y, column in zip(read.hyper.observations, read.posteriors(), strict=True):
        gathered, apart = cone.gathered(column)
        edge = None if apart else cone.violated(gathered)
        if edge is not None:
            apart = cone.classes[edge.i][0], cone.classes[edge.j][0]
        if apart is not None:
            i, j = apart if column[apart[0]] > column[apart[1]] else apart[::-1]
            reason = f"It is not private: output {shown(y)} tells {shown(labels[i])} from "
            reason += f"{shown(labels[j])} too well."
            if private is not None and private.worst is not None:
                reason = f"It is not private: {private.worst.words()}."
            return refuted(reason, y, pair=(labels[i], labels[j]))
        parts = cone.parts(gathered)
        if len(parts) > 1:
            named = tuple(tuple(labels[i] for k in part for i in cone.classes[k]) for part in parts)
            shares = " and ".join("{" + ", ".join(map(shown, part)) + "}" for part in named)
            reason = (
                f"The posterior of output {shown(y)} is not a vertex: no tight constraint ties "
                f"{shares} together."
            )
            return refuted(reason, y, parts=named)
    return KernelVerdict(
        claim, True, True, reason="All its posteriors are vertices.", denial=denial
    )
