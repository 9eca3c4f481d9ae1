"""Bare Parquet scans: frames that are nothing but files, which tasks read themselves."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from dprivacy.extras import arrow, arrow_files, object_stores, parquet
from dprivacy.release.files.row_chunks import CHUNK
from dprivacy.release.spark.spark_session import in_tasks, is_connect
from dprivacy.release.spark.spark_store import CLUSTERS, OBJECTS, local_path

Piece: TypeAlias = list[
    tuple[str, int, int]
]  # files, each with its first and its last group of rows
_LOOKERS = 64  # tasks that look into files
_FEW = 16  # files that the driver looks into itself, where it can
_FORMAT = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
_INDEX = "org.apache.spark.sql.execution.datasources.InMemoryFileIndex"
# Spark's names of types that mean the same to Arrow, whoever wrote the file and by which settings.
_PLAIN = {
    "string": "string", "boolean": "bool", "byte": "int8", "short": "int16", "integer": "int32",
    "long": "int64", "float": "float", "double": "double",
}  # fmt: skip


def bare_pieces(frame: Any, columns: Sequence[str], size: int) -> list[Piece] | None:
    """What each task reads of a frame that is nothing but Parquet files; None for any other frame.

    A task reads about as many rows as any other, and not many more than `size`.

    A frame is taken for one only if Spark says so: its plan is one scan of Parquet files, without
    folders that stand for values, and every column that is needed has the same plain type in the frame
    and in each file. All else goes the usual way, through Spark's own reader.

    Notes
    -----
    Groups of rows stay whole, as the files have them. Which rows a task gets leaves no trace in the
    release, since its rows are spread by random numbers.
    """
    kinds = {field.name: field.dataType.typeName() for field in frame.schema.fields}
    wanted = {name: _PLAIN.get(kinds[name]) for name in columns}
    if None in wanted.values() or not _is_scan(frame):
        return None
    files = sorted(frame.inputFiles())
    if not files or any("=" in file or not _known(file) for file in files):
        return None
    found: dict[str, list[int] | None] = {}
    if len(files) <= _FEW and not is_connect(frame):  # a job would take longer
        found = {name: _rows_in(name, wanted) for name in files}
    if None in found.values() or not found:
        lookers = min(len(files), _LOOKERS)
        looked = in_tasks(
            frame.sparkSession,
            lambda number: [[name, _rows_in(name, wanted)] for name in files[number::lookers]],
            lookers,
        )
        found = dict(pair for answer in looked for pair in answer)
    if None in found.values():
        return None
    return _cut([(name, k, n) for name in files for k, n in enumerate(found[name] or ())], size)


def rows_of(piece: Piece, columns: Sequence[str], coded: Sequence[str]) -> Iterator[Any]:
    """The record batches of a piece, with its columns in this order; some may be dictionaries."""
    for name, first, last in piece:
        with _opened(name, read_dictionary=list(coded)) as file:
            batches = file.iter_batches(
                CHUNK, row_groups=range(first, last), columns=list(columns), use_threads=False
            )
            for batch in batches:
                yield batch.select(list(columns))


def _is_scan(frame: Any) -> bool:
    if is_connect(frame):
        asked = vars(frame._plan)  # the client's own record of what was asked for
        return (
            type(frame._plan).__name__ == "DataSource"
            and asked.get("_format") == "parquet"
            and bool(asked.get("_paths"))
            and not any(asked.get(key) for key in ("_schema", "_options", "_predicates"))
        )
    plan = frame._jdf.queryExecution().analyzed()
    if plan.getClass().getSimpleName() != "LogicalRelation":
        return False
    relation = plan.relation()
    if relation.getClass().getSimpleName() != "HadoopFsRelation":
        return False
    return bool(
        relation.fileFormat().getClass().getName() == _FORMAT
        and relation.location().getClass().getName() == _INDEX
        and relation.partitionSchema().isEmpty()
    )


def _known(file: str) -> bool:
    return urlsplit(file).scheme in ("", "file", *OBJECTS, *CLUSTERS)


def _opened(name: str, **how: Any) -> Any:
    """A Parquet file wherever it lies; to be closed."""
    scheme = urlsplit(name).scheme
    if scheme in ("", "file"):
        return parquet().ParquetFile(local_path(name), **how)
    if scheme in CLUSTERS:
        files, path = arrow_files().FileSystem.from_uri(name)
        return parquet().ParquetFile(files.open_input_file(path), **how)
    folder, _, last = name.rpartition("/")
    store = object_stores("store").from_url(folder)
    return parquet().ParquetFile(
        arrow().PythonFile(object_stores().open_reader(store, last)), **how
    )


def _rows_in(name: str, wanted: dict[str, str | None]) -> list[int] | None:
    """The rows of each group of a file; None where a column is not what it is in the frame.

    And where the file cannot be opened here, as on a store that this machine has no library for.
    """
    try:
        file = _opened(name)
    except Exception:
        return None
    with file:
        kinds = {field.name: str(field.type) for field in file.schema_arrow}
        about = file.metadata
        if any(kinds.get(column) != kind for column, kind in wanted.items()):
            return None
        return [about.row_group(k).num_rows for k in range(about.num_row_groups)]


def _cut(groups: list[tuple[str, int, int]], size: int) -> list[Piece]:
    """Groups of rows put together to pieces, which are as many as rows of this size would fill."""
    pieces: list[Piece] = []
    total = sum(rows for _, _, rows in groups)
    most, before = max(-(-total // size), 1), 0
    for name, group, rows in groups:
        if before * most >= len(pieces) * total:
            pieces.append([])
        last = pieces[-1]
        if last and last[-1][0] == name:
            last[-1] = (name, last[-1][1], group + 1)
        else:
            last.append((name, group, group + 1))
        before += rows
    return pieces
