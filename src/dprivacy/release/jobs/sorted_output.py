"""Writing the rows of a file job sorted: drawn as the source has them, counted, written once."""

from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, TypeAlias

from dprivacy.errors import Unfinished
from dprivacy.release.files.row_chunks import CHUNK, recut
from dprivacy.release.jobs.job_journal import Checkpoint, Journal
from dprivacy.release.jobs.job_resume import DISCARD
from dprivacy.release.jobs.output_writer import Writing
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.code_tally import Tally
from dprivacy.release.unordered.row_codes import RowCodes, released_codes
from dprivacy.release.unordered.untouched_groups import Groups

# Sanitised chunks behind those that are done, each with its number.
Draw: TypeAlias = Callable[[Checkpoint], Generator[tuple[int, Any], None, None]]


def write_sorted(plan: Plan, groups: Groups, journal: Journal, draw: Draw) -> str:
    """Draw all rows, and write them as one sorted table; the hash of the output.

    A run that is resumed draws every row again, from the same key, and goes on writing where it was.
    """
    place, codes = journal.place, RowCodes({})
    with Writing(place.output, journal, coded=plan.protected) as out, Tally(place.runs) as tally:
        with closing(draw(Checkpoint())) as drawn:
            for number, table in drawn:
                if number == 1:
                    codes = released_codes(
                        plan, table.column_names, groups.digits, dictionaries=True
                    )
                tally.add(codes.of(table))
        done, rows = out.done, 0
        for chunk, table in enumerate(recut(map(codes.rows, tally.repeated(CHUNK)))):
            if chunk == done.chunks and rows != done.rows:
                raise Unfinished(
                    f"{place.output}: does not come in the same chunks again; {DISCARD}"
                )
            rows += table.num_rows
            if chunk >= done.chunks:
                out.put(table, chunk + 1, rows)
        return out.finish()
