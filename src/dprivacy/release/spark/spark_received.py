"""Releases that Spark reads: their card, and counts of combinations, one row of which comes back."""

from collections.abc import Sequence
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.extras import spark as pyspark_sql
from dprivacy.release.files.own_files import CARD_NAME
from dprivacy.release.files.released_data import Released
from dprivacy.release.files.released_folders import require_listed
from dprivacy.release.plans.listed_files import listed
from dprivacy.release.plans.release_card import card_of_text
from dprivacy.release.spark.spark_folder import address_of
from dprivacy.release.spark.spark_session import at_the_store, column_of, spark_errors
from dprivacy.release.spark.spark_store import store_at
from dprivacy.typing import PathArg


def read_by_spark(session: Any, folder: PathArg) -> Released[Any]:
    """A folder that Spark wrote, as a frame with its card, wherever the session can read it."""
    pyspark_sql()
    with spark_errors(str(folder)):
        place = address_of(session, str(folder))
        text, sizes = at_the_store(session, lambda: _card_and_sizes(place))
    if text is None:
        raise BadFile(f"{folder}: does not hold a release with its card")
    card = card_of_text(text, name=str(folder))
    require_listed(sizes, card.output, str(folder))
    with spark_errors(str(folder)):
        return Released(
            session.read.parquet(*[f"{place}/{file.name}" for file in listed(card.output)]), card
        )


def _card_and_sizes(place: str) -> tuple[str | None, dict[str, int]]:
    store = store_at(place)
    sizes = store.sizes()
    return (store.read(CARD_NAME).decode() if CARD_NAME in sizes else None), sizes


def counted_by_spark(frame: Any, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
    """How often each combination of values occurs in a frame."""
    with spark_errors("the frame"):
        chosen = [column_of(frame, name).alias(f"c{k}") for k, name in enumerate(columns)]
        rows = frame.groupBy(*chosen).count().collect()
    return {tuple(row)[:-1]: int(row["count"]) for row in rows}
