"""What a board's sheet says of a plan or of a release, from the plan and the card alone."""

from dataclasses import dataclass

from dprivacy.model import counted, shown
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.figures.answer_guesses import AnswerFigures, answer_figures, guess_limit
from dprivacy.release.figures.plain_numbers import (
    factor_said,
    hundredths,
    hundredths_down,
    times_in_hundred,
)
from dprivacy.release.figures.row_statement import RowFigures, row_figures
from dprivacy.release.plans.joint_promise import JointGuarantee, joint_guarantee
from dprivacy.release.plans.release_card import LIBRARY, Card
from dprivacy.release.plans.stored_plans import plan_hash
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.receiving.table_receiver import ReceivedTable
from dprivacy.release.sheets.crossed_answers import Crossed, crossed_answers
from dprivacy.release.sheets.learned_statistics import learned, learned_within
from dprivacy.release.sheets.sheet_contents import (
    GuessedAnswer,
    Learned,
    RowBand,
    Sentence,
    SheetContents,
    Tone,
)
from dprivacy.typing import Number

UNTITLED = "A protected table"
_TONES: dict[str, Tone] = {
    "strong": "good", "limited": "good", "weak": "warn", "next to none": "bad",
}  # fmt: skip
_MOST_GUESSED, _MOST_LEARNED = 10, 5  # lines of the two tables that a page has room for
_NAME, _LIST = 32, 64  # characters
_BEFORE = ("1/2", "3/4", "19/20")
_HOUSEHOLD = 4


@dataclass(frozen=True)
class Case:
    """What a sheet is about: a plan, its rows, and once it was released the card and the table."""

    plan: Plan
    rows: int
    card: Card | None = None
    table: ReceivedTable | None = None

    @property
    def title(self) -> str:
        """Its name."""
        return clipped(self.plan.title or UNTITLED, 2 * _NAME)

    @property
    def void(self) -> tuple[str, ...]:
        """Why nothing is guaranteed; empty where the guarantee holds."""
        if self.card is not None:
            return self.card.void
        return tuple(
            f"the list of values for {column.name} was taken from the data"
            for column in self.plan.columns
            if column.source == "data, acknowledged"
        )


def clipped(words: str, most: int = _NAME) -> str:
    """A name from somebody's file, on one line and not too long."""
    told = " ".join(shown(words).split())
    return told if len(told) <= most else f"{told[: most - 1].rstrip()}…"


def listing(names: tuple[str, ...] | list[str], most: int = _LIST) -> str:
    """Names in a row, as many as there is room for.

    Examples
    --------
    >>> listing(["roof", "water", "income"], most=12)
    'roof, water and 1 more'
    """
    told = ""
    for at, name in enumerate(map(clipped, names)):
        longer = f"{told}, {name}" if told else name
        if told and len(longer) > most:
            return f"{told} and {len(names) - at:,} more"
        told = longer
    return told


def contents(case: Case) -> SheetContents:
    """The sheet of a case."""
    row, joint = row_figures(case.plan), joint_guarantee(case.plan)
    answers = sorted(answer_figures(case.plan), key=lambda one: -one.factor)
    every, pairs = tuple(learned_rows(case)), crossed_rows(case)
    room = len(every) < _MOST_LEARNED and len(pairs) > 1
    crossed = (pairs[0], pairs[-1]) if room else tuple(pairs[:1])
    return SheetContents(
        title=case.title,
        about=_about(case),
        band=_void_band(case.void) if case.void else row_band(row),
        right=1.0 if case.void else float(row.right),
        guesses=() if case.void else guess_rows(row, answers[:_MOST_GUESSED]),
        basis=_basis(case, len(answers)),
        open=tuple(_open(case, row, joint)),
        conditions=tuple(_conditions(case)),
        learned=every[:_MOST_LEARNED],
        crossed=crossed,
        learned_note=_learned_note(case, len(every), len(pairs), len(crossed)),
        foot=_foot(case),
    )


