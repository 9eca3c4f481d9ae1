"""Spending for a Spark frame: its digests are computed where the rows are."""

import hashlib
from collections.abc import Sequence
from typing import Any

from dprivacy.errors import DPrivacyError
from dprivacy.release.ledger.release_spending import TableSpending, spend_release
from dprivacy.release.spark.spark_schema import column_of


class FrameSpending(TableSpending):
    """Spends for one frame, before any task draws; final once the output is being committed.

    Which values people have had is not counted here, as that takes every row to the driver: permanent
    answers are charged in full for every frame.
    """

    def __call__(self, frame: Any) -> None:
        """Spend; called once, before anything is sampled."""
        plan = self._terms.plan
        digests = frame_digests(frame, plan.protected)
        people = frame if plan.unit == "row" else frame.select(column_of(plan.unit)).distinct()
        self.given = spend_release(
            self._account,
            self._terms,
            {f"column {name!r}": digest for name, digest in digests.items()},
            people=lambda: (row[0] for row in people.toLocalIterator()),
            shuffled=self.shuffled,
        )
        self._settled = False

    def settle(self, sha256: str) -> None:
        """Say that the output is about to appear, after which nothing is taken back.

        The ledger notes its hash; "" for a copy that nobody gave a place, which has none.
        """
        assert self.given is not None
        if sha256:
            self._account.ledger.settle(self.given, sha256)
        self._settled = True

    def take_back(self, reason: DPrivacyError) -> None:
        """Cancel the entry, unless something may have come out."""
        if self.given is not None and not self._settled:
            super().take_back(reason)


def frame_digests(frame: Any, names: Sequence[str]) -> dict[str, bytes]:
    """Digests of columns that do not depend on the order of the rows, which Spark does not keep.

    They tell a frame that was released before on Spark; the same table in a file or in pandas has
    other ones.
    """
    from pyspark.sql import functions

    wanted = [functions.count(functions.lit(1))]
    for name in names:
        tag = functions.xxhash64(column_of(name))
        known = functions.count(column_of(name))
        wanted += [known, functions.bit_xor(tag), functions.sum(tag.cast("decimal(20,0)"))]
    rows, *found = frame.agg(*wanted).collect()[0]
    kinds = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    return {
        name: hashlib.sha256(
            repr((name, kinds[name], rows, *found[3 * k : 3 * k + 3])).encode(
                "utf-8", "surrogatepass"
            )
        ).digest()
        for k, name in enumerate(names)
    }
