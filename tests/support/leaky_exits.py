"""Broken twins of the ways out: in each, something beside the released cells follows the truth."""

import time
import warnings
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from dprivacy.release import sanitise
from dprivacy.release.files import table_files
from dprivacy.release.jobs import file_job
from support.noninterference import Exit, files_of
from support.table_exits import (
    arrow_parts,
    arrow_table,
    dictionaries,
    file_exit,
    pandas_frame,
    pandas_parts,
    pandas_shuffled,
    write_csv,
)


def broken(way, **patches):
    """The way out with parts of it replaced."""

    @contextmanager
    def replaced():
        with pytest.MonkeyPatch.context() as patch:
            for name, (owner, value) in patches.items():
                patch.setattr(owner, name, value)
            yield

    def leave(survey, folder):
        with replaced():
            return way.leave(survey, folder)

    return Exit(way.name, leave)


def true_dictionary(survey, folder):
    """Noisy cells in the dictionary of the source, where every category was somebody's."""
    table, noisy = dictionaries(survey), sanitise(dictionaries(survey), survey.plan).data
    for name in survey.protected:
        kind = table.schema.field(name).type
        if pa.types.is_dictionary(kind):
            true = table.column(name).combine_chunks().dictionary
            cells = noisy.column(name).combine_chunks()
            known = pc.index_in(cells.cast(pa.string()), value_set=true)
            made = pa.DictionaryArray.from_arrays(known, true)
            noisy = noisy.set_column(noisy.schema.get_field_index(name), name, made)
    return arrow_parts(noisy)


def type_of_the_data(survey, folder):
    """Noisy cells in the dtype that the column happened to have."""
    frame, noisy = pandas_frame(survey), sanitise(pandas_frame(survey), survey.plan).data
    for name in survey.protected:
        if frame[name].dtype.kind == "f":
            noisy[name] = noisy[name].astype(float)
    return pandas_parts(noisy)


def kept_index(survey, folder):
    """Noisy cells under the index that came."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        noisy = sanitise(pandas_shuffled(survey), survey.plan).data
    return pandas_parts(noisy.set_axis(pandas_shuffled(survey).index))


def statistics(survey, folder):
    """Noisy cells in a file whose footer has the ends of the true ones."""
    table = sanitise(arrow_table(survey), survey.plan).data
    ends = {n: str(pc.min_max(arrow_table(survey).column(n))) for n in survey.protected}
    pq.write_table(table.replace_schema_metadata(ends), folder / "out.parquet")
    return files_of(folder)


def counted(survey, folder):
    """A message that counts true values, as those that are missing or were clamped."""
    columns = [survey.columns[name] for name in survey.protected]
    different = sum(len(set(map(str, column))) for column in columns)
    print(f"{different} different values were protected")
    return {}


def size_of_the_source(survey, folder):
    return {"bytes": write_csv(survey, folder).stat().st_size}


def pace_of_the_work(survey, folder):
    """When the work was done, and so whether it took longer."""
    return {"hours": int(time.time() // 3600)}


def view_of_the_rows(survey, folder):
    """A column that is passed through, as a view into the bytes of all columns."""
    texts = [
        "".join(f"{cell!s:>16}" for cell in row)
        for row in zip(*survey.columns.values(), strict=True)
    ]
    towns = pa.array([*texts, *map(str, survey.columns["town"])], pa.string_view())
    return {"IPC": arrow_parts(pa.table({"town": towns.slice(len(texts))}))["IPC"]}


LEAKY = (
    broken(
        file_exit("CSV", "Parquet"),
        recut=(file_job, iter),
        RowGroups=(table_files, lambda file, schema, coded: pq.ParquetWriter(file, schema)),
    ),
    Exit("true categories in a dictionary", true_dictionary),
    Exit("a type that follows missing values", type_of_the_data),
    Exit("an index kept", kept_index),
    Exit("ends of the true values as statistics", statistics),
    Exit("a message with a count of true values", counted),
    Exit("the size of the source", size_of_the_source),
    Exit("the time", pace_of_the_work),
    Exit("a view into other rows", view_of_the_rows),
)
