"""DuckDB with the released table and exact tables in it, and no way out of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, NotApplicable, UnknownName
from dprivacy.extras import dataset, duckdb
from dprivacy.mechanisms import NUMBER, cell_form
from dprivacy.release.domains.point_columns import are_whole
from dprivacy.release.files.json_lines import is_lines
from dprivacy.release.files.own_files import card_path
from dprivacy.release.files.parquet_tables import open_parquet
from dprivacy.release.files.released_data import as_arrow
from dprivacy.release.files.released_folders import data_files
from dprivacy.release.files.table_files import is_parquet, read_errors, whole_table
from dprivacy.release.plans.column_domains import LISTED
from dprivacy.release.queries.reading.name_scope import folded
from dprivacy.release.queries.reading.query_printer import quoted
from dprivacy.release.receiving.table_receiver import ReceivedTable
from dprivacy.typing import PathArg

_ROWS = "released rows"
_LAYOUT = {"header": True, "sep": ",", "quotechar": '"', "escapechar": '"'}


class Engine:
    """A connection that holds the released table, under the name data, and exact tables.

    Files are opened here, before any query is seen; the engine itself then opens none, and its settings
    are locked.
    """

    def __init__(self, connection: Any, release: ReceivedTable, exact: Mapping[str, Any]) -> None:
        self.connection, self.release = connection, release
        _load(connection, release)
        self.kinds = self.columns_of(_ROWS)
        # A column of a dictionary holds text: candidates need not be among the words that occur.
        self.kinds |= {n: "VARCHAR" for n, kind in self.kinds.items() if kind.startswith("ENUM")}
        # True values have the type of their column, unless its cells are reports about them.
        self.reported = _kinds_of_values(release)
        self.true_kinds = {**self.kinds, **self.reported}
        self.exact: dict[str, Sequence[str]] = {}
        for name, table in exact.items():
            _add(connection, name, table, taken=["data", *self.exact])
            self.exact[name] = tuple(self.columns_of(name))
        for setting in ("enable_external_access = false", "lock_configuration = true"):
            connection.execute(f"SET {setting}")
        self.show(list(self.kinds))

    def columns_of(self, table: str) -> dict[str, str]:
        """The columns of a table, with their types."""
        rows = self.rows(f"SELECT column_name, column_type FROM (DESCRIBE {quoted(table)})")
        return {str(name): str(kind) for name, kind in rows}

    def show(self, columns: Sequence[str], *, true: bool = False) -> None:
        """Let data have these columns and no others; with the types of true values, for names alone."""
        listed = [
            f"CAST({'NULL' if true and n in self.reported else quoted(n)} AS "
            f"{(self.true_kinds if true else self.kinds)[n]}) AS {quoted(n)}"
            for n in columns
        ]
        chosen = ", ".join(listed) or '1 AS "no column"'
        self.execute(f"CREATE OR REPLACE TEMP VIEW data AS SELECT {chosen} FROM {quoted(_ROWS)}")

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Run SQL of ours."""
        return self.connection.execute(sql, list(values))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of SQL of ours."""
        found: list[tuple[Any, ...]] = self.execute(sql).fetchall()
        return found

    def tree(self, sql: str) -> Any:
        """The query as DuckDB's own tree; refused unless it is one SELECT."""
        engine = duckdb()
        kinds = [statement.type for statement in engine.extract_statements(sql)]
        (text,) = self.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
        tree = json.loads(text)
        if len(kinds) != 1 or kinds[0] != engine.StatementType.SELECT or tree.get("error"):
            raise NotApplicable(
                "only one SELECT is answered at a time, and nothing can be changed; ask a SELECT "
                f"instead of {sql[:40]!r}"
            )
        return tree

    def text_of(self, node: Any) -> str:
        """A part of DuckDB's tree as SQL again."""
        whole = {"error": False, "statements": [{"node": node, "named_param_map": []}]}
        (text,) = self.execute(
            "SELECT json_deserialize_sql(?::JSON)", [json.dumps(whole)]
        ).fetchone()
        return str(text)


