"""Libraries that come with extras: each a function that loads it, or a part, when it is needed."""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from dprivacy.errors import MissingExtra


def _loaded(module: str, extra: str, purpose: str) -> Callable[..., ModuleType]:
    def load(part: str = "") -> ModuleType:
        try:
            return import_module(f"{module}.{part}" if part else module)
        except ImportError:
            raise MissingExtra(
                f"{purpose} needs {module.split('.', maxsplit=1)[0]}; install it with "
                f"pip install 'dprivacy[{extra}]'"
            ) from None

    return load


arrow = _loaded("pyarrow", "table", "working on tables")
compute = _loaded("pyarrow.compute", "table", "working on tables")
parquet = _loaded("pyarrow.parquet", "table", "Parquet files")
arrow_csv = _loaded("pyarrow.csv", "table", "CSV files")
dataset = _loaded("pyarrow.dataset", "table", "SQL on a table")
duckdb = _loaded("duckdb", "query", "SQL on a table")
ciphers = _loaded("cryptography.hazmat.primitives.ciphers", "table", "keyed noise")
calamine = _loaded("python_calamine", "files", "reading spreadsheets")
pyreadstat = _loaded("pyreadstat", "files", "reading files of SPSS and Stata")
spark = _loaded("pyspark.sql", "spark", "working on Spark frames")
arrow_files = _loaded("pyarrow.fs", "table", "files on a cluster")
object_stores = _loaded("obstore", "objects", "an object store")
psycopg = _loaded("psycopg", "postgres", "PostgreSQL")
uvicorn = _loaded("uvicorn", "collect", "a collector")
matplotlib = _loaded("matplotlib", "plot", "drawing")
mpltern = _loaded("mpltern", "plot", "drawing a triangle")
shapely = _loaded("shapely", "geo", "a polygon as a region")
