"""The distributions met first: uniform, on one point, of observed values, of two values at once."""

from collections import Counter
from collections.abc import Iterable, Sequence

from dprivacy.errors import NotStochastic, UnknownCategory, WrongShape
from dprivacy.model.distributions import Dist, as_prior
from dprivacy.model.labelled_matrix import Labelled
from dprivacy.model.noun_input import labels_of
from dprivacy.numbers import Mat
from dprivacy.spaces import locate, positions, python_value, require_list
from dprivacy.typing import Label, SpaceLike, TableLike


def uniform(over: SpaceLike | Iterable[Label]) -> Dist:
    """The uniform distribution on the points of a space, on a mechanism's secrets or on labels.

    Examples
    --------
    >>> uniform(["tea", "coffee", "water"])["tea"], uniform("line:4")[0]
    (Fraction(1, 3), Fraction(1, 4))
    """
    labels = labels_of(over)
    return as_prior(None, labels)


def point(label: Label, over: SpaceLike | Iterable[Label]) -> Dist:
    """All probability on one label.

    Examples
    --------
    >>> point("tea", ["tea", "coffee"]).weights
    [Fraction(1, 1), Fraction(0, 1)]
    """
    labels = labels_of(over)
    at = locate(positions(labels), label, "the labels")
    return Dist(labels, [int(k == at) for k in range(len(labels))])


def empirical(values: Iterable[Label], over: SpaceLike | Iterable[Label]) -> Dist:
    """The frequencies of some values, exactly.

    Parameters
    ----------
    values
        The observed values.
    over
        The space or labels they are declared to come from. A domain is never read off the data.

    Examples
    --------
    >>> empirical(["tea", "tea", "coffee"], ["tea", "coffee", "water"])
    Dist(tea: 2/3, coffee: 1/3, water: 0)
    """
    labels = labels_of(over)
    counts = Counter(python_value(value) for value in require_list(values, "values", "values"))
    total = sum(counts.values())
    known = set(labels)
    strange = sum(count for value, count in counts.items() if value not in known)
    if strange:
        raise UnknownCategory(f"{strange} of {total} values are outside the declared labels")
    if not total:
        raise WrongShape("there are no values; at least one is needed")
    return Dist(labels, Mat.over(total, [[counts[label] for label in labels]]))


def joint(rows: Sequence[Label], columns: Sequence[Label], table: TableLike) -> Dist:
    """A correlation: the joint distribution of two values from a table of counts or weights.

    Parameters
    ----------
    rows, columns
        The values of the two coordinates.
    table
        Counts (whole numbers) or weights; they are divided by their sum.

    Examples
    --------
    >>> smoking = joint(["young", "old"], ["smokes", "does not"], [[1, 3], [2, 2]])
    >>> smoking.marginal(1)
    Dist(smokes: 3/8, does not: 5/8)
    """
    counts = Labelled(rows, columns, table).matrix
    flat = [value for row in counts.rows() for value in row]
    total = sum(flat)
    if not total > 0 or any(value < 0 for value in flat):
        raise NotStochastic(
            f"a joint distribution needs counts of at least 0 that are not all 0; the least is "
            f"{min(flat)}, the sum {total}"
        )
    return Dist([(x, y) for x in rows for y in columns], [value / total for value in flat])
