"""Spending for a Spark frame: its digests are computed where the rows are."""

import hashlib
from collections.abc import Sequence
from typing import Any

from dprivacy.errors import DPrivacyError
from dprivacy.release.ledger.release_spending import TableSpending, spend_release
from dprivacy.release.spark.spark_session import column_of, functions_for


class FrameSpending(TableSpending):
    """Spends for one frame, before any task draws; final once the output is being committed.

    Which values people have had is not counted here, as that takes every row to the driver: permanent
    answers are charged in full for every frame.
    """

    charged: list[Any] | None = None  # who is, in an account per person

    def __call__(self, frame: Any) -> None:
        """Spend; called once, before anything is sampled."""
        plan = self._terms.plan
        digests = frame_digests(frame, plan.protected)
        self.given = spend_release(
            self._account,
            self._terms,
            {f"column {name!r}": digest for name, digest in digests.items()},
            people=lambda: self._people(frame.select(column_of(frame, plan.unit)).distinct()),
            shuffled=self.shuffled,
        )
        self._settled = False

    def _people(self, frame: Any) -> list[Any]:
        """Who is charged, each once."""
        self.charged = [row[0] for row in frame.toLocalIterator()]
        return self.charged

    def keep(self) -> None:
        """Say that something may come out from now on: nothing is taken back."""
        self._settled = True

    def settle(self, sha256: str) -> None:
        """Note the hash of the output, which is about to appear.

        It is "" for a copy that nobody gave a place, which has none.
        """
        assert self.given is not None
        if sha256:
            self._account.ledger.settle(self.given, sha256)

    def take_back(self, reason: DPrivacyError) -> None:
        """Cancel the entry, unless something may have come out."""
        if self.given is not None and not self._settled:
            super().take_back(reason)


def frame_digests(frame: Any, names: Sequence[str]) -> dict[str, bytes]:
    """Digests of columns that do not depend on the order of the rows, which Spark does not keep.

    They tell a frame that was released before on Spark; the same table in a file or in pandas has
    other ones.
    """
    functions = functions_for(frame)

    wanted = [functions.count(functions.lit(1))]
    for name in names:
        tag = functions.xxhash64(column_of(frame, name))
        known = functions.count(column_of(frame, name))
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
