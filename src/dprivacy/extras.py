"""Libraries that come with extras, loaded when they are first needed."""

from importlib import import_module
from types import ModuleType

from dprivacy.errors import MissingExtra


def _load(module: str, extra: str, purpose: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(
            f"{purpose} needs {module.split('.', maxsplit=1)[0]}; install it with "
            f"pip install 'dprivacy[{extra}]'"
        ) from None


def arrow() -> ModuleType:
    """pyarrow."""
    return _load("pyarrow", "table", "working on tables")


def compute() -> ModuleType:
    """pyarrow.compute."""
    return _load("pyarrow.compute", "table", "working on tables")


def parquet() -> ModuleType:
    """pyarrow.parquet."""
    return _load("pyarrow.parquet", "table", "Parquet files")


def arrow_csv() -> ModuleType:
    """pyarrow.csv."""
    return _load("pyarrow.csv", "table", "CSV files")


def dataset() -> ModuleType:
    """pyarrow.dataset."""
    return _load("pyarrow.dataset", "table", "SQL on a table")


def duckdb() -> ModuleType:
    """duckdb."""
    return _load("duckdb", "table", "SQL on a table")


def spark() -> ModuleType:
    """pyspark.sql."""
    return _load("pyspark.sql", "spark", "working on Spark frames")


def psycopg() -> ModuleType:
    """psycopg, the PostgreSQL driver."""
    return _load("psycopg", "postgres", "a ledger in PostgreSQL")


def matplotlib(part: str = "") -> ModuleType:
    """matplotlib, or one of its parts."""
    return _load(f"matplotlib.{part}" if part else "matplotlib", "plot", "drawing")


def mpltern() -> ModuleType:
    """mpltern, triangles for matplotlib."""
    return _load("mpltern", "plot", "drawing a triangle")


def shapely() -> ModuleType:
    """shapely."""
    return _load("shapely", "geo", "a polygon as a region")
