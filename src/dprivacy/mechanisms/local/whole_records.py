"""Several questions to one person: the level of the whole record, and what each answer costs.

Three ways are known. *Split*: every attribute is reported, each at its part of the level. *Sample*: one
attribute, drawn at random, is reported at the whole level, and which one is told. *Fakes*: one is
reported, uniform values stand in for the others, and which one is true is not told. Papers give
fakes a better level than they have for a whole record: it holds for two records that differ in one
attribute. Where all attributes differ, the level is that of the true report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from dprivacy.errors import BadNumber, UnknownName, WrongShape
from dprivacy.mechanisms.containers.python_values import listed
from dprivacy.mechanisms.local.local_families import subset_response
from dprivacy.mechanisms.local.local_mechanism import LocalMechanism
from dprivacy.mechanisms.local.protocol_choice import local_plan
from dprivacy.model import Answer, Channel, about
from dprivacy.numbers import Level, Mat, as_eps, float_up, ln, root_above
from dprivacy.sampling import Source, choose_source, uniform_array
from dprivacy.typing import Label, LevelLike

How = Literal["split", "sample", "fakes"]


@dataclass(frozen=True, repr=False, eq=False)
class SeveralAttributes(Answer):
    """One way of asking for several attributes, with its levels.

    Attributes
    ----------
    how
        "split", "sample" or "fakes".
    mechanisms
        What each attribute is reported with, by its name.
    whole
        The level for a whole record: between any two people.
    alone
        For each attribute the level between two people who differ in it alone.

    Examples
    --------
    >>> asked = {"drink": ["tea", "coffee"], "town": ["Ayr", "Bude", "Cork"]}
    >>> found = several_attributes(asked, eps="ln 4", how="fakes")
    >>> print(found.whole, found.alone["drink"])
    ln(4) ln(7/3)
    >>> print(found.channels["drink"]["tea", "tea"], round(found.error("drink", n=1000), 3))
    13/20 0.05
    """

    how: How
    mechanisms: Mapping[str, LocalMechanism]
    whole: Level
    alone: Mapping[str, Level]
    exact: bool = True

    @property
    def channels(self) -> dict[str, Channel]:
        """With fakes: what a column of reports is to its true values, for `estimate`."""
        if self.how != "fakes":
            raise UnknownName(f"columns of {self.how} reports are estimated by their mechanisms")
        return {name: self._mixed(mechanism) for name, mechanism in self.mechanisms.items()}

    def _mixed(self, mechanism: LocalMechanism) -> Channel:
        """One time in d the report, and else a uniform label."""
        k, d = len(mechanism.labels), len(self.mechanisms)
        p, q = mechanism.p, mechanism.q
        even = Fraction(d - 1, d * k)
        rows = [[(p if x == y else q) / d + even for y in range(k)] for x in range(k)]
        return Channel(mechanism.labels, mechanism.labels, Mat.of(rows))

    def randomise(
        self, records: Mapping[str, Sequence[Label]], *, source: Source | None = None
    ) -> dict[str, list[Any]]:
        """The reports of many people, a column an attribute; None where nothing is reported.

        Parameters
        ----------
        records
            For each attribute a list with one value a person.
        source
            The random source; the system's when omitted.
        """
        draw = source or choose_source()
        columns = {name: listed(records[name]) for name in self._names(records)}
        sizes = {len(column) for column in columns.values()}
        if len(sizes) != 1:
            raise WrongShape(
                f"every attribute needs one value a person, not {sorted(sizes)} values"
            )
        n = sizes.pop()
        reports = {
            name: self.mechanisms[name].using(draw).randomise(column)
            for name, column in columns.items()
        }
        if self.how == "split":
            return reports
        chosen = uniform_array(len(columns), n, draw).tolist()
        return {
            name: self._kept(at, name, reports[name], chosen, draw)
            for at, name in enumerate(self.mechanisms)
        }

    def _kept(
        self, at: int, name: str, reports: Any, chosen: list[int], source: Source
    ) -> list[Any]:
        if self.how == "sample":
            return [y if c == at else None for y, c in zip(reports, chosen, strict=True)]
        labels = self.mechanisms[name].labels
        fakes = uniform_array(len(labels), len(chosen), source).tolist()
        both = zip(reports, fakes, chosen, strict=True)
        return [labels[y[0]] if c == at else labels[fake] for y, fake, c in both]

    def _names(self, records: Mapping[str, Any]) -> list[str]:
        if set(records) != set(self.mechanisms):
            told = ", ".join(self.mechanisms)
            raise UnknownName(
                f"the attributes should be {told}, not {', '.join(map(str, records))}"
            )
        return list(self.mechanisms)

    def error(self, name: str, n: int) -> float:
        """The standard error of an estimated share of one attribute, from n people."""
        mechanism, d = self.mechanisms[name], len(self.mechanisms)
        k = len(mechanism.labels)
        if self.how == "fakes":
            channel = self._mixed(mechanism)
            p, q = Fraction(channel.matrix[0, 0]), Fraction(channel.matrix[0, 1])
            total = (p * (1 - p) + (k - 1) * q * (1 - q)) / (p - q) ** 2
            return float_up(root_above(total / k / n))
        variance = mechanism.reports.total_variance() / k
        if self.how == "split":
            return float_up(root_above(variance / n))
        # n/d people report; that they are a sample counts as it does for a population.
        drawn = Fraction(d - 1, n) * Fraction(k - 1, k * k)
        return float_up(root_above(variance * d / n + drawn))

    def explain(self) -> str:
        """The levels in words."""
        ways = {
            "split": "Every attribute is reported, each at its part of the level.",
            "sample": "One attribute, drawn at random, is reported; which one is told.",
            "fakes": "One attribute is reported, and uniform values stand in for the others.",
        }
        alone = ", ".join(f"{name} {about(level)}" for name, level in self.alone.items())
        return (
            f"{ways[self.how]} A whole record is {about(self.whole)}-private; between people who "
            f"differ in one attribute alone: {alone}."
        )


def several_attributes(
    attributes: Mapping[str, Sequence[Label]],
    *,
    eps: LevelLike,
    how: How = "sample",
    n: int = 10_000,
) -> SeveralAttributes:
    """Ask for several attributes at once, at one level for the whole record.

    Parameters
    ----------
    attributes
        For each attribute its labels.
    eps
        The level of the whole record.
    how
        "split", "sample" or "fakes"; see the attributes of the answer. Sampling has the least error
        in most cases.
    n
        How many people are expected, for choosing mechanisms.

    Notes
    -----
    With a = e^ε and d attributes: split reports each at ε/d (the factors multiply to at most a). Sample
    has the level ε both for a whole record and for one attribute. For fakes, with P(y) proportional to
    Σ_j k_j·M_j(y_j | x_j), the largest odds are a between records that differ everywhere; between
    records that differ in one attribute they are (a + d − 1)/d, if all have equally many labels.

    Examples
    --------
    >>> asked = {"drink": ["tea", "coffee"], "town": ["Ayr", "Bude", "Cork"]}
    >>> found = several_attributes(asked, eps="ln 4", how="split")
    >>> print(found.whole, found.alone["town"])
    ln(4) ln(2)
    """
    UnknownName.require("how", how, get_args(How))
    if len(attributes) < 2:
        raise BadNumber("several attributes are at least two; one is what a local mechanism is for")
    level, d = as_eps(eps), len(attributes)
    part = level / d if how == "split" else level
    if how == "fakes":  # sets of one label: fakes must look like reports
        made = {x: subset_response(labels, eps=part, size=1) for x, labels in attributes.items()}
    else:
        made = {x: local_plan(labels, eps=part, n=n).mechanism for x, labels in attributes.items()}
    alone: dict[str, Level] = dict.fromkeys(made, part)
    if how == "fakes":
        alone = {name: _one_differs(made, name) for name in made}
    return SeveralAttributes(how, made, level, alone)


def _one_differs(made: Mapping[str, LocalMechanism], name: str) -> Level:
    """ln of the largest odds between records that differ in one attribute, with fakes.

    The others add Σ k·q at the least, which is when none of their reports is true.
    """
    worth = {x: len(m.labels) * m.q for x, m in made.items()}
    rest = sum((v for x, v in worth.items() if x != name), Fraction(0))
    mechanism = made[name]
    k = len(mechanism.labels)
    return ln((k * mechanism.p + rest) / (k * mechanism.q + rest))
