"""An optimum read as a mixture of kernels: which of the space's building blocks it is made of."""

from fractions import Fraction
from typing import Any

from dprivacy.design.optimum__design_result import Optimum
from dprivacy.errors import Uncertified
from dprivacy.flow import posterior_uncertainty
from dprivacy.polytope import Decomposition, decompose


def as_kernels(optimum: Optimum) -> Decomposition:
    """An optimal channel as (Σ λ_i·K_i) @ R: kernels, how much of each, and what is done with them.

    Every kernel of an exact optimum is optimal by itself, once the consumer remaps it.

    Parameters
    ----------
    optimum
        An exact optimum on a space with rational e^(ε·d) and finite distances.

    Raises
    ------
    Uncertified
        When the optimum is not exact: rounded channels are made of thousands of vertices.

    Examples
    --------
    >>> from dprivacy.design import optimal
    >>> from dprivacy.spaces import line
    >>> mixed = as_kernels(optimal(line(3), eps="ln 2"))
    >>> print(*mixed.weights)
    1
    """
    if not optimum.exact:
        raise Uncertified(
            "only an exact optimum is read as a mixture of kernels; take a space and ε = ln(q) for "
            "which e^(ε·d) is rational, and few enough points"
        )
    return decompose(optimum.channel, optimum.problem.space, eps=optimum.problem.eps)


def kernel_losses(optimum: Optimum) -> tuple[Any, ...]:
    """The expected loss of each kernel of an exact optimum, remapped; they all equal the optimum's."""
    problem = optimum.problem
    return tuple(
        Fraction(posterior_uncertainty(problem.prior, kernel, problem.loss))
        if problem.exact
        else posterior_uncertainty(problem.prior, kernel, problem.loss)
        for kernel in as_kernels(optimum).kernels
    )
