"""Texts of one batch of a column: read, noised and written, or read to the labels of their topics."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadPlan, DPrivacyError, NotApplicable
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.plans.table_plan import Plan
from dprivacy.text import MOST, TextCells, kept_share, readable_words


def noisy_texts(
    mechanism: Any, column: ColumnPlan, texts: Sequence[str] | NDArray[np.object_], first: int
) -> list[str]:
    """A noisy text for each true one; a refusal names its row, from `first` on, never its words."""
    if not isinstance(mechanism, TextCells):
        return list(mechanism.randomise(texts))
    try:
        places = mechanism.places(list(texts), first=first)
    except DPrivacyError as reason:
        raise type(reason)(f"column {column.name!r}, {reason}") from None
    return mechanism.written(mechanism.draw(places, mechanism.source or _no_source()))


def _no_source() -> Any:
    raise NotApplicable("the noise of a column needs a random source; None was given")


def topic_codes(column: ColumnPlan, texts: Sequence[str], first: int) -> NDArray[np.intp]:
    """The position of each text's topic among the labels of its column."""
    if column.reader is None:
        raise NotApplicable(
            f"column {column.name!r}: the vocabulary is not at hand; read the plan from its own file"
        )
    try:
        return column.reader.codes(texts, first=first)
    except DPrivacyError as reason:
        raise type(reason)(f"column {column.name!r}, {reason}") from None


def require_no_texts(plan: Plan) -> None:
    """Refuse texts on a cluster, whose machines have no vocabulary."""
    named = [column.name for column in plan.columns if column.kind == "text"]
    if named:
        raise NotApplicable(
            f"Spark protects no texts, and {', '.join(map(repr, named))} is a column of them; use the "
            "engine 'arrow', or another type"
        )


def readable_share(column: ColumnPlan) -> float | None:
    """The predicted share of words that stay as they are; None where no words are released."""
    mechanism = column.mechanism
    return kept_share(mechanism.words) if isinstance(mechanism, TextCells) else None


def require_hidden(plan: Plan) -> None:
    """BadPlan for texts of which most words would stay as they are, unless that is accepted."""
    for column in plan.columns:
        share = readable_share(column)
        if share is not None and share > MOST and not column.spec.get("accept_readable"):
            raise BadPlan(
                f"column {column.name!r}: {readable_words(share)}; lower epsilon, use keep = "
                '"topic", or set accept_readable = true (--accept-readable)'
            )
