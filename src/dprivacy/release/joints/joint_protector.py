"""Columns that are drawn together, at work: their cells are read, one combination is drawn."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.release.columns.column_batches import ColumnProtector
from dprivacy.release.columns.permanent_answers import PermanentAnswers
from dprivacy.release.columns.permanent_reports import PermanentReports
from dprivacy.release.columns.row_facts import RowOrder
from dprivacy.release.columns.tagged_people import TaggedPeople
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.sampling import CategoricalSampler, Source


class JointProtector:
    """Applies one response to the combinations of several columns, as `ColumnProtector` does to one."""

    def __init__(
        self,
        column: ColumnPlan,
        source: Source,
        *,
        texts: bool = False,
        permanent: PermanentAnswers | None = None,
        dictionaries: bool = False,
    ) -> None:
        self.column, self.source, self.permanent = column, source, permanent
        self.mechanism = replace(column.mechanism, source=source)
        self.members = [
            ColumnProtector(member, source, texts=texts, dictionaries=dictionaries)
            for member in column.members
        ]
        self.sizes = [len(member.values) for member in column.members]
        self.sampler = CategoricalSampler(column.mechanism.channel.matrix.entries.tolist())

    @property
    def orders(self) -> list[RowOrder]:
        """What was seen of the order of rows, by column."""
        return [order for member in self.members for order in member.orders]

    def look(self, arrays: Sequence[Any]) -> NDArray[Any]:
        """Positions of the true combinations."""
        codes = [member.look([array]) for member, array in zip(self.members, arrays, strict=True)]
        return np.asarray(np.ravel_multi_index(tuple(map(_places, codes)), self.sizes))

    def apply(self, arrays: Sequence[Any], people: TaggedPeople | None = None) -> list[Any]:
        """Noisy arrays for true ones, of the published types."""
        true = self.look(arrays)
        if self.permanent is not None:
            assert people is not None
            drawn = self.permanent.draw(_places(true), people)
        else:
            drawn = np.asarray(self.sampler.draw(true, self.source))
        return self.cells_at(drawn, [array.type for array in arrays])

    def cells_at(self, drawn: NDArray[Any], kinds: Sequence[Any]) -> list[Any]:
        """What is released for combinations that were drawn, for arrays that had these types."""
        parts = np.unravel_index(_places(drawn), self.sizes)
        return [
            member.labelled(codes, kind)
            for member, codes, kind in zip(self.members, parts, kinds, strict=True)
        ]


def _places(codes: NDArray[Any]) -> NDArray[np.intp]:
    return codes.astype(np.intp)


def protector_of(
    column: ColumnPlan,
    source: Source,
    *,
    texts: bool = False,
    permanent: PermanentAnswers | PermanentReports | None = None,
    dictionaries: bool = False,
) -> ColumnProtector | JointProtector:
    """What applies a column's mechanism to Arrow arrays."""
    if not column.members:
        return ColumnProtector(
            column, source, texts=texts, permanent=permanent, dictionaries=dictionaries
        )
    assert not isinstance(permanent, PermanentReports)
    return JointProtector(
        column, source, texts=texts, permanent=permanent, dictionaries=dictionaries
    )