def row_band(row: RowFigures) -> RowBand:
    """The first three lines: what one person's row tells."""
    word, _, rest = row.headline.partition(". ")
    tone = _TONES[row.word]
    if row.published and tone == "good":
        tone = "warn"
    told = "it rules out nothing" if row.level is None else factor_said(row.level)
    sentences = (
        _published(row) if row.published else (rest,),
        _bold(row.limit, "it rules out nothing." if "rules out" in row.limit else told),
        _bold(row.test, times_in_hundred(row.right)),
    )
    return RowBand(word, tone, sentences)


def _published(row: RowFigures) -> Sentence:
    """What can be read off every row, as much of it as there is room for."""
    names = [name.replace("the block of", "the group of", 1) for name in row.published]
    told = listing(names, 2 * _NAME)
    if told == ", ".join(names):
        told = " and ".join(told.rsplit(", ", 1))
    told = f"{told[0].upper()}{told[1:]} can be read off every row as it is. The rest: "
    return told, f"{row.word}.", ""


def _void_band(reasons: tuple[str, ...]) -> RowBand:
    first, *more = (clipped(reason, 3 * _LIST) for reason in reasons[:3])
    return RowBand(
        "NO PROTECTION",
        "bad",
        (
            ("Nothing is guaranteed for this release.",),
            ("The reason: ", first, "; ".join(["", *more]) + "."),
            ("It should be treated ", "as if the answers were published as they are", "."),
        ),
    )


def _bold(words: str, part: str) -> Sentence:
    """A sentence with its last mention of something in bold."""
    before, found, after = words.rpartition(part)
    return (before, part, after) if found else (words,)


def guess_rows(row: RowFigures, answers: list[AnswerFigures]) -> tuple[GuessedAnswer, ...]:
    """The table of guesses, the whole row last."""
    lines = [
        GuessedAnswer(
            _answer(one),
            "–" if one.blind is None else hundredths_down(one.blind),
            "–" if one.seen is None else hundredths(one.seen),
            _limits([one.after(before) for before in _BEFORE]),
        )
        for one in answers
    ]
    whole = [guess_limit(before, row.factor, delta=row.delta) for before in _BEFORE]
    return (*lines, GuessedAnswer("any, reading the whole row", "", "", _limits(whole)))


def _limits(shares: list[Number]) -> tuple[str, str, str]:
    first, second, third = map(hundredths, shares)
    return first, second, third


def _answer(one: AnswerFigures) -> str:
    values = "" if one.values is None else f" ({one.values:,} values)"
    return f"{clipped(one.name)}{values}" + (", within its largest group" if one.group else "")


def learned_rows(case: Case) -> list[Learned]:
    """What can be learned of every column, the published ones first."""
    found = []
    if case.plan.pass_through:
        error = f"± {98 / case.rows**0.5 + 0.05:.1f} points"
        names = listing(case.plan.pass_through, 2 * _NAME)
        found.append(Learned(f"shares of people by {names} (as it is)", error, error))
    return [
        *found,
        *(learned(each, case.rows, name=_name(each)) for each in case.plan.columns),
    ]


def _name(column: ColumnPlan) -> str:
    """A column's name; of columns that are drawn together, all of theirs."""
    return clipped(" by ".join(own.name for own in column.cells), _LIST)


def crossed_rows(case: Case) -> list[Learned]:
    """How far off the cells of each two-way table may be, the best table first."""
    return [_two_way(pair, case.rows) for pair in crossed_answers(case.plan)]


