"""What a variable is for, where it holds no answer: weight, identifier, household, stratum, cluster."""

import re
from collections.abc import Set
from dataclasses import dataclass
from typing import Literal, get_args

from dprivacy.release.codebooks.codebook_model import Variable

Role = Literal["weight", "household", "identifier", "cluster", "stratum"]

# Parts of names, in small letters; and words of labels.
_NAMES: dict[Role, str] = {
    "weight": r"w|weights?|wei?ghts?|wgts?|wts?|p?wgtp|fnlwgt|perwt|hhwt|hweight|pweight",
    "household": r"hid|hhid|hhnr|serialno|householdid",
    "identifier": r"id|pid|uid|uuid|ssn|nino|caseid|personid|respid|email|mail|phone|iban|passport",
    "cluster": r"psu|clusters?|sdmvpsu",
    "stratum": r"strata|stratum|strat|sdmvstra",
}
_LABELS: dict[Role, str] = {
    "weight": r"\b(sampling|survey|design|final|person|household|housing unit|post-?stratification"
    r"|analysis|population|replicate|expansion|calibrated|grossing)[\w\s-]{0,20}\b(weights?|factors?)\b"
    r"|^weights?$|\bweighting\b",
    "household": r"\bhousehold('s)? (id|identifier|identification|number|serial)\b",
    "identifier": r"\b(identifier|identification (number|code)|(case|respondent|serial|record|person) "
    r"(id|number|no\.?)|social security number|e-?mail|telephone|passport)\b",
    "cluster": r"\bprimary sampling unit\b|\bsampling cluster\b|\benumeration area\b",
    "stratum": r"\b(sampling|survey|design|variance) strat(um|a)\b|^strat(um|a)$",
}
_BODY = re.compile(r"\b(kg|kilo\w*|pounds?|lbs?|grams?|birth|body)\b")  # what a person weighs
_FROM = re.compile(
    r"\b(?:(?:of|for|per|within|in) each|per|(?:derived|recoded|computed) from|based on) (?:the )?(\w+)"
)
_NAMES_A_PERSON = frozenset({"name", "person", "address", "surname", "firstname", "lastname"})

_COSTS: dict[Role, tuple[str, ...]] = {
    "weight": (
        "drop: estimates then speak of the people in the table, not of the population",
        "publish: exact weights are rare numbers, which single people out, and tell their strata",
        "coarsen: round the weights to a few values in the table, then publish those",
    ),
    "stratum": (
        "drop: standard errors then take no account of the design, and are usually a little too large",
        "publish: everybody's stratum, often a region or a size class, can be read off",
        "coarsen: merge strata in the table until each holds many people, then publish those",
    ),
    "cluster": (
        "drop: standard errors then take no account of the design, and are too small",
        "publish: who was sampled together can be read off, which is often one village or one street",
        "coarsen: give clusters numbers at random in the table, then publish those",
    ),
}


@dataclass(frozen=True)
class Purpose:
    """A role, and the reason why a variable has it."""

    role: Role
    reason: str

    @property
    def identifies(self) -> bool:
        """Whether it names people or households, so that it is left out."""
        return self.role in ("identifier", "household")

    @property
    def offers(self) -> tuple[str, ...]:
        """What can be done with it, and what each costs."""
        return _COSTS.get(self.role, ())


def purpose_of(variable: Variable) -> Purpose | None:
    """The role of a variable that is not an answer: as the codebook says, or as name and label read.

    Examples
    --------
    >>> purpose_of(Variable("PWGTP", "Person's sampling weight")).role
    'weight'
    >>> purpose_of(Variable("NOC", "Number of own children in household (unweighted)"))
    >>> purpose_of(Variable("weight", "Weight in kg"))
    """
    if variable.role:
        said: list[Role] = [role for role in get_args(Role) if role == variable.role]
        return Purpose(said[0], "the codebook says so") if said else None
    parts = name_parts(variable.name)
    label = variable.label.lower()
    listed = bool(variable.values) and variable.low is None
    for role in get_args(Role):
        if role == "weight" and (_BODY.search(label) or _BODY.search(variable.unit.lower())):
            continue
        if role == "identifier" and listed:  # what has a list of codes names no person
            continue
        if any(re.fullmatch(_NAMES[role], part) for part in parts):
            return Purpose(role, f"its name reads as {_an(role)}")
        if re.search(_LABELS[role], label):
            return Purpose(role, f"its label reads as {_an(role)}")
    if not listed and variable.low is None and not _NAMES_A_PERSON.isdisjoint(parts):
        return Purpose("identifier", "its name says that it identifies people")
    return None


def made_from(variable: Variable, others: Set[str]) -> str:
    """The variable that another is computed from, as its label or its name says; empty for none.

    Examples
    --------
    >>> made_from(Variable("DENSITY", "Population density of each PUMA"), {"PUMA", "AGEP"})
    'PUMA'
    >>> made_from(Variable("INDP_CAT", "Industry categories"), {"INDP", "INDP_CAT"})
    'INDP'
    """
    for told in _FROM.finditer(variable.label):
        if told[1] in others and told[1] != variable.name:
            return told[1]
    parts = variable.name.split("_")
    stems = ("_".join(parts[:k]) for k in range(len(parts) - 1, 0, -1))
    return next((stem for stem in stems if len(stem) > 1 and stem in others), "")


def name_parts(name: str) -> list[str]:
    """A name in small letters, at its signs and its inner capitals.

    Examples
    --------
    >>> name_parts("sampling_weight"), name_parts("personId"), name_parts("SERIALNO")
    (['sampling', 'weight'], ['person', 'id'], ['serialno'])
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return [part for part in re.split(r"[\W_]+", spaced.lower()) if part]


def _an(role: str) -> str:
    return {"identifier": "an identifier", "household": "a household's number"}.get(
        role, f"a {role}"
    )
