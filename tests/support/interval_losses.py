"""Losses and random consumers on 0, 1/N, …, 1."""

from fractions import Fraction as Q

from dprivacy.flow import loss
from dprivacy.model import Dist
from dprivacy.spaces import quantised

LEVELS = ["4 ln 2", "ln 3", 1, "1/10", "12 ln(3/2)", 20]


def absolute(w, x):
    return abs(w - x)


def squared(w, x):
    return (w - x) ** 2


def points(N):
    return quantised(0, 1, Q(1, N)).labels


def random_setting(rng, N, k=4):
    labels = points(N)
    weights = [rng.randint(0, 5) for _ in labels]
    weights[rng.randrange(N + 1)] += 1
    prior = Dist(labels, [Q(w, sum(weights)) for w in weights])
    table = loss.matrix(range(k), labels, [[rng.randint(-3, 9) for _ in labels] for _ in range(k)])
    return prior, table
