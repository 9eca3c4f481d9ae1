"""Estimates from a sanitised Spark frame: Spark groups and counts, the rest is as for files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprivacy.errors import Malformed
from dprivacy.extras import spark as pyspark_sql
from dprivacy.release.files.own_files import CARD_NAME
from dprivacy.release.files.released_folders import listing_hash
from dprivacy.release.plans.release_card import Card, card_of_text
from dprivacy.release.receiving.received_release import Release
from dprivacy.release.spark.spark_folder import Files, spark_errors
from dprivacy.release.spark.spark_schema import column_of


@dataclass(frozen=True)
class SparkRelease(Release):
    """A sanitised Spark frame as a receiver has it, with its card.

    `estimate`, `mean` and `cross_table` are those of `Release`; only the counts are Spark's, so that
    nothing but one row for each combination of values comes to the driver.
    """

    frame: Any

    @classmethod
    def of(cls, frame: Any, card: Card) -> "SparkRelease":
        """A frame and the card that came with it, as `sanitise` gave them."""
        release = cls(Path("a Spark frame"), card, frame)
        missing = [name for name in release.columns if name not in frame.columns]
        if missing:
            raise Malformed(
                f"the frame has no column {', '.join(map(repr, missing))}; is this its card?"
            )
        return release

    @classmethod
    def read(cls, session: Any, folder: str | Path) -> "SparkRelease":
        """A folder that `sanitise_spark` wrote, wherever the session can read it."""
        pyspark_sql()
        with spark_errors(str(folder)):
            files = Files(session, str(folder))
            place = files.absolute(str(folder))
            if not files.system.exists(files.path(f"{place}/{CARD_NAME}")):
                raise Malformed(f"{folder}: there is no release with its card in this folder")
            text = files.read(f"{place}/{CARD_NAME}")
            listing = files.listing(place)
            frame = session.read.parquet(place)
        card = card_of_text(text, name=str(folder))
        if card.output.get("sha256") not in (None, listing_hash(listing)):
            raise Malformed(
                f"{folder}: files were added to this folder, taken out or changed since its card was "
                "written"
            )
        return cls.of(frame, card)

    def counts(self, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
        """How often each combination of values occurs, counted by Spark."""
        self._require(columns)
        with spark_errors("the frame"):
            chosen = [column_of(name).alias(f"c{k}") for k, name in enumerate(columns)]
            rows = self.frame.groupBy(*chosen).count().collect()
        return {tuple(row)[:-1]: int(row["count"]) for row in rows}
