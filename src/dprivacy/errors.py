"""Every exception and warning of dprivacy.

One base class; each subclass is named by the fact it states. A message says what was expected, what
came (labels and values, never a secret), where, and the way out.
"""

from collections.abc import Iterable


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number of things inside a sentence.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row"), counted(2, "entry", "entries")
    ('1 row', '1,200 rows', '2 entries')
    """
    return f"{int(number):,} {noun if number == 1 else plural or noun + 's'}"


_HALF = 1500  # characters at either end of a message


class DPrivacyError(ValueError):
    """Base of every error that dprivacy raises on purpose.

    As text it is one line. Labels and names of columns come from files, and a line break or a
    terminal's control sequence in one is written as an escape; where a file has thousands of them, the
    middle is left out.
    """

    def __str__(self) -> str:
        """The message, with every character that cannot be printed as an escape."""
        text = super().__str__()
        if len(text) > 2 * _HALF:
            text = f"{text[:_HALF]} … {text[-_HALF:]}"
        if text.isprintable():
            return text
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class BadLevel(DPrivacyError):
    """A privacy level (or δ) that is not a usable number: unparsable, NaN, infinite, ≤ 0, a bool."""


class NotStochastic(DPrivacyError):
    """A row (or a prior) whose entries are not probabilities that sum to 1."""


class NotAMetric(DPrivacyError):
    """A table of distances that breaks an axiom; the message names the offending points."""


class SpaceMismatch(DPrivacyError):
    """Two objects that should speak of the same labels and do not."""


class MixedArithmetic(DPrivacyError):
    """Exact numbers and floats in one computation; the message names the way out."""


class DuplicateLabel(DPrivacyError):
    """The same label twice (also after Unicode normalisation)."""


class UnknownCategory(DPrivacyError):
    """A label that the space or channel does not have."""


class NotPrivate(DPrivacyError):
    """A guarantee that the numbers do not bear out; the message names the pair and the output."""


class NotInvertible(DPrivacyError):
    """A channel without an inverse."""


class Unidentified(DPrivacyError):
    """A model of which the data, after the noise, do not determine every coefficient."""


class Malformed(DPrivacyError):
    """Input that is not what was asked for; never raised itself, each fact has its class below."""


class BadFile(Malformed):
    """A file that cannot be read or written, or is not in the format it claims."""


class UnclearTable(BadFile):
    """A table of which a person must say how it is written; `setting` is what to say.

    Examples
    --------
    >>> print(UnclearTable("in.csv", "it has several sheets", "sheet"))
    in.csv: it has several sheets; pass the name of one as --sheet (sheet=)
    """

    def __init__(self, file: object, reason: str, setting: str) -> None:
        super().__init__(f"{file}: {reason}{_WAYS_OUT[setting]}")
        self.file, self.reason, self.setting = file, reason, setting


_WAYS_OUT = {
    "header": ", so that it may be a person's record; pass --header (header=True) if it holds names of "
    "columns, and --no-header if it does not",
    "delimiter": "; pass what stands between its cells as --delimiter (delimiter=)",
    "encoding": "; save it as UTF-8, or pass its encoding as --encoding (encoding=)",
    "sheet": "; pass the name of one as --sheet (sheet=)",
}


class OutputExists(Malformed):
    """An output that would be overwritten."""


class BadPlan(Malformed):
    """A plan, a card or a column's settings that do not add up."""


class UnknownName(Malformed):
    """An option, column or choice that does not exist; the message names the nearest."""

    @classmethod
    def among(cls, what: str, given: object, known: Iterable[object]) -> "UnknownName":
        """The error for a name that is not one of those known.

        Examples
        --------
        >>> print(UnknownName.among("distance", "l2", ["L2", "sup"]))
        distance should be one of 'L2', 'sup', not 'l2'; did you mean 'L2'?
        """
        from difflib import get_close_matches  # on a refusal only: it is slow to load

        choices = [str(name) for name in known]
        folded = {name.casefold(): name for name in choices}
        near = get_close_matches(str(given).casefold(), folded, n=1)
        hint = f"; did you mean {folded[near[0]]!r}?" if near else ""
        return cls(f"{what} should be one of {', '.join(map(repr, choices))}, not {given!r}{hint}")

    @classmethod
    def require(cls, what: str, given: object, known: Iterable[object]) -> None:
        """Refuse a name that is not one of those known."""
        choices = tuple(known)
        if given not in choices:
            raise cls.among(what, given, choices)


class WrongShape(Malformed):
    """Lengths or shapes that disagree: ragged rows, an empty table, a matrix that is not square."""


class BadNumber(Malformed):
    """A number outside its range, or text that is not a number."""


class WrongKind(Malformed, TypeError):
    """A value of the wrong type."""


class NotApplicable(Malformed):
    """Well-formed, but the question has no answer for it."""


class MissingExtra(DPrivacyError):
    """A library that an extra brings is not installed; the message has the command."""


class TooLarge(DPrivacyError):
    """A construction whose size would not fit; the message gives the estimate."""


class Uncertified(DPrivacyError):
    """An exact answer could not be established."""


class RepeatedStream(DPrivacyError):
    """Randomness that would be used twice: a keyed stream copied into another process."""


class BudgetExceeded(DPrivacyError):
    """A release that would spend more than the budget; the message says what is spent and left."""


class AlreadyReleased(DPrivacyError):
    """A source that was sanitised before, and nobody said that this is meant."""


class BrokenLedger(DPrivacyError):
    """A ledger that cannot be relied on: damaged, edited, rolled back, or with another key."""


class LedgerInterrupted(BadFile):
    """A ledger that broke off or did not answer: what was asked of it may be done or not."""


class Unfinished(DPrivacyError):
    """A file job that is not done: it stopped half-way, or another process is at it now."""


class NotStored(DPrivacyError):
    """Reports that a collector could not put on its disk or into its database; send them again."""


class PrivacyLeakWarning(UserWarning):
    """What was asked for may reveal more than the stated guarantee."""


class UnprovedWarning(UserWarning):
    """What a card says and nothing has proved, since that would take too long."""


class InsecureSeedWarning(PrivacyLeakWarning):
    """Noise from a seed: whoever knows or guesses the seed can take the noise off again."""