@contextmanager
def engine_of(release: ReceivedTable, exact: Mapping[str, Any]) -> Iterator[Engine]:
    """The engine with these tables; what it cannot answer is told in one sentence."""
    library = duckdb()
    connection = library.connect()
    try:
        yield Engine(connection, release, exact)
    except library.Error as reason:
        said = str(reason).splitlines()[0]
        raise NotApplicable(f"the query cannot be answered: {said}{_help(said, release)}") from None
    except RecursionError:
        raise NotApplicable(
            "the query cannot be answered: it is nested too deeply; ask in plainer SQL"
        ) from None
    finally:
        connection.close()


def _help(said: str, release: ReceivedTable) -> str:
    """What to do, after the engine's own words."""
    if "Table with name" in said:
        return "; the released table is called data"
    dropped = [name for name in release.card.dropped if f'"{name}"'.lower() in said.lower()]
    if dropped:
        told = ", ".join(release.columns)
        return f" Column {dropped[0]!r} was left out of this release, which has {told}"
    return ""


def _load(connection: Any, release: ReceivedTable) -> None:
    """The released rows, held by us.

    The columns of a CSV file get the types that the card gives them.
    """
    path = release.data
    if not isinstance(path, Path):
        if type(path).__module__.startswith("pyspark."):
            raise NotApplicable(
                f"a frame of {type(path).__name__} is asked through Spark; query reads the folder that "
                "was written, by its path"
            )
        connection.register(_ROWS, as_arrow(path))
        return
    if path.is_dir() or is_parquet(path):
        files = data_files(path, release.card.output) if path.is_dir() else [path]
        connection.register(_ROWS, _parquet(files))
        return
    if is_lines(path):
        connection.register(_ROWS, whole_table(path))
        return
    types: dict[str, str] = {}
    for name, entry in release.card.mechanisms.items():
        local = release.card.local(name)
        kind = _type(entry["type"], release.card.outputs(name) or ())
        if local is not None:
            kind = "BIGINT" if cell_form(local) == NUMBER else "VARCHAR"
        types |= dict.fromkeys(entry["columns"], kind)
    rows = connection.read_csv(str(path), dtype=types, allow_quoted_nulls=False, **_LAYOUT)
    rows.create(_ROWS)


def _kinds_of_values(release: ReceivedTable) -> dict[str, str]:
    """The types of the true values of columns whose cells are reports."""
    kinds: dict[str, str] = {}
    for name, entry in release.card.mechanisms.items():
        local = release.card.local(name)
        if local is not None:
            kinds |= dict.fromkeys(entry["columns"], _type(entry["type"], local.labels))
    return kinds


def _parquet(files: Sequence[Path]) -> Any:
    for one in files:
        with read_errors(one), open_parquet(one) as file:
            file.require_fitting()
    return dataset().dataset(list(files), format="parquet")


def _type(kind: str, outputs: Sequence[Any]) -> str:
    """The type of a column in SQL: texts, whole numbers where all of a list are, or doubles.

    Codes beside numbers are numbers if all are written as whole ones.
    """
    words = [y for y in outputs if isinstance(y, str)]
    if kind == "numbers" and words and are_whole(words):
        return "DOUBLE"
    if kind == "bits" or words:
        return "VARCHAR"
    small = all(y is None or (type(y) is int and -(2**63) <= y < 2**63) for y in outputs)
    return "BIGINT" if kind in LISTED and outputs and small else "DOUBLE"


def _add(connection: Any, name: str, table: PathArg | Any, taken: Sequence[str]) -> None:
    """An exact table under its name."""
    if not name.isidentifier() or folded(name) in map(folded, taken):
        raise UnknownName(
            f"the exact table {name!r} needs a name of letters, digits and _ that no other table has"
        )
    if isinstance(table, str | PathLike):
        path = _exact_file(Path(table))
        if not is_parquet(path):
            connection.read_csv(str(path), header=True).create(name)
            return
        table = whole_table(path)
    connection.register("in hand", as_arrow(table))
    connection.execute(f'CREATE TABLE {quoted(name)} AS SELECT * FROM "in hand"')
    connection.unregister("in hand")


def _exact_file(path: Path) -> Path:
    """A file that can be joined."""
    if not path.exists():
        raise BadFile(f"{path}: does not exist")
    if card_path(path).exists():
        raise NotApplicable(
            f"{path}: is a protected table itself, and two of them would pair noisy rows; only exact "
            "tables can be joined"
        )
    if path.suffix.lower() not in (".csv", ".tsv", ".parquet"):
        raise BadFile(f"{path}: an exact table is a .csv, .tsv or .parquet file")
    return path
