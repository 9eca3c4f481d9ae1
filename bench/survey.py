"""A made-up survey: two listed columns, one of numbers on a grid, and a plan that protects them."""

import numpy as np
import pyarrow as pa

HOBBIES = ["sports", "cars", "television", "computer games", "reading"]
PLAN = {
    "columns": {
        "hobby": {"type": "categories", "values": HOBBIES, "epsilon": "ln 5"},
        "health": {"type": "ordered", "values": [1, 2, 3, 4], "epsilon": "ln 2"},
        "hours": {"type": "numbers", "low": 0, "high": 80, "grid": 1, "epsilon": "0.1"},
    }
}
SCHEMA = pa.schema([("hobby", pa.string()), ("health", pa.int64()), ("hours", pa.int64())])


def answers(rng: np.random.Generator, n: int) -> pa.Table:
    columns = [
        pa.array(HOBBIES).take(pa.array(rng.integers(0, 5, n))),
        pa.array(rng.integers(1, 5, n)),
        pa.array(rng.integers(0, 81, n)),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)
