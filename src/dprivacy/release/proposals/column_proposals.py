"""For each variable of a codebook what would be done with its column, and why; or that it is open."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from dprivacy.errors import BadPlan, UnknownName
from dprivacy.release.codebooks.codebook_model import Codebook, Variable, end_of
from dprivacy.release.proposals.toml_lines import toml_text
from dprivacy.release.proposals.variable_kinds import Answers, answers_of, listed, ranked
from dprivacy.release.proposals.variable_roles import Purpose, made_from, purpose_of

CHOICES = ("drop", "publish", "categories", "ordered", "numbers", "dates", "tree")


@dataclass(frozen=True)
class ColumnProposal:
    """What would be done to one column: a type of a plan, "drop", "publish" or "decide"; and why."""

    name: str
    what: str
    reasons: tuple[str, ...]
    variable: Variable
    answers: Answers | None = None
    offers: tuple[str, ...] = ()

    @property
    def protects(self) -> bool:
        """Whether the plan has a table of settings for it."""
        return self.what not in ("drop", "publish", "decide")

    @property
    def reason(self) -> str:
        """The reasons in one line."""
        return "; ".join(self.reasons)


def proposed_columns(
    book: Codebook, names: Sequence[str], choices: Mapping[str, str], *, shared: bool = False
) -> list[ColumnProposal]:
    """A proposal for each column: what somebody chose, or what the codebook suggests.

    Where the columns share a row's level, hierarchies and orders are proposed as categories.
    """
    for name in choices:
        UnknownName.require("--as: the column", name, names)
    known = {variable.name: variable for variable in book.variables}
    every = frozenset(known)
    found = [
        _chosen(name, known.get(name, Variable(name)), choices[name])
        if name in choices
        else _suggested(known[name], every)
        if name in known
        else ColumnProposal(
            name, "decide", ("the codebook does not describe it",), Variable(name), offers=_USUAL
        )
        for name in names
    ]
    if not shared:
        return found
    return [_flat(column, chosen=column.name in choices) for column in found]


def _flat(column: ColumnProposal, *, chosen: bool) -> ColumnProposal:
    """A list in place of a hierarchy, with which levels are not shared, or of an order.

    Noise by order takes a level many times as large for the same error in counts, and would leave the
    other columns of the row next to nothing; it is taken where somebody has chosen it.
    """
    answers = column.answers
    if answers is None or column.what not in ("tree", "ordered"):
        return column
    if column.what == "tree":
        why = "as categories, for the budget of a row is not shared with trees"
        reasons = (*column.reasons, why)
    elif chosen:
        return column
    else:
        answers = listed(column.variable)
        reasons = (
            *answers.reasons,
            f"they seem to be in order; --as {column.name}=ordered protects neighbours more than the "
            "ends, and for the same error in counts takes much more of what the row may tell",
        )
    answers = replace(answers, kind="categories")
    return replace(column, what="categories", reasons=reasons, answers=answers)


_USUAL = ("drop: leave it out", "publish: everybody's answer can be read off as it is")


def _suggested(variable: Variable, names: Set[str]) -> ColumnProposal:
    purpose = purpose_of(variable)
    if purpose is not None:
        return _by_purpose(variable, purpose)
    answers = answers_of(variable)
    reasons = answers.reasons
    if origin := made_from(variable, names):
        reasons += (
            f"it reads as computed from {origin}: noise on both spends twice for one secret, so that "
            "one of them might be dropped",
        )
    offers: tuple[str, ...] = ()
    if answers.kind == "decide":
        offers = ("LOW:HIGH: the public range of its numbers or dates", *_USUAL)
        if not variable.values:
            offers = ("or name a list of its codes: --codes NAME=FILE", *offers)
    return ColumnProposal(variable.name, answers.kind, reasons, variable, answers, offers)


def _by_purpose(variable: Variable, purpose: Purpose) -> ColumnProposal:
    if purpose.identifies:
        unit = f"write unit = {toml_text(variable.name)} and rows_per_person"
        if purpose.role == "household":
            why = f"{purpose.reason}; to protect households as a whole, {unit}, their most members"
        else:
            why = f"{purpose.reason}; if a person has several rows with the same number, {unit}"
        return ColumnProposal(variable.name, "drop", (why,), variable)
    why = f"{purpose.reason}, which noise would make useless"
    return ColumnProposal(variable.name, "decide", (why,), variable, offers=purpose.offers)


def _chosen(name: str, variable: Variable, choice: str) -> ColumnProposal:
    """What somebody chose for a column, on the command line or in Python."""
    if choice in ("drop", "publish"):
        return ColumnProposal(name, choice, ("as was chosen",), variable)
    if ":" in choice:
        low, high = map(end_of, choice.split(":", 1))
        if low is None or high is None or type(low) is not type(high) or low >= high:  # type: ignore[operator]
            raise BadPlan(
                f"--as {name}={choice}: a range should be LOW:HIGH, such as 0:110 or "
                "2020-01-01:2020-12-31"
            )
        note = "; ".join(filter(None, (variable.note, "range chosen by hand")))
        variable = replace(variable, low=low, high=high, measure="scale", note=note)
        answers = answers_of(variable)
    elif choice not in CHOICES:
        raise UnknownName.among(f"--as {name}: the choice", choice, (*CHOICES, "LOW:HIGH"))
    elif choice in ("categories", "ordered"):
        if len(variable.values) < 2:
            raise BadPlan(f"--as {name}={choice}: the codebook lists no codes for it; see --codes")
        answers = listed(variable) if choice == "categories" else ranked(variable)
    else:
        answers = answers_of(variable)
    fits = choice not in CHOICES or choice == answers.kind
    if answers.kind == "decide" or not fits:
        raise BadPlan(f"--as {name}={choice}: does not fit, as {answers.reasons[-1]}")
    return ColumnProposal(
        name, answers.kind, ("as was chosen", *answers.reasons), variable, answers
    )
