"""Protected curves into a file, with what is promised beside it."""

import json
import os
from pathlib import Path

from dprivacy.curves.curve_files import Days
from dprivacy.curves.protecting_curves import ProtectedCurves
from dprivacy.errors import BadFile
from dprivacy.extras import arrow, arrow_csv, parquet
from dprivacy.release import Receipt

_DIGITS = 6  # of a reading in the output; rounding what is published costs nothing


def describe_path(output: Path) -> Path:
    """The file that says what is promised: days.csv has days.csv.promise.json beside it."""
    return output.with_name(f"{output.name}.promise.json")


def write_days(
    output: Path, days: Days, protected: ProtectedCurves, receipt: Receipt | None = None
) -> None:
    """Write protected curves and the kept columns: a temporary file first, then its name at once."""
    pa = arrow()
    rounded = protected.values.round(_DIGITS)
    table = pa.table({**days.kept, **{name: rounded[:, k] for k, name in enumerate(days.columns)}})
    if output.suffix.lower() not in (".csv", ".parquet"):
        raise BadFile(f"{output}: the name should end in .csv or .parquet")
    draft = output.with_name(f".{output.name}.{os.getpid()}.part")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        if output.suffix.lower() == ".csv":
            arrow_csv().write_csv(table, draft)
        else:
            parquet().write_table(table, draft)
        told = protected.to_dict() | ({} if receipt is None else {"receipt": receipt.to_dict()})
        text = json.dumps(told, ensure_ascii=False, indent=1) + "\n"
        describe_path(output).write_text(text, encoding="utf-8")
        os.replace(draft, output)
    except OSError as reason:
        raise BadFile(f"{output}: cannot be written ({reason.strerror})") from None
    finally:
        draft.unlink(missing_ok=True)
