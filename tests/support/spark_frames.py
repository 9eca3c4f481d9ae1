"""Plans, frames and keys that the tests on a cluster share."""

import glob
import hashlib
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from dprivacy.release.spark.spark_session import functions_for

HOBBIES = ["sports", "cars", "television", "computer games", "reading"]
PLAN = {
    "columns": {
        "hobby": {"type": "categories", "values": HOBBIES, "epsilon": "ln 5"},
        "health": {"type": "ordered", "values": [1, 2, 3, 4], "epsilon": "ln 2"},
    },
    "pass_through": ["truth", "id"],
    "drop": ["name"],
}
PEOPLE = {**PLAN, "drop": [], "unit": "name", "rows_per_person": 2}
MARK = "CANARY"
KEY = hashlib.sha256(b"the key of a test").digest()


class Fixed:
    """A source that gives one key, so that a run can be repeated and its key looked for."""

    secure = True

    def words(self, n):
        return np.frombuffer(KEY, "<u8")[:n].astype(np.uint64)


def made(spark, n, partitions=4):
    """A frame of n rows whose true hobby is published under another name, to count transitions."""
    f = functions_for(spark)
    mixed = f.pmod(f.xxhash64("id"), f.lit(8)).cast("int")
    frame = spark.range(0, n, 1, partitions).withColumn("k", mixed)
    names = f.array(*[f.lit(h) for h in (*HOBBIES, *HOBBIES[:3])])
    hobby = f.element_at(names, f.col("k") + 1)
    return frame.select(
        "id",
        hobby.alias("hobby"),
        hobby.alias("truth"),
        (f.pmod(f.col("k"), f.lit(4)) + 1).alias("health"),
        f.concat(f.lit(MARK), f.col("id").cast("string")).alias("name"),
    )


def transitions(found):
    """A table of counts, true hobby by noisy hobby."""
    table = np.zeros((5, 5), dtype=int)
    for truth, hobby, count in found:
        table[HOBBIES.index(truth), HOBBIES.index(hobby)] += count
    return table


def counted(frame):
    return transitions(map(tuple, frame.groupBy("truth", "hobby").count().collect()))


def parts(folder):
    """The files of a folder as tables, by their number."""
    return {
        int(Path(name).name.split("-")[1]): pq.read_table(name)
        for name in glob.glob(f"{folder}/part-*.parquet")
    }


def bytes_of(folder):
    """The files of a release, byte for byte."""
    return {path.name: path.read_bytes() for path in Path(folder).glob("part-*.parquet")}


def leftovers(folder):
    """What is on its way, anywhere below a folder; not the checksums that Java writes."""
    return sorted(path.name for path in Path(folder).rglob(".*") if path.suffix != ".crc")


def slow(frame, seconds, stall=""):
    """The same rows, later; one partition's first attempt may stall or break."""

    def later(batches):
        import os
        import time

        from pyspark import TaskContext

        context = TaskContext.get()
        attempt, chosen = context.attemptNumber(), context.partitionId() == 1
        for number, batch in enumerate(batches):
            if number == 0:
                time.sleep(seconds)
                if chosen and stall:
                    open(f"{stall}.{attempt}", "w").close()
            end = time.monotonic() + 120
            while chosen and stall and attempt and not os.path.exists(f"{stall}.0"):
                if time.monotonic() > end:  # the first attempt never began
                    break
                time.sleep(0.1)
            while chosen and stall and attempt == 0 and number == 1:
                if "break" in stall or time.monotonic() > end:
                    raise RuntimeError("this attempt breaks off")
                if os.path.exists(f"{stall}.1"):  # the copy that Spark starts has begun
                    break
                time.sleep(0.1)
            yield batch

    return frame.mapInArrow(later, frame.schema)
