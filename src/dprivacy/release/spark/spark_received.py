"""Releases that Spark reads: their card, and counts of combinations, one row of which comes back."""

from collections.abc import Sequence
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.extras import spark as pyspark_sql
from dprivacy.release.files.own_files import CARD_NAME
from dprivacy.release.files.released_data import Released
from dprivacy.release.files.released_folders import listing_hash
from dprivacy.release.plans.release_card import card_of_text
from dprivacy.release.spark.spark_folder import Files, spark_errors
from dprivacy.release.spark.spark_schema import column_of
from dprivacy.typing import PathArg


def read_by_spark(session: Any, folder: PathArg) -> Released[Any]:
    """A folder that Spark wrote, as a frame with its card, wherever the session can read it."""
    pyspark_sql()
    with spark_errors(str(folder)):
        files = Files(session, str(folder))
        place = files.absolute(str(folder))
        if not files.system.exists(files.path(f"{place}/{CARD_NAME}")):
            raise BadFile(f"{folder}: does not hold a release with its card")
        text = files.read(f"{place}/{CARD_NAME}")
        listing = files.listing(place)
    card = card_of_text(text, name=str(folder))
    if card.output.get("sha256") not in (None, listing_hash(listing)):
        raise BadFile(
            f"{folder}: files were added to this folder, taken out or changed since its card was "
            "written"
        )
    with spark_errors(str(folder)):
        return Released(session.read.parquet(place), card)


def counted_by_spark(frame: Any, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
    """How often each combination of values occurs in a frame."""
    with spark_errors("the frame"):
        chosen = [column_of(name).alias(f"c{k}") for k, name in enumerate(columns)]
        rows = frame.groupBy(*chosen).count().collect()
    return {tuple(row)[:-1]: int(row["count"]) for row in rows}