def _two_way(pair: Crossed, rows: int) -> Learned:
    names = " by ".join(clipped(name, _LIST // 4) for name in pair.names)
    sides = " × ".join(map(str, pair.sizes))
    return learned_within(f"cells of {names} ({sides})", (pair.variance, 0.25), rows)


def _learned_note(case: Case, columns: int, pairs: int, crossed: int) -> str:
    told = [_further(columns, _MOST_LEARNED, "The first {} of {} columns")]
    if pairs > crossed:
        which = "the best" if crossed == 1 else "the best and the worst"
        told.append(f"Of {pairs:,} two-way tables {which}; the archive sheet has all.")
    if case.table is not None:
        told.append("The archive sheet also has what this release says, with its errors.")
    return " ".join(filter(None, told))


def _about(case: Case) -> str:
    plan = case.plan
    rows = counted(case.rows, "row")
    one = plan.unit == "row" and plan.rows_per_person == 1
    told = [
        f"planned for {rows}" if case.card is None else f"{rows}, released",
        "one row a person" if one else f"up to {counted(plan.rows_per_person, 'row')} a person",
        f"noise on {counted(len(plan.protected), 'column')}",
    ]
    if plan.pass_through:
        as_is = "as it is" if len(plan.pass_through) == 1 else "as they are"
        told.append(f"{counted(len(plan.pass_through), 'column')} published {as_is}")
    return " · ".join(told)


def _basis(case: Case, answers: int) -> str:
    if case.void:
        return "Nothing limits a guesser, so no figures are given here."
    told = [
        "These limits hold for every guesser, however clever. ‘Knowing nothing’ takes all values as "
        "equally likely."
    ]
    if joint_guarantee(case.plan).open:
        told.append("What is published as it is counts as known before.")
    told.append(_further(answers, _MOST_GUESSED, "The {} least protected of {} answers"))
    return " ".join(filter(None, told))


def _further(there: int, shown_here: int, words: str) -> str:
    if there <= shown_here:
        return ""
    return f"{words.format(shown_here, there)}; the others are on the archive sheet."


def _open(case: Case, row: RowFigures, joint: JointGuarantee) -> list[str]:
    plan = case.plan
    told = []
    if plan.pass_through:
        told.append(f"{listing(plan.pass_through)}: published as it is")
    if joint.blocks:
        told.append(
            f"the group that a value of {listing(joint.blocks)} is in: no value ever leaves its group"
        )
    if told:
        told.append("whatever that gives away about the other answers")
    if row.word == "next to none" and not case.void:
        told.append(
            "the whole row: whoever has a few candidates for a person will find the right one"
        )
    told.append("that the person took part, and how many people did")
    told.append("what is true of groups of people: it is meant to be learned")
    if row.level is not None and not case.void:
        told.append(
            f"what {_HOUSEHOLD} people who answered alike have in common, such as a household: the "
            f"limit for that is {factor_said(row.level * _HOUSEHOLD)}"
        )
    if case.card is not None and case.card.permanent:
        told.append("whether and when an answer changes from one release to the next")
    if plan.left_out:
        told.append(f"(left out, so not released: {listing(plan.left_out)})")
    return told


def _conditions(case: Case) -> list[str]:
    plan = case.plan
    if case.void:
        return ["the release is made again, without what stands above"]
    told = [
        "each person is in one row; the members of a household count one by one"
        if plan.unit == "row"
        else f"a person has at most {counted(plan.rows_per_person, 'row')} (those alike in "
        f"{clipped(plan.unit)})"
    ]
    if case.card is not None and case.card.permanent:
        told.append("later releases of these answers use the same key, which stays secret")
    else:
        told.append("the same answers are not released again (a second copy multiplies the limits)")
    told.append(
        "the noise comes from the machine's secure source and is kept nowhere"
        if case.card is None
        else "nobody kept the noise, which came from the machine's secure source"
    )
    if case.card is None or not case.card.shuffled:
        told.append("the place of a row says nothing: the table is not sorted by an answer")
    waiting = plan.unconfirmed()
    if waiting:
        told.append(
            f"somebody first compares the possible answers to {listing(waiting)} with the "
            "questionnaire: they were read off the data"
        )
    else:
        told.append("the lists of possible answers come from the questionnaire, not from the data")
    return told


def _foot(case: Case) -> str:
    told = []
    if case.plan.raw:
        told.append(f"plan sha256 {plan_hash(case.plan.raw)}")
    if case.card is not None and case.card.output:
        told.append(f"table sha256 {case.card.output['sha256']}")
    told.append(LIBRARY if case.card is None else clipped(case.card.library))
    return " · ".join(told)
