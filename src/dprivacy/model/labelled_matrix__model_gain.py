"""Gains: what each action is worth to an adversary on each secret."""

from typing import Any

from dprivacy.model.answers import Pictured
from dprivacy.model.labelled_matrix__model_labelled import Labelled


class Gain(Pictured, Labelled):
    """Actions by secrets: `gain[w, x]` is what action w is worth when the secret is x.

    A loss is its mirror image, where less is better.

    Parameters
    ----------
    rows
        Actions.
    columns
        Secrets.
    matrix
        What each is worth, exact or float.
    """

    row_name, column_name = "action", "secret"

    @property
    def actions(self) -> tuple[Any, ...]:
        """The actions."""
        return self.rows

    @property
    def secrets(self) -> tuple[Any, ...]:
        """The secrets."""
        return self.columns
