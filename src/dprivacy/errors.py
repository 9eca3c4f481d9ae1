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

    Examples
    --------
    >>> import copy
    >>> from unittest.mock import patch
    >>> import dprivacy as dp
    >>> try:
    ...     dp.line(0)
    ... except ValueError as error:  # which every error here is
    ...     print(f"{type(error).__name__}: {error}")
    BadNumber: points of a line: a whole number of at least 1 is needed, not 0
    >>> dp.geometric(dp.line(3), eps=-1)
    Traceback (most recent call last):
    dprivacy.errors.BadLevel: ε must be greater than 0, not -1
    >>> dp.Dist(["rain", "sun"], ["1/2", "1/3"])
    Traceback (most recent call last):
    dprivacy.errors.NotStochastic: the probabilities sum to 5/6, not 1
    >>> dp.spaces.from_table(["a", "b", "c"], [[0, 1, 5], [1, 0, 1], [5, 1, 0]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.NotAMetric: the triangle inequality fails: d('a', 'c') = 5 is more than the ...
    >>> dp.refines([["1/2", "1/2"]], [["1/2", "1/2"]] * 2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.SpaceMismatch: comparing two channels: inputs: the labels differ (1 only in ...
    >>> dp.Dist(["rain", "sun"], ["1/2", 0.5])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.MixedArithmetic: 'rain' is the exact number 1/2 but 'sun' is the float 0.5; ...
    >>> dp.discrete(["tea", "tea"])
    Traceback (most recent call last):
    dprivacy.errors.DuplicateLabel: labels: 'tea' appears twice; labels must be distinct
    >>> dp.randomised_response(["yes", "no"], eps=1).channel["maybe", "no"]
    Traceback (most recent call last):
    dprivacy.errors.UnknownCategory: 'maybe' is not among the inputs; they are 'yes', 'no'
    >>> dp.release.from_floats([[1.0, 0.0], [0.5, 0.5]]).mechanism()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.NotPrivate: A matrix of floats has no ε: the output '1' is never given for ...
    >>> dp.Channel([0, 1], [0, 1], [["1/2", "1/2"]] * 2).inverse()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.NotInvertible: this channel cannot be inverted: the matrix has rank 1, less ...
    >>> dp.estimation.regress("y ~ x", {"y": [0, 1, 2], "x": [1, 1, 1]})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.Unidentified: the columns do not determine the 2 coefficients: x is ...
    >>> dp.line(10**7)
    Traceback (most recent call last):
    dprivacy.errors.TooLarge: the line has 10,000,000 points; at most 20,000 fit in a table of distances
    >>> dp.polytope.count_kernels("line:3", eps="1/2")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.Uncertified: e^(ε·d) is not rational for 0 and 1 (ε = 1/2, d = 1), so that ...
    >>> copy.copy(dp.sampling.KeyedSource(bytes(32)))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.RepeatedStream: KeyedSource(partition=0) cannot be copied or pickled, ...
    >>> with patch.dict("sys.modules", matplotlib=None):  # as where it is not installed
    ...     dp.extras.matplotlib()
    Traceback (most recent call last):
    dprivacy.errors.MissingExtra: drawing needs matplotlib; install it with pip install 'dprivacy[plot]'
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
    """Input that is not what was asked for; never raised itself, each fact has its class below.

    Examples
    --------
    >>> import tempfile
    >>> import dprivacy as dp
    >>> dp.load("nowhere.json")
    Traceback (most recent call last):
    dprivacy.errors.BadFile: nowhere.json: cannot be read (No such file or directory)
    >>> with tempfile.NamedTemporaryFile() as file:  # doctest: +ELLIPSIS
    ...     dp.save(dp.line(3), file.name)
    Traceback (most recent call last):
    dprivacy.errors.OutputExists: ... already exists; choose another name, or pass ...
    >>> dp.Plan.read({"columns": {"tea": {"type": "categories"}}})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.BadPlan: the plan, column 'tea': epsilon is missing; write epsilon = "ln 2" ...
    >>> dp.Plan.read({"columns": {"tea": {"type": "catagories"}}})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.UnknownName: the plan, column 'tea': type should be one of 'categories', ...
    >>> dp.Channel([0, 1], [0, 1], [["1/2", "1/2"]])
    Traceback (most recent call last):
    dprivacy.errors.WrongShape: 2 inputs and 2 outputs were named, but the matrix is 1×2
    >>> dp.line(0)
    Traceback (most recent call last):
    dprivacy.errors.BadNumber: points of a line: a whole number of at least 1 is needed, not 0
    >>> dp.discrete(7)
    Traceback (most recent call last):
    dprivacy.errors.WrongKind: labels: a list of labels is needed, not 7
    >>> dp.privacy([["3/4", "1/4"], ["1/4", "3/4"]], eps=1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.NotApplicable: a channel alone (list) has no distances between its secrets; ...
    """


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
        """Refuse a name that is not one of those known.

        Examples
        --------
        >>> UnknownName.require("distance", "sup", ["L2", "sup"])
        """
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
    """A release that would spend more than the budget; the message says what is spent and left.

    Examples
    --------
    >>> import tempfile
    >>> import dprivacy as dp
    >>> coin = dp.randomised_response(["yes", "no"], eps="ln 3")
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +ELLIPSIS
    ...     ledger = dp.Ledger(f"{folder}/ledger.db")
    ...     _ = ledger.budget("survey", "ln 2")
    ...     ledger.spend({"smokes": coin}, account="survey")
    Traceback (most recent call last):
    dprivacy.errors.BudgetExceeded: the budget of account 'survey' is ln(2) ≈ 0.6931; 0 is ...
    """


class AlreadyReleased(DPrivacyError):
    """A source that was sanitised before, and nobody said that this is meant.

    Examples
    --------
    >>> import tempfile
    >>> import pandas
    >>> import dprivacy as dp
    >>> frame = pandas.DataFrame({"tea": ["yes", "no"]})
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +ELLIPSIS
    ...     ledger = dp.Ledger(f"{folder}/ledger.db", open=True)
    ...     for _ in range(2):
    ...         released = dp.sanitise(frame, plan, ledger=ledger)
    Traceback (most recent call last):
    dprivacy.errors.AlreadyReleased: released before: column 'tea' (entry 2). Two noisy copies ...
    """


class BrokenLedger(DPrivacyError):
    """A ledger that cannot be relied on: damaged, edited, rolled back, or with another key.

    Examples
    --------
    >>> import tempfile
    >>> from dprivacy.release import Ledger
    >>> with tempfile.NamedTemporaryFile() as file:  # doctest: +ELLIPSIS
    ...     _ = file.write(b"dear diary"), file.flush()
    ...     Ledger(file.name)
    Traceback (most recent call last):
    dprivacy.errors.BrokenLedger: ...: the ledger is damaged, or is not one
    """


class LedgerInterrupted(BadFile):
    """A ledger that broke off or did not answer: what was asked of it may be done or not.

    Examples
    --------
    >>> issubclass(LedgerInterrupted, BadFile)  # where files are caught, so is this
    True
    """


class Unfinished(DPrivacyError):
    """A file job that is not done: it stopped half-way, or another process is at it now.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import dprivacy as dp
    >>> def stop(done, total):
    ...     raise KeyboardInterrupt
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +ELLIPSIS
    ...     table, plan = dp.release.write_demo(Path(folder))
    ...     try:
    ...         dp.sanitise_file(table, plan, f"{folder}/out.csv", progress=stop)
    ...     except KeyboardInterrupt:
    ...         dp.sanitise_file(table, plan, f"{folder}/out.csv")
    Traceback (most recent call last):
    dprivacy.errors.Unfinished: .../out.csv: a job for it stopped before it was done; ...
    """


class NotStored(DPrivacyError):
    """Reports that a collector could not put on its disk or into its database; send them again.

    Examples
    --------
    >>> import tempfile
    >>> from dprivacy.collecting import Collection, new_book
    >>> from dprivacy.mechanisms import randomised_response
    >>> from dprivacy.store import stored_text
    >>> coin = stored_text(randomised_response(["yes", "no"], eps="ln 3"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book = new_book(f"{folder}/smokes.db", Collection.of(coin, question="Do you smoke?"))
    >>> book.add([b"a" * 16], [0], day=20_000)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dprivacy.errors.NotStored: .../smokes.db: the disk refuses to store reports ...
    """


class PrivacyLeakWarning(UserWarning):
    """What was asked for may reveal more than the stated guarantee.

    Examples
    --------
    >>> import warnings
    >>> import dprivacy as dp
    >>> coin = dp.randomised_response(["yes", "no"], eps="ln 3")
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     _ = coin.randomise(["yes"], insecure_seed=1)
    >>> told[0].category.__name__, issubclass(told[0].category, PrivacyLeakWarning)
    ('InsecureSeedWarning', True)
    """


class UnprovedWarning(UserWarning):
    """What a card says and nothing has proved, since that would take too long.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(action="error", category=UnprovedWarning):  # to refuse such cards
    ...     warnings.warn("what the card says of tea is not proved", UnprovedWarning, stacklevel=1)
    Traceback (most recent call last):
    dprivacy.errors.UnprovedWarning: what the card says of tea is not proved
    """


class InsecureSeedWarning(PrivacyLeakWarning):
    """Noise from a seed: whoever knows or guesses the seed can take the noise off again."""
