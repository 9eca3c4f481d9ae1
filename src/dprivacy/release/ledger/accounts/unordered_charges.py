"""Charges against those who see released tables alone: what a table guarantees without its order.

Such an account is opened for them, and says nothing about whoever also sees which row is whose. Every
release in it draws noise of its own, so that each is (ε, δ)-private for one person whatever else is
known, and ε and δ add up. Releases that keep their order, and what is not a table, are charged with
their levels.
"""

from fractions import Fraction

from dprivacy.errors import NotApplicable
from dprivacy.model import about, counted
from dprivacy.numbers import Level
from dprivacy.release.ledger.amounts import Amount, amount
from dprivacy.release.ledger.balances import UNORDERED
from dprivacy.release.ledger.charged_metric import Charge
from dprivacy.release.ledger.receipts import ROWS
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.shuffle_terms import misfits
from dprivacy.release.unordered.shuffled_block import ShuffledTable, column_law, shuffled_table
from dprivacy.sources import result
from dprivacy.verify import Composition, compose, record_pairs, record_profile, shuffled_profile

_MOST_PAIRS = 40  # of records, for a curve within seconds
_BELOW = 1000  # how far below the δ of one release its curve is followed


@result("T", "Lem 3.1", "Lem 3.2")
def unordered_charges(
    charges: tuple[Charge, ...], table: ShuffledTable | None
) -> tuple[Charge, ...]:
    """Charges of a release, one for the whole of a shuffled table; `amount` keeps the local level.

    Parameters
    ----------
    charges
        What each column costs in its order.
    table
        What is guaranteed of the table without it; None where rows keep their order.
    """
    for one in charges:
        if one.whole is None:
            raise NotApplicable(
                f"the distances of column {one.column!r} have no bound, so that no level of whole "
                'records can be added up; charge it to an account of levels (by="sum"), with a '
                "budget for the column"
            )
    if table is None or not table.gains or not isinstance(table.eps, Level):
        told = "between any two values"
        return tuple(
            Charge(one.column, "levels", told, one.whole, one.whole, one.blocks)
            for one in charges
            if one.whole is not None
        )
    local = sum((one.whole for one in charges if one.whole is not None), Amount())
    proved = amount(table.eps, table.proof.delta)
    return (Charge(ROWS, UNORDERED, "between any two records", local, proved),)


@result("B", "§5")
def composed_unordered(plan: Plan, times: int, delta: Fraction, rows: int) -> Composition:
    """What releasing a plan this often guarantees at δ, each time sorted, of at least this many rows.

    Notes
    -----
    More rows never say more of one of them: those beyond `rows` could be told to the reader. A release
    is composed by its whole curve of δ against ε. Where people have several rows, or too many kinds of
    records are to be compared, it is one (ε, δ), half of the δ being for the releases and half for
    their composition.
    """
    for reason in misfits(plan):
        raise reason
    least = delta / (_BELOW * times)
    if plan.rows_per_person == 1 and shuffled_table(plan, rows, delta=least).gains:
        laws = {column.name: column_law(column) for column in plan.columns}
        if len(record_pairs(laws, laws)) <= _MOST_PAIRS:
            curve = (
                record_profile(laws, rows, delta=least)
                if len(laws) > 1
                else shuffled_profile(column_law(plan.columns[0]), rows, delta=least)
            )
            return compose([curve], delta=delta, times=times)
    each = delta / (2 * times)
    found = shuffled_table(plan, rows, delta=each)
    if not found.gains:
        raise NotApplicable(
            f"sorting {counted(rows, 'row')} of this plan adds nothing that can be proved at δ = "
            f"{about(each)}; declare more rows or a larger δ, or open an account by schedule that "
            "keeps the order"
        )
    return compose([(found.eps, each)], delta=delta, times=times)
