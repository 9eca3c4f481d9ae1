"""SQL on a released table: corrected for the noise, exact, or refused with the reason."""

from collections.abc import Mapping, Sequence
from typing import Any

from dprivacy.errors import UnknownName, WrongKind
from dprivacy.estimation import Method, Survey, read_chance, require_method
from dprivacy.release.files.released_data import Released
from dprivacy.release.queries.contained_engine import Engine, engine_of
from dprivacy.release.queries.contained_queries import (
    by_chance,
    parts,
    require_contained,
    tables_in,
    touches,
)
from dprivacy.release.queries.corrected_queries import estimated, hidden_in
from dprivacy.release.queries.group_variances import Of, require_design
from dprivacy.release.queries.query_answer import QueryAnswer
from dprivacy.release.queries.reading.asked_question import DATA, read_question
from dprivacy.release.queries.reading.name_scope import folded
from dprivacy.release.queries.reading.query_printer import quoted
from dprivacy.release.queries.reading.query_refusals import refused
from dprivacy.release.queries.reading.query_tree import Derived
from dprivacy.release.queries.replicate_spreads import replicated
from dprivacy.release.receiving.question_desk import PERSON
from dprivacy.release.receiving.table_receiver import ReceivedTable, received
from dprivacy.sources import result
from dprivacy.typing import PathArg


@result("C", "Thm 1")
@result("M", "Thm 4")
def query(
    release: Released[Any] | ReceivedTable | PathArg,
    sql: str,
    *,
    tables: Mapping[str, Any] | None = None,
    raw: bool = False,
    of: Of | None = None,
    survey: Survey | None = None,
    method: Method = "auto",
    confidence: float = 0.95,
) -> QueryAnswer:
    """SQL on a sanitised table, under the name ``data``, right or refused.

    What is computed from a private table is private, whatever the query. Aggregates over protected
    columns are estimates of what the true table would give, each with its standard error and interval;
    a query without protected columns is answered exactly; and one that cannot be corrected is refused,
    with the reason and the way out.

    Parameters
    ----------
    release
        The path of a protected table with its card beside it, what `sanitise` gave, or what
        `received` gave.
    sql
        One SELECT (DuckDB's SQL).
    tables
        Exact tables that the query joins, by name: paths or tables in hand.
    raw
        Give what the noisy rows say, whatever the query; every printed row then says "raw".
    of
        Whether errors are of the true "table", where only the noise errs, or of the "population" that
        its rows were drawn from; the population where `survey` says how they were drawn.
    survey
        Weights (which multiply every row), strata, clusters and sampled shares, or replicate weights,
        by column.
    method
        How one count or share of a condition on protected columns is estimated: by the unbiased
        "score", by maximum "likelihood", or ("auto") by the one that is forecast to err less.
    confidence
        Of the intervals.

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 99"}}}
    >>> released = sanitise(pandas.DataFrame({"tea": ["yes", "yes", "no", "yes"] * 100}), plan)
    >>> found = query(released, "SELECT tea, count(*) AS n FROM data GROUP BY tea ORDER BY tea")
    >>> [row[0] for row in found.rows], abs(found.rows[0][1] - 100) < 30
    (['no', 'yes'], True)
    """
    table = received(release)
    if not isinstance(sql, str):
        raise WrongKind(f'a query is a text of SQL, such as "SELECT * FROM data", not {sql!r}')
    design = survey or Survey()
    asked: Of = of or ("population" if design.draws else "table")
    UnknownName.require("of", asked, ("table", "population"))
    require_method(method)
    level = read_chance(confidence, "confidence")
    exact = dict(tables or {})
    with engine_of(table, exact) as engine:
        tree = engine.tree(sql)
        require_contained(tree, [DATA, *engine.exact])
        engine.show(list(engine.kinds), true=not raw)
        names = tuple(engine.connection.sql(sql).columns)  # bound by DuckDB, which tells its errors
        engine.show(list(engine.kinds))
        if raw:
            rows = tuple((*row, "raw") for row in engine.rows(sql))
            return QueryAnswer((*names, "answer"), rows, kind="raw")
        protected = [name for entry in table.card.mechanisms.values() for name in entry["columns"]]
        if asked == "table" and not design.weights and not touches(tree, protected):
            engine.show([name for name in engine.kinds if name not in protected])
            return QueryAnswer(names, tuple(engine.rows(sql)), kind="exact")
        return _corrected(engine, sql, tree, names, design, asked, (method, level))


def _corrected(
    engine: Engine,
    sql: str,
    tree: Any,
    names: tuple[str, ...],
    survey: Survey,
    of: Of,
    way: tuple[Method, float],
) -> QueryAnswer:
    node = tree["statements"][0]["node"]
    stores = _Stores(engine, tree)
    try:
        question = read_question(node, list(engine.kinds), dict(engine.exact), stores)
    except (KeyError, TypeError, IndexError, AttributeError):  # of a tree that is not as we know it
        raise refused("its form is not known here", "ask in plainer SQL") from None
    hidden = hidden_in(question, engine.release)
    if of == "table" and not hidden and not survey.weights:
        return QueryAnswer(names, tuple(engine.rows(sql)), kind="exact")
    require_design(engine, survey)
    if survey.replicates and of == "population":
        found = replicated(engine, question, hidden, survey, way[1])
    else:
        found = estimated(engine, question, hidden, survey, of, *way)
    notes = list(found.notes)
    if engine.release.card.permanent and not survey.clusters:
        notes.append(PERSON)
    return QueryAnswer(names, found.rows, found.spreads, "corrected", of, way[1], tuple(notes))


class _Stores:
    """Makes tables of sub-queries that speak of exact tables only."""

    def __init__(self, engine: Engine, tree: Any) -> None:
        self.engine = engine
        self.named: dict[str, Any] = {
            folded(entry["key"]): entry["value"]
            for part in parts(tree)
            if isinstance(part.get("map"), list)
            for entry in part["map"]
        }
        self.count = 0

    def __call__(self, given: Derived) -> tuple[str, Sequence[str]] | None:
        """The name and columns of a new table with what a sub-query gives; None if it reads data."""
        if DATA in self._read_by(given.node):
            return None
        self.count += 1
        text = self.engine.text_of(given.node)
        name = given.alias if folded(given.alias) in self.named else f"stored {self.count}"
        self.engine.execute(f"CREATE TEMP TABLE {quoted(name)} AS {text}")
        columns = list(self.engine.columns_of(name))
        for old, new in zip(columns, given.columns, strict=False):
            self.engine.execute(f"ALTER TABLE {quoted(name)} RENAME {quoted(old)} TO {quoted(new)}")
        return name, list(self.engine.columns_of(name))

    def _read_by(self, node: Any) -> set[str]:
        """The tables that a sub-query reads, also through names that WITH gives."""
        found, waiting = set[str](), [node]
        while waiting:
            for name in tables_in(waiting.pop()):
                if name not in found and name in self.named:
                    waiting.append(self.named[name])
                found.add(name)
        if any(part.get("type") == "TABLE_FUNCTION" or by_chance(part) for part in parts(node)):
            raise refused(
                "a sub-query reads a function or a sample", "give its rows as a table (--with)"
            )
        return found
